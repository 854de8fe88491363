"""Agreement about systems: by hand and against all permutations; likeness and acceptability."""

import math
from functools import partial
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from pfsm.evaluation import (
    human_acceptability,
    king,
    soft_pairwise_accuracy,
    system_pairwise_accuracy,
)
from pfsm.evaluation.measure import scored_items
from pfsm.evaluation.people import leads_of_segments, summed_leads
from pfsm.evaluation.systems import SYSTEM_STATISTICS, p_values_of_leads, system_measure


def test_pairwise_accuracy_by_hand() -> None:
    human, metric = [1.0, 2.0, 3.0, 3.0], [10.0, 30.0, 20.0, 20.0]
    # Right: (0, 1), (0, 2), (0, 3), and (2, 3), which both tie. Wrong: (1, 2) and (1, 3).
    assert system_pairwise_accuracy(human, metric) == pytest.approx(4 / 6)
    assert system_pairwise_accuracy(human, [-score for score in metric]) == pytest.approx((2 + 1) / 6)
    assert system_pairwise_accuracy([1.0, 2.0], [1.0, 1.0]) == 0.0
    assert math.isnan(system_pairwise_accuracy([1.0], [1.0]))


def exact_p_values(scores: NDArray[np.float64]) -> list[float]:
    """Every way to swap; equal leads count half."""
    values = []
    for first, second in combinations(scores, 2):
        differences = [a - b for a, b in zip(first, second, strict=True) if not math.isnan(a - b)]
        lead = sum(differences)
        permuted = [
            sum(sign * difference for sign, difference in zip(signs, differences, strict=True))
            for signs in product((1, -1), repeat=len(differences))
        ]
        ahead = sum(one > lead for one in permuted) + sum(one == lead for one in permuted) / 2
        values.append(ahead / len(permuted) if differences else math.nan)
    return values


def test_p_values_against_every_permutation() -> None:
    scores = np.random.default_rng(2).integers(0, 8, size=(4, 7)).astype(np.float64)
    scores[0, 2] = scores[1, 5] = math.nan
    scores[3] = [math.nan] * 6 + [1.0]
    scores[2, 6] = math.nan  # systems 2 and 3 share no segment
    found = p_values_of_leads(summed_leads(leads_of_segments(scores), np.arange(7)), 20_000, seed=3)
    np.testing.assert_allclose(found, exact_p_values(scores), atol=0.015)


def test_soft_pairwise_accuracy_is_one_less_the_mean_distance_of_p_values() -> None:
    generator = np.random.default_rng(6)
    human, metric = generator.integers(0, 8, size=(2, 3, 6)).astype(np.float64)
    names: dict[str, Any] = dict(zip(("systems", "segments"), np.indices((3, 6)).reshape(2, -1), strict=True))
    expected = 1.0 - np.mean(np.abs(np.subtract(exact_p_values(human), exact_p_values(metric))))
    found = soft_pairwise_accuracy(human.ravel(), metric.ravel(), **names, n_permutations=20_000, seed=7)
    assert found == pytest.approx(expected, abs=0.015)
    assert soft_pairwise_accuracy(human.ravel(), 2 * human.ravel(), **names) == 1.0


def test_a_system_that_is_not_in_a_resample_leaves_it_undefined() -> None:
    items = scored_items([1.0, 2.0, 3.0], segments=[0, 0, 1], systems=["a", "b", "c"])
    found = system_measure(items, SYSTEM_STATISTICS["accuracy"]).resampled(np.array([1.0, 2.0, 3.0]), 64, 1)
    assert set(found[~np.isnan(found)]) == {1.0}
    assert 0 < np.isnan(found).sum() < 64


def test_king_by_hand() -> None:
    """The reference wins its first case, ties the best of the second, and loses the third to one of two."""
    human, cases = [0.9, 0.5, 0.4], ["1", "2", "3"]
    automatic, of = [0.1, 0.8, 0.5, 0.2, 0.3, 0.6], ["1", "1", "2", "2", "3", "3"]
    assert king(human, cases, automatic, of) == pytest.approx(2 / 3)
    order = [5, 0, 3, 1, 4, 2]
    assert king(human, cases, [automatic[at] for at in order], [of[at] for at in order]) == pytest.approx(
        2 / 3
    )


def test_acceptability_is_the_correlation_with_mean_sums() -> None:
    """Adequacy and fluency are added, judges averaged."""
    generator = np.random.default_rng(1)
    metric = generator.normal(size=20)
    assessments = generator.integers(1, 6, size=(20, 3, 2)).astype(np.float64)
    expected = stats.pearsonr(
        metric, [np.mean([a + f for a, f in judges]) for judges in assessments]
    ).statistic
    assert human_acceptability(metric, assessments) == pytest.approx(expected, abs=1e-12)
    # A judge who left a translation out is left out of its mean.
    assessments[4, 1, 0] = math.nan
    means = np.nanmean(assessments.sum(axis=2), axis=1)
    assert human_acceptability(metric, assessments) == pytest.approx(stats.pearsonr(metric, means).statistic)


def test_undefined_and_refused() -> None:
    assert math.isnan(soft_pairwise_accuracy([1.0, 2.0], [1.0, 2.0], systems=["a", "b"], segments=["1", "2"]))
    calls: tuple[tuple[Any, tuple[Any, ...], str], ...] = (
        (
            partial(soft_pairwise_accuracy, systems=["a"], segments=["1", "2"]),
            ([1.0, 2.0], [1.0, 2.0]),
            "1 systems",
        ),
        (king, ([1.0, 2.0], ["1", "1"], [1.0], ["1"]), "more than one"),
        (king, ([1.0], ["1"], [1.0], ["2"]), "without a held-out"),
        (king, ([math.nan], ["1"], [1.0], ["1"]), "not finite"),
        (human_acceptability, ([1.0, 2.0], np.ones((2, 3))), "shape"),
        (human_acceptability, ([1.0, 2.0], np.full((2, 3, 2), math.nan)), "no judge"),
    )
    for call, arguments, message in calls:
        with pytest.raises(ValueError, match=message):
            call(*arguments)
