"""`pfsm models`, `pfsm metrics` and `pfsm show`: what ships, and the names that messages send a user for."""

import json
from pathlib import Path

import pytest

from pfsm.metrics.registry import describe_feature, feature_names, metric_names
from pfsm.model.file import load_model
from pfsm.model.shipped import find_model, shipped_models
from tests.command_runs import Cli


def test_models(cli: Cli) -> None:
    names = [model.name for model in shipped_models()]
    head, *rows = cli("models").lines[: 1 + len(names)]
    assert head.split() == ["name", "languages", "agreement", "pairs/s", "size", "needs"]
    assert [row.split()[0] for row in rows] == names
    assert max(map(len, rows)) <= 80
    sizes = dict(zip(names, (float(row.split(" MB")[0].split()[-1]) for row in rows), strict=True))
    assert sizes["en-small"] < 1.0
    assert sizes["en"] > 20.0, "the encoder counts"
    entries = {entry["name"]: entry for entry in cli("models", "--format", "json").document}
    assert list(entries) == names
    for name, entry in entries.items():
        model = find_model(name)
        assert entry["language"] == model.settings.language
        assert entry["fingerprint"] == model.fingerprint
        assert Path(entry["card"]).read_text(encoding="utf-8").startswith(f"# {name}\n")


def test_metrics_and_features(cli: Cli) -> None:
    assert [line.split()[0] for line in cli("metrics").lines[:-1]] == list(metric_names())
    assert [line.split()[0] for line in cli("metrics", "--features").lines] == list(feature_names())
    document = cli("metrics", "--features", "-f", "json").document
    assert document["bleu"] == describe_feature("bleu")
    assert document["bleu.1"] == "part of bleu"
    assert document["embedding_recall"] == "the recall in embedding_f1"
    assert all(document.values())


def test_show_a_trained_model(cli: Cli, trained: Path) -> None:
    model = load_model(trained)
    lines = cli("show", str(trained)).lines
    start = [line.split() for line in lines].index(["feature", "weight", "instances"])
    rows = [line.split() for line in lines[start + 1 :]]
    assert {row[0]: float(row[1]) for row in rows} == pytest.approx(dict(model.weights), abs=5e-5)
    assert {row[0]: int(row[2]) for row in rows} == {
        name: model.training["instances"][name] for name in model.weights
    }
    assert lines[0] == f"toy  (fingerprint {model.fingerprint}, licence: not stated)"
    assert cli("show", str(trained), "-f", "json").document == json.loads(trained.read_text(encoding="utf-8"))
    body = "\n".join(lines)
    assert "40 judgments: train.tsv (40)" in body
    assert f"{model.training['cross_validated']['pearson']:.3f} cross-validated by segment" in body
