"""What a match of a word gains over deleting and inserting it, as sums of weights of states and transitions.

Only the edits nearby differ. What they are depends on what stands around the word: nothing, a match, or words that are
deleted and inserted anyway. Beside these, the word's own Delete and Insert may stand in its place, or all Deletes may
come in a row and all Inserts, which is what most unmatched stretches look like.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise, product

import numpy as np

from pfsm.lattice.names import DELETE, INSERT, base_state, inserted_repeat, of_class, shared, transition
from pfsm.matchers.registry import matcher_state
from pfsm.model.settings import Settings
from pfsm.text.classes import CLASSES
from pfsm_training.loss.match_gain import Gains

WORD, PUNCT = "word", "punct"
MARKS = ("punctuation",)
WORDS = tuple(name for name in CLASSES if name not in MARKS)

Edits = tuple[str, ...]
# By feature, how much more often a match uses it.
Gain = tuple[tuple[str, float], ...]
# Words beside a match that are deleted and inserted.
UNMATCHED: tuple[Edits, ...] = ((DELETE,), (INSERT,), (DELETE, INSERT), (INSERT, DELETE))


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
