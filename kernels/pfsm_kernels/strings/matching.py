"""Places where two token sequences agree: every (i, j) with equal keys, and every run of them as blocks.

A block of b tokens from (i, j) agrees when ``left[i + k] == right[j + k] >= 0`` for k = 0..b-1.
The places of each key on the right are chained, so the cost per pair is O(m + n + blocks), and O(keys) once.

How many rows there will be is not known beforehand. A kernel writes as many as there is room for; when a pair has more,
it says so, and resumes at that pair when it is given larger arrays (`filled`). If the kernel took larger arrays
itself, Numba would count references to them at every row, which takes longer than to find the row.
"""

from collections.abc import Callable
from functools import partial
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


@njit(inner=True, borrows=True)
def widest(offsets):
    """The largest number of entries of one sequence."""
    largest = np.int64(0)
    for at in range(offsets.size - 1):
        largest = max(largest, offsets[at + 1] - offsets[at])
    return largest


@njit(nogil=True)
def _fill(left, left_offsets, right, right_offsets, max_block, n_keys, first_pair, count, rows):
    # Chains of the right side's places: head[key] is the first, following[j] the next one.
    head, following = np.full(n_keys, -1, np.int32), np.empty(widest(right_offsets), np.int32)
    for pair in range(first_pair, left_offsets.size - 1):
        before = count
        left_first, m = left_offsets[pair], left_offsets[pair + 1] - left_offsets[pair]
        right_first, n = right_offsets[pair], right_offsets[pair + 1] - right_offsets[pair]
        for j in range(n - 1, -1, -1):
            key = right[right_first + j]
            if key >= 0:
                following[j] = head[key]
                head[key] = j
        for i in range(m):
            key = left[left_first + i]
            if key < 0 or key >= n_keys:
                continue
            j = int(head[key])
            while j >= 0:
                size = 1
                while True:
                    if count < rows.shape[0]:
                        rows[count, 0] = pair
                        rows[count, 1] = i
                        rows[count, 2] = size
                        rows[count, 3] = j
                        rows[count, 4] = size
                    count += 1
                    if size == max_block or i + size == m or j + size == n:
                        break
                    key = left[left_first + i + size]
                    if key < 0 or key != right[right_first + j + size]:
                        break
                    size += 1
                j = int(following[j])
        if count > rows.shape[0]:
            return pair, before, count
        for j in range(n):
            if right[right_first + j] >= 0:
                head[right[right_first + j]] = -1
    return left_offsets.size - 1, count, count


def agreeing_blocks(
    left: NDArray[np.int32],
    left_offsets: NDArray[np.int64],
    right: NDArray[np.int32],
    right_offsets: NDArray[np.int64],
    max_block: int,
) -> NDArray[np.int32]:
    """Blocks of 1 to ``max_block`` tokens that agree in every pair of sequences.

    Args:
        left: int32 [left tokens of all pairs], keys; a negative key agrees with nothing.
        left_offsets: int64 [n_pairs + 1], where each pair begins in ``left``.
        right: int32 [right tokens of all pairs].
        right_offsets: int64 [n_pairs + 1].
        max_block: Largest block, at least 1.

    Returns:
        int32 [n_blocks, 5], rows (pair, i, size, j, size) sorted by (pair, i, j, size).
    """
    n_keys = int(right.max(initial=-1)) + 1
    fill = partial(_fill, left, left_offsets, right, right_offsets, max_block, n_keys)
    (rows,) = filled(fill, left_offsets.size - 1, np.empty((max(left.size, 16), 5), np.int32))
    return rows
