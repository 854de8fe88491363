"""Dependency trees and bracketings: sums, the best and the k best against the list of all."""

import numpy as np
import pytest

from pfsm_linguistics.kernels.syntax.bracketing import best_bracketing, span_marginals
from pfsm_linguistics.parser.trees import best_tree, best_trees, tree_marginals
from tests.linguistics.oracles.syntax import (
    Float,
    bracketing_score,
    bracketings,
    single_root_trees,
    span_sums,
    tree_score,
    tree_sums,
)


def arc_scores(n: int, seed: int, spread: float = 2.0) -> Float:
    table = np.random.default_rng(seed).normal(scale=spread, size=(n, n + 1))
    # What is not to be read would spoil everything.
    table[np.arange(n), np.arange(n) + 1] = np.nan
    return table


@pytest.mark.parametrize("n", range(1, 7))
def test_trees_equal_enumeration(n: int) -> None:
    for seed in range(3):
        scores = arc_scores(n, seed)
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
    scores = arc_scores(4, 7, spread=1.0)
    scores[0, 2] += gap
    scores[1, 1] += gap
    log_sum, marginals = tree_marginals(scores)
    expected_sum, expected = tree_sums(scores)
    assert log_sum == pytest.approx(expected_sum, abs=1e-9)
    assert np.abs(marginals - expected).max() < 1e-9


def span_scores(n: int, seed: int) -> Float:
    table = np.random.default_rng(seed).normal(scale=2.0, size=(n + 1, n + 1))
    table[np.tril_indices(n + 1)] = np.nan
    return table


@pytest.mark.parametrize("n", range(1, 7))
def test_bracketings_equal_enumeration(n: int) -> None:
    for seed in range(5):
        scores = span_scores(n, seed)
        marginals, spans = np.zeros_like(scores), np.zeros((n - 1, 2), dtype=np.int32)
        log_sum = span_marginals(scores, marginals)
        expected_sum, expected = span_sums(scores)
        assert log_sum == pytest.approx(expected_sum, abs=1e-10)
        assert np.abs(marginals - expected).max() < 1e-10
        if n > 1:
            value = best_bracketing(scores, spans)
            best = max(bracketings(0, n), key=lambda found: bracketing_score(scores, found))
            assert set(map(tuple, spans.tolist())) == {span for span in best if span[1] - span[0] > 1}
            assert value == pytest.approx(bracketing_score(scores, best), abs=1e-12)
