"""The engine on real judgments, where PFSM_DATA names a folder of them, against a bootstrap written plainly."""

import math
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from pfsm.data import read_judgments, read_preferences
from pfsm.evaluation import absolute_question, estimate, preference_question
from pfsm.evaluation.bootstrap import count_ids
from pfsm.evaluation.catalogue import PREFERENCES, SEGMENT_LEVEL
from tests.oracles import resampling

DATA = os.environ.get("PFSM_DATA")
pytestmark = pytest.mark.skipif(DATA is None, reason="PFSM_DATA names no folder of human judgments")


def test_translations_of_a_segment_are_resampled_together() -> None:
    data = read_judgments(Path(str(DATA)) / "wmt21-da" / "is-en-test.tsv.gz")
    metric = np.array([len(text.split()) for text in data.hypotheses], dtype=np.float64)
    question = absolute_question(data, np.zeros(len(data), np.int64), ["is"] * len(data))
    assert (question.unit, count_ids(question.items.units)) == ("segments", 1000)
    names = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}
    found = estimate(question, metric, [SEGMENT_LEVEL[name] for name in names], 30, 12345)
    units = resampling.units_of(data.columns["segment_id"])
    for name, correlation in names.items():

        def value(rows: list[int], correlation: Any = correlation) -> float:
            return float(correlation(metric[rows], data.scores[rows])[0])

        one = found[name].groups["is"]
        assert one.value == pytest.approx(value(list(range(len(data)))), abs=1e-9)
        drawn = resampling.resamples(units, value, 30, 12345, "is")
        assert (one.interval.low, one.interval.high) == pytest.approx(resampling.interval(drawn), abs=1e-9)


def test_identifiers_that_number_pairs_are_no_segments() -> None:
    """The DARR data of WMT19 numbers its pairs; references tell the segments."""
    data = read_preferences(Path(str(DATA)) / "wmt19-darr" / "gu-en-test.tsv.gz")
    question = preference_question(data, np.zeros(len(data), np.int64), ["gu"] * len(data))
    assert len(set(data.columns["segment_id"])) == len(data)
    assert question.unit == "segments"
    assert count_ids(question.items.units) == len(set(data.references)) < len(data) / 10
    metric = np.array(
        [[len(one), len(other)] for one, other in zip(data.better, data.worse, strict=True)], dtype=np.float64
    )
    (one,) = estimate(question, metric, [PREFERENCES["accuracy"]], 30, 12345)["accuracy"].groups.values()
    right = metric[:, 0] > metric[:, 1]

    def accuracy(rows: list[int]) -> float:
        return math.fsum(data.votes[rows] * right[rows]) / math.fsum(data.votes[rows])

    drawn = resampling.resamples(resampling.units_of(data.references), accuracy, 30, 12345, "gu")
    assert (one.interval.low, one.interval.high) == pytest.approx(resampling.interval(drawn), abs=1e-12)
