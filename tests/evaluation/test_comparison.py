"""Paired comparison against a plain loop, the normal test, a hand-worked Holm and simulated nulls."""

import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from pfsm.errors import PfsmError
from pfsm.evaluation import bootstrap, compare_systems, holm, paired_p_value
from pfsm.evaluation.bootstrap import group_seed


def normal_scores(n_systems: int, n_segments: int, seed: int = 1) -> list[NDArray[np.float64]]:
    """Scores with a common part per segment, as systems have that translate the same text."""
    generator = np.random.default_rng(seed)
    common = generator.normal(size=n_segments)
    return [common + generator.normal(size=n_segments) for _ in range(n_systems)]


def two_sided(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    """The p-value of the normal test for paired differences."""
    differences = a - b
    return math.erfc(
        abs(differences.mean()) / (differences.std() / math.sqrt(differences.size)) / math.sqrt(2)
    )


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


@pytest.mark.parametrize("effect", [0.0, 0.03, 0.06])
def test_p_values_are_those_of_the_two_sided_normal_test(effect: float) -> None:
    a, b = normal_scores(2, 1500, seed=8)
    b = b - (b - a).mean() + effect  # the observed difference is the effect
    (pair,) = compare_systems(["a", "b"], [a, b], n_resamples=4000).pairs
    assert pair.difference == pytest.approx(-effect)
    assert pair.p_value == pytest.approx(two_sided(a, b), abs=0.03)


def test_five_percent_of_true_nulls_come_out_below_five_percent() -> None:
    trials = 800
    p_values = np.array(
        [
            compare_systems(["a", "b"], normal_scores(2, 100, seed=trial), n_resamples=200, seed=trial)
            .pairs[0]
            .p_value
            for trial in range(trials)
        ]
    )
    # Standard errors are 0.8 and 1.8 points; the bootstrap of 100 segments is known to be a little eager.
    assert (p_values < 0.05).mean() == pytest.approx(0.05, abs=0.02)
    assert (p_values < 0.5).mean() == pytest.approx(0.5, abs=0.05)


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


def test_results_depend_on_the_seed_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = normal_scores(2, 40)
    monkeypatch.setenv("PFSM_SEED", "77")
    expected = compare_systems(["a", "b"], scores, seed=77)
    assert compare_systems(["a", "b"], scores) == expected
    assert (expected.seed, expected.n_segments, expected.n_resamples) == (77, 40, 1000)
    monkeypatch.setattr(bootstrap, "_BLOCK", 90)
    assert compare_systems(["a", "b"], scores) == expected
    assert compare_systems(["a", "b"], scores, seed=78).systems[0].interval != expected.systems[0].interval
    monkeypatch.setenv("PFSM_SEED", "x")
    with pytest.raises(PfsmError, match="PFSM_SEED"):
        compare_systems(["a", "b"], scores)


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
    with pytest.raises(ValueError, match="same name"):
        compare_systems(["a", "a"], [a, b])
    with pytest.raises(ValueError, match="names"):
        compare_systems(["a"], [a, b])
    with pytest.raises(ValueError, match="names"):
        compare_systems([], [])
    with pytest.raises(ValueError, match="'b' has scores of shape"):
        compare_systems(["a", "b"], [a, b[:9]])
    with pytest.raises(ValueError, match="at least one segment"):
        compare_systems(["a", "b"], [a[:0], b[:0]])
    with pytest.raises(ValueError, match="'b' is not finite"):
        compare_systems(["a", "b"], [a, np.where(b == b[3], np.nan, b)])
    with pytest.raises(ValueError, match="significance"):
        compare_systems(["a", "b"], [a, b], significance=5.0)
    with pytest.raises(ValueError, match="confidence"):
        compare_systems(["a", "b"], [a, b], confidence=95.0)
    with pytest.raises(ValueError, match="n_resamples"):
        compare_systems(["a", "b"], [a, b], n_resamples=0)
    for p_values in ([1.5], [-0.1], [math.nan, 2.0], [[0.1]]):
        with pytest.raises(ValueError, match="from 0 to 1"):
            holm(p_values)
