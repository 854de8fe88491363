"""Bootstrap intervals against enumeration and plain loops, tests on data without a difference, and bins."""

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from scipy import stats

from pfsm.errors import PfsmError
from pfsm.evaluation import (
    Interval,
    bootstrap,
    bootstrap_interval,
    kendall_tau_b,
    paired_bootstrap_correlations,
    pearson,
    percentile_interval,
    perm_both,
    resampled_statistics,
    spearman,
    williams_test,
)
from pfsm.evaluation.bins import quantile_bins
from pfsm.evaluation.catalogue import SEGMENT_LEVEL
from pfsm.evaluation.measure import scored_items
from pfsm_kernels.statistics.resampling import drawn_times, resampled_sums

Correlation = Callable[..., float]
ALL = pytest.mark.parametrize("correlation", [pearson, spearman, kendall_tau_b])


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
def test_resamples_without_a_statistic_are_left_out(correlation: Correlation) -> None:
    # One resample in nine is constant; all others have 1 or, without the first row, -1.
    interval = bootstrap_interval(correlation, [0.0, 1.0, 2.0], [5.0, 9.0, 7.0])
    assert (interval.low, interval.high) == pytest.approx((-1.0, 1.0))


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


def test_the_seed_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.arange(20.0)
    assert bootstrap_interval(mean, values) == bootstrap_interval(mean, values, seed=12345)
    monkeypatch.setenv("PFSM_SEED", "7")
    assert bootstrap_interval(mean, values) == bootstrap_interval(mean, values, seed=7)
    assert bootstrap_interval(mean, values) != bootstrap_interval(mean, values, seed=12345)
    monkeypatch.setenv("PFSM_SEED", "1.5")
    with pytest.raises(PfsmError, match=r"PFSM_SEED.*'1\.5'"):
        bootstrap_interval(mean, values)


def test_percentiles_are_interpolated_and_leave_out_nan() -> None:
    values = np.append(np.arange(101.0), math.nan)
    interval = percentile_interval(values[::-1], 0.9)
    assert (interval.low, interval.high) == pytest.approx((5.0, 95.0))
    interval = percentile_interval(np.array([0.0, 1.0]), 0.9)
    assert (interval.low, interval.high) == pytest.approx((0.05, 0.95))
    assert is_nan(percentile_interval(np.full(3, math.nan)))


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


LEVEL = 0.05
Scores = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]


def independent(generator: np.random.Generator, n: int = 80) -> Scores:
    """Two metrics that agree with people, and with each other, alike; no two items of one segment."""
    human, noise = generator.normal(size=n), generator.normal(size=n)
    a, b = (human + 0.5 * noise + generator.normal(size=n) for _ in range(2))
    return human, a, b, np.arange(n)


def rejections(
    p_value: Callable[[Scores, int], float], made: Callable[[np.random.Generator], Scores], n_simulations: int
) -> int:
    generator = np.random.default_rng(20240607)
    return sum(p_value(made(generator), seed) < LEVEL for seed in range(n_simulations))


def bootstrap_test(statistic: str) -> Callable[[Scores, int], float]:
    def p_value(scores: Scores, seed: int) -> float:
        human, a, b, _ = scores
        return paired_bootstrap_correlations(human, a, b, None, statistic, 199, seed).groups[0].p_value

    return p_value


def permutation(scores: Scores, seed: int) -> float:
    human, a, b, segments = scores
    return perm_both(human, a, b, segments, n_permutations=199, seed=seed).groups[0].p_value


def williams(scores: Scores, seed: int) -> float:
    human, a, b, _ = scores
    return williams_test(pearson(human, a), pearson(human, b), pearson(a, b), human.size).p_value


def of_four_groups(scores: Scores, seed: int) -> float:
    human, a, b, items = scores
    groups = [f"group {item % 4}" for item in items]
    return paired_bootstrap_correlations(human, a, b, groups, "pearson", 199, seed).mean.p_value


@pytest.mark.parametrize(
    ("p_value", "size", "simulations"),
    [
        (bootstrap_test("pearson"), 80, 300),
        (bootstrap_test("kendall"), 80, 300),
        (of_four_groups, 240, 120),
        (permutation, 80, 300),
        (williams, 80, 1500),
    ],
)
def test_a_true_null_is_rejected_as_often_as_it_should_be(
    p_value: Callable[[Scores, int], float], size: int, simulations: int
) -> None:
    low, high = stats.binom.ppf([0.0005, 0.9995], simulations, LEVEL)
    assert low <= rejections(p_value, lambda generator: independent(generator, size), simulations) <= high


def test_the_tests_see_what_is_there() -> None:
    """Power: with much more noise in one metric, most simulations are rejected."""

    def unequal(generator: np.random.Generator) -> Scores:
        human, a, b, segments = independent(generator)
        return human, a, b + 3.0 * generator.normal(size=human.size), segments

    for p_value in (bootstrap_test("pearson"), permutation, williams):
        assert rejections(p_value, unequal, 60) > 45


def binned(values: list[float], count: int) -> list[list[float]]:
    array = np.array(values)
    found = quantile_bins(array, np.arange(array.size), count, lambda low, high: f"{low} {high}")
    for one in found:
        assert (one.low, one.high) == (array[one.rows].min(), array[one.rows].max())
        assert one.label == f"{one.low} {one.high}"
    return [sorted(array[one.rows].tolist()) for one in found]


@pytest.mark.parametrize(
    ("values", "count", "expected"),
    [
        ([4.0, 1.0, 3.0, 2.0], 4, [[1.0], [2.0], [3.0], [4.0]]),
        ([8.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0], 4, [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]),
        # The quartiles of these are 1, 1 and 2: equal numbers are never torn apart.
        ([1.0, 1.0, 1.0, 2.0, 5.0], 4, [[1.0, 1.0, 1.0], [2.0], [5.0]]),
        ([3.0, 3.0, 3.0], 4, [[3.0, 3.0, 3.0]]),
        ([2.0, 1.0], 5, [[1.0], [2.0]]),
        ([7.0], 5, [[7.0]]),
        ([], 4, []),
    ],
)
def test_quantiles(values: list[float], count: int, expected: list[list[float]]) -> None:
    assert binned(values, count) == expected
