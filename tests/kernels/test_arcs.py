"""Rows of offers kept once, against a dictionary."""

import numpy as np

from pfsm_kernels.lattice.lattices import each_once


def test_every_row_stays_once_with_its_largest_value() -> None:
    draw = np.random.default_rng(5)
    # The last rows do not fit into one number.
    sizes = (0, 3, 1), (1, 1, 1), (40, 3, 2), (500, 9, 3), (2000, 1, 40), (400, 3, 2), (400, 3, 2)
    for (size, n_pairs, largest), step in zip(sizes, (1, 1, 1, 1, 1, 2**29, -1), strict=True):
        sides = step * draw.integers(0, largest + 1, (size, 4))
        rows = np.column_stack([draw.integers(0, n_pairs, size), sides]).astype(np.int32)
        values = draw.random(size).astype(np.float32)
        expected: dict[tuple[int, ...], float] = {}
        for (pair, i, p, j, q), value in zip(rows.tolist(), values.tolist(), strict=True):
            expected[pair, i, j, p, q] = max(value, expected.get((pair, i, j, p, q), 0.0))
        found, best = each_once(rows, values)
        assert found[:, [0, 1, 3, 2, 4]].tolist() == [list(row) for row in sorted(expected)]
        assert best.tolist() == [expected[row] for row in sorted(expected)]
