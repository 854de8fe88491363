"""Paired comparison against a plain loop, the normal test, a hand-worked Holm and simulated nulls."""

import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from pfsm.evaluation import bootstrap, compare_systems, holm, paired_p_value
from pfsm.evaluation.bootstrap import group_seed


def normal_scores(n_systems: int, n_segments: int, seed: int = 1) -> list[NDArray[np.float64]]:
    """Scores with a common part per segment, as systems have that translate the same text."""
    generator = np.random.default_rng(seed)
    common = generator.normal(size=n_segments)
    return [common + generator.normal(size=n_segments) for _ in range(n_systems)]


def test_against_a_plain_loop() -> None:
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


def test_identical_systems_do_not_differ() -> None:
    scores = normal_scores(1, 30)[0] + 1e6
    (pair,) = compare_systems(["a", "b"], [scores, scores.copy()]).pairs
    assert pair.difference == 0.0
    assert math.isnan(pair.interval.low)
    assert (pair.p_value, pair.p_holm, pair.preferred) == (1.0, 1.0, None)
    assert (pair.wins, pair.losses, pair.ties) == (0, 0, 30)


def test_one_segment_shows_nothing() -> None:
    result = compare_systems(["a", "b"], [np.array([1.0]), np.array([5.0])])
    (pair,) = result.pairs
    assert (pair.difference, pair.preferred) == (-4.0, None)
    assert math.isnan(pair.p_value)
    assert math.isnan(pair.p_holm)
    assert math.isnan(pair.interval.low)
    assert all(math.isnan(system.interval.low) for system in result.systems)


def test_resamples_that_never_differ_have_no_p_value() -> None:
    nan = math.nan
    # But for rounding; a difference of exactly 0 is none, whatever is drawn.
    cases: tuple[tuple[list[float], float], ...] = (
        ([2.0, 2.0], 2.0),
        ([0.3, 0.1 + 0.2], 0.3),
        ([nan, 2.0], 2.0),
        ([nan, nan], 0.0),
        ([], 1.0),
    )
    for resampled, difference in cases:
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


def test_bad_arguments_are_refused() -> None:
    a, b = normal_scores(2, 10)
    for names, scores, settings, message in (
        (["a", "a"], [a, b], {}, "same name"),
        (["a"], [a, b], {}, "names"),
        (["a", "b"], [a, b[:9]], {}, "'b' has scores of shape"),
        (["a", "b"], [a[:0], b[:0]], {}, "at least one segment"),
        (["a", "b"], [a, np.where(b == b[3], np.nan, b)], {}, "'b' is not finite"),
        (["a", "b"], [a, b], {"significance": 5.0}, "significance"),
    ):
        with pytest.raises(ValueError, match=message):
            compare_systems(names, scores, **settings)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="from 0 to 1"):
        holm([1.5])
