"""Measures of agreement: a statistic tied to the human side of the data, waiting for a metric's scores.

A measure gives the statistic's value for a metric, and its values in bootstrap resamples. What is drawn are *units*:
as a rule segments, each with all its translations. Translations of one segment are not independent (a hard source
hurts them all); drawn one by one they give intervals that are too narrow. One seed draws the same resamples for
every metric, so the resampled values of two metrics can be subtracted pair by pair.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pfsm.arrays import Float
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
from pfsm.evaluation.correlation import (
    dense_ranks,
    kendall_tau_b,
    mean_removed,
    pearson,
    pearson_of_rows,
    scaled,
    weighted_pearson,
)

Int = NDArray[np.int64]
OfTimes = Callable[[Int], Float]
"""From resamples, as how many times each unit stands in them, int64 [m, n_units], to the statistic, float64 [m]."""
Names = Sequence[Any] | NDArray[Any]
OfTotals = Callable[[Float], Float]
"""From sums of statistics, float64 [..., k], to scores, float64 [...]; higher is better."""
_ROWS_AT_ONCE = 1 << 20
_NOISE = 1e-13
"""What rounding leaves of the spread of a constant, relative to its squares."""


def _of_scores_alone(_: OfTotals) -> "Measure":
    raise ValueError("the statistic compares scores of translations; this metric pools their counts")


@dataclass(frozen=True, eq=False)
class Measure:
    """A statistic of a metric's scores, the human side being given; NaN where it is undefined."""

    n_units: int
    """Number of units that resamples draw from."""
    value: Callable[[Float], float]
    """The statistic, from a metric's scores of the items, float64 [n]; of preferences [n, 2]."""
    resampler: Callable[[Float], OfTimes]
    """From the same: the statistic in resamples of the units, of which there are at least two."""
    of_rows: Callable[[Float], Float] | None = None
    """`values` all at once, where there is a faster way than one by one."""
    pooled: Callable[[OfTotals], "Measure"] = _of_scores_alone
    """The same measure of a metric that pools counts: for scores it takes statistics, float64 [n, k]."""
    remarks: Callable[[Float], Mapping[str, float | bool]] = lambda _: {}
    """What else is to be said of the value, by the key that JSON has it under."""
    weight: float = math.nan
    """How much the value counts where groups are pooled: the number of pairs of systems; NaN where nothing is."""

    def values(self, metrics: Float) -> Float:
        """float64 [m]: the statistic of every row of scores, float64 [m, n]."""
        if self.of_rows is not None:
            return self.of_rows(metrics)
        return np.array([self.value(metric) for metric in metrics], dtype=np.float64)

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


def additive(
    n_units: int,
    table: Callable[[Float], Float],
    of_sums: Callable[[Float], Float],
    value: Callable[[Float], float] | None = None,
    **further: Any,
) -> Measure:
    """A measure whose statistic is a function of sums over units.

    Args:
        n_units: Number of units.
        table: From a metric's scores to what each unit adds to the sums, float64 [n_units, k].
        of_sums: From rows of sums, float64 [m, k], to the statistic of each, float64 [m].
        value: The statistic, where there is a better way than by the sum of the table.
        further: Of `Measure`.
    """

    def of_all(metric: Float) -> float:
        return float(of_sums(table(metric).sum(axis=0, keepdims=True))[0])

    def resampler(metric: Float) -> OfTimes:
        from pfsm_kernels.statistics.resampling import resampled_sums  # noqa: PLC0415 - starts a JIT compiler

        of_units = table(metric)
        return lambda times: of_sums(resampled_sums(times, of_units))

    return Measure(n_units, value or of_all, resampler, **further)


def ratio(parts: Float, wholes: NDArray[Any], otherwise: float = math.nan) -> Float:
    """Quotients; another number where the whole is not above 0. Shapes are those of float64 [m], or broadcast."""
    result = np.full(np.broadcast_shapes(parts.shape, wholes.shape), otherwise)
    np.divide(parts, wholes, out=result, where=wholes > 0.0)
    return result


def ratio_of_sums(sums: Float) -> Float:
    """For `additive`: the first sum over the second."""
    return ratio(sums[:, 0], sums[:, 1])


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

    def needed(self, what: str) -> NDArray[Any]:
        """One of the optional parts, which a statistic cannot do without."""
        part: NDArray[Any] | None = getattr(self, what)
        if part is None:
            raise ValueError(f"the statistic needs {what}")
        return part

    def select(self, rows: Int) -> "Items":
        """The items of some rows, numbered anew."""
        segments, systems, drawn = (
            None if ids is None else by_appearance(ids[rows])
            for ids in (self.segments, self.systems, self.drawn)
        )
        lengths = None if self.lengths is None else self.lengths[rows]
        return Items(self.human[rows], segments, systems, lengths, drawn, self.people)


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
    ids = [
        None if names is None else dense_ids(names, n, what)
        for names, what in ((segments, "segments"), (systems, "systems"), (drawn, "units"))
    ]
    return Items(scores, ids[0], ids[1], weights, ids[2], people)


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


def plain_measure(items: Items, function: Callable[[Float, Float], float]) -> Measure:
    """Any function of a metric's and people's scores, resampled by brute force."""
    human, units = items.human, items.units

    def resampler(metric: Float) -> OfTimes:
        def of_times(times: Int) -> Float:
            rows = (np.repeat(np.arange(metric.size), one[units]) for one in times)
            return np.array([function(metric[row], human[row]) for row in rows], dtype=np.float64)

        return of_times

    return Measure(count_ids(units), lambda metric: float(function(metric, human)), resampler)


def mean_score(items: Items) -> Measure:
    """The mean of the scores themselves, whatever people say."""
    units = items.units

    def table(metric: Float) -> Float:
        return sums_of_segments(np.stack([metric, np.ones(metric.size)], axis=1), units)

    def value(metric: Float) -> float:
        return float(metric.mean()) if metric.size else math.nan

    return additive(count_ids(units), table, ratio_of_sums, value)


Correlation = Callable[[Float, Float], float]
"""Spearman's or Kendall's correlation of two series, float64 [n] each; NaN where it is undefined."""


def rank_correlation(items: Items, statistic: Correlation) -> Measure:
    """Spearman's or Kendall's correlation."""
    human, units = items.human, items.units

    def resampler(metric: Float) -> OfTimes:
        from pfsm_kernels.statistics.resampling import repeated_kendall_tau_b, repeated_spearman  # noqa: PLC0415 - starts a JIT compiler

        kernel = repeated_kendall_tau_b if statistic is kendall_tau_b else repeated_spearman
        # In the order of the metric's scores: the kernel sorts in every call, which then costs little.
        order = np.argsort(metric, kind="stable")
        ranks, of_people, of_row = dense_ranks(metric)[order], dense_ranks(human)[order], units[order]
        # A few resamples at a time: units have many rows.
        step = max(1, _ROWS_AT_ONCE // units.size)

        def of_times(times: Int) -> Float:
            blocks = (times[start : start + step][:, of_row] for start in range(0, len(times), step))
            return np.concatenate([kernel(ranks, of_people, block) for block in blocks])

        return of_times

    return Measure(count_ids(units), lambda metric: statistic(metric, human), resampler)


def centred_pearson(items: Items, *, weighted: bool = False) -> Measure:
    """Pearson's correlation of mean-removed scores (Kahn et al. 2009, section 3.3), perhaps weighted by length."""
    human, units, segments = items.human, items.units, items.needed("segments")
    weights = items.needed("lengths") if weighted else np.ones(len(items))

    def table(metric: Float) -> Float:
        """Products and squares of the deviations from the segments' means, by unit."""
        x, y = (
            mean_removed(scaled(side), segments, weights) if side.size else side for side in (metric, human)
        )
        return sums_of_segments(weights[:, np.newaxis] * np.stack([x * y, x * x, y * y], 1), units)

    def of_sums(sums: Float) -> Float:
        products, x_squares, y_squares = sums.T
        return np.clip(ratio(products, np.sqrt(x_squares * y_squares)), -1.0, 1.0)

    measure = additive(count_ids(units), table, of_sums)

    def resampler(metric: Float) -> OfTimes:
        whole_parts(segments, units)  # only these have sums of their own
        return measure.resampler(metric)

    return Measure(measure.n_units, measure.value, resampler)


def moment_pearson(items: Items, *, weighted: bool = False) -> Measure:
    """Pearson's correlation, perhaps weighted by length."""
    human, units = items.human, items.units
    weights = items.needed("lengths") if weighted else None

    def value(metric: Float) -> float:
        """From deviations, which keep more digits than sums of squares."""
        return pearson(metric, human) if weights is None else weighted_pearson(metric, human, weights)

    def of_rows(metrics: Float) -> Float:
        return pearson_of_rows(metrics, np.broadcast_to(human, metrics.shape))

    def table(metric: Float) -> Float:
        """Weighted sums of 1, x, y, xx, yy, xy by unit, x and y taken from their overall means."""
        weighing = np.ones(metric.size) if weights is None else weights
        one = np.zeros(metric.size, dtype=np.int64)
        x, y = (mean_removed(scaled(side), one, weighing) for side in (metric, human))
        moments = np.stack([np.ones(x.size), x, y, x * x, y * y, x * y], axis=1)
        return sums_of_segments(weighing[:, np.newaxis] * moments, units)

    def of_sums(sums: Float) -> Float:
        weight, x, y, xx, yy, xy = sums.T
        x_spread, y_spread = (
            np.where(spread > _NOISE * weight * squares, spread, 0.0)
            for spread, squares in ((weight * xx - x * x, xx), (weight * yy - y * y, yy))
        )
        return np.clip(ratio(weight * xy - x * y, np.sqrt(x_spread * y_spread)), -1.0, 1.0)

    fast = of_rows if weights is None else None
    return additive(count_ids(units), table, of_sums, value, of_rows=fast)
