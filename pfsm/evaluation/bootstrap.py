"""Percentile bootstrap intervals (Efron 1979): the statistic of rows drawn with replacement, many times over.

Everything is reproducible: row numbers come from numpy's PCG64, and one seed gives one series of resamples,
the same for every statistic and whatever the size of the blocks they are drawn in.

Of fewer than two rows, or segments where these are drawn, every resample is the same: there is no interval then.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pfsm.errors import PfsmError

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
    """An interval that a statistic lies in; both ends NaN where it is undefined."""

    low: float
    high: float


def default_seed() -> int:
    """The seed that the environment variable PFSM_SEED names, 12345 where it is not set.

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
        PfsmError: If the seed is None and PFSM_SEED is no seed.
    """
    check_bootstrap(n_resamples, confidence)
    resampled = resampled_statistics(statistic, *arrays, n_resamples=n_resamples, seed=seed)
    return percentile_interval(resampled, confidence)


def resampled_statistics(
    statistic: ArrayFunction, *arrays: ArrayLike, n_resamples: int = 1000, seed: Seed = None
) -> NDArray[np.float64]:
    """The statistic of every resample; arguments and errors as in `bootstrap_interval`.

    Returns:
        float64 [n_resamples]; NaN where the statistic is, and throughout where there are fewer than two rows.
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


def percentile_interval(values: NDArray[np.float64], confidence: float = CONFIDENCE) -> Interval:
    """The central part of resampled statistics, NaN among them left out.

    Args:
        values: float64 [n_resamples].
        confidence: How large a part, between 0 and 1.

    Returns:
        The (1 - confidence)/2 and (1 + confidence)/2 quantiles, interpolated linearly; NaN without values, or where
        all are the same, which says nothing of chance.
    """
    defined = values[~np.isnan(values)]
    if never_differ(defined):
        return Interval(float("nan"), float("nan"))
    low, high = np.quantile(defined, [(1.0 - confidence) / 2.0, (1.0 + confidence) / 2.0])
    return Interval(float(low), float(high))


def never_differ(values: NDArray[np.float64]) -> bool:
    """Whether all values, float64 [n] without NaN, are the same but for rounding; so are none at all."""
    return values.size == 0 or bool(np.ptp(values) <= _SAME * np.abs(values).max())


def resampled_rows(n: int, n_resamples: int, seed: Seed = None) -> Iterator[NDArray[np.int64]]:
    """Row numbers of every resample, drawn with replacement, a block of resamples at a time.

    Args:
        n: Number of rows to draw from, and to draw, at least 1.
        n_resamples: Number of resamples, at least 1.
        seed: As in `bootstrap_interval`.

    Yields:
        int64 [resamples in the block, n]; the blocks hold `n_resamples` together.

    Raises:
        ValueError: If the seed is negative.
    """
    generator = np.random.Generator(np.random.PCG64(default_seed() if seed is None else seed))
    size = max(1, _BLOCK // n)
    for start in range(0, n_resamples, size):
        yield generator.integers(n, size=(min(size, n_resamples - start), n))


def resampled_times(n: int, n_resamples: int, seed: Seed = None) -> Iterator[NDArray[np.int64]]:
    """The resamples of `resampled_rows`, as how many times each row stands in them.

    Yields:
        int64 [resamples in the block, n].

    Raises:
        ValueError: If the seed is negative.
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
