"""Paired bootstrap for two metrics: the difference of a statistic, in resamples that both share.

Koehn (2004) resamples segments to compare two systems by one metric; here the same compares two metrics by one
statistic of their agreement with people. `paired_bootstrap_correlations` takes plain arrays, `paired_bootstrap`
any measure. P-values are two-sided, and never 0.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pfsm.evaluation.bootstrap import (
    Interval,
    check_bootstrap,
    default_seed,
    percentile_interval,
)
from pfsm.evaluation.catalogue import SEGMENT_LEVEL, SYSTEM_LEVEL, Named
from pfsm.evaluation.comparison import paired_p_value
from pfsm.evaluation.measure import Items, Measure, Names, finite_scores, scored_items
from pfsm.evaluation.samples import Sample, group_members, group_seed, mean_sample, renumbered

POOLED = "pooled"


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


@dataclass(frozen=True, eq=False)
class Contest:
    """A measure and two metrics' scores of its items, float64 [n] (of preferences [n, 2])."""

    measure: Measure
    metric_a: NDArray[np.float64]
    metric_b: NDArray[np.float64]
    count: int | None = None
    """What results report as the number of items, where it is not that of the scores."""

    @property
    def n(self) -> int:
        """Number of items."""
        return len(self.metric_a) if self.count is None else self.count


def paired_bootstrap_correlations(
    human: ArrayLike,
    metric_a: ArrayLike,
    metric_b: ArrayLike,
    groups: Sequence[str] | None = None,
    statistic: str = "pearson",
    n_resamples: int = 1000,
    seed: int | None = None,
    confidence: float = 0.95,
    *,
    segments: Names | None = None,
    systems: Names | None = None,
    lengths: ArrayLike | None = None,
    level: str = "segment",
) -> PairedTest:
    """Test the difference of two metrics' correlations with people on the same items.

    Items are drawn within their group; by whole segments where segments are given, else one by one. The
    resampled differences, centred on their own mean, stand for what chance alone does, as in
    `pfsm.evaluation.compare_systems`.

    Args:
        human: float64 [n], finite, higher is better.
        metric_a: float64 [n], finite.
        metric_b: float64 [n], finite.
        groups: [n], names of the groups (language pairs, sets); one group "all" where it is None.
        statistic: A name from `catalogue.SEGMENT_LEVEL`, or `SYSTEM_LEVEL` where that is the level.
        n_resamples: At least 1.
        seed: Of the resamples; `default_seed` where it is None.
        confidence: Of the percentile intervals, between 0 and 1.
        segments: [n], names or numbers; give them wherever a segment has several translations.
        systems: [n], names or numbers; for the system level.
        lengths: float64 [n], for length-weighted statistics.
        level: "segment" or "system".

    Raises:
        ValueError: If lengths differ, a score is not finite, there is no such statistic or level, it needs
            what is not given, or a number is out of its range.
        PfsmError: If the seed is None and PFSM_SEED is no seed.
    """
    items = scored_items(human, segments, systems, lengths)
    contests, pooled = contests_of_items(
        named_statistic(statistic, level), items, (metric_a, metric_b), groups
    )
    return paired_bootstrap(contests, pooled, statistic, n_resamples, seed, confidence)


def named_statistic(name: str, level: str) -> Named[Items]:
    """A statistic of absolute scores, by name and level.

    Raises:
        ValueError: If there is no such level, or no such statistic on it.
    """
    levels = {"segment": SEGMENT_LEVEL, "system": SYSTEM_LEVEL}
    if level not in levels:
        raise ValueError(f"level is {level!r}, 'segment' or 'system' is needed")
    if name not in levels[level]:
        raise ValueError(f"statistic is {name!r}; at {level} level there are {', '.join(levels[level])}")
    return levels[level][name]


def contests_of_items(
    statistic: Named[Items],
    items: Items,
    metrics: tuple[ArrayLike, ArrayLike],
    groups: Sequence[str] | None,
) -> tuple[dict[str, Contest], Contest | None]:
    """The contests of two metrics in every group of items, and over all of them.

    Segments of different groups are different ones, whatever their names. Systems of different groups are
    not compared: at system level there is nothing over all groups.

    Raises:
        ValueError: If lengths differ, a score is not finite, or the statistic needs what is not given.
    """
    one, other = (finite_scores(scores, len(items)) for scores in metrics)
    members = group_members(["all"] * len(items) if groups is None else groups, len(items))
    contests = {
        name: Contest(statistic.bind(items.select(rows)), one[rows], other[rows])
        for name, rows in members.items()
    }
    if "systems" in statistic.needs:
        return contests, None
    return contests, Contest(statistic.bind(_apart(items, members)), one, other)


def paired_bootstrap(
    contests: Mapping[str, Contest],
    pooled: Contest | None,
    statistic: str,
    n_resamples: int = 1000,
    seed: int | None = None,
    confidence: float = 0.95,
) -> PairedTest:
    """The test behind `paired_bootstrap_correlations`, for any measure.

    Args:
        contests: By the name of their group.
        pooled: Over all items, if there is such a thing.
        statistic: What the result calls the statistic.
        n_resamples: At least 1.
        seed: `default_seed` where it is None. A group's resamples depend on the seed and its name alone.
        confidence: Between 0 and 1.

    Raises:
        ValueError: If a number is out of its range.
        PfsmError: If the seed is None and PFSM_SEED is no seed.
    """
    check_bootstrap(n_resamples, confidence)
    seed = default_seed() if seed is None else seed

    def samples(name: str, contest: Contest) -> tuple[Sample, Sample]:
        return (
            _sample(contest.measure, contest.metric_a, n_resamples, group_seed(seed, name)),
            _sample(contest.measure, contest.metric_b, n_resamples, group_seed(seed, name)),
        )

    pairs = {name: samples(name, contest) for name, contest in contests.items()}
    both = [name for name, (a, b) in pairs.items() if not math.isnan(a.value) and not math.isnan(b.value)]
    means = tuple(mean_sample({name: pairs[name][side] for name in both})[0] for side in (0, 1))
    n = sum(contest.n for contest in contests.values())
    groups = tuple(_difference(name, contests[name].n, *pairs[name], confidence) for name in contests)
    return PairedTest(
        "paired bootstrap",
        statistic,
        groups,
        _difference("mean", n, means[0], means[1], confidence),
        pooled_difference(
            groups, pooled, lambda whole: _difference(POOLED, whole.n, *samples(POOLED, whole), confidence)
        ),
        n_resamples,
        seed,
        confidence,
    )


def pooled_difference(
    groups: Sequence[Difference], pooled: Contest | None, test: Callable[[Contest], Difference]
) -> Difference | None:
    """The result over all items: that of the group where there is only one, else a test of its own."""
    if pooled is None:
        return None
    return replace(groups[0], name=POOLED) if len(groups) == 1 else test(pooled)


def _apart(items: Items, members: Mapping[str, NDArray[np.int64]]) -> Items:
    """The items, numbers of segments made different between groups."""
    if items.segments is None:
        return items
    group = np.zeros(len(items), dtype=np.int64)
    for number, rows in enumerate(members.values()):
        group[rows] = number
    apart = renumbered(items.segments + group * (items.segments.max(initial=0) + 1))
    return Items(items.human, apart, None, items.lengths)


def _sample(measure: Measure, metric: NDArray[np.float64], n_resamples: int, seed: tuple[int, int]) -> Sample:
    return Sample(measure.value(metric), measure.resampled(metric, n_resamples, seed))


def _difference(name: str, n: int, a: Sample, b: Sample, confidence: float) -> Difference:
    difference = a.value - b.value
    if math.isnan(difference):
        return Difference(name, n, a.value, b.value, math.nan, Interval(math.nan, math.nan), math.nan)
    resampled = a.resampled - b.resampled
    p_value = paired_p_value(resampled, difference)
    interval = percentile_interval(resampled, confidence)
    return Difference(name, n, a.value, b.value, difference, interval, p_value)
