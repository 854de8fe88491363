"""Mean-removed and length-weighted correlations by hand, by repetition of points, and against SciPy."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from pfsm.evaluation import mean_removed, mean_removed_pearson, pearson, weighted_pearson

points = st.lists(
    st.tuples(st.integers(-5, 5), st.integers(-5, 5), st.integers(0, 3)), min_size=2, max_size=12
)


def test_against_scipy_on_the_deviations() -> None:
    generator = np.random.default_rng(5)
    segments = generator.integers(0, 12, size=80)
    human, metric = generator.normal(size=(2, 80))
    human_left, metric_left = (
        scores - np.array([scores[segments == segment].mean() for segment in segments])
        for scores in (human, metric)
    )
    expected = stats.pearsonr(metric_left, human_left).statistic
    assert mean_removed_pearson(metric, human, segments) == pytest.approx(expected, abs=1e-12)


def test_a_common_offset_costs_no_digits() -> None:
    generator = np.random.default_rng(6)
    human, metric = generator.integers(0, 9, size=(2, 40)).astype(np.float64)
    segments = np.arange(40) // 4
    far = mean_removed_pearson(metric + 2.0**45, human - 2.0**45, segments)
    assert far == pytest.approx(mean_removed_pearson(metric, human, segments), abs=1e-12)
    weights = generator.integers(1, 9, size=40)
    far = weighted_pearson(metric + 2.0**45, 2.0**-60 * human, weights)
    assert far == pytest.approx(weighted_pearson(metric, human, weights), abs=1e-12)


@given(points)
def test_a_whole_weight_is_so_many_points(made: list[tuple[int, int, int]]) -> None:
    x, y, weights = (np.array(column, dtype=np.float64) for column in zip(*made, strict=True))
    times = weights.astype(int)
    expected = pearson(np.repeat(x, times), np.repeat(y, times))
    assert weighted_pearson(x, y, weights) == pytest.approx(expected, abs=1e-12, nan_ok=True)
    assert weighted_pearson(x, y, weights / 8) == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="a weight is negative"):
        weighted_pearson([1.0, 2.0], [1.0, 3.0], [1.0, -1.0])
    with pytest.raises(ValueError, match="a weight is negative"):
        mean_removed([1.0, 2.0], ["a", "a"], [1.0, -1.0])
    with pytest.raises(ValueError, match="not finite"):
        mean_removed([1.0, math.inf], ["a", "a"])
    with pytest.raises(ValueError, match="1 segments"):
        mean_removed_pearson([1.0, 2.0], [1.0, 2.0], ["a"])
    with pytest.raises(ValueError, match="one length"):
        weighted_pearson([1.0, 2.0], [1.0, 3.0], [1.0])
