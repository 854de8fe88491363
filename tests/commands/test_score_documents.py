"""``pfsm score --level document``: means over the segments of each document of each system."""

import json

import numpy as np

from pfsm.model.shipped import load
from tests.command_runs import Cli, Write

ROWS = (
    ("the cat sat .", "the cat sat .", "A", "d1"), ("the dog ran .", "a dog ran .", "A", "d1"),
    ("the hen", "the hen", "A", "d2"), ("the cat sat .", "cats sat .", "B", "d1"), ("the hen", "hens", "B", "d2"),
)  # fmt: skip
TABLE = "\n".join(map("\t".join, [("reference", "hypothesis", "system", "document"), *ROWS])) + "\n"


def test_documents(cli: Cli, write: Write) -> None:
    write("t.tsv", TABLE)
    arguments = ("score", "--table", "t.tsv", "-m", "en-small", "--level", "document")
    scores = load("en-small", 1).score_pairs([row[1] for row in ROWS], [row[0] for row in ROWS])
    wanted = {
        (system, document): float(
            np.mean([x for x, row in zip(scores, ROWS, strict=True) if row[2:] == (system, document)])
        )
        for system, document in dict.fromkeys(row[2:] for row in ROWS)
    }
    found = json.loads(cli(*arguments, "-f", "json").out)["documents"]
    assert {(one["system"], one["document"]): one["score"] for one in found} == wanted
    head, *lines = cli(*arguments, "-f", "tsv").out.splitlines()
    assert head.split("\t")[:3] == ["system", "document", "score"]
    cells = [line.split("\t") for line in lines]
    assert {(cell[0], cell[1]): float(cell[2]) for cell in cells} == wanted


def test_refused(cli: Cli, write: Write) -> None:
    write("t.tsv", "reference\thypothesis\na\tb\n")
    write("ref.txt", "a\n")
    assert "t.tsv: has no column document" in cli("score", "--table", "t.tsv", "--level", "document").fault
    for more in (("ref.txt", "-i", "ref.txt"), ("--table", "t.tsv", "-sl")):
        assert "--level document needs --table" in cli("score", *more, "--level", "document").fault
