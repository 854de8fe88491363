"""Numbers, amounts, dates and times of day: what they say, by hand, and pairs that say the same."""

import random
from collections import Counter
from fractions import Fraction

import pytest

from pfsm.facts.contrasts import contradictions, runs
from pfsm.facts.dates import Meaning
from pfsm.facts.quantities import english_numbers, quantities
from pfsm.text.numbers import digit_value


def said(text: str) -> dict[str, Meaning]:
    """What the places of a line say, by their text; of two readings the last."""
    tokens = text.split()
    return {
        " ".join(tokens[one.start : one.start + one.length]): one.meaning
        for one in sorted(quantities(tokens), key=lambda one: one.length)
    }


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("$ 5 million", ("amount", "dollar", Fraction(5_000_000))),
        ("1,000 m", ("amount", "length", Fraction(1000))),
        ("a mile", ("amount", "length", Fraction("1609.344"))),
        ("110 km/h", ("amount", "speed", Fraction(110 * 5, 18))),
        ("ten square metres", ("amount", "area", Fraction(10))),
        ("2 weeks", ("amount", "time", Fraction(14 * 86400))),
        ("two years", ("amount", "months", Fraction(24))),
        ("5%", ("amount", "percent", Fraction(5))),
        ("kilometers", ("unit", "length", Fraction(1000))),
        ("21st", ("ordinal", 21)),
        ("3 May 2021", ("date", 2021, 5, 3)),
        ("May 3rd , 2021", ("date", 2021, 5, 3)),
        ("2021-05-03", ("date", 2021, 5, 3)),
        ("5/13/2021", ("date", 2021, 5, 13)),
        ("June 1999", ("date", 1999, 6, None)),
        ("Wednesday", ("weekday", 2)),
        ("3 p.m.", ("time", 900)),
        ("15:00", ("time", 900)),
        ("noon", ("time", 720)),
    ],
)
def test_what_a_place_says(text: str, meaning: Meaning) -> None:
    assert said(text)[text] == meaning
    assert said(f"it was {text} there")[text] == meaning


@pytest.mark.parametrize(
    "text", ["he may march", "5 m.p", "m s g", "5/6/2021", "13:75", "one of them", "wednesday", "25 pm", ""]
)
def test_what_says_nothing(text: str) -> None:
    assert said(text) == {}


def against(ours: str, theirs: str) -> int:
    count = contradictions(runs(ours), runs(theirs))
    assert contradictions(runs(theirs), runs(ours)) == count
    return count


@pytest.mark.parametrize(
    ("ours", "theirs", "count"),
    [
        ("It is 3 km away.", "It is 3 miles away.", 1),
        ("It is 3 km away.", "It is 3,000 metres away.", 0),
        ("He has 420 sheep and 3 dogs.", "He has 421 sheep and 4 dogs.", 2),
        ("They met on 3 May 1992.", "They met on 3 June 1992.", 1),
        ("They met on Monday at noon.", "They met on Tuesday at midnight.", 2),
        ("It costs $5 million.", "It costs €5 million.", 1),
        ("They came third in spring.", "They came fourth in autumn.", 2),
        ("", "In 1992.", 0),
    ],
)
def test_what_stands_against_each_other(ours: str, theirs: str, count: int) -> None:
    assert against(ours, theirs) == count


def plainly(ours: tuple[tuple[str, ...], ...], theirs: tuple[tuple[str, ...], ...]) -> int:
    """The same by definition, with nothing remembered and no case apart."""
    left, right = list(ours), list(theirs)
    for run in ours:
        if run in right:
            left.remove(run)
            right.remove(run)
    free = [[[True] * len(run) for run in side] for side in (left, right)]
    said = [
        [
            (number, start, start + length, meaning)
            for number, run in enumerate(side)
            for start, length, meaning in [
                *quantities(run),
                *((one.start, one.length, ("number", one.value)) for one in english_numbers(run)),
            ]
        ]
        for side in (left, right)
    ]
    for number, start, stop, meaning in sorted(said[0], key=lambda one: one[1] - one[2]):
        for other, first, last, same in said[1]:
            if meaning == same and all(free[0][number][start:stop]) and all(free[1][other][first:last]):
                free[0][number][start:stop] = [False] * (stop - start)
                free[1][other][first:last] = [False] * (last - first)
    facts: list[Counter[tuple[str, object]]] = [Counter(), Counter()]
    for side in range(2):
        for number, start, stop, said_there in said[side]:
            kind, *parts = said_there
            is_month = kind == "date" and parts[0] is None and parts[2] is None
            is_part = kind in {"number", "unit", "ordinal", "weekday", "time"} or (
                kind == "date" and stop - start == 1
            )
            if all(free[side][number][start:stop]) and (is_month or is_part):
                facts[side]["month" if is_month else str(kind), str(parts)] += 1
    alone = facts[0] - facts[1], facts[1] - facts[0]
    groups = [Counter(group for group, _ in one.elements()) for one in alone]
    return (groups[0] & groups[1]).total()


def test_counts_are_those_of_the_definition() -> None:
    draw = random.Random(4)
    words = ["in", "May", "June", "5", "3", "km", "miles", "and", "$", "a", "hour", "2016", "second", "third", "two",
             "million", "x", "noon", "1,000", "of", "Monday", "per", "cent", "%", "one", "m"]  # fmt: skip
    total = 0
    for _ in range(1000):
        ours, theirs = (runs(" ".join(draw.choices(words, k=draw.randint(1, 8)))) for _ in range(2))
        total += (count := plainly(ours, theirs))
        assert contradictions(ours, theirs) == count, (ours, theirs)
    assert total > 250


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
