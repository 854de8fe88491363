"""`pfsm models` and `pfsm metrics`: what ships, and the names that messages send a user for."""

from pathlib import Path

from pfsm.metrics.registry import describe_metric, feature_names, metric_names
from pfsm.model.shipped import DEFAULT_MODEL, find_model, shipped_models
from tests.command_runs import Cli


def test_models(cli: Cli) -> None:
    names = [model.name for model in shipped_models()]
    headings = [line for line in cli("models").lines if not line.startswith(" ")]
    assert headings == [f"{name} (default)" if name == DEFAULT_MODEL else name for name in names]
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
    assert document["bleu"] == describe_metric("bleu")
    assert document["bleu.1"] == "part of bleu"
    assert document["embedding_recall"] == "the recall in embedding_f1"
    assert all(document.values())
