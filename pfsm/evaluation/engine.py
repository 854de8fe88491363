"""Is a difference more than chance? P-values from resamples, and Holm's correction for several of them.

The engine: statistics of a question with their intervals, and two metrics compared.

Every number that is printed about agreement comes from here: `pfsm evaluate` with and without ``--statistics`` and
``--versus``, `pfsm compare` and experiments. A group's resamples depend on the seed, the group's name and what is
resampled, so equal questions have equal answers.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pfsm.arrays import Float
from pfsm.errors import PfsmError
from pfsm.evaluation.bootstrap import (
    CONFIDENCE,
    Estimate,
    Interval,
    MeanEstimate,
    Sample,
    check_bootstrap,
    default_seed,
    group_seed,
    mean_sample,
    never_differ,
    pooled_sample,
)
from pfsm.evaluation.catalogue import SYSTEM, Statistic
from pfsm.evaluation.measure import Items, resampled_together, units_of_parts
from pfsm.evaluation.pooled import PooledScores, Scores, remembered
from pfsm.evaluation.questions import Data, Question

MEAN, POOLED = "mean", "pooled"
ROUNDING = 1e-12


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

    The mean is over the groups where both metrics have the statistic. `pooled` is None where items of different
    groups cannot be pooled. Intervals have the level `confidence`; the numbers depend on `n_resamples` and `seed`.
    """

    test: str
    statistic: str
    groups: tuple[Difference, ...]
    mean: Difference
    pooled: Difference | None
    n_resamples: int
    seed: int
    confidence: float


def _sample_difference(name: str, n: int, a: Sample, b: Sample, confidence: float = CONFIDENCE) -> Difference:
    """The paired bootstrap (Koehn 2004): one statistic less another, in resamples that both share."""
    if math.isnan(a.value - b.value):
        return Difference(name, n, a.value, b.value, math.nan, Interval(math.nan, math.nan), math.nan)
    both = a.minus(b)
    interval = both.estimate(confidence).interval
    p_value = paired_p_value(both.resampled, both.value)
    if both.n_units is not None:
        # A test by every exchange of the units has no smaller p-value; more resamples do not make it smaller.
        p_value = float(np.maximum(p_value, 2.0 ** (1 - both.n_units)))
    return Difference(name, n, a.value, b.value, both.value, interval, p_value)


def corrected_differences(
    pairs: Sequence[tuple[Sample, Sample]], confidence: float = CONFIDENCE
) -> list[tuple[Difference, float]]:
    """The first of each pair less the second, with p-values after Holm's correction for all that have one."""
    found = [_sample_difference("", 0, one, other, confidence) for one, other in pairs]
    return list(zip(found, holm([one.p_value for one in found]).tolist(), strict=True))


def paired_p_value(resampled_differences: Float, difference: float) -> float:
    """Two-sided p-value of a difference from its bootstrap resamples.

    Args:
        resampled_differences: float64 [n]; NaN among them are left out.
        difference: The observed one.

    Returns:
        ``(c + 1) / (n + 1)``, c being the number of resampled differences that lie at least as far from
        their mean as the observed one lies from 0, or twice the number of those that are 0 or on its other side, if
        that is more: no difference is significant whose percentile interval holds 0. It is never 0 (and 1 for a
        difference of 0). NaN where there are no resamples, or all are the same though there is a difference: they tell
        nothing about chance.
    """
    defined = resampled_differences[~np.isnan(resampled_differences)]
    if defined.size == 0 or (difference != 0.0 and never_differ(defined)):
        return float("nan")
    centred: Float = np.abs(defined - defined.mean())
    as_far = int(np.count_nonzero(centred >= abs(difference)))
    rounding = ROUNDING * float(np.abs(defined).max())
    across = 2 * int(min(np.count_nonzero(defined <= rounding), np.count_nonzero(defined >= -rounding)))
    return (min(max(as_far, across), defined.size) + 1) / (defined.size + 1)


def holm(p_values: ArrayLike) -> Float:
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


BOOTSTRAP = "paired bootstrap"


@dataclass(frozen=True)
class Estimates:
    """A statistic in every group, by name, and its unweighted mean over the groups."""

    groups: Mapping[str, Estimate]
    mean: MeanEstimate
    pooled: Estimate | None = None
    """Of shares of pairs of systems, over the pairs of all groups; None of other statistics."""
    over_groups: Interval | None = None
    """Of the same, where groups are drawn as well as what is resampled in each."""


def estimate(
    question: Question[Data],
    metric: Scores,
    statistics: Sequence[Statistic[Data]],
    n_resamples: int = 1000,
    seed: int | None = None,
    confidence: float = CONFIDENCE,
) -> dict[str, Estimates]:
    """Statistics of a metric with bootstrap intervals.

    Args:
        question: The human side.
        metric: The metric's scores of the data's rows, float64 [n]; of preferences [n, 2]. About systems and documents
            also `PooledScores`.
        statistics: From the tables of `pfsm.evaluation.catalogue`, or one's own.
        n_resamples: Of each group, at least 1.
        seed: `default_seed` where it is None.
        confidence: Of the percentile intervals, between 0 and 1.

    Returns:
        Name of a statistic -> its estimates.

    Raises:
        ValueError: If a statistic needs what the question has not, or translations resampled together (`check_units`),
            or a number is out of its range.
        PfsmError: If the seed is None and PFSM_SEED is not a seed.
    """
    check_bootstrap(n_resamples, confidence)
    seed = default_seed() if seed is None else seed
    found = samples(question, metric, statistics, n_resamples, seed)
    return {
        statistic.name: Estimates(
            {
                name: replace(sample.estimate(confidence), remarks=sample.remarks())
                for name, sample in found[statistic.name].items()
            },
            _mean_of_groups(found[statistic.name], confidence),
            *(_pooled(found[statistic.name], seed, confidence) if statistic.of_pairs else ()),
        )
        for statistic in statistics
    }


def _mean_of_groups(samples: Mapping[str, Sample], confidence: float) -> MeanEstimate:
    mean = mean_sample(samples.values()).estimate(confidence)
    left_out = tuple(name for name, sample in samples.items() if math.isnan(sample.value))
    return MeanEstimate(mean.value, mean.interval, left_out)


def _pooled(samples: Mapping[str, Sample], seed: int, confidence: float) -> tuple[Estimate, Interval]:
    """The pooled estimate, and the interval where groups are drawn too."""
    of_units, of_both = (pooled_sample([*samples.values()], one) for one in (None, group_seed(seed, POOLED)))
    return of_units.estimate(confidence), of_both.estimate(confidence).interval


def check_units(question: Question[Data], statistics: Iterable[Statistic[Any]]) -> None:
    """Finds out before long work whether statistics can be resampled as a question asks."""
    items = question.items
    within = [statistic.name for statistic in statistics if "segments" in statistic.needs]
    # Systems are compared by sums over whatever is resampled.
    if not within or question.level == SYSTEM or not isinstance(items, Items) or items.segments is None:
        return
    if units_of_parts(items.segments, items.units) is None:
        raise PfsmError(
            f"{within[0]} compares translations of one segment, which resampling {question.unit} would tear apart; "
            "resample segments"
        )


def samples(
    question: Question[Data],
    metric: Scores,
    statistics: Sequence[Statistic[Data]],
    n_resamples: int,
    seed: int,
) -> dict[str, dict[str, Sample]]:
    """Statistics of a metric and of its resamples: name of the statistic -> group -> sample.

    Arguments and errors as in `estimate`; the scores may be NaN for items without a score, and a group that holds
    such an item has no value.
    """
    scores = question.scores(metric)
    of_groups = {
        name: _samples_of(
            part, question.part_scores(scores, name), statistics, n_resamples, group_seed(seed, name)
        )
        for name, part in question.parts.items()
    }
    return {
        statistic.name: {name: found[place] for name, found in of_groups.items()}
        for place, statistic in enumerate(statistics)
    }


def _samples_of(
    items: Data,
    metric: Scores,
    statistics: Sequence[Statistic[Data]],
    n_resamples: int,
    seed: tuple[int, int],
) -> list[Sample]:
    """Statistics of the items of one group, all from the same resamples; NaN where a score is."""
    values = metric.statistics if isinstance(metric, PooledScores) else metric
    if np.isnan(values).any():
        return [Sample(math.nan, np.full(n_resamples, np.nan)) for _ in statistics]
    measures = [statistic.bind(items) for statistic in statistics]
    if isinstance(metric, PooledScores):
        of_totals = remembered(metric.of_totals)
        measures = [measure.pooled(of_totals) for measure in measures]
    resampled = resampled_together([(measure, values) for measure in measures], n_resamples, seed)
    return [
        Sample(
            measure.value(values), found, measure.weight, partial(measure.remarks, values), measure.n_units
        )
        for measure, found in zip(measures, resampled, strict=True)
    ]


def compare(
    question: Question[Data],
    metric_a: Scores,
    metric_b: Scores,
    statistics: Sequence[Statistic[Data]],
    n_resamples: int = 1000,
    seed: int | None = None,
    confidence: float = CONFIDENCE,
) -> dict[str, PairedTest]:
    """The paired bootstrap of two metrics, in every group, for the mean, and over all items together.

    The resampled differences, centred on their own mean, stand for what chance alone does. Arguments, results and
    errors as in `estimate`. Systems of different groups are not compared: at system level shares of pairs alone are
    pooled, over the pairs of all groups.

    Args:
        question: The human side.
        metric_a: float64 [n], scores of the first metric, as in `estimate`.
        metric_b: Scores of the second.
        statistics: As in `estimate`.
        n_resamples: Number of resamples, at least 1.
        seed: `default_seed` where it is None.
        confidence: Of the intervals, between 0 and 1.

    Returns:
        A test for each statistic, by name.
    """
    check_bootstrap(n_resamples, confidence)
    seed = default_seed() if seed is None else seed
    sides = [samples(question, metric, statistics, n_resamples, seed) for metric in (metric_a, metric_b)]
    whole = [
        _samples_of(question.items, scores, statistics, n_resamples, group_seed(seed, POOLED))
        for scores in map(question.scores, (metric_a, metric_b) if question.pools_groups else ())
    ]
    results = {}
    for place, statistic in enumerate(statistics):
        a, b = (side[statistic.name] for side in sides)
        groups = tuple(
            _sample_difference(name, rows.size, a[name], b[name], confidence)
            for name, rows in question.members.items()
        )
        n = len(question.items)
        results[statistic.name] = PairedTest(
            BOOTSTRAP,
            statistic.name,
            groups,
            _sample_difference(MEAN, n, *_of_both(a, b, mean_sample), confidence),
            _sample_difference(POOLED, n, whole[0][place], whole[1][place], confidence)
            if whole
            else _sample_difference(POOLED, n, *_of_both(a, b, pooled_sample), confidence)
            if statistic.of_pairs
            else pooled_of_one(question, groups),
            n_resamples,
            seed,
            confidence,
        )
    return results


def pooled_of_one(question: Question[Data], groups: Sequence[Difference]) -> Difference | None:
    """The result over all items of a question whose groups are not pooled: that of the only group, if it has one."""
    if question.level == SYSTEM or len(groups) != 1:
        return None
    return replace(groups[0], name=POOLED)


def _of_both(
    a: Mapping[str, Sample], b: Mapping[str, Sample], join: Callable[[list[Sample]], Sample]
) -> tuple[Sample, Sample]:
    """The samples of the groups where both have the statistic, joined."""
    both = [name for name in a if not math.isnan(a[name].value) and not math.isnan(b[name].value)]
    return join([a[name] for name in both]), join([b[name] for name in both])
