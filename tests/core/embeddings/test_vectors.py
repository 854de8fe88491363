"""Vectors as whole numbers: lengths, cosines, exactness."""

from fractions import Fraction
from math import isqrt

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pfsm.embeddings.vectors import cosine_table, row_cosines, unit_rows

rows = arrays(np.float64, (4, 5), elements=st.floats(-1e150, 1e150, allow_subnormal=False))


@given(rows)
def test_lengths_are_one_and_directions_stay(values: np.ndarray) -> None:
    found = unit_rows(values)
    assert found.dtype == np.int16
    for row, vector in zip(values, found.astype(np.float64), strict=True):
        if not row.any():
            assert not vector.any()
            continue
        scaled = row / np.abs(row).max()
        np.testing.assert_allclose(vector, 32767 * scaled / np.linalg.norm(scaled), atol=0.51)


@given(rows, rows)
def test_cosines_do_not_depend_on_the_order_of_components(left: np.ndarray, right: np.ndarray) -> None:
    first, second = unit_rows(left), unit_rows(right)
    table = cosine_table(first, second)
    order = np.random.default_rng(0).permutation(5)
    np.testing.assert_array_equal(table, cosine_table(first[:, order], second[:, order]))
    np.testing.assert_array_equal(table, cosine_table(second, first).T)
    np.testing.assert_array_equal(
        np.diag(table), row_cosines(first.astype(np.float64), second.astype(np.float64))
    )
    # Each within a rounding of the exact one: the numbers are whole.
    for i, a in enumerate(first.tolist()):
        for j, b in enumerate(second.tolist()):
            product = sum(x * y for x, y in zip(a, b, strict=True))
            squares = sum(x * x for x in a) * sum(y * y for y in b)
            root = Fraction(isqrt(squares << 200), 1 << 100)
            exact = float(product / root) if squares else 0.0
            assert abs(table[i, j] - exact) <= 4e-16
