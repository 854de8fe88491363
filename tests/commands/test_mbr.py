"""`pfsm mbr`: candidates in, the chosen ones out; weights; faults."""

from pathlib import Path

import pytest

from pfsm.model.mbr import choose
from pfsm.model.shipped import load
from tests.command_runs import Cli, Write, text
from tests.model_cases import saved

SOURCES = [
    ["the red bird sings", "a red bird sang", "the red bird sang"],
    ["walking near the river", "", "walking near a river"],
]
LINES = [line for source in SOURCES for line in source]


@pytest.fixture
def model(tmp_path: Path) -> str:
    return Path(saved(tmp_path)).name


def test_a_translation_a_line(cli: Cli, write: Write, model: str) -> None:
    write("hyps.txt", text(LINES))
    expected = [choice.text for choice in choose(load(model), SOURCES)]
    assert cli("mbr", "-i", "hyps.txt", "--num-samples", "3", "-m", model).lines == expected
    # Both sources have one that the two others are close to.
    assert expected == ["the red bird sang", "walking near the river"]


def test_into_a_file_and_as_numbers(cli: Cli, write: Write, model: str, tmp_path: Path) -> None:
    write("hyps.txt", text(LINES))
    choices = choose(load(model), SOURCES)
    assert cli("mbr", "-i", "hyps.txt", "-n", "3", "-m", model, "-o", "out.txt").lines == []
    assert (tmp_path / "out.txt").read_text() == text(choice.text for choice in choices)
    head, *rows = cli("mbr", "-i", "hyps.txt", "-n", "3", "-m", model, "-f", "tsv").lines
    assert head == "segment\tcandidate\tscore"
    assert rows == [f"{place}\t{choice.candidate}\t{choice.score!r}" for place, choice in enumerate(choices)]


@pytest.mark.parametrize(
    ("number", "weights", "message"),
    [
        ("4", None, "hyps.txt: 6 lines, not a multiple of 4"),
        ("3", "1\n2\n", "weights.txt: 2 lines, but there are 6 candidates"),
        ("3", "1\n2\nx\n1\n1\n1\n", "weights.txt:3: weight is 'x', a finite number from 0"),
    ],
)
def test_faults(number: str, weights: str | None, message: str, cli: Cli, write: Write, model: str) -> None:
    write("hyps.txt", text(LINES))
    given = [] if weights is None else ["--weights", write("weights.txt", weights)]
    assert message in cli("mbr", "-i", "hyps.txt", "-n", number, "-m", model, *given).fault
