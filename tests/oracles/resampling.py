"""The bootstrap written plainly: units drawn with replacement, all their rows taken, the statistic worked out anew.

Resamples of a group come from numpy's PCG64, seeded with the seed and the CRC-32 of the group's name: that much has to
be agreed upon for two programs to draw alike. Everything else is loops and lists.
"""

import math
import zlib
from collections.abc import Callable, Hashable, Sequence

import numpy as np

Rows = list[int]


def units_of(keys: Sequence[Hashable]) -> list[Rows]:
    """The rows of every unit, units in the order in which they first appear."""
    found: dict[Hashable, Rows] = {}
    for row, key in enumerate(keys):
        found.setdefault(key, []).append(row)
    return list(found.values())


def resamples(
    units: Sequence[Rows], statistic: Callable[[Rows], float], count: int, seed: int, group: str
) -> list[float]:
    """The statistic of every resample, called with the rows of all units drawn; NaN where it is undefined."""
    if len(units) < 2:
        return [math.nan] * count
    generator = np.random.Generator(np.random.PCG64((seed, zlib.crc32(group.encode()))))
    drawn = generator.integers(len(units), size=(count, len(units))).tolist()
    return [statistic([row for unit in resample for row in units[unit]]) for resample in drawn]


def quantile(values: Sequence[float], share: float) -> float:
    """Linear interpolation between the two values on either side."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def interval(values: Sequence[float]) -> tuple[float, float]:
    """The central 95% of the values that are defined."""
    defined = [value for value in values if not math.isnan(value)]
    if not defined or max(defined) - min(defined) <= 1e-12 * max(map(abs, defined)):
        return math.nan, math.nan
    return quantile(defined, 0.025), quantile(defined, 0.975)


def p_value(differences: Sequence[float], observed: float, n_units: int) -> float:
    """How often a resampled difference lies as far from their mean as the observed one does from 0.

    Or twice how often one is 0 or on its other side; at least what all exchanges of the units could say.
    """
    defined = [value for value in differences if not math.isnan(value)]
    centre = math.fsum(defined) / len(defined)
    as_far = sum(abs(value - centre) >= abs(observed) for value in defined)
    across = 2 * min(sum(value <= 0.0 for value in defined), sum(value >= 0.0 for value in defined))
    return max((min(max(as_far, across), len(defined)) + 1) / (len(defined) + 1), 2.0 ** (1 - n_units))


def mean_over_groups(groups: Sequence[Sequence[float]]) -> list[float]:
    """Resample by resample, the mean of the groups that are defined there."""
    means = []
    for values in zip(*groups, strict=True):
        defined = [value for value in values if not math.isnan(value)]
        means.append(math.fsum(defined) / len(defined) if defined else math.nan)
    return means
