"""The other columns of judgments, carried along with them: selected by row, and concatenated."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.data.fields import finite_number, shown
from pfsm.errors import PfsmError

Columns = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, eq=False)
class Places:
    """Where rows stand, for messages."""

    files: tuple[str, ...]
    """Paths as messages show them."""
    file: NDArray[np.int64]
    """int64 [n], which of the files each row is in."""
    line: NDArray[np.int64]
    """int64 [n], the line of the file on which each row begins."""

    @staticmethod
    def of(path: str, line_numbers: Sequence[int]) -> "Places":
        """The places of all rows of a file."""
        lines = np.array(line_numbers, dtype=np.int64)
        return Places((path,), np.zeros(lines.size, dtype=np.int64), lines)

    def select(self, rows: NDArray[np.int64]) -> "Places":
        """The places of some rows."""
        return Places(self.files, self.file[rows], self.line[rows])

    @staticmethod
    def join(parts: Sequence["Places | None"]) -> "Places | None":
        """The places of the rows of several parts; None if one of them has none."""
        known = [part for part in parts if part is not None]
        if len(known) < len(parts):
            return None
        firsts = np.cumsum([0, *(len(part.files) for part in known)])
        return Places(
            tuple(file for part in known for file in part.files),
            np.concatenate([part.file + first for part, first in zip(known, firsts, strict=False)]),
            np.concatenate([part.line for part in known]),
        )

    def of_row(self, row: int) -> str:
        """``FILE:LINE`` of a row."""
        return f"{self.files[int(self.file[row])]}:{int(self.line[row])}"


def select_places(places: Places | None, rows: Sequence[int]) -> Places | None:
    """The places of some rows, if they are known."""
    return None if places is None else places.select(np.array(rows, dtype=np.int64))


def numbers_of(fields: Sequence[str], name: str, places: Places | None) -> NDArray[np.float64]:
    """A column as numbers, float64 [n].

    Raises:
        PfsmError: A field is not a finite number.
    """
    values = np.empty(len(fields), dtype=np.float64)
    for row, field in enumerate(fields):
        value = finite_number(field)
        if value is None:
            where = f"row {row + 1}" if places is None else places.of_row(row)
            raise PfsmError(f"{where}: {name} is {shown(field)}, a finite number is needed")
        values[row] = value
    return values + 0.0  # -0.0 becomes 0.0, so that equal numbers sort together


def no_column(name: str, columns: Columns, places: Places | None) -> PfsmError:
    """What to say where data lacks a column."""
    where = "the data" if places is None else ", ".join(dict.fromkeys(places.files))
    there = f"the other columns are {', '.join(map(shown, columns))}" if columns else "there are no others"
    return PfsmError(f"{where}: no column {name!r} besides the texts and what people say of them; {there}")


def row_list(rows: NDArray[np.int64]) -> list[int]:
    """Row numbers as a list.

    Raises:
        TypeError: `rows` are not integers. A boolean mask would otherwise select rows 0 and 1 repeatedly.
    """
    if rows.size and rows.dtype.kind not in "iu":
        raise TypeError(f"rows must be integers, not {rows.dtype}")
    return [int(row) for row in rows]


def select_columns(columns: Columns, rows: Sequence[int]) -> dict[str, tuple[str, ...]]:
    """The given rows of every column, in the order of `rows`."""
    return {name: tuple(fields[row] for row in rows) for name, fields in columns.items()}


def join_columns(parts: Sequence[tuple[int, Columns]]) -> dict[str, tuple[str, ...]]:
    """The columns of several parts, concatenated; a column that a part lacks is filled with ``""`` there.

    Args:
        parts: for each part its number of rows and its columns.
    """
    names = dict.fromkeys(name for _, columns in parts for name in columns)
    return {
        name: tuple(field for rows, columns in parts for field in columns.get(name, ("",) * rows))
        for name in names
    }


def canonical_order(fields: Sequence[Sequence[Any]], columns: Columns) -> tuple[NDArray[np.int64], Columns]:
    """The rows in an order that does not depend on their order in the files, and the columns sorted by name.

    Rows are sorted by the fields, then by the columns in the order of their names; text by code point.

    Args:
        fields: At least one, each with a value for every row.
        columns: The other columns.
    """
    named = {name: columns[name] for name in sorted(columns)}
    keys = list(zip(*fields, *named.values(), strict=True))
    return np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.int64), named
