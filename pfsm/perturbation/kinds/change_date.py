"""A day, a month or a year is changed."""

import re
from collections.abc import Iterator

from pfsm.perturbation.dice import Dice
from pfsm.perturbation.edits import Edit, edited
from pfsm.perturbation.kind import CRITICAL, Kind
from pfsm.perturbation.text import Text

_MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
_DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
_YEAR = re.compile(r"(?<![\w.,:/$€£-])(?:19\d\d|20[0-3]\d)(?![\w%°:/]|[.,]\d)")
_COUNTED = re.compile(
    r"[ \u00a0](?:yen|yuan|won|people|men|women|children|police|USD|EUR|euros?|pounds?|dollars?|km|kg|m|mm|cm|tons?|"
    r"(?!was\b|is\b|as\b|has\b|this\b|its\b|does\b|thus\b|versus\b|plus\b|us\b)[a-z]+s)\b"
)
_NUMERIC = re.compile(r"(?<![\w.,/-])(\d{1,2})([./-])(\d{1,2})\2(\d{4}|\d{2})(?![\w/-])")


def _change(text: Text, dice: Dice) -> str | None:
    found = [*_numeric(text.line), *_years(text.line)]
    if text.classes.number:
        found += [*_named(text.line, _MONTHS), *_named(text.line, _DAYS)]
    if not found:
        return None
    start, end, options = dice.choice(sorted(found))
    return edited(text.line, [Edit(start, end, dice.choice(options))])


def _numeric(line: str) -> Iterator[tuple[int, int, list[str]]]:
    """The first two parts of a date are both at most 12 where day and month could change places unnoticed."""
    for found in _NUMERIC.finditer(line):
        day = int(found[1])
        options = [f"{other:0{len(found[1])}d}" for other in range(1, 13) if other != day]
        yield found.start(1), found.end(1), options


def _years(line: str) -> Iterator[tuple[int, int, list[str]]]:
    for found in _YEAR.finditer(line):
        # "2000 yen", "1950 votes".
        if _COUNTED.match(line, found.end()):
            continue
        year = int(found[0])
        yield found.start(), found.end(), [str(year + by) for by in (-9, -7, -4, -3, -2, 2, 3, 4)]


def _named(line: str, names: list[str]) -> Iterator[tuple[int, int, list[str]]]:
    for found in re.finditer(rf"\b(?:{'|'.join(names)})\b", line):
        # A march may open a sentence.
        if found[0] != "March" or found.start():
            yield found.start(), found.end(), [name for name in names if name != found[0]]


KIND = Kind("change-date", CRITICAL, "a day, a month or a year is changed", _change)
