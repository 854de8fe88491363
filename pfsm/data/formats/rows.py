"""Languages as data sets name them; and tables looked at row by row."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from pfsm.data.table import Table, finite_number, refused, shown
from pfsm.errors import PfsmError
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
            raise self.fault(f"{column} is {refused(self.fields[column], f'a finite number{bound}')}")
        return value + 0.0  # -0.0 becomes 0.0, so that equal numbers sort together

    def whole(self, column: str, minimum: int = 1) -> int:
        """A field as a whole number from `minimum`."""
        field = self.fields[column].strip()
        if not (field.isascii() and field.isdigit() and len(field) < _LONGEST) or int(field) < minimum:
            raise self.fault(
                f"{column} is {shown(self.fields[column])}, a whole number from {minimum} is needed"
            )
        return int(field)


def rows_of(table: Table) -> Iterator[Row]:
    """The rows of a table, in the order of the file."""
    header = table.header
    for line, *fields in zip(table.line_numbers, *(table.columns[name] for name in header), strict=True):
        yield Row(table.path, line, dict(zip(header, fields, strict=True)))


def need(table: Table, columns: Iterable[str]) -> None:
    """Refuses a table that lacks one of the columns."""
    for column in columns:
        table.column(column)
