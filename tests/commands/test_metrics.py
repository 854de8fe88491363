"""`pfsm metrics`: the names that messages send a user for."""

from pfsm.metrics.registry import describe_metric, feature_names, metric_names
from tests.command_runs import Cli


def test_metrics_are_listed(cli: Cli) -> None:
    lines = cli("metrics").lines
    assert [line.split()[0] for line in lines[:-1]] == list(metric_names())
    assert lines[0].endswith(describe_metric("bleu"))


def test_features_are_listed(cli: Cli) -> None:
    lines = cli("metrics", "--features").lines
    assert [line.split()[0] for line in lines] == list(feature_names())


def test_json(cli: Cli) -> None:
    document = cli("metrics", "--features", "-f", "json").document
    assert document["bleu"] == describe_metric("bleu")
    assert document["bleu.1"] == "part of bleu"
    assert document["meteor-base.precision"] == "part of meteor-base"
    assert document["rte.antonyms"] == "a feature of textual entailment"
    assert document["embedding_recall"] == "the recall in embedding_f1"
    assert all(document.values())
