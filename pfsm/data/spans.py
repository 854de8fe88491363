"""Marks of errors in translations, as the column ``errors`` holds them.

It is a JSON list of ``[start, end, severity, category, rater]``, offsets in Unicode code points of the translation. An
omission has ``start == end``. Marks may overlap.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from pfsm.data.table import shown
from pfsm.errors import PfsmError

ERRORS = "errors"
"""The column."""
SEVERITIES = ("neutral", "minor", "major", "critical")
Span = tuple[int, int, str, str, str]
"""Start, end, severity, category, rater."""
_UNDECIDED = frozenset({"undecided", "none", ""})  # a mark that its rater left without a severity
_MISSING = "missing"


def spans_text(spans: Iterable[Span]) -> str:
    """The spans as the column holds them."""
    return json.dumps([list(span) for span in spans], ensure_ascii=False)


def read_spans(
    value: object,
    text: str,
    rater: str,
    fault: Callable[[str], PfsmError],
    units: Sequence[int] | None = None,
) -> list[Span]:
    """The marks of one rater.

    Args:
        value: A list of ``[start, end, severity, category, rater]``, of which the last two may be left out, or of
            objects: with ``start`` and ``end``, as of xCOMET, or with ``start_i`` and ``end_i``, the last character
            that is marked, as of ESA and Pearmut. There ``missing``, or a place behind the text, is an omission, and a
            mark without a severity is neutral.
        text: The translation.
        rater: Who set marks that do not say so.
        fault: Makes the error from what is wrong.
        units: The code point that each place of ``start_i`` and ``end_i`` counts; None: code points themselves.

    Raises:
        PfsmError: What is no such list, offsets outside the text, a start behind its end, or another severity.
    """
    if not isinstance(value, list):
        raise fault(f"{ERRORS} is {shown(str(value))}, a list of marks is needed")
    units = range(len(text)) if units is None else units
    found = []
    for number, given in enumerate(value, start=1):
        where, mark = f"{ERRORS}, mark {number}", given
        if isinstance(given, list) and 3 <= len(given) <= 5:
            mark = dict(zip(("start", "end", "severity", "category", "rater"), given, strict=False))
        if not isinstance(mark, Mapping):
            raise fault(f"{where} is {shown(str(mark))}, [start, end, severity, …] or an object is needed")
        severity = mark.get("severity")
        if "start_i" in mark:
            start, end = _inclusive(mark, len(text), units, where, fault)
            severity = "neutral" if str(severity or "").lower() in _UNDECIDED else severity
        else:
            start, end = (
                _place(mark.get(name), len(text), f"{where}: {name}", fault) for name in ("start", "end")
            )
        if start > end:
            raise fault(f"{where}: start {start} lies behind end {end}")
        if not isinstance(severity, str) or severity.lower() not in SEVERITIES:
            needed = ", ".join(SEVERITIES)
            raise fault(f"{where}: severity is {shown(str(severity))}, one of {needed} is needed")
        own = mark.get("rater", mark.get("annotator")) or rater
        category = mark.get("category", mark.get("error_type")) or ""
        found.append((start, end, severity.lower(), str(category), str(own)))
    return found


def _inclusive(
    mark: Mapping[Any, Any], length: int, units: Sequence[int], where: str, fault: Callable[[str], PfsmError]
) -> tuple[int, int]:
    places = [mark.get("start_i"), mark.get("end_i")]
    if places == [_MISSING, _MISSING]:
        return length, length
    first, last = (
        _place(place, len(units), f"{where}: {name}", fault)
        for place, name in zip(places, ("start_i", "end_i"), strict=True)
    )
    if first > last:
        raise fault(f"{where}: start_i {first} lies behind end_i {last}")
    if first == len(units):
        return length, length
    return units[first], units[last] + 1 if last < len(units) else length


def _place(value: object, most: int, where: str, fault: Callable[[str], PfsmError]) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= most:
        raise fault(f"{where} is {shown(str(value))}, a whole number from 0 to {most} is needed")
    return value
