"""Percentile bootstrap intervals (Efron 1979): the statistic of rows drawn with replacement, many times over.

Everything is reproducible: row numbers come from numpy's PCG64, and one seed gives one series of resamples,
the same for every statistic and whatever the size of the blocks they are drawn in.

Of fewer than two rows, or segments where these are drawn, every resample is the same: there is no interval then.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pfsm.errors import PfsmError
from pfsm.evaluation.correlation import (
    dense_ranks,
    kendall_tau_b,
    paired_scores,
    pearson,
    pearson_of_rows,
    spearman,
)

Statistic = Callable[..., float]
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
    statistic: Statistic,
    *arrays: ArrayLike,
    n_resamples: int = 1000,
    seed: Seed = None,
    confidence: float = 0.95,
) -> Interval:
    """Percentile bootstrap interval of a statistic.

    Resamples whose statistic is NaN, as a correlation with a constant is, are left out. `pearson`,
    `spearman` and `kendall_tau_b` take a faster way to the same numbers.

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
        ValueError: If the arrays differ in length, a number is out of its range, or (for the three
            correlations) a score is not finite.
        PfsmError: If the seed is None and PFSM_SEED is no seed.
    """
    check_bootstrap(n_resamples, confidence)
    resampled = resampled_statistics(statistic, *arrays, n_resamples=n_resamples, seed=seed)
    return percentile_interval(resampled, confidence)


def resampled_statistics(
    statistic: Statistic, *arrays: ArrayLike, n_resamples: int = 1000, seed: Seed = None
) -> NDArray[np.float64]:
    """The statistic of every resample; arguments and errors as in `bootstrap_interval`.

    Returns:
        float64 [n_resamples]; NaN where the statistic is, and throughout where there are fewer than two rows.
    """
    check_bootstrap(n_resamples)
    tables = [np.asarray(array) for array in arrays]
    if not tables or any(table.ndim == 0 or len(table) != len(tables[0]) for table in tables):
        raise ValueError("the bootstrap needs one or more arrays of one length")
    of_rows = _of_rows(statistic, tables)
    if len(tables[0]) < FEWEST_UNITS:
        return np.full(n_resamples, np.nan)
    return np.concatenate([of_rows(rows) for rows in resampled_rows(len(tables[0]), n_resamples, seed)])


def percentile_interval(values: NDArray[np.float64], confidence: float = 0.95) -> Interval:
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
    for rows in resampled_rows(n, n_resamples, seed):
        cells = rows + n * np.arange(len(rows))[:, np.newaxis]
        yield np.bincount(cells.ravel(), minlength=rows.size).reshape(rows.shape)


def resampled_sums(table: NDArray[np.float64], n_resamples: int, seed: Seed = None) -> NDArray[np.float64]:
    """Sums of the columns of a table, whose rows are drawn with replacement.

    Args:
        table: float64 [n, k].
        n_resamples: Number of resamples, at least 1.
        seed: As in `bootstrap_interval`.

    Returns:
        float64 [n_resamples, k]; NaN where the table has fewer than two rows.
    """
    n, width = table.shape
    if n < FEWEST_UNITS:
        return np.full((n_resamples, width), np.nan)
    blocks = [times.astype(np.float64) @ table for times in resampled_times(n, n_resamples, seed)]
    return np.concatenate(blocks)


def check_bootstrap(n_resamples: int, confidence: float = 0.95) -> None:
    """Raise ValueError for a number of resamples below 1, or a confidence not between 0 and 1."""
    if n_resamples < 1:
        raise ValueError(f"n_resamples is {n_resamples}, at least 1 is needed")
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence is {confidence}, a number between 0 and 1 is needed")


_OfRows = Callable[[NDArray[np.int64]], NDArray[np.float64]]


def _of_rows(statistic: Statistic, tables: Sequence[NDArray[Any]]) -> _OfRows:
    """A function from row numbers [n_resamples, n] to the statistic of each resample."""
    correlation = _CORRELATIONS.get(statistic)
    if correlation is not None and len(tables) == 2:
        return correlation(*paired_scores(*tables))
    return lambda rows: np.array(
        [statistic(*(table[row] for table in tables)) for row in rows], dtype=np.float64
    )


def _pearson_of(x: NDArray[np.float64], y: NDArray[np.float64]) -> _OfRows:
    return lambda rows: pearson_of_rows(x[rows], y[rows])


def _spearman_of(x: NDArray[np.float64], y: NDArray[np.float64]) -> _OfRows:
    from pfsm_kernels.rank import resampled_spearman  # noqa: PLC0415 - starts a JIT compiler

    x_ranks, y_ranks = dense_ranks(x), dense_ranks(y)
    return lambda rows: resampled_spearman(x_ranks, y_ranks, rows)


def _kendall_of(x: NDArray[np.float64], y: NDArray[np.float64]) -> _OfRows:
    from pfsm_kernels.rank import resampled_kendall_tau_b  # noqa: PLC0415 - starts a JIT compiler

    # Sorted here once: the kernel sorts in every call, which costs little where the rows are in order.
    order = np.argsort(x, kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(order.size)
    x_ranks, y_ranks = dense_ranks(x)[order], dense_ranks(y)[order]
    return lambda rows: resampled_kendall_tau_b(x_ranks, y_ranks, place[rows])


_CORRELATIONS: dict[Statistic, Callable[..., _OfRows]] = {
    pearson: _pearson_of,
    spearman: _spearman_of,
    kendall_tau_b: _kendall_of,
}
