"""Parallel files and tables of pairs."""

import gzip
import io
import os
from pathlib import Path

import pytest

from pfsm.data import SystemOutput, read_pairs_table, read_parallel
from pfsm.errors import PfsmError

REAL = os.environ.get("PFSM_DATA")
needs_data = pytest.mark.skipif(REAL is None, reason="PFSM_DATA is not set")


def write(folder: Path, content: str, name: str) -> Path:
    path = folder / name
    path.write_text(content, encoding="utf-8", newline="")
    return path


def test_streams_and_systems(tmp_path: Path) -> None:
    first = write(tmp_path, "a\n\nc\u2028c\n", "ref1")
    second = tmp_path / "ref2.gz"
    second.write_bytes(gzip.compress(b"d\ne\nf"))
    system = write(tmp_path, "x\r\ny\r\nz\r\n", "sys.txt")
    text = read_parallel([first, second], [str(system), first])
    assert text.references == (("a", "", "c\u2028c"), ("d", "e", "f"))
    assert text.systems == (
        SystemOutput(str(system), ("x", "y", "z")),
        SystemOutput(str(first), ("a", "", "c\u2028c")),
    )
    assert len(text.systems[0]) == 3


def test_line_counts_that_differ(tmp_path: Path) -> None:
    reference = write(tmp_path, "a\nb\n", "ref")
    good = write(tmp_path, "a\nb", "good")
    short = write(tmp_path, "a\n", "short")
    empty = write(tmp_path, "", "empty")
    for bad, count in ((short, "1 line"), (empty, "0 lines")):
        with pytest.raises(PfsmError, match=f"^{bad}: {count}, but {reference} has 2 lines; line i of both"):
            read_parallel([reference], [good, bad])
    with pytest.raises(PfsmError, match="empty: no lines, at least one segment is needed"):
        read_parallel([empty], [empty])


def test_standard_input_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, "a\n", "x")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"b\n")))
    assert read_parallel([path], ["-"]).systems == (SystemOutput("-", ("b",)),)
    with pytest.raises(PfsmError, match=r"^standard input: given more than once"):
        read_parallel(["-"], ["-"])
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"b\nc\n")))
    with pytest.raises(PfsmError, match=r"^standard input: 2 lines, but .*x has 1 line"):
        read_parallel([path], ["-"])


def test_further_references_go_by_number_where_they_are_not_empty(tmp_path: Path) -> None:
    names = [
        "reference_10",
        "reference_2",
        "reference",
        "hypothesis",
        "reference_4",
        "reference_1",
        "reference_x",
    ]
    content = "\t".join(names) + "\nr10\tr2\tr\th\tr4\tno\tno\nr10\t\t\th\t\tno\tno\n\t\tr\th\t\tno\tno\n"
    pairs = read_pairs_table(write(tmp_path, content, "x.tsv"))
    assert pairs.references == (("r", "r2", "r4", "r10"), ("", "r10"), ("r",))
    assert (pairs.hypotheses, pairs.systems) == (("h", "h", "h"), None)
    with pytest.raises(PfsmError, match=r": no column 'hypothesis'; the columns are 'reference', 'a'$"):
        read_pairs_table(write(tmp_path, "reference\ta\nr\ta\n", "y.tsv"))
