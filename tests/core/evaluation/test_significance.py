"""Metrics and systems compared: resamples against a plain loop, swaps against every swap, Holm step by step."""

import math
import random
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from pfsm.evaluation import (
    PooledCounts,
    bootstrap,
    calibrate_ties,
    compare_systems,
    holm,
    paired_bootstrap_correlations,
    paired_p_value,
    perm_both,
    plain,
    question_of_scores,
)
from pfsm.evaluation.bootstrap import group_seed
from pfsm.evaluation.catalogue import SEGMENT_LEVEL
from pfsm.evaluation.significance import _p_value, permutation_test


def scores(n: int, seed: int = 1, noise: tuple[float, float] = (1.0, 1.0)) -> tuple[NDArray[np.float64], ...]:
    """People's scores and those of two metrics that see the same plus noise."""
    generator = np.random.default_rng(seed)
    human = generator.normal(size=n)
    return (human, *(human + spread * generator.normal(size=n) for spread in noise))


def test_bad_arguments_are_refused() -> None:
    human, a, b = scores(5)
    for arguments, options, message in (
        ((human, a[:4], b), {}, "5 of them"),
        ((human, a, b), {"statistic": "kendal"}, "at segment level there are pearson"),
        ((human, a, b), {"statistic": "mean-removed"}, "needs segments"),
        ((human, a, b), {"n_resamples": 0}, "n_resamples is 0"),
        ((human, a * np.inf, b), {}, "not finite"),
        ((human, a, b), {"level": "word"}, "level is 'word'"),
    ):
        with pytest.raises(ValueError, match=message):
            paired_bootstrap_correlations(*arguments, **options)
    undefined = perm_both(human, a, np.ones(5), n_permutations=20)
    assert math.isnan(undefined.mean.p_value)
    calls: tuple[tuple[Any, tuple[Any, ...], str], ...] = (
        (partial(perm_both, n_permutations=0), (human, a, b), "n_permutations is 0"),
        (partial(compare_systems, significance=5.0), (["a", "b"], [a, b]), "significance"),
        (compare_systems, (["a", "a"], [a, b]), "same name"),
        (compare_systems, (["a"], [a, b]), "names"),
        (compare_systems, (["a", "b"], [a, b[:4]]), "'b' has scores of shape"),
        (compare_systems, (["a", "b"], [a[:0], b[:0]]), "at least one segment"),
        (compare_systems, (["a", "b"], [a, b * np.inf]), "'b' is not finite"),
        (holm, ([1.5],), "from 0 to 1"),
    )
    for call, values, message in calls:
        with pytest.raises(ValueError, match=message):
            call(*values)


def exact(human: NDArray[np.float64], a: NDArray[np.float64], b: NDArray[np.float64], value) -> float:  # type: ignore[no-untyped-def]
    """The share of all 2^n swaps with a difference at least as large, of standardised scores."""
    a, b = (stats.zscore(side) for side in (a, b))
    observed = abs(value(human, a) - value(human, b))
    large = 0
    for swap in product((False, True), repeat=human.size):
        one, other = np.where(swap, b, a), np.where(swap, a, b)
        large += abs(value(human, one) - value(human, other)) >= observed - 1e-12
    return large / 2.0**human.size


@pytest.mark.parametrize(
    ("statistic", "value"),
    [
        ("pearson", lambda human, metric: stats.pearsonr(metric, human).statistic),
        ("kendall", lambda human, metric: stats.kendalltau(metric, human).statistic),
        ("acc-t", lambda human, metric: calibrate_ties(human, metric, [0, 0, 0, 0, 1, 1, 1, 1]).accuracy),
    ],
)
def test_against_every_swap(statistic: str, value) -> None:  # type: ignore[no-untyped-def]
    human, a, b = scores(8, seed=5, noise=(0.6, 2.0))
    human = np.round(human)
    options: dict[str, Any] = {"statistic": statistic, "n_permutations": 4000, "resample": "judgments"}
    (group,) = perm_both(human, a, 10 * b + 3, [0, 0, 0, 0, 1, 1, 1, 1], **options).groups
    assert group.p_value == pytest.approx(exact(human, a, b, value), abs=0.03)
    assert group.value_a == pytest.approx(value(human, a))
    assert group.difference == pytest.approx(group.value_a - group.value_b)
    assert math.isnan(group.interval.low)


def test_segments_are_swapped_whole() -> None:
    """All 2^8 ways to swap eight segments of one to five translations."""
    human, a, b = scores(24, seed=5, noise=(0.6, 2.0))
    segments = np.repeat(np.arange(8), [1, 2, 3, 4, 5, 4, 3, 2])
    one, other = (stats.zscore(side) for side in (a, b))
    observed = abs(stats.pearsonr(a, human).statistic - stats.pearsonr(b, human).statistic)
    large = 0
    for coins in product((False, True), repeat=8):
        swap = np.array(coins)[segments]
        sides = np.where(swap, other, one), np.where(swap, one, other)
        found = (stats.pearsonr(side, human).statistic for side in sides)
        large += abs(next(found) - next(found)) >= observed - 1e-12
    (group,) = perm_both(human, a, b, segments, n_permutations=4000).groups
    assert group.p_value == pytest.approx(large / 2**8, abs=0.03)
    (apart,) = perm_both(human, a, b, segments, n_permutations=4000, resample="judgments").groups
    assert apart.p_value != group.p_value


SPREAD = plain("spread", lambda metric, human: -float(np.std(metric - human)))


@pytest.mark.parametrize("declared", [None, False])
def test_a_statistic_in_the_units_of_the_metrics_is_tested_in_them(declared: bool | None) -> None:
    """Standardised scores have another spread: 77% of metrics that are equally good were told apart."""
    statistic = replace(SPREAD, scale_free=declared)
    found = []
    for seed in range(60):
        human, a, b = (10.0 * side for side in scores(80, seed))
        question = question_of_scores(human)
        found.append(permutation_test(question, a, b, statistic, 200, seed).mean.p_value < 0.05)
    assert np.mean(found) <= 0.08


@pytest.mark.parametrize("declared", [None, True])
def test_a_statistic_without_a_unit_is_tested_on_standardised_scores(declared: bool | None) -> None:
    own = plain("own", lambda metric, human: float(np.corrcoef(metric, human)[0, 1]), scale_free=declared)
    human, a, b = scores(40, seed=5)
    question = question_of_scores(human)
    tests = [
        permutation_test(question, a, 100.0 * b + 7.0, one, 200, 1) for one in (own, SEGMENT_LEVEL["pearson"])
    ]
    assert (
        tests[0].mean.p_value
        == tests[1].mean.p_value
        == permutation_test(question, a, b, own, 200, 1).mean.p_value
    )


def test_no_more_than_units_allow() -> None:
    """A difference whose interval touches 0 is not significant, nor one of few units, however many resamples."""
    resampled = np.repeat([0.0, 1 / 28], [40, 960])
    assert paired_p_value(resampled, 1 / 28) >= 0.05
    assert paired_p_value(-resampled, -1 / 28) >= 0.05
    human, a, _ = scores(5)
    test = paired_bootstrap_correlations(human, human + a / 50, a / 50 - human)
    assert test.mean.p_value == test.groups[0].p_value == 2.0**-4
    halves = np.repeat(["x", "y"], 5).tolist()
    of_two, one, other = (np.tile(side, 2) for side in (human, human + a / 50, a / 50 - human))
    assert paired_bootstrap_correlations(of_two, one, other, halves).mean.p_value == 2.0**-9


def test_permutations_that_are_not_a_number_count_as_large() -> None:
    """They say nothing against the null hypothesis: of nine, five are as large, and four of these not a number."""
    permuted = np.array([math.nan, 0.1, math.nan, -0.5, 0.2, math.nan, -0.1, 0.0, math.nan])
    assert _p_value(permuted, 0.3) == pytest.approx((5 + 1) / (9 + 1))
    assert _p_value(np.full(9, math.nan), 0.3) == 1.0
    assert math.isnan(_p_value(permuted, math.nan))


def normal_scores(n_systems: int, n_segments: int, seed: int = 1) -> list[NDArray[np.float64]]:
    """Scores with a common part per segment, as systems have that translate the same text."""
    generator = np.random.default_rng(seed)
    common = generator.normal(size=n_segments)
    return [common + generator.normal(size=n_segments) for _ in range(n_systems)]


def test_against_a_plain_loop_systems() -> None:
    n = 125
    a, b = normal_scores(2, n)
    draws = [
        rows for block in bootstrap.resampled_rows(n, 200, group_seed(9, "all")) for rows in block.tolist()
    ]
    differences = [sum(a[row] - b[row] for row in rows) / n for rows in draws]
    centre = sum(differences) / 200
    observed = sum(a) / n - sum(b) / n
    as_far = sum(abs(difference - centre) >= abs(observed) for difference in differences)
    as_far = max(
        as_far,
        *(2 * sum(sign * one <= 0.0 for one in differences) for sign in (1, -1) if sign * observed > 0),
    )
    result = compare_systems(["a", "b"], [a, b], n_resamples=200, seed=9, confidence=0.8)
    (pair,) = result.pairs
    assert pair.p_value == (as_far + 1) / 201
    assert 0 < as_far < 200
    assert pair.difference == pytest.approx(observed)
    assert pair.interval.low == pytest.approx(np.quantile(differences, 0.1))
    assert pair.interval.high == pytest.approx(np.quantile(differences, 0.9))
    for system, scores in zip(result.systems, (a, b), strict=True):
        means = [sum(scores[row] for row in rows) / n for rows in draws]
        assert system.score == pytest.approx(sum(scores) / n)
        assert system.interval.low == pytest.approx(np.quantile(means, 0.1))
        assert system.interval.high == pytest.approx(np.quantile(means, 0.9))


Rows = NDArray[np.float64]


def share_as_large(a: Rows, b: Rows, score: Callable[[Rows], Any], shift: float = 0.0) -> float:
    """The share of all exchanges of `UNITS` with a difference as large; a true one is taken from each segment."""
    a = a - shift
    observed = abs(score(a) - score(b)) * (1 - 1e-12)
    large = 0
    for swap in product((False, True), repeat=8):
        swapped = np.array(swap)[UNITS].reshape(-1, *[1] * (a.ndim - 1))
        one, other = np.where(swapped, b, a), np.where(swapped, a, b)
        large += abs(score(one) - score(other)) >= observed
    return float(large / 2.0**8)


UNITS = np.repeat(np.arange(8), [1, 2, 3, 4, 5, 4, 3, 2])


def test_few_units_against_every_exchange() -> None:
    """P is the share of all exchanges of documents; the interval ends where shifted systems are just told apart."""
    a, b = normal_scores(2, 24, 3)
    a += 0.6
    (pair,) = compare_systems(["a", "b"], [a, b], documents=UNITS).pairs
    assert pair.p_value == share_as_large(a, b, np.mean)
    for end, inwards in ((pair.interval.low, 1), (pair.interval.high, -1)):
        for side, told_apart in ((inwards, False), (-inwards, True)):
            assert (share_as_large(a, b, np.mean, end + side * 1e-9) < 0.05) == told_apart


def test_few_units_of_a_metric_that_pools_counts() -> None:
    counts = np.random.default_rng(2).integers(1, 9, (2, 24, 2)).astype(np.float64)
    counts[0, :, 0] += 2.0
    pooled = PooledCounts(list(counts), lambda sums: sums[:, 0] / sums[:, 1])
    (pair,) = compare_systems(["a", "b"], [np.zeros(24)] * 2, documents=UNITS, pooled=pooled).pairs
    assert pair.p_value == share_as_large(
        counts[0], counts[1], lambda rows: rows[:, 0].sum() / rows[:, 1].sum()
    )
    assert (pair.p_value < 0.05) is not (pair.interval.low <= 0.0 <= pair.interval.high)


@pytest.mark.parametrize("n", [4, 5, 6, 7, 10, 16, 25, 40, 99, 150])
def test_systems_that_do_not_differ_are_rarely_told_apart(n: int) -> None:
    found = [
        pair
        for seed in range(60)
        for pair in compare_systems(list("abcdefgh"), normal_scores(8, n, seed), 300, seed).pairs
    ]
    rejected = [pair.p_value < 0.05 for pair in found]
    assert (0.025 if n > 5 else 0.0) <= np.mean(rejected) <= (0.06 if n > 5 else 0.0)
    if n < 100:
        excluded = [pair.interval.low > 0.0 or pair.interval.high < 0.0 for pair in found]
        assert excluded == rejected


def test_identical_systems_do_not_differ_and_one_segment_shows_nothing() -> None:
    scores = normal_scores(1, 30)[0] + 1e6
    (pair,) = compare_systems(["a", "b"], [scores, scores.copy()]).pairs
    assert (pair.difference, pair.p_value, pair.p_holm, pair.preferred) == (0.0, 1.0, 1.0, None)
    assert (pair.wins, pair.losses, pair.ties) == (0, 0, 30)
    (pair,) = compare_systems(["a", "b"], [np.array([1.0]), np.array([5.0])]).pairs
    assert (pair.difference, pair.preferred) == (-4.0, None)
    assert all(map(math.isnan, (pair.p_value, pair.p_holm, pair.interval.low)))


def test_resamples_that_never_differ_have_no_p_value() -> None:
    """But for rounding; a difference of exactly 0 is none, whatever is drawn."""
    nan = math.nan
    for resampled, difference in (([2.0, 2.0], 2.0), ([0.3, 0.1 + 0.2], 0.3), ([nan, 2.0], 2.0), ([], 1.0)):
        assert math.isnan(paired_p_value(np.array(resampled), difference))
    assert paired_p_value(np.array([0.0, 0.0, nan]), 0.0) == 1.0
    assert paired_p_value(np.array([0.0, 1.0, nan, 2.0, 3.0, 4.0]), 2.0) == 3 / 6


@given(st.lists(st.sampled_from([0.0, 0.001, 0.01, 0.02, 0.03, 0.05, 0.3, 1.0]), max_size=8))
def test_holm_rejects_as_the_step_down_procedure_does(p_values: list[float]) -> None:
    level = 0.0499
    rejected: set[int] = set()
    places = list(range(len(p_values)))
    random.Random(len(p_values)).shuffle(places)
    for place in sorted(places, key=p_values.__getitem__):
        if p_values[place] > level / (len(p_values) - len(rejected)):
            break
        rejected.add(place)
    assert set(np.flatnonzero(holm(p_values) <= level).tolist()) == rejected
