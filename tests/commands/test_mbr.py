"""`pfsm mbr`: candidates in, the chosen ones out; weights; faults."""

import json
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
    for name in ("-i", "-t", "--input"):
        for number in ("-n", "--num-samples", "--num_sample"):
            assert cli("mbr", name, "hyps.txt", number, "3", "-m", model).lines == expected
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
    documents = cli("mbr", "-i", "hyps.txt", "-n", "3", "-m", model, "-f", "json").document
    assert [document["expected"] for document in documents] == [
        choice.expected.tolist() for choice in choices
    ]
    assert [document["translation"] for document in documents] == [choice.text for choice in choices]
    assert json.dumps(documents[1]["segment"]) == "1"


def test_weights(cli: Cli, write: Write, model: str) -> None:
    write("hyps.txt", text(LINES))
    write("weights.txt", text(["8", "0.5", "0", "1e-3", "2", "0"]))
    rows = cli("mbr", "-i", "hyps.txt", "-n", "3", "-m", model, "--weights", "weights.txt", "-f", "tsv").lines
    choices = choose(load(model), SOURCES, [[8.0, 0.5, 0.0], [0.001, 2.0, 0.0]])
    assert [row.split("\t")[2] for row in rows[1:]] == [repr(choice.score) for choice in choices]


@pytest.mark.parametrize(
    ("number", "weights", "message"),
    [
        ("1", None, "--num-samples is 1, at least 2"),
        ("4", None, "hyps.txt: 6 lines, not a multiple of 4"),
        ("3", "1\n2\n", "weights.txt: 2 lines, but there are 6 candidates"),
        ("3", "1\n2\nx\n1\n1\n1\n", "weights.txt:3: weight is 'x', a finite number from 0"),
        ("3", "1\n2\n-3\n1\n1\n1\n", "weights.txt:3: weight is '-3'"),
        ("3", "1\n2\nnan\n1\n1\n1\n", "weights.txt:3: weight is 'nan'"),
        (
            "3",
            "1\n2\n1\n0\n1\n0\n",
            "weights.txt:4: the weights of the 3 candidates from here are 0 but for one",
        ),
    ],
)
def test_faults(number: str, weights: str | None, message: str, cli: Cli, write: Write, model: str) -> None:
    write("hyps.txt", text(LINES))
    given = [] if weights is None else ["--weights", write("weights.txt", weights)]
    assert message in cli("mbr", "-i", "hyps.txt", "-n", number, "-m", model, *given).fault
