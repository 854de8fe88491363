"""A statistic of a group and of its bootstrap resamples; groups, segments, and means over groups."""

import math
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.evaluation.bootstrap import CONFIDENCE, Interval, percentile_interval


@dataclass(frozen=True)
class Estimate:
    """A statistic and its bootstrap interval; NaN where it is undefined."""

    value: float
    interval: Interval
    remarks: Mapping[str, float | bool] = field(default_factory=dict, compare=False)
    """What else is to be said of the value (`Measure.remarks`)."""


@dataclass(frozen=True)
class MeanEstimate:
    """The unweighted mean of a statistic over the groups that have it, and its bootstrap interval.

    Attributes:
        value: The mean; NaN where no group has the statistic.
        interval: Of the mean.
        left_out: Names of the groups where the statistic is undefined.
    """

    value: float
    interval: Interval
    left_out: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Sample:
    """A statistic of one group, and of its resamples, float64 [n_resamples]; NaN where undefined."""

    value: float
    resampled: NDArray[np.float64]

    def estimate(self, confidence: float = CONFIDENCE) -> Estimate:
        """The statistic with the percentile interval of its resamples."""
        if math.isnan(self.value):
            return Estimate(self.value, Interval(math.nan, math.nan))
        return Estimate(self.value, percentile_interval(self.resampled, confidence))

    def minus(self, other: "Sample") -> "Sample":
        """The difference from another one, of the same resamples."""
        return Sample(self.value - other.value, self.resampled - other.resampled)


def mean_of_groups(samples: Mapping[str, Sample], confidence: float = CONFIDENCE) -> MeanEstimate:
    """The unweighted mean over the groups that have the statistic."""
    mean, left_out = mean_sample(samples)
    estimate = mean.estimate(confidence)
    return MeanEstimate(estimate.value, estimate.interval, left_out)


def mean_sample(samples: Mapping[str, Sample]) -> tuple[Sample, tuple[str, ...]]:
    """The unweighted mean of a statistic and of its resamples, and the groups left out of it.

    A group whose statistic is undefined is left out; so is, within a resample, one that is undefined there. One that
    has a statistic but no resamples, having too few segments to draw, leaves the mean without resamples too.
    """
    left_out = tuple(name for name, sample in samples.items() if math.isnan(sample.value))
    kept = [sample for name, sample in samples.items() if name not in left_out]
    if not kept:
        return Sample(math.nan, np.empty(0)), left_out
    values = np.array([sample.value for sample in kept])
    resampled = np.stack([sample.resampled for sample in kept])
    numbers = (~np.isnan(resampled)).sum(axis=0)
    means = np.full(numbers.size, np.nan)
    if not np.isnan(resampled).all(axis=1).any():
        np.divide(np.nansum(resampled, axis=0), numbers, out=means, where=numbers > 0)
    return Sample(float(values.mean()), means), left_out


def group_members(groups: Sequence[str], n: int) -> dict[str, NDArray[np.int64]]:
    """Row numbers of every group, groups sorted by name.

    Raises:
        ValueError: If there are not `n` names.
    """
    if len(groups) != n:
        raise ValueError(f"there are {n} rows, but {len(groups)} group names")
    rows: dict[str, list[int]] = {}
    for row, name in enumerate(groups):
        rows.setdefault(name, []).append(row)
    return {name: np.array(rows[name], dtype=np.int64) for name in sorted(rows)}


def group_seed(seed: int, name: str) -> tuple[int, int]:
    """A series of its own for every group: one series for all would draw equal row numbers in equal sizes."""
    return seed, zlib.crc32(name.encode("utf-8"))


def dense_ids(names: Sequence[Any] | NDArray[Any], n: int, what: str) -> NDArray[np.int64]:
    """int64 [n]: 0 for the first name in sorted order, one more for each further one; equal for equal names.

    Args:
        names: [n], text, numbers or tuples of them, for example of segments.
        n: How many there must be.
        what: What a message calls them.

    Raises:
        ValueError: If there are not `n` of them.
    """
    if len(names) != n:
        raise ValueError(f"there are {n} rows, but {len(names)} {what}")
    if isinstance(names, np.ndarray) and names.dtype.kind in "biufU":
        return np.unique(names, return_inverse=True)[1].reshape(-1).astype(np.int64)
    # A numpy array of text would give every row the width of the longest.
    ids = {name: number for number, name in enumerate(sorted(set(names)))}
    return np.array([ids[name] for name in names], dtype=np.int64)


def by_appearance(ids: NDArray[np.int64]) -> NDArray[np.int64]:
    """The same ids from 0 up without gaps, in the order in which they first appear.

    What is drawn is numbered like this: resamples then depend on which rows belong together, not on names.
    """
    _, first, inverse = np.unique(ids, return_index=True, return_inverse=True)
    place = np.empty(first.size, dtype=np.int64)
    place[np.argsort(first, kind="stable")] = np.arange(first.size)
    return place[inverse.reshape(-1)]


def count_ids(ids: NDArray[np.int64]) -> int:
    """How many there are, of ids from 0 up without gaps."""
    return int(ids.max(initial=-1)) + 1


def sums_of_segments(table: NDArray[np.float64], segments: NDArray[np.int64]) -> NDArray[np.float64]:
    """float64 [n_segments, k]: the rows of a table added up by segment.

    Args:
        table: float64 [n, k].
        segments: int64 [n], from 0 up without gaps.
    """
    return np.stack([np.bincount(segments, weights=column) for column in table.T], axis=1)
