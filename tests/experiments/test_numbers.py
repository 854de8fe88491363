"""The numbers of the tables, computed in another way."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from pfsm import Metric, load
from pfsm.data import Judgments, read_judgments
from pfsm.evaluation import estimate, question_of_scores
from pfsm.evaluation.catalogue import SEGMENT_LEVEL
from pfsm.metrics import get_metric
from pfsm_experiments.estimates import Entry
from pfsm_experiments.report.output import Results
from pfsm_training import train
from pfsm_training.config import config_from_dict
from tests.experiments.conftest import Run
from tests.experiments.experiment_cases import LANGUAGES, table
from tests.training.small_data import PLAIN

PEARSON = SEGMENT_LEVEL["pearson"]


def number(results: Results, row: str, group: str, statistic: str = "pearson", **column: Any) -> Entry:
    """The only entry of a row, statistic and column."""
    (found,) = (
        entry
        for entry in results.entries
        if (entry.row, entry.column.group, entry.statistic) == (row, group, statistic)
        and all(getattr(entry.column, key) == value for key, value in column.items())
    )
    return found


def joined(data: Path, part: str, languages: tuple[str, ...] = LANGUAGES) -> Judgments:
    return Judgments.join([read_judgments(data / part / f"{language}-en.tsv") for language in languages])


def test_train_and_test(run: Run, data: Path) -> None:
    results = run(table(resamples=200))
    given = joined(data, "train")
    near = train(given, config=config_from_dict({"lambda": 50}, ""), init=load("en-small").model)
    metrics = {
        "chrF": get_metric("chrf").score_pairs,
        "pFSM": Metric(train(given, config=PLAIN)).score_pairs,
        "near | en-small": Metric(near).score_pairs,
    }
    for row, score in metrics.items():
        means = []
        for language in LANGUAGES:
            test = read_judgments(data / "test" / f"{language}-en.tsv")
            predicted = score(test.hypotheses, test.references)
            entry = number(results, row, language)
            assert entry.value == pytest.approx(stats.pearsonr(predicted, test.scores)[0], abs=1e-9)
            assert number(results, row, language, "spearman").value == pytest.approx(
                stats.spearmanr(predicted, test.scores)[0], abs=1e-9
            )
            assert entry.column.n == 30
            assert entry.value is not None
            means.append(entry.value)
            # `pfsm evaluate` prints the same interval.
            asked = question_of_scores(test.scores, [language] * 30)
            (evaluated,) = estimate(asked, predicted, [PEARSON], 200, 12345)["pearson"].groups.values()
            assert entry.interval is not None
            assert entry.interval.low == pytest.approx(evaluated.interval.low, abs=1e-9)
            assert entry.interval.high == pytest.approx(evaluated.interval.high, abs=1e-9)
        mean = number(results, row, "mean")
        assert mean.value == pytest.approx(np.mean(means), abs=1e-12)
        assert mean.column.n == 90


def test_folds_are_put_together(run: Run, data: Path) -> None:
    results = run(
        table(
            scheme="k-fold",
            folds=3,
            train={"name": "made", "files": "train/*.tsv"},
            test=None,
            rows=[{"name": "chrF", "metric": "chrf"}, {"name": "pFSM", "train": {"lambda": 5}}],
            group_by=None,
        )
    )
    whole = joined(data, "train")
    predicted = np.full(len(whole), np.nan)
    for one in results.cells:
        if one.cell.train is not None:
            assert one.cell.train.judgments is not None
            metric = Metric(train(one.cell.train.judgments, config=PLAIN))
            rows = one.cell.tests["made"]
            part = whole.select(rows)
            predicted[rows] = metric.score_pairs(part.hypotheses, part.references)
    entry = number(results, "pFSM", "all")
    assert entry.value == pytest.approx(stats.pearsonr(predicted, whole.scores)[0], abs=1e-9)
    chrf = get_metric("chrf").score_pairs(whole.hypotheses, whole.references)
    assert number(results, "chrF", "all").value == pytest.approx(
        stats.pearsonr(chrf, whole.scores)[0], abs=1e-12
    )


def test_learning_curve(run: Run, data: Path) -> None:
    results = run(table(scheme="learning-curve", sizes=[20, "all"], repeats=2, rows=table()["rows"][:2]))
    test = joined(data, "test")
    expected = []
    for one in results.cells:
        if one.cell.size == 20 and one.cell.train is not None:
            assert one.cell.train.judgments is not None
            metric = Metric(train(one.cell.train.judgments, config=PLAIN))
            predicted = metric.score_pairs(test.hypotheses, test.references)
            asked = question_of_scores(test.scores, test.columns["source_lang"])
            expected.append(estimate(asked, predicted, [PEARSON], 1)["pearson"].mean.value)
    entry = number(results, "pFSM", "mean", size=20)
    assert len(expected) == 2
    assert entry.samples == pytest.approx(expected, abs=1e-9)
    assert entry.value == pytest.approx(np.mean(expected), abs=1e-9)
    # A metric has the same number at every size.
    chrf = {size: number(results, "chrF", "mean", size=size).value for size in (20, 120)}
    assert chrf[20] == chrf[120]
    difference = number(results, "pFSM", "mean", size=20).difference
    assert difference is not None
    assert difference.value == pytest.approx((entry.value or 0.0) - (chrf[20] or 0.0))
