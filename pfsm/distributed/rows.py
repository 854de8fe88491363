"""The rows of one partition, read as a whole file would be: the same checks, the same line numbers in errors."""

import hashlib
import re
from dataclasses import dataclass
from typing import BinaryIO

from pfsm.data.parallel import PairsTable, pairs_from_table
from pfsm.data.references import FURTHER_REFERENCE
from pfsm.data.table import Table, table_from_bytes
from pfsm.distributed.addresses import InputFile, reading
from pfsm.distributed.pieces import BLOCK, Piece
from pfsm.errors import PfsmError
from pfsm.io.limits import LINE, check_size

_BLANK = (b"\n\n", b"\n\r\n")
_BASE = ("reference", "hypothesis", "ref", "mt")


@dataclass(frozen=True, eq=False)
class Rows:
    """A partition's rows.

    Attributes:
        table: Its columns.
        checksum: SHA-256 of what was read.
        size: Bytes of it.
        numeric: Columns of numbers that were asked for.
    """

    table: Table
    checksum: str
    size: int
    numeric: tuple[str, ...] = ()

    @property
    def pairs(self) -> PairsTable:
        """References and hypotheses, and the numbers that were asked for."""
        return pairs_from_table(self.table, self.numeric)


def read_piece(piece: Piece, columns: tuple[str, ...] = (), numeric: tuple[str, ...] = ()) -> Rows:
    """Reads a partition.

    Args:
        piece: Which.
        columns: Columns wanted besides references and hypotheses.
        numeric: The same, of numbers.

    Raises:
        PfsmError: The file is damaged, or a row is not what it must be.
    """
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
    """The bytes up to and with the next line feed, or to the end.

    Raises:
        PfsmError: If they are more than `pfsm.io.limits.LINE`.
    """
    line = stream.readline(LINE.value + 1)
    if not line.endswith(b"\n"):
        check_size(len(line), piece.file.label, LINE)
    return line


def _skip(stream: BinaryIO, count: int) -> int:
    """Reads over so many bytes; a file that is not packed goes there at once."""
    seek = getattr(stream, "seek", None)
    if seek is not None:
        seek(count, 1)
        return count
    left = count
    while left and (block := stream.read(min(left, BLOCK))):
        left -= len(block)
    return count - left


def _refuse_empty_line(piece: Piece, content: bytes) -> None:
    """An empty line at the end of a partition is fine where nothing but such lines follows."""
    with reading(piece.file) as stream:
        _skip(stream, piece.stop)
        while block := stream.read(BLOCK):
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
    if not stop:
        return 1
    lines = 1
    with reading(file) as stream:
        left = stop - 1
        while left and (block := stream.read(min(left, BLOCK))):
            lines += block.count(b"\n")
            left -= len(block)
    return lines


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
