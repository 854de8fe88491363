"""Finds phrases in corresponding places of two versions of a segment, by the posteriors of a metric.

A token is aligned if an arc on it has a posterior of at least a threshold. The threshold is above one half, so at most
one arc has. Tokens between two neighbouring aligned places, which include the ends of the sentences, are not aligned.
If there are one or two of them on each side, the two stretches are a pair of phrases in corresponding places.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pfsm.lattice.arrays import LatticeBatch
from pfsm.matchers.protocol import EncodedPairs
from pfsm.matchers.type_lists import TypeLists
from pfsm.model.builder import LatticeBuilder
from pfsm.model.file import Model

LONGEST = 2
# A phrase is one number: BASE times the id of its first word, plus the id of its second plus one (0: none).
BASE = 2**31
Int64 = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Correspondences:
    """The phrases found in a batch of pairs.

    Attributes:
        pairs: int64 [n, 3], rows (pair, phrase of the one side, phrase of the other).
        aligned: int64 [k, 2], rows (pair, phrase): the aligned phrases of either side. A phrase of one or two words is
            aligned if each of its words is, by an arc of its own, and nothing lies in between on the other side.
    """

    pairs: Int64
    aligned: Int64


class CorrespondenceFinder:
    """Finds phrases in corresponding places with one metric.

    Args:
        model: The metric.
        posterior: Smallest posterior of an aligned place, above one half.
        threads: Threads for the dynamic programs.
    """

    def __init__(self, model: Model, posterior: float, threads: int) -> None:
        self._model = model
        self._posterior = posterior
        self._threads = threads
        self._builder = LatticeBuilder(model.settings)
        self._id_of_word: dict[str, int] = {}
        self._words = TypeLists(self._word)

    def _word(self, token: str) -> tuple[int]:
        """Number of the lower-cased word; -1 for punctuation."""
        if not any(map(str.isalnum, token)):
            return (-1,)
        return (self._id_of_word.setdefault(token.lower(), len(self._id_of_word)),)

    def phrases(self, numbers: Sequence[int]) -> list[tuple[str, ...]]:
        """The words of each phrase."""
        words = list(self._id_of_word)
        split = [divmod(number, BASE) for number in numbers]
        return [
            (words[first],) if second == 0 else (words[first], words[second - 1]) for first, second in split
        ]

    def find(self, ones: Sequence[str], others: Sequence[str]) -> Correspondences:
        """Phrases in corresponding places of the lines of two texts.

        Raises:
            PfsmError: As `LatticeBuilder.build`.
        """
        from pfsm_kernels.inference import expectations  # noqa: PLC0415 - brings numba

        encoded = self._builder.encode(ones, others)
        batch = self._builder.lattices(encoded)
        weights = batch.weights(self._model.weights)
        posteriors = expectations(batch.lattices, weights, self._threads, batch.jumps).arcs
        anchors = _anchors(batch, posteriors >= self._posterior)
        _, words = self._words.of(encoded.vocabulary)
        return _correspondences(anchors, encoded, words.astype(np.int64))


def _anchors(batch: LatticeBatch, confident: NDArray[np.bool_]) -> Int64:
    """Sorted aligned places, int64 [n, 5], rows (pair, i, end of i, j, end of j), with the ends of both lines."""
    lattices = batch.lattices
    arcs = lattices.arcs[confident].astype(np.int64)
    pair = lattices.pair_of_arc[confident]
    lengths = np.diff(lattices.offsets[:, :2], axis=0)
    numbers = np.arange(len(lattices))
    rows = np.concatenate(
        [
            np.column_stack([pair, arcs[:, 0], arcs[:, 0] + arcs[:, 1], arcs[:, 2], arcs[:, 2] + arcs[:, 3]]),
            np.column_stack([numbers, np.full((len(lattices), 4), [-1, 0, -1, 0])]),
            np.column_stack([numbers, lengths[:, 0], lengths[:, 0] + 1, lengths[:, 1], lengths[:, 1] + 1]),
        ]
    )
    return np.asarray(rows[np.lexsort((rows[:, 1], rows[:, 0]))], dtype=np.int64)


def _correspondences(anchors: Int64, pairs: EncodedPairs, words: Int64) -> Correspondences:
    one = _Side(words[pairs.references.ids], pairs.references.offsets, anchors[:, [0, 1, 2]])
    other = _Side(words[pairs.hypotheses.ids], pairs.hypotheses.offsets, anchors[:, [0, 3, 4]])
    together = anchors[1:, 0] == anchors[:-1, 0]
    gaps = [side.first[1:] - side.last[:-1] for side in (one, other)]
    fits = together.copy()
    for side, gap in zip((one, other), gaps, strict=True):
        fits &= (gap >= 1) & (gap <= LONGEST) & ~side.is_aligned_between()
    at = np.flatnonzero(fits)
    left, right = (side.phrases(side.last[at], gap[at]) for side, gap in zip((one, other), gaps, strict=True))
    worded = (left >= 0) & (right >= 0)
    found = np.column_stack([anchors[at, 0], left, right])[worded]
    touching = together & (gaps[0] == 0) & (gaps[1] == 0)
    return Correspondences(found, np.concatenate([side.aligned(touching) for side in (one, other)]))


class _Side:
    """One side of the pairs: its words, and its aligned places in the order of the anchors.

    Attributes:
        first: int64 [n_anchors], start of each anchor, as a token index over all lines.
        last: int64 [n_anchors], its end.
    """

    def __init__(self, words: Int64, offsets: Int64, anchors: Int64) -> None:
        self._words = words
        self._pair = anchors[:, 0]
        starts = offsets[self._pair]
        self.first = starts + anchors[:, 1]
        self.last = starts + anchors[:, 2]
        lengths = np.diff(offsets)[self._pair]
        self._inside = (anchors[:, 1] >= 0) & (anchors[:, 1] < lengths)
        self._single = self._inside & (self.last == self.first + 1)
        change = np.zeros(words.size + 1, dtype=np.int64)
        np.add.at(change, self.first[self._inside], 1)
        np.add.at(change, self.last[self._inside], -1)
        covered = np.cumsum(change[:-1]) > 0
        self._covered = np.concatenate([[0], np.cumsum(covered)])

    def is_aligned_between(self) -> NDArray[np.bool_]:
        """Whether a token between an anchor and the next is aligned elsewhere, as it can be with jumps."""
        low = np.clip(self.last[:-1], 0, self._words.size)
        high = np.clip(self.first[1:], 0, self._words.size)
        return np.asarray(self._covered[np.maximum(high, low)] > self._covered[low])

    def phrases(self, starts: Int64, sizes: Int64) -> Int64:
        """Numbers of phrases of one or two words; -1 if one of the words is punctuation."""
        if not starts.size:
            return starts
        first = self._words[starts]
        second = np.where(sizes == LONGEST, self._words[np.minimum(starts + 1, self._words.size - 1)], -2)
        numbers = first * BASE + np.where(second == -2, 0, second + 1)
        return np.asarray(np.where((first < 0) | (second == -1), -1, numbers), dtype=np.int64)

    def aligned(self, touching: NDArray[np.bool_]) -> Int64:
        """Rows (pair, phrase) of all words that are aligned one by one, and of all neighbouring two of them."""
        single = np.flatnonzero(self._single)
        double = np.flatnonzero(touching & self._single[:-1] & self._single[1:])
        rows = [
            np.column_stack([self._pair[at], self.phrases(self.first[at], np.full(at.size, size))])
            for at, size in ((single, 1), (double, LONGEST))
        ]
        joined = np.concatenate(rows)
        return np.asarray(joined[joined[:, 1] >= 0], dtype=np.int64)
