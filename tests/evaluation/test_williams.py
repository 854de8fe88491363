"""Williams' test: a published example, the matrix form of its statistic, limits."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from pfsm.evaluation import williams_test

correlations = st.floats(-0.95, 0.95)


def test_steigers_example() -> None:
    """Steiger (1980), case A: 103 people, correlations .4, .5 and .1: the statistic is -.89."""
    result = williams_test(0.4, 0.5, 0.1, 103)
    assert result.t == pytest.approx(-0.891, abs=5e-4)
    assert result.degrees == 100
    assert result.p_value == pytest.approx(0.375, abs=5e-4)
    assert result.p_greater == pytest.approx(1 - 0.375 / 2, abs=5e-4)


@given(correlations, correlations, correlations, st.integers(4, 500))
def test_against_the_determinant(r12: float, r13: float, r23: float, n: int) -> None:
    determinant = float(np.linalg.det(np.array([[1, r12, r13], [r12, 1, r23], [r13, r23, 1]])))
    assume(determinant > 1e-6)
    assume(r12 != r13)
    mean = (r12 + r13) / 2
    variance = 2 * (n - 1) / (n - 3) * determinant + mean**2 * (1 - r23) ** 3
    t = (r12 - r13) * math.sqrt((n - 1) * (1 + r23) / variance)
    result = williams_test(r12, r13, r23, n)
    assert result.t == pytest.approx(t, rel=1e-6)
    assert result.p_value == pytest.approx(2 * stats.t.sf(abs(t), n - 3), abs=1e-7)
    assert result.p_greater == pytest.approx(stats.t.sf(t, n - 3), abs=1e-7)
    mirrored = williams_test(r13, r12, r23, n)
    assert mirrored.t == pytest.approx(-result.t)
    assert mirrored.p_greater == pytest.approx(1 - result.p_greater)


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="n is 3"):
        williams_test(0.1, 0.2, 0.3, 3)
    for r in (1.1, math.nan):
        with pytest.raises(ValueError, match="from -1 to 1"):
            williams_test(r, 0.2, 0.3, 30)
    with pytest.raises(ValueError, match="cannot occur together"):
        williams_test(0.9, -0.9, 0.9, 30)
