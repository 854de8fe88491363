"""PERM-BOTH against every way to swap, and what it is told about groups and levels."""

import math
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from pfsm.evaluation import calibrate_ties, perm_both
from pfsm.evaluation.significance import _p_value
from tests.evaluation.test_paired_bootstrap import scores


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
    result = perm_both(
        human,
        a,
        10 * b + 3,
        [0, 0, 0, 0, 1, 1, 1, 1],
        statistic=statistic,
        n_permutations=4000,
        resample="judgments",
    )
    (group,) = result.groups
    assert group.p_value == pytest.approx(exact(human, a, b, value), abs=0.03)
    assert group.value_a == pytest.approx(value(human, a))
    assert group.difference == pytest.approx(group.value_a - group.value_b)
    assert math.isnan(group.interval.low)
    assert result.test == "PERM-BOTH"


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


def test_what_is_undefined_stays_so() -> None:
    human, a, _ = scores(20)
    result = perm_both(human, a, np.ones(20), n_permutations=20)
    assert math.isnan(result.groups[0].p_value)
    assert math.isnan(result.mean.p_value)
    nothing = perm_both([], [], [], n_permutations=20)
    assert nothing.groups == ()
    assert math.isnan(nothing.mean.p_value)


def test_permutations_that_are_not_a_number_count_as_large() -> None:
    """They say nothing against the null hypothesis: of nine, five are as large, and four of these not a number."""
    permuted = np.array([math.nan, 0.1, math.nan, -0.5, 0.2, math.nan, -0.1, 0.0, math.nan])
    assert _p_value(permuted, 0.3) == pytest.approx((5 + 1) / (9 + 1))
    assert _p_value(np.full(9, math.nan), 0.3) == 1.0
    assert math.isnan(_p_value(permuted, math.nan))


def test_bad_arguments_are_refused() -> None:
    human, a, b = scores(5)
    with pytest.raises(ValueError, match="n_permutations is 0"):
        perm_both(human, a, b, n_permutations=0)
    with pytest.raises(ValueError, match="needs segments"):
        perm_both(human, a, b, statistic="acc-t")
    with pytest.raises(ValueError, match="at system level there are pearson"):
        perm_both(human, a, b, statistic="acc-t", level="system")
