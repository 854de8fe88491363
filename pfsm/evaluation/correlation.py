"""Correlation of two series of scores: Pearson's r, Spearman's rho, Kendall's tau-b.

Each is NaN where it is undefined: fewer than two points, or a series whose values are all equal.

Several systems translate the same segments. A plain correlation then mixes two abilities: to tell the better
translation of a segment, and to tell easy segments from hard ones. *Mean removal* (Kahn et al. 2009, equation 3 of
section 3.3) leaves the first alone: from every score, the metric's and people's, the mean over the translations of its
segment is taken. *Length weighting* (the same section) keeps short segments from counting as much as long ones, for
which a score stands on more words.

Williams' test: two metrics' Pearson correlations with people, on the same independent items.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pfsm.arrays import Float
from pfsm.evaluation.bootstrap import dense_ids, sums_of_segments


def pearson(x: ArrayLike, y: ArrayLike) -> float:
    """Pearson's product-moment correlation.

    ``sum (x - mean x)(y - mean y) / sqrt(sum (x - mean x)^2 sum (y - mean y)^2)`` (Pearson 1895), computed
    from the deviations, so that a large common offset or scale costs no digits.

    Args:
        x: float64 [n], finite.
        y: float64 [n], finite.

    Returns:
        A number in [-1, 1]; NaN for fewer than two points or where `x` or `y` is constant.

    Raises:
        ValueError: If the shapes differ, or a value is not finite.
    """
    x, y = paired_scores(x, y)
    return float(pearson_of_rows(x[np.newaxis], y[np.newaxis])[0])


def spearman(x: ArrayLike, y: ArrayLike) -> float:
    """Spearman's rank correlation (Spearman 1904): Pearson's correlation of mid-ranks.

    Equal values share the mean of the ranks they take up.

    Args:
        x: float64 [n], finite.
        y: float64 [n], finite.

    Returns:
        A number in [-1, 1]; NaN for fewer than two points or where `x` or `y` is constant.

    Raises:
        ValueError: If the shapes differ, or a value is not finite.
    """
    x, y = paired_scores(x, y)
    return pearson(mid_ranks(x), mid_ranks(y))


def kendall_tau_b(x: ArrayLike, y: ArrayLike) -> float:
    """Kendall's rank correlation in its tau-b form for ties (Kendall 1945), in O(n log n).

    ``(C - D) / sqrt((N - T_x) (N - T_y))``: C and D count the pairs of points ordered the same way and the
    opposite way, N all pairs, T_x and T_y the pairs tied in x and in y.

    Args:
        x: float64 [n], finite.
        y: float64 [n], finite.

    Returns:
        A number in [-1, 1]; NaN for fewer than two points or where `x` or `y` is constant.

    Raises:
        ValueError: If the shapes differ, or a value is not finite.
    """
    from pfsm_kernels.statistics.resampling import repeated_kendall_tau_b  # noqa: PLC0415 - starts a JIT compiler

    x, y = paired_scores(x, y)
    if x.size < 2:
        return float("nan")
    once = np.ones((1, x.size), dtype=np.int64)
    return float(repeated_kendall_tau_b(dense_ranks(x), dense_ranks(y), once)[0])


def paired_scores(x: ArrayLike, y: ArrayLike) -> tuple[Float, Float]:
    """Both series as float64 [n]."""
    x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if x.ndim != 1 or x.shape != y.shape:
        raise ValueError(f"scores have shapes {x.shape} and {y.shape}, two series of one length are needed")
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise ValueError("a score is not finite")
    return x, y


def dense_ranks(values: Float) -> NDArray[np.int64]:
    """int64 [n]: 0 for the smallest value, one more for each larger one; equal for equal values."""
    return np.unique(values, return_inverse=True)[1].astype(np.int64)


def mid_ranks(values: Float) -> Float:
    """float64 [n]: ranks from 1 up, equal values sharing the mean of the ranks they take up."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    middle: Float = last - (counts - 1) / 2.0
    return middle[inverse]


def pearson_of_rows(x: Float, y: Float) -> Float:
    """Pearson's correlation of each row of `x` with the same row of `y`, both float64 [n_rows, n].

    Returns:
        float64 [n_rows], in [-1, 1], NaN where a row is constant or shorter than two.
    """
    if x.shape[1] == 0:
        return np.full(x.shape[0], np.nan)
    x, y = _deviations(x), _deviations(y)
    products = np.einsum("ij,ij->i", x, y)
    squares = np.einsum("ij,ij->i", x, x) * np.einsum("ij,ij->i", y, y)
    result = np.full(x.shape[0], np.nan)
    np.divide(products, np.sqrt(squares), out=result, where=squares > 0.0)
    return np.clip(result, -1.0, 1.0, out=result)


def _deviations(rows: Float) -> Float:
    """Deviations from each row's mean, each row in a scale of its own; zeros for a constant row."""
    # The largest magnitude comes into [0.5, 1), so that nothing overflows and no square of a deviation
    # vanishes; a power of two rounds nothing.
    exponents = np.frexp(np.abs(rows).max(axis=1, keepdims=True))[1]
    scaled: Float = np.ldexp(rows, -exponents)
    # Without a common offset the mean loses no digits, and that of a constant row is exact.
    scaled -= scaled[:, :1].copy()
    scaled -= scaled.mean(axis=1, keepdims=True)
    return scaled


def mean_removed(
    scores: ArrayLike, segments: Sequence[Any] | NDArray[Any], weights: ArrayLike | None = None
) -> Float:
    """Every score less the mean of its segment (Kahn et al. 2009, equation 3).

    Args:
        scores: float64 [n], finite.
        segments: [n], names or numbers; scores of one segment share a mean.
        weights: float64 [n], not negative: the mean is a weighted one; equal weights where it is None.

    Returns:
        float64 [n]; 0 for the only translation of a segment.

    Raises:
        ValueError: If lengths differ, a score is not finite, or a weight negative or not finite.
    """
    values, heaviness = paired_scores(scores, np.ones(np.size(scores)) if weights is None else weights)
    if (heaviness < 0.0).any():
        raise ValueError("a weight is negative")
    ids = dense_ids(segments, values.size, "segments")
    if not values.size:
        return values
    # Deviations from the first score of the segment: a common offset then costs the mean no digits.
    first = values[np.unique(ids, return_index=True)[1]]
    offsets = values - first[ids]
    sums = sums_of_segments(np.stack([heaviness * offsets, heaviness], axis=1), ids)
    means = np.divide(sums[:, 0], sums[:, 1], out=np.zeros(len(sums)), where=sums[:, 1] > 0.0)
    removed: Float = offsets - means[ids]
    return removed


def mean_removed_pearson(
    metric: ArrayLike, human: ArrayLike, segments: Sequence[Any] | NDArray[Any]
) -> float:
    """Pearson's correlation of mean-removed scores (Kahn et al. 2009, section 3.3).

    Args:
        metric: float64 [n], finite.
        human: float64 [n], finite.
        segments: [n], names or numbers of the segments.

    Returns:
        A number in [-1, 1]; NaN where no segment has translations that differ in the scores of both.

    Raises:
        ValueError: If lengths differ, or a score is not finite.
    """
    metric, human = paired_scores(metric, human)
    return pearson(mean_removed(metric, segments), mean_removed(human, segments))


def weighted_pearson(x: ArrayLike, y: ArrayLike, weights: ArrayLike) -> float:
    """Pearson's correlation in which every point counts with a weight.

    ``sum w (x - mx)(y - my) / sqrt(sum w (x - mx)^2 sum w (y - my)^2)``, mx and my being the weighted means:
    with whole weights the correlation of points that stand there so many times. Kahn et al. (2009, section
    3.3) weigh segments by their length.

    Args:
        x: float64 [n], finite.
        y: float64 [n], finite.
        weights: float64 [n], finite, not negative.

    Returns:
        A number in [-1, 1]; NaN where fewer than two different points have weight, or x or y is constant.

    Raises:
        ValueError: If lengths differ, or a number is invalid.
    """
    x, y = paired_scores(x, y)
    weights = paired_scores(weights, x)[0]
    if (weights < 0.0).any():
        raise ValueError("a weight is negative")
    weighing = weights > 0.0
    if not weighing.any():
        return float("nan")
    one = np.zeros(int(weighing.sum()), dtype=np.int64)
    weights = weights[weighing] / weights.max()
    root = np.sqrt(weights)
    x, y = (
        root * mean_removed(scaled(side[weighing]), one, weights)  # the weighted mean is taken off
        for side in (x, y)
    )
    spread = float(x @ x) * float(y @ y)
    return float(np.clip((x @ y) / np.sqrt(spread), -1.0, 1.0)) if spread > 0.0 else float("nan")


def scaled(values: Float) -> Float:
    """The values over a power of two that brings the largest below 1, so that squares stay in range."""
    largest = np.abs(values).max(initial=0.0)
    scaled: Float = np.ldexp(values, -int(np.frexp(largest)[1]))
    return scaled


@dataclass(frozen=True)
class WilliamsTest:
    """Williams' test: the statistic `t`, its degrees of freedom, and p-values."""

    t: float
    degrees: int
    p_value: float
    """Two-sided."""
    p_greater: float
    """One-sided, for the first metric being closer to people: the form used by Graham and Baldwin."""


def williams_test(r12: float, r13: float, r23: float, n: int) -> WilliamsTest:
    """Williams' test of two dependent correlations (Williams 1959; Graham and Baldwin 2014, section 3).

    ``t = (r12 - r13) sqrt((n - 1)(1 + r23)) / sqrt(2 K (n - 1)/(n - 3) + (r12 + r13)^2/4 (1 - r23)^3)`` with
    ``K = 1 - r12^2 - r13^2 - r23^2 + 2 r12 r13 r23`` has Student's distribution with n - 3 degrees of freedom
    where the true correlations are equal. It is for Pearson's r of n independent items: several translations
    of one segment are not independent.

    Args:
        r12: Correlation of people and the first metric.
        r13: Of people and the second metric.
        r23: Of the two metrics.
        n: Number of items, at least 4.

    Returns:
        The result; p is 1 (and p_greater one half) where r12 and r13 are equal.

    Raises:
        ValueError: If a correlation is not from -1 to 1, the three cannot occur together, or n is below 4.
    """
    if n < 4:
        raise ValueError(f"n is {n}, at least 4 items are needed")
    if not all(-1.0 <= r <= 1.0 for r in (r12, r13, r23)):
        raise ValueError(f"correlations are {r12}, {r13} and {r23}, numbers from -1 to 1 are needed")
    determinant = 1.0 - r12**2 - r13**2 - r23**2 + 2.0 * r12 * r13 * r23
    if determinant < -1e-9:
        raise ValueError(f"correlations of {r12}, {r13} and {r23} cannot occur together")
    if r12 == r13:
        return WilliamsTest(0.0, n - 3, 1.0, 0.5)
    from scipy.special import stdtr  # noqa: PLC0415 - slow to import, needed here alone

    variance = 2.0 * max(determinant, 0.0) * (n - 1) / (n - 3) + ((r12 + r13) / 2.0) ** 2 * (1.0 - r23) ** 3
    top = (r12 - r13) * math.sqrt((n - 1) * (1.0 + r23))
    t = top / math.sqrt(variance) if variance > 0.0 else math.copysign(math.inf, top)
    return WilliamsTest(t, n - 3, 2.0 * float(stdtr(n - 3, -abs(t))), float(stdtr(n - 3, -t)))
