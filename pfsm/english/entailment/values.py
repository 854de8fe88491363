"""Dates and numbers in a line by what they say.

5 March 2010 is March 5th, 2010, and both agree with 2010; 2.5 million is 2,500,000, and twenty-five is 25.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from pfsm.english.tables import MONTHS, ORDINAL_TENS, ORDINALS, SIZES, SMALL, WEEKDAYS

_MONTH = {
    **{name[:3]: number for number, name in enumerate(MONTHS, 1)},
    "sept": 9,
    **{name: number for number, name in enumerate(MONTHS, 1)},
}
_DAY = re.compile(r"([1-9]|[12]\d|3[01])(?:st|nd|rd|th)?")
_YEAR = re.compile(r"1[5-9]\d\d|20\d\d|2100")
_SLASHES = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})")
_PREPOSITIONS = frozenset(
    [
        "in",
        "of",
        "since",
        "until",
        "till",
        "by",
        "from",
        "last",
        "next",
        "this",
        "during",
        "late",
        "early",
        "mid",
    ]
)


class Date(NamedTuple):
    """What a line says of a date; None where it says nothing. Weekdays count from Monday, 0."""

    year: int | None = None
    month: int | None = None
    day: int | None = None
    weekday: int | None = None

    def agrees(self, other: "Date") -> bool:
        """Whether both say something of the same, and nothing different."""
        both = [(a, b) for a, b in zip(self, other, strict=True) if a is not None and b is not None]
        return bool(both) and all(a == b for a, b in both)


class Found(NamedTuple):
    """A date and the places of its tokens."""

    date: Date
    places: tuple[int, ...]


def dates(forms: Sequence[str]) -> list[Found]:
    """The dates in a line of tokens, in order: with months, with slashes, years and weekdays alone."""
    found: list[Found] = []
    taken: set[int] = set()
    for place in range(len(forms)):
        if place in taken:
            continue
        one = _at(forms, place, taken)
        if one is not None:
            found.append(one)
            taken.update(one.places)
    return sorted(found, key=lambda one: one.places)


def _at(forms: Sequence[str], place: int, taken: set[int]) -> Found | None:
    form = forms[place]
    word = form.lower().removesuffix(".")
    if match := _SLASHES.fullmatch(word):
        return Found(_of_slashes(*map(int, match.groups())), (place,))
    if form[:1].isupper() and word in WEEKDAYS:
        return Found(Date(weekday=WEEKDAYS.index(word)), (place,))
    if _is_month(forms, place):
        return _with_month(forms, place)
    if _day_at(forms, place) is not None and _month_after(forms, place) is not None:
        return None  # the month will take it
    if _YEAR.fullmatch(word) and place not in taken and not _belongs_to_month(forms, place):
        return Found(Date(year=int(word)), (place,))
    return None


def _of_slashes(first: int, second: int, year: int) -> Date:
    """Day and month, or month and day where it cannot be the other way round; neither where both could be."""
    if first > 12 >= second:
        return Date(year, second, first)
    if second > 12 >= first:
        return Date(year, first, second)
    return Date(year)


def _is_month(forms: Sequence[str], place: int) -> bool:
    """A month's name with its capital; May and March only where a date is likely."""
    form = forms[place]
    word = form.lower().removesuffix(".")
    if word not in _MONTH or not form[:1].isupper():
        return False
    if word not in {"may", "march", "mar", "sun", "sat", "jan", "dec"}:
        return True
    before = forms[place - 1].lower() if place else ""
    beside = [_day_at(forms, place - 1), _day_at(forms, place + 1), _year_at(forms, place + 1)]
    return before in _PREPOSITIONS or any(one is not None for one in beside)


def _day_at(forms: Sequence[str], place: int) -> int | None:
    match = _DAY.fullmatch(forms[place].lower()) if 0 <= place < len(forms) else None
    return int(match[1]) if match else None


def _year_at(forms: Sequence[str], place: int) -> int | None:
    return int(forms[place]) if place < len(forms) and _YEAR.fullmatch(forms[place]) else None


def _month_after(forms: Sequence[str], place: int) -> int | None:
    """Where the month of a day is: right after it, or after ``of``."""
    for step in (1, 2):
        at = place + step
        if at < len(forms) and _is_month(forms, at) and (step == 1 or forms[place + 1].lower() == "of"):
            return at
    return None


def _belongs_to_month(forms: Sequence[str], place: int) -> bool:
    return any(
        _is_month(forms, at) and place in _with_month(forms, at).places
        for at in range(max(0, place - 3), place)
    )


def _with_month(forms: Sequence[str], place: int) -> Found:
    """A month with the day before or after it and the year behind."""
    places = [place]
    day_place = next(
        (
            at
            for at in (place - 1, place - 2, place + 1)
            if _day_at(forms, at) is not None and _joins(forms, at, place)
        ),
        None,
    )
    after = place + 1
    if day_place is not None:
        places.append(day_place)
        after = max(after, day_place + 1)
    if after < len(forms) and forms[after] == "," and _year_at(forms, after + 1) is not None:
        after += 1
    year = _year_at(forms, after)
    if year is not None:
        places.append(after)
    day = None if day_place is None else _day_at(forms, day_place)
    month = _MONTH[forms[place].lower().removesuffix(".")]
    return Found(Date(year, month, day), tuple(sorted(places)))


def _joins(forms: Sequence[str], day: int, month: int) -> bool:
    """Whether nothing stands between a day and its month but ``of``."""
    return abs(day - month) == 1 or forms[day + 1].lower() == "of"


_SMALL = {
    **SMALL,
    **{word: value for value, word in enumerate(("zeroth", *ORDINALS))},
    **{word: 10 * value for value, word in enumerate(ORDINAL_TENS, 2)},
}
_HUNDRED = {"hundred": 100, "dozen": 12}
_LARGE = {word: value for word, value in SIZES.items() if value >= 1000}
_SUFFIXES = {"k": 10**3, "m": 10**6, "bn": 10**9}
_DIGITS = re.compile(r"(\d{1,3}(?:,\d{3})+|\d+)(\.\d+)?(st|nd|rd|th|s|k|m|bn|%)?")


def digits_value(word: str) -> float | None:
    """The value of a token of digits, such as ``1,000``, ``2.5``, ``3rd`` or ``5m``; None for any other."""
    match = _DIGITS.fullmatch(word)
    if match is None:
        return None
    whole, fraction, suffix = match.groups()
    return float(whole.replace(",", "") + (fraction or "")) * _SUFFIXES.get(suffix, 1)


@dataclass
class _Reader:
    """A number that is being read: ``total`` in thousands and more, ``group`` below."""

    values: list[float] = field(default_factory=list)
    total: float = 0.0
    group: float = 0.0
    open: bool = False
    after: str = ""

    def close(self) -> None:
        if self.open:
            self.values.append(self.total + self.group)
        self.total, self.group, self.open, self.after = 0.0, 0.0, False, ""

    def small(self, value: float, after: str) -> None:
        """Units, tens, digits: they go on with a number where its last part leaves room for them."""
        room = {"hundred": 100.0, "tens": 10.0, "large": 1000.0}.get(self.after, 0.0)
        if not (self.open and value < room):
            self.close()
        self.group += value
        self.open, self.after = True, after

    def hundred(self, factor: float) -> None:
        self.group = (self.group if self.open and self.group else 1.0) * factor
        self.open, self.after = True, "hundred"

    def large(self, factor: float) -> None:
        self.total += (self.group or 1.0) * factor
        self.group, self.open, self.after = 0.0, True, "large"

    def read(self, word: str) -> None:
        singular = word.removesuffix("s")
        value = digits_value(word)
        if value is not None:
            self.small(value, "digits")
        elif word in _SMALL:
            self.small(float(_SMALL[word]), "tens" if _SMALL[word] >= 20 else "unit")
        elif singular in _HUNDRED:
            self.hundred(_HUNDRED[singular])
        elif singular in _LARGE:
            self.large(_LARGE[singular])
        # Between the parts of a number: twenty-five, a hundred and one.
        elif not (self.open and (word == "-" or (word == "and" and self.after in {"hundred", "large"}))):
            self.close()


def numbers(words: Sequence[str], without: Collection[int] = ()) -> list[float]:
    """The values of the numbers in a line of lower-cased tokens, in order.

    Args:
        words: The tokens.
        without: Places that are not looked at, such as those of dates.
    """
    reader = _Reader()
    for place, word in enumerate(words):
        if place in without:
            reader.close()
        else:
            reader.read(word)
    reader.close()
    return reader.values
