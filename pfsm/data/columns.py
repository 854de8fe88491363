"""The other columns of judgments, carried along with them: selected by row, and concatenated."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Columns = Mapping[str, tuple[str, ...]]


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
