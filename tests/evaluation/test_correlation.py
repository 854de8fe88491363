"""Correlations against exact fractions, pairs counted one by one, and scipy."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from pfsm.evaluation import kendall_tau_b, pearson, spearman
from tests.oracles import rank

Correlation = Callable[..., float]

ALL = pytest.mark.parametrize("correlation", [pearson, spearman, kendall_tau_b])
ORACLES: dict[Correlation, Correlation] = {
    pearson: rank.pearson,
    spearman: rank.spearman,
    kendall_tau_b: rank.kendall_tau_b,
}

# Few distinct values: ties within each side, ties on both, constant sides and tiny samples all come up.
tied_pairs = st.integers(0, 12).flatmap(
    lambda n: st.tuples(*[arrays(np.float64, n, elements=st.integers(-2, 2).map(float)) for _ in range(2)])
)


def scores(n: int, seed: int = 1) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Two correlated series with ties in the second."""
    generator = np.random.default_rng(seed)
    x = generator.normal(size=n)
    return x, np.round(x + generator.normal(size=n), 1)


@ALL
@given(tied_pairs)
@settings(max_examples=150, deadline=None)
def test_agrees_with_the_definition(
    correlation: Correlation, pair: tuple[NDArray[np.float64], NDArray[np.float64]]
) -> None:
    x, y = pair
    expected = ORACLES[correlation](x.tolist(), y.tolist())
    assert correlation(x, y) == pytest.approx(expected, abs=1e-12, nan_ok=True)


@ALL
def test_agrees_with_scipy(correlation: Correlation) -> None:
    from scipy import stats

    truth = {pearson: stats.pearsonr, spearman: stats.spearmanr, kendall_tau_b: stats.kendalltau}
    x, y = scores(5000)
    assert correlation(x, y) == pytest.approx(truth[correlation](x, y)[0], abs=1e-12)
    assert correlation(x, -y) == pytest.approx(-correlation(x, y), abs=1e-12)
    assert correlation(y, x) == pytest.approx(correlation(x, y), abs=1e-12)


@ALL
def test_a_large_offset_and_scale_cost_no_digits(correlation: Correlation) -> None:
    x, y = scores(300)
    assert correlation(x * 1e6 + 1e9, y) == pytest.approx(correlation(x, y), abs=1e-12)
    assert correlation(x, -3.0 * y + 1e9) == pytest.approx(-correlation(x, y), abs=1e-9)


@ALL
@pytest.mark.parametrize("scale", [5e-324, 1e-300, 1e-160, 1e160, 1e307])
def test_magnitude_does_not_matter(correlation: Correlation, scale: float) -> None:
    x = np.array([1.0, 2.0, 3.0, 5.0, 8.0, 8.0])
    y = np.array([2.0, 1.0, 4.0, 4.0, -7.0, 9.0])
    assert correlation(x * scale, y) == pytest.approx(correlation(x, y), abs=1e-12)
    assert correlation(x, y * scale) == pytest.approx(correlation(x, y), abs=1e-12)


def test_pearson_never_leaves_its_range() -> None:
    generator = np.random.default_rng(4)
    for _ in range(300):
        x = generator.normal(size=10)
        assert abs(pearson(x, generator.normal() * x + 3.0)) <= 1.0


@ALL
@pytest.mark.parametrize("value", [0.0, 0.1, 1e9 + 0.1, -7.3, 1e308, 5e-324])
def test_a_constant_side_is_undefined(correlation: Correlation, value: float) -> None:
    for n in range(1, 40):  # a sum of n equal values is off by a rounding for some n
        x = np.linspace(0.0, 1.0, n)
        assert math.isnan(correlation(np.full(n, value), x))
        assert math.isnan(correlation(x, np.full(n, value)))
        assert math.isnan(correlation(np.full(n, value), np.full(n, value)))


@ALL
@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_values_that_are_not_finite_are_refused(correlation: Correlation, bad: float) -> None:
    with pytest.raises(ValueError, match="not finite"):
        correlation([1.0, 2.0, bad], [1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="not finite"):
        correlation([1.0, 2.0, 3.0], [1.0, bad, 3.0])


def test_kendall_of_a_large_sample_does_not_overflow() -> None:
    x = np.arange(200_000)
    assert kendall_tau_b(x, x) == 1.0
    assert kendall_tau_b(x, x // 100_000) == pytest.approx(math.sqrt(0.5), abs=1e-5)
