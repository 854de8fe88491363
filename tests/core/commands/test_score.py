"""`pfsm score`: files, standard input and tables; text and JSON; the numbers, against edit sequences written out."""

import math
from pathlib import Path

import numpy as np
import pytest

import pfsm
from tests.command_runs import Cli, Write, text
from tests.model_cases import saved

REFERENCES = ["the red bird sings", "a small house .", "", "walking near the river"]
HYPOTHESES = ["the red bird sang", "small houses", "", ""]


@pytest.fixture(autouse=True)
def files(write: Write, tmp_path: Path) -> None:
    """A reference, two hypotheses, a table and the model."""
    saved(tmp_path)
    write("ref.txt", text(REFERENCES))
    write("hyp.txt", text(HYPOTHESES))
    write("same.txt", text(REFERENCES))
    pairs = zip(REFERENCES, HYPOTHESES, strict=True)
    write("t.tsv", "id\thypothesis\treference\n" + text(f"7\t{h}\t{r}" for r, h in pairs))


def expected(references: list[str] = REFERENCES, hypotheses: list[str] = HYPOTHESES) -> list[float]:
    return [float(score) for score in pfsm.load("hand.json").score_pairs(hypotheses, references)]


def mean(scores: list[float]) -> float:
    return math.fsum(scores) / len(scores)


@pytest.mark.parametrize("given", [("ref.txt", "-i", "hyp.txt"), ("--table", "t.tsv")])
def test_one_system(cli: Cli, given: tuple[str, ...]) -> None:
    command = ("score", *given, "-m", "hand.json", "-q")
    metric, score = pfsm.load("hand.json"), mean(expected())
    assert cli(*command).lines == [f"{metric.get_short_signature(1)} = {score:.4f}"]
    assert cli(*command, "--signature", "long").lines == [f"hand|{metric.get_signature(1)} = {score:.4f}"]
    assert cli(*command, "-sl").lines == [f"{score:.4f}" for score in expected()]
    assert cli(*command, "-b", "-w", "7").lines == [f"{score:.7f}"]
    result = cli(*command, "--format", "json").document
    assert (result["name"], result["signature"]) == ("hand", metric.get_signature(1))
    assert result["score"] == pytest.approx(score, abs=1e-15)
    assert "segment_scores" not in result
    assert cli(*command, "-f", "json", "-sl").document["segment_scores"] == expected()
    header, *body = [line.split("\t") for line in cli(*command, "-f", "tsv", "-sl").lines]
    assert header == ["system", "segment", "score"]
    assert [(int(row[1]), float(row[2])) for row in body] == list(enumerate(expected()))


def test_standard_input(cli: Cli) -> None:
    for dash in ((), ("-i", "-")):
        outcome = cli("score", "ref.txt", *dash, "-m", "hand.json", "-sl", "-q", stdin=text(HYPOTHESES))
        assert outcome.lines == [f"{score:.4f}" for score in expected()]


JUDGED = (
    ("the cat sat .", "the cat sat .", "A", "d1"), ("the dog ran .", "a dog ran .", "A", "d1"),
    ("the hen", "the hen", "A", "d2"), ("the cat sat .", "cats sat .", "B", "d1"), ("the hen", "hens", "B", "d2"),
)  # fmt: skip
DOCUMENTS = "\n".join(map("\t".join, [("reference", "hypothesis", "system", "document"), *JUDGED])) + "\n"


def test_documents(cli: Cli, write: Write) -> None:
    write("d.tsv", DOCUMENTS)
    arguments = ("score", "--table", "d.tsv", "-m", "en-small", "--level", "document")
    scores = pfsm.load("en-small", 1).score_pairs([row[1] for row in JUDGED], [row[0] for row in JUDGED])
    wanted = {
        (system, document): float(
            np.mean([x for x, row in zip(scores, JUDGED, strict=True) if row[2:] == (system, document)])
        )
        for system, document in dict.fromkeys(row[2:] for row in JUDGED)
    }
    found = cli(*arguments, "-f", "json").document["documents"]
    assert {(one["system"], one["document"]): one["score"] for one in found} == wanted
    head, *lines = cli(*arguments, "-f", "tsv").out.splitlines()
    assert head.split("\t")[:3] == ["system", "document", "score"]
    cells = [line.split("\t") for line in lines]
    assert {(cell[0], cell[1]): float(cell[2]) for cell in cells} == wanted


def test_documents_that_are_refused(cli: Cli, write: Write) -> None:
    write("t.tsv", "reference\thypothesis\na\tb\n")
    write("ref.txt", "a\n")
    assert "t.tsv: has no column document" in cli("score", "--table", "t.tsv", "--level", "document").fault
    for more in (("ref.txt", "-i", "ref.txt"), ("--table", "t.tsv", "-sl")):
        assert "--level document needs --table" in cli("score", *more, "--level", "document").fault
