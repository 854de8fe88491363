r"""Languages as data sets name them, and their two-letter codes.

Lines of text files, one at a time: UTF-8, plain or gzip, line ends at ``\n`` only.

The lines are those of `pfsm.io.files.read_lines`, but memory does not grow with the file.

Tables read row by row: TSV without quoting, CSV with quoting, or columns separated by spaces.
"""

import contextlib
import gzip
import io
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count
from typing import Any, BinaryIO, Literal, cast

from pfsm.data.table import check_width, csv_records, finite_number, header_names, is_csv, shown
from pfsm.errors import PfsmError
from pfsm.io.files import (
    STANDARD_INPUT,
    StrPath,
    check_text,
    display_name,
    gzip_explained,
    reading_explained,
)
from pfsm.io.limits import LINES, limited_lines
from pfsm.text.language_names import CODE_OF_NAME, NAMES

_PAIR = re.compile(r"(?<![A-Za-z0-9])([a-z]{2,3})-([a-z]{2,3})(?![A-Za-z0-9])")
# Languages of public data sets: few enough that no other word in a file's name is taken for one.
_SETS = (
    *("cs", "de", "en", "es", "et", "fi", "fr", "gu", "ha", "hi", "hu", "is", "it"),
    *("ja", "kk", "lt", "lv", "ne", "pl", "ro", "ru", "si", "ta", "tr", "uk", "zh"),
)
_KNOWN = frozenset(code for one in _SETS for code in (one, *NAMES[one].split()))


def language_code(name: str) -> str:
    """The two-letter code of a language by its English name or a three-letter code.

    An unknown name is returned in lower case.
    """
    lower = name.strip().lower()
    return CODE_OF_NAME.get(lower, lower)


def pair_in_name(name: str) -> tuple[str, str] | None:
    """The language pair in the name of a file (``ad-seg-scores-cs-en.csv``); None unless there is exactly one."""
    pairs = {
        (language_code(match[1]), language_code(match[2]))
        for match in _PAIR.finditer(name)
        if {match[1], match[2]} <= _KNOWN
    }
    return pairs.pop() if len(pairs) == 1 else None


_GZIP_MAGIC = b"\x1f\x8b"
_BOM = b"\xef\xbb\xbf"


def stream_lines(path: StrPath, keep_returns: bool = False) -> Iterator[str]:
    r"""The lines of a UTF-8 text file, gzip or plain (``-``: standard input), without their ``\n``.

    Args:
        path: the file.
        keep_returns: keep the ``\r`` at the end of a line, which is dropped otherwise.

    Raises:
        PfsmError: the file is missing, a folder, not readable, not gzip data though its name says so, or truncated; or
            bytes that are not UTF-8 (the message gives line and position); or a line longer than
            `pfsm.io.limits.LINE`, or more lines than `pfsm.io.limits.LINES`.
    """
    name = display_name(path)
    with contextlib.ExitStack() as stack:
        binary = _opened(path, name, stack)
        lines = limited_lines(binary, name)
        most = LINES.value
        for number in count(1):
            with reading_explained(path), gzip_explained(name):
                content = next(lines, None)
            if content is None:
                return
            if number > most:
                raise LINES.exceeded(name)
            if number == 1:
                check_text(content, name)
            bare = content.removeprefix(_BOM) if number == 1 else content
            if not bare:
                continue  # a file that holds only a byte order mark has no lines
            line = _decoded(bare, name, number).removesuffix("\n")
            yield line if keep_returns else line.removesuffix("\r")


class _File(io.RawIOBase):
    """The bytes of a file, closed without a warning when reading stops early.

    A caller that finds a bad row abandons the generator, and Python would warn about a file that only the garbage
    collector closes.
    """

    _descriptor = -1

    def __init__(self, path: StrPath) -> None:
        self._descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        content = os.read(self._descriptor, len(buffer))
        buffer[: len(content)] = content
        return len(content)

    def close(self) -> None:
        if not self.closed and self._descriptor >= 0:
            os.close(self._descriptor)
        super().close()


def _opened(path: StrPath, name: str, stack: contextlib.ExitStack) -> BinaryIO:
    """The bytes of the file, decompressed as they are read."""
    if os.fspath(path) == STANDARD_INPUT:
        buffered = _standard_input(stack)
    else:
        with reading_explained(path):
            buffered = stack.enter_context(io.BufferedReader(_File(path)))
    with reading_explained(path):
        packed = buffered.peek(2)[:2] == _GZIP_MAGIC
    if packed:
        return cast("BinaryIO", stack.enter_context(gzip.GzipFile(fileobj=buffered)))
    if name.endswith(".gz"):
        raise PfsmError(f"{name}: not gzip data though its name ends in .gz; rename it or copy it again")
    return buffered


def _standard_input(stack: contextlib.ExitStack) -> io.BufferedReader:
    if sys.stdin is None:
        raise PfsmError("standard input: is closed; give a file")
    binary = getattr(sys.stdin, "buffer", None)
    if binary is None:  # a stand-in for standard input that has only text
        binary = io.BytesIO(sys.stdin.read().encode("utf-8", "surrogateescape"))
    if isinstance(binary, io.BufferedReader):
        return binary
    reader = io.BufferedReader(binary)
    stack.callback(reader.detach)  # whoever owns standard input closes it
    return reader


def _decoded(content: bytes, name: str, number: int) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise PfsmError(
            f"{name}:{number}: not UTF-8 (byte 0x{content[error.start]:02x} at position {error.start + 1}); "
            "convert the file to UTF-8"
        ) from None


Separator = Literal["tab", "comma", "space"]
_LONGEST = 18  # digits of a whole number


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a table, and its place in the file."""

    name: str
    """The file, as messages call it."""
    line: int
    """The line on which the row begins; the header is line 1."""
    fields: Mapping[str, str]
    """The fields by the names of their columns."""

    def __getitem__(self, column: str) -> str:
        return self.fields[column]

    def fault(self, message: str) -> PfsmError:
        """The error that says what is wrong with this row."""
        return PfsmError(f"{self.name}:{self.line}: {message}")

    def number(self, column: str, minimum: float | None = None) -> float:
        """A field as a finite number.

        Raises:
            PfsmError: it is not a finite number, or is smaller than `minimum`.
        """
        value = finite_number(self.fields[column])
        if value is None or (minimum is not None and value < minimum):
            bound = "" if minimum is None else f" of {minimum:g} or more"
            raise self.fault(f"{column} is {shown(self.fields[column])}, a finite number{bound} is needed")
        return value + 0.0  # -0.0 becomes 0.0, so that equal numbers sort together

    def whole(self, column: str, minimum: int = 1) -> int:
        """A field as a whole number from `minimum`.

        Raises:
            PfsmError: it is not a whole number, or is smaller.
        """
        field = self.fields[column].strip()
        if not (field.isascii() and field.isdigit() and len(field) < _LONGEST) or int(field) < minimum:
            raise self.fault(
                f"{column} is {shown(self.fields[column])}, a whole number from {minimum} is needed"
            )
        return int(field)


class Rows:
    """A table whose rows are read during iteration, which is possible once.

    Attributes:
        name: the file, as messages call it.
        header: the names of the columns.
    """

    def __init__(self, path: StrPath, separator: Separator | None = None) -> None:
        """Opens the file and reads its header.

        Args:
            path: the file; ``-`` is standard input.
            separator: what separates fields; None: a comma if `pfsm.data.table.is_csv` holds, else a tab.
        """
        self.name = display_name(path)
        lines = stream_lines(path, keep_returns=True)
        first = next(lines, None)
        if first is None:
            raise PfsmError(f"{self.name}: empty file, a header row is needed")
        if separator is None:
            separator = "comma" if is_csv(self.name, first) else "tab"
        self._records = _records(chain([first], lines), separator, self.name)
        _, fields = next(self._records)
        self.header: Sequence[str] = header_names(fields, self.name)

    def need(self, columns: Sequence[str], advice: str = "") -> None:
        """Refuse a table that lacks a column.

        Args:
            columns: the columns that the table must have.
            advice: what to add to the message.

        Raises:
            PfsmError: a column is missing.
        """
        for column in columns:
            if column not in self.header:
                there = ", ".join(shown(name) for name in self.header)
                raise PfsmError(f"{self.name}: no column {column!r}; the columns are {there}{advice}")

    def __iter__(self) -> Iterator[Row]:
        """The rows in the order of the file; empty lines at its end are ignored."""
        width = len(self.header)
        empty_line = 0
        for line, fields in self._records:
            if width > 1 and fields in ([], [""]):
                empty_line = empty_line or line
                continue
            if empty_line:
                raise PfsmError(f"{self.name}:{empty_line}: empty line between rows; delete it")
            row = fields or [""]
            check_width(line, row, width, self.name)
            yield Row(self.name, line, dict(zip(self.header, row, strict=True)))


def _records(lines: Iterator[str], separator: Separator, name: str) -> Iterator[tuple[int, list[str]]]:
    if separator == "comma":
        return csv_records(lines, name)
    if separator == "tab":
        return enumerate((line.removesuffix("\r").split("\t") for line in lines), start=1)
    return enumerate((line.split() for line in lines), start=1)
