"""A lexicon's information on token types, looked up once per type and kept as arrays for kernels."""

import weakref
from collections.abc import Callable, Sequence
from itertools import chain
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from pfsm.arrays import Int32, Int64
from pfsm.matchers.protocol import EncodedPairs
from pfsm.text.vocabulary import Vocabulary

Number = TypeVar("Number", np.int32, np.int64)


class TypeLists:
    """A list of numbers for every type of a vocabulary.

    Types are only ever added to a vocabulary, so the lists of earlier types stay valid. For another vocabulary the
    lists start afresh.

    Args:
        numbers_of: Gives the numbers of a token type in its own case.
    """

    def __init__(self, numbers_of: Callable[[str], Sequence[int]]) -> None:
        self._numbers_of = numbers_of
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
            self._extend(list(map(self._numbers_of, new)))
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

    def _extend(self, lists: Sequence[Sequence[int]]) -> None:
        size, start = self._size + len(lists), int(self._offsets[self._size])
        ends = start + np.cumsum(list(map(len, lists)))
        self._offsets = _with_room(self._offsets, size + 1)
        self._numbers = _with_room(self._numbers, int(ends[-1]))
        self._offsets[self._size + 1 : size + 1] = ends
        self._numbers[start : ends[-1]] = list(chain.from_iterable(lists))
        self._size = size


def _with_room(array: NDArray[Number], size: int) -> NDArray[Number]:
    """The array, or a copy with twice the needed length if it has too few."""
    if size <= len(array):
        return array
    grown = np.zeros(2 * size, dtype=array.dtype)
    grown[: len(array)] = array
    return grown
