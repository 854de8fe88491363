"""The training option ``match_gain``: to match a word must gain over deleting and inserting it.

Where something else explains most of the scores, such as what is learned over an encoder, little is left to the edits,
and what they weigh is hardly more than what they come to together. Deleting and inserting the same word may then
outweigh matching it, and the best edits explain nothing. A penalty in the objective (`pfsm_training.loss.match_gain`)
rules that out. It speaks of weights alone, not of sentences: the weights of the words' states and of all transitions
around them, by word class, whatever edits stand before and after, and for words in a row.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise, product
from typing import Any

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
from pfsm_training.loss.match_gain import Gain, MatchGainLoss, gain_of
from pfsm_training.loss.objective import Minimised
from pfsm_training.loss.with_pairs import WithPairs

# How much the mean over the gains weighs, in terms of the mean over what people said.
STRENGTH = 30.0
WORD, PUNCT = "word", "punct"
MARKS = ("punctuation",)
WORDS = tuple(name for name in CLASSES if name not in MARKS)


@dataclass(frozen=True, eq=False)
class MatchGain:
    """A `pfsm_training.fit.fitting.Constraint` on the weights of edits.

    Attributes:
        gains: What matches gain, as sums of weights.
        least: ``match_gain``.
    """

    gains: Sequence[Gain]
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
    matches = [matcher_state(one) for one in (WORD, PUNCT) if one in settings.matchers]
    around = (DELETE, INSERT, *matches)
    found = {gain: None for ways in _ways(settings) for gain in _gains(*ways, around)}
    return MatchGain(tuple(dict(gain) for gain in found), config.match_gain)


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


def _gains(
    matched: str, deleted: str, inserted: str, around: Sequence[str]
) -> Iterator[tuple[tuple[str, float], ...]]:
    """What matches gain over deleting and inserting: one or two between any edits, and one more at the end of a row.

    Every order of so many Deletes and Inserts is made up of these: of one or two matches' worth to begin with, then of
    a Delete and an Insert more, in turn with those before or in their rows.
    """
    sides: list[tuple[str, ...]] = [(), *((one,) for one in around)]
    apart = ((deleted, inserted), (inserted, deleted))
    instead = [*apart, *((*one, *other) for one, other in (apart, apart[::-1]))]
    for before, after in product(sides, sides):
        for edits in instead:
            kept = (matched,) * (len(edits) // 2)
            yield _difference([(*before, *kept, *after)], [(*before, *edits, *after)], len(kept))
    matches = [one for one in around if one not in (DELETE, INSERT)]
    shorter, longer = ([one * times for one in ((deleted,), (inserted,))] for times in (1, 2))
    for match, after in product(matches, sides):
        yield _difference([(match, matched, *after), *shorter], [(match, *after), *longer])


def _features(edits: Sequence[str]) -> Counter[str]:
    """How often an edit sequence uses each feature of states and transitions."""
    found = Counter(name for edit in edits for name in (edit, *shared(edit)))
    found.update(transition(*two) for two in pairwise(map(base_state, edits)))
    return found


def _difference(
    more: Iterable[Sequence[str]], less: Iterable[Sequence[str]], matches: int = 1
) -> tuple[tuple[str, float], ...]:
    """How much more often, for each match, some edit sequences use each feature than others do."""
    left = Counter[str]()
    for edits in more:
        left.update(_features(edits))
    for edits in less:
        left.subtract(_features(edits))
    return tuple(sorted((name, number / matches) for name, number in left.items() if number))


def match_gain_record(constraint: MatchGain | None, fitted: Fitted) -> dict[str, Any]:
    """For the record of a training: what was asked, and what the match that gains least gains."""
    if constraint is None:
        return {}
    weights = fitted.machine.weights()
    lowest = min(gain_of(gain, weights) for gain in constraint.gains)
    return {"match_gain": {"asked": constraint.least, "gains": len(constraint.gains), "lowest": lowest}}
