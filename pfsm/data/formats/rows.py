"""Languages as data sets name them; and tables looked at row by row: TSV, CSV, or columns separated by spaces."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pfsm.data.table import (
    Separator,
    Table,
    data_rows,
    finite_number,
    header_names,
    mean_of_judges,
    rates_adequacy,
    records,
    shown,
)
from pfsm.errors import PfsmError
from pfsm.io.files import StrPath, display_name, read_text
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
        """A field as a finite number."""
        value = finite_number(self.fields[column])
        if value is None or (minimum is not None and value < minimum):
            bound = "" if minimum is None else f" of {minimum:g} or more"
            raise self.fault(f"{column} is {shown(self.fields[column])}, a finite number{bound} is needed")
        return value + 0.0  # -0.0 becomes 0.0, so that equal numbers sort together

    def whole(self, column: str, minimum: int = 1) -> int:
        """A field as a whole number from `minimum`."""
        field = self.fields[column].strip()
        if not (field.isascii() and field.isdigit() and len(field) < _LONGEST) or int(field) < minimum:
            raise self.fault(
                f"{column} is {shown(self.fields[column])}, a whole number from {minimum} is needed"
            )
        return int(field)


class Rows:
    """A table whose rows are looked at one by one, which is possible once.

    Attributes:
        name: the file, as messages call it.
        header: the names of the columns.
    """

    def __init__(self, path: StrPath, separator: Separator | None = None) -> None:
        """Reads the file and its header.

        Args:
            path: the file; ``-`` is standard input.
            separator: as of `pfsm.data.table.records`.
        """
        self.name = display_name(path)
        self._records = records(read_text(path), self.name, separator)
        _, fields = next(self._records, (1, None))
        if fields is None:
            raise PfsmError(f"{self.name}: empty file, a header row is needed")
        self.header: Sequence[str] = header_names(fields, self.name)

    def need(self, columns: Sequence[str], advice: str = "") -> None:
        """Refuse a table that lacks a column.

        Args:
            columns: the columns that the table must have.
            advice: what to add to the message.
        """
        for column in columns:
            if column not in self.header:
                there = ", ".join(shown(name) for name in self.header)
                raise PfsmError(f"{self.name}: no column {column!r}; the columns are {there}{advice}")

    def __iter__(self) -> Iterator[Row]:
        """The rows in the order of the file."""
        for line, fields in data_rows(self._records, len(self.header), self.name):
            yield Row(self.name, line, dict(zip(self.header, fields, strict=True)))

    def judged(self) -> "Rows":
        """The same table, or of one of adequacy and fluency a row a translation, with its score."""
        if rates_adequacy(self.header):
            self.header, rows = means_of_judges(self.name, self.header, self)
            self._records = ((row.line, list(row.fields.values())) for row in rows)
        return self


def means_of_judges(
    name: str, header: Sequence[str], rows: Iterable[Row]
) -> tuple[Sequence[str], Iterable[Row]]:
    """Columns and rows as `mean_of_judges` has them."""
    if not rates_adequacy(header):
        return header, rows
    read = list(rows)
    columns = {column: [row[column] for row in read] for column in header}
    table = mean_of_judges(Table(name, columns, [row.line for row in read], ""))
    fields = zip(*table.columns.values(), strict=True)
    return table.header, [
        Row(name, line, dict(zip(table.columns, row, strict=True)))
        for line, row in zip(table.line_numbers, fields, strict=True)
    ]
