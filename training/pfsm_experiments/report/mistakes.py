"""Tables of where metrics err: agreement by length of the reference and by group, signed errors by human score.

The resamples of a bin depend only on the seed and the bin, and all rows share them, as in the tables of results.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pfsm.data import Judgments
from pfsm.evaluation.bins import Bin, group_bins, length_bins, score_bins
from pfsm.evaluation.bootstrap import Sample, group_members, group_seed
from pfsm.evaluation.catalogue import MEAN as MEAN_SCORE
from pfsm.evaluation.catalogue import PREFERENCES, SEGMENT_LEVEL, Statistic
from pfsm.evaluation.engine import samples_of
from pfsm.evaluation.measure import Items
from pfsm.evaluation.preference import PreferenceItems
from pfsm.evaluation.questions import Data
from pfsm_experiments.data import TestSet
from pfsm_experiments.estimates import Column, Entry, Prediction, interval_of, of_largest_size
from pfsm_experiments.plan import Plan
from pfsm_experiments.questions import metric_scores, question_of
from pfsm_experiments.report.standardised import human_scale
from pfsm_experiments.report.tables import Line, ResultTable
from pfsm_experiments.spec import Experiment

Float = NDArray[np.float64]
LENGTH, SCORE, GROUP = "length of the reference", "human score", "group"
PEARSON, WRONG = "pearson", "wrong_pairs"
ERROR, BEYOND = "signed_error", "signed_error_beyond_r"
NAMES = {
    PEARSON: "Pearson's r",
    WRONG: "Share of wrong pairs",
    ERROR: "Signed error",
    BEYOND: "Signed error beyond r",
}
Draw = tuple[int, tuple[int, int]]
"""Number of resamples, and their seed."""
_OfBin = Callable[[Sequence[Float], Bin, Draw], list[Sample]]
"""Computes a statistic in a bin of a test set, for each row; rows are given by their scores on the whole set."""


@dataclass(frozen=True)
class MistakeTable(ResultTable):
    """A statistic in the bins of a test set, with one column per bin.

    Attributes:
        by: The criterion of the bins: `LENGTH`, `SCORE` or `GROUP`.
        bins: One bin per column.
    """

    by: str
    bins: tuple[Bin, ...]

    @property
    def title(self) -> str:
        """Statistic, bins and test set."""
        return f"{NAMES[self.statistic]} by {self.by}, {self.test}"


def mistake_tables(
    experiment: Experiment, plan: Plan, predictions: Sequence[Prediction]
) -> tuple[MistakeTable, ...]:
    """The tables of every test set; a table with fewer than two bins is left out.

    For a learning curve, these are of the first sample of each row's largest size.
    """
    shown = of_largest_size(predictions)
    return tuple(
        table
        for test in plan.tests
        for table in _OfSet(
            experiment, test, {row: one.scores[test.name] for row, one in shown.items()}, bool(plan.sizes)
        ).tables()
        if len(table.bins) > 1
    )


@dataclass(frozen=True, eq=False)
class _OfSet:
    experiment: Experiment
    test: TestSet
    scores: dict[str, Float]
    curve: bool

    def tables(self) -> list[MistakeTable]:
        data = self.test.data
        question = question_of(self.test, resample=self.experiment.resample)
        if isinstance(data, Judgments):
            return self._of_scores(data, question.items)
        return self._of_preferences(question.items)

    def _of_scores(self, data: Judgments, items: Items) -> list[MistakeTable]:
        scale = human_scale(data.scores, group_members(self.test.groups, len(data)))
        standardised = replace(items, human=scale.scores)
        pearson = SEGMENT_LEVEL[PEARSON]
        lengths = length_bins(data.references, scale.rows)
        fifths = score_bins(scale.scores, scale.rows)
        return [
            self._table(PEARSON, LENGTH, lengths, _of_bin(standardised, pearson, scale.predicted)),
            *self._by_group(PEARSON, PEARSON, _of_bin(items, pearson, lambda scores: scores)),
            self._table(ERROR, SCORE, fifths, _of_bin(items, MEAN_SCORE, scale.errors)),
            self._table(BEYOND, SCORE, fifths, _of_bin(items, MEAN_SCORE, scale.errors_beyond_r)),
        ]

    def _of_preferences(self, items: PreferenceItems) -> list[MistakeTable]:
        right = _of_bin(items, PREFERENCES["accuracy"], lambda scores: metric_scores(self.test, scores))

        def wrong(scores: Sequence[Float], one: Bin, draw: Draw) -> list[Sample]:
            return [Sample(1.0 - row.value, 1.0 - row.resampled) for row in right(scores, one, draw)]

        lengths = length_bins(self.test.data.references, np.arange(len(self.test.data)))
        return [self._table(WRONG, LENGTH, lengths, wrong), *self._by_group(WRONG, "accuracy", wrong)]

    def _by_group(self, statistic: str, result: str, of_bin: _OfBin) -> list[MistakeTable]:
        """The table by group; none if the tables of results have the same numbers."""
        if result in self.experiment.statistics and not self.curve:
            return []
        groups = group_bins(group_members(self.test.groups, len(self.test.data)))
        return [self._table(statistic, GROUP, groups, of_bin)]

    def _table(self, statistic: str, by: str, bins: Sequence[Bin], of_bin: _OfBin) -> MistakeTable:
        columns = tuple(Column(self.test.name, one.label, one.rows.size) for one in bins)
        scores = list(self.scores.values())
        samples = [of_bin(scores, one, self._draw(by, number, one)) for number, one in enumerate(bins)]
        lines = tuple(
            Line(
                row,
                tuple(
                    _entry(row, statistic, column, found[at])
                    for column, found in zip(columns, samples, strict=True)
                ),
            )
            for at, row in enumerate(self.scores)
        )
        best = tuple(_best(statistic, [line.entries[at].value for line in lines]) for at in range(len(bins)))
        return MistakeTable(statistic, self.test.name, columns, lines, best, by, tuple(bins))

    def _draw(self, by: str, number: int, one: Bin) -> Draw:
        name = one.label if by == GROUP else f"{by} {number}"
        return self.experiment.resamples, group_seed(self.experiment.seed, name)


def _of_bin(items: Data, statistic: Statistic[Data], shown: Callable[[Float], Float]) -> _OfBin:
    """Computes a statistic in a bin for each row; ``shown`` transforms the scores of a row."""

    def of_bin(scores: Sequence[Float], one: Bin, draw: Draw) -> list[Sample]:
        part = items.select(one.rows)
        return [samples_of(part, items.pick(shown(row), one.rows), [statistic], *draw)[0] for row in scores]

    return of_bin


def _entry(row: str, statistic: str, column: Column, sample: Sample) -> Entry:
    if math.isnan(sample.value):
        return Entry(row, statistic, column, None, None)
    return Entry(row, statistic, column, sample.value, interval_of(sample))


def _best(statistic: str, values: Sequence[float | None]) -> float | None:
    """The value set in bold: the highest correlation or the fewest wrong pairs; None for errors, which have no best."""
    defined = [value for value in values if value is not None]
    if not defined or statistic not in {PEARSON, WRONG}:
        return None
    return max(defined) if statistic == PEARSON else min(defined)
