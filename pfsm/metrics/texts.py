"""Text as callers have it: lists, and columns of pandas, polars, Arrow and NumPy."""

import math
from collections.abc import Sequence
from typing import Any

_ADVICE = "give a string, an empty one for an empty line"


def as_texts(values: Any, name: str) -> Sequence[str]:
    """A list of strings from a list, or a column of a table.

    Args:
        values: A sequence, array, Series or Arrow array of strings.
        name: What to call it in errors.

    Raises:
        ValueError: If it is a single string.
        TypeError: If an entry is no string; the message names its place, from 0.
    """
    listed = _listed(values, name)
    for place, value in enumerate(listed):
        if not isinstance(value, str):
            raise TypeError(f"{name}[{place}] is {_shown(value)}; {_ADVICE}")
    return listed


def as_stream(values: Any, name: str) -> Sequence[str | None]:
    """A stream of references, as `as_texts` with None where a segment has fewer references than others.

    Raises:
        ValueError: If it is a single string.
        TypeError: If an entry is neither a string nor None.
    """
    listed = _listed(values, name)
    for place, value in enumerate(listed):
        if value is not None and not isinstance(value, str):
            raise TypeError(f"{name}[{place}] is {_shown(value)}; {_ADVICE}, or None for no reference")
    return listed


def _listed(values: Any, name: str) -> Sequence[Any]:
    if isinstance(values, str):
        raise ValueError(f"{name} must be a list of strings, not one string")
    if isinstance(values, bytes | bytearray | memoryview) or not hasattr(values, "__iter__"):
        raise TypeError(f"{name} is {_shown(values)}, it must be a list of strings")
    if isinstance(values, list | tuple):
        return values
    for method in ("to_pylist", "to_list", "tolist"):  # Arrow; pandas and polars; NumPy
        if hasattr(values, method):
            found: Sequence[Any] = getattr(values, method)()
            return found if isinstance(found, list | tuple) else [found]
    return list(values)


def _shown(value: object) -> str:
    """The value and its type, short."""
    if value is None:
        return "None"
    if isinstance(value, float) and math.isnan(value):
        return "NaN"
    text = repr(value)
    kind = "bytes" if isinstance(value, bytes) else type(value).__name__
    return f"{text if len(text) <= 40 else f'{text[:40]}…'} ({kind})"
