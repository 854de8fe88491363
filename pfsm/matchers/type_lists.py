"""A lexicon's information on token types, looked up once per type and kept as arrays for kernels."""

import weakref
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from pfsm.embeddings.vectors import Vectors
from pfsm.matchers.protocol import EncodedPairs
from pfsm.text.vocabulary import Vocabulary

Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]
Int16 = NDArray[np.int16]
Numbers = TypeVar("Numbers", Int16, Int32, Int64)


class TypeLists:
    """A list of numbers for every type of a vocabulary.

    Types are only ever added to a vocabulary, so the lists of earlier types stay valid. For another vocabulary the
    lists start afresh.

    Args:
        numbers_of: Gives the numbers of a token type in its own case.
        of_many: Gives those of many types at once, where that is quicker: how many each has, int64 [n], and all of
            them, int32.
    """

    def __init__(
        self,
        numbers_of: Callable[[str], Sequence[int]] = lambda _: (),
        of_many: Callable[[Sequence[str]], tuple[Int64, Int32]] | None = None,
    ) -> None:
        self._of_many = partial(_one_by_one, numbers_of) if of_many is None else of_many
        self._vocabulary: weakref.ref[Vocabulary] | None = None
        self._offsets: Int64 = np.zeros(1, dtype=np.int64)
        self._numbers: Int32 = np.zeros(0, dtype=np.int32)
        self._size = 0

    def of(self, vocabulary: Vocabulary) -> tuple[Int64, Int32]:
        """The lists of all types: the start of each list, int64 [n_types + 1], and the numbers, int32."""
        if self._vocabulary is None or self._vocabulary() is not vocabulary:
            self._vocabulary = weakref.ref(vocabulary)
            self._size = 0
        new = vocabulary.types[self._size :]
        if new:
            self._extend(*self._of_many(new))
        return self._offsets[: self._size + 1], self._numbers[: self._offsets[self._size]]

    def sharing(self, pairs: EncodedPairs, count: int) -> Int32:
        """Pairs of tokens whose lists have a number in common, int32 [n_rows, 5], rows (pair, i, 1, j, 1).

        Args:
            pairs: The sentence pairs.
            count: Upper limit of the numbers, exclusive.
        """
        from pfsm_kernels.strings.sharing import tokens_sharing_keys  # noqa: PLC0415 - brings numba

        ours, theirs = pairs.references, pairs.hypotheses
        offsets, numbers = self.of(pairs.vocabulary)
        return tokens_sharing_keys(
            ours.ids, ours.offsets, theirs.ids, theirs.offsets, offsets, numbers, count
        )

    def _extend(self, sizes: Int64, numbers: Int32) -> None:
        size, start = self._size + sizes.size, int(self._offsets[self._size])
        ends = start + np.cumsum(sizes)
        self._offsets = _with_room(self._offsets, size + 1)
        self._numbers = _with_room(self._numbers, int(ends[-1]))
        self._offsets[self._size + 1 : size + 1] = ends
        self._numbers[start : ends[-1]] = numbers
        self._size = size


def _one_by_one(numbers_of: Callable[[str], Sequence[int]], tokens: Sequence[str]) -> tuple[Int64, Int32]:
    lists = list(map(numbers_of, tokens))
    sizes = np.array([len(numbers) for numbers in lists], dtype=np.int64)
    return sizes, np.array([number for numbers in lists for number in numbers], dtype=np.int32)


class TypeVectors:
    """The vector of every type of a vocabulary, looked up once; types without one share a row of zeros.

    Args:
        vectors: A source whose vectors depend on single words.
    """

    def __init__(self, vectors: Vectors) -> None:
        self._vectors = vectors
        self._vocabulary: weakref.ref[Vocabulary] | None = None
        self._rows: Int16 = np.zeros((1, 0), dtype=np.int16)
        self._places: Int32 = np.zeros(0, dtype=np.int32)
        self._n_rows = self._size = 0

    def of(self, vocabulary: Vocabulary) -> tuple[Int32, Int16]:
        """The row of each type, int32 [n_types], and the rows, int16 [n_rows, dimension]."""
        if self._vocabulary is None or self._vocabulary() is not vocabulary:
            self._vocabulary = weakref.ref(vocabulary)
            self._rows = self._rows[:1]
            self._n_rows, self._size = 1, 0
        new = vocabulary.types[self._size :]
        if new:
            (found,) = self._vectors.of_tokens([new])
            self._extend(found)
        return self._places[: self._size], self._rows[: self._n_rows]

    def _extend(self, found: Int16) -> None:
        if not self._rows.shape[1]:
            self._rows = np.zeros((1, found.shape[1]), dtype=np.int16)
        known = found.any(axis=1)
        size, n_rows = self._size + len(found), self._n_rows + int(known.sum())
        self._places, self._rows = _with_room(self._places, size), _with_room(self._rows, n_rows)
        self._places[self._size : size] = np.where(known, self._n_rows - 1 + np.cumsum(known), 0)
        self._rows[self._n_rows : n_rows] = found[known]
        self._n_rows, self._size = n_rows, size


def _with_room(array: Numbers, size: int) -> Numbers:
    """The array, or a copy with twice the needed number of rows if it has too few."""
    if size <= len(array):
        return array
    grown = np.zeros((2 * size, *array.shape[1:]), dtype=array.dtype)
    grown[: len(array)] = array
    return grown
