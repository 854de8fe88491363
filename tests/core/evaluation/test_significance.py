"""Metrics and systems compared: resamples against a plain loop, swaps against every swap, Holm step by step."""

import math
import random
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
    bootstrap,
    calibrate_ties,
    compare_systems,
    holm,
    paired_bootstrap_correlations,
    paired_p_value,
    perm_both,
)
from pfsm.evaluation.bootstrap import group_seed
from pfsm.evaluation.significance import _p_value


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
    a, b = normal_scores(2, 25)
    draws = [
        rows for block in bootstrap.resampled_rows(25, 200, group_seed(9, "all")) for rows in block.tolist()
    ]
    differences = [sum(a[row] - b[row] for row in rows) / 25 for rows in draws]
    centre = sum(differences) / 200
    observed = sum(a) / 25 - sum(b) / 25
    as_far = sum(abs(difference - centre) >= abs(observed) for difference in differences)
    result = compare_systems(["a", "b"], [a, b], n_resamples=200, seed=9, confidence=0.8)
    (pair,) = result.pairs
    assert pair.p_value == (as_far + 1) / 201
    assert 0 < as_far < 200
    assert pair.difference == pytest.approx(observed)
    assert pair.interval.low == pytest.approx(np.quantile(differences, 0.1))
    assert pair.interval.high == pytest.approx(np.quantile(differences, 0.9))
    for system, scores in zip(result.systems, (a, b), strict=True):
        means = [sum(scores[row] for row in rows) / 25 for rows in draws]
        assert system.score == pytest.approx(sum(scores) / 25)
        assert system.interval.low == pytest.approx(np.quantile(means, 0.1))
        assert system.interval.high == pytest.approx(np.quantile(means, 0.9))


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
