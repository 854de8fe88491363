"""Measures of agreement: a statistic tied to the human side of the data, waiting for a metric's scores.

A measure gives the statistic's value for a metric, and its values in bootstrap resamples. What is drawn are *units*:
as a rule segments, each with all its translations. Translations of one segment are not independent (a hard source
hurts them all); drawn one by one they give intervals that are too narrow. One seed draws the same resamples for
every metric, so the resampled values of two metrics can be subtracted pair by pair.

Correlations without the difficulty of segments, and with long segments counting for more (Kahn et al. 2009).

Several systems translate the same segments. A plain correlation then mixes two abilities: to tell the better
translation of a segment, and to tell easy segments from hard ones. *Mean removal* (equation 3 of section 3.3)
leaves the first alone: from every score, the metric's and people's, the mean over the translations of its
segment is taken. *Length weighting* (the same section) keeps short segments from counting as much as long
ones, for which a score stands on more words.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pfsm.evaluation.bootstrap import (
    FEWEST_UNITS,
    Seed,
    by_appearance,
    check_bootstrap,
    count_ids,
    dense_ids,
    resampled_times,
    sums_of_segments,
)
from pfsm.evaluation.correlation import dense_ranks, kendall_tau_b, paired_scores, pearson, pearson_of_rows

Int = NDArray[np.int64]

Float = NDArray[np.float64]

OfTimes = Callable[[Int], Float]
"""From resamples, as how many times each unit stands in them, int64 [m, n_units], to the statistic, float64 [m]."""
Names = Sequence[Any] | NDArray[Any]
OfTotals = Callable[[Float], Float]
"""From sums of statistics, float64 [..., k], to scores, float64 [...]; higher is better."""


class Measure(ABC):
    """A statistic of a metric's scores, the human side being given."""

    units: Int
    """int64 [n], from 0 up in the order of their first items: the unit of each item."""

    @property
    def n_units(self) -> int:
        """Number of units that resamples draw from."""
        return count_ids(self.units)

    @abstractmethod
    def value(self, metric: Float) -> float:
        """The statistic; NaN where it is undefined.

        Args:
            metric: float64 [n], the metric's scores of the items; of preferences [n, 2].
        """

    @abstractmethod
    def resampler(self, metric: Float) -> OfTimes:
        """The statistic in resamples of the units, of which there are at least two; NaN where it is undefined."""

    def values(self, metrics: Float) -> Float:
        """float64 [m]: the statistic of every row of scores, float64 [m, n]."""
        return np.array([self.value(metric) for metric in metrics], dtype=np.float64)

    def pooled(self, of_totals: OfTotals) -> "Measure":  # noqa: ARG002
        """The same measure of a metric that pools counts: for scores it takes statistics, float64 [n, k].

        Args:
            of_totals: From sums of the statistics to scores.
        """
        raise ValueError("the statistic compares scores of translations; this metric pools their counts")

    def remarks(self, metric: Float) -> Mapping[str, float | bool]:  # noqa: ARG002
        """What else is to be said of the value, by the key that JSON has it under."""
        return {}

    @property
    def weight(self) -> float:
        """How much the value counts where groups are pooled: the number of pairs of systems; NaN where nothing is."""
        return float("nan")

    def resampled(self, metric: Float, n_resamples: int, seed: Seed) -> Float:
        """float64 [n_resamples]: the statistic in bootstrap resamples; see `resampled_together`."""
        return resampled_together([(self, metric)], n_resamples, seed)[0]


def resampled_together(tasks: Sequence[tuple[Measure, Float]], n_resamples: int, seed: Seed) -> list[Float]:
    """Statistics of metrics in the same bootstrap resamples: the one place where data is resampled.

    Args:
        tasks: Measures, each with a metric's scores of its items.
        n_resamples: At least 1.
        seed: As in `bootstrap_interval`. Measures with as many units share their resamples.

    Returns:
        float64 [n_resamples] for each task; NaN where the statistic is undefined, and throughout where there are
        fewer than two units.
    """
    check_bootstrap(n_resamples)
    results = [np.full(n_resamples, np.nan) for _ in tasks]
    by_size: dict[int, list[int]] = {}
    for place, (measure, _) in enumerate(tasks):
        by_size.setdefault(measure.n_units, []).append(place)
    for n_units, places in by_size.items():
        if n_units < FEWEST_UNITS:
            continue
        resamplers = [measure.resampler(metric) for measure, metric in (tasks[place] for place in places)]
        start = 0
        for times in resampled_times(n_units, n_resamples, seed):
            for place, of_times in zip(places, resamplers, strict=True):
                results[place][start : start + len(times)] = of_times(times)
            start += len(times)
    return results


@dataclass(frozen=True, eq=False)
class Items:
    """Translations that people scored, and what is known of each; made by `scored_items`."""

    human: Float
    """float64 [n], finite."""
    segments: Int | None = None
    """int64 [n], from 0 up without gaps: translations of one source segment share a number."""
    systems: Int | None = None
    """int64 [n], from 0 up without gaps: who translated."""
    lengths: Float | None = None
    """float64 [n], not negative: how much an item weighs in length-weighted statistics."""
    drawn: Int | None = None
    """int64 [n]: what is drawn together, where that is not the segments; see `units`."""
    people: str = "means"
    """What people's scores of systems are, one of `pfsm.evaluation.people.FITS`."""

    def __len__(self) -> int:
        return self.human.size

    @cached_property
    def units(self) -> Int:
        """int64 [n], from 0 up in the order of their first items: what is drawn together in resamples.

        Segments where nothing else is said; each item by itself where there are none.
        """
        ids = self.segments if self.drawn is None else self.drawn
        return np.arange(self.human.size) if ids is None else by_appearance(ids)

    def select(self, rows: Int) -> "Items":
        """The items of some rows, numbered anew."""
        return Items(
            self.human[rows],
            _part(self.segments, rows),
            _part(self.systems, rows),
            None if self.lengths is None else self.lengths[rows],
            _part(self.drawn, rows),
            self.people,
        )

    def pick(self, metric: Float, rows: Int) -> Float:
        """A metric's scores of the items of `select`, from its scores of all."""
        return metric[rows]


def _part(ids: Int | None, rows: Int) -> Int | None:
    return None if ids is None else by_appearance(ids[rows])


def scored_items(
    human: ArrayLike,
    segments: Names | None = None,
    systems: Names | None = None,
    lengths: ArrayLike | None = None,
    drawn: Names | None = None,
    people: str = "means",
) -> Items:
    """Check and number what belongs to the human side.

    Args:
        human: float64 [n], finite.
        segments: [n], names or numbers of the segments.
        systems: [n], names or numbers of the systems.
        lengths: float64 [n], finite, not negative.
        drawn: [n], names or numbers of what is drawn together in resamples; the segments where it is None.
        people: As in `Items`.
    """
    scores = finite_scores(human)
    n = scores.size
    weights = None if lengths is None else np.asarray(lengths, dtype=np.float64)
    if weights is not None and (weights.shape != (n,) or not (np.isfinite(weights) & (weights >= 0.0)).all()):
        raise ValueError(f"lengths must be {n} finite numbers from 0")
    return Items(
        scores,
        None if segments is None else dense_ids(segments, n, "segments"),
        None if systems is None else dense_ids(systems, n, "systems"),
        weights,
        None if drawn is None else dense_ids(drawn, n, "units"),
        people,
    )


def finite_scores(scores: ArrayLike, n: int | None = None) -> Float:
    """Scores as float64 [n]."""
    array = np.asarray(scores, dtype=np.float64)
    if array.ndim != 1 or (n is not None and array.size != n):
        wanted = "a series" if n is None else f"{n}"
        raise ValueError(f"scores have shape {array.shape}, {wanted} of them are needed")
    if not np.isfinite(array).all():
        raise ValueError("a score is not finite")
    return array


def units_of_parts(parts: Int, units: Int) -> Int | None:
    """The unit that each part (a segment) lies in; None where one lies in several.

    Args:
        parts: int64 [n], from 0 up without gaps.
        units: int64 [n].

    Returns:
        int64 [n_parts].
    """
    of_part = np.zeros(count_ids(parts), dtype=np.int64)
    of_part[parts] = units
    return of_part if np.array_equal(of_part[parts], units) else None


def whole_parts(parts: Int, units: Int) -> Int:
    """`units_of_parts` of what is resampled in one piece."""
    of_part = units_of_parts(parts, units)
    if of_part is None:
        raise ValueError(
            "the statistic compares translations of one segment, which are not resampled together"
        )
    return of_part


class Correlation(Protocol):
    """Spearman's or Kendall's correlation of two series."""

    def __call__(self, x: ArrayLike, y: ArrayLike, /) -> float:
        """From float64 [n] each; NaN where it is undefined."""


@dataclass(frozen=True, eq=False)
class RankCorrelation(Measure):
    """Spearman's or Kendall's correlation."""

    statistic: Correlation
    human: Float
    units: Int

    def value(self, metric: Float) -> float:
        """As `Measure.value`."""
        return self.statistic(metric, self.human)

    def resampler(self, metric: Float) -> OfTimes:
        """As `Measure.resampler`."""
        from pfsm_kernels.statistics.resampling import repeated_kendall_tau_b, repeated_spearman  # noqa: PLC0415 - starts a JIT compiler

        kernel = repeated_kendall_tau_b if self.statistic is kendall_tau_b else repeated_spearman
        # In the order of the metric's scores: the kernel sorts in every call, which then costs little.
        order = np.argsort(metric, kind="stable")
        ranks, human, units = dense_ranks(metric)[order], dense_ranks(self.human)[order], self.units[order]
        # A few resamples at a time: units have many rows.
        step = max(1, _ROWS_AT_ONCE // units.size)

        def of_times(times: Int) -> Float:
            blocks = (times[start : start + step][:, units] for start in range(0, len(times), step))
            return np.concatenate([kernel(ranks, human, block) for block in blocks])

        return of_times


_ROWS_AT_ONCE = 1 << 20


@dataclass(frozen=True, eq=False)
class PlainMeasure(Measure):
    """Any function of a metric's and people's scores, resampled by brute force."""

    function: Callable[[Float, Float], float]
    human: Float
    units: Int

    def value(self, metric: Float) -> float:
        """As `Measure.value`."""
        return float(self.function(metric, self.human))

    def resampler(self, metric: Float) -> OfTimes:
        """As `Measure.resampler`."""

        def of_times(times: Int) -> Float:
            rows = (np.repeat(np.arange(metric.size), one[self.units]) for one in times)
            return np.array([self.function(metric[row], self.human[row]) for row in rows], dtype=np.float64)

        return of_times


class AdditiveMeasure(Measure):
    """A measure whose statistic is a function of sums over units."""

    @abstractmethod
    def table(self, metric: Float) -> Float:
        """float64 [n_units, k]: what each unit adds to the sums."""

    @abstractmethod
    def of_sums(self, sums: Float) -> Float:
        """float64 [m]: the statistic of each row of sums, float64 [m, k]; NaN where it is undefined."""

    def value(self, metric: Float) -> float:
        """As `Measure.value`."""
        return float(self.of_sums(self.table(metric).sum(axis=0, keepdims=True))[0])

    def resampler(self, metric: Float) -> OfTimes:
        """As `Measure.resampler`."""
        from pfsm_kernels.statistics.resampling import resampled_sums  # noqa: PLC0415 - starts a JIT compiler

        table = self.table(metric)
        return lambda times: self.of_sums(resampled_sums(times, table))


@dataclass(frozen=True, eq=False)
class MeanScore(AdditiveMeasure):
    """The mean of the scores themselves, whatever people say."""

    units: Int

    def value(self, metric: Float) -> float:
        """As `Measure.value`."""
        return float(metric.mean()) if metric.size else float("nan")

    def table(self, metric: Float) -> Float:
        """float64 [n_units, 2]: sums of scores and numbers of them."""
        return sums_of_segments(np.stack([metric, np.ones(metric.size)], axis=1), self.units)

    def of_sums(self, sums: Float) -> Float:
        """As `AdditiveMeasure.of_sums`."""
        return ratio(sums[:, 0], sums[:, 1])


def ratio(parts: Float, wholes: NDArray[Any], otherwise: float = math.nan) -> Float:
    """Quotients; another number where the whole is not above 0. Shapes are those of float64 [m], or broadcast."""
    result = np.full(np.broadcast_shapes(parts.shape, wholes.shape), otherwise)
    np.divide(parts, wholes, out=result, where=wholes > 0.0)
    return result


def mean_removed(scores: ArrayLike, segments: Names, weights: ArrayLike | None = None) -> Float:
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
        root * mean_removed(_scaled(side[weighing]), one, weights)  # the weighted mean is taken off
        for side in (x, y)
    )
    spread = float(x @ x) * float(y @ y)
    return float(np.clip((x @ y) / np.sqrt(spread), -1.0, 1.0)) if spread > 0.0 else float("nan")


@dataclass(frozen=True, eq=False)
class CentredPearson(AdditiveMeasure):
    """Pearson's correlation of mean-removed scores; segments may carry weights."""

    human: Float
    segments: Int
    weights: Float
    units: Int

    def resampler(self, metric: Float) -> OfTimes:
        """As `Measure.resampler`; whole segments alone have sums of their own."""
        whole_parts(self.segments, self.units)
        return super().resampler(metric)

    def table(self, metric: Float) -> Float:
        """float64 [n_units, 3]: products and squares of the deviations from the segments' means."""
        x, y = (
            mean_removed(_scaled(side), self.segments, self.weights) if side.size else side
            for side in (metric, self.human)
        )
        return sums_of_segments(self.weights[:, np.newaxis] * np.stack([x * y, x * x, y * y], 1), self.units)

    def of_sums(self, sums: Float) -> Float:
        """As `AdditiveMeasure.of_sums`."""
        products, x_squares, y_squares = sums.T
        return np.clip(ratio(products, np.sqrt(x_squares * y_squares)), -1.0, 1.0)


@dataclass(frozen=True, eq=False)
class MomentPearson(AdditiveMeasure):
    """Pearson's correlation, weighted where there are weights."""

    human: Float
    units: Int
    weights: Float | None = None

    def value(self, metric: Float) -> float:
        """As `Measure.value`; from deviations, which keep more digits than sums of squares."""
        if self.weights is None:
            return pearson(metric, self.human)
        return weighted_pearson(metric, self.human, self.weights)

    def values(self, metrics: Float) -> Float:
        """As `Measure.values`; all at once where there are no weights."""
        if self.weights is None:
            return pearson_of_rows(metrics, np.broadcast_to(self.human, metrics.shape))
        return super().values(metrics)

    def table(self, metric: Float) -> Float:
        """float64 [n_units, 6]: weighted sums of 1, x, y, xx, yy, xy, x and y taken from their overall means."""
        weights = np.ones(metric.size) if self.weights is None else self.weights
        one = np.zeros(metric.size, dtype=np.int64)
        x, y = (mean_removed(_scaled(side), one, weights) for side in (metric, self.human))
        moments = np.stack([np.ones(x.size), x, y, x * x, y * y, x * y], axis=1)
        return sums_of_segments(weights[:, np.newaxis] * moments, self.units)

    def of_sums(self, sums: Float) -> Float:
        """As `AdditiveMeasure.of_sums`."""
        weight, x, y, xx, yy, xy = sums.T
        x_spread, y_spread = (
            np.where(spread > _NOISE * weight * squares, spread, 0.0)
            for spread, squares in ((weight * xx - x * x, xx), (weight * yy - y * y, yy))
        )
        return np.clip(ratio(weight * xy - x * y, np.sqrt(x_spread * y_spread)), -1.0, 1.0)


_NOISE = 1e-13
"""What rounding leaves of the spread of a constant, relative to its squares."""


def _scaled(values: Float) -> Float:
    """The values over a power of two that brings the largest below 1, so that squares stay in range."""
    largest = np.abs(values).max(initial=0.0)
    scaled: Float = np.ldexp(values, -int(np.frexp(largest)[1]))
    return scaled
