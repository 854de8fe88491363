"""Measures of agreement: a statistic tied to the human side of the data, waiting for a metric's scores.

A measure gives the statistic's value for a metric, and its values in bootstrap resamples. What is drawn are *units*:
as a rule segments, each with all its translations. Translations of one segment are not independent (a hard source
hurts them all); drawn one by one they give intervals that are too narrow. One seed draws the same resamples for
every metric, so the resampled values of two metrics can be subtracted pair by pair.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pfsm.evaluation.bootstrap import FEWEST_UNITS, Seed, check_bootstrap, resampled_times
from pfsm.evaluation.correlation import dense_ranks, kendall_tau_b
from pfsm.evaluation.pooled import OfTotals
from pfsm.evaluation.samples import by_appearance, count_ids, dense_ids, sums_of_segments

OfTimes = Callable[[NDArray[np.int64]], NDArray[np.float64]]
"""From resamples, as how many times each unit stands in them, int64 [m, n_units], to the statistic, float64 [m]."""
Names = Sequence[Any] | NDArray[Any]


class Measure(ABC):
    """A statistic of a metric's scores, the human side being given."""

    units: NDArray[np.int64]
    """int64 [n], from 0 up in the order of their first items: the unit of each item."""

    @property
    def n_units(self) -> int:
        """Number of units that resamples draw from."""
        return count_ids(self.units)

    @abstractmethod
    def value(self, metric: NDArray[np.float64]) -> float:
        """The statistic; NaN where it is undefined.

        Args:
            metric: float64 [n], the metric's scores of the items; of preferences [n, 2].
        """

    @abstractmethod
    def resampler(self, metric: NDArray[np.float64]) -> OfTimes:
        """The statistic in resamples of the units, of which there are at least two; NaN where it is undefined."""

    def values(self, metrics: NDArray[np.float64]) -> NDArray[np.float64]:
        """float64 [m]: the statistic of every row of scores, float64 [m, n]."""
        return np.array([self.value(metric) for metric in metrics], dtype=np.float64)

    def pooled(self, of_totals: OfTotals) -> "Measure":  # noqa: ARG002
        """The same measure of a metric that pools counts: for scores it takes statistics, float64 [n, k].

        Args:
            of_totals: From sums of the statistics to scores.

        Raises:
            ValueError: If the statistic is not of systems.
        """
        raise ValueError("the statistic compares scores of translations; this metric pools their counts")

    def remarks(self, metric: NDArray[np.float64]) -> Mapping[str, float | bool]:  # noqa: ARG002
        """What else is to be said of the value, by the key that JSON has it under."""
        return {}

    def resampled(self, metric: NDArray[np.float64], n_resamples: int, seed: Seed) -> NDArray[np.float64]:
        """float64 [n_resamples]: the statistic in bootstrap resamples; see `resampled_together`."""
        return resampled_together([(self, metric)], n_resamples, seed)[0]


def resampled_together(
    tasks: Sequence[tuple[Measure, NDArray[np.float64]]], n_resamples: int, seed: Seed
) -> list[NDArray[np.float64]]:
    """Statistics of metrics in the same bootstrap resamples: the one place where data is resampled.

    Args:
        tasks: Measures, each with a metric's scores of its items.
        n_resamples: At least 1.
        seed: As in `bootstrap_interval`. Measures with as many units share their resamples.

    Returns:
        float64 [n_resamples] for each task; NaN where the statistic is undefined, and throughout where there are
        fewer than two units.

    Raises:
        ValueError: If there are no resamples.
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

    human: NDArray[np.float64]
    """float64 [n], finite."""
    segments: NDArray[np.int64] | None = None
    """int64 [n], from 0 up without gaps: translations of one source segment share a number."""
    systems: NDArray[np.int64] | None = None
    """int64 [n], from 0 up without gaps: who translated."""
    lengths: NDArray[np.float64] | None = None
    """float64 [n], not negative: how much an item weighs in length-weighted statistics."""
    drawn: NDArray[np.int64] | None = None
    """int64 [n]: what is drawn together, where that is not the segments; see `units`."""

    def __len__(self) -> int:
        return self.human.size

    @cached_property
    def units(self) -> NDArray[np.int64]:
        """int64 [n], from 0 up in the order of their first items: what is drawn together in resamples.

        Segments where nothing else is said; each item by itself where there are none.
        """
        ids = self.segments if self.drawn is None else self.drawn
        return np.arange(self.human.size) if ids is None else by_appearance(ids)

    def select(self, rows: NDArray[np.int64]) -> "Items":
        """The items of some rows, numbered anew."""
        return Items(
            self.human[rows],
            _part(self.segments, rows),
            _part(self.systems, rows),
            None if self.lengths is None else self.lengths[rows],
            _part(self.drawn, rows),
        )

    def pick(self, metric: NDArray[np.float64], rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """A metric's scores of the items of `select`, from its scores of all."""
        return metric[rows]


def _part(ids: NDArray[np.int64] | None, rows: NDArray[np.int64]) -> NDArray[np.int64] | None:
    return None if ids is None else by_appearance(ids[rows])


def scored_items(
    human: ArrayLike,
    segments: Names | None = None,
    systems: Names | None = None,
    lengths: ArrayLike | None = None,
    drawn: Names | None = None,
) -> Items:
    """Check and number what belongs to the human side.

    Args:
        human: float64 [n], finite.
        segments: [n], names or numbers of the segments.
        systems: [n], names or numbers of the systems.
        lengths: float64 [n], finite, not negative.
        drawn: [n], names or numbers of what is drawn together in resamples; the segments where it is None.

    Raises:
        ValueError: If lengths differ, or a number is not what it must be.
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
    )


def finite_scores(scores: ArrayLike, n: int | None = None) -> NDArray[np.float64]:
    """Scores as float64 [n].

    Raises:
        ValueError: If they are not one-dimensional, not `n` (where it is given), or one is not finite.
    """
    array = np.asarray(scores, dtype=np.float64)
    if array.ndim != 1 or (n is not None and array.size != n):
        wanted = "a series" if n is None else f"{n}"
        raise ValueError(f"scores have shape {array.shape}, {wanted} of them are needed")
    if not np.isfinite(array).all():
        raise ValueError("a score is not finite")
    return array


def units_of_parts(parts: NDArray[np.int64], units: NDArray[np.int64]) -> NDArray[np.int64] | None:
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


def whole_parts(parts: NDArray[np.int64], units: NDArray[np.int64]) -> NDArray[np.int64]:
    """`units_of_parts` of what is resampled in one piece.

    Raises:
        ValueError: If a part lies in several units.
    """
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
    human: NDArray[np.float64]
    units: NDArray[np.int64]

    def value(self, metric: NDArray[np.float64]) -> float:
        """As `Measure.value`."""
        return self.statistic(metric, self.human)

    def resampler(self, metric: NDArray[np.float64]) -> OfTimes:
        """As `Measure.resampler`."""
        from pfsm_kernels.statistics.rank import (  # noqa: PLC0415 - starts a JIT compiler
            repeated_kendall_tau_b,
            repeated_spearman,
        )

        kernel = repeated_kendall_tau_b if self.statistic is kendall_tau_b else repeated_spearman
        # In the order of the metric's scores: the kernel sorts in every call, which then costs little.
        order = np.argsort(metric, kind="stable")
        ranks, human, units = dense_ranks(metric)[order], dense_ranks(self.human)[order], self.units[order]
        # A few resamples at a time: units have many rows.
        step = max(1, _ROWS_AT_ONCE // units.size)

        def of_times(times: NDArray[np.int64]) -> NDArray[np.float64]:
            blocks = (times[start : start + step][:, units] for start in range(0, len(times), step))
            return np.concatenate([kernel(ranks, human, block) for block in blocks])

        return of_times


_ROWS_AT_ONCE = 1 << 20


@dataclass(frozen=True, eq=False)
class PlainMeasure(Measure):
    """Any function of a metric's and people's scores, resampled by brute force."""

    function: Callable[[NDArray[np.float64], NDArray[np.float64]], float]
    human: NDArray[np.float64]
    units: NDArray[np.int64]

    def value(self, metric: NDArray[np.float64]) -> float:
        """As `Measure.value`."""
        return float(self.function(metric, self.human))

    def resampler(self, metric: NDArray[np.float64]) -> OfTimes:
        """As `Measure.resampler`."""

        def of_times(times: NDArray[np.int64]) -> NDArray[np.float64]:
            rows = (np.repeat(np.arange(metric.size), one[self.units]) for one in times)
            return np.array([self.function(metric[row], self.human[row]) for row in rows], dtype=np.float64)

        return of_times


class AdditiveMeasure(Measure):
    """A measure whose statistic is a function of sums over units."""

    @abstractmethod
    def table(self, metric: NDArray[np.float64]) -> NDArray[np.float64]:
        """float64 [n_units, k]: what each unit adds to the sums."""

    @abstractmethod
    def of_sums(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """float64 [m]: the statistic of each row of sums, float64 [m, k]; NaN where it is undefined."""

    def value(self, metric: NDArray[np.float64]) -> float:
        """As `Measure.value`."""
        return float(self.of_sums(self.table(metric).sum(axis=0, keepdims=True))[0])

    def resampler(self, metric: NDArray[np.float64]) -> OfTimes:
        """As `Measure.resampler`."""
        from pfsm_kernels.statistics.resampling import resampled_sums  # noqa: PLC0415 - starts a JIT compiler

        table = self.table(metric)
        return lambda times: self.of_sums(resampled_sums(times, table))


@dataclass(frozen=True, eq=False)
class MeanScore(AdditiveMeasure):
    """The mean of the scores themselves, whatever people say."""

    units: NDArray[np.int64]

    def value(self, metric: NDArray[np.float64]) -> float:
        """As `Measure.value`."""
        return float(metric.mean()) if metric.size else float("nan")

    def table(self, metric: NDArray[np.float64]) -> NDArray[np.float64]:
        """float64 [n_units, 2]: sums of scores and numbers of them."""
        return sums_of_segments(np.stack([metric, np.ones(metric.size)], axis=1), self.units)

    def of_sums(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """As `AdditiveMeasure.of_sums`."""
        return ratio(sums[:, 0], sums[:, 1])


def ratio(parts: NDArray[np.float64], wholes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Quotients, NaN where the whole is not above 0; both float64 [m]."""
    result = np.full(parts.shape, np.nan)
    np.divide(parts, wholes, out=result, where=wholes > 0.0)
    return result
