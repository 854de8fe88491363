"""English dates and times of day by what they say: ``3 May 2021``, ``May 3rd, 2021`` and ``2021-05-03`` are one."""

import re
from collections.abc import Sequence

from pfsm.facts.lists import words
from pfsm.facts.tables import MONTHS, ORDINAL_TENS, ORDINALS, TENS, WEEKDAYS

_MONTH = {name: at for at, name in enumerate(MONTHS, 1)} | {
    short: at for at, name in enumerate(MONTHS, 1) for short in (f"{name[:3]}.", name[:3]) if name != "may"
} | {"sept": 9, "sept.": 9}  # fmt: skip
_WEEKDAY = {name: at for at, name in enumerate(WEEKDAYS)} | {
    other: at for at, name in enumerate(WEEKDAYS) for other in (f"{name}s", f"{name[:3]}.", f"{name[:4]}.")
}  # fmt: skip
# Words as well, so that a number or one of these words has to stand beside them.
_DOUBTFUL = words("dates-doubtful")
BEFORE_MONTHS = words("dates-before-months")
_ORDINALS = {word: at for at, word in enumerate((*ORDINALS, ORDINAL_TENS[0]), 1)} | {
    f"{ten}-{unit}": tens + at
    for tens, ten in zip(range(20, 70, 10), TENS, strict=False)
    for at, unit in enumerate(ORDINALS[:9], 1)
}
_ORDINALS |= {word: value for value, word in zip(range(30, 70, 10), ORDINAL_TENS[1:], strict=False)} | {
    "hundredth": 100
}
_ORDINAL = re.compile(r"([1-9]\d{0,3})(?:st|nd|rd|th)", re.IGNORECASE)
_DAY = re.compile(r"(?:0?[1-9]|[12]\d|3[01])")
_YEAR = re.compile(r"1\d{3}|20\d\d|2100")
_ISO = re.compile(r"(\d{4})-(\d{2})-(\d{2})")
_IN_PARTS = re.compile(r"(\d{1,2})([./])(\d{1,2})\2(\d{4})")
_CLOCK = re.compile(r"([01]?\d|2[0-3])[:.]([0-5]\d)")
_HOUR = re.compile(r"(?:0?[1-9]|1[0-2])")
_NOON = {"noon": 720, "midday": 720, "midnight": 0}
HALVES = {"am": 0, "a.m": 0, "a.m.": 0, "pm": 720, "p.m": 720, "p.m.": 720}

WORDS = frozenset(_MONTH.keys() | _WEEKDAY.keys() | _ORDINALS.keys() | _NOON.keys() | HALVES.keys())
"""All words of dates and times and all ordinal numbers, in lower case."""
Meaning = tuple[object, ...]
Span = tuple[int, int, Meaning]


def ordinal(token: str) -> int | None:
    """The value of an ordinal number: ``3rd``, ``third``, ``twenty-first``; None for any other token."""
    match = _ORDINAL.fullmatch(token) if token[:1].isdigit() else None
    return int(match[1]) if match else _ORDINALS.get(token.lower())


def weekday(token: str) -> int | None:
    """The day of the week, from Monday, 0; None for any other token."""
    return _WEEKDAY.get(token.lower()) if token[:1].isupper() else None


def month(tokens: Sequence[str], at: int) -> int | None:
    """The month that a token names, from 1; None for any other token."""
    token = tokens[at]
    word = token.lower()
    if word not in _MONTH or not token[:1].isupper():
        return None
    if word in _DOUBTFUL:
        beside = [tokens[place] for place in (at - 1, at + 1) if 0 <= place < len(tokens)]
        before = tokens[at - 1].lower() if at else ""
        if before not in BEFORE_MONTHS and not any(_day(one) or _year(one) for one in beside):
            return None
    return _MONTH[word]


def _day(token: str) -> int | None:
    if token[:1].isdigit() and _DAY.fullmatch(token):
        return int(token)
    value = ordinal(token)
    return value if value is not None and value <= 31 else None


def _year(token: str) -> int | None:
    return int(token) if _YEAR.fullmatch(token) else None


def date_spans(tokens: Sequence[str]) -> list[Span]:
    """The dates and times of a line: first token, number of tokens, meaning; longer ones before shorter ones."""
    found = []
    for at in range(len(tokens)):
        named = [*_dated(tokens, at), *_timed(tokens, at)]
        found += [(at, size, meaning) for size, meaning in sorted(named, key=lambda one: -one[0])]
    return found


def _dated(tokens: Sequence[str], at: int) -> list[tuple[int, Meaning]]:
    alone = _numeric(tokens[at])
    if alone is not None:
        return [(1, alone)]
    if not tokens[at][0].isupper() and _day(tokens[at]) is None:
        return []
    day, named, after = _day_and_month(tokens, at)
    if named is None:
        of_week = weekday(tokens[at])
        return [] if of_week is None else [(1, ("weekday", of_week))]
    # Between a month and its day there is no year: in `May 12` it is the day.
    found: list[tuple[int, Meaning]] = [(after - at, ("date", None, named, day))]
    comma = after + 1 < len(tokens) and tokens[after] == ","
    behind = after + int(comma)
    year = _year(tokens[behind]) if behind < len(tokens) else None
    if year is not None and (day is not None or not comma):
        found.append((behind + 1 - at, ("date", year, named, day)))
    return found


def _day_and_month(tokens: Sequence[str], at: int) -> tuple[int | None, int | None, int]:
    """Day and month that begin at a place, and the place behind them; no month where there is no such date."""
    named = month(tokens, at)
    if named is not None:
        day = _day(tokens[at + 1]) if at + 1 < len(tokens) else None
        return day, named, at + 1 + (day is not None)
    day = _day(tokens[at])
    follows = at + 1
    if day is not None and follows + 1 < len(tokens) and tokens[follows].lower() == "of":
        follows += 1
    named = month(tokens, follows) if day is not None and follows < len(tokens) else None
    return day, named, follows + 1


def _numeric(token: str) -> Meaning | None:
    """The meaning of a date in digits; None where day and month could be either way round."""
    if not token[0].isdigit():
        return None
    if match := _ISO.fullmatch(token):
        year, named, day = map(int, match.groups())
    elif match := _IN_PARTS.fullmatch(token):
        day, named, year = (int(match[k]) for k in (1, 3, 4))
        if match[2] == "/" and named > 12 >= day:
            day, named = named, day
        elif match[2] == "/" and day <= 12 and day != named:
            return None
    else:
        return None
    return ("date", year, named, day) if 1 <= named <= 12 and 1 <= day <= 31 else None


def _timed(tokens: Sequence[str], at: int) -> list[tuple[int, Meaning]]:
    token = tokens[at].lower()
    if token in _NOON:
        return [(1, ("time", _NOON[token]))]
    if not token[0].isdigit():
        return []
    half = HALVES.get(tokens[at + 1].lower()) if at + 1 < len(tokens) else None
    clock = _CLOCK.fullmatch(token)
    if clock is None and (half is None or not _HOUR.fullmatch(token)):
        return []
    hour, minute = (int(clock[1]), int(clock[2])) if clock else (int(token), 0)
    if half is not None:
        return [(2, ("time", hour % 12 * 60 + minute + half))] if 1 <= hour <= 12 else []
    # With a point it is rather a number.
    return [(1, ("time", hour * 60 + minute))] if ":" in token else []
