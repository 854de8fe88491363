"""The rank kernels on resamples, against the definitions applied to the drawn rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from pfsm_kernels.statistics.rank import repeated_kendall_tau_b, repeated_spearman
from tests.oracles import rank

Case = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]
BOTH = pytest.mark.parametrize("kernel", [repeated_kendall_tau_b, repeated_spearman])


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Dense ranks (gaps allowed) of n rows, and resamples that may be shorter or longer than n."""
    n = draw(st.integers(1, 8))
    ranks = arrays(np.int64, n, elements=st.integers(0, n - 1))
    shape = (draw(st.integers(0, 4)), draw(st.integers(0, 11)))
    resamples = arrays(np.int64, shape, elements=st.integers(0, n - 1))
    return draw(ranks), draw(ranks), draw(resamples)


def times(n: int, resamples: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many times each row stands in every resample."""
    return np.array([np.bincount(rows, minlength=n) for rows in resamples], dtype=np.int64).reshape(-1, n)


@given(cases())
@settings(max_examples=200, deadline=None)
def test_kendall_of_resamples(case: Case) -> None:
    left, right, resamples = case
    expected = [rank.kendall_tau_b(left[rows].tolist(), right[rows].tolist()) for rows in resamples]
    np.testing.assert_allclose(
        repeated_kendall_tau_b(left, right, times(left.size, resamples)), np.reshape(expected, -1), atol=1e-13
    )


@given(cases())
@settings(max_examples=200, deadline=None)
def test_spearman_of_resamples(case: Case) -> None:
    left, right, resamples = case
    expected = [rank.spearman(left[rows].tolist(), right[rows].tolist()) for rows in resamples]
    np.testing.assert_allclose(
        repeated_spearman(left, right, times(left.size, resamples)), np.reshape(expected, -1), atol=1e-13
    )


@BOTH
@pytest.mark.parametrize(
    ("left", "right", "often"),
    [
        ([0, 1], [0, 1, 2], [[1, 1]]),
        ([], [], [[]]),
        ([0, 2], [0, 1], [[1, 1]]),
        ([0, 1], [-1, 1], [[1, 1]]),
        ([0, 1], [0, 1], [[1, -1]]),
        ([0, 1], [0, 1], [[1, 1, 1]]),
        ([0, 1], [0, 1], [1, 1]),
    ],
)
def test_arrays_that_do_not_fit_are_refused(kernel, left, right, often) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError, match=r"dense ranks|resample"):
        kernel(*(np.array(one, dtype=np.int64) for one in (left, right, often)))
