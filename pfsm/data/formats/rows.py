"""Tables read row by row: TSV without quoting, CSV with quoting, or columns separated by spaces."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal

from pfsm.data.csv_records import csv_records
from pfsm.data.fields import check_width, finite_number, header_names, is_csv, shown
from pfsm.data.formats.lines import stream_lines
from pfsm.errors import PfsmError
from pfsm.io.faults import StrPath, display_name

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
            separator: what separates fields; None: a comma if `pfsm.data.fields.is_csv` holds, else a tab.

        Raises:
            PfsmError: what `stream_lines` raises, an empty file, or a header without names or with one name twice.
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
        """The rows in the order of the file; empty lines at its end are ignored.

        Raises:
            PfsmError: a row with fewer or more fields than the header, an empty line between rows, or what
                `stream_lines` and `csv_records` raise.
        """
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
