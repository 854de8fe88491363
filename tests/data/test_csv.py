"""CSV tables: quotes, COMET's names, and how a CSV is told from a TSV."""

import csv
import io
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pfsm.data import read_table
from pfsm.errors import PfsmError

CSV_FIELD = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"), max_size=12)
NAMES = st.lists(st.text("abcäß_", min_size=1, max_size=6), min_size=1, max_size=5, unique=True)
UNTERMINATED = "a quoted field that begins in this row never ends; close it, and write quotes inside it twice"


def write(folder: Path, content: str | bytes, name: str = "x.csv") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def fault(folder: Path, content: str | bytes, name: str = "x.csv") -> str:
    """The message that refuses the file, without the file's name at its beginning."""
    path = write(folder, content, name)
    with pytest.raises(PfsmError) as caught:
        read_table(path)
    text = str(caught.value)
    assert "\n" not in text
    assert text.startswith(f"{path}:")
    return text.removeprefix(f"{path}:")


@pytest.mark.parametrize(
    ("name", "separator"),
    [("x.csv", ","), ("X.CSV", ","), ("x.txt", ","), ("x.tsv", "\t"), ("x.txt", "\t"), ("x.csv.tsv", "\t")],
)
def test_the_format_is_told_by_name_or_header(name: str, separator: str, tmp_path: Path) -> None:
    content = 'a\tb\n1\t"2"\n'.replace("\t", separator)
    quoted = separator == "\t"
    assert read_table(write(tmp_path, content, name)).columns == {"a": ["1"], "b": ['"2"' if quoted else "2"]}


def test_quotes_and_line_numbers(tmp_path: Path) -> None:
    content = 'a,b\r\n"1, ""one""",2\r\n"x\r\ny\n",\u2028\r\n5" disk,"tab\t"\r\n'
    table = read_table(write(tmp_path, content, "x.csv"))
    assert table.columns == {"a": ['1, "one"', "x\r\ny\n", '5" disk'], "b": ["2", "\u2028", "tab\t"]}
    assert list(table.line_numbers) == [2, 3, 6]


@settings(deadline=None)
@given(st.data())
def test_csv_round_trip(data: st.DataObject) -> None:
    names = data.draw(NAMES)
    row = st.lists(CSV_FIELD, min_size=len(names), max_size=len(names))
    rows = data.draw(st.lists(row, max_size=6))
    stream = io.StringIO()
    # Python's writer forgets to quote a carriage return that is no part of the line's end.
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
        ("", " empty file, a header row is needed"),
        ("a,b\n1,2\n1\n", "3: 1 field, the header has 2 fields"),
        ('a,b\n"1\n\n",2\n1,2,3\n', "5: 3 fields, the header has 2 fields"),
        ("a,b,a\n", "1: column 'a' is in the header twice; rename one of them"),
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


def test_comet_names(tmp_path: Path) -> None:
    table = read_table(write(tmp_path, "src,mt,ref,score\ns,h,r,0.5\n", "x.csv"))
    assert table.columns == {
        "src": ["s"],
        "mt": ["h"],
        "ref": ["r"],
        "score": ["0.5"],
        "source": ["s"],
        "hypothesis": ["h"],
        "reference": ["r"],
    }
    assert table.header == ("src", "mt", "ref", "score")
    assert table.other_columns(["hypothesis", "reference", "score"]) == {"source": ("s",)}
