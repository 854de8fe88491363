"""`pfsm score`: files, standard input and tables; text, JSON and TSV; several systems and references."""

import gzip
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
        long = cli("score", "ref.txt", "--input", "hyp.txt", "-m", files["model"], "--sentence-level").lines
        assert long == lines

    @pytest.mark.parametrize("width", [0, 1, 7])
    def test_the_number_alone_and_its_width(self, width: int, cli: Cli, files: dict[str, str]) -> None:
        (line,) = cli("score", "ref.txt", "-i", "hyp.txt", "-m", files["model"], "-b", "-w", str(width)).lines
        assert line == f"{mean(expected()):.{width}f}"
        lines = cli("score", "ref.txt", "-i", "hyp.txt", "-m", files["model"], "-sl", "-w", str(width)).lines
        assert lines == [f"{score:.{width}f}" for score in expected()]

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


class TestTsv:
    def test_systems(self, cli: Cli, files: dict[str, str]) -> None:
        lines = cli("score", "ref.txt", "-i", "hyp.txt", "same.txt", "-m", files["model"], "-f", "tsv").lines
        header, *body = [line.split("\t") for line in lines]
        assert header == ["system", "score", "name", "signature"]
        assert [row[0] for row in body] == ["hyp.txt", "same.txt"]
        assert float(body[0][1]) == pytest.approx(mean(expected()), abs=1e-15)
        assert body[0][2:] == ["hand", pfsm.load("hand.json").get_signature(1)]

    def test_segments(self, cli: Cli, files: dict[str, str]) -> None:
        lines = cli("score", "ref.txt", "-i", "hyp.txt", "-m", files["model"], "-f", "tsv", "-sl").lines
        header, *body = [line.split("\t") for line in lines]
        assert header == ["system", "segment", "score"]
        assert [(row[0], int(row[1]), float(row[2])) for row in body] == [
            ("hyp.txt", index, score) for index, score in enumerate(expected())
        ]


class TestInput:
    @pytest.mark.parametrize("dash", [(), ("-i", "-")])
    def test_standard_input(self, dash: tuple[str, ...], cli: Cli, files: dict[str, str]) -> None:
        outcome = cli("score", "ref.txt", *dash, "-m", files["model"], "-sl", stdin=text(HYPOTHESES))
        assert outcome.lines == [f"{score:.4f}" for score in expected()]

    def test_gzip_whatever_its_name(self, cli: Cli, write: Write, files: dict[str, str]) -> None:
        write("ref.gz", gzip.compress(text(REFERENCES).encode()))
        write("packed.txt", gzip.compress(text(HYPOTHESES).encode()))
        plain = cli("score", "ref.txt", "-i", "hyp.txt", "-m", files["model"], "-sl", "-w", "9").out
        for arguments in (("ref.gz", "-i", "hyp.txt"), ("ref.txt", "-i", "packed.txt")):
            assert cli("score", *arguments, "-m", files["model"], "-sl", "-w", "9").out == plain
        outcome = cli(
            "score", "ref.txt", "-m", files["model"], "-sl", "-w", "9", stdin=gzip.compress(text(HYPOTHESES).encode())
        )  # fmt: skip
        assert outcome.out == plain

    def test_the_best_of_several_references_counts_and_the_signature_says_so(
        self, cli: Cli, write: Write, files: dict[str, str]
    ) -> None:
        second = write("second.txt", text(["a small bird sings", "small houses", "x", "walks"]))
        result = cli(
            "score", "ref.txt", second, "-i", "hyp.txt", "-m", files["model"], "-f", "json", "-sl"
        ).document
        other = expected(["a small bird sings", "small houses", "x", "walks"])
        assert result["segment_scores"] == [max(pair) for pair in zip(expected(), other, strict=True)]
        assert result["segment_scores"] not in (expected(), other)
        assert result["signature"].startswith("nrefs:2|refs:best|model:hand|")
        swapped = cli("score", second, "ref.txt", "-i", "hyp.txt", "-m", files["model"], "-f", "json", "-sl")
        assert swapped.document["segment_scores"] == result["segment_scores"]


def test_a_dash_for_an_interval_is_explained(cli: Cli, write: Write) -> None:
    write("r", "a b\n")
    write("h", "a c\n")
    done = cli("score", "r", "-i", "h", "--metric", "chrf", "-ci")
    assert done.out.endswith(" –\n")
    assert done.err == "pfsm: warning: – stands for no interval: a single segment cannot be resampled\n"
    assert cli("score", "r", "-i", "h", "--metric", "chrf", "-ci", "--quiet").err == ""
    write("rr", "a b\na d\n")
    write("hh", "a c\na d\n")
    assert cli("score", "rr", "-i", "hh", "--metric", "chrf", "-ci").err == ""


def test_more_decimals_than_a_number_has_are_refused(cli: Cli, write: Write) -> None:
    write("r", "a b\n")
    done = cli("score", "r", "-i", "r", "--metric", "chrf", "-w", "18")
    assert done.status == 2
    assert "'18' is not a whole number from 0 to 17" in done.err
    assert cli("score", "r", "-i", "r", "--metric", "chrf", "-w", "17", "-b").out == f"{100:.17f}\n"
