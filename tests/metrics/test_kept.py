"""What translations keep: counts of differences, by hand and against plain counts of tokens."""

import dataclasses
import itertools
import math
import random
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from pfsm.english import facts
from pfsm.english import quantities as units
from pfsm.english.facts import contradictions, runs
from pfsm.english.numbers import english_numbers
from pfsm.english.preservation import chunk_table
from pfsm.english.preservation import differences as lines
from pfsm.english.preservation.chunk_table import KIND_BIT, NO_WORD, WORD_BITS, ChunkTable
from pfsm.english.preservation.differences import (
    KEPT,
    LineCounts,
    counts_of,
    differences,
    in_chunks,
    read_lines,
    runs_of,
)
from pfsm.text.classes import normal_form, shipped_lists
from pfsm.text.numbers import digit_numbers
from pfsm.text.plain import chunk_tokens, tokenise


def counted(hypothesis: str, reference: str) -> dict[str, float]:
    return {name: -float(differences(name, [hypothesis], [reference])[name][0]) for name in KEPT}


@pytest.mark.parametrize(
    ("hypothesis", "reference", "counts"),
    [
        ("We we saw it", "We saw it", {"repeats": 1}),
        ("and/or or", "and/or", {"repeats": 1}),
        ("It was long, long ago", "It was ago", {}),
        ("It was long long ago", "It was long long ago", {}),
        ("we saw Anna", "We saw Anna", {"case": 1, "start": 1}),
        ("WE SAW ANNA", "We saw Anna", {"case": 3}),
        ("1,500 people", "1500 people", {}),
        ("1,500 people", "1600 people", {"numbers": 2, "numbers-en": 2, "facts-en": 1}),
        ("two dogs", "2 dogs", {"numbers": 1}),
        ("two miles", "2 km", {"numbers": 1, "facts-en": 1}),
        ("at noon in May", "at midnight in June", {"facts-en": 2}),
        ("It is late", "It isn’t late", {"negation-en": 1}),
        ("It is not late", "It isn't late", {}),
        ("So , yes .", "So, yes.", {"spaces": math.log(3)}),
        ("We ca n't ( yet ) , it 's so", "We can't (yet), it's so", {"spaces": math.log(6)}),
        ("a third : .5", "a third: .5", {"spaces": math.log(2)}),
        ("She left,he (too)came.Then:go", "She left, he (too) came. Then: go", {"spaces": math.log(5)}),
        ("So , yes,no", "So, yes, no", {"spaces": math.log(3)}),
        (
            "&quot;The AT&amp;T men&quot; came;we went",
            "&quot; The AT&amp; T men&quot; came; we went",
            {"spaces": math.log(2)},
        ),
        ("at half.com in the U.S.A.", "at half. com in the U. S. A.", {}),
        ("“ja, so” it is", "“Ja, so” it is", {"case": 1, "start": 1}),
        ("夜は静か", "Nacht", {}),
        ("", "", {}),
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
    "the",
    "The",
    "river,",
    "river",
    "not",
    "don’t",
    "twenty",
    "five",
    "5",
    "1,000",
    "million",
    "one",
    "x-x",
]
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


def test_facts_of_many_lines_are_those_of_each() -> None:
    draw = random.Random(2)
    words = [
        "in",
        "May",
        "June,",
        "5",
        "5km.",
        "3",
        "km",
        "miles;",
        "and",
        "$",
        "(two)",
        "not",
        "a",
        "hour",
        "\0",
        "",
    ]
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


def test_counts_of_lines_are_remembered_as_they_were(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = random.Random(3)
    some = [
        " ".join(draw.choice([*WORDS, *ODD, ".", "¿"]) for _ in range(draw.randint(0, 9))) for _ in range(90)
    ]
    some += ["a a " * 400, ", " * 2000, "5 " * 511 + "5", "x" * 1024]
    expected, all_said = counts_of(in_chunks(some)), runs_of(in_chunks(some))
    for most in (50, 1000):
        monkeypatch.setattr(lines, "_known", {})
        monkeypatch.setattr(lines, "_MOST_LINES", most)
        for part in (some[:60], some[40:], some, some[::-1][:0], some):
            found, said = read_lines(part)
            at = [some.index(line) for line in part]
            for field in dataclasses.fields(LineCounts):
                one, other = getattr(found, field.name), getattr(expected, field.name)[at]
                assert one.tolist() == other.tolist()
            assert said == [all_said[line] for line in at]
            assert len(lines._known) <= most + len(some)
        assert not any(len(line) > 1023 for line in lines._known)


def test_a_word_and_a_mark_have_what_their_tokens_have() -> None:
    words = [
        "cat",
        "The",
        "one",
        "Not",
        "twenty",
        "hundred",
        "hundredth",
        "Jan",
        "oz",
        "km",
        "KM",
        "May",
        "in",
    ]
    words += [word for word in sorted(facts._KINDS) if word.isascii() and word.isalpha()]
    words += [word.rstrip(".") for word in sorted(units.SHORT | facts._WORDS) if word.rstrip(".").isalpha()]
    for word in dict.fromkeys(words):
        for mark in ".,;:!?":
            chunk, table = word + mark, ChunkTable()
            packed, tokens = table[chunk], [token.lower() for token in chunk_tokens(chunk)]
            counts = chunk_table._counts(chunk, tokens)
            flags = 1 | any(counts) << 1 | facts.chunk_kind(chunk) << KIND_BIT
            assert packed >> 2 * WORD_BITS == flags, chunk
            assert table.counts.get(chunk, (0,) * 6) == counts, chunk
            assert packed & NO_WORD == table[word] & NO_WORD, chunk
            assert packed >> WORD_BITS & NO_WORD == NO_WORD, chunk
