"""What English text says of numbers, amounts and dates, whichever way it is written.

``$5 million`` is ``five million dollars``, ``1,000 m`` is ``1 km``, ``3 May`` is ``May 3rd``, ``5 %`` is ``five per
cent``, ``21st`` is ``twenty-first``. Only exact conversions count.

A number is written in digits (`pfsm.text.numbers`) or in English words; ``million`` multiplies the number before it.
``One`` alone is not a number, because it is usually a pronoun.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from pfsm.facts.dates import HALVES, WORDS, Meaning, date_spans, ordinal
from pfsm.facts.lists import table
from pfsm.facts.tables import SIZES, SMALL
from pfsm.text.numbers import Number, digit_value


class Unit(NamedTuple):
    """A unit.

    Attributes:
        dimension: What it measures; quantities of one dimension can be compared.
        size: Its size in the smallest units of the dimension.
    """

    dimension: str
    size: Fraction


PERCENT = Unit("percent", Fraction(1))
SIGNS = frozenset("$€£¥₽") | {"US$", "USD", "EUR", "GBP", "JPY", "RMB", "CNY", "RUB"}
"""Currencies that may stand before their number."""


def _rows(name: str) -> Iterator[tuple[Unit, Sequence[str], Sequence[str]]]:
    """Units with their names, and with those that they have behind a number only, as are all of one letter.

    Conversions are exact ones; a unit that none leads to is a dimension of its own.
    """
    for dimension, size, *names in table(name):
        bar = names.index("|") if "|" in names else len(names)
        yield Unit(dimension, Fraction(size)), names[:bar], names[bar + 1 :]


_OF_WORD = {name: unit for unit, names, _ in _rows("units-words") for name in names}
_OF_SHORT = {name: unit for unit, names, _ in _rows("units-short") for name in names}
_BEHIND_NUMBERS = {name: unit for unit, _, names in _rows("units-short") for name in names}
SHORT = frozenset(_OF_SHORT.keys() | _BEHIND_NUMBERS.keys() | SIGNS)
"""All abbreviations and signs, as they are written."""
UNIT_WORDS = frozenset(_OF_WORD)
"""All words for units, in lower case."""
_POWERS = {"square": 2, "cubic": 3}
_PER = frozenset({"per", "a", "an", "/"})


def unit_word(token: str) -> Unit | None:
    """The unit that a token names by itself, without a number; None for any other token."""
    return _OF_SHORT.get(token) or _OF_WORD.get(token.lower())


def behind_number(token: str) -> Unit | None:
    """The unit that a token names behind a number; None for any other token."""
    return _BEHIND_NUMBERS.get(token) or unit_word(token)


def _unit_phrase(tokens: list[str], at: int) -> tuple[Unit, int] | None:
    """The longest unit at a place behind a number, such as ``kilometres an hour``, and the place behind it."""
    words = [token.lower() for token in tokens[at : at + 2]]
    if words == ["per", "cent"]:
        return PERCENT, at + 2
    power = _POWERS.get(words[0], 1) if words else 1
    start = at if power == 1 else at + 1
    unit = behind_number(tokens[start]) if start < len(tokens) else None
    if unit is None or (power > 1 and unit.dimension != "length"):
        return None
    if power > 1:
        return Unit(
            "area" if power == 2 else "volume", unit.size**power * (1 if power == 2 else 1000)
        ), start + 1
    return _rate(unit, tokens, start + 1) or (unit, start + 1)


def _rate(unit: Unit, tokens: list[str], at: int) -> tuple[Unit, int] | None:
    """A unit per unit of time, or a scale of degrees; None if nothing of the kind follows."""
    if at >= len(tokens):
        return None
    if unit.dimension == "degree":
        scale = unit_word(tokens[at])
        return (scale, at + 1) if scale is not None and scale.dimension in {"celsius", "fahrenheit"} else None
    if unit.dimension != "length" or tokens[at].lower() not in _PER or at + 1 == len(tokens):
        return None
    time = behind_number(tokens[at + 1])
    if time is None or time.dimension != "time":
        return None
    return Unit("speed", unit.size / time.size), at + 2


# A number and a unit or a half of the day in one token: 5km, 20°C, £5m, 3pm.
_ATTACHED = re.compile(r"(US\$|[$€£¥₽])?(\d[\d.,:]*)(\D+)?")
_DIGIT = re.compile(r"\d")
_WORDS = UNIT_WORDS | WORDS | {"per"}


class Quantity(NamedTuple):
    """A place of a text and what it says.

    Attributes:
        start: Its first token.
        length: Number of its tokens.
        meaning: Equal where quantities are equal.
    """

    start: int
    length: int
    meaning: Meaning


def quantities(tokens: Sequence[str], numbers: Sequence[Number] | None = None) -> list[Quantity]:
    """All amounts with units, units alone, ordinal numbers, dates and times of a line, in order of their places.

    Numbers without a unit are not among them (`english_numbers`). A place may be part of another: of
    ``3 May 2021`` both ``3 May`` and the whole.

    Args:
        tokens: The line.
        numbers: Its `english_numbers`, where they are known.
    """
    split = [(part, at) for at, token in enumerate(tokens) for part in parts(token)]
    if not split:
        return []
    words = [part for part, _ in split]
    found = set()
    if numbers is None or len(words) > len(tokens):
        numbers = english_numbers(words)
    for start, size, meaning in _spans(words, numbers):
        first, last = split[start][1], split[start + size - 1][1]
        # Part of a token says nothing by itself.
        whole = (start == 0 or split[start - 1][1] != first) and (
            start + size == len(split) or split[start + size][1] != last
        )
        if whole:
            found.add(Quantity(first, last - first + 1, meaning))
    return (
        sorted(found, key=lambda one: (one.start, one.length, repr(one.meaning)))
        if len(found) > 1
        else [*found]
    )


def may_say(token: str) -> bool:
    """Whether a token can be the whole or a part of what `quantities` finds; false for the words that only join."""
    lower = token.lower()
    if lower in _WORDS or token in SHORT:
        return True
    if token.isalpha() or _DIGIT.search(token) is None:
        return False
    return len(parts(token)) > 1 or ordinal(token) is not None or bool(date_spans([token]))


def parts(token: str) -> list[str]:
    """The sign, the number and the unit of a token such as ``5km``; other tokens whole."""
    if _DIGIT.search(token) is None:
        return [token]
    match = _ATTACHED.fullmatch(token)
    if match is None:
        return [token]
    sign, number, unit = match.groups()
    if unit is not None and behind_number(unit) is None and unit.lower() not in HALVES:
        return [token]
    return [part for part in (sign, number, unit) if part]


def _spans(words: list[str], numbers: Sequence[Number]) -> Iterator[tuple[int, int, Meaning]]:
    yield from date_spans(words)
    for at, word in enumerate(words):
        value, unit = ordinal(word), unit_word(word)
        if value is not None:
            yield at, 1, ("ordinal", value)
        if unit is not None:
            yield at, 1, ("unit", *unit)
        if word.lower() == "per" and words[at + 1 : at + 2] in (["cent"], ["Cent"]):
            yield at, 2, ("unit", *PERCENT)
    for number in numbers:
        yield from _amounts(words, number)
    for at, word in enumerate(words):
        if word.lower() in {"one", "a", "an"}:
            # Alone it is not a number, but it is one of a unit.
            yield from _behind(words, Number(at, 1, Fraction(1)))


def _amounts(words: list[str], number: Number) -> Iterator[tuple[int, int, Meaning]]:
    yield from _behind(words, number)
    before = number.start - 1
    currency = behind_number(words[before]) if before >= 0 and words[before] in SIGNS else None
    if currency is not None:
        yield before, number.length + 1, _amount(number, currency)


def _behind(words: list[str], number: Number) -> Iterator[tuple[int, int, Meaning]]:
    behind = number.start + number.length
    phrase = _unit_phrase(words, behind)
    if phrase is not None:
        unit, after = phrase
        yield number.start, after - number.start, _amount(number, unit)


def _amount(number: Number, unit: Unit) -> Meaning:
    return ("amount", unit.dimension, number.value * unit.size)


_ZERO = Fraction(0)
_VALUES = {word: Fraction(value) for word, value in SMALL.items()}
NUMBER_WORDS = frozenset(SMALL.keys() | SIZES.keys())
"""All English words that can be a part of a number, but for those with a hyphen."""


def is_number_word(token: str) -> bool:
    """Whether an English word, in lower case, can be a part of a number: ``ten``, ``twenty-five``, ``million``."""
    return token in SIZES or (
        all(part in SMALL for part in _parts(token)) if "-" in token else token.lower() in SMALL
    )


def english_numbers(tokens: Sequence[str]) -> list[Number]:
    """The numbers in digits or English words, in their order."""
    parts = [(part, at) for at, token in enumerate(tokens) for part in _parts(token)]
    words = [part for part, _ in parts]
    found, at = [], 0
    while at < len(words):
        if words[at] not in SMALL and not words[at][:1].isdecimal():  # as most words are
            at += 1
            continue
        value, after = _phrase(words, at)
        if value is not None and not (after == at + 1 and words[at] == "one"):
            first, last = parts[at][1], parts[after - 1][1]
            found.append(Number(first, last - first + 1, value))
        at = max(after, at + 1)
    return found


def _parts(token: str) -> list[str]:
    """``twenty-five`` in two, all else whole, in lower case."""
    lower = token.lower()
    if "-" not in lower:
        return [lower]
    parts = lower.split("-")
    return parts if len(parts) == 2 and all(part in SMALL for part in parts) else [lower]


def _phrase(tokens: Sequence[str], at: int) -> tuple[Fraction | None, int]:
    """The value of the longest number that begins at a place, and the place behind it."""
    total = current = previous = _ZERO
    started = False
    while at < len(tokens):
        token = tokens[at]
        if token in SIZES and started:
            current *= SIZES[token]
            if SIZES[token] > 100:
                total, current = total + current, _ZERO
            previous = Fraction(SIZES[token])
        elif (value := _value(token)) is not None and (not started or _follows(previous, value, token)):
            current = current + value if started else value
            started, previous = True, value if token in SMALL else _ZERO
        elif not (
            token == "and"
            and previous == 100
            and any(_value(one) is not None for one in tokens[at + 1 : at + 2])
        ):
            break
        at += 1
    return ((total + current if total else current) if started else None), at


def _value(token: str) -> Fraction | None:
    """The value of a small number word or of digits."""
    return _VALUES[token] if token in _VALUES else digit_value(token)


def _follows(previous: Fraction, value: Fraction, token: str) -> bool:
    """Whether a number word continues a number: ``twenty five``, ``two hundred five``, ``two thousand five``."""
    if token not in SMALL:
        return False
    return previous >= 100 or (previous >= 20 and previous % 10 == 0 and 0 < value < 10)


READERS: Mapping[str, Callable[[Sequence[str]], list[Number]]] = {"en": english_numbers}
"""By language: from the tokens of a line to its numbers in digits and words, in their order."""
