"""Cells that a spreadsheet shows and does not execute.

A spreadsheet takes a cell that begins with ``=``, ``+``, ``-``, ``@``, a tab or a carriage return for a formula, which
may read other cells, open addresses or start programs. An apostrophe in front makes it text. Numbers stay numbers.
"""

import re
from collections.abc import Iterable

_FORMULA = re.compile(r"[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)


def inert(cell: str) -> str:
    """The cell, with an apostrophe in front where a spreadsheet would take it for a formula.

    Spaces in front do not help: some programs drop them when they read a file.
    """
    bare = cell.lstrip(" \xa0\ufeff")
    return f"'{cell}" if _FORMULA.match(bare) and not _NUMBER.fullmatch(cell) else cell


def tsv_row(cells: Iterable[str], *, spreadsheet: bool) -> str:
    """The cells of one row, joined by tabs; `inert` ones for a spreadsheet."""
    return "\t".join(map(inert, cells) if spreadsheet else cells)
