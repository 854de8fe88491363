"""Blocks that are found several times, against a dictionary."""

import numpy as np
import pytest

from pfsm_kernels.lattice.once import each_once


def test_every_row_stays_once_with_its_largest_value() -> None:
    draw = np.random.default_rng(5)
    for size, n_pairs, largest in ((0, 3, 1), (1, 1, 1), (40, 3, 2), (500, 9, 3), (2000, 1, 40)):
        sides = draw.integers(0, largest + 1, (size, 4))
        rows = np.column_stack([draw.integers(0, n_pairs, size), sides]).astype(np.int32)
        values = draw.random(size).astype(np.float32)
        expected: dict[tuple[int, ...], float] = {}
        for (pair, i, p, j, q), value in zip(rows.tolist(), values.tolist(), strict=True):
            expected[pair, i, j, p, q] = max(value, expected.get((pair, i, j, p, q), 0.0))
        found, best = each_once(rows, values, n_pairs)
        assert found[:, [0, 1, 3, 2, 4]].tolist() == [list(row) for row in sorted(expected)]
        assert best.tolist() == [expected[row] for row in sorted(expected)]


def test_rows_of_no_pair_and_missing_values_are_refused() -> None:
    rows = np.array([[1, 0, 1, 0, 1]], dtype=np.int32)
    with pytest.raises(ValueError, match="value"):
        each_once(rows, np.ones(2, dtype=np.float32), 2)
    for n_pairs, row in ((1, rows), (2, -rows)):
        with pytest.raises(ValueError, match="no pair"):
            each_once(row, np.ones(1, dtype=np.float32), n_pairs)
