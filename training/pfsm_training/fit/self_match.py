"""The training option ``self_match``: a reference matched with itself is matched word by word.

Where something else explains most of the scores, such as what is learned over an encoder, little is left to the edits,
and deleting and inserting a word may come to as much as matching it. Then neither the best edits nor their expected
numbers explain anything. With ``y`` the log-sum of a reference of m words with itself, and ``y'`` that of the edit
sequences among these that neither delete nor insert, ``(y - y') / m`` is minus the logarithm of the probability that
nothing is deleted or inserted, per word, and

    loss = factor * max(0, mean((y - y') / m) + log(self_match))^2

is steep enough to act as a constraint. It depends on references alone, not on human scores.
"""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pfsm.arrays import Float
from pfsm.errors import PfsmError
from pfsm.lattice.arrays import LatticeBatch
from pfsm.lattice.names import DELETE, INSERT
from pfsm.matchers.protocol import EncodedPairs
from pfsm.model.builder import LatticeBuilder
from pfsm.model.settings import ABSOLUTE, Settings
from pfsm_training.config import WORD
from pfsm_training.data.training_set import Encoder
from pfsm_training.data.training_text import TrainingText
from pfsm_training.fit.constraints import Ending
from pfsm_training.fit.fitting import Choice
from pfsm_training.fit.plan import Plan
from pfsm_training.loss.hinges import Hinges
from pfsm_training.loss.module import LogLinearMachine
from pfsm_training.loss.objective import Quadratic

# References that are looked at, of a share of all, evenly.
MOST_REFERENCES = 200
# Added to the weights of Insert and Delete, which leaves nothing of them.
NEVER = -25.0
# How much the loss weighs, in terms of the mean over what people said.
STRENGTH = 1000.0
# Of what may be lost on other references as well.
CAUTION = 0.5


@dataclass(frozen=True, eq=False)
class SelfMatchLoss:
    """A `pfsm_training.loss.objective.Term` of references with themselves.

    Attributes:
        same: The references with themselves.
        most: What may be lost a word, in the log domain.
        factor: The loss is multiplied by it.
    """

    same: LatticeBatch
    most: float
    factor: float

    def quadratic(self, machine: LogLinearMachine, *, free_alpha: bool) -> tuple[float, Quadratic]:
        """The loss at the machine's weights, and its hinge."""
        lost, slopes = lost_by_word(machine, self.same)
        if not free_alpha:
            slopes = slopes[:-1]
        hinges = Hinges(np.array([lost - self.most]), slopes[np.newaxis]).scaled(self.factor)
        value = float(np.maximum(hinges.missing, 0.0)[0] ** 2)
        return value, Quadratic(np.zeros(slopes.size), np.zeros((slopes.size, slopes.size)), (hinges,))


def lost_by_word(machine: LogLinearMachine, same: LatticeBatch) -> tuple[float, Float]:
    """The mean of ``(y - y') / m``, and its derivatives, float64 [n_learned + 1], the last for alpha: 0."""
    weights = machine.weights()
    never = {name: weights.get(name, 0.0) + NEVER for name in (INSERT, DELETE)}
    kept = LogLinearMachine(
        machine.learned, {**weights, **never}, float(machine.alpha.detach()), machine.threads
    )
    (y, slopes), (most, of_most) = machine.with_jacobian(same), kept.with_jacobian(same)
    # Both are divided by the tokens of both sides.
    return 2.0 * float(np.mean(y - most)), 2.0 * np.asarray(np.mean(slopes - of_most, axis=0))


@dataclass(frozen=True, eq=False)
class SelfMatch:
    """A `pfsm_training.fit.constraints.TrainedConstraint` on the weights of edits, which needs no preparation.

    Attributes:
        same: References with themselves.
        least: ``self_match``.
    """

    same: LatticeBatch
    least: float
    digest: str = ""
    weights: tuple[float, ...] = ()

    def to_train(self, encoder: Encoder, settings: Settings) -> "SelfMatch":  # noqa: ARG002
        """The same: it has its lattices."""
        return self

    def term(self, choice: Choice, people: float, unit: float) -> SelfMatchLoss:  # noqa: ARG002
        """The loss, which grows with the judgments and preferences as theirs does.

        What is lost is a logarithm, whatever the units of the scores; the loss of the scores is in their square.
        """
        factor = STRENGTH * unit**2 * people
        return SelfMatchLoss(self.same, -CAUTION * math.log(self.least), factor)

    def sampled(self) -> "SelfMatch":
        """The same: the references are few."""
        return self

    def outside(self, folds: tuple[int, ...]) -> "SelfMatch":  # noqa: ARG002
        """The same: it does not depend on human scores."""
        return self

    def counts(self, fold: int, machine: LogLinearMachine) -> None:
        """Nothing is counted."""

    def record(self, ending: Ending) -> dict[str, Any]:
        """Return what was asked, and how likely each word of a reference is matched with itself."""
        reached = math.exp(-lost_by_word(ending.fitted.machine, self.same)[0])
        return {"self_match": {"asked": self.least, "references": len(self.same), "reached": reached}}


def prepare(asked: float, plan: Plan, text: TrainingText) -> SelfMatch | None:  # noqa: ARG001
    """As `pfsm_training.fit.constraints.Kind`; ``asked`` is the probability.

    Raises:
        PfsmError: If no edit matches the same word.
    """
    if not text.settings.edits or WORD not in text.settings.matchers:
        raise PfsmError(f"self_match needs edits, and {WORD} among the matchers")
    places = {line: place for place, line in enumerate(text.references) if line.split()}
    rows = np.array([places[line] for line in sorted(places)], dtype=np.int64)
    if not rows.size:
        return None
    lines = text.pairs.references.select(rows[:: -(-rows.size // MOST_REFERENCES)])
    plain = replace(text.settings, features={}, form=ABSOLUTE)
    pairs = EncodedPairs(text.pairs.vocabulary, lines, lines)
    return SelfMatch(LatticeBuilder(plain, text.reader).lattices(pairs), asked)
