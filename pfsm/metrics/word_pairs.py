"""Pairs of lines as words, for metrics that compare words alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from pfsm.text.stemming import NO_STEMMER
from pfsm.text.vocabulary import Vocabulary

Float = NDArray[np.float64]
Sides = tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]

# Types after which a vocabulary starts afresh.
LARGEST_VOCABULARY = 1_000_000


@dataclass(frozen=True, eq=False)
class WordPairs:
    """Pairs of sequences of words, as ids.

    Attributes:
        sides: Ids of all references and where each begins, int32 [n_words] and int64 [n_pairs + 1]; the same of the
            hypotheses.
        r: float64 [n_pairs], numbers of words of the references.
        h: Of the hypotheses.
        labels: The word of each id.
    """

    sides: Sides
    r: Float
    h: Float
    labels: Sequence[str]

    @property
    def distinct(self) -> "WordPairs":
        """The same with every word of a line once."""
        references, firsts, hypotheses, others = self.sides
        one, other = _distinct(references, firsts), _distinct(hypotheses, others)
        sizes = [np.diff(offsets).astype(np.float64) for _, offsets in (one, other)]
        return WordPairs((*one, *other), sizes[0], sizes[1], self.labels)


def _distinct(
    ids: NDArray[np.int32], offsets: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """The distinct ids of lines, and where each line begins."""
    size = np.int64(ids.max(initial=0)) + 1
    line = np.repeat(np.arange(offsets.size - 1), np.diff(offsets))
    lines, words = np.divmod(np.unique(line * size + ids), size)
    counts = np.bincount(lines, minlength=offsets.size - 1)
    return words.astype(np.int32), np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def quotient(over: Float, under: Float) -> Float:
    """``over / under``, 0 where there is nothing to divide by."""
    return np.divide(over, under, out=np.zeros(over.shape), where=under > 0)


class PairEncoder:
    """Turns lines into word ids; remembers what it has met."""

    def __init__(self, tokeniser: str, lowercase: bool) -> None:
        self._tokeniser = tokeniser
        self._lowercase = lowercase
        self._lock = Lock()
        self._vocabulary = self._new()

    def _new(self) -> Vocabulary:
        return Vocabulary(self._tokeniser, NO_STEMMER, self._lowercase)

    def encode(self, hypotheses: Sequence[str], references: Sequence[str]) -> WordPairs:
        """The pairs as word ids."""
        with self._lock:
            if len(self._vocabulary) > LARGEST_VOCABULARY:
                self._vocabulary = self._new()
            one, other = self._vocabulary.encode(references), self._vocabulary.encode(hypotheses)
            words, labels = self._vocabulary.word_ids, self._vocabulary.words
        sizes = [np.diff(side.offsets).astype(np.float64) for side in (one, other)]
        return WordPairs(
            (words[one.ids], one.offsets, words[other.ids], other.offsets), sizes[0], sizes[1], labels
        )

    def words(self, lines: Sequence[str]) -> tuple[NDArray[np.int32], NDArray[np.int64], Sequence[str]]:
        """Word ids of lines, int32 [n_words], where each line begins, int64 [n_lines + 1], and the word of each id."""
        pairs = self.encode((), lines)
        ids, offsets, *_ = pairs.sides
        return ids, offsets, pairs.labels


encoder = lru_cache(maxsize=4)(PairEncoder)
