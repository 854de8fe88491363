"""Words with close vectors, against a table of cosines that NumPy computes."""

import numpy as np
import pytest

from pfsm.embeddings.vectors import cosine_table, unit_rows
from pfsm_kernels.strings.closeness import close_words

RNG = np.random.default_rng(7)
# With few directions many words are equally near.
ROWS = np.concatenate(
    [unit_rows(RNG.integers(-2, 3, (40, 3)).astype(np.float64)), np.zeros((1, 3), np.int16)]
)
LEFT_OFFSETS, RIGHT_OFFSETS = np.array([0, 9, 9, 20, 21]), np.array([0, 7, 12, 12, 25])
LEFT, RIGHT = (RNG.integers(0, 41, size).astype(np.int32) for size in (21, 25))


@pytest.mark.parametrize("nearest", [0, 1, 2, 50])
@pytest.mark.parametrize("minimum", [0.3, 1.0])
def test_close_words_are_those_of_the_table(minimum: float, nearest: int) -> None:
    expected = []
    for pair in range(4):
        table = cosine_table(
            ROWS[LEFT[LEFT_OFFSETS[pair] : LEFT_OFFSETS[pair + 1]]],
            ROWS[RIGHT[RIGHT_OFFSETS[pair] : RIGHT_OFFSETS[pair + 1]]],
        )
        for (i, j), value in np.ndenumerate(table):
            nearer = [np.sum(table[i] > value), np.sum(table[:, j] > value)]
            if value >= minimum and (not nearest or max(nearer) < nearest):
                expected.append(((pair, i, 1, j, 1), value))
    blocks, values = close_words(LEFT, LEFT_OFFSETS, RIGHT, RIGHT_OFFSETS, ROWS, minimum, nearest)
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
