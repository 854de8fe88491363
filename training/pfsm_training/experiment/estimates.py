"""Statistics of every row in every column, with bootstrap intervals and paired tests against a named row.

The resamples of a group depend on the seed and the group alone. All rows share them, so the differences of two
rows' resampled statistics are those of a paired bootstrap (Koehn 2004).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pfsm.evaluation import Interval, holm, paired_p_value, percentile_interval
from pfsm.evaluation.samples import Sample, group_members, group_seed, mean_sample
from pfsm_training.experiment.config import Experiment
from pfsm_training.experiment.data import Rows, TestSet
from pfsm_training.experiment.measures import group_sample
from pfsm_training.experiment.plan import Plan, statistics_of

Float = NDArray[np.float64]
MEAN = "mean"
SIGNIFICANCE = 0.05


@dataclass(frozen=True)
class Column:
    """A column of the table of one statistic.

    Attributes:
        test: Name of the test set.
        group: A group of it, or `MEAN`, the unweighted mean over the groups.
        n: Number of judgments.
        size: Number of training judgments; None where there is no learning curve.
    """

    test: str
    group: str
    n: int
    size: int | None = None


@dataclass(frozen=True)
class Difference:
    """From the row that the others are compared with: difference, its interval, p-values (two-sided)."""

    value: float
    interval: Interval
    p_value: float
    p_holm: float

    @property
    def significant(self) -> bool:
        """Whether it is beyond chance, corrected for the number of rows in the column."""
        return self.p_holm < SIGNIFICANCE


@dataclass(frozen=True)
class Entry:
    """One number of the table.

    Attributes:
        row: Name of the row.
        statistic: Which statistic.
        column: Where it stands.
        value: The statistic, in a learning curve its mean over the samples; None where it is undefined.
        interval: Of the value, over resampled test data.
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


@dataclass(frozen=True, eq=False)
class Prediction:
    """What one row predicts for every test set: all folds together, or one sample of a learning curve.

    Attributes:
        row: Name of the row.
        size: Training size in a learning curve; None for all sizes.
        sample: Which sample of that size.
        scores: Test set -> float64 [n] scores, or [2 n] with the better translations first; NaN: not tested.
    """

    row: str
    size: int | None
    sample: int
    scores: Mapping[str, Float]


def of_largest_size(predictions: Sequence[Prediction]) -> dict[str, Prediction]:
    """Row -> its prediction; in a learning curve that of the first sample of the largest size."""
    # Sizes grow within a row.
    return {one.row: one for one in predictions if one.sample == 0}


def estimate(experiment: Experiment, plan: Plan, predictions: Sequence[Prediction]) -> list[Entry]:
    """Every number of every table, by statistic, test set, column and row."""
    entries = []
    for statistic in experiment.statistics:
        for test in plan.tests:
            if statistic in statistics_of(experiment, test):
                table = _StatisticOfSet(experiment, plan, test, statistic)
                entries += table.entries(predictions)
    return entries


@dataclass(frozen=True, eq=False)
class _StatisticOfSet:
    experiment: Experiment
    plan: Plan
    test: TestSet
    statistic: str

    def entries(self, predictions: Sequence[Prediction]) -> list[Entry]:
        """The columns one after the other, the rows of the experiment in each."""
        members = group_members(self.test.groups, len(self.test.data))
        sampled = [(one, self._samples(one.scores[self.test.name], members)) for one in predictions]
        columns = [Column(self.test.name, group, rows.size) for group, rows in members.items()]
        if len(members) > 1:
            columns.append(Column(self.test.name, MEAN, len(self.test.data)))
        sizes: Sequence[int | None] = self.plan.sizes or (None,)
        return [
            entry
            for column in columns
            for size in sizes
            for entry in self._column(Column(column.test, column.group, column.n, size), sampled)
        ]

    def _samples(self, scores: Float, members: Mapping[str, Rows]) -> dict[str, Sample]:
        draws = {
            group: (self.experiment.resamples, group_seed(self.experiment.seed, group)) for group in members
        }
        samples = {
            group: group_sample(self.statistic, self.test, scores, rows, draws[group])
            for group, rows in members.items()
        }
        if len(samples) > 1:
            samples[MEAN] = mean_sample(samples)[0]
        return samples

    def _column(
        self, column: Column, sampled: Sequence[tuple[Prediction, Mapping[str, Sample]]]
    ) -> list[Entry]:
        by_row: dict[str, list[Sample]] = {row.name: [] for row in self.experiment.rows}
        for prediction, samples in sampled:
            if prediction.size in {None, column.size}:
                by_row[prediction.row].append(samples[column.group])
        means = {row: _mean(samples) for row, samples in by_row.items()}
        differences = self._differences(means)
        return [
            Entry(
                row,
                self.statistic,
                column,
                _defined(mean.value),
                None if math.isnan(mean.value) else percentile_interval(mean.resampled),
                tuple(_defined(sample.value) for sample in by_row[row]) if column.size is not None else (),
                differences.get(row),
            )
            for row, mean in means.items()
        ]

    def _differences(self, means: Mapping[str, Sample]) -> dict[str, Difference]:
        """Of every row with a value from the row to compare with."""
        versus = self.experiment.versus
        if versus is None or math.isnan(means[versus].value):
            return {}
        base = means[versus]
        compared = {
            row: Sample(mean.value - base.value, mean.resampled - base.resampled)
            for row, mean in means.items()
            if row != versus and not math.isnan(mean.value)
        }
        p_values = [
            paired_p_value(one.resampled[~np.isnan(one.resampled)], one.value) for one in compared.values()
        ]
        corrected = holm(p_values).tolist()
        return {
            row: Difference(one.value, percentile_interval(one.resampled), p_value, p_holm)
            for (row, one), p_value, p_holm in zip(compared.items(), p_values, corrected, strict=True)
        }


def _mean(samples: Sequence[Sample]) -> Sample:
    """The mean over the samples of a learning curve; elsewhere there is one."""
    if len(samples) == 1:
        return samples[0]
    if not samples:
        return Sample(math.nan, np.empty(0))
    return mean_sample({str(number): sample for number, sample in enumerate(samples)})[0]


def _defined(value: float) -> float | None:
    return None if math.isnan(value) else value
