"""Models without edits: they are ridge regressions; refusals, and their display."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from pfsm import Metric, Model, PfsmError, Scale
from pfsm.data import Judgments, Preferences
from pfsm.evaluation import pearson
from pfsm.features.values import feature_values
from pfsm.model.file import model_from_dict, save_model
from pfsm.model.settings import settings_from_dict
from pfsm_training import train
from pfsm_training.config import config_from_dict
from tests.command_runs import Cli, Write
from tests.training.small_data import invented

NAMES = ["bleu.1", "bleu.bp", "per", "length"]
JUDGMENTS = invented(4, segments=25)
Float = NDArray[np.float64]


def trained(
    penalty: float = 5.0, solver: str = "gauss-newton", preferences: Preferences | None = None
) -> Model:
    options = {"edits": False, "features": NAMES, "lambda": penalty, "solver": solver}
    config = config_from_dict(options, "settings")
    judgments = JUDGMENTS if preferences is None else None
    return train(judgments, preferences=preferences, config=config, threads=1)


def standardised(judgments: Judgments) -> Float:
    values = feature_values(NAMES, judgments.hypotheses, judgments.references)
    return np.asarray((values - values.mean(axis=0)) / values.std(axis=0))


def ridge(values: Float, targets: Float, penalty: float) -> tuple[Float, float]:
    """Weights and constant of the ridge regression, by the normal equations; the constant is not penalised."""
    extended = np.column_stack([values, np.ones(len(values))])
    penalties = np.diag([penalty] * values.shape[1] + [0.0])
    solution = np.linalg.solve(extended.T @ extended + penalties, extended.T @ targets)
    return solution[:-1], float(solution[-1])


@pytest.mark.parametrize(("solver", "penalty"), [("gauss-newton", 0.5), ("lbfgs", 20.0)])
def test_training_is_ridge_regression(solver: str, penalty: float) -> None:
    judgments = JUDGMENTS.sorted()
    model = trained(penalty, solver)
    scores = judgments.scores
    weights, alpha = ridge(standardised(judgments), (scores - scores.mean()) / scores.std(), penalty)
    assert list(model.weights) == [f"feature:{name}" for name in NAMES]
    np.testing.assert_allclose(list(model.weights.values()), weights, atol=1e-6)
    assert model.alpha == pytest.approx(alpha, abs=1e-9)
    predicted = scores.mean() + scores.std() * (standardised(judgments) @ weights + alpha)
    found = Metric(model, 1).score_pairs(judgments.hypotheses, judgments.references)
    np.testing.assert_allclose(found, predicted, atol=1e-5)
    assert model.training["pearson"] == pytest.approx(pearson(predicted, scores), abs=1e-6)


@pytest.mark.parametrize(
    ("values", "fault"),
    [
        (
            {"edits": False},
            "settings: edits: false needs features, because there is nothing else to score with",
        ),
        (
            {"edits": False, "features": ["chrf"], "max_jump": 2},
            "settings: max_jump needs edits, but edits is false; leave out one of them",
        ),
    ],
)
def test_invalid_settings_are_refused(values: dict[str, Any], fault: str) -> None:
    with pytest.raises(PfsmError, match=fault):
        config_from_dict(values, "settings")


def test_a_file_with_weights_of_edits() -> None:
    document = Model(
        "m", settings_from_dict({"edits": False, "features": ["chrf"]}, "s"), {"Insert": 1.0}
    ).to_dict()
    with pytest.raises(PfsmError, match=r"^m.json: weights names 'Insert', but settings say edits: false"):
        model_from_dict(document, "m.json")


def hand_written(**settings: Any) -> Metric:
    """Points of two features by hand: 3 for each standard deviation of PER, -1 for each of the length."""
    chosen = settings_from_dict(
        {
            **settings,
            "features": {"per": {"mean": -50.0, "sd": 25.0}, "reference_words": {"mean": 2, "sd": 1}},
        },
        "s",
    )
    weights = {"feature:per": 1.5, "feature:reference_words": -0.5}
    edits = {"S_word": 1.0, "Insert": -1.0, "Delete": -1.5} if chosen.edits else {}
    return Metric(Model("hand", chosen, {**weights, **edits}, 0.25, Scale(10.0, 2.0)), 1)


def test_commands(cli: Cli, write: Write, tmp_path: Path) -> None:
    save_model(hand_written(edits=False).model, tmp_path / "m.json")
    write("r.txt", "a b c x\n")
    write("h.txt", "a b c d\n")
    shown = cli("show", "m.json").lines
    assert "edits       none: the score is a sum of weighted features" in shown
    assert not any(line.startswith(("matchers", "text")) for line in shown)
    explain = ("explain", "r.txt", "-i", "h.txt", "-m", "m.json")
    (segment,) = cli(*explain, "--format", "json").document[0]["segments"]
    assert not {"edits", "alignment", "contributions", "entropy"} & set(segment)
    assert segment["score"] == 11.5
    fault = cli(*explain, "--alignments", "a.txt").fault
    assert fault == "model hand has no edits (edits: false), so it aligns no words"
    assert not (tmp_path / "a.txt").exists()
