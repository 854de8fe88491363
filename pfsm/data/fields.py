"""Shared by the readers of tables: header rows, numbers in fields, and how messages show a bad value."""

import math
from collections.abc import Sequence

from pfsm.errors import PfsmError

_SHOWN = 40  # characters of a bad value that a message repeats


def shown(value: str) -> str:
    """A value in quotes for a message, cut if it is long."""
    return repr(value if len(value) <= _SHOWN else f"{value[:_SHOWN]}…")


def finite_number(field: str) -> float | None:
    """The number in a field; None if it holds no finite number."""
    if "_" in field:  # digits grouped by an underscore are Python, not data
        return None
    try:
        value = float(field)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def is_csv(name: str, first_line: str) -> bool:
    """Whether a table is CSV: by its name, or because its header has commas and no tab."""
    return name.lower().removesuffix(".gz").endswith(".csv") or ("," in first_line and "\t" not in first_line)


def header_names(fields: Sequence[str], name: str) -> list[str]:
    """The column names of a header row, without spaces around them or a byte order mark before them.

    Args:
        fields: the fields of the first line.
        name: what messages call the file.

    Raises:
        PfsmError: the header has no names, or one name twice.
    """
    header = [field.replace("\ufeff", "").strip() for field in fields]
    if not any(header):
        raise PfsmError(f"{name}:1: the first line has no column names; a header row is needed")
    for position, column in enumerate(header):
        if "\r" in column:
            raise PfsmError(
                f"{name}:1: carriage returns in the header; end lines with a line feed (\\n or \\r\\n)"
            )
        if column in header[:position]:
            raise PfsmError(f"{name}:1: column {shown(column)} is in the header twice; rename one of them")
    return header


def check_width(line: int, fields: Sequence[str], width: int, name: str) -> None:
    """Refuse a row that is not as wide as its header.

    Raises:
        PfsmError: the row that begins on `line` has fewer or more fields than the header.
    """
    if len(fields) != width:
        raise PfsmError(f"{name}:{line}: {_fields(len(fields))}, the header has {_fields(width)}")


def _fields(count: int) -> str:
    return f"{count} field" if count == 1 else f"{count} fields"
