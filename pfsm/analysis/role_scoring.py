"""Evaluation of semantic roles: labelled spans of words, as in the CoNLL-2005 shared task, and calibration.

An argument is right if its predicate, its role and all its words are those of the gold standard (Carreras and Màrquez
2005, "Introduction to the CoNLL-2005 shared task", section 2). Words count as the same if they cover the same
characters.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from pfsm.analysis.roles import NOUN, VERB, Argument
from pfsm.analysis.scoring import N_BINS, Agreement, Calibration, aligned_words
from pfsm.analysis.sentence import Analysis

# Predicate, role, words.
Key = tuple[int, str, tuple[int, ...]]
# What the Penn tags of a kind of word begin with, but not those of proper nouns.
_PENN, _PROPER = {VERB: "VB", NOUN: "NN"}, "NNP"


@dataclass(frozen=True)
class RoleScores:
    """Agreement on predicates and arguments.

    Attributes:
        predicates: Predicates.
        arguments: Arguments of all roles.
        by_role: Arguments by role.
        calibration: Calibration of possible arguments; None if the system gives no probabilities.
    """

    predicates: Agreement
    arguments: Agreement
    by_role: dict[str, Agreement] = field(repr=False)
    calibration: Calibration | None = None


def score_roles(pairs: Iterable[tuple[Analysis, Analysis]], *, of: str | None = VERB) -> RoleScores:
    """Agreement over lines, each given as (system, gold standard).

    Args:
        pairs: Lines with roles.
        of: `VERB` or `NOUN`: only words with this gold tag count as predicates, on both sides, and words of the system
            that are none of the gold standard's if their own tag is this. Where there are no tags, all words count;
            with None, too.
    """
    predicates = Agreement()
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    probabilities: list[float] = []
    rights: list[bool] = []
    for system, gold in pairs:
        left_out = _left_out(gold, of)
        partner = aligned_words(system.tokens, gold.tokens)
        theirs = {frame.predicate: frame.arguments for frame in gold.frames or ()}
        theirs = {word: arguments for word, arguments in theirs.items() if word not in left_out}
        ours = {frame.predicate: frame for frame in system.frames or () if frame.is_likely}
        # A word that has no partner is none of theirs: its number is below 0, and of each word another.
        own = [place if place >= 0 else -1 - word for word, place in enumerate(partner)]
        left_out |= {own[word] for word in _left_out(system, of) if own[word] < 0}
        kept = {own[word]: frame for word, frame in ours.items() if own[word] not in left_out}
        predicates += Agreement(len(kept.keys() & theirs.keys()), len(kept), len(theirs))
        right = Counter(key for word, several in theirs.items() for key in _keys(word, several, None))
        found = Counter(key for word, frame in kept.items() for key in _keys(word, frame.arguments, own))
        for column, keys in enumerate((found & right, found, right)):
            for (_, label, _), number in keys.items():
                counts[label][column] += number
        for word, frame in kept.items():
            for argument, key in zip(frame.alternatives, _keys(word, frame.alternatives, own), strict=True):
                probabilities.append(argument.probability)
                rights.append(key in right)
    by_role = {label: Agreement(*numbers) for label, numbers in counts.items()}
    by_role = dict(sorted(by_role.items(), key=lambda one: (-one[1].gold, one[0])))
    return RoleScores(
        predicates, sum(by_role.values(), Agreement()), by_role, _calibration(probabilities, rights)
    )


def _left_out(line: Analysis, of: str | None) -> set[int]:
    """Words that have another tag than this, where there are tags."""
    if of is None:
        return set()
    if line.upos:
        return {word for word, tag in enumerate(line.upos) if tag != of}
    return {
        word for word, tag in enumerate(line.xpos) if not tag.startswith(_PENN[of]) or tag.startswith(_PROPER)
    }


def _keys(word: int, arguments: Sequence[Argument], own: Sequence[int] | None) -> list[Key]:
    return [
        (word, one.label, tuple(one.words if own is None else [own[place] for place in one.words]))
        for one in arguments
    ]


def _calibration(probabilities: Sequence[float], rights: Sequence[bool]) -> Calibration | None:
    if not probabilities:
        return None
    values, hits = np.array(probabilities), np.array(rights, dtype=np.float64)
    bins = np.minimum((values * N_BINS).astype(np.int64), N_BINS - 1)
    arcs = np.bincount(bins, minlength=N_BINS)
    with np.errstate(invalid="ignore"):
        return Calibration(
            arcs,
            np.bincount(bins, values, minlength=N_BINS) / arcs,
            np.bincount(bins, hits, minlength=N_BINS) / arcs,
        )
