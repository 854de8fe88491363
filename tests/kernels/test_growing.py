"""Kernels that find more rows than they had room for, within a pair and beside others: every row once, in its place."""

import itertools

import numpy as np
import pytest

from pfsm_kernels.strings.closeness import close_words
from pfsm_kernels.strings.matching import agreeing_blocks
from pfsm_kernels.strings.sharing import linked_phrases, tokens_sharing_keys
from pfsm_kernels.strings.spelling import similar_words

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
