"""Statistics of every row in every column, with bootstrap intervals and paired tests between rows.

The resamples of a group depend on the seed and the group alone. All rows share them, so the differences of two rows'
resampled statistics are those of a paired bootstrap (Koehn 2004).
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from pfsm.arrays import Float
from pfsm.data import Judgments
from pfsm.evaluation import Interval
from pfsm.evaluation.bootstrap import Sample, group_seed, mean_sample, pooled_sample
from pfsm.evaluation.engine import corrected_differences, samples
from pfsm.evaluation.people import people_of
from pfsm.evaluation.pooled import PooledScores, Scores
from pfsm.evaluation.questions import LIKENESS, ONE_GROUP, Question
from pfsm_experiments.data import MEAN, POOLED, TestSet, questions_of
from pfsm_experiments.plan import Plan, statistics_of
from pfsm_experiments.spec import PAIRS_OF_SYSTEMS, Experiment

SIGNIFICANCE = 0.05
# The statistic of systems that a perfect metric would have the ceiling in.
CEILED = "system-accuracy"


@dataclass(frozen=True)
class Column:
    """A column of the table of one statistic.

    Attributes:
        test: Name of the test set.
        group: A group of it, `MEAN`, the unweighted mean over the groups, or `POOLED`, over what all groups hold.
        n: Number of judgments, of translated documents or of pairs of systems where the statistic counts these.
        size: Number of training judgments; None where there is no learning curve.
        ceiling: Of an accuracy over pairs of systems, that of a perfect metric; None of others.
    """

    test: str
    group: str
    n: int
    size: int | None = None
    ceiling: float | None = None


@dataclass(frozen=True)
class Difference:
    """From another row: difference, its interval, two-sided p-values; NaN where resamples tell nothing about chance."""

    value: float
    interval: Interval
    p_value: float
    p_holm: float

    @property
    def significant(self) -> bool:
        """Whether it is significant, corrected for the number of differences that were tested together.

        The interval must be there and not hold zero: where a few segments carry the whole difference, resamples have
        two heaps, and centring them, as the test does, makes any difference look certain.
        """
        one_sided = self.interval.low > 0.0 or self.interval.high < 0.0
        return self.p_holm < SIGNIFICANCE and one_sided


@dataclass(frozen=True)
class Entry:
    """One number of the table.

    Attributes:
        row: Name of the row.
        statistic: Which statistic.
        column: Where it stands.
        value: The statistic, in a learning curve its mean over the samples; None where it is undefined.
        interval: Of the value, over resampled test data; None where there is none, as of a single segment.
        samples: In a learning curve, the statistic of every sample; else empty.
        difference: From the row to compare with; None without one, and in that row.
    """

    row: str
    statistic: str
    column: Column
    value: float | None
    interval: Interval | None
    samples: tuple[float | None, ...] = ()
    difference: Difference | None = None


@dataclass(frozen=True)
class Contrast:
    """Two rows compared with each other, as the experiment asks.

    Attributes:
        row: Name of the first.
        other: Name of the second.
        statistic: Which statistic.
        column: Where.
        values: The statistic of the first and of the second; None where it is undefined. Of a mean where a group has
            only one of the two, their means over the groups that have both.
        difference: The first less the second; None where one of them is undefined. Holm's correction is for all
            comparisons in the column.
    """

    row: str
    other: str
    statistic: str
    column: Column
    values: tuple[float | None, float | None]
    difference: Difference | None


@dataclass(frozen=True, eq=False)
class Prediction:
    """What one row predicts for every test set: all folds together, or one sample of a learning curve.

    Attributes:
        row: Name of the row.
        size: Training size in a learning curve; None for all sizes.
        sample: Which sample of that size.
        scores: Test set -> float64 [n] scores, or [2 n] with the better translations first; NaN: not tested.
        likeness: Test set -> scores of the test cases of human likeness, where they are asked for.
        pooled: Test set and level -> what the rows add to scores of systems or documents, of metrics that pool counts.
    """

    row: str
    size: int | None
    sample: int
    scores: Mapping[str, Float]
    likeness: dict[str, Float]
    pooled: dict[tuple[str, str], PooledScores]


def estimate(
    experiment: Experiment, plan: Plan, predictions: Sequence[Prediction]
) -> tuple[tuple[Entry, ...], tuple[Contrast, ...]]:
    """Every number of every table, and every comparison, by statistic, test set, column and row."""
    sets = [_filled_columns(experiment, plan, test, predictions) for test in plan.tests]
    filled = [
        column for statistic in experiment.statistics for found in sets for column in found.get(statistic, ())
    ]
    filled += [
        _pool(
            name, statistic, [column for column in filled if column.statistic == statistic], plan, experiment
        )
        for name in dict.fromkeys(test.pool for test in plan.tests if test.pool is not None)
        for statistic in experiment.statistics
        if statistic in PAIRS_OF_SYSTEMS
    ]
    entries = tuple(entry for column in filled for entry in column.entries(experiment.versus))
    return entries, tuple(one for column in filled for one in column.contrasts(experiment.contrasts))


def _filled_columns(
    experiment: Experiment, plan: Plan, test: TestSet, predictions: Sequence[Prediction]
) -> dict[str, "list[_Filled]"]:
    """By statistic the columns of a test set, with all rows of the experiment in each."""
    rows, name = [row.name for row in experiment.rows], test.name
    sizes: Sequence[int | None] = plan.sizes or (None,)
    result: dict[str, list[_Filled]] = {}
    names = statistics_of(experiment, test)
    for question, statistics in questions_of(test, names, experiment.resample):
        found = [
            samples(
                question,
                _scores(one, test, question),
                list(statistics.values()),
                experiment.resamples,
                experiment.seed,
            )
            for one in predictions
        ]
        for called, statistic in statistics.items():
            sampled = [one[statistic.name] for one in found]
            counts = {group: members.size for group, members in question.members.items()}
            if statistic.of_pairs:
                counts = {
                    group: int(np.nanmax([0.0, *(one[group].weight for one in sampled)])) for group in counts
                }
            ceilings: dict[str, float] = {}
            if called == CEILED:
                ceilings = {group: people_of(part).ceiling for group, part in question.parts.items()}
            n = sum(counts.values())
            columns = [Column(name, group, n, None, ceilings.get(group)) for group, n in counts.items()]
            if len(counts) > 1:
                mean = float(np.mean([*ceilings.values()])) if ceilings else None
                columns.append(Column(name, MEAN, n, None, mean))
            if len(counts) > 1 and called in PAIRS_OF_SYSTEMS:
                columns.append(Column(name, POOLED, n, None, _weighted(counts, ceilings)))

            result[called] = []
            for column in (replace(one, size=size) for one in columns for size in sizes):
                groups = list(counts) if column.group in {MEAN, POOLED} else []
                of = partial(_by_row, rows, predictions, sampled, column.size)
                means = [_means(of(group)) for group in groups]
                pooled = column.group == POOLED
                own = _pooled(means, pooled_sample) if pooled else of(column.group)
                result[called].append(_Filled(called, column, own, means, pooled_sample if pooled else _mean))
    return result


def _by_row(
    rows: Sequence[str],
    predictions: Sequence[Prediction],
    sampled: Sequence[Mapping[str, Sample]],
    size: int | None,
    group: str,
) -> dict[str, list[Sample]]:
    """What each row comes to in a group, or in the mean of all; of a learning curve the samples of a size."""
    found: dict[str, list[Sample]] = {row: [] for row in rows}
    for prediction, one in zip(predictions, sampled, strict=True):
        if prediction.size in {None, size}:
            found[prediction.row].append(mean_sample(one.values()) if group == MEAN else one[group])
    return found


def _scores(one: Prediction, test: TestSet, question: Question[Any]) -> Scores:
    """A prediction's scores, as a question of a test set takes them."""
    if question.kind == LIKENESS:
        missing = np.full(question.items.units.size + question.items.automatic.size, np.nan)
        return one.likeness.get(test.name, missing)
    scores = one.scores[test.name]
    if not isinstance(test.data, Judgments):
        scores = np.ascontiguousarray(scores.reshape(2, -1).T)  # [n, 2]
    return one.pooled.get((test.name, question.level)) or scores


@dataclass(frozen=True, eq=False)
class _Filled:
    """A column with every row's samples: several in a learning curve, none where it is tested nowhere.

    `groups` are the means of every row in each group that the column joins; none where it is of one group.
    """

    statistic: str
    column: Column
    samples: Mapping[str, Sequence[Sample]]
    groups: Sequence[Mapping[str, Sample]]
    join: Callable[[Sequence[Sample]], Sample]

    @cached_property
    def means(self) -> dict[str, Sample]:
        """Of every row."""
        return _means(self.samples)

    def sides(self, row: str, other: str) -> tuple[Sample, Sample]:
        """What two rows are compared by: their means, over the groups that have both where some have but one."""
        one, two = self.means[row], self.means[other]
        shared = [
            found
            for found in self.groups
            if not math.isnan(found[row].value) and not math.isnan(found[other].value)
        ]
        if math.isnan(one.value) or math.isnan(two.value) or len(shared) == len(self.groups):
            return one, two
        return self.join([found[row] for found in shared]), self.join([found[other] for found in shared])

    def entries(self, versus: str | None) -> list[Entry]:
        """The numbers, with their differences from the row of that name."""
        others = [] if versus is None else [row for row in self.means if row != versus]
        pairs = [self.sides(row, str(versus)) for row in others]
        tested = dict(zip(others, differences(pairs), strict=True))
        return [
            Entry(
                row,
                self.statistic,
                self.column,
                _defined(mean.value),
                interval_of(mean),
                tuple(_defined(one.value) for one in self.samples[row])
                if self.column.size is not None
                else (),
                tested.get(row),
            )
            for row, mean in self.means.items()
        ]

    def contrasts(self, pairs: Sequence[tuple[str, str]]) -> list[Contrast]:
        """The comparisons of two rows each."""
        sides = [self.sides(row, other) for row, other in pairs]
        return [
            Contrast(
                row,
                other,
                self.statistic,
                self.column,
                (_defined(one.value), _defined(two.value)),
                difference,
            )
            for (row, other), (one, two), difference in zip(pairs, sides, differences(sides), strict=True)
        ]


def _pooled(
    groups: Sequence[Mapping[str, Sample]], join: Callable[[Sequence[Sample]], Sample]
) -> dict[str, list[Sample]]:
    """What each row comes to over the pairs of systems of all groups."""
    return {row: [join([one[row] for one in groups])] for row in groups[0]} if groups else {}


def _weighted(counts: Mapping[str, int], ceilings: Mapping[str, float]) -> float | None:
    known = {group: n for group, n in counts.items() if not math.isnan(ceilings.get(group, math.nan))}
    total = sum(known.values())
    return sum(n * ceilings[group] for group, n in known.items()) / total if total else None


def _pool(
    pool: str, statistic: str, filled: Sequence["_Filled"], plan: Plan, experiment: Experiment
) -> "_Filled":
    """The column over the pairs of systems of all test sets of a pool; resamples draw groups too."""
    members = {test.name for test in plan.tests if test.pool == pool}
    own = [one for one in filled if one.column.test in members and one.column.group not in {MEAN, POOLED}]
    join = partial(pooled_sample, seed=group_seed(experiment.seed, pool))
    counts = {f"{number}": one.column.n for number, one in enumerate(own)}
    ceilings = {f"{number}": one.column.ceiling for number, one in enumerate(own)}
    known = {name: value for name, value in ceilings.items() if value is not None}
    column = Column(pool, ONE_GROUP, sum(counts.values()), None, _weighted(counts, known))
    means = [one.means for one in own]
    return _Filled(statistic, column, _pooled(means, join), means, join)


def differences(pairs: Sequence[tuple[Sample, Sample]]) -> list[Difference | None]:
    """The first of each pair less the second; Holm's correction is for all pairs that have a p-value.

    Args:
        pairs: Statistics of two rows with their resamples, float64 [n_resamples] each, from the same draws.

    Returns:
        One a pair; None where one of the two has no value.
    """
    return [
        None
        if math.isnan(found.difference)
        else Difference(found.difference, found.interval, found.p_value, p_holm)
        for found, p_holm in corrected_differences(pairs)
    ]


def interval_of(sample: Sample) -> Interval | None:
    """The interval of a statistic; None where it is undefined, or resamples never differ."""
    interval = sample.estimate().interval
    return None if math.isnan(interval.low) else interval


def _means(samples: Mapping[str, Sequence[Sample]]) -> dict[str, Sample]:
    """Of every row."""
    return {row: _mean(found) for row, found in samples.items()}


def _mean(samples: Sequence[Sample]) -> Sample:
    """The mean over the samples of a learning curve, or over groups; NaN without any."""
    if len(samples) == 1:
        return samples[0]
    if not samples:
        return Sample(math.nan, np.empty(0))
    return mean_sample(samples)


def _defined(value: float) -> float | None:
    return None if math.isnan(value) else value
