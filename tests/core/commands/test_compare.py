"""`pfsm compare`: two or more systems, the statistics of each pair, and the preferred system per segment."""

import re
import sys
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import pfsm
from pfsm.evaluation import compare_systems, holm
from pfsm.runtime import terminal as screen
from pfsm.runtime.terminal import colored as colored_output
from tests.command_runs import Cli, Write, text
from tests.model_cases import saved

REFERENCES = [f"the {word} bird sings near the river ." for word in ("red", "blue", "small", "large")] * 10
GOOD = [
    reference.replace("sings", "sang") if at % 4 else reference for at, reference in enumerate(REFERENCES)
]
FAIR = [reference.replace("the river", "rivers") for reference in REFERENCES]
POOR = [" ".join(reference.split()[: 2 + at % 3]) for at, reference in enumerate(REFERENCES)]


@pytest.fixture(autouse=True)
def files(write: Write, tmp_path: Path) -> None:
    saved(tmp_path)
    for name, lines in (("ref", REFERENCES), ("good", GOOD), ("fair", FAIR), ("poor", POOR), ("twin", GOOD)):
        write(f"{name}.txt", text(lines))


def scores(hypotheses: list[str]) -> list[float]:
    return [float(score) for score in pfsm.load("hand.json").score_pairs(hypotheses, REFERENCES)]


def test_colours_on_a_terminal_alone(cli: Cli, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """They tell who won, what is significant, and edits; without them the text is the same."""
    rows = [f"{one}\t{two}\t{at % 7}" for at, (one, two) in enumerate(zip(REFERENCES, POOR, strict=True))]
    write("d.tsv", text(["reference\thypothesis\tscore", *rows]))
    for command, painted in (
        ((*COMMAND, "good.txt", "poor.txt"), "\x1b[32mgood.txt\x1b[0m"),
        (("explain", "ref.txt", "-m", "hand.json", "-i", "poor.txt"), " (missing words)\x1b[0m"),
        (("evaluate", "d.tsv", "-m", "hand.json", "--versus", "metric:bleu"), "\x1b[2m"),
    ):
        plain, colored = cli(*command).out, cli(*command, "--color", "always").out
        assert "\x1b" not in plain
        assert painted in colored
        assert re.sub(r"\x1b\[\d*m", "", colored) == plain
    for terminal, no_color, choice, expected in (
        (True, "", "auto", True), (True, "1", "auto", False), (False, "", "auto", False), (True, "1", "always", True),
    ):  # fmt: skip
        monkeypatch.setenv("NO_COLOR", no_color)
        monkeypatch.setattr(sys.stdout, "isatty", lambda terminal=terminal: terminal, raising=False)
        with colored_output(choice):
            assert (screen.painted("x", screen.GOOD) != "x") is expected


COMMAND = ("compare", "ref.txt", "-m", "hand.json", "-i")


def test_every_pair_with_holms_correction(cli: Cli) -> None:
    names = ["good.txt", "fair.txt", "poor.txt", "twin.txt"]
    result = cli(*COMMAND, *names, "-f", "json").document
    assert [system["name"] for system in result["systems"]] == names
    pairs = result["pairs"]
    assert [(pair["system_a"], pair["system_b"]) for pair in pairs] == list(combinations(names, 2))
    assert [pair["p_holm"] for pair in pairs] == list(holm([pair["p_value"] for pair in pairs]))
    assert any(pair["p_holm"] > pair["p_value"] for pair in pairs)
    for pair in pairs:
        better = pair["system_a"] if pair["difference"] > 0 else pair["system_b"]
        assert pair["preferred"] == (better if pair["p_holm"] < 0.05 else "no preference")
    assert {pair["preferred"] for pair in pairs} >= {"good.txt", "no preference"}


def test_a_sentence_then_a_table(cli: Cli) -> None:
    found = cli(*COMMAND, "poor.txt", "good.txt", "twin.txt", "--metric", "ter", "-w", "2").lines
    document = cli(*COMMAND, "poor.txt", "good.txt", "twin.txt", "-f", "json").document
    assert found[0].startswith(document["verdict"][:-1] + "; likewise by ter")
    assert found[0].startswith("good.txt and twin.txt are best by hand, ")
    assert [line.split()[0] for line in found[2:6]] == ["system", "poor.txt", "good.txt", "twin.txt"]
    assert found[2].split() == ["system", "hand", "ter"]
    assert found[3].split()[1] == f"{np.mean(scores(POOR)):.2f}"
    assert [line.count(")*") for line in found[3:6]] == [0, 2, 2]
    assert found[6] == "*: significantly different from poor.txt (p < 0.05 after Holm's correction)"
    assert found[8].startswith("pfsm:hand:")


@pytest.mark.parametrize(
    ("systems", "margin", "status"),
    [(("good.txt", "poor.txt"), (), 1), (("poor.txt", "good.txt"), (), 0), (("good.txt", "twin.txt"), (), 0),
     (("good.txt", "twin.txt"), ("--margin", "-1"), 2)],
)  # fmt: skip
def test_gate(cli: Cli, systems: tuple[str, str], margin: tuple[str, ...], status: int) -> None:
    for metric in ("chrf", "ter"):
        asked = "compare", "ref.txt", "-i", *systems, "--metric", metric, "--fail-if-worse", *margin
        assert cli(*asked).status == status


def test_margin_counts_without_significance(cli: Cli) -> None:
    asked = *COMMAND, "good.txt", "fair.txt", "--confidence-n", "1", "--fail-if-worse"
    assert cli(*asked).status == 0
    assert cli(*asked, "--margin", "0").status == 1


def test_junit(cli: Cli, write: Write, tmp_path: Path) -> None:
    odd = write('p<&\x01".txt', text(POOR))
    write("page.xml", "old")
    asked = *COMMAND, "good.txt", odd, "twin.txt", "--metric", "ter", "--junit", "page.xml"
    assert cli(*asked, "-q").status == 0
    assert cli(*asked, "-q", "--fail-if-worse").status == 1
    root = ElementTree.parse(tmp_path / "page.xml").getroot()
    assert (root.get("tests"), root.get("failures")) == ("4", "2")
    assert [suite.get("name") for suite in root] == ["hand", "ter"]
    bad, fine = root[1].findall("testcase")
    assert (bad.get("name"), fine.find("failure")) == ('p<&\ufffd".txt is not worse than good.txt', None)
    (failure,) = bad.findall("failure")
    assert str(failure.get("message")).startswith('p<&\ufffd".txt is worse than good.txt by ')
    assert cli(*COMMAND, "good.txt", "poor.txt", "--junit", "ref.txt").fault.startswith(
        "ref.txt: is an input"
    )


DOCUMENTS = [f"d{at // 4}" for at in range(len(REFERENCES))]


def test_documents_of_every_kind_of_file(cli: Cli, write: Write) -> None:
    """Whole documents are drawn, and won, lost or tied: as segments would be that have the documents' means."""
    write("en-de.docs", text(f"news {one}" for one in DOCUMENTS))
    write("facts.tsv", text(["document\tsource", *(f"{one}\tx" for one in DOCUMENTS)]))
    blocks = [
        f'<doc id="{one}" origlang="en"><src lang="en"><p>'
        + "".join(f'<seg id="{at}">x</seg>' for at in range(1, 5))
        + "</p></src></doc>"
        for one in dict.fromkeys(DOCUMENTS)
    ]
    write("set.xml", '<?xml version="1.0"?>\n<dataset id="t">\n' + "\n".join(blocks) + "\n</dataset>\n")
    found = [
        cli(*COMMAND, "good.txt", "poor.txt", "-f", "json", "--documents", name).document
        for name in ("en-de.docs", "facts.tsv", "set.xml")
    ]
    assert found[0] == found[1] == found[2]
    means = [np.reshape(scores(lines), (-1, 4)).mean(axis=1) for lines in (GOOD, POOR)]
    alone = compare_systems(["good.txt", "poor.txt"], means)
    (pair,) = found[0]["pairs"]
    assert (found[0]["segments"], found[0]["documents"]) == (40, 10)
    assert (pair["wins"], pair["losses"], pair["ties"]) == (
        *(alone.pairs[0].wins, alone.pairs[0].losses, alone.pairs[0].ties),
    )
    assert pair["interval"] == pytest.approx([alone.pairs[0].interval.low, alone.pairs[0].interval.high])
    shown = cli(
        "compare", "ref.txt", "--metric", "ter", "-i", "good.txt", "poor.txt", "--documents", "en-de.docs"
    )
    assert "  documents       10 better, 0 worse, 0 tied" in shown.out
    assert "over 10 documents" in shown.lines[0]
    assert "[10 documents; paired permutation test, all exchanges;" in shown.out
    write("short.docs", "d\n")
    said = cli(*COMMAND, "good.txt", "poor.txt", "--documents", "short.docs").fault
    assert said == "short.docs: 1 line, but ref.txt has 40 lines; line i of both must be segment i"
