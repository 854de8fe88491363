"""`pfsm show`: a model's weights as a sorted table, where they come from, how often features occur."""

from pathlib import Path

import pytest

from pfsm.model.file import load_model
from tests.command_runs import Cli
from tests.model_cases import saved


def table(lines: list[str]) -> list[list[str]]:
    """The rows below the header of the table of weights."""
    (start,) = [at for at, line in enumerate(lines) if line.split() == ["feature", "weight", "instances"]]
    return [line.split() for line in lines[start + 1 :]]


def test_a_trained_model(cli: Cli, trained: Path) -> None:
    model = load_model(trained)
    lines = cli("show", str(trained)).lines
    rows = table(lines)
    assert {row[0]: float(row[1]) for row in rows} == pytest.approx(dict(model.weights), abs=5e-5)
    assert {row[0]: int(row[2]) for row in rows} == {
        name: model.training["instances"][name] for name in model.weights
    }
    body = "\n".join(lines)
    assert lines[0] == f"toy  (fingerprint {model.fingerprint}, licence: not stated)"
    assert "40 judgments: train.tsv (40)" in body
    assert "squared_error, lambda 5.0 (given)" in body
    assert f"{model.training['pearson']:.3f} in training" in body
    assert f"{model.training['cross_validated']['pearson']:.3f} cross-validated by segment" in body
    assert model.scale.note in body


def test_what_is_split_by_word_class(cli: Cli, tmp_path: Path) -> None:
    settings = {"split": ["S_word", "Insert"]}
    weights = {"Insert": -1.0, "Insert:negation": -0.25, "Insert:name>Delete": 2.0}
    lines = cli("show", saved(tmp_path, settings=settings, weights=weights)).lines
    assert "split       Insert, S_word by word class, lists en" in lines
    assert [row[0] for row in table(lines)] == ["Insert:negation", "Insert", "Insert:name>Delete"]
    own = {**settings, "classes": {"negation": ["no"]}}
    shown = cli("show", saved(tmp_path, settings=own)).lines
    assert "split       Insert, S_word by word class, lists own" in shown
    assert not any(line.startswith("split") for line in cli("show", saved(tmp_path)).lines)
