"""Pairs of translations of one segment, counted by how two scores order them; the order that agrees with the most.

Rows of a segment stand together, from `starts[s]` up to `starts[s + 1]`.

Counting. Within a segment, rows stand in ascending order of a score x. A pair (i, j), j before i, counts where
the gap ``x_i - x_j`` is beyond a threshold; the gap falls as j grows, so the rows beyond i's are a prefix, which
only grows with i. A Fenwick tree over the dense ranks of the other score y holds that prefix, and

    agree_i = rows in the prefix with y_j < y_i,   tied_i = those with y_j = y_i,   opposite_i = the rest

Cost O(n log n) for a segment of n rows.

Calibration (Deutsch et al. 2023). Gaps of a metric up to a threshold are ties. As the threshold rises past a
pair's gap, the pair turns from right to wrong where people and the metric agreed on an order (change -1), and
from wrong to right where people saw a tie (change +1). Accuracy is averaged over segments:

    a(t) = [ sum_s c_s (right_s + sum of changes in s with gap <= t) / pairs_s ] / sum_s c_s

c_s being how many times segment s stands in a resample. One pass over the pairs in order of their gaps finds
the largest a(t).

Orders. The order of a few items that agrees with the most judgments: a dynamic program over sets of items.

`wins[i, j]` judgments put item i before item j, `ties[i, j]` put both in the same place. With f(S) the most
judgments that an order of the set S can agree with, when all of S comes before the rest,

    f(S + T) = max over T of  f(S) + sum_{i in S, j in T} wins[i, j] + sum_{i < j in T} ties[i, j]

where T, not empty and apart from S, shares one place. Where no judgment is a tie, a place for each item does
as well as any order, and T is a single item: O(2^n n^2) instead of O(3^n n). (With strict judgments alone this is
the exact solution of the minimum feedback arc set problem, which is hard in general; n is small here.)
"""

import numpy as np
from numpy.typing import NDArray

from pfsm_kernels.cache import njit

_Integers = NDArray[np.int64]
_Floats = NDArray[np.float64]


@njit(nogil=True)
def _count(
    x: _Floats, ranks: _Integers, starts: _Integers, threshold: float, inclusive: bool, result: _Integers
) -> None:
    longest = 0
    for segment in range(starts.size - 1):
        longest = max(longest, starts[segment + 1] - starts[segment])
    tree = np.zeros(longest + 1, dtype=np.int64)
    at = np.zeros(longest + 1, dtype=np.int64)
    for segment in range(starts.size - 1):
        start, stop = starts[segment], starts[segment + 1]
        size = stop - start
        tree[: size + 1] = 0
        at[: size + 1] = 0
        beyond = start
        for row in range(start, stop):
            while beyond < row and (
                x[row] - x[beyond] > threshold or (inclusive and x[row] - x[beyond] == threshold)
            ):
                at[ranks[beyond]] += 1
                node = ranks[beyond] + 1
                while node <= size:
                    tree[node] += 1
                    node += node & -node
                beyond += 1
            below, node = 0, ranks[row]
            while node > 0:
                below += tree[node]
                node &= node - 1
            tied = at[ranks[row]]
            result[segment, 0] += below
            result[segment, 1] += beyond - start - below - tied
            result[segment, 2] += tied


@njit(nogil=True)
def _changes(
    human: _Floats,
    metric: _Floats,
    starts: _Integers,
    gaps: _Floats,
    changes: NDArray[np.int8],
    segments: NDArray[np.int32],
    right: _Integers,
) -> int:
    found = 0
    for segment in range(starts.size - 1):
        for row in range(starts[segment], starts[segment + 1]):
            for other in range(starts[segment], row):
                gap = metric[row] - metric[other]
                order = human[row] - human[other]
                if gap == 0.0:
                    right[segment] += order == 0.0
                    continue
                agree = (gap > 0.0 and order > 0.0) or (gap < 0.0 and order < 0.0)
                right[segment] += agree
                if agree or order == 0.0:
                    gaps[found] = abs(gap)
                    changes[found] = np.int8(-1) if agree else np.int8(1)
                    segments[found] = segment
                    found += 1
    return found


@njit(nogil=True)
def _calibrate(
    gaps: _Floats,
    changes: NDArray[np.int8],
    segments: NDArray[np.int32],
    right: _Floats,
    weights: _Floats,
    times: _Integers,
    result: _Floats,
) -> None:
    drawn = np.empty(right.size)
    for resample in range(times.shape[0]):
        present, accuracy = 0, 0.0
        for segment in range(right.size):
            present += times[resample, segment]
            accuracy += times[resample, segment] * right[segment]
            drawn[segment] = times[resample, segment] * weights[segment]
        best = accuracy
        for pair in range(gaps.size):
            accuracy += changes[pair] * drawn[segments[pair]]
            if accuracy > best and (pair + 1 == gaps.size or gaps[pair + 1] > gaps[pair]):
                best = accuracy
        result[resample] = best / present if present > 0 else np.nan


def ordered_pairs(
    x: _Floats, ranks: _Integers, starts: _Integers, threshold: float = 0.0, inclusive: bool = False
) -> _Integers:
    """Count the pairs of every segment whose x differ by more than a threshold.

    Args:
        x: float64 [n], finite, ascending within every segment.
        ranks: int64 [n], ranks of the other score within the segment, from 0 and below its number of rows.
        starts: int64 [n_segments + 1].
        threshold: From 0; pairs with a larger gap count.
        inclusive: Whether pairs with a gap of exactly the threshold count as well (above 0).

    Returns:
        int64 [n_segments, 3]: pairs that the other score orders the same way, the other way round, not at all.

    Raises:
        ValueError: If the threshold is negative, or 0 and inclusive.
    """
    if not threshold >= 0.0 or (inclusive and threshold == 0.0):
        raise ValueError(
            f"threshold is {threshold}, a number from 0 is needed, above 0 where it is inclusive"
        )
    result = np.zeros((starts.size - 1, 3), dtype=np.int64)
    _count(x, ranks, starts, threshold, inclusive, result)
    return result


def tie_changes(
    human: _Floats, metric: _Floats, starts: _Integers
) -> tuple[_Floats, NDArray[np.int8], NDArray[np.int32], _Integers]:
    """The pairs whose being right depends on the threshold up to which metric scores are tied.

    Args:
        human: float64 [n], finite; rows of a segment stand together.
        metric: float64 [n], finite.
        starts: int64 [n_segments + 1].

    Returns:
        Of those pairs, in no particular order, the metric's gap (float64), the change when it becomes a tie
        (int8, 1 or -1) and the segment (int32); and of every segment the pairs that are right at threshold 0
        (int64 [n_segments]).
    """
    sizes = np.diff(starts)
    room = int((sizes * (sizes - 1) // 2).sum())
    gaps, changes, segments = np.empty(room), np.empty(room, np.int8), np.empty(room, np.int32)
    right = np.zeros(sizes.size, dtype=np.int64)
    found = _changes(human, metric, starts, gaps, changes, segments, right)
    return gaps[:found], changes[:found], segments[:found], right


def calibrated_accuracies(
    gaps: _Floats,
    changes: NDArray[np.int8],
    segments: NDArray[np.int32],
    right: _Floats,
    weights: _Floats,
    times: _Integers,
) -> _Floats:
    """The accuracy at the best threshold, found anew for every resample of segments.

    Args:
        gaps: float64 [m], ascending, with the two arrays below as `tie_changes` returns them.
        changes: int8 [m].
        segments: int32 [m].
        right: float64 [n_segments], share of a segment's pairs that are right at threshold 0.
        weights: float64 [n_segments], one over the number of the segment's pairs.
        times: int64 [n_resamples, n_segments], how many times each segment stands in the resample.

    Returns:
        float64 [n_resamples]; NaN for a resample without segments.
    """
    result = np.empty(times.shape[0])
    _calibrate(gaps, changes, segments, right, weights, times, result)
    return result


@njit(nogil=True)
def _strict(wins: _Floats) -> float:
    n = wins.shape[0]
    best = np.zeros(1 << n)
    gains = np.zeros(n)
    for done in range((1 << n) - 1):
        for item in range(n):
            gains[item] = 0.0
            if not (done >> item) & 1:
                for before in range(n):
                    if (done >> before) & 1:
                        gains[item] += wins[before, item]
        for item in range(n):
            if not (done >> item) & 1:
                more = done | (1 << item)
                best[more] = max(best[more], best[done] + gains[item])
    return float(best[-1])


@njit(nogil=True)
def _weak(wins: _Floats, ties: _Floats) -> float:
    n = wins.shape[0]
    full = (1 << n) - 1
    within = np.zeros(1 << n)
    for place in range(1, 1 << n):
        last = 0
        while not (place >> last) & 1:
            last += 1
        rest = place & (place - 1)
        within[place] = within[rest]
        for item in range(n):
            if (rest >> item) & 1:
                within[place] += ties[last, item]
    best = np.zeros(1 << n)
    gains = np.zeros(n)
    for done in range(full):
        for item in range(n):
            gains[item] = 0.0
            for before in range(n):
                if (done >> before) & 1:
                    gains[item] += wins[before, item]
        left = full & ~done
        place = left
        while place > 0:
            gain = within[place]
            for item in range(n):
                if (place >> item) & 1:
                    gain += gains[item]
            more = done | place
            best[more] = max(best[more], best[done] + gain)
            place = (place - 1) & left
    return float(best[full])


def best_order(wins: _Floats, ties: _Floats) -> float:
    """The most judgments that one order of the items, places shared or not, can agree with.

    Args:
        wins: float64 [n, n], not negative: judgments for the row's item before the column's; n at most 20, and
            at most 13 where there are ties.
        ties: float64 [n, n], not negative, symmetric: judgments that both share a place.

    Returns:
        The sum of the judgments agreed with.

    Raises:
        ValueError: If there are too many items.
    """
    n = wins.shape[0]
    if n > (13 if ties.any() else 20):
        raise ValueError(f"{n} items are too many for an exact search")
    if n == 0:
        return 0.0
    return float(_weak(wins, ties) if ties.any() else _strict(wins))
