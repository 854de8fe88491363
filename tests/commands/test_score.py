"""`pfsm score`: files, standard input and tables; text, JSON and TSV; several systems and references."""

import math
from pathlib import Path

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
    rows = zip(REFERENCES, HYPOTHESES, strict=True)
    write("t.tsv", "id\thypothesis\treference\n" + text(f"7\t{h}\t{r}" for r, h in rows))


def expected(references: list[str] = REFERENCES, hypotheses: list[str] = HYPOTHESES) -> list[float]:
    return [float(score) for score in pfsm.load("hand.json").score_pairs(hypotheses, references)]


def mean(scores: list[float]) -> float:
    return math.fsum(scores) / len(scores)


@pytest.mark.parametrize("given", [("ref.txt", "-i", "hyp.txt"), ("--table", "t.tsv")])
def test_one_system(cli: Cli, given: tuple[str, ...]) -> None:
    command = ("score", *given, "-m", "hand.json")
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


def test_several_systems(cli: Cli) -> None:
    command = ("score", "ref.txt", "-i", "hyp.txt", "same.txt", "-m", "hand.json")
    both = {"hyp.txt": expected(), "same.txt": expected(hypotheses=REFERENCES)}
    assert cli(*command, "-sl").lines == [
        f"{name}\t{number}\t{score:.4f}" for name, scores in both.items() for number, score in enumerate(scores, 1)
    ]  # fmt: skip
    assert cli(*command, "-b").lines == [f"{name}\t{mean(scores):.4f}" for name, scores in both.items()]
    signature = pfsm.load("hand.json").get_short_signature(1)
    assert cli(*command).lines == [
        f"{name}\t{signature} = {mean(scores):.4f}" for name, scores in both.items()
    ]


def test_standard_input(cli: Cli) -> None:
    for dash in ((), ("-i", "-")):
        outcome = cli("score", "ref.txt", *dash, "-m", "hand.json", "-sl", stdin=text(HYPOTHESES))
        assert outcome.lines == [f"{score:.4f}" for score in expected()]
