"""`pfsm score`: files, standard input and tables; text, JSON and TSV; several systems and references."""

import math
from pathlib import Path

import pytest

import pfsm
from tests.command_runs import Cli, Write, text
from tests.model_cases import saved

REFERENCES = ["the red bird sings", "a small house .", "", "walking near the river"]
HYPOTHESES = ["the red bird sang", "small houses", "", ""]


@pytest.fixture
def model(tmp_path: Path) -> str:
    return Path(saved(tmp_path)).name


@pytest.fixture
def files(write: Write, model: str) -> dict[str, str]:
    """A reference, two hypotheses and the model, by what they are."""
    return {
        "ref": write("ref.txt", text(REFERENCES)),
        "hyp": write("hyp.txt", text(HYPOTHESES)),
        "same": write("same.txt", text(REFERENCES)),
        "model": model,
    }


def expected(references: list[str] = REFERENCES, hypotheses: list[str] = HYPOTHESES) -> list[float]:
    return [float(score) for score in pfsm.load("hand.json").score_pairs(hypotheses, references)]


def mean(scores: list[float]) -> float:
    return math.fsum(scores) / len(scores)


class TestText:
    def test_one_system(self, cli: Cli, files: dict[str, str]) -> None:
        (line,) = cli("score", "ref.txt", "-i", "hyp.txt", "--model", files["model"]).lines
        metric = pfsm.load("hand.json")
        assert line == f"pfsm:hand:{metric.model.fingerprint}:{pfsm.__version__} = {mean(expected()):.4f}"
        command = ("score", "ref.txt", "-i", "hyp.txt", "--model", files["model"], "--signature", "long")
        assert cli(*command).lines == [f"hand|{metric.get_signature(1)} = {mean(expected()):.4f}"]

    def test_a_score_a_line(self, cli: Cli, files: dict[str, str]) -> None:
        lines = cli("score", "ref.txt", "-i", "hyp.txt", "-m", files["model"], "-sl").lines
        assert lines == [f"{score:.4f}" for score in expected()]

    def test_the_number_alone_and_its_width(self, cli: Cli, files: dict[str, str]) -> None:
        (line,) = cli("score", "ref.txt", "-i", "hyp.txt", "-m", files["model"], "-b", "-w", "7").lines
        assert line == f"{mean(expected()):.7f}"

    def test_several_systems(self, cli: Cli, files: dict[str, str]) -> None:
        command = ("score", "ref.txt", "-i", "hyp.txt", "same.txt", "-m", files["model"])
        both = {"hyp.txt": expected(), "same.txt": expected(hypotheses=REFERENCES)}
        assert cli(*command, "-sl").lines == [
            f"{name}\t{number}\t{score:.4f}" for name, scores in both.items() for number, score in enumerate(scores, 1)
        ]  # fmt: skip
        assert cli(*command, "-b").lines == [f"{name}\t{mean(scores):.4f}" for name, scores in both.items()]
        signature = pfsm.load("hand.json").get_short_signature(1)
        assert cli(*command).lines == [
            f"{name}\t{signature} = {mean(scores):.4f}" for name, scores in both.items()
        ]


class TestJson:
    def test_one_system_at_full_precision(self, cli: Cli, files: dict[str, str]) -> None:
        command = ("score", "ref.txt", "-i", "hyp.txt", "-m", files["model"], "--format", "json")
        result = cli(*command).document
        assert result["name"] == "hand"
        assert result["score"] == pytest.approx(mean(expected()), abs=1e-15)
        assert result["signature"] == pfsm.load("hand.json").get_signature(1)
        assert "segment_scores" not in result
        result = cli(*command, "-sl").document
        assert result["segment_scores"] == expected()
        assert result["score"] == pytest.approx(mean(expected()), abs=1e-15)


class TestInput:
    @pytest.mark.parametrize("dash", [(), ("-i", "-")])
    def test_standard_input(self, dash: tuple[str, ...], cli: Cli, files: dict[str, str]) -> None:
        outcome = cli("score", "ref.txt", *dash, "-m", files["model"], "-sl", stdin=text(HYPOTHESES))
        assert outcome.lines == [f"{score:.4f}" for score in expected()]


ROWS = tuple(zip(REFERENCES, HYPOTHESES, strict=True))


def test_tsv(cli: Cli, write: Write, model: str) -> None:
    write("t.tsv", "id\thypothesis\treference\n" + text([f"7\t{h}\t{r}" for r, h in ROWS]))
    assert cli("score", "--table", "t.tsv", "-m", model, "-sl").lines == [
        f"{score:.4f}" for score in expected()
    ]
    (line,) = cli("score", "--table", "t.tsv", "-m", model).lines
    assert line == f"{pfsm.load(model).get_short_signature(1)} = {sum(expected()) / 4:.4f}"


def test_the_means_of_the_systems_in_it(cli: Cli, write: Write, model: str) -> None:
    write("t.tsv", "system\treference\thypothesis\nB\ta bird\tbird\nA\ta bird\ta bird\nB\tred\tblue\n")
    bird, same, blue = expected(["a bird", "a bird", "red"], ["bird", "a bird", "blue"])
    result = cli("score", "--table", "t.tsv", "-m", model, "-f", "json").document
    assert result["systems"] == pytest.approx({"A": same, "B": (bird + blue) / 2}, abs=1e-15)
    assert result["score"] == pytest.approx((bird + same + blue) / 3, abs=1e-15)
    lines = cli("score", "--table", "t.tsv", "-m", model, "-b").lines
    assert lines == [f"{(bird + same + blue) / 3:.4f}", f"A\t{same:.4f}", f"B\t{(bird + blue) / 2:.4f}"]
