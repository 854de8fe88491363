"""Dates, hours and numbers that words stand for."""

import re
from fractions import Fraction

from pfsm.analysis.discourse import words as known
from pfsm.analysis.discourse.grammar import Grammar

_YEAR = re.compile(r"1\d{3}|20\d{2}")
_DECADE = re.compile(r"(?:1\d{3}|20\d{2})s")
_DAY = re.compile(r"(0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?")
_CLOCK = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)")
# So long that a number is read at once; longer ones stay as they are written.
_NUMBER = re.compile(r"\d{1,18}(?:\.\d{1,9})?")
_PARTS_OF_NUMBERS = ("compound", "nummod", "flat")
_MONTHS = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
           "november", "december")  # fmt: skip
_HOURS = {"noon": "12:00", "midday": "12:00", "midnight": "00:00"}
_BEFORE_YEARS = frozenset(
    {"in", "since", "until", "till", "by", "before", "after", "from", "during", "around"}
)


def date_of(grammar: Grammar, word: int) -> tuple[str, str] | None:
    """What a word says of a date, as operator and value; None for other words.

    Years are four digits after a preposition of time or beside another date; days are numbers beside a month.
    """
    text = grammar.words[word]
    if text in known.DAYS:
        return "DayOfWeek", text
    if text in _MONTHS:
        return "MonthOfYear", f"{_MONTHS.index(text) + 1:02d}"
    if text in _HOURS:
        return "ClockTime", _HOURS[text]
    clock = _clock(grammar, word)
    if clock:
        return "ClockTime", clock
    if _DECADE.fullmatch(text):
        return "Decade", text
    return _by_place(grammar, word)


def _clock(grammar: Grammar, word: int) -> str:
    """An hour with its minutes, by 24 hours; empty for other words."""
    half = grammar.among(word, known.HALVES_OF_DAY)
    if grammar.words[word] == "o'clock":
        hours = grammar.having(word, "nummod", "compound")
        text = number_of(grammar, hours[0]) if hours else ""
    else:
        text = known.NUMBERS.get(grammar.words[word], grammar.words[word])
    if ":" not in text and (half is not None or grammar.words[word] == "o'clock"):
        text = f"{text}:00"
    match = _CLOCK.fullmatch(text)
    if match is None:
        return ""
    hour = int(match[1])
    if half is not None and hour <= 12 and grammar.words[half] != "o'clock":
        hour = hour % 12 + known.HALVES_OF_DAY[grammar.words[half]]
    return f"{hour:02d}:{match[2]}"


def _by_place(grammar: Grammar, word: int) -> tuple[str, str] | None:
    """The same of a number, by the words around it."""
    text = grammar.words[word]
    beside = [grammar.words[one] for one in (*grammar.children[word], grammar.heads[word]) if one >= 0]
    dated = any(one in known.DAYS or one in _MONTHS for one in beside)
    if _YEAR.fullmatch(text):
        prepositions = {grammar.words[one] for one in grammar.case(word)}
        is_alone = grammar.labels[word] in {"obl", "nmod"} and prepositions & _BEFORE_YEARS
        is_near = grammar.heads[word] >= 0 and _is_day_of_month(grammar, grammar.heads[word])
        return ("YearOfCentury", text) if is_alone or dated or is_near else None
    return ("DayOfMonth", _day(text)) if _is_day_of_month(grammar, word) else None


def _is_day_of_month(grammar: Grammar, word: int) -> bool:
    """Whether it is a number with the name of a month above or below it."""
    head = grammar.heads[word]
    beside = [*grammar.children[word], *([head] if head >= 0 else [])]
    is_near = any(
        grammar.words[one] in _MONTHS and grammar.category(one) in {"PROPN", "NOUN"} for one in beside
    )
    return is_near and _DAY.fullmatch(grammar.words[word]) is not None


def _day(text: str) -> str:
    match = _DAY.fullmatch(text)
    return f"{int(match[1]):02d}" if match else text


def number_of(grammar: Grammar, word: int) -> str:
    """The value of a numeral with the numerals that depend on it: of "5 million" 5000000.

    What cannot be read stays as it is written.
    """
    parts = [one for one in grammar.having(word, *_PARTS_OF_NUMBERS) if grammar.category(one) == "NUM"]
    texts = [grammar.words[one].replace(",", "") for one in sorted((word, *parts))]
    values = [known.NUMBERS.get(text, text) for text in texts]
    if len(values) == 1:
        return values[0].replace('"', "'")
    if not all(_NUMBER.fullmatch(value) for value in values):
        return "~".join(values).replace('"', "'")
    return _written(_joined([Fraction(value) for value in values]))


def _joined(values: list[Fraction]) -> Fraction:
    """Numerals one after the other as one number: 2, 100 and 5 as 205."""
    total = current = Fraction(0)
    for value in values:
        if value == 100:
            current = (current or 1) * value
        elif value in {10**3, 10**6, 10**9}:
            total, current = total + (current or 1) * value, Fraction(0)
        else:
            current += value
    return total + current


def _written(value: Fraction) -> str:
    if value.denominator == 1:
        return str(value.numerator)
    digits = f"{value.numerator * 10**9 // value.denominator:010d}"
    return f"{digits[:-9]}.{digits[-9:]}".rstrip("0")
