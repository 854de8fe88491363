"""Williams' test: two metrics' Pearson correlations with people, on the same independent items."""

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class WilliamsTest:
    """Williams' test: the statistic, its degrees of freedom, and p-values."""

    t: float
    degrees: int
    p_value: float
    """Two-sided."""
    p_greater: float
    """One-sided, for the first metric being closer to people: the form used by Graham and Baldwin."""


def williams_test(r12: float, r13: float, r23: float, n: int) -> WilliamsTest:
    """Williams' test of two dependent correlations (Williams 1959; Graham and Baldwin 2014, section 3).

    ``t = (r12 - r13) sqrt((n - 1)(1 + r23)) / sqrt(2 K (n - 1)/(n - 3) + (r12 + r13)^2/4 (1 - r23)^3)`` with
    ``K = 1 - r12^2 - r13^2 - r23^2 + 2 r12 r13 r23`` has Student's distribution with n - 3 degrees of freedom
    where the true correlations are equal. It is for Pearson's r of n independent items: several translations
    of one segment are not independent.

    Args:
        r12: Correlation of people and the first metric.
        r13: Of people and the second metric.
        r23: Of the two metrics.
        n: Number of items, at least 4.

    Returns:
        The result; p is 1 (and p_greater one half) where r12 and r13 are equal.

    Raises:
        ValueError: If a correlation is not from -1 to 1, the three cannot occur together, or n is below 4.
    """
    if n < 4:
        raise ValueError(f"n is {n}, at least 4 items are needed")
    if not all(-1.0 <= r <= 1.0 for r in (r12, r13, r23)):
        raise ValueError(f"correlations are {r12}, {r13} and {r23}, numbers from -1 to 1 are needed")
    determinant = 1.0 - r12**2 - r13**2 - r23**2 + 2.0 * r12 * r13 * r23
    if determinant < -1e-9:
        raise ValueError(f"correlations of {r12}, {r13} and {r23} cannot occur together")
    if r12 == r13:
        return WilliamsTest(0.0, n - 3, 1.0, 0.5)
    from scipy.special import stdtr  # noqa: PLC0415 - slow to import, needed here alone

    variance = 2.0 * max(determinant, 0.0) * (n - 1) / (n - 3) + ((r12 + r13) / 2.0) ** 2 * (1.0 - r23) ** 3
    top = (r12 - r13) * math.sqrt((n - 1) * (1.0 + r23))
    t = top / math.sqrt(variance) if variance > 0.0 else math.copysign(math.inf, top)
    return WilliamsTest(t, n - 3, 2.0 * float(stdtr(n - 3, -abs(t))), float(stdtr(n - 3, -t)))
