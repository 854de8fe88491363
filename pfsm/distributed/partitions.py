"""Partitions: how their files are written, and how much text goes into one.

What a task on a worker brings back: a result, or a fault in one line that the caller can act on.

Input in partitions of bounded size: which there are, found without reading more than must be.

A partition of a TSV is a range of its bytes: the lines that begin in it. Where the file is compressed the range counts
decompressed bytes; the file is read through once to know how many there are. A partition of a Parquet file is a
range of rows within a row group.

The rows of one partition, read as a whole file would be: the same checks, the same line numbers in errors.

The references of a whole input, for metrics that count over all of them before any part is scored.

Tables read whole, from wherever fsspec reaches: judgments for training and evaluation.
"""

import hashlib
import math
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import BinaryIO, TypeVar

from pfsm.data.formats.registry import read_judged
from pfsm.data.parallel import PairsTable, pairs_from_table
from pfsm.data.segments import FURTHER_REFERENCE
from pfsm.data.table import Table, is_csv, table_from_bytes
from pfsm.distributed import need_packages
from pfsm.distributed.addresses import InputFile, identity, input_files, reading, size_of
from pfsm.distributed.pools import Pool
from pfsm.errors import PfsmError
from pfsm.io.limits import LINE, check_size, read_limited

# The ends of files' names, by format.
FORMATS = {"parquet": ".parquet", "tsv": ".tsv", "tsv.gz": ".tsv.gz"}
# About 30,000 pairs of 20 words a side.
PARTITION_BYTES = 8 << 20
LEAST_BYTES = 1 << 10


Result = TypeVar("Result")

# Storage beyond the network fails now and then; what is wrong with the data itself fails every time.
ATTEMPTS = 3
PAUSE = 0.5


@dataclass(frozen=True)
class Fault:
    """Why a task has no result, in one line."""

    message: str
    everywhere: bool = False
    """Whether all other tasks would fail alike: a worker lacks a model's resource, or its version differs."""


class WorkerFaultError(PfsmError):
    """A worker is not fit for the job: going on elsewhere would hide it."""


def attempt(work: Callable[[], Result], name: str) -> tuple[Result | Fault, int]:
    """The outcome of some work on the file ``name``, and how often it had to be tried again.

    A system's error is tried again; a `PfsmError` is final.
    """
    for retries in range(ATTEMPTS):
        try:
            return work(), retries
        except PfsmError as error:
            return Fault(str(error), isinstance(error, WorkerFaultError)), retries
        except OSError as error:
            fault = Fault(f"{name}: cannot be read or written ({error.strerror or error})")
        time.sleep(PAUSE * (retries + 1))
    return fault, retries


LARGEST_HEADER = 1 << 20
BLOCK = 1 << 20
PACKED = (".gz", ".zst")


@dataclass(frozen=True)
class Piece:
    """A partition, by its number among those of the file, from 0.

    It is bytes of the decompressed content, or rows of a Parquet file's row group, from `start` to before `stop`.
    """

    file: InputFile
    identity: str
    number: int
    start: int
    stop: int
    row_group: int | None = None
    is_last: bool = False


Survey = tuple[tuple[Piece, ...] | Fault, int]
"""The partitions of a file, or why there are none; and how often reading had to be tried again."""


def survey(file: InputFile, partition_bytes: int) -> Survey:
    """The partitions of a file, of at most so many bytes of text; its header is checked, and its compression."""
    finder = _row_ranges if file.address.endswith(".parquet") else _byte_ranges
    return attempt(lambda: tuple(finder(file, partition_bytes)), file.label)


def surveyed(files: Iterable[InputFile], partition_bytes: int, pool: Pool) -> Iterator[Survey]:
    """The surveys of files as they are ready."""
    return pool.run(partial(survey, partition_bytes=partition_bytes), files)


def _byte_ranges(file: InputFile, partition_bytes: int) -> Iterator[Piece]:
    mark = identity(file)
    with reading(file) as stream:
        header = stream.readline(LARGEST_HEADER)
        pairs = table_from_bytes(header, file.label)
        if is_csv(file.label, header.decode("utf-8", "replace")):
            raise PfsmError(
                f"{file.label}: CSV cannot be split, as a field may hold line ends; make it TSV or Parquet"
            )
        pairs_from_table(pairs)
        packed = file.address.endswith(PACKED)
        size = len(header) + sum(map(len, _blocks(stream, sys.maxsize))) if packed else size_of(file)
    count = max(1, math.ceil(size / partition_bytes))
    for number in range(count):
        stop = min(size, (number + 1) * partition_bytes)
        yield Piece(file, mark, number, number * partition_bytes, stop, None, number == count - 1)


def _row_ranges(file: InputFile, partition_bytes: int) -> Iterator[Piece]:
    from pfsm.distributed.parquet import row_groups  # noqa: PLC0415 - brings PyArrow

    mark = identity(file)
    ranges = [
        (group, start, min(start + step, rows))
        for group, (rows, size) in enumerate(row_groups(file))
        for step in [max(1, rows * partition_bytes // max(1, size))]
        for start in range(0, rows, step)
    ]
    for number, (group, start, stop) in enumerate(ranges):
        yield Piece(file, mark, number, start, stop, group, number == len(ranges) - 1)


_BLANK = (b"\n\n", b"\n\r\n")
_BASE = ("reference", "hypothesis", "ref", "mt")


@dataclass(frozen=True, eq=False)
class Rows:
    """A partition's rows, the SHA-256 and the bytes of what was read, and the columns of numbers asked for."""

    table: Table
    checksum: str
    size: int
    numeric: tuple[str, ...] = ()

    @property
    def pairs(self) -> PairsTable:
        """References and hypotheses, and the numbers that were asked for."""
        return pairs_from_table(self.table, self.numeric)


def read_piece(piece: Piece, columns: tuple[str, ...] = (), numeric: tuple[str, ...] = ()) -> Rows:
    """Reads a partition, with columns besides references and hypotheses, of text and of numbers."""
    if piece.row_group is not None:
        return _parquet_rows(piece, piece.row_group, columns, numeric)
    content, header = _content(piece)
    checksum = hashlib.sha256(header + content).hexdigest()
    try:
        table = table_from_bytes(header + content, piece.file.label)
        if not piece.is_last and (content.endswith(_BLANK) or content in {b"\n", b"\r\n"}):
            _refuse_empty_line(piece, content)
        for name in numeric:
            table.numbers(name)
    except PfsmError as error:
        raise PfsmError(_relocated(str(error), piece)) from None
    return Rows(table, checksum, len(content), numeric)


def _content(piece: Piece) -> tuple[bytes, bytes]:
    """The lines that begin in the partition, and the file's first line."""
    with reading(piece.file) as stream:
        header = _line(stream, piece)
        if not header.endswith(b"\n"):
            return b"", header
        position = len(header)
        if piece.start > position:
            position += _skip(stream, piece.start - 1 - position)
            position += len(_line(stream, piece))
        content = stream.read(max(0, piece.stop - position))
        if content and not content.endswith(b"\n"):
            content += _line(stream, piece)
    return content, header


def _line(stream: BinaryIO, piece: Piece) -> bytes:
    """The bytes up to and with the next line feed, or to the end."""
    line = stream.readline(LINE.value + 1)
    if not line.endswith(b"\n"):
        check_size(len(line), piece.file.label, LINE)
    return line


def _skip(stream: BinaryIO, count: int) -> int:
    """Goes over so many bytes, and says over how many."""
    if stream.seekable():
        stream.seek(count, 1)
        return count
    return sum(map(len, _blocks(stream, count)))


def _blocks(stream: BinaryIO, count: int) -> Iterator[bytes]:
    """The next so many bytes, block by block."""
    while count > 0 and (block := stream.read(min(count, BLOCK))):
        yield block
        count -= len(block)


def _refuse_empty_line(piece: Piece, content: bytes) -> None:
    """An empty line at the end of a partition is fine where nothing but such lines follows."""
    with reading(piece.file) as stream:
        _skip(stream, piece.stop)
        for block in _blocks(stream, sys.maxsize):
            if block.strip(b"\r\n"):
                line = content.rstrip(b"\r\n").count(b"\n") + 3  # behind the header and the last row
                raise PfsmError(f"{piece.file.label}:{line}: empty line between rows; delete it")


def _relocated(message: str, piece: Piece) -> str:
    """The message with the line counted from the beginning of the file."""
    found = re.match(rf"{re.escape(piece.file.label)}:(\d+):", message)
    if found is None or int(found[1]) == 1:
        return message
    line = int(found[1]) - 1 + max(1, _lines_before(piece.file, piece.start))
    return f"{piece.file.label}:{line}:{message[found.end() :]}"


def _lines_before(file: InputFile, stop: int) -> int:
    """Lines that begin before a byte: the partition's own first line comes after them."""
    with reading(file) as stream:
        return 1 + sum(block.count(b"\n") for block in _blocks(stream, stop - 1))


def _parquet_rows(piece: Piece, row_group: int, columns: tuple[str, ...], numeric: tuple[str, ...]) -> Rows:
    from pfsm.distributed.parquet import read_rows  # noqa: PLC0415 - brings PyArrow

    def wanted(name: str) -> bool:
        return name in {*_BASE, *columns, *numeric} or FURTHER_REFERENCE.fullmatch(name) is not None

    table = read_rows(piece.file, row_group, piece.start, piece.stop, wanted)
    digest, size = hashlib.sha256(), 0
    for name in table.header:
        for field in table.columns[name]:
            encoded = field.encode("utf-8", "surrogatepass")
            digest.update(len(encoded).to_bytes(8, "little") + encoded)
            size += len(encoded)
    return Rows(table, digest.hexdigest(), size, numeric)


def distinct_references(source: str, partition_bytes: int, pool: Pool) -> Sequence[str]:
    """Every reference of an input once, in sorted order; they must fit into memory.

    Files and partitions with faults are left out: scoring names them.

    Args:
        source: As of `pfsm.distributed.job.Job`.
        partition_bytes: Likewise.
        pool: Where they are read.
    """
    surveys = surveyed(input_files(source), partition_bytes, pool)
    pieces = [piece for found, _ in list(surveys) for piece in _found(found)]
    return sorted({line for lines in pool.run(piece_lines, pieces) for line in lines})


def references_in_order(source: str, partition_bytes: int, pool: Pool) -> Iterator[str]:
    """Every reference of an input in order, read partition by partition as they are asked for.

    Arguments, errors and faults as of `distinct_references`.
    """
    for file in input_files(source):
        for found, _ in surveyed([file], partition_bytes, pool):
            for piece in _found(found):
                for lines in pool.run(piece_lines, [piece]):
                    yield from lines


def piece_lines(piece: Piece) -> tuple[str, ...]:
    """The references of a partition in order; none of one with faults."""

    def read() -> tuple[str, ...]:
        return tuple(line for several in read_piece(piece).pairs.references for line in several)

    return _found(attempt(read, piece.file.label)[0])


def _found(found: tuple[Result, ...] | Fault) -> tuple[Result, ...]:
    return () if isinstance(found, Fault) else found


def read_tables(addresses: Sequence[str], *, anywhere: bool, score_column: str = "score") -> list[Table]:
    """The tables of files, in the order given.

    Args:
        addresses: Paths of files; if ``anywhere`` also folders, patterns with wildcards, Parquet, addresses of fsspec.
        anywhere: Whether more than files of this machine will do; they are tables.
        score_column: The column with the scores.
    """
    if not anywhere:
        return [read_judged(address, score_column) for address in addresses]
    need_packages()
    return [_table(file) for address in addresses for file in input_files(address)]


def _table(file: InputFile) -> Table:
    if file.address.endswith(".parquet"):
        from pfsm.distributed.parquet import read_whole  # noqa: PLC0415 - brings PyArrow

        return read_whole(file)
    try:
        with reading(file) as stream:
            content = read_limited(stream, file.label)
    except OSError as error:
        raise PfsmError(f"{file.label}: cannot be read ({error.strerror or error})") from None
    return table_from_bytes(content, file.label)
