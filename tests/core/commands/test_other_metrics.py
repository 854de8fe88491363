"""``compare``, ``mbr`` and ``explain`` with ``--metric``, and what explanations add up to."""

from pathlib import Path

import numpy as np
import pytest

from pfsm.features.values import feature_values
from pfsm.metrics import get_metric
from tests.command_runs import Cli, Write, text
from tests.judgment_cases import rows

REFERENCES = [reference for reference, _, _ in rows(60)]
GOOD = [reference if at % 3 else hypothesis for at, (reference, hypothesis, _) in enumerate(rows(60))]
POOR = [hypothesis for _, hypothesis, _ in rows(60)]
# Three candidates of 20 sources.
CANDIDATES = [line for pair in zip(REFERENCES[:20], GOOD[:20], POOR[:20], strict=True) for line in pair]


@pytest.fixture(autouse=True)
def files(write: Write) -> None:
    for name, lines in (("ref", REFERENCES), ("good", GOOD), ("poor", POOR), ("hyps", CANDIDATES)):
        write(f"{name}.txt", text(lines))


class TestCompare:
    COMMAND = ("compare", "ref.txt", "-i", "good.txt", "poor.txt", "-f", "json", "--metric")

    @pytest.mark.parametrize("name", ["bleu", "ter", "rouge-l"])
    def test_scores_are_those_of_the_corpora(self, cli: Cli, name: str) -> None:
        document = cli(*self.COMMAND, name).document
        metric = get_metric(name)
        good, poor = (metric.corpus_score(lines, [REFERENCES]) for lines in (GOOD, POOR))
        assert [system["score"] for system in document["systems"]] == [float(good), float(poor)]
        assert document["signature"] == good.signature
        (pair,) = document["pairs"]
        assert pair["difference"] == float(good) - float(poor)
        # Higher or lower, the better system is preferred, and has the better segments.
        assert (good < poor) == (name == "ter")
        assert pair["preferred"] == "good.txt"
        assert pair["wins"] > pair["losses"]


class TestExplain:
    COMMAND = ("explain", "ref.txt", "-i", "good.txt", "poor.txt")

    def test_parts_are_the_features(self, cli: Cli) -> None:
        documents = cli(*self.COMMAND, "--metric", "bleu", "--segment", "4", "-f", "json").document
        assert [document["system"] for document in documents] == ["good.txt", "poor.txt"]
        (segment,) = documents[1]["segments"]
        assert segment["segment"] == 3
        assert segment["score"] == get_metric("bleu").score_pairs(POOR[3:4], REFERENCES[3:4])[0]
        assert len(segment["parts"]) == 18
        values = feature_values([*segment["parts"]], POOR[3:4], REFERENCES[3:4])
        assert [*segment["parts"].values()] == values[0].tolist()

    @pytest.mark.parametrize(
        ("arguments", "fault"),
        [
            (
                ("rouge-l",),
                "metric rouge-l: its scores have no parts that explain them; metrics with parts: bleu, ter,",
            ),
            (("bleu(lowercase=true)",), "feature bleu.1(lowercase=true): has no options; write it as bleu.1"),
            (("bleu", "--html", "x.html"), "give either --metric or --html, not both"),
        ],
    )
    def test_what_is_refused(self, cli: Cli, arguments: tuple[str, ...], fault: str) -> None:
        assert cli(*self.COMMAND, "--metric", *arguments).fault.startswith(fault)


@pytest.fixture
def stories(write: Write) -> list[str]:
    return [
        write("ref.txt", "The cat sat down.\n\nWe met on Tuesday.\n"),
        write("hyp.txt", "The cat sits down.\nhello\nOn Tuesday we met.\n"),
        write("other.txt", "A cat.\n\nWe met.\n"),
    ]


def test_alignments(cli: Cli, stories: list[str], tmp_path: Path) -> None:
    outcome = cli("explain", stories[0], "-i", stories[1], "--alignments", "pairs.txt")
    assert outcome.status == 0
    lines = (tmp_path / "pairs.txt").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 3
    assert lines[0].startswith("0-0 1-1")
    assert lines[1] == ""


@pytest.mark.parametrize("name", ["chrf", "ter"])
def test_the_highest_expected_score(cli: Cli, name: str) -> None:
    chosen = cli("mbr", "-i", "hyps.txt", "-n", "3", "--metric", name).lines
    score = get_metric(name).score_pairs
    for source, line in enumerate(chosen):
        lines = CANDIDATES[3 * source : 3 * source + 3]
        expected = [
            score([one] * 2, [other for k, other in enumerate(lines) if k != place]).mean()
            for place, one in enumerate(lines)
        ]
        assert line == lines[int(np.argmax(np.round(expected, 9)))]
