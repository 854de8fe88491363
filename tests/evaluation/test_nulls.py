"""Simulations without a difference: a nominal 5% level must reject about 5% of them.

The number of rejections has a binomial distribution; seeds are fixed, and the bounds are such that a sound test
exceeds them once in a thousand times.
"""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from pfsm.evaluation import paired_bootstrap_correlations, pearson, perm_both, williams_test

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


def bounds(n_simulations: int) -> tuple[int, int]:
    """Between which the number of rejections lies, if their chance is the nominal level."""
    low, high = stats.binom.ppf([0.0005, 0.9995], n_simulations, LEVEL)
    return int(low), int(high)


def bootstrap(statistic: str, by_segment: bool) -> Callable[[Scores, int], float]:
    def p_value(scores: Scores, seed: int) -> float:
        human, a, b, segments = scores
        result = paired_bootstrap_correlations(
            human, a, b, None, statistic, 199, seed, segments=segments if by_segment else None
        )
        return result.groups[0].p_value

    return p_value


def permutation(scores: Scores, seed: int) -> float:
    human, a, b, segments = scores
    return perm_both(human, a, b, segments, n_permutations=199, seed=seed).groups[0].p_value


def williams(scores: Scores, seed: int) -> float:
    human, a, b, _ = scores
    return williams_test(pearson(human, a), pearson(human, b), pearson(a, b), human.size).p_value


@pytest.mark.parametrize("statistic", ["pearson", "spearman", "kendall"])
def test_paired_bootstrap(statistic: str) -> None:
    low, high = bounds(600)
    assert low <= rejections(bootstrap(statistic, by_segment=False), independent, 600) <= high


def test_the_mean_over_groups() -> None:
    def p_value(scores: Scores, seed: int) -> float:
        human, a, b, items = scores
        groups = [f"group {item % 4}" for item in items]
        return paired_bootstrap_correlations(human, a, b, groups, "pearson", 199, seed).mean.p_value

    low, high = bounds(300)
    assert low <= rejections(p_value, lambda generator: independent(generator, 240), 300) <= high


def test_perm_both() -> None:
    low, high = bounds(500)
    assert low <= rejections(permutation, independent, 500) <= high


def test_williams() -> None:
    low, high = bounds(4000)
    assert low <= rejections(williams, independent, 4000) <= high


def test_the_tests_see_what_is_there() -> None:
    """Power: with much more noise in one metric, most simulations are rejected."""

    def unequal(generator: np.random.Generator) -> Scores:
        human, a, b, segments = independent(generator)
        return human, a, b + 3.0 * generator.normal(size=human.size), segments

    for p_value in (bootstrap("pearson", by_segment=False), permutation, williams):
        assert rejections(p_value, unequal, 60) > 45
