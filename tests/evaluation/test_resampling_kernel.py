"""Numbers of times, and sums over resamples, against plain loops and exact fractions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pfsm_kernels.statistics.resampling import drawn_times, resampled_sums


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_against_plain_loops(data: st.DataObject) -> None:
    n, m, k, size = (data.draw(st.integers(low, 6)) for low in (1, 0, 0, 0))
    rows = data.draw(arrays(np.int64, (m, size), elements=st.integers(0, n - 1)))
    table = data.draw(arrays(np.float64, (n, k), elements=st.floats(-1e6, 1e6)))
    times = drawn_times(rows, n)
    assert times.tolist() == [[list(drawn).count(unit) for unit in range(n)] for drawn in rows.tolist()]
    found = resampled_sums(times, table)
    assert found.shape == (m, k)
    for drawn, sums in zip(rows.tolist(), found.tolist(), strict=True):
        exact = [float(sum(Fraction(table[unit, column]) for unit in drawn)) for column in range(k)]
        assert sums == pytest.approx(exact, rel=1e-12, abs=1e-9)


def test_bad_arguments_are_refused() -> None:
    for rows in ([[2]], [[-1]], [1]):
        with pytest.raises(ValueError, match="names a unit"):
            drawn_times(np.array(rows), 2)
    for times, table in (([[1, 1]], [[1.0]]), ([1], [[1.0]]), ([[1]], [1.0])):
        with pytest.raises(ValueError, match="how many times"):
            resampled_sums(np.array(times), np.array(table))
    with pytest.raises(ValueError, match="less than no times"):
        resampled_sums(np.array([[-1]]), np.array([[1.0]]))
