"""Cells that a spreadsheet would execute, in every TSV that a command writes for people."""

import csv
import io
from pathlib import Path

import pytest

from pfsm.io.spreadsheets import inert
from tests.command_runs import Cli, Write
from tests.model_cases import saved

FORMULAS = (
    "=1+1", "=cmd|' /C calc'!A0", "+1+1", "-1+cmd|' /C calc'!A0", "@SUM(1)", "\t=1", "\r=1", " =1", "\xa0=1",
    "\ufeff=1", "-", "+", "- a list", "--5", "-1-1", "+1e", "=", "\uff1d1", "-0x1", "-nan", "-\u0663",
)  # fmt: skip
HARMLESS = ("", "a", "'=1", "1=1", "a@b", "-1", "+1", "-1.5", "-.5", "1e-5", "-2E+10", "é", "( -1", "0")


@pytest.mark.parametrize("cell", FORMULAS)
def test_formulas_become_text(cell: str) -> None:
    assert inert(cell) == f"'{cell}"
    assert inert(inert(cell)) == inert(cell)


@pytest.mark.parametrize("cell", HARMLESS)
def test_other_cells_stay(cell: str) -> None:
    assert inert(cell) == cell


def cells(text: str) -> list[str]:
    return [
        cell for row in csv.reader(io.StringIO(text), delimiter="\t", quoting=csv.QUOTE_NONE) for cell in row
    ]


def executed(text: str) -> set[str]:
    """Cells that are neither text nor a number to a spreadsheet."""
    found = set()
    for cell in cells(text):
        try:
            float(cell)
        except ValueError:
            found |= {cell} if cell[:1] and cell[0] in "=+-@" else set()
    return found


EVIL = "=1+1"


def test_every_table(cli: Cli, write: Write, tmp_path: Path) -> None:
    saved(tmp_path)
    write(EVIL, "a b\nc\n")
    write("@ref", "a b\nc d\n")
    write("data.tsv", f"reference\thypothesis\tscore\t+system\n{EVIL}\t-a\t-1\t@x\nb\tc\t2\t+y\n")
    write("pairs.tsv", f"kind\treference\tbetter\tworse\n{EVIL}\ta b\ta b\t-a\n")
    model = ("-m", "hand.json")
    calls: dict[tuple[str, ...], str] = {
        ("score", "@ref", "-i", EVIL, "@ref", "-f", "tsv", "-sl", *model): "",
        ("score", "@ref", "-i", EVIL, "@ref", "-f", "tsv", *model): "",
        (
            "compare",
            "@ref",
            "-i",
            EVIL,
            "@ref",
            "--sentences",
            "out.tsv",
            "--confidence-n",
            "9",
            *model,
        ): "out.tsv",
        ("probe", "pairs.tsv", "--list", "--confidence-n", "9", *model): "",
        ("data", "convert", "data.tsv", "--output", "out.tsv"): "out.tsv",
    }
    for call, file in calls.items():
        for option, wanted in (((), False), (("--spreadsheet",), True)):
            done = cli(*call, *option)
            assert done.status == 0, done.err
            text = (tmp_path / file).read_text() if file else done.out
            assert (not executed(text)) == wanted, (call, option, text)
            assert (f"'{EVIL}" in text) == wanted


def test_partitions(cli: Cli, write: Write, tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    saved(tmp_path)
    write("data.tsv", f"reference\thypothesis\t+system\n{EVIL}\t-a\t@x\nb\tc\t+y\n")
    call = ("score", "--table", "data.tsv", "-m", "hand.json", "--keep", "reference,+system")
    for form, wanted in (("tsv", False), ("spreadsheet", True)):
        done = cli(*call, "-o", form, "--output-format", form)
        assert done.status == 0, done.err
        (path,) = (tmp_path / form).glob("*.tsv")
        assert (not executed(path.read_text())) == wanted
