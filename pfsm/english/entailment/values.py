"""Dates and numbers in a line by what they say, as `pfsm.english.dates` and `pfsm.english.numbers` read them.

5 March 2010 is March 5th, 2010, and both agree with 2010; 2.5 million is 2,500,000, and the third is 3.
"""

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

from pfsm.english.dates import date_spans, ordinal
from pfsm.english.numbers import english_numbers

# A year by itself, or behind a day and a month of which nobody knows which is which.
_YEAR = re.compile(r"(?:\d{1,2}/\d{1,2}/)?(1[5-9]\d\d|20\d\d|2100)")


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
    """The dates in a line of tokens, in order: days and months with their years, weekdays, and years alone."""
    found: dict[int, Found] = {}
    taken: set[int] = set()
    for start, size, (kind, *said) in date_spans(forms):
        places = range(start, start + size)
        if kind in {"date", "weekday"} and taken.isdisjoint(places):
            date = Date(*said) if kind == "date" else Date(weekday=said[0])  # type: ignore[arg-type]
            found[start] = Found(date, tuple(places))
            taken.update(places)
    for place, form in enumerate(forms):
        if place not in taken and (year := _YEAR.fullmatch(form)):
            found[place] = Found(Date(int(year[1])), (place,))
    return [found[place] for place in sorted(found)]


def numbers(words: Sequence[str], without: Collection[int] = ()) -> list[float]:
    """The values of the numbers in a line of lower-cased tokens: first whole numbers and decimals, then ordinals.

    Args:
        words: The tokens; a hyphen within a number, as in ``twenty - five``, is one of them.
        without: Places that are not looked at, such as those of dates.
    """
    kept = ["" if place in without else word for place, word in enumerate(words) if word != "-"]
    ordinals = (ordinal(word) for word in kept)
    return [*(float(one.value) for one in english_numbers(kept)), *(float(one) for one in ordinals if one)]
