r"""Tables in the formats of the field: TSV without quoting, and COMET's CSV with quoting.

A TSV is read like the WMT collections: UTF-8, a header row, fields split at tabs and rows at ``\n`` only; a quotation
mark is a character like any other. A CSV follows RFC 4180, as pandas writes it.
"""

import csv
import math
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pfsm.data.segments import is_json
from pfsm.errors import PfsmError, PfsmWarning
from pfsm.io.files import StrPath, content_checksum, decode, display_name, each_line, read_bytes
from pfsm.io.limits import LINE, check_lines

_UNQUOTING = ContextVar("_UNQUOTING", default=False)


@contextmanager
def unquoting(wanted: bool = True) -> Iterator[None]:
    """Within it, tables with tabs are read with the quotes of pandas, around fields and twice inside.

    Args:
        wanted: False: as it is outside.

    Returns:
        The context to read them in.
    """
    token = _UNQUOTING.set(wanted or _UNQUOTING.get())
    try:
        yield
    finally:
        _UNQUOTING.reset(token)


def _tabbed(text: str, name: str) -> Iterator[tuple[int, list[str]]]:
    """Rows split at tabs; a field in quotes is noticed once."""
    noticed = _UNQUOTING.get()  # files of MQM have quotes around some texts alone
    for number, line in enumerate(each_line(text), start=1):
        fields = line.split("\t")
        if not noticed and '""' in line and any('""' in field and is_quoted(field) for field in fields):
            noticed = True
            warnings.warn(f"{name}:{number}: a field in quotes{_UNQUOTE}", PfsmWarning, stacklevel=2)
        yield number, fields


_UNQUOTE = ", as CSV and pandas write them; --unquote takes them away"


def is_quoted(field: str) -> bool:
    """Whether the quotes of CSV stand around a field: those inside it are written twice."""
    return len(field) > 1 and field[0] == field[-1] == '"' and '"' not in field[1:-1].replace('""', "")


def csv_records(lines: Iterable[str], name: str, between: str = ",") -> Iterator[tuple[int, list[str]]]:
    r"""Each record of a CSV with the line on which it begins; the first line is line 1.

    Args:
        lines: the lines of the file without their ``\n``; a ``\r`` at the end stays.
        name: what messages call the file.
        between: what separates fields.
    """
    csv.field_size_limit(max(csv.field_size_limit(), LINE.value))
    reader = csv.reader(_csv_lines(lines, name), delimiter=between, strict=True)
    while True:
        line = reader.line_num + 1
        try:
            record = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise PfsmError(f"{name}:{line}: {_csv_fault(error)}") from None
        yield line, record


def _csv_lines(lines: Iterable[str], name: str) -> Iterator[str]:
    for number, line in enumerate(lines, start=1):
        if "\0" in line:
            raise PfsmError(f"{name}:{number}: a NUL character, which a CSV file cannot hold; remove it")
        yield f"{line}\n"


def _csv_fault(error: csv.Error) -> str:
    """What is wrong with the record that begins on this line, and the fix."""
    reason = str(error)
    if "unexpected end of data" in reason or "field larger than" in reason:
        return "a quoted field that begins in this row never ends; close it, and write quotes inside it twice"
    if "expected after" in reason:
        return "text after the end of a quoted field; write quotes inside a quoted field twice"
    if "new-line character" in reason:
        return "a carriage return inside an unquoted field; quote the field or remove it"
    return f"not a CSV row ({reason})"


_SHOWN = 40  # characters of a bad value that a message repeats


def shown(value: str) -> str:
    """A value in quotes for a message, cut if it is long."""
    return repr(value if len(value) <= _SHOWN else f"{value[:_SHOWN]}…")


LARGEST_SCORE = 1e100
_LONGEST_NUMBER = 256  # characters


def finite_number(field: str) -> float | None:
    """The number in a field; None if it holds none, or one beyond `LARGEST_SCORE` or as near to 0.

    Every number of a file passes here, and no other bounds are needed: squares neither overflow nor vanish.
    """
    # Digits grouped by an underscore are Python, not data.
    if "_" in field or len(field) > _LONGEST_NUMBER:
        return None
    try:
        value = float(field)
    except ValueError:
        return None
    # A comparison with NaN is false.
    return value if value == 0.0 or 1.0 / LARGEST_SCORE <= abs(value) <= LARGEST_SCORE else None


def json_number(value: object) -> float | None:
    """`finite_number` of a value from JSON or Parquet, which may be text."""
    return None if isinstance(value, bool | list | dict) else finite_number(str(value))


def refused(field: str, needed: str = "a finite number") -> str:
    """Say of a field, in quotes, what `finite_number` needs in its place."""
    small = re.fullmatch(r"\s*[-+]?[0-9.]+[eE]-[0-9]+\s*", field) is not None
    return f"{shown(field)}, {f'0 or a number from {1 / LARGEST_SCORE:g}' if small else needed} is needed"


def numbers_of(
    fields: Sequence[str],
    name: str,
    place: Callable[[int], str],
    minimum: float = -math.inf,
    needed: str = "a finite number",
) -> NDArray[np.float64]:
    """A column as numbers, float64 [n].

    Args:
        fields: the column.
        name: what messages call it.
        place: gives the place of a row, for messages.
        minimum: the smallest value allowed.
        needed: what the message says is needed.
    """
    values = np.empty(len(fields), dtype=np.float64)
    for row, field in enumerate(fields):
        value = finite_number(field)
        if value is None or value < minimum:
            raise PfsmError(f"{place(row)}: {name} is {refused(field, needed)}")
        values[row] = value
    return values + 0.0  # -0.0 becomes 0.0, so that equal numbers sort together


def delimiter(name: str, header: str) -> str:
    """Return what separates the fields of a table: a tab, or in CSV the commoner of comma and semicolon.

    Args:
        name: The file's; one that ends in ``.csv`` makes it a CSV.
        header: The first line; commas or semicolons and no tab make it a CSV.
    """
    commoner = max((",", ";"), key=header.count)
    is_csv = name.lower().removesuffix(".gz").endswith(".csv")
    return commoner if is_csv or (commoner in header and "\t" not in header) else "\t"


def is_parquet(path: StrPath) -> bool:
    """Whether a file is Parquet, by its name."""
    return str(path).endswith(".parquet") and not Path(path).is_dir()


def header_names(fields: Sequence[str], name: str) -> list[str]:
    """The column names of a header row, without spaces around them or a byte order mark before them."""
    header = [field.replace("\ufeff", "").strip() for field in fields]
    if not any(header):
        raise PfsmError(f"{name}:1: the first line has no column names; a header row is needed")
    if all(len(column) > 1 and column[0] == column[-1] == '"' for column in header):
        raise PfsmError(f"{name}:1: all columns are in quotes{_UNQUOTE}")
    known: set[str] = set()
    for column in header:
        if "\r" in column:
            raise PfsmError(
                f"{name}:1: carriage returns in the header; end lines with a line feed (\\n or \\r\\n)"
            )
        if column in known:
            raise PfsmError(f"{name}:1: column {shown(column)} is in the header twice; rename one of them")
        known.add(column)
    return header


def _fields(count: int) -> str:
    return f"{count} field" if count == 1 else f"{count} fields"


Separator = Literal["tab", "space"]
COMET_NAMES: Mapping[str, str] = {"src": "source", "mt": "hypothesis", "ref": "reference"}
"""COMET's column names and ours; a column with the left name is also found under the right one."""


@dataclass(frozen=True)
class DataSource:
    """Where judgments came from: enough to recognise the file later, without its folder."""

    name: str
    """Base name of the file."""
    rows: int
    """Number of data rows in it."""
    checksum: str
    """SHA-256 of its decompressed content, hexadecimal."""


@dataclass(frozen=True)
class Table:
    """A file with a header row; every field is a string, unchanged.

    COMET's columns ``src``, ``mt`` and ``ref`` are in `columns` twice, the second time as ``source``,
    ``hypothesis`` and ``reference``, unless the file has columns of those names itself.
    """

    path: str
    """The path as shown in messages."""
    columns: Mapping[str, Sequence[str]]
    """Each column's fields by its name, in the order of the header; all equally long."""
    line_numbers: Sequence[int]
    """The line of the file on which each row begins; the header is line 1."""
    checksum: str
    """SHA-256 of the decompressed content, hexadecimal."""

    def __len__(self) -> int:
        return len(self.line_numbers)

    @property
    def source(self) -> DataSource:
        """The file as a `DataSource`."""
        return DataSource(Path(self.path).name, len(self), self.checksum)

    @property
    def header(self) -> tuple[str, ...]:
        """The names in the header row, without the second names of COMET's columns."""
        added = {ours for theirs, ours in COMET_NAMES.items() if self._is_second_name(theirs, ours)}
        return tuple(name for name in self.columns if name not in added)

    def _is_second_name(self, theirs: str, ours: str) -> bool:
        return theirs in self.columns and self.columns.get(ours) is self.columns[theirs]

    def column(self, name: str, advice: str = "") -> Sequence[str]:
        """The fields of one column.

        Args:
            name: the column.
            advice: what the message adds when the column is missing.

        Raises:
            PfsmError: no such column.
        """
        if name not in self.columns:
            there = ", ".join(shown(column) for column in self.header)
            raise PfsmError(f"{self.path}: no column {name!r}; the columns are {there}{advice}")
        return self.columns[name]

    def names(self, name: str, advice: str = "") -> Sequence[str]:
        """As `column`; a blank field is refused, too."""
        for line, field in zip(self.line_numbers, self.column(name, advice), strict=True):
            if not field.strip():
                raise PfsmError(f"{self.path}:{line}: {name} is empty, a name is needed")
        return self.columns[name]

    def select(self, rows: Sequence[int]) -> "Table":
        """Some rows, by their numbers from 0; the file stays as it is."""
        shared = {id(fields): [fields[row] for row in rows] for fields in self.columns.values()}
        columns = {name: shared[id(fields)] for name, fields in self.columns.items()}
        return Table(self.path, columns, [self.line_numbers[row] for row in rows], self.checksum)

    def numbers(
        self, name: str, minimum: float = -math.inf, needed: str = "a finite number"
    ) -> NDArray[np.float64]:
        """The fields of one column as numbers, float64 [rows].

        Args:
            name: the column.
            minimum: the smallest value allowed.
            needed: what the message says is needed.

        Raises:
            PfsmError: no such column, or a field that is not a finite number of at least `minimum`.
        """
        lines = self.line_numbers
        return numbers_of(self.column(name), name, lambda row: f"{self.path}:{lines[row]}", minimum, needed)

    def need_rows(self) -> None:
        """Refuse a table without data rows.

        Raises:
            PfsmError: the file has a header row and nothing below it.
        """
        if not len(self):
            raise PfsmError(f"{self.path}: no rows below the header")

    def other_columns(self, used: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """Every column except the used ones, each once, under our name where COMET's differs."""
        second = {theirs for theirs, ours in COMET_NAMES.items() if self._is_second_name(theirs, ours)}
        return {
            name: tuple(fields)
            for name, fields in self.columns.items()
            if name not in used and name not in second
        }


ADEQUACY, FLUENCY = "adequacy", "fluency"


def mean_of_judges(table: Table) -> Table:
    """A table of adequacy and fluency with a column ``score``, a row a translation; any other table as it is.

    The score is the sum of the two (Giménez and Màrquez 2009, section 3.2). Rows that differ in these and in ``rater``
    alone are one translation's: all three numbers are means over them, and ``n_raters`` says over how many.

    Raises:
        PfsmError: A field of the two is not a finite number.
    """
    if not {ADEQUACY, FLUENCY} <= {*table.columns} or {"score", "better"} & {*table.columns}:
        return table
    rates = np.column_stack([table.numbers(ADEQUACY), table.numbers(FLUENCY)])
    same = {
        name: fields for name, fields in table.columns.items() if name not in {ADEQUACY, FLUENCY, "rater"}
    }
    rows_of: dict[tuple[str, ...], list[int]] = {}
    for row, key in enumerate(zip(*same.values(), strict=True) if same else [()] * len(table)):
        rows_of.setdefault(key, []).append(row)
    means = [rates[rows].mean(axis=0) for rows in rows_of.values()]
    first = table.select([rows[0] for rows in rows_of.values()])
    columns = {name: first.columns[name] for name in same}
    columns.setdefault("n_raters", [str(len(rows)) for rows in rows_of.values()])
    columns[ADEQUACY], columns[FLUENCY] = ([repr(float(mean[at])) for mean in means] for at in (0, 1))
    # Not the sum of the means, whose rounding would part translations with equal marks.
    columns["score"] = [repr(float(rates[rows].sum(axis=1).mean())) for rows in rows_of.values()]
    return replace(first, columns=columns)


def read_table(path: StrPath, separator: Separator | None = None) -> Table:
    """Read a TSV or CSV file with a header row, gzip or plain (``-``: standard input).

    A name that ends in ``.csv`` or ``.csv.gz`` makes it a CSV, as does a header with commas and no tab; all else is
    TSV. Spaces around the names in the header are dropped; fields stay as they are. Empty lines at the end are ignored,
    except in a table of a single column, where each is a row with an empty field.

    Args:
        path: The file; ``-`` is standard input.
        separator: What separates fields, "tab", "comma" or "space"; None: as told by name and header.

    Returns:
        The columns, all of text.

    Raises:
        PfsmError: what `pfsm.io.files.read_bytes` raises, bytes that are not UTF-8, an empty file, a header without
            names or with a name twice, a row with fewer or more fields than the header, or an empty line between rows;
            in a CSV also a NUL character or quotes that RFC 4180 does not allow.
    """
    return table_from_bytes(read_bytes(path), display_name(path), separator)


def table_from_bytes(content: bytes, name: str, separator: Separator | None = None) -> Table:
    """The table in a file's decompressed content; ``name`` is what messages call the file."""
    check_lines(content, name)
    checksum = content_checksum(content)
    text = decode(content, name)
    del content
    rows = _records(text, name, separator)
    _, first = next(rows, (1, None))
    if first is None:
        raise PfsmError(f"{name}: empty file, a header row is needed")
    header = header_names(first, name)
    line_numbers, fields = _columns(rows, header, name)
    return Table(name, with_our_names(dict(zip(header, fields, strict=True))), line_numbers, checksum)


def with_our_names(columns: Mapping[str, Sequence[str]]) -> dict[str, Sequence[str]]:
    """Add each column of COMET under our name, too, unless there is one of that name."""
    added = {ours: columns[theirs] for theirs, ours in COMET_NAMES.items() if theirs in columns}
    return {**columns, **{name: fields for name, fields in added.items() if name not in columns}}


def _records(text: str, name: str, separator: Separator | None) -> Iterator[tuple[int, list[str]]]:
    """The fields of each row of a text, the header among them, with the line on which it begins."""
    first_line = text[: text.find("\n")] if "\n" in text else text
    if is_json([first_line], name):
        raise PfsmError(f"{name}: JSON, not a table; `pfsm data convert` makes one of JSON lines")
    if separator == "space":
        return enumerate((line.split() for line in each_line(text)), start=1)
    between = "\t" if separator else delimiter(name, first_line)
    if between == "\t" and (separator or not _UNQUOTING.get()):
        return _tabbed(text, name)
    if between == "\t":
        return iter(_unquoted(text, name))
    return csv_records(text.removesuffix("\n").split("\n") if text else [], name, between)


def _unquoted(text: str, name: str) -> list[tuple[int, list[str]]]:
    """Rows of a TSV without the quotes of CSV; where only some of its fields have these, a row is a line."""
    mixed = [
        (
            number,
            [field[1:-1].replace('""', '"') if is_quoted(field) else field for field in line.split("\t")],
        )
        for number, line in enumerate(each_line(text), start=1)
    ]
    try:
        rows = list(csv_records(text.removesuffix("\n").split("\n"), name, "\t"))
    except PfsmError:
        if _are_even(mixed):
            return mixed
        raise
    return mixed if _are_even(mixed) and not _are_even(rows) else rows


def _are_even(rows: Sequence[tuple[int, list[str]]]) -> bool:
    return len({len(fields) for _, fields in rows if any(fields)}) == 1


def _columns(
    rows: Iterable[tuple[int, list[str]]], header: Sequence[str], name: str
) -> tuple[list[int], list[list[str]]]:
    """The line numbers of the data rows, and the fields of each column; empty lines at the end are ignored."""
    line_numbers: list[int] = []
    columns: list[list[str]] = [[] for _ in header]
    # One object per distinct field: in pairs and rankings a sentence stands on dozens of rows.
    shared: dict[str, str] = {}
    empty_line, width = 0, len(header)
    for line, fields in rows:
        if width > 1 and fields in ([], [""]):
            empty_line = empty_line or line
            continue
        if empty_line:
            raise PfsmError(f"{name}:{empty_line}: empty line between rows; delete it")
        row = fields or [""]
        if len(row) != width:
            begun = not _UNQUOTING.get() and any(
                field.startswith('"') and field.count('"') % 2 for field in row
            )
            advice = f"; one begins with a quote that the row does not close{_UNQUOTE}" if begun else ""
            raise PfsmError(f"{name}:{line}: {_fields(len(row))}, the header has {_fields(width)}{advice}")
        line_numbers.append(line)
        for column, field in zip(columns, row, strict=True):
            column.append(shared.setdefault(field, field))
    return line_numbers, columns
