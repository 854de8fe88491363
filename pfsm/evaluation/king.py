"""Human likeness and human acceptability of a metric (Giménez and Màrquez 2009, section 3.2).

*Acceptability*: does a metric value what people accept? Its correlation with their assessments.

*Likeness*: does a metric tell human translations from automatic ones? KING, of the QARLA framework (Amigó et
al. 2005), is the probability over test cases that a human reference scores at least as high as every automatic
translation, each scored against the other references. It needs no assessments.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pfsm.arrays import Float
from pfsm.evaluation.bootstrap import by_appearance, count_ids, dense_ids, sums_of_segments
from pfsm.evaluation.correlation import pearson
from pfsm.evaluation.measure import Measure, Names, additive, finite_scores, ratio_of_sums

Int = NDArray[np.int64]


def human_acceptability(metric: ArrayLike, assessments: ArrayLike) -> float:
    """Pearson's correlation with the mean over judges of the sum of the assessments.

    Args:
        metric: float64 [n], the metric's scores: of translations (the paper's R_snt), or of systems (R_sys).
        assessments: float64 [n, n_judges, n_scales]: adequacy and fluency in the paper; NaN where a judge
            did not assess, which must leave one judge to every translation.

    Returns:
        A number in [-1, 1]; NaN where it is undefined.

    Raises:
        ValueError: If shapes do not fit, a metric's score is not finite, or a translation has no judge.
    """
    scores = finite_scores(metric)
    values = np.asarray(assessments, dtype=np.float64)
    if values.ndim != 3 or len(values) != scores.size:
        raise ValueError(f"assessments have shape {values.shape}, [{scores.size}, judges, scales] is needed")
    sums = values.sum(axis=2)
    judged = ~np.isnan(sums)
    if not judged.any(axis=1).all():
        raise ValueError("a translation has no judge who assessed it on every scale")
    means = np.where(judged, sums, 0.0).sum(axis=1) / judged.sum(axis=1)
    return pearson(scores, means)


def king(human: ArrayLike, human_cases: Names, automatic: ArrayLike, automatic_cases: Names) -> float:
    """KING: how likely a human translation scores at least as high as every automatic one of its test case.

    A *test case* is a segment with one reference held out: the held-out reference and the automatic
    translations are scored against the others. With several references, each is held out in turn, and
    makes a test case of its own.

    Args:
        human: float64 [n_cases], finite: the metric's scores of the held-out references.
        human_cases: [n_cases], the name of each test case, none twice.
        automatic: float64 [n], finite: its scores of the automatic translations.
        automatic_cases: [n], the test case of each.

    Returns:
        A number in [0, 1] over the test cases that have an automatic translation; NaN where none has.

    Raises:
        ValueError: If lengths differ, a score is not finite, a case comes twice, or an automatic translation
            belongs to a case without a human one.
    """
    people, machines = finite_scores(human), finite_scores(automatic)
    ids = dense_ids([*human_cases, *automatic_cases], people.size + machines.size, "test cases")
    cases, of = ids[: people.size], ids[people.size :]
    if np.unique(cases).size != cases.size:
        raise ValueError("a test case has more than one held-out reference")
    if not np.isin(of, cases).all():
        raise ValueError("an automatic translation belongs to a test case without a held-out reference")
    sums = _won_and_counted(people[np.argsort(cases)], machines, of).sum(axis=0, keepdims=True)
    return float(ratio_of_sums(sums)[0])


def _won_and_counted(human: Float, automatic: Float, cases: Int) -> Float:
    """float64 [n_cases, 2]: whether the human translation is not beaten, and whether the case counts."""
    highest = np.full(human.size, -np.inf)
    np.maximum.at(highest, cases, automatic)
    counts = np.bincount(cases, minlength=human.size) > 0
    return np.stack([(human >= highest) & counts, counts], axis=1).astype(np.float64)


@dataclass(frozen=True, eq=False)
class TestCases:
    """Test cases of KING: a metric's scores are those of the held-out references, then of the translations."""

    __test__ = False  # no test of pytest's

    units: Int
    """int64 [n_cases], from 0 up in the order of their first cases: what is drawn together in resamples."""
    automatic: Int
    """int64 [n], the case of each automatic translation, a number below n_cases."""

    def __len__(self) -> int:
        return self.units.size

    def select(self, rows: Int) -> "TestCases":
        """Some cases with their translations."""
        place = np.full(len(self), -1)
        place[rows] = np.arange(rows.size)
        of_case = place[self.automatic]
        return TestCases(by_appearance(self.units[rows]), of_case[of_case >= 0])

    def scored(self, rows: Int) -> Int:
        """Where the scores of the items of `select` stand among the scores of all."""
        return np.concatenate([rows, len(self) + np.flatnonzero(np.isin(self.automatic, rows))])


def king_measure(items: TestCases) -> Measure:
    """KING as a measure over test cases; cases of one segment share a unit."""

    def table(metric: Float) -> Float:
        scores, n = finite_scores(metric), len(items)
        return sums_of_segments(_won_and_counted(scores[:n], scores[n:], items.automatic), items.units)

    return additive(count_ids(items.units), table, ratio_of_sums)
