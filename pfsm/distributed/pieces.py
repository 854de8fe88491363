"""Input in partitions of bounded size: which there are, found without reading more than must be.

A partition of a TSV is a range of its bytes: the lines that begin in it. Where the file is compressed the range is of
the decompressed bytes; the file is read through once to know how many there are. A partition of a Parquet file is a
range of rows within a row group.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from pfsm.data.fields import is_csv
from pfsm.data.parallel import pairs_from_table
from pfsm.data.table import Table, table_from_bytes
from pfsm.distributed.addresses import InputFile, identity, reading, size_of
from pfsm.distributed.outcomes import Fault, attempt
from pfsm.errors import PfsmError

LARGEST_HEADER = 1 << 20
BLOCK = 1 << 20
PACKED = (".gz", ".zst")


@dataclass(frozen=True)
class Piece:
    """A partition.

    Attributes:
        file: The file it is of.
        identity: What changes when the file does.
        number: Its place among the partitions of the file, from 0.
        start: First byte of the decompressed content, or first row of the row group.
        stop: Behind the last.
        row_group: Of a Parquet file; None for a TSV.
        is_last: Whether the file ends with it.
    """

    file: InputFile
    identity: str
    number: int
    start: int
    stop: int
    row_group: int | None = None
    is_last: bool = False


@dataclass(frozen=True)
class Survey:
    """The partitions of a file, or why there are none.

    Attributes:
        file: The file.
        found: Its partitions, or a fault.
        retries: How often reading had to be tried again.
    """

    file: InputFile
    found: tuple[Piece, ...] | Fault
    retries: int


@dataclass(frozen=True)
class SurveyTask:
    """What is to be surveyed: a file, and how large a partition may be (bytes of text)."""

    file: InputFile
    partition_bytes: int


def survey(task: SurveyTask) -> Survey:
    """The partitions of a file; its header is checked, and its compression."""

    def find() -> tuple[Piece, ...]:
        finder = _row_ranges if task.file.address.endswith(".parquet") else _byte_ranges
        return tuple(finder(task.file, task.partition_bytes))

    found, retries = attempt(find, task.file.label)
    return Survey(task.file, found, retries)


def _byte_ranges(file: InputFile, partition_bytes: int) -> Iterator[Piece]:
    mark = identity(file)
    with reading(file) as stream:
        header = stream.readline(LARGEST_HEADER)
        checked_header(header, file)
        packed = file.address.endswith(PACKED)
        size = len(header) + _rest(stream) if packed else size_of(file)
    count = max(1, math.ceil(size / partition_bytes))
    for number in range(count):
        stop = min(size, (number + 1) * partition_bytes)
        yield Piece(file, mark, number, number * partition_bytes, stop, None, number == count - 1)


def _rest(stream: BinaryIO) -> int:
    """Bytes from here to the end."""
    size = 0
    while block := stream.read(BLOCK):
        size += len(block)
    return size


def checked_header(header: bytes, file: InputFile) -> Table:
    """A TSV's first line as a table without rows.

    Raises:
        PfsmError: It is CSV, or lacks a column that is needed.
    """
    table = table_from_bytes(header, file.label)
    if is_csv(file.label, header.decode("utf-8", "replace")):
        raise PfsmError(
            f"{file.label}: CSV cannot be split, as a field may hold line ends; make it TSV or Parquet"
        )
    pairs_from_table(table)
    return table


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
