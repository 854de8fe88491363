"""The engine on real judgments, where PFSM_DATA names a folder of them, against a bootstrap written plainly."""

import math
import os
from pathlib import Path

import numpy as np
import pytest

from pfsm.data import read_preferences
from pfsm.evaluation import estimate, preference_question
from pfsm.evaluation.bootstrap import count_ids
from pfsm.evaluation.catalogue import PREFERENCES
from tests.oracles import resampling

DATA = os.environ.get("PFSM_DATA")
pytestmark = pytest.mark.skipif(DATA is None, reason="PFSM_DATA names no folder of human judgments")


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
