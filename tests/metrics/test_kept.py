"""What translations keep: counts of differences, by hand and against plain counts of tokens."""

import itertools
import math
import random
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from pfsm.english.facts import contradictions, runs
from pfsm.english.numbers import english_numbers
from pfsm.english.preservation import KEPT, differences
from pfsm.text.classes import normal_form, shipped_lists
from pfsm.text.numbers import digit_numbers
from pfsm.text.plain import tokenise


def counted(hypothesis: str, reference: str) -> dict[str, float]:
    return {name: -float(differences(name, [hypothesis], [reference])[name][0]) for name in KEPT}


@pytest.mark.parametrize(
    ("hypothesis", "reference", "counts"),
    [
        ("We we saw it", "We saw it", {"repeats": 1}),
        ("and/or or", "and/or", {"repeats": 1}),
        ("It was long long ago", "It was long long ago", {}),
        ("we saw Anna", "We saw Anna", {"case": 1, "start": 1}),
        ("1,500 people", "1500 people", {}),
        ("1,500 people", "1600 people", {"numbers": 2, "numbers-en": 2, "facts-en": 1, "said-en": 1}),
        ("two miles", "2 km", {"numbers": 1, "facts-en": 1, "said-en": 1}),
        ("at noon in May", "at midnight in June", {"facts-en": 2, "said-en": 2}),
        ("It is late", "It isn’t late", {"negation-en": 1}),
        ("So , yes .", "So, yes.", {"spaces": math.log(3)}),
        ("We ca n't ( yet ) , it 's so", "We can't (yet), it's so", {"spaces": math.log(6)}),
        ("She left,he (too)came.Then:go", "She left, he (too) came. Then: go", {"spaces": math.log(5)}),
        (
            "&quot;The AT&amp;T men&quot; came;we went",
            "&quot; The AT&amp; T men&quot; came; we went",
            {"spaces": math.log(2)},
        ),
        ("at half.com in the U.S.A.", "at half. com in the U. S. A.", {}),
        ("“ja, so” it is", "“Ja, so” it is", {"case": 1, "start": 1}),
        ("夜は静か", "Nacht", {}),
    ],
)
def test_counts(hypothesis: str, reference: str, counts: dict[str, float]) -> None:
    expected = dict.fromkeys(KEPT, 0.0) | {f"kept.{name}": float(value) for name, value in counts.items()}
    assert counted(hypothesis, reference) == pytest.approx(expected)


def repeats(tokens: list[str]) -> int:
    words = [token.lower() for token in tokens]
    return sum(one == two and any(map(str.isalpha, one)) for one, two in itertools.pairwise(words))


def plainly(hypothesis: str, reference: str) -> list[float]:
    """The counts from whole lists of tokens."""
    ours, theirs = tokenise(hypothesis), tokenise(reference)
    negating = set(shipped_lists("en")["negation"])

    def unshared(left: Counter[Fraction], right: Counter[Fraction]) -> int:
        return ((left - right) + (right - left)).total()

    lower = [Counter(token.lower() for token in side) for side in (ours, theirs)]
    return [
        max(0, repeats(ours) - repeats(theirs)),
        (lower[0] & lower[1]).total() - (Counter(ours) & Counter(theirs)).total(),
        *(
            unshared(*(Counter(one.value for one in numbers(side)) for side in (ours, theirs)))
            for numbers in (digit_numbers, english_numbers)
        ),
        abs(
            sum(normal_form(token) in negating for token in ours)
            - sum(normal_form(token) in negating for token in theirs)
        ),
    ]


WORDS = [
    "the", "The", "river,", "river", "not", "don’t", "twenty", "five", "5", "1,000", "million", "one",
    "x-x",
]  # fmt: skip
ODD = ["", "\0", "a\0b", "\u200b", "\t", "夜夜", "--", "and/or", "or", "\u3000"]


def test_many_lines_at_once_are_counted_as_their_tokens_are() -> None:
    draw = random.Random(1)
    sides = [
        [" ".join(draw.choice(WORDS + ODD) for _ in range(draw.randint(0, 9))) for _ in range(400)]
        for _ in range(2)
    ]
    found = np.column_stack([differences(name, *sides)[name] for name in KEPT[:5]])
    assert (-found).tolist() == [plainly(*pair) for pair in zip(*sides, strict=True)]
    assert (found < 0.0).any(axis=0).all()


def test_what_is_said_in_another_spelling() -> None:
    same = {
        "costs 16 990 euros": "costs 16,990 euros",
        "at 7: 30 p.m. on Friday evening": "at 7.30pm on Friday night",
        "228,89 points, to 16 599,85": "228.89 points, to 16,599.85",
        "720.000 people of 150 000-200 000": "720,000 people of 150,000 to 200,000",
        "£46.6m and 1.5 bln roubles at 20 ° C": "£46.6 million and 1.5 billion roubles at 20 °C",
    }
    other = {
        "costs 16 980 euros": "costs 16,990 euros",
        "at 7: 20 p.m.": "at 7.30pm",
    }
    for ours, theirs in same.items():
        assert counted(ours, theirs)["kept.said-en"] == 0.0 < counted(ours, theirs)["kept.facts-en"], ours
    for ours, theirs in other.items():
        assert counted(ours, theirs)["kept.said-en"] >= 1.0, ours


def test_facts_of_many_lines_are_those_of_each() -> None:
    draw = random.Random(2)
    words = [
        "in", "May", "June,", "5", "5km.", "3", "km", "miles;", "and", "$", "(two)", "not", "a", "hour",
        "\0", "",
    ]  # fmt: skip
    sides = [
        [" ".join(draw.choice(words) for _ in range(draw.randint(0, 9))) for _ in range(400)]
        for _ in range(2)
    ]
    found = differences("kept.facts-en", *sides)
    bare = [[line.replace("\0", " ") for line in side] for side in sides]
    expected = [contradictions(runs(one), runs(other)) for one, other in zip(*bare, strict=True)]
    assert (-found["kept.facts-en"]).tolist() == expected
    assert sum(expected) > 50
    assert found["kept.spaces"].tolist() == differences("kept.spaces", *sides)["kept.spaces"].tolist()
