"""Dependency trees: sums, best and k best against the list of all trees."""

import math

import numpy as np
import pytest

from pfsm.english.parser.trees import best_tree, best_trees, tree_marginals
from tests.oracles.syntax import Float, single_root_trees, tree_score, tree_sums


def scores_of(n: int, seed: int, spread: float = 2.0) -> Float:
    table = np.random.default_rng(seed).normal(scale=spread, size=(n, n + 1))
    # What is not to be read would spoil everything.
    table[np.arange(n), np.arange(n) + 1] = np.nan
    return table


@pytest.mark.parametrize(("n", "trees"), [(1, 1), (2, 2), (3, 9), (4, 64), (5, 625), (6, 7776)])
def test_number_of_single_root_trees(n: int, trees: int) -> None:
    # Cayley: n^(n-2) trees, each with n choices of the root.
    assert len(single_root_trees(n)) == trees
    log_sum, marginals = tree_marginals(np.zeros((n, n + 1)))
    assert log_sum == pytest.approx(math.log(trees), abs=1e-12)
    assert marginals.sum(axis=1) == pytest.approx(1.0)
    assert marginals[:, 0].sum() == pytest.approx(1.0)


@pytest.mark.parametrize("n", range(1, 7))
def test_sums_and_trees_equal_enumeration(n: int) -> None:
    for seed in range(3):
        scores = scores_of(n, seed)
        log_sum, marginals = tree_marginals(scores)
        expected_sum, expected = tree_sums(scores)
        assert log_sum == pytest.approx(expected_sum, abs=1e-10)
        assert np.abs(marginals - expected).max() < 1e-10
        trees = sorted(single_root_trees(n), key=lambda tree: -tree_score(scores, tree))
        values = [tree_score(scores, tree) for tree in trees]
        value, heads = best_tree(scores)
        assert tuple(heads.tolist()) == trees[0]
        assert value == pytest.approx(values[0], abs=1e-12)
        found = best_trees(scores, 700)
        assert [tuple(heads.tolist()) for _, heads in found] == trees[:700]
        assert [value for value, _ in found] == pytest.approx(values[:700])


@pytest.mark.parametrize("gap", [30.0, 80.0, 400.0])
def test_words_that_prefer_each_other_beyond_double_precision(gap: float) -> None:
    # Words 1 and 2 want each other; every tree breaks that cycle, and the determinant is e^-gap of the largest.
    scores = scores_of(4, 7, spread=1.0)
    scores[0, 2] += gap
    scores[1, 1] += gap
    log_sum, marginals = tree_marginals(scores)
    expected_sum, expected = tree_sums(scores)
    assert log_sum == pytest.approx(expected_sum, abs=1e-9)
    assert np.abs(marginals - expected).max() < 1e-9
