"""Is a difference more than chance? P-values from resamples, and Holm's correction for several of them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pfsm.evaluation.bootstrap import CONFIDENCE, Interval, never_differ
from pfsm.evaluation.samples import Sample

MEAN, POOLED = "mean", "pooled"


@dataclass(frozen=True)
class Difference:
    """How two metrics' agreement with people differs.

    Attributes:
        name: The group, "mean" or "pooled".
        n: Number of items.
        value_a: The statistic of the first metric; NaN where it is undefined.
        value_b: Of the second.
        difference: The first less the second.
        interval: Of the difference; NaN where the test gives none.
        p_value: How often a difference this large arises where the metrics do not differ (two-sided);
            NaN where the difference is undefined, or its resamples tell nothing (`paired_p_value`).
    """

    name: str
    n: int
    value_a: float
    value_b: float
    difference: float
    interval: Interval
    p_value: float


@dataclass(frozen=True)
class PairedTest:
    """A test of two metrics in every group, for the mean over the groups, and over all items together.

    The mean is over the groups where both metrics have the statistic. `pooled` is None where items of
    different groups cannot be thrown together. The numbers depend on `n_resamples` and `seed`.
    """

    test: str
    statistic: str
    groups: tuple[Difference, ...]
    mean: Difference
    pooled: Difference | None
    n_resamples: int
    seed: int
    confidence: float


def sample_difference(name: str, n: int, a: Sample, b: Sample, confidence: float = CONFIDENCE) -> Difference:
    """The paired bootstrap (Koehn 2004): one statistic less another, in resamples that both share.

    Args:
        name: What the result is called.
        n: Number of items.
        a: The first statistic.
        b: The second, of the same resamples.
        confidence: Of the percentile interval, between 0 and 1.
    """
    if math.isnan(a.value - b.value):
        return Difference(name, n, a.value, b.value, math.nan, Interval(math.nan, math.nan), math.nan)
    both = a.minus(b)
    interval = both.estimate(confidence).interval
    p_value = paired_p_value(both.resampled, both.value)
    return Difference(name, n, a.value, b.value, both.value, interval, p_value)


def corrected_differences(
    pairs: Sequence[tuple[Sample, Sample]], confidence: float = CONFIDENCE
) -> list[tuple[Difference, float]]:
    """The first of each pair less the second, with p-values after Holm's correction for all that have one."""
    found = [sample_difference("", 0, one, other, confidence) for one, other in pairs]
    return list(zip(found, holm([one.p_value for one in found]).tolist(), strict=True))


def paired_p_value(resampled_differences: NDArray[np.float64], difference: float) -> float:
    """Two-sided p-value of a difference from its bootstrap resamples.

    Args:
        resampled_differences: float64 [n]; NaN among them are left out.
        difference: The observed one.

    Returns:
        ``(c + 1) / (n + 1)``, c being the number of resampled differences that lie at least as far from
        their mean as the observed one lies from 0. It is never 0 (and 1 for a difference of 0). NaN where there are
        no resamples, or all are the same though there is a difference: they tell nothing of chance.
    """
    defined = resampled_differences[~np.isnan(resampled_differences)]
    if defined.size == 0 or (difference != 0.0 and never_differ(defined)):
        return float("nan")
    centred: NDArray[np.float64] = np.abs(defined - defined.mean())
    as_far = int(np.count_nonzero(centred >= abs(difference)))
    return (as_far + 1) / (centred.size + 1)


def holm(p_values: ArrayLike) -> NDArray[np.float64]:
    """p-values corrected for their number by Holm's step-down procedure (Holm 1979).

    With m p-values, the k-th smallest becomes the largest of ``(m - j + 1) p_j`` over ``j = 1..k``, at most
    1. Rejecting where the corrected value is below a level keeps the chance of any false rejection
    below that level, whatever the dependence. What is NaN was not tested: it stays NaN, and does not count.

    Args:
        p_values: float64 [m], from 0 to 1 or NaN; m may be 0.

    Returns:
        float64 [m], in the order given.

    Raises:
        ValueError: If a p-value is not from 0 to 1.
    """
    values = np.asarray(p_values, dtype=np.float64)
    defined = ~np.isnan(values)
    if values.ndim != 1 or ((values < 0.0) | (values > 1.0)).any():
        raise ValueError("p-values must be a series of numbers from 0 to 1")
    # NaN comes last.
    order = np.argsort(values, kind="stable")[: int(defined.sum())]
    factors = np.arange(order.size, 0, -1)
    corrected = np.full_like(values, np.nan)
    corrected[order] = np.minimum(np.maximum.accumulate(factors * values[order]), 1.0)
    return corrected
