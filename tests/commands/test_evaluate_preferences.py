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
    @pytest.mark.parametrize("tau", ["wmt12", "wmt13"])
    def test_nothing_to_count(self, tau: str, cli: Cli, write: Write, model: str) -> None:
        write("p.tsv", pairs((*TIED[:3], 0.0)))
        (group,) = evaluated(cli, model, "p.tsv", "--tau", tau)["groups"]
        assert group["kendall_tau"]["value"] is None
        assert "undefined" in cli("evaluate", "p.tsv", "-m", model, "--confidence-n", "9").out

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
