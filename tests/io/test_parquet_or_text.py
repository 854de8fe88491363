"""Text that begins as Parquet does is text; Parquet is not, wherever it comes from."""

import gzip
import io
import sys
from pathlib import Path

import pytest

from pfsm.data.formats.rows import stream_lines
from pfsm.errors import PfsmError
from pfsm.io.files import read_lines

GENES = ["PAR1 is a receptor.\nIt has a tail.\n", "PAR1\tF2R\n", "PAR1\n", "PAR1", "PAR1-é\n", "PAR1\r\nPAR1"]
# Pages, or the footer of a file without rows: in either a field of 32 bits comes first.
PARQUET = [b"PAR1\x15\x04\x15\x10\x4c\x00\xffPAR1", b"PAR1\x15\x02\n\x19\x00\x00\x00PAR1", b"PAR1\x15\n\n\n"]


def offered(content: bytes, source: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a file, plain or packed, or of standard input, that has this content."""
    if source == "-":
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(content))))
        return source
    path = folder / source
    path.write_bytes(gzip.compress(content) if source.endswith(".gz") else content)
    return str(path)


@pytest.mark.parametrize("source", ["x.txt", "x.gz", "-"])
@pytest.mark.parametrize("text", GENES)
def test_a_gene_is_no_parquet(
    text: str, source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = text.splitlines()
    assert read_lines(offered(text.encode(), source, tmp_path, monkeypatch)) == expected
    assert list(stream_lines(offered(text.encode(), source, tmp_path, monkeypatch))) == expected


@pytest.mark.parametrize("source", ["x.txt", "x.gz", "-"])
@pytest.mark.parametrize("content", PARQUET)
def test_parquet_is_no_text(
    content: bytes, source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(PfsmError, match="is Parquet; score it with"):
        read_lines(offered(content, source, tmp_path, monkeypatch))
    with pytest.raises(PfsmError, match="is Parquet; score it with"):
        list(stream_lines(offered(content, source, tmp_path, monkeypatch)))


@pytest.mark.parametrize("compression", ["NONE", "SNAPPY"])
@pytest.mark.parametrize("rows", [0, 3])
def test_what_arrow_writes(rows: int, compression: str, tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = arrow.table({"text": ["a gene"] * rows, "score": [0.5] * rows})
    parquet.write_table(table, tmp_path / "x", compression=compression)
    with pytest.raises(PfsmError, match="is Parquet; score it with"):
        read_lines(tmp_path / "x")
    with pytest.raises(PfsmError, match="is Parquet, a YAML file is needed"):
        read_lines(tmp_path / "x", "a YAML file")
