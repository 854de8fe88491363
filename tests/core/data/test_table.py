"""Tables, parallel files, minimal pairs: what is read is what was written, the rest is refused with its line."""

import csv
import gzip
import hashlib
import io
import re
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pfsm.data import DataSource, SystemOutput, Table, read_pairs_table, read_parallel, read_table
from pfsm.data.minimal_pairs import KINDS, SHIPPED, shipped_minimal_pairs
from pfsm.errors import PfsmError

TSV_FIELD = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\t\n\r"), max_size=12)
NAMES = st.lists(st.text("abcäß_", min_size=1, max_size=6), min_size=1, max_size=5, unique=True)


def write(folder: Path, content: str | bytes, name: str = "x.tsv") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def fault(folder: Path, content: str | bytes, name: str = "x.tsv") -> str:
    """The message that refuses the file, without the file's name at its beginning."""
    path = write(folder, content, name)
    with pytest.raises(PfsmError) as caught:
        read_table(path)
    text = str(caught.value)
    assert "\n" not in text
    assert text.startswith(f"{path}:")
    return text.removeprefix(f"{path}:")


def test_fields_stay_as_they_are(tmp_path: Path) -> None:
    path = write(tmp_path, 'a\tb\n x\t"y\n\u2028\t\0z \r\n')
    table = read_table(path)
    assert table.columns == {"a": [" x", "\u2028"], "b": ['"y', "\0z "]}
    assert (list(table.line_numbers), len(table), table.path) == ([2, 3], 2, str(path))
    assert table.checksum == hashlib.sha256(path.read_bytes()).hexdigest()
    assert table.source == DataSource("x.tsv", 2, table.checksum)


@given(st.data())
def test_tsv_round_trip(data: st.DataObject) -> None:
    names = data.draw(NAMES)
    row = st.lists(TSV_FIELD, min_size=len(names), max_size=len(names))
    rows = data.draw(st.lists(row, max_size=6))
    content = "".join("\t".join(fields) + "\n" for fields in [names, *rows])
    with tempfile.TemporaryDirectory() as folder:
        for path in (
            write(Path(folder), content),
            write(Path(folder), content.removesuffix("\n") if rows and any(rows[-1]) else content, "y.tsv"),
            write(Path(folder), "\ufeff" + content.replace("\n", "\r\n"), "z.tsv"),
            write(Path(folder), gzip.compress(content.encode()), "x.tsv.gz"),
        ):
            table = read_table(path)
            assert list(table.columns) == names
            assert [list(fields) for fields in zip(*table.columns.values(), strict=True)] == rows
            assert list(table.line_numbers) == list(range(2, 2 + len(rows)))


@pytest.mark.parametrize(("name", "separator"), [("x.tsv", "\t"), ("x.csv", ",")])
def test_an_empty_line_between_rows(name: str, separator: str, tmp_path: Path) -> None:
    content = "a\tb\n1\t2\n\n\n3\t4\n".replace("\t", separator)
    assert fault(tmp_path, content, name) == "3: empty line between rows; delete it"
    assert fault(tmp_path, f"\n{content}", name).startswith("1: the first line has no column names")


@pytest.mark.parametrize("name", ["x.tsv", "x.csv"])
def test_a_single_column_keeps_its_empty_lines(name: str, tmp_path: Path) -> None:
    table = read_table(write(tmp_path, "a\n1\n\n2\n\n", name))
    assert table.columns == {"a": ["1", "", "2", ""]}
    assert list(table.line_numbers) == [2, 3, 4, 5]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("", " empty file, a header row is needed"),
        ("\t\t\n1\t2\t3\n", "1: the first line has no column names; a header row is needed"),
        ("a\tb\ta\n", "1: column 'a' is in the header twice; rename one of them"),
        ("a\tb\n1\t2\n1\n", "3: 1 field, the header has 2 fields"),
        (b"a\tb\n1\t\xff\n", "2: not UTF-8 (byte 0xff at position 3); convert the file to UTF-8"),
    ],
)
def test_malformed_tsv(content: str | bytes, expected: str, tmp_path: Path) -> None:
    assert fault(tmp_path, content) == expected


def make(fields: list[str]) -> Table:
    return Table("dir/data.tsv", {"a": fields}, [7 + row for row in range(len(fields))], "")


def test_numbers() -> None:
    values = make(["1", "-2.5e3", " .5 ", "+0", "-0", "1e-400"]).numbers("a")
    np.testing.assert_array_equal(values, [1.0, -2500.0, 0.5, 0.0, 0.0, 0.0])
    assert not np.signbit(values[4])


@pytest.mark.parametrize("field", ["", " ", "None", "-NaN", "inf", "1e400", "1,5", "1_0", "0x1"])
def test_not_a_number(field: str) -> None:
    with pytest.raises(PfsmError) as caught:
        make(["1", "2", field, "3"]).numbers("a")
    assert str(caught.value) == f"dir/data.tsv:9: a is {field!r}, a finite number is needed"


CSV_FIELD = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"), max_size=12)
UNTERMINATED = "a quoted field that begins in this row never ends; close it, and write quotes inside it twice"


@pytest.mark.parametrize(
    ("name", "separator"),
    [("x.csv", ","), ("X.CSV", ","), ("x.txt", ","), ("x.tsv", "\t"), ("x.txt", "\t"), ("x.csv.tsv", "\t")],
)
def test_the_format_is_told_by_name_or_header(name: str, separator: str, tmp_path: Path) -> None:
    content = 'a\tb\n1\t"2"\n'.replace("\t", separator)
    expected = ['"2"' if separator == "\t" else "2"]
    assert read_table(write(tmp_path, content, name)).columns == {"a": ["1"], "b": expected}


def test_quotes_and_line_numbers(tmp_path: Path) -> None:
    content = 'a,b\r\n"1, ""one""",2\r\n"x\r\ny\n",\u2028\r\n5" disk,"tab\t"\r\n'
    table = read_table(write(tmp_path, content, "x.csv"))
    assert table.columns == {"a": ['1, "one"', "x\r\ny\n", '5" disk'], "b": ["2", "\u2028", "tab\t"]}
    assert list(table.line_numbers) == [2, 3, 6]


@given(st.data())
def test_csv_round_trip(data: st.DataObject) -> None:
    names = data.draw(NAMES)
    row = st.lists(CSV_FIELD, min_size=len(names), max_size=len(names))
    rows = data.draw(st.lists(row, max_size=6))
    stream = io.StringIO()
    # Python's writer forgets to quote a carriage return that is not a part of the line's end.
    if data.draw(st.booleans()):
        writer = csv.writer(stream, lineterminator="\r\n", quoting=csv.QUOTE_MINIMAL)
    else:
        writer = csv.writer(stream, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerows([names, *rows])
    with tempfile.TemporaryDirectory() as folder:
        table = read_table(write(Path(folder), stream.getvalue(), "x.csv"))
    assert list(table.columns) == names
    assert [list(fields) for fields in zip(*table.columns.values(), strict=True)] == rows


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ('a,b\n"1\n\n",2\n1,2,3\n', "5: 3 fields, the header has 2 fields"),
        ("a,b\n1,2\n3,\0\n", "3: a NUL character, which a CSV file cannot hold; remove it"),
        ('a,b\n1,2\n"3,4\n5,6\n', f"3: {UNTERMINATED}"),
        ('a,b\n"1,2\n' + "long text,3\n" * 20_000, f"2: {UNTERMINATED}"),
        (
            'a,b\n1,"2"x\n',
            "2: text after the end of a quoted field; write quotes inside a quoted field twice",
        ),
        ("a,b\n1,2\rx\n", "2: a carriage return inside an unquoted field; quote the field or remove it"),
    ],
)
def test_malformed_csv(content: str, expected: str, tmp_path: Path) -> None:
    assert fault(tmp_path, content, "x.csv") == expected


def test_streams_and_systems(tmp_path: Path) -> None:
    first = write(tmp_path, "a\n\nc\u2028c\n", "ref1")
    second = tmp_path / "ref2.gz"
    second.write_bytes(gzip.compress(b"d\ne\nf"))
    system = write(tmp_path, "x\r\ny\r\nz\r\n", "sys.txt")
    text = read_parallel([first, second], [str(system), first])
    assert text.references == (("a", "e", "c\u2028c"), ("d", None, "f"))
    assert text.systems == (
        SystemOutput(str(system), ("x", "y", "z")),
        SystemOutput(str(first), ("a", "", "c\u2028c")),
    )


def test_further_references_go_by_number_where_they_are_not_empty(tmp_path: Path) -> None:
    content = "reference_10\treference_2\treference\thypothesis\treference_4\treference_1\treference_x\n"
    content += "r10\tr2\tr\th\tr4\tno\tno\nr10\t\t\th\t\tno\tno\n\t\tr\th\t\tno\tno\n"
    pairs = read_pairs_table(write(tmp_path, content, "x.tsv"))
    assert pairs.references == (("r", "r2", "r4", "r10"), ("r10",), ("r",))
    assert (pairs.hypotheses, pairs.systems) == (("h", "h", "h"), None)
    with pytest.raises(PfsmError, match=r": no column 'hypothesis'; the columns are 'reference', 'a'$"):
        read_pairs_table(write(tmp_path, "reference\ta\nr\ta\n", "y.tsv"))


def test_every_kind_has_forty_pairs_of_three_different_sentences() -> None:
    pairs = shipped_minimal_pairs()
    assert SHIPPED == ("en",)
    counts = Counter(pairs.kinds)
    assert set(counts) == set(KINDS)
    assert min(counts.values()) >= 40
    assert len(set(pairs.references)) == len(pairs)
    for row in zip(pairs.references, pairs.better, pairs.worse, strict=True):
        assert len(set(row)) == 3
        assert all(re.fullmatch(r"\S+( \S+)*\.", sentence) and sentence[0].isupper() for sentence in row), row
