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
LEFT, RIGHT = RNG.integers(0, 41, 21), RNG.integers(0, 41, 25)


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


def test_what_does_not_fit_is_refused() -> None:
    empty = np.zeros(2, dtype=np.int64)
    for rows, minimum, nearest, left, message in (
        (ROWS, 0.0, 0, LEFT[:0], "minimum must be"),
        (ROWS, 0.5, -1, LEFT[:0], "minimum must be"),
        (ROWS, 0.5, 0, LEFT[:1], "offsets do not end"),
        (np.full((1, 3), -32768, np.int16), 0.5, 0, LEFT[:0], "too long"),
    ):
        with pytest.raises(ValueError, match=message):
            close_words(left, empty, RIGHT[:0], empty, rows, minimum, nearest)
    with pytest.raises(ValueError, match="no row"):
        close_words(np.array([41]), np.array([0, 1]), RIGHT[:0], empty, ROWS, 0.5, 0)
