"""The training option ``match_gain``: to match a word must gain over deleting and inserting it.

Where something else explains most of the scores, such as what is learned over an encoder, little is left to the edits,
and what they weigh is hardly more than what they come to together. Deleting and inserting the same word may then
outweigh matching it, and the best edits explain nothing. A penalty in the objective (`pfsm_training.loss.match_gain`)
rules that out, for all gains of `pfsm_training.fit.gains`. It is steep enough to act as a constraint.
"""

from dataclasses import dataclass
from itertools import chain
from typing import Any

from pfsm.errors import PfsmError
from pfsm.lattice.names import class_of, ends
from pfsm.model.file import Model
from pfsm.model.settings import Settings
from pfsm_training.config import TrainingConfig
from pfsm_training.fit.fitting import Amounts, Choice, Fitted
from pfsm_training.fit.gains import WORD, match_gains
from pfsm_training.loss.match_gain import Gains, MatchGainLoss
from pfsm_training.loss.objective import Minimised
from pfsm_training.loss.with_pairs import WithPairs

# How much the mean over the gains weighs, in terms of the mean over what people said.
STRENGTH = 30.0


@dataclass(frozen=True, eq=False)
class MatchGain:
    """A `pfsm_training.fit.fitting.Constraint` on the weights of edits.

    Attributes:
        gains: What matches gain, as sums of weights.
        least: ``match_gain``.
    """

    gains: Gains
    least: float

    def added_to(self, objective: Minimised, choice: Choice, amounts: Amounts) -> Minimised:  # noqa: ARG002
        """The objective with the loss of gains, which grows with the judgments and preferences as theirs does.

        A gain is a logarithm of odds, whatever the units of the scores; the loss of the scores is in their square.
        """
        factor = STRENGTH * amounts.unit**2 * amounts.people / len(self.gains)
        return WithPairs(objective, MatchGainLoss(self.gains, self.least, factor, objective.centre))

    def sampled(self) -> "MatchGain":
        """The same: it is of no sentences."""
        return self

    def outside(self, folds: tuple[int, ...]) -> "MatchGain":  # noqa: ARG002
        """The same: it is of no sentences."""
        return self


def match_gain_to_train(settings: Settings, config: TrainingConfig, init: Model | None) -> MatchGain | None:
    """The constraint; None where a match need not gain anything.

    Args:
        settings: Of the machine.
        config: With ``match_gain``.
        init: Initial model, some of whose weights may stay as they are.

    Raises:
        PfsmError: If no edit matches the same word, or what a match gains depends on the classes of the words around.
    """
    if not config.match_gain:
        return None
    if not settings.edits or WORD not in settings.matchers:
        raise PfsmError(f"match_gain needs edits, and {WORD} among the matchers")
    kept = {} if init is None else init.weights
    if config.class_transitions or any(map(class_of, chain.from_iterable(ends(name) or () for name in kept))):
        raise PfsmError("match_gain knows no transitions between word classes; leave out class_transitions")
    return MatchGain(match_gains(settings), config.match_gain)


def match_gain_record(constraint: MatchGain | None, fitted: Fitted) -> dict[str, Any]:
    """For the record of a training: what was asked, and what the match that gains least gains."""
    if constraint is None:
        return {}
    lowest = float(constraint.gains.values(fitted.machine.weights()).min())
    return {"match_gain": {"asked": constraint.least, "gains": len(constraint.gains), "lowest": lowest}}
