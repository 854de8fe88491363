"""Statistics of resamples: sums, and rank correlations from ranks that are sorted once.

A resample says how many times each unit (a row, a segment) stands in it.

**Sums.** sum_rk = sum over u of t_ru x_uk, t_ru being how many times unit u stands in resample r, x_uk what it adds to
sum k. Units are added in their order, so a sum depends neither on the number of threads nor on the resamples beside it,
as a matrix product may in its last digit. Cost O(m n k).

**Ranks.** A row has two dense ranks (0 for the smallest value, equal for equal values).

Kendall's tau-b. Rows are visited in the order of the left rank, a Fenwick tree over the right rank holds the weight of
the groups visited before (a group: rows of one left rank); row r stands w_r times in the resample:

    S   = sum_r w_r (weight before with a smaller right rank - weight before with a larger one)
    tau = S / sqrt((pairs - pairs tied left) (pairs - pairs tied right))

Cost O(n log n). Spearman's rho: the product-moment correlation of mid-ranks; if c_v rows of a resample have dense rank
v, their common mid-rank, centred and doubled, is the integer

    2 (sum of c_u over u < v) + c_v - n

Cost O(n). A correlation is NaN where one side of the resample is constant.
"""

import numpy as np
from numpy.typing import NDArray

from pfsm_kernels.cache import copy, njit

_Integers = NDArray[np.int64]
_Floats = NDArray[np.float64]


@njit(nogil=True)
def _resampled_sums(times: _Integers, table: _Floats, result: _Floats) -> None:
    sums = np.empty(table.shape[1])
    for resample in range(times.shape[0]):
        sums[:] = 0.0
        for unit in range(times.shape[1]):
            weight = np.float64(times[resample, unit])
            for column in range(table.shape[1]):
                sums[column] += weight * table[unit, column]
        copy(sums, result[resample])


def drawn_times(rows: _Integers, n_units: int) -> _Integers:
    """How many times each unit stands in every resample.

    Args:
        rows: int64 [m, size], numbers of units, with repetition.
        n_units: How many units there are.

    Returns:
        int64 [m, n_units].
    """
    places = rows + n_units * np.arange(len(rows))[:, np.newaxis]
    return np.bincount(places.ravel(), minlength=len(rows) * n_units).reshape(len(rows), n_units)


def resampled_sums(times: _Integers, table: _Floats) -> _Floats:
    """The sums of a table's columns in every resample.

    Args:
        times: int64 [m, n], how many times each unit stands in the resample, from 0.
        table: float64 [n, k].

    Returns:
        float64 [m, k].
    """
    result = np.zeros((len(times), table.shape[1]))
    _resampled_sums(times, np.ascontiguousarray(table), result)
    return result


@njit(inner=True, nogil=True)
def _concordance(
    left: _Integers, right: _Integers, counts: _Integers, tree: _Integers, at: _Integers
) -> tuple[int, int]:
    """Concordant minus discordant pairs, rows standing `counts` times each, and pairs tied on the left.

    Rows stand in the order of their left rank, so that all but the tree is read in order.
    """
    tree[:] = 0
    at[:] = 0
    balance, tied, seen, start = 0, 0, 0, 0
    while start < left.size:
        stop, group = start, 0
        while stop < left.size and left[stop] == left[start]:
            weight = counts[stop]
            if weight > 0:
                below, node = 0, right[stop]
                while node > 0:
                    below += tree[node]
                    node &= node - 1
                balance += weight * (2 * below + at[right[stop]] - seen)
                group += weight
            stop += 1
        for row in range(start, stop):
            weight = counts[row]
            if weight > 0:
                at[right[row]] += weight
                node = right[row] + 1
                while node < tree.size:
                    tree[node] += weight
                    node += node & -node
        tied += group * (group - 1) // 2
        seen += group
        start = stop
    return balance, tied


@njit(inner=True, nogil=True)
def _tau(left: _Integers, right: _Integers, counts: _Integers, tree: _Integers, at: _Integers) -> float:
    """Kendall's tau-b of rows that stand `counts` times each."""
    size = counts.sum()
    pairs = size * (size - 1) // 2
    balance, left_tied = _concordance(left, right, counts, tree, at)
    right_tied = 0
    for rank in range(at.size):
        right_tied += at[rank] * (at[rank] - 1) // 2
    untied = np.float64(pairs - left_tied) * np.float64(pairs - right_tied)
    return balance / np.sqrt(untied) if untied > 0.0 else np.nan


@njit(nogil=True)
def _repeated_kendall(
    place: _Integers, left: _Integers, right: _Integers, times: _Integers, result: _Floats
) -> None:
    counts = np.zeros(left.size, dtype=np.int64)
    at = np.zeros(right.max() + 1, dtype=np.int64)
    tree = np.zeros(at.size + 1, dtype=np.int64)
    for resample in range(times.shape[0]):
        for row in range(left.size):
            counts[place[row]] = times[resample, row]
        result[resample] = _tau(left, right, counts, tree, at)


@njit(inner=True, nogil=True)
def _centre_ranks(counts: _Integers, size: int, ranks: _Floats) -> float:
    """Write the doubled, centred mid-rank of every dense rank; return their sum of squares over the rows."""
    below, squares = 0, 0.0
    for rank in range(counts.size):
        ranks[rank] = 2 * below + counts[rank] - size
        below += counts[rank]
        squares += counts[rank] * ranks[rank] * ranks[rank]
    return squares


@njit(nogil=True)
def _repeated_spearman(left: _Integers, right: _Integers, times: _Integers, result: _Floats) -> None:
    left_counts = np.zeros(left.max() + 1, dtype=np.int64)
    right_counts = np.zeros(right.max() + 1, dtype=np.int64)
    left_ranks = np.zeros(left_counts.size)
    right_ranks = np.zeros(right_counts.size)
    for resample in range(times.shape[0]):
        left_counts[:] = 0
        right_counts[:] = 0
        for row in range(left.size):
            left_counts[left[row]] += times[resample, row]
            right_counts[right[row]] += times[resample, row]
        size = left_counts.sum()
        squares = _centre_ranks(left_counts, size, left_ranks)
        squares *= _centre_ranks(right_counts, size, right_ranks)
        products = 0.0
        for row in range(left.size):
            products += times[resample, row] * left_ranks[left[row]] * right_ranks[right[row]]
        result[resample] = products / np.sqrt(squares) if squares > 0.0 else np.nan


def _in_order(left: _Integers, right: _Integers) -> tuple[_Integers, _Integers, _Integers]:
    """Every row's place in the order of the left rank, and both ranks in that order."""
    order = np.argsort(left, kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(order.size)
    return place, left[order], right[order]


def repeated_kendall_tau_b(left: _Integers, right: _Integers, times: _Integers) -> _Floats:
    """Kendall's tau-b of every resample; of times that are all 1, that of the sample itself.

    Args:
        left: int64 [n], dense ranks.
        right: int64 [n], dense ranks.
        times: int64 [n_resamples, n], how many times each row stands in the resample, from 0.

    Returns:
        float64 [n_resamples]; NaN where a side of the resample is constant.
    """
    result = np.empty(times.shape[0])
    _repeated_kendall(*_in_order(left, right), times, result)
    return result


def repeated_spearman(left: _Integers, right: _Integers, times: _Integers) -> _Floats:
    """Spearman's rho, with mid-ranks within the resample; arguments as `repeated_kendall_tau_b`."""
    result = np.empty(times.shape[0])
    _repeated_spearman(left, right, times, result)
    return result
