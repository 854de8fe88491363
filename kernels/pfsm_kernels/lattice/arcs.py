"""Offered blocks become the arcs of lattices: merged, checked, sorted by where they end. Numbers in, numbers out.

Several matchers offer rows (pair, i, p, j, q), each in the order (pair, i, j, p, q). One pass that always takes the
least row, of equal rows that of the first matcher, gives the order of arcs; cost O(rows x matchers). Blocks that a
matcher found more than once, each with a number, become one with the largest before that (`each_once`).
"""

import numpy as np
from numpy.typing import NDArray

from pfsm_kernels.cache import njit

Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]
Float32 = NDArray[np.float32]

# What `check_arcs` finds wrong.
FINE, OUTSIDE, UNSORTED = 0, 1, 2
# Greater than two numbers of 32 bits joined.
LAST = np.int64(2**63 - 1)


@njit(borrows=True)
def joined(first, second):
    """Two numbers of 32 bits as one: the sums stand in the order of the pairs of numbers."""
    return (np.int64(first) << 32) + second


@njit(inner=True, borrows=True)
def _is_before(rows, a, b):
    """Whether a row comes before another, other than the same."""
    for field in (0, 1, 3, 2, 4):
        if rows[a, field] != rows[b, field]:
            return rows[a, field] < rows[b, field]
    return False


@njit(nogil=True)
def _is_sorted(rows):
    row = np.int64(1)
    while row < rows.shape[0] and not _is_before(rows, row, row - 1):
        row += 1
    return row >= rows.shape[0]


@njit(inner=True, borrows=True)
def _set_head(heads, matcher, rows, row, end):
    """The next row of a matcher as three numbers that stand in the order of rows; behind its last none is greater."""
    if row < end:
        heads[matcher, 0] = joined(rows[row, 0], rows[row, 1])
        heads[matcher, 1] = joined(rows[row, 3], rows[row, 2])
        heads[matcher, 2] = rows[row, 4]
    else:
        heads[matcher, :] = LAST


@njit(inner=True, borrows=True)
def _least(heads):
    """The first matcher whose next row is before no other's."""
    least = 0
    for matcher in range(1, heads.shape[0]):
        if heads[matcher, 0] > heads[least, 0]:
            continue
        if heads[matcher, 0] < heads[least, 0] or (
            heads[matcher, 1] < heads[least, 1]
            or (heads[matcher, 1] == heads[least, 1] and heads[matcher, 2] < heads[least, 2])
        ):
            least = matcher
    return least


@njit(nogil=True)
def _merge(rows, starts, exclusive, arcs, rank, per_pair, places):
    matchers = starts.size - 1
    at = starts[:-1].copy()
    heads = np.empty((matchers, 3), np.int64)
    for matcher in range(matchers):
        _set_head(heads, matcher, rows, at[matcher], starts[matcher + 1])
    last, middle, end = LAST, LAST, LAST
    count = 0
    for _ in range(rows.shape[0]):
        least = _least(heads)
        row = at[least]
        at[least] += 1
        is_same = heads[least, 0] == last and heads[least, 1] == middle and heads[least, 2] == end
        last, middle, end = heads[least, 0], heads[least, 1], heads[least, 2]
        _set_head(heads, least, rows, at[least], starts[least + 1])
        if exclusive and is_same:
            places[row] = -1
            continue
        places[row] = count
        rank[count] = least
        per_pair[rows[row, 0]] += 1
        for field in range(4):
            arcs[count, field] = rows[row, field + 1]
        count += 1
    return count


def is_sorted(rows: Int32) -> bool:
    """Whether int32 [n, 5] rows (pair, i, p, j, q) stand in the order (pair, i, j, p, q)."""
    return bool(_is_sorted(rows))


def merge(rows: Int32, starts: Int64, n_pairs: int, exclusive: bool) -> tuple[Int32, Int32, Int64, Int64]:
    """The offers of several matchers in the order of arcs.

    Args:
        rows: int32 [n_offers, 5], rows (pair, i, p, j, q), each matcher's in the order (pair, i, j, p, q).
        starts: int64 [n_matchers + 1], where the rows of each matcher begin.
        n_pairs: Number of pairs.
        exclusive: Whether equal rows become one arc, that of the first matcher.

    Returns:
        int32 [n_arcs, 5], rows (i, p, j, q, 0); int32 [n_arcs], which matcher offered each; int64 [n_pairs], arcs of
        each pair; int64 [n_offers], the arc that each offer became, -1 where a matcher before had it.

    Raises:
        ValueError: If a row names a pair that is not there, or ``starts`` does not fit.
    """
    if starts.size < 1 or starts[0] != 0 or starts[-1] != rows.shape[0] or (np.diff(starts) < 0).any():
        raise ValueError("starts must rise from 0 to the number of rows")
    if rows.shape[0] and (rows[:, 0].min() < 0 or rows[:, 0].max() >= n_pairs):
        raise ValueError("a block names a pair that is not there")
    arcs = np.zeros((rows.shape[0], 5), dtype=np.int32)
    rank, places = np.empty(rows.shape[0], dtype=np.int32), np.empty(rows.shape[0], dtype=np.int64)
    per_pair = np.zeros(n_pairs, dtype=np.int64)
    count = _merge(rows, starts, exclusive, arcs, rank, per_pair, places)
    return arcs[:count], rank[:count], per_pair, places


@njit(nogil=True)
def _check(arcs, offsets):
    for pair in range(offsets.shape[0] - 1):
        m = offsets[pair + 1, 0] - offsets[pair, 0]
        n = offsets[pair + 1, 1] - offsets[pair, 1]
        for a in range(offsets[pair, 2], offsets[pair + 1, 2]):
            # int64: the end of a block must not wrap around.
            i, p, j, q = (
                np.int64(arcs[a, 0]),
                np.int64(arcs[a, 1]),
                np.int64(arcs[a, 2]),
                np.int64(arcs[a, 3]),
            )
            if p < 1 or q < 1 or i < 0 or j < 0 or i + p > m or j + q > n:
                return OUTSIDE
            if a > offsets[pair, 2] and (i < arcs[a - 1, 0] or (i == arcs[a - 1, 0] and j < arcs[a - 1, 2])):
                return UNSORTED
    return FINE


def check_arcs(arcs: Int32, offsets: Int64) -> int:
    """What is wrong with the arcs of a batch: ``FINE``, ``OUTSIDE`` (of its pair, or empty) or ``UNSORTED``."""
    return int(_check(arcs, offsets))


@njit(nogil=True)
def _by_end(arcs, offsets, order):
    tallest, most = 0, 0
    for pair in range(offsets.shape[0] - 1):
        tallest = max(tallest, offsets[pair + 1, 0] - offsets[pair, 0])
        most = max(most, offsets[pair + 1, 2] - offsets[pair, 2])
    starts = np.empty(tallest + 2, np.int64)
    for pair in range(offsets.shape[0] - 1):
        first, m = offsets[pair, 2], offsets[pair + 1, 0] - offsets[pair, 0]
        size = offsets[pair + 1, 2] - first
        # Counted out by the row in which they end, then put in order of columns within it.
        starts[: m + 2] = 0
        for a in range(first, first + size):
            starts[arcs[a, 0] + arcs[a, 1] + 1] += 1
        for row in range(1, m + 2):
            starts[row] += starts[row - 1]
        for a in range(size):
            row = arcs[first + a, 0] + arcs[first + a, 1]
            order[first + starts[row]] = a
            starts[row] += 1
        begin = 0
        for row in range(m + 1):
            end = starts[row]
            for place in range(first + begin + 1, first + end):
                a = order[place]
                column = arcs[first + a, 2] + arcs[first + a, 3]
                before = place - 1
                while before >= first + begin and (
                    arcs[first + order[before], 2] + arcs[first + order[before], 3] > column
                ):
                    order[before + 1] = order[before]
                    before -= 1
                order[before + 1] = a
            begin = end


def order_of_ends(arcs: Int32, offsets: Int64) -> Int32:
    """Arcs of each pair, counted from 0, in order of their ends (i + p, j + q), ties in their own order: int32 [n]."""
    order = np.empty(arcs.shape[0], dtype=np.int32)
    _by_end(arcs, offsets, order)
    return order


@njit(inner=True, borrows=True)
def _is_after(keys, one, other):
    return keys[one, 0] > keys[other, 0] or (keys[one, 0] == keys[other, 0] and keys[one, 1] > keys[other, 1])


@njit(inner=True, borrows=True)
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


@njit(inner=True, borrows=True)
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


@njit(inner=True, borrows=True)
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
    """
    n_places = int(rows[:, 1].max(initial=-1)) + 1
    found, largest = np.empty_like(rows), np.empty_like(values)
    count = _each_once(rows, values, n_pairs, n_places, found, largest)
    return found[:count], largest[:count]
