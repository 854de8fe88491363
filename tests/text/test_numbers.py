"""Values of numbers, by hand."""

from fractions import Fraction

import pytest

from pfsm.english.numbers import english_numbers
from pfsm.text.numbers import digit_value


@pytest.mark.parametrize(
    ("token", "value"),
    [
        ("1000", 1000), ("1,000", 1000), ("1.000", 1000), ("1,000,000", 10**6), ("1,000.5", Fraction(2001, 2)),
        ("1.000,5", Fraction(2001, 2)), ("2.5", Fraction(5, 2)), ("2,5", Fraction(5, 2)), ("10,00", 10), ("007", 7),
        ("१०००", 1000), ("٣", 3), ("1,000,5", None), ("1,00,000", None), ("G20", None), ("20th", None), ("", None),
        ("3.10.1990", None), ("²", None), ("5" * 50, None),
    ],
)  # fmt: skip
def test_digits(token: str, value: int | Fraction | None) -> None:
    assert digit_value(token) == value


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("one thousand", [1000]), ("twenty-five", [25]), ("twenty five", [25]), ("two hundred and five", [205]),
        ("two hundred", [200]), ("2 million", [2 * 10**6]), ("2.5 million", [2_500_000]), ("Three", [3]),
        ("one of them", []), ("three million two hundred thousand and", [3_200_000]), ("five six", [5, 6]),
        ("2 3", [2, 3]), ("one hundred and twenty-five thousand", [125_000]), ("a million", []),
        ("ten and five", [10, 5]),
        ("hundred and", []), ("20 five", [20, 5]),
    ],
)  # fmt: skip
def test_english_numbers(text: str, values: list[int]) -> None:
    assert [one.value for one in english_numbers(text.split())] == values
