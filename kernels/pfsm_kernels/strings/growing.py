"""Rows whose number is not known beforehand.

A kernel writes as many rows as there is room for. When a pair has more, it says so, and goes on from that pair once it
has been given larger arrays. If the kernel took larger arrays itself, Numba would count references to them at every
row, which takes longer than to find the row.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm_kernels.cache import njit

Arrays = tuple[NDArray[Any], ...]
Fill = Callable[..., tuple[int, int, int]]
"""Of a pair, the number of rows before it, and the arrays: the pair to go on from, the rows before it, and the least
room that it needs."""


def filled(fill: Fill, n_pairs: int, *arrays: NDArray[Any]) -> Arrays:
    """The arrays with the rows of all pairs.

    Args:
        fill: The kernel.
        n_pairs: Number of pairs.
        arrays: Room to begin with, the same number of rows in each.
    """
    pair = count = 0
    while pair < n_pairs:
        pair, count, needed = fill(pair, count, *arrays)
        if needed > len(arrays[0]):
            arrays = tuple(_enlarged(array, count, needed) for array in arrays)
    return tuple(array[:count] for array in arrays)


def _enlarged(array: NDArray[Any], count: int, least: int) -> NDArray[Any]:
    """The first rows in an array of at least ``least``, and of at least twice as many as there were."""
    more = np.empty((max(2 * len(array), least), *array.shape[1:]), array.dtype)
    more[:count] = array[:count]
    return more


@njit(borrows=True)
def widest(offsets):
    """The largest number of entries of one sequence."""
    largest = np.int64(0)
    for at in range(offsets.size - 1):
        largest = max(largest, offsets[at + 1] - offsets[at])
    return largest
