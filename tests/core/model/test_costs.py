"""Costs of edits in points, against scores of sentences in which one word was edited; labels in plain words."""

import pytest

import pfsm
from pfsm.model.costs import EXTRA, FEATURES, MISSING, edit_costs
from pfsm.model.labels import plain_label
from tests.command_runs import Cli

SENTENCE = (
    "president said that new school near river would open next "
    "spring because many families moved into town after old bridge"
)


def test_a_missing_and_an_extra_word_cost_what_the_score_loses() -> None:
    metric, words = pfsm.load("en-small"), SENTENCE.split()
    costs = {cost.name: cost.points for group in edit_costs(metric.model).values() for cost in group}
    edited = [words, words[:9] + words[10:], [*words[:9], "zebra", *words[9:]]]
    whole, missing, extra = metric.score_pairs([*map(" ".join, edited)], [SENTENCE] * 3)
    assert costs["Delete"] == pytest.approx(whole - missing, abs=0.01)
    assert costs["Insert"] == pytest.approx(whole - extra, abs=0.01)


def test_weights_of_shipped_models_have_plain_labels(cli: Cli) -> None:
    for name in ("en", "en-fast"):
        weights = pfsm.load(name).model.weights
        labels = [plain_label(one) for one in weights if ">" not in one]
        assert not [one for one in labels if any(mark in one for mark in ("kept.", ":+", "S_", "feature:"))]
    groups = edit_costs(pfsm.load("en-fast").model)
    assert [*groups][:2] == [MISSING, EXTRA]
    assert "negation is kept" in {cost.label for cost in groups[FEATURES]}
    lines = cli("show", "en-fast").lines
    place = next(at for at, line in enumerate(lines) if line.endswith("a missing content word"))
    assert float(lines[place].split()[0]) > 0.0
    assert place < next(at for at, line in enumerate(lines) if line.startswith("feature  "))
