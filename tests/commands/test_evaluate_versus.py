"""`pfsm evaluate --versus`: the tests that it runs, and how it shows them."""

from pathlib import Path

import numpy as np
import pytest

import pfsm
from pfsm.evaluation import paired_bootstrap_correlations, pearson, perm_both, williams_test
from tests.command_runs import Cli, Write
from tests.commands.test_evaluate_statistics import ALL, Made
from tests.judgment_cases import rows, tsv
from tests.model_cases import saved

FAST = ("-f", "json", "--confidence-n", "60")
OTHER = ("--versus", "column:other")


@pytest.fixture(autouse=True)
def model(tmp_path: Path) -> None:
    saved(tmp_path)


@pytest.fixture
def made(write: Write) -> Made:
    judgments = Made()
    write("d.tsv", judgments.tsv(*ALL))
    return judgments


def test_bootstrap(cli: Cli, made: Made) -> None:
    names = ("--statistics", "mean-removed,kendall")
    document = cli("evaluate", "d.tsv", "-m", "hand.json", *OTHER, *names, *FAST).document
    found = document["versus"]
    assert (found["name"], found["signature"], found["test"]) == ("other", None, "paired bootstrap")
    assert found["correlation"]["unit"] == "segments"
    metric = pfsm.load("hand.json").score_pairs(made.hypotheses, made.references)
    segments = [f"{lang} {segment}" for lang, segment in zip(made.languages, made.segments, strict=True)]
    for key, name in (("mean_removed", "mean-removed"), ("kendall_tau_b", "kendall")):
        result = paired_bootstrap_correlations(
            made.human, metric, made.scores, made.languages, name, 60, 12345, segments=segments
        )
        entry = found["correlation"][key]
        for group, expected in zip(entry["groups"], result.groups, strict=True):
            assert group["group"] == expected.name
            assert group["p_value"] == expected.p_value
            assert group["difference"] == pytest.approx(expected.difference)
            assert group["interval"] == pytest.approx([expected.interval.low, expected.interval.high])
            assert group["value"] == pytest.approx(
                document["correlation"]["groups"][("cs", "de").index(expected.name)][key]["value"]
            )
        assert entry["mean"]["p_value"] == result.mean.p_value
        assert result.pooled is not None
        assert entry["pooled"]["p_value"] == result.pooled.p_value
        assert "williams_p" not in entry["groups"][0]


def test_perm_both(cli: Cli, made: Made) -> None:
    command = ("evaluate", "d.tsv", "-m", "hand.json", *OTHER, "--test", "perm-both")
    found = cli(*command, "--statistics", "acc-t", *FAST).document["versus"]
    assert (found["test"], found["correlation"]["unit"]) == ("PERM-BOTH", "segments")
    metric = pfsm.load("hand.json").score_pairs(made.hypotheses, made.references)
    segments = [f"{lang} {segment}" for lang, segment in zip(made.languages, made.segments, strict=True)]
    result = perm_both(
        made.human, metric, made.scores, segments, None, "acc-t", 60, 12345, groups=made.languages
    )
    entry = found["correlation"]["acc_t"]
    assert [group["p_value"] for group in entry["groups"]] == [group.p_value for group in result.groups]
    assert entry["groups"][0]["interval"] == [None, None]
    assert entry["mean"]["p_value"] == result.mean.p_value


def test_williams_where_judgments_are_independent(cli: Cli, write: Write) -> None:
    made = rows(30, seed=9)
    other = np.random.default_rng(1).normal(size=30)
    lines = [f"{one}\t{two}\t{score}\t{value}" for (one, two, score), value in zip(made, other, strict=True)]
    write("d.tsv", "".join(f"{line}\n" for line in ["reference\thypothesis\tscore\tother", *lines]))
    document = cli("evaluate", "d.tsv", "-m", "hand.json", *OTHER, *FAST).document
    found = document["versus"]["correlation"]
    human = np.array([float(row[2]) for row in made])
    metric = pfsm.load("hand.json").score_pairs([row[1] for row in made], [row[0] for row in made])
    expected = williams_test(pearson(human, metric), pearson(human, other), pearson(metric, other), 30)
    assert found["pearson"]["groups"][0]["williams_p"] == pytest.approx(expected.p_value)
    assert "williams_p" not in found["spearman"]["groups"][0]
    assert found["unit"] == "judgments"
    assert set(found) == {"unit", "pearson", "spearman", "kendall_tau_b"}
    body = cli("evaluate", "d.tsv", "-m", "hand.json", *OTHER, "--confidence-n", "60").out
    assert "Williams p" in body
    assert f"{expected.p_value:.4f}" in body


def test_text(cli: Cli, made: Made) -> None:
    lines = cli("evaluate", "d.tsv", "-m", "hand.json", *OTHER, "--confidence-n", "60").lines
    start = lines.index("versus other")
    assert lines[start + 2] == "Pearson r"
    assert lines[start + 3].split() == ["source_lang", "n", "metric", "versus", "difference", "p"]
    assert [line.split()[0] for line in lines[start + 4 : start + 8]] == ["cs", "de", "mean", "pooled"]
    assert lines[-2] == "p: paired bootstrap of segments, two-sided"


def test_a_single_segment_has_no_interval_and_no_p_value(cli: Cli, write: Write) -> None:
    """Every resample is that segment, so there are numbers but nothing about chance."""
    reference, made = rows(1)[0][0], rows(6, seed=3)
    write(
        "d.tsv",
        tsv([(reference, text, score) for _, text, score in made], segment_id="7", other=list("213546")),
    )
    command = ("evaluate", "d.tsv", "-m", "hand.json", *OTHER, "--statistics", "pearson")
    document = cli(*command, *FAST).document
    assert document["correlation"]["groups"][0]["pearson"]["interval"] == [None, None]
    (group,) = document["versus"]["correlation"]["pearson"]["groups"]
    assert group["difference"] is not None
    assert (group["interval"], group["p_value"]) == ([None, None], None)
    shown = cli(*command, "--confidence-n", "60").lines
    assert any(line.startswith("all") and line.endswith(" –") for line in shown)
    assert any(line.startswith("all") and line.endswith("–                 undefined") for line in shown)
