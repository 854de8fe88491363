"""Percentile bootstrap intervals (Efron 1979): the statistic of rows drawn with replacement, many times over.

Everything is reproducible: row numbers come from numpy's PCG64, and one seed gives one series of resamples,
the same for every statistic and whatever the size of the blocks they are drawn in.

Of fewer than two rows, or segments where these are drawn, every resample is the same: there is no interval then.

A statistic of a group and of its bootstrap resamples; groups, segments, and means over groups.
"""

import math
import os
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pfsm.arrays import Float
from pfsm.errors import PfsmError

Int = NDArray[np.int64]


CONFIDENCE = 0.95
"""Part of the resampled statistics that an interval holds, unless the caller says otherwise."""
ArrayFunction = Callable[..., float]
"""A number from arrays that have one row per observation; NaN where it is undefined."""
Seed = int | Sequence[int] | None
"""One whole number, or several, from 0 up; None for `default_seed`."""

FEWEST_UNITS = 2
"""Rows, or segments, without which resamples say nothing of chance."""
_SAME = 1e-12
"""Relative difference that rounding makes between resamples that are the same."""
_BLOCK = 1 << 18
"""Row numbers drawn at a time: 2 MB of them, and a few times that in the arrays they select."""


@dataclass(frozen=True)
class Interval:
    """An interval from `low` to `high` that a statistic lies in; both are NaN where it is undefined."""

    low: float
    high: float


def default_seed() -> int:
    """The seed that the environment variable PFSM_SEED names, 12345 where it is not set.

    Returns:
        A whole number from 0 up.

    Raises:
        PfsmError: If the variable is not a whole number from 0 up.
    """
    value = os.environ.get("PFSM_SEED", "12345")
    try:
        seed = int(value)
    except ValueError:
        seed = -1
    if seed < 0:
        raise PfsmError(f"environment variable PFSM_SEED is {value!r}, a whole number from 0 up is needed")
    return seed


def bootstrap_interval(
    statistic: ArrayFunction,
    *arrays: ArrayLike,
    n_resamples: int = 1000,
    seed: Seed = None,
    confidence: float = CONFIDENCE,
) -> Interval:
    """Percentile bootstrap interval of a statistic.

    Resamples whose statistic is NaN, as a correlation with a constant is, are left out.

    Args:
        statistic: Called with every array, each reduced to the rows of a resample.
        arrays: One or more, [n] or [n, …]; rows are drawn jointly.
        n_resamples: Number of resamples, at least 1.
        seed: Of the random rows; `default_seed` where it is None.
        confidence: Part of the resampled statistics inside the interval, between 0 and 1.

    Returns:
        The interval; NaN at both ends where no resample has a statistic, all have the same, or there are fewer than
        two rows.

    Raises:
        ValueError: If the arrays differ in length, or a number is out of its range.
        PfsmError: If the seed is None and PFSM_SEED is not a seed.
    """
    check_bootstrap(n_resamples, confidence)
    resampled = resampled_statistics(statistic, *arrays, n_resamples=n_resamples, seed=seed)
    return percentile_interval(resampled, confidence)


def resampled_statistics(
    statistic: ArrayFunction, *arrays: ArrayLike, n_resamples: int = 1000, seed: Seed = None
) -> Float:
    """The statistic of every resample; arguments and errors as in `bootstrap_interval`.

    Returns:
        float64 [n_resamples]; NaN where the statistic is, and throughout where there are fewer than two rows.

    Args:
        statistic: As in `bootstrap_interval`.
        arrays: As in `bootstrap_interval`.
        n_resamples: Number of resamples, at least 1.
        seed: As in `bootstrap_interval`.
    """
    check_bootstrap(n_resamples)
    tables = [np.asarray(array) for array in arrays]
    if not tables or any(table.ndim == 0 or len(table) != len(tables[0]) for table in tables):
        raise ValueError("the bootstrap needs one or more arrays of one length")
    if len(tables[0]) < FEWEST_UNITS:
        return np.full(n_resamples, np.nan)
    values = [
        statistic(*(table[drawn] for table in tables))
        for rows in resampled_rows(len(tables[0]), n_resamples, seed)
        for drawn in rows
    ]
    return np.array(values, dtype=np.float64)


def percentile_interval(values: Float, confidence: float = CONFIDENCE) -> Interval:
    """The central part of resampled statistics, NaN among them left out.

    Args:
        values: float64 [n_resamples].
        confidence: How large a part, between 0 and 1.

    Returns:
        The (1 - confidence)/2 and (1 + confidence)/2 quantiles, interpolated linearly; NaN without values, or where
        all are the same, which tells nothing about chance.
    """
    defined = values[~np.isnan(values)]
    if never_differ(defined):
        return Interval(float("nan"), float("nan"))
    low, high = np.quantile(defined, [(1.0 - confidence) / 2.0, (1.0 + confidence) / 2.0])
    return Interval(float(low), float(high))


def never_differ(values: Float) -> bool:
    """Whether all values, float64 [n] without NaN, are the same but for rounding; so are none at all."""
    return values.size == 0 or bool(np.ptp(values) <= _SAME * np.abs(values).max())


def resampled_rows(n: int, n_resamples: int, seed: Seed = None) -> Iterator[Int]:
    """Row numbers of every resample, drawn with replacement, a block of resamples at a time.

    Args:
        n: Number of rows to draw from, and to draw, at least 1.
        n_resamples: Number of resamples, at least 1.
        seed: As in `bootstrap_interval`.

    Yields:
        int64 [resamples in the block, n]; the blocks hold `n_resamples` together.
    """
    generator = np.random.Generator(np.random.PCG64(default_seed() if seed is None else seed))
    size = max(1, _BLOCK // n)
    for start in range(0, n_resamples, size):
        yield generator.integers(n, size=(min(size, n_resamples - start), n))


def resampled_times(n: int, n_resamples: int, seed: Seed = None) -> Iterator[Int]:
    """The resamples of `resampled_rows`, as how many times each row stands in them.

    Yields:
        int64 [resamples in the block, n].
    """
    from pfsm_kernels.statistics.resampling import drawn_times  # noqa: PLC0415 - starts a JIT compiler

    for rows in resampled_rows(n, n_resamples, seed):
        yield drawn_times(rows, n)


def check_bootstrap(n_resamples: int, confidence: float = CONFIDENCE) -> None:
    """Raise ValueError for a number of resamples below 1, or a confidence not between 0 and 1."""
    if n_resamples < 1:
        raise ValueError(f"n_resamples is {n_resamples}, at least 1 is needed")
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence is {confidence}, a number between 0 and 1 is needed")


@dataclass(frozen=True)
class Estimate:
    """The `value` of a statistic and its bootstrap interval; NaN where it is undefined."""

    value: float
    interval: Interval
    remarks: Mapping[str, float | bool] = field(default_factory=dict, compare=False)
    """Further facts about the value (`Measure.remarks`)."""


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
    resampled: Float
    weight: float = math.nan
    """How much it counts where groups are pooled, as `pfsm.evaluation.measure.Measure.weight`."""
    remarks: Callable[[], Mapping[str, float | bool]] = dict
    """What else is to be said of the value."""
    n_units: int | None = None
    """How many units resamples draw from; None where it does not matter."""

    def estimate(self, confidence: float = CONFIDENCE) -> Estimate:
        """The statistic with the percentile interval of its resamples."""
        if math.isnan(self.value):
            return Estimate(self.value, Interval(math.nan, math.nan))
        return Estimate(self.value, percentile_interval(self.resampled, confidence))

    def minus(self, other: "Sample") -> "Sample":
        """The difference from another one, of the same resamples."""
        return replace(self, value=self.value - other.value, resampled=self.resampled - other.resampled)


def mean_sample(samples: Iterable[Sample]) -> Sample:
    """The unweighted mean of a statistic of groups, and of its resamples.

    A group whose statistic is undefined is left out; so is, within a resample, one that is undefined there. One that
    has a statistic but no resamples, having too few segments to draw, leaves the mean without resamples too.
    """
    return pooled_sample([replace(sample, weight=1.0) for sample in samples])


def pooled_sample(samples: Sequence[Sample], seed: Seed = None) -> Sample:
    """A share over what all groups hold, each group counting by its weight.

    Args:
        samples: Of the groups; those whose statistic is undefined are left out, in resamples too. One without resamples
            leaves the whole without.
        seed: Of groups to draw: resamples hold as many groups, drawn with replacement; None: each group once.
    """
    kept = [sample for sample in samples if not math.isnan(sample.value)]
    weights = np.array([sample.weight for sample in kept])
    if not kept or not weights.sum() > 0.0:
        return Sample(math.nan, np.empty(0))
    resampled = np.stack([sample.resampled for sample in kept], axis=1)
    numbers: Float = np.ones(resampled.shape)
    if seed is not None:
        generator = np.random.Generator(np.random.PCG64(seed))
        chances = np.full(len(kept), 1.0 / len(kept))
        numbers = generator.multinomial(len(kept), chances, len(resampled)).astype(np.float64)
    heaviness = np.asarray(numbers * np.where(np.isnan(resampled), 0.0, weights))
    found = np.full(len(resampled), np.nan)
    if not np.isnan(resampled).all(axis=0).any():
        sums, wholes = (heaviness * np.nan_to_num(resampled)).sum(axis=1), heaviness.sum(axis=1)
        np.divide(sums, wholes, out=found, where=wholes > 0.0)
    value = float(np.average([sample.value for sample in kept], weights=weights))
    units = [sample.n_units for sample in kept if sample.n_units is not None]
    return Sample(value, found, float(weights.sum()), n_units=sum(units) if units else None)


def group_members(groups: Sequence[str], n: int) -> dict[str, Int]:
    """Row numbers of every group, groups sorted by name."""
    if len(groups) != n:
        raise ValueError(f"there are {n} rows, but {len(groups)} group names")
    rows: dict[str, list[int]] = {}
    for row, name in enumerate(groups):
        rows.setdefault(name, []).append(row)
    return {name: np.array(rows[name], dtype=np.int64) for name in sorted(rows)}


def group_seed(seed: int, name: str) -> tuple[int, int]:
    """A series of its own for every group: one series for all would draw equal row numbers in equal sizes."""
    return seed, zlib.crc32(name.encode("utf-8"))


def dense_ids(names: Sequence[Any] | NDArray[Any], n: int, what: str) -> Int:
    """int64 [n]: 0 for the first name in sorted order, one more for each further one; equal for equal names.

    Args:
        names: [n], text, numbers or tuples of them, for example of segments.
        n: How many there must be.
        what: What a message calls them.
    """
    if len(names) != n:
        raise ValueError(f"there are {n} rows, but {len(names)} {what}")
    if isinstance(names, np.ndarray) and names.dtype.kind in "biufU":
        return np.unique(names, return_inverse=True)[1].reshape(-1).astype(np.int64)
    # A numpy array of text would give every row the width of the longest.
    ids = {name: number for number, name in enumerate(sorted(set(names)))}
    return np.array([ids[name] for name in names], dtype=np.int64)


def by_appearance(ids: Int) -> Int:
    """The same ids from 0 up without gaps, in the order in which they first appear.

    What is drawn is numbered like this: resamples then depend on which rows belong together, not on names.
    """
    _, first, inverse = np.unique(ids, return_index=True, return_inverse=True)
    place = np.empty(first.size, dtype=np.int64)
    place[np.argsort(first, kind="stable")] = np.arange(first.size)
    return place[inverse.reshape(-1)]


def count_ids(ids: Int) -> int:
    """How many there are, of ids from 0 up without gaps."""
    return int(ids.max(initial=-1)) + 1


def sums_of_segments(table: Float, segments: Int) -> Float:
    """float64 [n_segments, k]: the rows of a table added up by segment.

    Args:
        table: float64 [n, k].
        segments: int64 [n], from 0 up without gaps.
    """
    return np.stack([np.bincount(segments, weights=column) for column in table.T], axis=1)
