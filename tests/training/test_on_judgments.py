"""Training on real judgments, where PFSM_DATA names a folder of them: accuracy on a later year's."""

import os
from pathlib import Path

import numpy as np
import pytest

from pfsm.data import Judgments, read_judgments
from pfsm.evaluation import pearson
from pfsm.model.file import Model
from pfsm.model.metric import Metric
from pfsm_training import train
from tests.training.small_data import PLAIN

TRAINING = ("cs", "de", "fi", "ru")
TEST = ("cs", "de", "fi", "ro", "ru", "tr")


def read(folder: str, languages: tuple[str, ...]) -> list[Judgments]:
    root = os.environ.get("PFSM_DATA")
    if not root:
        pytest.skip("PFSM_DATA names no folder of judgments")
    return [read_judgments(Path(root, folder, f"{language}-en-test.tsv.gz")) for language in languages]


def correlations(model: Model, tests: list[Judgments]) -> list[float]:
    metric = Metric(model)
    return [pearson(metric.score_pairs(test.hypotheses, test.references), test.scores) for test in tests]


def test_wmt15_judgments_teach_to_predict_those_of_wmt16() -> None:
    """Words, stems and punctuation alone, the paper's lambda."""
    judgments = Judgments.join(read("wmt15-daseg", TRAINING))
    tests = read("wmt16-daseg", TEST)
    assert len(judgments) == 2000
    assert [len(test) for test in tests] == [560] * 6
    model = train(judgments, config=PLAIN)
    assert np.mean(correlations(model, tests)) >= 0.570
    assert model.training["converged"]
    assert model.training["cross_validated"]["by"] == "source_lang"
    assert set(model.training["cross_validated"]["folds"]) == set(TRAINING)
