"""Blocks that were found more than once, each with a number, become one with the largest."""

import numpy as np
from numpy.typing import NDArray

from pfsm_kernels.cache import njit
from pfsm_kernels.lattice.arcs import joined

Int32 = NDArray[np.int32]
Float32 = NDArray[np.float32]


@njit(borrows=True)
def _is_after(keys, one, other):
    return keys[one, 0] > keys[other, 0] or (keys[one, 0] == keys[other, 0] and keys[one, 1] > keys[other, 1])


@njit(borrows=True)
def _merge_sorted(order, scratch, first, last, keys):
    """Sorts the places ``order[first:last]`` by their keys; what is equal keeps its order."""
    width = 1
    while width < last - first:
        for low in range(first, last, 2 * width):
            middle, high = min(low + width, last), min(low + 2 * width, last)
            left, right = low, middle
            for at in range(low, high):
                if right == high or (left < middle and not _is_after(keys, order[left], order[right])):
                    scratch[at] = order[left]
                    left += 1
                else:
                    scratch[at] = order[right]
                    right += 1
        for at in range(first, last):
            order[at] = scratch[at]
        width *= 2


@njit(borrows=True)
def _put_in_order(rows, field, order, starts, result):
    """The places of ``order`` by a field of their rows; what is equal keeps its order. ``starts`` is overwritten."""
    starts[:] = 0
    for row in order:
        starts[rows[row, field] + 1] += 1
    for value in range(starts.size - 1):
        starts[value + 1] += starts[value]
    for row in order:
        result[starts[rows[row, field]]] = row
        starts[rows[row, field]] += 1


@njit(borrows=True)
def _fill_keys(rows, keys):
    """Numbers that stand in the order of the rows of one pair and one place of the reference."""
    for row in range(rows.shape[0]):
        keys[row, 0], keys[row, 1] = joined(rows[row, 3], rows[row, 2]), rows[row, 4]


@njit(nogil=True)
def _each_once(rows, values, n_pairs, n_places, found, largest):
    keys = np.empty((rows.shape[0], 2), np.int64)
    _fill_keys(rows, keys)
    order, scratch = np.arange(rows.shape[0]), np.empty(rows.shape[0], np.int64)
    starts = np.empty(max(n_pairs, n_places) + 1, np.int64)
    _put_in_order(rows, np.int64(1), order, starts[: n_places + 1], scratch)
    _put_in_order(rows, np.int64(0), scratch, starts[: n_pairs + 1], order)
    count = first = np.int64(0)
    while first < order.size:
        pair, place = rows[order[first], 0], rows[order[first], 1]
        last = first + 1
        while last < order.size and rows[order[last], 0] == pair and rows[order[last], 1] == place:
            last += 1
        _merge_sorted(order, scratch, first, last, keys)
        for at in range(first, last):
            row = order[at]
            if at > first and not _is_after(keys, row, order[at - 1]):
                largest[count - 1] = max(largest[count - 1], values[row])
                continue
            for field in range(rows.shape[1]):
                found[count, field] = rows[row, field]
            largest[count] = values[row]
            count += 1
        first = last
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
        ValueError: If there is not a value for each row, a pair is out of bounds, or a place is negative.
    """
    if values.shape != rows.shape[:1]:
        raise ValueError("every row needs a value")
    if rows.size and (rows[:, 0].min() < 0 or rows[:, 0].max() >= n_pairs):
        raise ValueError("a row belongs to no pair")
    if rows.size and rows[:, 1].min() < 0:
        raise ValueError("a row begins before its line")
    n_places = int(rows[:, 1].max(initial=-1)) + 1
    found, largest = np.empty_like(rows), np.empty_like(values)
    count = _each_once(rows, values, n_pairs, n_places, found, largest)
    return found[:count], largest[:count]
