"""`pfsm evaluate` on preferences: accuracy and both Kendall's taus, votes, ties of the metric, groups."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pfsm
from tests.command_runs import Cli, Write
from tests.model_cases import saved

# Reference, better, worse, votes; the metric prefers a copy to less, and cannot tell "x y" from "y x".
AGREED = ("a red bird", "a red bird", "a bird", 3.0)
CONTRADICTED = ("a red bird", "bird", "a red bird", 2.0)
TIED = ("a red bird", "x y", "y x", 4.0)
SAME = ("a red bird", "a bird", "a bird", 1.0)


@pytest.fixture
def model(tmp_path: Path) -> str:
    return Path(saved(tmp_path)).name


def pairs(*made: tuple[str, str, str, float], votes: bool = True, **columns: list[str]) -> str:
    header = [*columns, "reference", "better", "worse", *(["votes"] if votes else [])]
    lines = ["\t".join(header)]
    for at, (reference, better, worse, count) in enumerate(made):
        fields = [*(values[at] for values in columns.values()), reference, better, worse]
        lines.append("\t".join([*fields, *([f"{count:g}"] if votes else [])]))
    return "".join(f"{line}\n" for line in lines)


def evaluated(cli: Cli, model: str, *arguments: str) -> Any:
    command = ("evaluate", *arguments, "-m", model, "-f", "json", "--confidence-n", "50")
    return cli(*command).document["preference"]


def test_the_metric_sees_these_cases_as_they_are_meant(model: str, cli: Cli) -> None:
    metric = pfsm.load(model)
    for (reference, better, worse, _), sign in ((AGREED, 1), (CONTRADICTED, -1), (TIED, 0), (SAME, 0)):
        one, other = metric.score_pairs([better, worse], [reference, reference])
        assert np.sign(one - other) == sign


class TestTau:
    def test_wmt12_counts_ties_of_the_metric_as_discordant(self, cli: Cli, write: Write, model: str) -> None:
        write("p.tsv", pairs(AGREED, CONTRADICTED, TIED, SAME))
        for arguments in ((), ("--tau", "wmt12")):
            result = evaluated(cli, model, "p.tsv", *arguments)
            assert result["tau"] == "wmt12"
            (group,) = result["groups"]
            assert (group["concordant"], group["discordant"], group["ties"]) == (3.0, 2.0, 5.0)
            assert group["kendall_tau"]["value"] == pytest.approx((3 - 7) / 10, abs=1e-15)
            assert group["accuracy"]["value"] == pytest.approx(3 / 10, abs=1e-15)

    def test_wmt13_leaves_them_out(self, cli: Cli, write: Write, model: str) -> None:
        write("p.tsv", pairs(AGREED, CONTRADICTED, TIED, SAME))
        result = evaluated(cli, model, "p.tsv", "--tau", "wmt13")
        assert result["tau"] == "wmt13"
        (group,) = result["groups"]
        assert group["kendall_tau"]["value"] == pytest.approx((3 - 2) / 5, abs=1e-15)
        # Accuracy is over all votes, whatever tau does with ties.
        assert group["accuracy"]["value"] == pytest.approx(3 / 10, abs=1e-15)

    def test_without_votes_every_row_counts_once(self, cli: Cli, write: Write, model: str) -> None:
        write("p.tsv", pairs(AGREED, CONTRADICTED, AGREED, TIED, votes=False))
        (group,) = evaluated(cli, model, "p.tsv")["groups"]
        assert (group["concordant"], group["discordant"], group["ties"]) == (2.0, 1.0, 1.0)
        assert group["kendall_tau"]["value"] == 0.0

    def test_votes_may_be_fractions_and_zero(self, cli: Cli, write: Write, model: str) -> None:
        write("p.tsv", pairs((*AGREED[:3], 0.5), (*CONTRADICTED[:3], 0.0), (*TIED[:3], 0.25)))
        (group,) = evaluated(cli, model, "p.tsv")["groups"]
        assert group["kendall_tau"]["value"] == pytest.approx((0.5 - 0.25) / 0.75, abs=1e-15)

    def test_a_vote_is_as_good_as_a_row(self, cli: Cli, write: Write, model: str) -> None:
        write("votes.tsv", pairs(AGREED, CONTRADICTED))
        write("rows.tsv", pairs(*[AGREED] * 3, *[CONTRADICTED] * 2, votes=False))
        one, other = (evaluated(cli, model, name)["groups"][0] for name in ("votes.tsv", "rows.tsv"))
        for statistic in ("accuracy", "kendall_tau"):
            assert one[statistic]["value"] == other[statistic]["value"]

    @pytest.mark.parametrize("tau", ["wmt12", "wmt13"])
    def test_nothing_to_count(self, tau: str, cli: Cli, write: Write, model: str) -> None:
        write("p.tsv", pairs((*TIED[:3], 0.0)))
        (group,) = evaluated(cli, model, "p.tsv", "--tau", tau)["groups"]
        assert group["kendall_tau"]["value"] is None
        assert "undefined" in cli("evaluate", "p.tsv", "-m", model, "--confidence-n", "9").out

    def test_only_ties(self, cli: Cli, write: Write, model: str) -> None:
        write("p.tsv", pairs(TIED))
        assert evaluated(cli, model, "p.tsv")["groups"][0]["kendall_tau"]["value"] == -1.0
        assert evaluated(cli, model, "p.tsv", "--tau", "wmt13")["groups"][0]["kendall_tau"]["value"] is None

    def test_text_says_which_tau(self, cli: Cli, write: Write, model: str) -> None:
        write("p.tsv", pairs(AGREED, CONTRADICTED, TIED))
        body = cli("evaluate", "p.tsv", "-m", model, "--confidence-n", "9").out
        assert f"{(3 - 6) / 9:+.3f}" in body
        assert "Kendall tau as in WMT12: metric ties count as discordant" in body
        body = cli("evaluate", "p.tsv", "-m", model, "--confidence-n", "9", "--tau", "wmt13").out
        assert f"{(3 - 2) / 5:+.3f}" in body
        assert "Kendall tau as in WMT13: metric ties are left out" in body


def test_groups_and_their_unweighted_mean(cli: Cli, write: Write, model: str) -> None:
    content = pairs(AGREED, AGREED, AGREED, CONTRADICTED, AGREED, source_lang=["cs", "cs", "cs", "de", "de"])
    write("p.tsv", content)
    result = evaluated(cli, model, "p.tsv")
    assert [(group["group"], group["n"], group["kendall_tau"]["value"]) for group in result["groups"]] == [
        ("cs", 3, 1.0),
        ("de", 2, pytest.approx((3 - 2) / 5)),
    ]
    assert result["mean"]["kendall_tau"]["value"] == pytest.approx((1.0 + 0.2) / 2)
    assert result["mean"]["accuracy"]["value"] == pytest.approx((1.0 + 0.6) / 2)


def test_intervals_hold_their_values(cli: Cli, write: Write, model: str) -> None:
    write("p.tsv", pairs(*[AGREED] * 8, *[CONTRADICTED] * 5, *[TIED] * 3))
    (group,) = evaluated(cli, model, "p.tsv", "--resample", "judgments")["groups"]
    for statistic in ("accuracy", "kendall_tau"):
        low, high = group[statistic]["interval"]
        assert -1 <= low < group[statistic]["value"] < high <= 1


def test_pairs_of_one_reference_are_a_segment(cli: Cli, write: Write, model: str) -> None:
    """They are drawn together, and a single segment says nothing about chance."""
    write("p.tsv", pairs(*[AGREED] * 8, *[CONTRADICTED] * 5))
    result = evaluated(cli, model, "p.tsv")
    assert result["resampled"] == "segments"
    assert result["groups"][0]["accuracy"]["interval"] == [None, None]
    assert evaluated(cli, model, "p.tsv", "--resample", "judgments")["resampled"] == "pairs"
