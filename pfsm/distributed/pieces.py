"""Input in partitions, from wherever fsspec reaches.

A partition of a TSV is a range of bytes: the lines that begin in it, decompressed. A partition of a Parquet file is a
range of rows within a row group.
"""

import gzip
import io
import math
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, BinaryIO, cast

import fsspec
import pyarrow as pa
import pyarrow.dataset as ds
from fsspec.utils import read_block

from pfsm.data.parallel import pairs_from_table
from pfsm.data.segments import FURTHER_REFERENCE
from pfsm.data.table import Table, delimiter, table_from_bytes, with_our_names
from pfsm.errors import PfsmError
from pfsm.io.files import gzip_explained, reading_explained
from pfsm.io.limits import LINE, check_size, read_limited

SUFFIXES = (".tsv", ".tsv.gz", ".tsv.zst", ".parquet")
_BLOCK = 1 << 20


@dataclass(frozen=True)
class Place:
    """A file or folder.

    Attributes:
        system: Its file system of fsspec.
        path: Its path there, absolute: workers may have been started in another folder.
        label: What messages call it: as the user spelled it.
        name: Of an input file: its path below the folder that was given, or its own name.
    """

    system: Any
    path: str
    label: str
    name: str = ""


def place_at(address: str) -> Place:
    """Return the place that an address means; nothing need be there."""
    try:
        system, path = fsspec.core.url_to_fs(address)
    except (ValueError, ImportError) as error:
        raise PfsmError(f"{address}: {str(error).partition(chr(10))[0]}") from None
    return Place(system, path.rstrip("/"), address)


def input_files(address: str) -> list[Place]:
    """Return the files at an address: a file, those below a folder, or those that match a pattern, sorted by path.

    Below a folder it is those whose names end in one of ``SUFFIXES``; names with ``_`` or ``.`` first are skipped.

    Raises:
        PfsmError: There are none, or the address cannot be read.
    """
    given = place_at(address)
    system, root, prefix = given.system, given.path, address.rstrip("/")
    with reading_explained(address):
        if system.isdir(root):
            below = (one for one in system.find(root) if one.endswith(SUFFIXES))
            found = [one for one in below if not re.search("/[._]", one.removeprefix(root))]
        else:
            found = [root] if system.isfile(root) else [*filter(system.isfile, system.glob(root))]
            root, prefix = (re.split(r"[*?[]", one)[0].rpartition("/")[0] for one in (root, prefix))
    if not found:
        suffixes = ", ".join(SUFFIXES)
        raise PfsmError(f"{address}: no such files; in folders, names in {suffixes} are looked for")
    names = [(one, one.removeprefix(root).lstrip("/")) for one in sorted(found)]
    return [Place(system, one, f"{prefix}/{name}" if prefix else name, name) for one, name in names]


@contextmanager
def opened(file: Place) -> Iterator[BinaryIO]:
    """Open a file to be read and sought in, decompressed if its name ends in ``.gz`` or ``.zst``."""
    system, label = file.system, file.label
    with reading_explained(label), gzip_explained(label), system.open(file.path, "rb") as raw:
        if file.path.endswith(".gz"):
            yield cast("BinaryIO", gzip.GzipFile(fileobj=raw, mode="rb"))
        elif file.path.endswith(".zst"):
            packed = pa.CompressedInputStream(pa.PythonFile(raw, mode="r"), "zstd")
            yield io.BytesIO(read_limited(packed, label))
        else:
            yield raw


@dataclass(frozen=True)
class Piece:
    """A partition.

    Attributes:
        identity: Digest that changes when the file does.
        number: Its place among those of the file, from 0.
        start: Its first byte, or of a Parquet file: row of the row group.
        stop: The first one behind it.
    """

    file: Place
    identity: str
    number: int
    start: int
    stop: int
    row_group: int | None = None

    @property
    def name(self) -> str:
        """The name of its output, without the ending."""
        return f"{self.file.name}.{self.number:05d}"


def survey(file: Place, partition_bytes: int) -> list[Piece] | str:
    """Return the partitions of a file, of at most so many bytes of text each; or what is wrong with it."""
    try:
        ranges = (_row_ranges if file.path.endswith(".parquet") else _byte_ranges)(file, partition_bytes)
    except PfsmError as error:
        return str(error)
    identity = str(file.system.ukey(file.path))[:16]
    return [Piece(file, identity, number, *one) for number, one in enumerate(ranges)]


def _byte_ranges(file: Place, partition_bytes: int) -> list[tuple[int, int, int | None]]:
    with opened(file) as stream:
        header = stream.readline(LINE.value)
        pairs_from_table(table_from_bytes(header, file.label))
        if delimiter(file.label, header.decode()) != "\t":
            raise PfsmError(
                f"{file.label}: CSV cannot be split, as a field may hold line ends; make it TSV or Parquet"
            )
        size = stream.seek(0, 2)
        stream.seek(max(0, size - _BLOCK))
        tail = stream.read()
    size -= len(tail) - len(tail.rstrip(b"\r\n"))  # empty lines at the end are no rows
    edges = [min(size, number * partition_bytes) for number in range(math.ceil(size / partition_bytes) + 1)]
    return [(start, stop, None) for start, stop in pairwise(edges)]


def _row_ranges(file: Place, partition_bytes: int) -> list[tuple[int, int, int | None]]:
    with _parquet(file) as fragment:
        columns = dict.fromkeys(fragment.physical_schema.names, ())
        groups = [(group.id, group.num_rows, group.total_byte_size) for group in fragment.row_groups]
    pairs_from_table(Table(file.label, with_our_names(columns), (), ""))
    return [
        (start, min(start + step, rows), group)
        for group, rows, size in groups
        for step in [max(1, rows * partition_bytes // max(1, size))]
        for start in range(0, rows, step)
    ]


def read_piece(piece: Piece, columns: Sequence[str] = ()) -> Table:
    """Read a partition: references, hypotheses and these further columns; of a TSV all columns."""
    if piece.row_group is not None:
        return _parquet_rows(piece, {"reference", "hypothesis", "ref", "mt", *columns})
    with opened(piece.file) as stream:
        header = stream.readline() if piece.start else b""
        content = header + read_block(stream, piece.start, piece.stop - piece.start, b"\n")
    table = table_from_bytes(content, piece.file.label)
    if content.endswith((b"\n\n", b"\n\r\n")):
        line = content.rstrip(b"\r\n").count(b"\n") + 2
        raise PfsmError(f"{piece.file.label}:{line}: empty line between rows; delete it")
    return table


def placed(message: str, piece: Piece) -> str:
    """Return an error about a partition of a TSV with its line counted from the beginning of the file."""
    found = re.match(rf"{re.escape(piece.file.label)}:(\d+):", message)
    if found is None or int(found[1]) == 1 or not piece.start or piece.row_group is not None:
        return message
    with opened(piece.file) as stream:
        sizes = (min(_BLOCK, piece.start - start) for start in range(0, piece.start, _BLOCK))
        line = int(found[1]) + sum(stream.read(size).count(b"\n") for size in sizes)
    return f"{piece.file.label}:{line}:{message[found.end() :]}"


def references_of(piece: Piece) -> Sequence[str]:
    """Return all references of a partition, none if it has an error: scoring reports it."""
    try:
        return [line for several in pairs_from_table(read_piece(piece)).references for line in several]
    except PfsmError:
        return ()


def _parquet_rows(piece: Piece, columns: set[str]) -> Table:
    """Columns of a partition of a Parquet file as text."""
    with _parquet(piece.file) as fragment:
        known = fragment.physical_schema.names
        names = [name for name in known if name in columns or FURTHER_REFERENCE.fullmatch(name)]
        before = [group.num_rows for group in fragment.row_groups if group.id < piece.row_group]
        rows = fragment.subset(row_group_ids=[piece.row_group]).to_table(columns=names)
        rows = rows.slice(piece.start, piece.stop - piece.start)
    first = sum(before) + piece.start + 1
    fields = {name: _text(piece.file, name, rows.column(name), first) for name in names}
    return Table(piece.file.label, with_our_names(fields), range(first, first + rows.num_rows), "")


@contextmanager
def _parquet(file: Place) -> Iterator[Any]:
    """The file as a fragment of `pyarrow.dataset`; its faults in one line."""
    with reading_explained(file.label):
        try:
            yield next(ds.dataset(file.path, filesystem=file.system, format="parquet").get_fragments())
        except (pa.ArrowException, OSError) as error:
            if isinstance(error, OSError) and error.errno is not None:
                raise
            reason = str(error).partition("\n")[0].rstrip(".")
            raise PfsmError(f"{file.label}: damaged, or not Parquet ({reason})") from None


def _text(file: Place, name: str, column: Any, first: int) -> list[str]:
    """A column as strings, numbers written out; the first of them is in the given row of the file."""
    if column.null_count:
        row = column.is_null().to_pylist().index(True)
        raise PfsmError(f"{file.label}: row {first + row}: {name} is null; every row needs one")
    if pa.types.is_nested(column.type) or pa.types.is_binary(column.type):
        raise PfsmError(f"{file.label}: column {name!r} is of type {column.type}, text is needed")
    texts = list(map(str, column.to_pylist()))
    check_size(max(map(len, texts), default=0), f"{file.label}: column {name!r}", LINE)
    return texts
