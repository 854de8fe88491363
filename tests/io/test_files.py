"""Lines and checksums of files; text that begins as Parquet does is text, Parquet is not."""

import gzip
import hashlib
import io
import sys
from pathlib import Path

import pytest

from pfsm.errors import PfsmError
from pfsm.io.files import checksum, read_lines
from pfsm.io.named_resources import user_folder


def message(path: Path | str) -> str:
    with pytest.raises(PfsmError) as caught:
        read_lines(path)
    text = str(caught.value)
    assert "\n" not in text
    return text


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (b"", []),
        (b"\n", [""]),
        (b"a\nb", ["a", "b"]),
        (b"a\n\nb\n", ["a", "", "b"]),
        (b"a\r\nb\r\n", ["a", "b"]),
        (b"a\r\r\nb\r", ["a\r", "b"]),
        (b"a\rb\n", ["a\rb"]),
        (b"\xef\xbb\xbfa\n", ["a"]),
        (b"\xef\xbb\xbf", []),
        (b"\xef\xbb\xbf\xef\xbb\xbfa\n", ["\ufeffa"]),
        (b"a\n\xef\xbb\xbfb\n", ["a", "\ufeffb"]),
        (b"a\0b\n\0\n", ["a\0b", "\0"]),
        ("a\u2028b\u2029c\x85d\x0be\x0cf\x1cg\n".encode(), ["a\u2028b\u2029c\x85d\x0be\x0cf\x1cg"]),
    ],
)
@pytest.mark.parametrize("name", ["x.txt", "x.txt.gz", "x.bin"])
def test_lines_end_at_line_feeds_only(content: bytes, lines: list[str], name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(content if name == "x.txt" else gzip.compress(content))
    assert read_lines(path) == lines


def test_gzip_of_several_members_is_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "x.gz"
    path.write_bytes(gzip.compress(b"a\nb") + gzip.compress(b"c\nd\n"))
    assert read_lines(path) == ["a", "bc", "d"]


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    for content in (b"a\r\n\xc3\xa9\x0b\n", gzip.compress(b"a\r\n\xc3\xa9\x0b\n")):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content), encoding="ascii"))
        assert read_lines("-") == ["a", "é\x0b"]


@pytest.mark.parametrize(
    ("content", "where"),
    [
        (b"ok\n" * 16 + b"hello world\xff\n", "17: not UTF-8 (byte 0xff at position 12)"),
        ("é\né".encode() + b"\xe9t\xe9\n", "2: not UTF-8 (byte 0xe9 at position 3)"),
        (b"\xef\xbb\xbfab\x80", "1: not UTF-8 (byte 0x80 at position 3)"),
        (b"a\n\xed\xa0\x80\n", "2: not UTF-8 (byte 0xed at position 1)"),
        ("a\n".encode("utf-16"), "1: not UTF-8 but UTF-16 or UTF-32"),
        ("ab\n".encode("utf-16-be") * 2, "1: not UTF-8 but UTF-16 or UTF-32"),
    ],
)
@pytest.mark.parametrize("name", ["x.txt", "x.txt.gz"])
def test_bytes_that_are_not_utf8(content: bytes, where: str, name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    assert message(path) == f"{path}:{where}; convert the file to UTF-8"


def test_every_truncation_of_a_gzip_file_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "x.gz"
    whole = gzip.compress(b"a line\n" * 50)
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        expected = ("the file is empty", "not gzip data", "the gzip data is truncated")[min(length, 2)]
        assert message(path).startswith(f"{path}: {expected}"), length


def test_checksum_is_that_of_the_decompressed_bytes(tmp_path: Path) -> None:
    content = b"\xef\xbb\xbfa\r\nb\xff\n"
    expected = hashlib.sha256(content).hexdigest()
    (tmp_path / "x").write_bytes(content)
    (tmp_path / "x.gz").write_bytes(gzip.compress(content, mtime=7))
    assert checksum(tmp_path / "x") == checksum(tmp_path / "x.gz") == expected
    assert message(tmp_path / "y") == f"{tmp_path / 'y'}: no such file"
    assert message(tmp_path) == f"{tmp_path}: is a folder, a file is needed"


GENES = ["PAR1 is a receptor.\nIt has a tail.\n", "PAR1\tF2R\n", "PAR1\n", "PAR1", "PAR1-é\n", "PAR1\r\nPAR1"]
# Pages, or the footer of a file without rows: in either a field of 32 bits comes first.
PARQUET = [b"PAR1\x15\x04\x15\x10\x4c\x00\xffPAR1", b"PAR1\x15\x02\n\x19\x00\x00\x00PAR1", b"PAR1\x15\n\n\n"]


@pytest.mark.parametrize("source", ["x.txt", "x.gz", "-"])
def test_a_gene_is_no_parquet(source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def offered(content: bytes) -> str:
        if source == "-":
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(content))))
            return source
        (tmp_path / source).write_bytes(gzip.compress(content) if source == "x.gz" else content)
        return str(tmp_path / source)

    for text in GENES:
        assert read_lines(offered(text.encode())) == text.splitlines()
    for content in PARQUET:
        with pytest.raises(PfsmError, match="is Parquet; score it with"):
            read_lines(offered(content))


@pytest.mark.parametrize("rows", [0, 3])
def test_what_arrow_writes(rows: int, tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = arrow.table({"text": ["a gene"] * rows, "score": [0.5] * rows})
    parquet.write_table(table, tmp_path / "x")
    with pytest.raises(PfsmError, match="is Parquet, a YAML file is needed"):
        read_lines(tmp_path / "x", "a YAML file")


def test_the_users_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("PFSM_RESOURCES", raising=False)
    assert user_folder() == tmp_path / ".cache" / "pfsm"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert user_folder() == tmp_path / "cache" / "pfsm"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")  # which the standard says to ignore
    assert user_folder() == tmp_path / ".cache" / "pfsm"
    monkeypatch.setenv("PFSM_RESOURCES", str(tmp_path / "mine"))
    assert user_folder() == tmp_path / "mine"
