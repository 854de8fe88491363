"""Correlations without the difficulty of segments, and with long segments counting for more (Kahn et al. 2009).

Several systems translate the same segments. A plain correlation then mixes two abilities: to tell the better
translation of a segment, and to tell easy segments from hard ones. *Mean removal* (equation 3 of section 3.3)
leaves the first alone: from every score, the metric's and people's, the mean over the translations of its
segment is taken. *Length weighting* (the same section) keeps short segments from counting as much as long
ones, for which a score stands on more words.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pfsm.evaluation.correlation import paired_scores, pearson, pearson_of_rows
from pfsm.evaluation.measure import AdditiveMeasure, Names, OfTimes, ratio, whole_parts
from pfsm.evaluation.samples import dense_ids, sums_of_segments


def mean_removed(scores: ArrayLike, segments: Names, weights: ArrayLike | None = None) -> NDArray[np.float64]:
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
    removed: NDArray[np.float64] = offsets - means[ids]
    return removed


def mean_removed_pearson(metric: ArrayLike, human: ArrayLike, segments: Names) -> float:
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
        ValueError: If lengths differ, or a number is not what it must be.
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
        root * mean_removed(_scaled(side[weighing]), one, weights)  # the weighted mean is taken off
        for side in (x, y)
    )
    spread = float(x @ x) * float(y @ y)
    return float(np.clip((x @ y) / np.sqrt(spread), -1.0, 1.0)) if spread > 0.0 else float("nan")


@dataclass(frozen=True, eq=False)
class CentredPearson(AdditiveMeasure):
    """Pearson's correlation of mean-removed scores; segments may carry weights."""

    human: NDArray[np.float64]
    segments: NDArray[np.int64]
    weights: NDArray[np.float64]
    units: NDArray[np.int64]

    def resampler(self, metric: NDArray[np.float64]) -> OfTimes:
        """As `Measure.resampler`; whole segments alone have sums of their own."""
        whole_parts(self.segments, self.units)
        return super().resampler(metric)

    def table(self, metric: NDArray[np.float64]) -> NDArray[np.float64]:
        """float64 [n_units, 3]: products and squares of the deviations from the segments' means."""
        x, y = (
            mean_removed(_scaled(side), self.segments, self.weights) if side.size else side
            for side in (metric, self.human)
        )
        return sums_of_segments(self.weights[:, np.newaxis] * np.stack([x * y, x * x, y * y], 1), self.units)

    def of_sums(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """As `AdditiveMeasure.of_sums`."""
        products, x_squares, y_squares = sums.T
        return np.clip(ratio(products, np.sqrt(x_squares * y_squares)), -1.0, 1.0)


@dataclass(frozen=True, eq=False)
class MomentPearson(AdditiveMeasure):
    """Pearson's correlation, weighted where there are weights."""

    human: NDArray[np.float64]
    units: NDArray[np.int64]
    weights: NDArray[np.float64] | None = None

    def value(self, metric: NDArray[np.float64]) -> float:
        """As `Measure.value`; from deviations, which keep more digits than sums of squares."""
        if self.weights is None:
            return pearson(metric, self.human)
        return weighted_pearson(metric, self.human, self.weights)

    def values(self, metrics: NDArray[np.float64]) -> NDArray[np.float64]:
        """As `Measure.values`; all at once where there are no weights."""
        if self.weights is None:
            return pearson_of_rows(metrics, np.broadcast_to(self.human, metrics.shape))
        return super().values(metrics)

    def table(self, metric: NDArray[np.float64]) -> NDArray[np.float64]:
        """float64 [n_units, 6]: weighted sums of 1, x, y, xx, yy, xy, x and y taken from their overall means."""
        weights = np.ones(metric.size) if self.weights is None else self.weights
        one = np.zeros(metric.size, dtype=np.int64)
        x, y = (mean_removed(_scaled(side), one, weights) for side in (metric, self.human))
        moments = np.stack([np.ones(x.size), x, y, x * x, y * y, x * y], axis=1)
        return sums_of_segments(weights[:, np.newaxis] * moments, self.units)

    def of_sums(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """As `AdditiveMeasure.of_sums`."""
        weight, x, y, xx, yy, xy = sums.T
        x_spread, y_spread = (
            np.where(spread > _NOISE * weight * squares, spread, 0.0)
            for spread, squares in ((weight * xx - x * x, xx), (weight * yy - y * y, yy))
        )
        return np.clip(ratio(weight * xy - x * y, np.sqrt(x_spread * y_spread)), -1.0, 1.0)


_NOISE = 1e-13
"""What rounding leaves of the spread of a constant, relative to its squares."""


def _scaled(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The values over a power of two that brings the largest below 1, so that squares stay in range."""
    largest = np.abs(values).max(initial=0.0)
    scaled: NDArray[np.float64] = np.ldexp(values, -int(np.frexp(largest)[1]))
    return scaled
