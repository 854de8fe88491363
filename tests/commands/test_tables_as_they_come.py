"""Tables with the quotes of pandas, and segments without a reference: noticed, read, counted."""

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import pytest

from pfsm.data import read_pairs_table, read_parallel, read_table, unquoting
from pfsm.errors import PfsmError, PfsmWarning
from tests.command_runs import Cli, Write
from tests.comparison_cases import data_in

TEXTS = ['He said "no" to it.', "A tab\there.", "the cat\nsat", '"Hello."']
SKIP, SMALL = "--skip-missing-references", ("-m", "en-small")


def written(
    path: Path, texts: Sequence[str], between: str = "\t", quoting: Literal[0, 1] = csv.QUOTE_MINIMAL
) -> None:
    """A table as pandas' ``to_csv`` writes it, by Python's own writer."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter=between, lineterminator="\n", quoting=quoting)
        writer.writerow(["reference", "hypothesis", "score"])
        writer.writerows([text, text, len(text)] for text in texts)


def test_quotes_of_pandas(cli: Cli, tmp_path: Path) -> None:
    written(tmp_path / "p.csv", TEXTS, ",")
    written(tmp_path / "whole.tsv", [TEXTS[0], TEXTS[3]])
    written(tmp_path / "cut.tsv", TEXTS)
    written(tmp_path / "all.tsv", TEXTS, quoting=csv.QUOTE_ALL)
    wanted = cli("score", "--table", "p.csv", "-sl", *SMALL).lines
    for name in ("cut.tsv", "all.tsv"):
        for command in (
            ("score", "--table", name, *SMALL),
            ("data", "info", name),
            ("evaluate", name, *SMALL),
        ):
            assert "--unquote" in cli(*command).err.splitlines()[-1]
            assert cli(*command, "--unquote").status == 0
        assert cli("score", "--table", name, "-sl", "--unquote", *SMALL).lines == wanted
        with unquoting():
            assert list(read_table(name).columns["reference"]) == TEXTS
    with pytest.warns(PfsmWarning, match=r"^whole.tsv:2: a field in quotes, .*--unquote"):
        assert read_table("whole.tsv").columns["reference"][1] == '"""Hello."""'
    assert "whole.tsv:2: a field in quotes" in cli("score", "--table", "whole.tsv", "--strict", *SMALL).fault


REFERENCES = ("the cat sat", " ", "the dog ran", "no")
SYSTEMS = {
    "a.txt": ("the cat sat", "x", "the dog sat", "no"),
    "b.txt": ("a cat", "x", "the dog ran", "no no"),
}


def test_segments_without_a_reference_are_left_out(cli: Cli, write: Write, tmp_path: Path) -> None:
    for suffix, rows in (("", [0, 1, 2, 3]), (".less", [0, 2, 3])):
        for name, lines in {"r.txt": REFERENCES, **SYSTEMS, "d.txt": ("d", "d", "e", "e")}.items():
            write(name + suffix, "".join(f"{lines[row]}\n" for row in rows))
        pairs = [f"{REFERENCES[row]}\t{SYSTEMS['a.txt'][row]}\t{row}\n" for row in rows]
        write("t.tsv" + suffix, "".join(["reference\thypothesis\tscore\n", *pairs]))
        write("s.txt" + suffix, "".join(f"{row * row}\n" for row in rows))
    for command in (
        ("score", "r.txt", "-i", "a.txt", "b.txt"),
        ("score", "--table", "t.tsv"),
        ("compare", "r.txt", "-i", "a.txt", "b.txt", "--documents", "d.txt"),
        ("evaluate", "t.tsv"),
        ("evaluate", "t.tsv", "--scores", "s.txt"),
    ):
        scorer = () if "s.txt" in command else SMALL
        found = cli(*command, *scorer, SKIP)
        wanted = cli(*(f"{word}.less" if "." in word else word for word in command), *scorer)
        assert (found.status, found.err) == (
            0,
            "pfsm: note: 1 of 4 segments left out, which have no reference\n",
        )
        rest = found.out.replace(" 1 of 4 segments left out, which have no reference.", "")
        assert (rest != found.out) == (command[0] == "compare")
        assert rest.replace(" ", "") == wanted.out.replace(".less", "").replace(" ", "")
    told = cli("score", "r.txt", "-i", "a.txt", "-sl", "--format", "tsv", *SMALL, SKIP).out.splitlines()
    assert [line.split("\t")[1] for line in told] == ["segment", "0", "2", "3"]
    written_too = ("--html", "page.html", "--junit", "j.xml", "-f", "json")
    compared = cli("compare", "r.txt", "-i", "a.txt", "b.txt", *written_too, *SMALL, SKIP, "-q").document
    assert (compared["segments"], compared["segments_left_out"]) == (3, [1])
    data = data_in(tmp_path / "page.html")
    assert (data["segments"], data["numbers"]) == (3, [1, 3, 4])
    for name in ("page.html", "j.xml"):
        assert "1 of 4 segments left out, which have no reference." in (tmp_path / name).read_text("utf-8")
    assert "--spans has a line" in cli("score", "--table", "t.tsv", "--spans", "x", *SMALL, SKIP).fault
    assert read_parallel(["r.txt"], ["a.txt"], skip_missing_references=True).left_out == (1,)
    assert read_pairs_table("t.tsv", skip_missing_references=True).left_out == (1,)
    write("none.txt", "\n \n")
    with pytest.raises(PfsmError, match=r"^none.txt: every reference is missing"):
        read_parallel(["none.txt"], ["none.txt"], skip_missing_references=True)
