"""Kernels that find words and phrases: close vectors, similar spellings, more rows than there was room for."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from pfsm.embeddings.vectors import cosine_table, unit_rows
from pfsm_kernels.strings.closeness import close_words
from pfsm_kernels.strings.matching import agreeing_blocks
from pfsm_kernels.strings.sharing import linked_phrases, tokens_sharing_keys
from pfsm_kernels.strings.spelling import LONGEST, similar_words

# Pairs with few rows stand before, between and behind those that outgrow what was there for them.
SIZES = [(1, 1), (40, 60), (0, 3), (2, 1), (70, 50), (90, 90), (1, 2)]
LEFT, RIGHT = (np.cumsum([0, *side]) for side in zip(*SIZES, strict=True))
ALL_EQUAL = np.zeros(LEFT[-1], np.int32), LEFT, np.zeros(RIGHT[-1], np.int32), RIGHT
EVERY_CELL = [
    [pair, i, 1, j, 1] for pair, (m, n) in enumerate(SIZES) for i, j in itertools.product(range(m), range(n))
]


def test_longer_blocks_of_equal_words() -> None:
    expected = [
        [pair, i, size, j, size]
        for pair, (m, n) in enumerate(SIZES)
        for i, j in itertools.product(range(m), range(n))
        for size in range(1, min(3, m - i, n - j) + 1)
    ]
    assert agreeing_blocks(*ALL_EQUAL, 3).tolist() == expected


def test_words_with_a_key_in_common_and_words_spelled_alike() -> None:
    keys = np.arange(2, dtype=np.int32)
    assert tokens_sharing_keys(*ALL_EQUAL, np.array([0, 2]), keys, 2).tolist() == EVERY_CELL
    rows, values = similar_words(*ALL_EQUAL, np.array([97, 98, 99], np.int32), np.array([0, 3]), 0.5)
    assert rows.tolist() == EVERY_CELL
    assert set(values.tolist()) == {1.0}


@pytest.mark.parametrize("nearest", [0, 1])
def test_close_words(nearest: int) -> None:
    rows, values = close_words(*ALL_EQUAL, np.array([[3, 4]], np.int16), 0.5, nearest)
    assert rows.tolist() == EVERY_CELL
    assert set(values.tolist()) == {1.0}


def test_nearest_of_words_that_outgrew_their_room() -> None:
    """Of many close words the nearest are kept, also in pairs that had to be begun again."""
    rows = np.array([[100, 0], [100, 1], [100, 20]], np.int16)
    right = np.array([k % 2 + 1 for n in (n for _, n in SIZES) for k in range(n)], np.int32)
    found, _ = close_words(*ALL_EQUAL[:2], right, RIGHT, rows, 0.5, 1)
    assert found.tolist() == [row for row in EVERY_CELL if row[3] % 2 == 0]


@pytest.mark.parametrize("others", [0, 5000])
def test_linked_phrases(others: int) -> None:
    """A phrase is linked to itself, and to so many that no line has: with many they are searched, not walked."""
    phrases = (
        np.array([[0, at, 1] for size in side for at in range(size)], np.int32)
        for side in zip(*SIZES, strict=True)
    )
    targets = np.arange(1 + others, dtype=np.int32)
    starts = np.array([0, targets.size] + [targets.size] * others, np.int32)
    left, right = phrases
    rows, links = linked_phrases(left, LEFT, right, RIGHT, starts, targets)
    assert sorted(rows.tolist()) == EVERY_CELL
    assert set(links.tolist()) == {0}


RNG = np.random.default_rng(7)
# With few directions many words are equally near.
ROWS = np.concatenate(
    [unit_rows(RNG.integers(-2, 3, (40, 3)).astype(np.float64)), np.zeros((1, 3), np.int16)]
)
OUR_ENDS, THEIR_ENDS = np.array([0, 9, 9, 20, 21]), np.array([0, 7, 12, 12, 25])
OURS, THEIRS = (RNG.integers(0, 41, size).astype(np.int32) for size in (21, 25))


@pytest.mark.parametrize("nearest", [0, 1, 2, 50])
@pytest.mark.parametrize("minimum", [0.3, 1.0])
def test_close_words_are_those_of_the_table(minimum: float, nearest: int) -> None:
    expected = []
    for pair in range(4):
        table = cosine_table(
            ROWS[OURS[OUR_ENDS[pair] : OUR_ENDS[pair + 1]]],
            ROWS[THEIRS[THEIR_ENDS[pair] : THEIR_ENDS[pair + 1]]],
        )
        for (i, j), value in np.ndenumerate(table):
            nearer = [np.sum(table[i] > value), np.sum(table[:, j] > value)]
            if value >= minimum and (not nearest or max(nearer) < nearest):
                expected.append(((pair, i, 1, j, 1), value))
    blocks, values = close_words(OURS, OUR_ENDS, THEIRS, THEIR_ENDS, ROWS, minimum, nearest)
    assert list(zip(map(tuple, blocks.tolist()), values.tolist(), strict=True)) == expected
    assert expected


def test_cosines_at_the_minimum_count() -> None:
    # 3 4 5: the cosine of (3, 4) and (5, 0) is .6 to the last bit, and so is that of (-3, -4) and (-5, 0).
    rows = np.array([[3, 4], [5, 0], [-3, -4]], np.int16)
    one = np.array([0, 1])
    for left, right, minimum, found in (
        (0, 1, 0.6, [0.6]),
        (0, 1, np.nextafter(0.6, 1.0), []),
        (2, 1, 0.6, []),
    ):
        sides = np.full(1, left, np.int32), one, np.full(1, right, np.int32), one
        assert close_words(*sides, rows, minimum, 1)[1].tolist() == found


Sentences = list[list[str]]
# Few letters, so that words are alike; one beyond 16 bits, one that differs from another in its highest bit alone.
LETTERS = "abcdé\U0001f600\U0001f601ж"
words = st.text(LETTERS, min_size=1, max_size=9) | st.text("ab", min_size=60, max_size=LONGEST)
sentences = st.lists(words | st.just(""), max_size=6)
pairs_of_sentences = st.lists(st.tuples(sentences, sentences), max_size=4)
minimums = st.integers(1, 12).map(lambda part: part / 12) | st.sampled_from([0.3, 0.5, 0.6, 0.7, 0.8, 1.0])

Found = dict[tuple[int, ...], float]


def run(pairs: list[tuple[list[str], list[str]]], minimum: float) -> tuple[Found, list[list[int]]]:
    """What the kernel finds, by place, and its rows in their order; an empty word can match nothing."""
    vocabulary = sorted({word for pair in pairs for side in pair for word in side if word})
    spelled = np.array([ord(character) for word in vocabulary for character in word], dtype=np.int32)
    starts = np.cumsum([0, *map(len, vocabulary)], dtype=np.int64)
    arrays = []
    for side in (0, 1):
        tokens = [vocabulary.index(word) if word else -1 for pair in pairs for word in pair[side]]
        offsets = np.cumsum([0, *(len(pair[side]) for pair in pairs)], dtype=np.int64)
        arrays.append((np.array(tokens, dtype=np.int32), offsets))
    blocks, values = similar_words(*arrays[0], *arrays[1], spelled, starts, minimum)
    assert blocks.dtype == np.dtype(np.int32)
    assert values.dtype == np.dtype(np.float64)
    rows = blocks.tolist()
    found = dict(zip(map(tuple, rows), values.tolist(), strict=True))
    assert len(found) == len(rows)
    return found, rows


@settings(deadline=None)
@given(pairs_of_sentences, minimums)
@example([(["a" * 64], ["a" * 63 + "b", "b" * 64, "a" * 32, "a" * 31])], 0.5)
@example([([""], [""]), (["ab", "", "ba"], ["", "ab"])], 0.1)
def test_the_words_that_rapidfuzz_finds_similar(
    pairs: list[tuple[list[str], list[str]]], minimum: float
) -> None:
    expected = {}
    for number, (left, right) in enumerate(pairs):
        for i, one in enumerate(left):
            for j, other in enumerate(right):
                if not (one and other):
                    continue
                length = max(len(one), len(other))
                similarity = Fraction(length - Levenshtein.distance(one, other), length)
                # As the kernel rounds it: 0.6 is reached by 3 of 5.
                if float(similarity) >= minimum:
                    expected[number, i, 1, j, 1] = float(similarity)
    found, rows = run(pairs, minimum)
    assert found == expected
    assert rows == sorted(rows)
