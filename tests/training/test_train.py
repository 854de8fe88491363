"""From judgments to a model: the objective, invariances, bad input, the record, the paper's switches and accuracy."""

import json
import math
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from pfsm.data import Judgments, read_judgments
from pfsm.errors import PfsmError
from pfsm.evaluation import pearson
from pfsm.model.file import Model, save_model
from pfsm.model.metric import Metric
from pfsm_kernels import inference
from pfsm_training import TrainingConfig, train
from pfsm_training.config import config_from_dict
from tests.training.small_data import PLAIN, demo, invented, judgments_of

JUDGMENTS, FIXED = invented(0), TrainingConfig(penalty=5.0)


def document(model: Model) -> str:
    return json.dumps(model.to_dict())


def scores_of(model: Model, judgments: Judgments) -> NDArray[np.float64]:
    return Metric(model, threads=1).score_pairs(judgments.hypotheses, judgments.references)


def same_weights(model: Model, other: Model) -> None:
    assert set(model.weights) == set(other.weights)
    for name, weight in model.weights.items():
        assert other.weights[name] == pytest.approx(weight, abs=1e-6), name
    assert other.alpha == pytest.approx(model.alpha, abs=1e-6)


@pytest.fixture(scope="module")
def model() -> Model:
    return train(JUDGMENTS, config=FIXED, threads=1)


def test_the_minimum_is_equation_3_at_the_weights_in_the_model(model: Model) -> None:
    mean, sd = JUDGMENTS.scores.mean(), JUDGMENTS.scores.std()
    assert model.scale.mean == pytest.approx(mean)
    assert model.scale.sd == pytest.approx(sd)
    residuals = (JUDGMENTS.scores - scores_of(model, JUDGMENTS)) / sd
    shrunk = 5.0 * math.fsum(weight**2 for weight in model.weights.values())
    assert model.training["minimum"] == pytest.approx(float((residuals**2).sum()) + shrunk, rel=1e-10)
    assert model.training["converged"]
    # Alpha is free of the penalty, so the residuals have no mean.
    assert residuals.mean() == pytest.approx(0.0, abs=1e-6)


def test_the_scale_of_the_scores_is_irrelevant(model: Model) -> None:
    factor, shift = 1e-3, 1e6
    scores = JUDGMENTS.scores / JUDGMENTS.scores.std() * factor + shift
    other = train(replace(JUDGMENTS, scores=scores), config=FIXED, threads=1)
    same_weights(model, other)
    assert other.scale.sd == pytest.approx(factor, rel=1e-6)
    assert other.scale.mean == pytest.approx(
        JUDGMENTS.scores.mean() / JUDGMENTS.scores.std() * factor + shift
    )
    assert other.training["pearson"] == pytest.approx(model.training["pearson"], abs=1e-6)
    folds, others = (one.training["cross_validated"]["folds"] for one in (model, other))
    assert others == pytest.approx(folds, abs=1e-6)
    before, after = scores_of(model, JUDGMENTS), scores_of(other, JUDGMENTS)
    expected = (before - model.scale.mean) / model.scale.sd
    assert (after - other.scale.mean) / other.scale.sd == pytest.approx(expected, abs=1e-6)


def test_neither_order_nor_threads_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    model = train(JUDGMENTS, config=PLAIN, threads=1)
    # So that these few judgments make many tasks.
    monkeypatch.setattr(inference, "CELLS_PER_TASK", 300)
    rows = np.random.default_rng(0).permutation(len(JUDGMENTS))
    assert document(train(JUDGMENTS.select(rows), config=PLAIN, threads=2)) == document(model)


def test_scores_that_teach_nothing_are_refused() -> None:
    for scores, message in (
        ([], "no judgments"), ([0.1, 0.1, 0.1], "score is 0.1 on every row"), ([1e6, 1e6 + 1e-9], "too close"),
    ):  # fmt: skip
        words = ["the lamp", "a lamp", "lamps"][: len(scores)]
        with pytest.raises(PfsmError, match=f"^[^\n]*{message}[^\n]*$"):
            train(judgments_of(words, words, scores), config=PLAIN, threads=1)


def test_two_judgments_are_enough_to_run() -> None:
    """No feature is frequent, nothing can be cross-validated; the mean of the scores is predicted."""
    two = judgments_of(["lamp", "lamp"], ["lamp", ""], [1.0, 2.0])
    model = train(two, config=TrainingConfig(penalty=5.0), threads=1)
    assert model.weights == {}
    unknown: dict[str, Any] = {"by": "segment", "pearson": None, "interval": [None, None], "folds": {}}
    assert model.training["cross_validated"] == unknown
    assert scores_of(model, two).mean() == pytest.approx(1.5)
    chosen = train(two, threads=1).training
    assert (chosen["lambda"], chosen["lambda_choice"]) == (5.0, "too few judgments to choose it")
    with pytest.raises(
        PfsmError, match=r"too few judgments to choose lambda by cross-validation.* every segment once"
    ):
        train(two, config=TrainingConfig(penalty=(1.0, 5.0)), threads=1)


def test_the_model_file_holds_no_sentence_of_the_training_data(tmp_path: Path) -> None:
    data = demo("train")
    save_model(train(data, config=PLAIN, threads=1), tmp_path / "model.json")
    text = (tmp_path / "model.json").read_text(encoding="utf-8")
    for sentence in {*data.references, *data.hypotheses}:
        words = sentence.split()
        assert not any(" ".join(words[k : k + 3]) in text for k in range(max(1, len(words) - 2)))


@pytest.mark.parametrize("solver", ["gauss-newton", "lbfgs"])
def test_raw_scores_are_ridge_regression_in_their_units(solver: str) -> None:
    """A model of features alone has a closed form: the constant is not penalised, the weights are."""
    data = invented(1)
    values = {"edits": False, "features": ["chrf"], "lambda": 30.0, "solver": solver, "form": "absolute"}
    raw = train(data, config=config_from_dict(values | {"standardise": False}, "test"), threads=1)
    assert (raw.scale.mean, raw.scale.sd) == (0.0, 1.0)
    mean, sd = raw.settings.features["chrf"] or (0.0, 1.0)
    from pfsm.metrics import get_metric

    column = (get_metric("chrf").score_pairs(data.hypotheses, data.references) - mean) / sd
    design = np.column_stack([column, np.ones(len(data))])
    weights = np.linalg.solve(design.T @ design + np.diag([30.0, 0.0]), design.T @ data.scores)
    assert [*raw.weights.values(), raw.alpha] == pytest.approx(weights.tolist(), rel=1e-6)
    scores = Metric(raw, 1).score_pairs(data.hypotheses, data.references)
    assert scores == pytest.approx(design @ weights, rel=1e-6)
    assert raw.training["standardise"] is False
    # Standardised, lambda is for weights in standard deviations: the same predictions, as the model is linear.
    usual = train(data, config=config_from_dict(values, "test"), threads=1)
    assert "standardise" not in usual.training
    assert Metric(usual, 1).score_pairs(data.hypotheses, data.references) == pytest.approx(scores, rel=1e-6)


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
