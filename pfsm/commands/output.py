"""How all commands print: JSON, tables, intervals, and words on standard error."""

import json
import math
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pfsm.evaluation.bootstrap import Interval

NO_INTERVAL = "–"


def print_json(document: object) -> None:
    """Prints a document as JSON."""
    print(json.dumps(document, indent=1, ensure_ascii=False))


def print_columns(rows: Sequence[Sequence[str]]) -> None:
    """Prints rows of cells as a table, each column as wide as its widest cell."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        print("  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip())


def bracketed(interval: "Interval | list[float | None]", form: str) -> str:
    """The ends of an interval, or those that JSON has, in a format such as ``+.3f``; a dash if they are not defined."""
    low, high = interval if isinstance(interval, list) else (interval.low, interval.high)
    return NO_INTERVAL if low is None or math.isnan(low) else f"[{low:{form}}, {high:{form}}]"


def tell(line: str) -> None:
    """Says something on standard error, because standard output is for other programs."""
    print(f"pfsm: {line}", file=sys.stderr)
