"""Bracketings: sums and best against the list of all of them."""

import math

import numpy as np
import pytest

from pfsm_kernels.syntax.bracketing import best_bracketing, span_marginals
from tests.oracles.syntax import Float, bracketing_score, bracketings, span_sums


def scores_of(n: int, seed: int) -> Float:
    table = np.random.default_rng(seed).normal(scale=2.0, size=(n + 1, n + 1))
    table[np.tril_indices(n + 1)] = np.nan
    return table


@pytest.mark.parametrize(("n", "catalan"), [(1, 1), (2, 1), (3, 2), (4, 5), (5, 14), (6, 42), (12, 58786)])
def test_number_of_bracketings(n: int, catalan: int) -> None:
    marginals = np.zeros((n + 1, n + 1))
    assert span_marginals(np.zeros((n + 1, n + 1)), marginals) == pytest.approx(math.log(catalan))
    assert marginals.sum() == pytest.approx(2 * n - 1)


@pytest.mark.parametrize("n", range(1, 7))
def test_sums_and_the_best_equal_enumeration(n: int) -> None:
    for seed in range(5):
        scores = scores_of(n, seed)
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
