"""The columns that judgments carry along besides what they are made of: chosen by row, and put end to end."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

Columns = Mapping[str, tuple[str, ...]]


def row_list(rows: NDArray[np.int64]) -> list[int]:
    """Row numbers as a list.

    Raises:
        TypeError: `rows` are not integers. A boolean mask would otherwise pick rows 0 and 1 over and over.
    """
    if rows.size and rows.dtype.kind not in "iu":
        raise TypeError(f"rows must be integers, not {rows.dtype}")
    return [int(row) for row in rows]


def select_columns(columns: Columns, rows: Sequence[int]) -> dict[str, tuple[str, ...]]:
    """The given rows of every column, in the order of `rows`."""
    return {name: tuple(fields[row] for row in rows) for name, fields in columns.items()}


def join_columns(parts: Sequence[tuple[int, Columns]]) -> dict[str, tuple[str, ...]]:
    """Columns of several parts end to end; a column that a part lacks is filled with ``""`` there.

    Args:
        parts: for each part its number of rows and its columns.
    """
    names = dict.fromkeys(name for _, columns in parts for name in columns)
    return {
        name: tuple(field for rows, columns in parts for field in columns.get(name, ("",) * rows))
        for name in names
    }
