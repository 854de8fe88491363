"""Values of the numbers in an English text, so that ``1,000``, ``1000`` and ``one thousand`` are equal.

A number is written in digits (`pfsm.text.numbers`) or in English words. A word such
as ``million`` multiplies the number before it. ``One`` alone is not a number, because it is usually a pronoun.
"""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from pfsm.facts.tables import SIZES, SMALL
from pfsm.text.numbers import Number, digit_value

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
