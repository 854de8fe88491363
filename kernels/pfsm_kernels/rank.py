"""Rank correlations of resampled rows, from ranks that are sorted once.

A row has two dense ranks (0 for the smallest value, equal for equal values). A resample is a list of row
numbers, with repetition; row r then stands in it w_r times.

Kendall's tau-b of a resample. Rows are visited in the order of the left rank, a Fenwick tree over the
right rank holds the weight of the groups visited before (a group: rows of one left rank):

    S   = sum_r w_r (weight before with a smaller right rank - weight before with a larger one)
    tau = S / sqrt((pairs - pairs tied left) (pairs - pairs tied right))

Cost O(n log n). Spearman's rho of a resample: the product-moment correlation of mid-ranks; if c_v rows of
a resample have dense rank v, their common mid-rank, centred and doubled, is the integer

    2 (sum of c_u over u < v) + c_v - n

Cost O(n). A correlation is NaN where one side of the resample is constant.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

_Integers = NDArray[np.int64]
_Floats = NDArray[np.float64]


@njit(cache=True, nogil=True)
def _concordance(
    order: _Integers, left: _Integers, right: _Integers, counts: _Integers, tree: _Integers
) -> tuple[int, int]:
    """Concordant minus discordant pairs, rows standing `counts` times each, and pairs tied on the left."""
    tree[:] = 0
    balance, tied, seen, start = 0, 0, 0, 0
    while start < order.size:
        stop, group = start, 0
        while stop < order.size and left[order[stop]] == left[order[start]]:
            row = order[stop]
            stop += 1
            if counts[row] == 0:
                continue
            group += counts[row]
            below, not_above = 0, 0
            node = right[row]
            while node > 0:
                below += tree[node]
                node -= node & -node
            node = right[row] + 1
            while node > 0:
                not_above += tree[node]
                node -= node & -node
            balance += counts[row] * (below - (seen - not_above))
        for position in range(start, stop):
            row = order[position]
            node = right[row] + 1
            while counts[row] > 0 and node < tree.size:
                tree[node] += counts[row]
                node += node & -node
        tied += group * (group - 1) // 2
        seen += group
        start = stop
    return balance, tied


@njit(cache=True, nogil=True)
def _kendall(
    order: _Integers, left: _Integers, right: _Integers, resamples: _Integers, result: _Floats
) -> None:
    size = resamples.shape[1]
    pairs = size * (size - 1) // 2
    counts = np.zeros(left.size, dtype=np.int64)
    right_counts = np.zeros(right.max() + 1, dtype=np.int64)
    tree = np.zeros(right_counts.size + 1, dtype=np.int64)
    for resample in range(resamples.shape[0]):
        counts[:] = 0
        right_counts[:] = 0
        for position in range(size):
            row = resamples[resample, position]
            counts[row] += 1
            right_counts[right[row]] += 1
        balance, left_tied = _concordance(order, left, right, counts, tree)
        right_tied = 0
        for rank in range(right_counts.size):
            right_tied += right_counts[rank] * (right_counts[rank] - 1) // 2
        untied = np.float64(pairs - left_tied) * np.float64(pairs - right_tied)
        result[resample] = balance / np.sqrt(untied) if untied > 0.0 else np.nan


@njit(cache=True, nogil=True)
def _centre_ranks(counts: _Integers, size: int, ranks: _Floats) -> float:
    """Write the doubled, centred mid-rank of every dense rank; return their sum of squares over the rows."""
    below, squares = 0, 0.0
    for rank in range(counts.size):
        ranks[rank] = 2 * below + counts[rank] - size
        below += counts[rank]
        squares += counts[rank] * ranks[rank] * ranks[rank]
    return squares


@njit(cache=True, nogil=True)
def _spearman(left: _Integers, right: _Integers, resamples: _Integers, result: _Floats) -> None:
    size = resamples.shape[1]
    left_counts = np.zeros(left.max() + 1, dtype=np.int64)
    right_counts = np.zeros(right.max() + 1, dtype=np.int64)
    left_ranks = np.zeros(left_counts.size)
    right_ranks = np.zeros(right_counts.size)
    for resample in range(resamples.shape[0]):
        left_counts[:] = 0
        right_counts[:] = 0
        for position in range(size):
            row = resamples[resample, position]
            left_counts[left[row]] += 1
            right_counts[right[row]] += 1
        squares = _centre_ranks(left_counts, size, left_ranks)
        squares *= _centre_ranks(right_counts, size, right_ranks)
        products = 0.0
        for position in range(size):
            row = resamples[resample, position]
            products += left_ranks[left[row]] * right_ranks[right[row]]
        result[resample] = products / np.sqrt(squares) if squares > 0.0 else np.nan


def _check(left: _Integers, right: _Integers, resamples: _Integers) -> None:
    if left.ndim != 1 or left.shape != right.shape or left.size == 0:
        raise ValueError("both sides need the same number of dense ranks, at least one")
    if any(side.min() < 0 or side.max() >= side.size for side in (left, right)):
        raise ValueError("dense ranks must be from 0 up and below the number of rows")
    if resamples.ndim != 2:
        raise ValueError("resamples must be rows of row numbers")
    if resamples.size and (resamples.min() < 0 or resamples.max() >= left.size):
        raise ValueError("a resample names a row that is not there")


def resampled_kendall_tau_b(left: _Integers, right: _Integers, resamples: _Integers) -> _Floats:
    """Kendall's tau-b of every resample.

    Args:
        left: int64 [n], dense ranks.
        right: int64 [n], dense ranks.
        resamples: int64 [n_resamples, size], row numbers below n; `arange(n)` is the sample itself.

    Returns:
        float64 [n_resamples]; NaN where a side of the resample is constant.

    Raises:
        ValueError: If shapes do not fit, or a rank or row number is out of range.
    """
    _check(left, right, resamples)
    result = np.empty(resamples.shape[0])
    _kendall(np.argsort(left, kind="stable"), left, right, resamples, result)
    return result


def resampled_spearman(left: _Integers, right: _Integers, resamples: _Integers) -> _Floats:
    """Spearman's rho, with mid-ranks computed within the resample, of every resample.

    Args:
        left: int64 [n], dense ranks.
        right: int64 [n], dense ranks.
        resamples: int64 [n_resamples, size], row numbers below n; `arange(n)` is the sample itself.

    Returns:
        float64 [n_resamples]; NaN where a side of the resample is constant.

    Raises:
        ValueError: If shapes do not fit, or a rank or row number is out of range.
    """
    _check(left, right, resamples)
    result = np.empty(resamples.shape[0])
    _spearman(left, right, resamples, result)
    return result
