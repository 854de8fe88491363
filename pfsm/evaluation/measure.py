"""Measures of agreement: a statistic tied to the human side of the data, waiting for a metric's scores.

A measure gives the statistic's value for a metric, and its values in bootstrap resamples. One seed draws the
same resamples for every metric, so that two metrics' resampled values can be subtracted pair by pair. Where
the items carry segments, segments are drawn, with all their items: translations of one segment are not
independent (a hard source hurts them all), and drawn one by one they give intervals that are too narrow.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pfsm.evaluation.bootstrap import (
    FEWEST_UNITS,
    Seed,
    Statistic,
    resampled_statistics,
    resampled_sums,
    resampled_times,
)
from pfsm.evaluation.correlation import dense_ranks, kendall_tau_b, pearson, pearson_of_rows
from pfsm.evaluation.samples import dense_ids, renumbered


class Measure(Protocol):
    """A statistic of a metric's scores, the human side being given."""

    def value(self, metric: NDArray[np.float64]) -> float:
        """The statistic; NaN where it is undefined.

        Args:
            metric: float64 [n], the metric's scores of the items.
        """
        ...

    def resampled(self, metric: NDArray[np.float64], n_resamples: int, seed: Seed) -> NDArray[np.float64]:
        """float64 [n_resamples]: the statistic in bootstrap resamples.

        NaN where it is undefined, and throughout where there are fewer than two of what is drawn.
        """
        ...


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

    def __len__(self) -> int:
        return self.human.size

    def select(self, rows: NDArray[np.int64]) -> "Items":
        """The items of some rows, their segments and systems numbered anew."""
        return Items(
            self.human[rows],
            None if self.segments is None else renumbered(self.segments[rows]),
            None if self.systems is None else renumbered(self.systems[rows]),
            None if self.lengths is None else self.lengths[rows],
        )


Names = Sequence[Any] | NDArray[Any]


def scored_items(
    human: ArrayLike,
    segments: Names | None = None,
    systems: Names | None = None,
    lengths: ArrayLike | None = None,
) -> Items:
    """Check and number what belongs to the human side.

    Args:
        human: float64 [n], finite.
        segments: [n], names or numbers of the segments.
        systems: [n], names or numbers of the systems.
        lengths: float64 [n], finite, not negative.

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


def values_of(measure: Measure, metrics: NDArray[np.float64]) -> NDArray[np.float64]:
    """float64 [m]: the statistic of every row of scores, float64 [m, n]; all at once where the measure can."""
    if isinstance(measure, Correlation) and measure.statistic is pearson:
        return pearson_of_rows(metrics, np.broadcast_to(measure.human, metrics.shape))
    return np.array([measure.value(metric) for metric in metrics], dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Correlation:
    """Pearson's, Spearman's or Kendall's correlation over items that are drawn one by one."""

    statistic: Statistic
    human: NDArray[np.float64]

    def value(self, metric: NDArray[np.float64]) -> float:
        """As `Measure.value`."""
        return self.statistic(metric, self.human)

    def resampled(self, metric: NDArray[np.float64], n_resamples: int, seed: Seed) -> NDArray[np.float64]:
        """As `Measure.resampled`."""
        return resampled_statistics(self.statistic, metric, self.human, n_resamples=n_resamples, seed=seed)


@dataclass(frozen=True, eq=False)
class SegmentRankCorrelation:
    """Spearman's or Kendall's correlation over items that are drawn by whole segments."""

    statistic: Statistic
    human: NDArray[np.float64]
    segments: NDArray[np.int64]

    def value(self, metric: NDArray[np.float64]) -> float:
        """As `Measure.value`."""
        return self.statistic(metric, self.human)

    def resampled(self, metric: NDArray[np.float64], n_resamples: int, seed: Seed) -> NDArray[np.float64]:
        """As `Measure.resampled`."""
        from pfsm_kernels.rank import (  # noqa: PLC0415 - starts a JIT compiler
            repeated_kendall_tau_b,
            repeated_spearman,
        )

        n_segments = int(self.segments.max(initial=-1)) + 1
        if n_segments < FEWEST_UNITS:
            return np.full(n_resamples, np.nan)
        of_times = repeated_kendall_tau_b if self.statistic is kendall_tau_b else repeated_spearman
        # In the order of the metric's scores: the kernel sorts in every call, which then costs little.
        order = np.argsort(metric, kind="stable")
        ranks, human, segments = (
            dense_ranks(metric)[order],
            dense_ranks(self.human)[order],
            self.segments[order],
        )
        blocks = resampled_times(n_segments, n_resamples, seed)
        return np.concatenate([_of_block(of_times, ranks, human, times, segments) for times in blocks])


_ROWS_AT_ONCE = 1 << 20
_OfTimes = Callable[[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]], NDArray[np.float64]]


def _of_block(
    of_times: _OfTimes,
    left: NDArray[np.int64],
    right: NDArray[np.int64],
    times: NDArray[np.int64],
    segments: NDArray[np.int64],
) -> NDArray[np.float64]:
    """A block of resamples, a few at a time: segments have many rows, and a block many segments."""
    step = max(1, _ROWS_AT_ONCE // segments.size)
    parts = [
        of_times(left, right, times[start : start + step][:, segments])
        for start in range(0, len(times), step)
    ]
    return np.concatenate(parts)


class AdditiveMeasure(ABC):
    """A measure whose statistic is a function of sums over independent units (segments, or items)."""

    @abstractmethod
    def table(self, metric: NDArray[np.float64]) -> NDArray[np.float64]:
        """float64 [n_units, k]: what each unit adds to the sums."""

    @abstractmethod
    def of_sums(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """float64 [m]: the statistic of each row of sums, float64 [m, k]; NaN where it is undefined."""

    def value(self, metric: NDArray[np.float64]) -> float:
        """As `Measure.value`."""
        return float(self.of_sums(self.table(metric).sum(axis=0, keepdims=True))[0])

    def resampled(self, metric: NDArray[np.float64], n_resamples: int, seed: Seed) -> NDArray[np.float64]:
        """As `Measure.resampled`."""
        return self.of_sums(resampled_sums(self.table(metric), n_resamples, seed))


def ratio(parts: NDArray[np.float64], wholes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Quotients, NaN where the whole is not above 0; both float64 [m]."""
    result = np.full(parts.shape, np.nan)
    np.divide(parts, wholes, out=result, where=wholes > 0.0)
    return result
