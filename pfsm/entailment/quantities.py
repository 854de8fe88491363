"""Numbers in a line by their values: 2.5 million is 2,500,000, and twenty-five is 25."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

_UNITS = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine",
    "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
]  # fmt: skip
_TENS = [
    "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety",
]  # fmt: skip
_ORDINALS = [
    "zeroth", "first", "second", "third", "fourth", "fifth", "sixth", "seventh",
    "eighth", "ninth", "tenth", "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth",
    "sixteenth", "seventeenth", "eighteenth", "nineteenth",
]  # fmt: skip
_SMALL = {
    **{word: value for value, word in enumerate(_UNITS)},
    **{word: value for value, word in enumerate(_ORDINALS)},
    **{word: 10 * value for value, word in enumerate(_TENS, 2)},
    **{f"{word[:-1]}ieth": 10 * value for value, word in enumerate(_TENS, 2)},
}
_HUNDRED = {"hundred": 100, "dozen": 12}
_LARGE = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
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
