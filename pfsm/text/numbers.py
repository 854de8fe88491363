"""Values of numbers in digits of any script, so that ``1,000`` and ``1000`` are equal.

Digits may have separators of thousands or decimals.
"""

import re
import unicodedata
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

_GROUPED = re.compile(r"(\d{1,3})((?:[,.]\d{3})+)(?:[,.](\d+))?")
_DECIMAL = re.compile(r"(\d+)[,.](\d+)")
# Longer ones are codes; a limit keeps the work small.
_LONGEST = 40


def digit_value(token: str) -> Fraction | None:
    """The value of a number in digits; None for any other token.

    Groups of three digits behind one and the same separator are thousands; any other separator is that of decimals.
    """
    if not token[:1].isdecimal() or len(token) > _LONGEST:
        return None
    text = token
    if not token.isascii():
        text = "".join(str(unicodedata.decimal(character, character)) for character in token)
    if text.isdecimal():
        return Fraction(int(text))
    grouped = _GROUPED.fullmatch(text)
    if grouped is not None and _is_one_separator(grouped[2], text):
        whole = grouped[1] + grouped[2].replace(",", "").replace(".", "")
        return Fraction(f"{whole}.{grouped[3] or 0}")
    decimal = _DECIMAL.fullmatch(text)
    return None if decimal is None else Fraction(f"{decimal[1]}.{decimal[2]}")


def _is_one_separator(groups: str, text: str) -> bool:
    """Whether the groups have one separator, and what follows them another."""
    marks = set(groups) - set("0123456789")
    rest = text[text.index(groups) + len(groups) :]
    return len(marks) == 1 and not rest.startswith(tuple(marks))


class Number(NamedTuple):
    """A number in a text.

    Attributes:
        start: Its first token.
        length: Number of its tokens.
        value: Its value.
    """

    start: int
    length: int
    value: Fraction


def digit_numbers(tokens: Sequence[str]) -> list[Number]:
    """The numbers in digits, one token each, in their order."""
    return [
        Number(at, 1, value) for at, token in enumerate(tokens) if (value := digit_value(token)) is not None
    ]
