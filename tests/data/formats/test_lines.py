"""Lines, one at a time: the same as the reader of whole files gives."""

import gzip
import io
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pfsm.data.formats.rows import stream_lines
from pfsm.errors import PfsmError
from pfsm.io.files import read_lines
from tests.data.formats.reading import write

CONTENT = st.lists(st.sampled_from(["", "a", "é", "\r", "x\r", "\u2028", "\0", "\ufeff", "\n"])).map("".join)


@settings(max_examples=150, deadline=None)
@given(CONTENT, st.booleans())
def test_the_same_lines_as_of_the_whole_file(content: str, packed: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x"
        path.write_bytes(gzip.compress(content.encode()) if packed else content.encode())
        assert list(stream_lines(path)) == read_lines(path)
        kept = "\n".join(stream_lines(path, keep_returns=True))
        assert kept == content.removeprefix("\ufeff").removesuffix("\n")


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("x", b"a\n\xff\n", ":2: not UTF-8 (byte 0xff at position 1); convert the file to UTF-8"),
        ("x", b"\xef\xbb\xbfa\xff\n", ":1: not UTF-8 (byte 0xff at position 2); convert the file to UTF-8"),
        ("x.gz", b"a\n", ": not gzip data though its name ends in .gz; rename it or copy it again"),
        (
            "x",
            gzip.compress(b"a\nb\n" * 999, mtime=0)[:-9],
            ": the gzip data is truncated; copy or download the file again",
        ),
    ],
)
def test_the_same_refusals_as_of_the_whole_file(
    name: str, content: bytes, expected: str, tmp_path: Path
) -> None:
    path = write(tmp_path, name, content)
    for read in (stream_lines, read_lines):
        with pytest.raises(PfsmError) as caught:
            list(read(path))
        assert str(caught.value) == f"{path}{expected}"


def test_lines_come_before_a_later_fault(tmp_path: Path) -> None:
    path = write(tmp_path, "x", b"a\nb\n\xff\n")
    stream = stream_lines(path)
    assert [next(stream), next(stream)] == ["a", "b"]
    with pytest.raises(PfsmError, match=":3: not UTF-8"):
        next(stream)


@pytest.mark.parametrize("packed", [False, True])
def test_standard_input_stays_open(packed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    content = gzip.compress(b"a\nb") if packed else b"a\nb"
    for binary in (io.BytesIO(content), io.BufferedReader(io.BytesIO(content))):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(binary))
        assert list(stream_lines("-")) == ["a", "b"]
        assert not binary.closed
    monkeypatch.setattr(sys, "stdin", io.StringIO("a\nb"))
    assert list(stream_lines("-")) == ["a", "b"]
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(PfsmError, match="standard input: is closed"):
        next(stream_lines("-"))
