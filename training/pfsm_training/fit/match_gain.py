"""The training option ``match_gain``: to match a word must gain over deleting and inserting it.

Where something else explains most of the scores, such as what is learned over an encoder, little is left to the edits,
and what they weigh is hardly more than what they come to together. Deleting and inserting the same word may then
outweigh matching it, and the best edits explain nothing. A penalty in the objective rules that out, steep enough to act
as a constraint. With ``g_k`` what a match gains, a sum of weights of states and transitions,

    loss = factor * sum_k max(0, least - g_k)^2

which is convex in the weights, and 0 where every match gains enough. Only the edits nearby differ. What they are
depends on what stands around the word: nothing, a match, or words that are deleted and inserted anyway. Beside these,
the word's own Delete and Insert may stand in its place, or all Deletes may come in a row and all Inserts, which is what
most unmatched stretches look like.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise, product
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from pfsm.errors import PfsmError
from pfsm.lattice.names import (
    DELETE,
    INSERT,
    base_state,
    class_of,
    ends,
    inserted_repeat,
    of_class,
    shared,
    transition,
)
from pfsm.matchers.registry import matcher_state
from pfsm.model.file import Model
from pfsm.model.settings import Settings
from pfsm.text.classes import CLASSES
from pfsm_training.config import TrainingConfig
from pfsm_training.fit.fitting import Amounts, Choice, Fitted
from pfsm_training.loss.hinges import Hinges
from pfsm_training.loss.module import LogLinearMachine
from pfsm_training.loss.objective import Minimised, Quadratic, WithPairs

Float = NDArray[np.float64]
WORD, PUNCT = "word", "punct"
MARKS = ("punctuation",)
WORDS = tuple(name for name in CLASSES if name not in MARKS)
Edits = tuple[str, ...]
# By feature, how much more often a match uses it.
Gain = tuple[tuple[str, float], ...]
# Words beside a match that are deleted and inserted.
UNMATCHED: tuple[Edits, ...] = ((DELETE,), (INSERT,), (DELETE, INSERT), (INSERT, DELETE))
# How much the mean over the gains weighs, in terms of the mean over what people said.
STRENGTH = 30.0


@dataclass(frozen=True, eq=False)
class Gains:
    """Sums of weights.

    Attributes:
        names: Of the weights.
        counts: float64 [n_gains, n_names], how often each sum has each weight; negative: it is subtracted.
    """

    names: tuple[str, ...]
    counts: Float

    def __len__(self) -> int:
        return len(self.counts)

    def values(self, weights: Mapping[str, float]) -> Float:
        """What each sum comes to, float64 [n_gains]; weights that are not there are 0."""
        own = np.array([weights.get(name, 0.0) for name in self.names])
        # NumPy's dot product would add in an order that depends on the number of processors.
        return np.asarray((self.counts * own).sum(axis=1))

    def slopes(self, learned: tuple[str, ...]) -> Float:
        """Their derivatives in the learned weights, float64 [n_gains, n_learned]."""
        place = {name: number for number, name in enumerate(self.names)}
        result = np.zeros((len(self), len(learned)))
        for column, name in enumerate(learned):
            if name in place:
                result[:, column] = self.counts[:, place[name]]
        return result


@dataclass(frozen=True, eq=False)
class MatchGainLoss:
    """A `pfsm_training.loss.objective.Minimised` of the weights alone, without a penalty.

    Attributes:
        gains: The sums.
        least: What each must come to.
        factor: The loss is multiplied by it.
        centre: As in `pfsm_training.loss.objective.Objective`.
        penalty: 0.
    """

    gains: Gains
    least: float
    factor: float
    centre: Tensor
    penalty: float = 0.0

    def quadratic(self, machine: LogLinearMachine, *, free_alpha: bool) -> tuple[float, Quadratic]:
        """The loss at the machine's weights, and its hinges, which are linear in them."""
        missing = self.least - self.gains.values(machine.weights())
        slopes = -self.gains.slopes(machine.learned)
        if free_alpha:
            slopes = np.concatenate([slopes, np.zeros((len(slopes), 1))], axis=1)
        hinges = Hinges(missing, slopes).scaled(self.factor)
        value = float(torch.from_numpy(hinges.missing).clamp(min=0.0).square().sum())
        size = slopes.shape[1]
        return value, Quadratic(np.zeros(size), np.zeros((size, size)), (hinges,))


def match_gains(settings: Settings) -> Gains:
    """All gains, of words of each class and of punctuation, under settings that match words."""
    matches = [matcher_state(one) for one in (WORD, PUNCT) if one in settings.matchers]
    found: dict[Gain, None] = {}
    for ways in _ways(settings):
        found |= dict.fromkeys(_alone(*ways, matches))
        found |= dict.fromkeys(_in_row(*ways, matches))
    names = tuple(sorted({name for gain in found for name, _ in gain}))
    place = {name: number for number, name in enumerate(names)}
    counts = np.zeros((len(found), len(names)))
    for row, gain in enumerate(found):
        for name, count in gain:
            counts[row, place[name]] = count
    return Gains(names, counts)


def _ways(settings: Settings) -> Iterator[tuple[str, str, str]]:
    """For words of each class: the state that matches them, and those that delete and insert them."""
    parts = settings.split_by_class
    # A mark of punctuation is no word.
    for matcher, classes in ((WORD, WORDS), (PUNCT, MARKS)):
        if matcher in settings.matchers:
            for word_class in classes if parts else [""]:
                matched, deleted, inserted = (
                    of_class(state, word_class) if state in parts else state
                    for state in (matcher_state(matcher), DELETE, INSERT)
                )
                yield matched, deleted, inserted
                if inserted_repeat() in settings.split and matcher == WORD:
                    yield matched, deleted, inserted_repeat()


def _alone(matched: str, deleted: str, inserted: str, matches: Sequence[str]) -> Iterator[Gain]:
    """What one match gains, whatever stands before and after."""
    ends: list[Edits] = [(), *((one,) for one in matches)]
    # Beside unmatched words, what stands further off hardly matters: nothing or a word.
    sides: list[tuple[Edits, Edits]] = [*((end, ()) for end in ends), *product(ends[:2], UNMATCHED)]
    for (before, left), (after, right) in product(sides, sides):
        kept = (*before, *left, matched, *right, *after)
        deletes = (deleted, *(one for one in (*left, *right) if one == DELETE))
        inserts = (inserted, *(one for one in (*left, *right) if one == INSERT))
        for instead in (
            (*left, deleted, inserted, *right),
            (*left, inserted, deleted, *right),
            (*deletes, *inserts),
            (*inserts, *deletes),
        ):
            yield _difference([kept], [(*before, *instead, *after)])


def _in_row(matched: str, deleted: str, inserted: str, matches: Sequence[str]) -> Iterator[Gain]:
    """What each of two matches gains over other orders of their edits, and what one more gains in a long row."""
    ends: list[Edits] = [(), *((one,) for one in matches)]
    for before, after in product(ends, ends):
        for instead in ((deleted, inserted, inserted, deleted), (inserted, deleted, deleted, inserted)):
            yield _difference([(*before, matched, matched, *after)], [(*before, *instead, *after)], 2)
    shorter, longer = ([one * times for one in ((deleted,), (inserted,))] for times in (1, 2))
    for match, after in product(matches, [*ends, (DELETE,), (INSERT,)]):
        yield _difference([(match, matched, *after), *shorter], [(match, *after), *longer])


def _difference(more: Iterable[Edits], less: Iterable[Edits], matches: int = 1) -> Gain:
    """How much more often, for each match, some edit sequences use each feature than others do."""
    left = Counter[str]()
    for edits in more:
        left.update(_features(edits))
    for edits in less:
        left.subtract(_features(edits))
    return tuple(sorted((name, number / matches) for name, number in left.items() if number))


def _features(edits: Edits) -> Counter[str]:
    """How often an edit sequence uses each feature of states and transitions."""
    found = Counter(name for edit in edits for name in (edit, *shared(edit)))
    found.update(transition(*two) for two in pairwise(map(base_state, edits)))
    return found


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
