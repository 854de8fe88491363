"""The matchers of numbers, and of amounts and dates, that say the same, written otherwise."""

import random

import pytest

from pfsm.facts.quantities import quantities
from pfsm.matchers.number import NumberMatcher, QuantityMatcher
from tests.core.matchers.test_spelling import encoded


def matched(
    reference: str, hypothesis: str, matcher: NumberMatcher | QuantityMatcher
) -> set[tuple[str, str]]:
    pairs = encoded([reference], [hypothesis], tokeniser="penn", stemmer="none")
    left, right = (pairs.vocabulary.tokens(line) for line in (reference, hypothesis))
    blocks = matcher.offers(pairs).blocks.tolist()
    return {(" ".join(left[i : i + p]), " ".join(right[j : j + q])) for _, i, p, j, q in blocks}


@pytest.mark.parametrize(
    ("reference", "hypothesis", "found"),
    [
        ("He paid $5 million.", "He paid five million dollars.",
         {("$ 5 million", "five million dollars"), ("$", "dollars")}),
        ("5% of 10 km", "five percent of 10,000 metres", {("5 %", "five percent"), ("%", "percent"),
                                                          ("10 km", "10,000 metres")}),
        ("on 3 May 2021", "on May 3rd, 2021", {("3 May 2021", "May 3rd , 2021"), ("3 May", "May 3rd")}),
        ("in the 21st century", "in the twenty-first century", {("21st", "twenty-first")}),
        ("We met at 3 p.m. on Fri. again", "We met at 15:00 on Friday again",
         {("3 p.m.", "15:00"), ("Fri.", "Friday")}),
        ("ten metres", "ten metres", set()),
        ("ten metres", "Ten meters", {("ten metres", "Ten meters"), ("metres", "meters")}),
        ("ten metres", "ten miles", set()),
    ],
)  # fmt: skip
def test_equal_meanings(reference: str, hypothesis: str, found: set[tuple[str, str]]) -> None:
    assert matched(reference, hypothesis, QuantityMatcher(5)) == found
    assert matched(hypothesis, reference, QuantityMatcher(5)) == {(other, one) for one, other in found}


@pytest.mark.parametrize(
    ("reference", "hypothesis", "found"),
    [
        ("about 1,000 boats", "one thousand boats", {("1,000", "one thousand")}),
        ("2 million and 5", "2,000,000 and five", {("2 million", "2,000,000"), ("5", "five")}),
        ("twenty-five", "25", {("twenty-five", "25")}),
        # What is written alike is for other matchers; capitals make no difference.
        ("Two million people", "two million people", set()),
        ("one of them", "1 of them", set()),
    ],
)
def test_numbers(reference: str, hypothesis: str, found: set[tuple[str, str]]) -> None:
    assert matched(reference, hypothesis, NumberMatcher(4, "en")) == found
    assert matched(hypothesis, reference, NumberMatcher(4, "en")) == {(other, one) for one, other in found}


def test_long_places_need_room_and_other_languages_have_digits_alone() -> None:
    assert matched("$5 million", "five million dollars", QuantityMatcher(2)) == {("$", "dollars")}
    assert matched("one thousand", "1000", NumberMatcher(1, "en")) == set()
    assert matched("three", "3", NumberMatcher(4, "none")) == set()
    assert matched("1.000", "1000", NumberMatcher(4, "none")) == {("1.000", "1000")}


def test_any_lines_have_the_places_that_they_have_alone() -> None:
    """Only runs of tokens that can say something are read; what lies outside of them makes no difference."""
    draw = random.Random(5)
    text = (
        "in May 5 km kilometres and $ dollars a hundred hour h 2016 one 1 two million x noon midday of Monday Mon. per "
        "cent % percent 5% 3rd third m square , the twenty-five p.m. 12 5km"
    )
    words = text.split()
    sides = [[" ".join(draw.choices(words, k=draw.randint(0, 9))) for _ in range(500)] for _ in range(2)]
    pairs = encoded(*sides, tokeniser="penn", stemmer="none")
    expected = []
    for pair, both in enumerate(zip(*sides, strict=True)):
        left, right = (pairs.vocabulary.tokens(line) for line in both)
        expected += [
            [pair, one.start, one.length, other.start, other.length]
            for one in quantities(left)
            for other in quantities(right)
            if one.meaning == other.meaning
            and [word.lower() for word in left[one.start : one.start + one.length]]
            != [word.lower() for word in right[other.start : other.start + other.length]]
        ]
    found = QuantityMatcher(9).offers(pairs).blocks.tolist()
    assert found == [list(row) for row in sorted(set(map(tuple, expected)))]
    assert len(found) > 60
