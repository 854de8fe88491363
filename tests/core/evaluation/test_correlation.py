"""Correlations, Williams' test, bootstrap intervals and bins: definitions, SciPy, enumeration, true nulls."""

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from scipy import stats

from pfsm.evaluation import (
    Interval,
    bootstrap,
    bootstrap_interval,
    kendall_tau_b,
    mean_removed_pearson,
    pearson,
    resampled_statistics,
    spearman,
    weighted_pearson,
    williams_test,
)
from pfsm.evaluation.catalogue import SEGMENT_LEVEL
from pfsm.evaluation.measure import scored_items
from pfsm_kernels.statistics.resampling import (
    drawn_times,
    repeated_kendall_tau_b,
    repeated_spearman,
    resampled_sums,
)
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
@settings(max_examples=150)
def test_agrees_with_the_definition(
    correlation: Correlation, pair: tuple[NDArray[np.float64], NDArray[np.float64]]
) -> None:
    x, y = pair
    expected = ORACLES[correlation](x.tolist(), y.tolist())
    assert correlation(x, y) == pytest.approx(expected, abs=1e-12, nan_ok=True)


@ALL
def test_agrees_with_scipy(correlation: Correlation) -> None:
    truth = {pearson: stats.pearsonr, spearman: stats.spearmanr, kendall_tau_b: stats.kendalltau}
    x, y = scores(5000)
    assert correlation(x, y) == pytest.approx(truth[correlation](x, y)[0], abs=1e-12)
    assert correlation(x * 1e6 + 1e9, y) == pytest.approx(correlation(x, y), abs=1e-12)
    assert correlation(y, -x) == pytest.approx(-correlation(x, y), abs=1e-12)


@ALL
@pytest.mark.parametrize("scale", [5e-324, 1e-160, 1e307])
def test_magnitude_does_not_matter(correlation: Correlation, scale: float) -> None:
    x = np.array([1.0, 2.0, 3.0, 5.0, 8.0, 8.0])
    y = np.array([2.0, 1.0, 4.0, 4.0, -7.0, 9.0])
    assert correlation(x * scale, y) == pytest.approx(correlation(x, y), abs=1e-12)
    assert correlation(x, y * scale) == pytest.approx(correlation(x, y), abs=1e-12)


@ALL
@pytest.mark.parametrize("value", [0.0, 0.1, 1e9 + 0.1, 1e308])
def test_a_constant_side_is_undefined(correlation: Correlation, value: float) -> None:
    for n in range(1, 40):  # a sum of n equal values is off by a rounding for some n
        x = np.linspace(0.0, 1.0, n)
        assert math.isnan(correlation(np.full(n, value), x))
        assert math.isnan(correlation(x, np.full(n, value)))


def test_kendall_of_a_large_sample_does_not_overflow() -> None:
    x = np.arange(200_000)
    assert kendall_tau_b(x, x) == 1.0
    assert kendall_tau_b(x, x // 100_000) == pytest.approx(math.sqrt(0.5), abs=1e-5)


points = st.lists(
    st.tuples(st.integers(-5, 5), st.integers(-5, 5), st.integers(0, 3)), min_size=2, max_size=12
)


@given(points)
def test_a_whole_weight_is_so_many_points(made: list[tuple[int, int, int]]) -> None:
    x, y, weights = (np.array(column, dtype=np.float64) for column in zip(*made, strict=True))
    times = weights.astype(int)
    expected = pearson(np.repeat(x, times), np.repeat(y, times))
    assert weighted_pearson(x, y, weights) == pytest.approx(expected, abs=1e-12, nan_ok=True)
    assert weighted_pearson(x, y, weights / 8) == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_bad_arguments_of_correlations_are_refused() -> None:
    calls: tuple[tuple[Callable[..., object], tuple[object, ...], str], ...] = (
        (pearson, ([1.0, math.nan], [1.0, 3.0]), "not finite"),
        (kendall_tau_b, ([1.0, 2.0], [1.0, math.inf]), "not finite"),
        (weighted_pearson, ([1.0, 2.0], [1.0, 3.0], [1.0, -1.0]), "a weight is negative"),
        (weighted_pearson, ([1.0, 2.0], [1.0, 3.0], [1.0]), "one length"),
        (mean_removed_pearson, ([1.0, 2.0], [1.0, 2.0], ["a"]), "1 segments"),
        (williams_test, (0.1, 0.2, 0.3, 3), "n is 3"),
        (williams_test, (1.1, 0.2, 0.3, 30), "from -1 to 1"),
        (williams_test, (0.9, -0.9, 0.9, 30), "cannot occur together"),
    )
    for call, arguments, message in calls:
        with pytest.raises(ValueError, match=message):
            call(*arguments)


Case = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Dense ranks (gaps allowed) of n rows, and resamples that may be shorter or longer than n."""
    n = draw(st.integers(1, 8))
    ranks = arrays(np.int64, n, elements=st.integers(0, n - 1))
    shape = (draw(st.integers(0, 4)), draw(st.integers(0, 11)))
    resamples = arrays(np.int64, shape, elements=st.integers(0, n - 1))
    return draw(ranks), draw(ranks), draw(resamples)


@pytest.mark.parametrize(
    ("kernel", "definition"),
    [(repeated_kendall_tau_b, rank.kendall_tau_b), (repeated_spearman, rank.spearman)],
)
@given(case=cases())
@settings(max_examples=200)
def test_ranks_of_resamples(kernel: Correlation, definition: Correlation, case: Case) -> None:
    left, right, resamples = case
    times = np.array([np.bincount(rows, minlength=left.size) for rows in resamples], dtype=np.int64)
    expected = [definition(left[rows].tolist(), right[rows].tolist()) for rows in resamples]
    found = kernel(left, right, times.reshape(-1, left.size))
    np.testing.assert_allclose(found, np.reshape(expected, -1), atol=1e-13)


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


def mean(values: NDArray[np.float64]) -> float:
    return float(values.mean())


def is_nan(interval: Interval) -> bool:
    return math.isnan(interval.low) and math.isnan(interval.high)


def test_agrees_with_the_enumeration_of_all_resamples() -> None:
    values = np.array([0.0, 1.0, 10.0])
    every = np.array([np.mean(resample) for resample in product(values, repeat=3)])
    drawn = resampled_statistics(mean, values, n_resamples=20_000)
    for point in np.unique(every):
        assert np.isclose(drawn, point).mean() == pytest.approx(np.isclose(every, point).mean(), abs=0.012)
    # 1 of 27 resamples has mean 0, 3 have 1/3; at the upper end 1 has 10 and 3 have 7.
    interval = bootstrap_interval(mean, values, n_resamples=20_000, confidence=0.8)
    assert (interval.low, interval.high) == pytest.approx((1 / 3, 7.0))


@ALL
@pytest.mark.parametrize("n", [1, 2, 3])
def test_resamples_that_never_differ_give_no_interval(correlation: Correlation, n: int) -> None:
    """Any two points lie on a line, and so do these three: width 0 would pass for certainty."""
    assert correlation(np.arange(3.0), np.arange(3.0)) == pytest.approx(1.0)
    assert is_nan(bootstrap_interval(correlation, np.arange(float(n)), 0.1 * np.arange(n)))


@ALL
def test_one_seed_one_result_whatever_the_block(
    correlation: Correlation, monkeypatch: pytest.MonkeyPatch
) -> None:
    x, y = np.random.default_rng(6).normal(size=(2, 37))
    measure = SEGMENT_LEVEL[correlation.__name__.removesuffix("_tau_b")].bind(scored_items(y))
    ways: tuple[Callable[[int], NDArray[np.float64]], ...] = (
        lambda seed: resampled_statistics(correlation, x, y, n_resamples=50, seed=seed),
        lambda seed: measure.resampled(x, 50, seed),
    )
    for way in ways:
        expected = way(1)
        for block in (1, 37, 111, 1000):
            monkeypatch.setattr(bootstrap, "_BLOCK", block)
            np.testing.assert_array_equal(way(1), expected)
        assert not np.array_equal(way(2), expected)


def test_bad_arguments_are_refused() -> None:
    calls: tuple[tuple[Callable[[], object], str], ...] = (
        (lambda: bootstrap_interval(mean, [1.0, 2.0], confidence=95.0), "confidence"),
        (lambda: bootstrap_interval(mean, [1.0, 2.0], n_resamples=0), "n_resamples"),
        (lambda: bootstrap_interval(lambda x, y: 0.0, [1.0, 2.0], [1.0]), "one length"),
        (lambda: bootstrap_interval(pearson, [1.0, math.nan], [1.0, 2.0]), "not finite"),
    )
    for call, message in calls:
        with pytest.raises(ValueError, match=message):
            call()


@given(st.data())
@settings(max_examples=100)
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
