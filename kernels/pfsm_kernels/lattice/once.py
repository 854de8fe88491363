"""Blocks that were found more than once, each with a number, become one with the largest."""

import numpy as np
from numpy.typing import NDArray

from pfsm_kernels.cache import njit
from pfsm_kernels.lattice.arcs import compare

Int32 = NDArray[np.int32]
Float32 = NDArray[np.float32]


@njit(borrows=True)
def _merge_sorted(order, scratch, first, last, rows):
    """Sorts the places ``order[first:last]`` by their rows; what is equal keeps its order."""
    width = 1
    while width < last - first:
        for low in range(first, last, 2 * width):
            middle, high = min(low + width, last), min(low + 2 * width, last)
            left, right = low, middle
            for at in range(low, high):
                if right == high or (left < middle and compare(rows, order[left], order[right]) <= 0):
                    scratch[at] = order[left]
                    left += 1
                else:
                    scratch[at] = order[right]
                    right += 1
        for at in range(first, last):
            order[at] = scratch[at]
        width *= 2


@njit(nogil=True)
def _each_once(rows, values, n_pairs, found, largest):
    starts = np.zeros(n_pairs + 1, np.int64)
    for row in range(rows.shape[0]):
        starts[rows[row, 0] + 1] += 1
    for pair in range(n_pairs):
        starts[pair + 1] += starts[pair]
    order = np.empty(rows.shape[0], np.int64)
    free = starts[:-1].copy()
    for row in range(rows.shape[0]):
        order[free[rows[row, 0]]] = row
        free[rows[row, 0]] += 1
    scratch = np.empty_like(order)
    count = 0
    for pair in range(n_pairs):
        first, last = starts[pair], starts[pair + 1]
        _merge_sorted(order, scratch, first, last, rows)
        for at in range(first, last):
            row = order[at]
            if at > first and compare(rows, order[at - 1], row) == 0:
                largest[count - 1] = max(largest[count - 1], values[row])
                continue
            for field in range(rows.shape[1]):
                found[count, field] = rows[row, field]
            largest[count] = values[row]
            count += 1
    return count


def each_once(rows: Int32, values: Float32, n_pairs: int) -> tuple[Int32, Float32]:
    """Every row once, with the largest of its values, in the order of arcs (`pfsm_kernels.lattice.arcs`).

    Args:
        rows: int32 [n, 5], rows (pair, i, p, j, q).
        values: float32 [n].
        n_pairs: Number of pairs.

    Returns:
        int32 [n_distinct, 5] and float32 [n_distinct].

    Raises:
        ValueError: If there is not a value for each row, or a pair is out of bounds.
    """
    if values.shape != rows.shape[:1]:
        raise ValueError("every row needs a value")
    if rows.size and (rows[:, 0].min() < 0 or rows[:, 0].max() >= n_pairs):
        raise ValueError("a row belongs to no pair")
    found, largest = np.empty_like(rows), np.empty_like(values)
    count = _each_once(rows, values, n_pairs, found, largest)
    return found[:count], largest[:count]
