"""Paired permutation test of two systems (Noreen 1989), exact for few units, with the interval that inverts it.

If two systems do not differ, it makes no difference which of them a unit's translations came from: their sums are
exchanged on some units, and the scores computed anew. Where scores are means, this flips signs of the units' summed
differences. With ``d`` the observed difference, ``e`` that of an exchange and ``r`` the share of segments that kept
their side less the share of the others, a true difference of ``x`` would leave ``|e - x r| >= |d - x|`` for every x
between ``(d - e) / (1 - r)`` and ``(d + e) / (1 + r)``. For means these are the differences on the two parts of the
data. ``p`` is the share of exchanges that have 0 between these ends; the interval holds each x that is not rejected.
"""

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from pfsm.arrays import Float
from pfsm.evaluation.bootstrap import Interval, Seed, never_differ

Int = NDArray[np.int64]

FEWER_THAN = 100
"""Units below which the bootstrap sees differences too often, so that systems are compared by exchanges."""
ALL_UP_TO = 15
"""Units up to which every exchange is made."""
_BLOCK = 1 << 20
_ROUNDING = 1e-12


def exchanges(n_units: int, n_exchanges: int, seed: Seed) -> Iterator[Int]:
    """Yield blocks of int64 [m, n_units]: 1 where a unit keeps its side, 0 where it is exchanged.

    The first exchanges nothing. Up to `ALL_UP_TO` units all others follow, each without its mirror image, which has the
    same size of difference; else as many random ones as are asked for.
    """
    if n_units <= ALL_UP_TO:
        yield 1 - (np.arange(2 ** (n_units - 1))[:, np.newaxis] >> np.arange(n_units) & 1)
        return
    yield np.ones((1, n_units), dtype=np.int64)
    generator = np.random.Generator(np.random.PCG64(seed))
    size = max(1, _BLOCK // n_units)
    for start in range(0, n_exchanges, size):
        yield generator.integers(2, size=(min(size, n_exchanges - start), n_units))


def exchange_tests(
    tables: Sequence[Float],
    of_sums: Callable[[Float], Float],
    sizes: Int,
    pairs: Sequence[tuple[int, int]],
    n_exchanges: int,
    seed: Seed,
    confidence: float,
) -> list[tuple[Interval, float]]:
    """Intervals and two-sided p-values of differences of systems.

    Args:
        tables: float64 [n_units, k] of each system, what its units add to the sums.
        of_sums: From sums, float64 [m, k], to scores, float64 [m].
        sizes: int64 [n_units], segments of each unit.
        pairs: The systems to compare, by their numbers from 0.
        n_exchanges: Of more than `ALL_UP_TO` units.
        seed: Of these.
        confidence: Of the intervals.

    Returns:
        One of each pair. The interval is NaN where it has no end, as of fewer than six units; p too where every
        exchange says the same, as of segments that all differ alike.
    """
    from pfsm_kernels.statistics.resampling import resampled_sums  # noqa: PLC0415 - starts a JIT compiler

    shares: list[Float] = []
    kept_sums: list[list[Float]] = [[] for _ in tables]
    for kept in exchanges(sizes.size, n_exchanges, seed):
        shares.append(2.0 * (kept @ sizes) / sizes.sum() - 1.0)
        for table, found in zip(tables, kept_sums, strict=True):
            found.append(resampled_sums(kept, table))
    share, sums = np.concatenate(shares), [np.concatenate(found) for found in kept_sums]
    others = [table.sum(axis=0) - kept for table, kept in zip(tables, sums, strict=True)]
    return [
        _tested(of_sums(sums[a] + others[b]), of_sums(sums[b] + others[a]), share, confidence)
        for a, b in pairs
    ]


def _tested(first: Float, second: Float, share: Float, confidence: float) -> tuple[Interval, float]:
    """From both systems' scores after each exchange, the first of which exchanges nothing, float64 [m] each."""
    found = first - second
    ends = np.stack([found[0] - found, found[0] + found])
    ends[np.abs(ends) <= _ROUNDING * (np.abs(first) + np.abs(second))] = 0.0
    # An exchange of all units or none, or without a score, says nothing against any difference.
    bounded = (np.abs(share) < 1.0) & np.isfinite(found)
    sides = np.stack([np.full(share.size, -np.inf), np.full(share.size, np.inf)])
    np.divide(ends, np.stack([1.0 - share, 1.0 + share]), out=sides, where=bounded)
    lows, highs = sides.min(axis=0), sides.max(axis=0)
    undefined = Interval(math.nan, math.nan)
    if found[0] != 0.0 and bounded.any() and never_differ(sides[:, bounded]):
        return undefined, math.nan
    p_value = float(np.mean((lows <= 0.0) & (highs >= 0.0)))
    rank = max(1, math.ceil((1.0 - confidence) * share.size - 1e-9))
    low, high = np.partition(lows, rank - 1)[rank - 1], np.partition(highs, -rank)[-rank]
    interval = Interval(float(low), float(high)) if math.isfinite(low) and math.isfinite(high) else undefined
    return interval, p_value
