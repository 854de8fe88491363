"""Statistics within groups and their means, against the statistics of each group by itself."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from pfsm.evaluation import (
    MeanEstimate,
    evaluate_groups,
    evaluate_preference_groups,
    kendall_tau_b,
    pearson,
    preference_counts,
    preference_interval,
    spearman,
)
from pfsm.evaluation.bootstrap import group_seed

Scores = NDArray[np.float64]
SIZES = {"fr-en": 80, "cs-en": 40, "de-en": 40}


def judgments(seed: int = 1) -> tuple[Scores, Scores, list[str]]:
    """Correlated scores of the groups in `SIZES`, in a random order."""
    generator = np.random.default_rng(seed)
    names = np.array([name for name, size in SIZES.items() for _ in range(size)])
    x, noise = generator.normal(size=(2, names.size))
    order = generator.permutation(names.size)
    return x[order], np.round(x + noise, 1)[order], names[order].tolist()


def of_group(values: Scores, names: Sequence[str], name: str) -> Scores:
    return values[[place for place, other in enumerate(names) if other == name]]


def test_every_group_by_itself_and_the_plain_mean() -> None:
    x, y, names = judgments()
    result = evaluate_groups(x, y, names)
    assert [(group.name, group.n) for group in result.groups] == sorted(SIZES.items())
    for field, statistic in (("pearson", pearson), ("spearman", spearman), ("kendall_tau_b", kendall_tau_b)):
        values = [statistic(of_group(x, names, name), of_group(y, names, name)) for name in sorted(SIZES)]
        estimates = [getattr(group, field) for group in result.groups]
        assert [estimate.value for estimate in estimates] == values
        assert len(set(values)) == 3
        mean: MeanEstimate = getattr(result, field)
        assert mean.value == pytest.approx(sum(values) / 3)
        assert mean.left_out == ()
        for estimate in (*estimates, mean):
            assert estimate.interval.low < estimate.value < estimate.interval.high


def test_a_group_does_not_depend_on_the_others() -> None:
    x, y, names = judgments()
    alone = evaluate_groups(of_group(x, names, "de-en"), of_group(y, names, "de-en"), ["de-en"] * 40, seed=5)
    (together,) = [group for group in evaluate_groups(x, y, names, seed=5).groups if group.name == "de-en"]
    assert alone.groups == (together,)
    assert alone.pearson == MeanEstimate(together.pearson.value, together.pearson.interval, ())
    other = evaluate_groups(x, y, names, seed=6)
    assert together not in other.groups


def test_groups_without_a_statistic_are_left_out_and_named() -> None:
    x, y, names = judgments()
    more_x, more_y = np.append(x, [1.0, 1.0, 2.0, 9.0]), np.append(y, [1.0, 2.0, 3.0, 9.0])
    plain = evaluate_groups(x, y, names)
    result = evaluate_groups(more_x, more_y, [*names, "constant", "constant", "single", "another"])
    assert result.pearson.left_out == ("another", "constant", "single")
    assert result.kendall_tau_b == MeanEstimate(
        plain.kendall_tau_b.value, plain.kendall_tau_b.interval, ("another", "constant", "single")
    )
    constant = {group.name: group for group in result.groups}["constant"]
    assert constant.n == 2
    assert math.isnan(constant.spearman.value)
    assert math.isnan(constant.spearman.interval.low)


def test_preferences_of_every_group() -> None:
    generator = np.random.default_rng(2)
    better, worse = generator.integers(0, 5, size=(2, 120)) + np.array([[1], [0]])
    votes = generator.integers(1, 4, size=120).astype(np.float64)
    names = np.array(["b", "a", "c"] * 40)
    result = evaluate_preference_groups(better, worse, names.tolist(), votes)
    assert [group.name for group in result.groups] == ["a", "b", "c"]
    counts = [preference_counts(*(one[names == name] for one in (better, worse, votes))) for name in "abc"]
    assert [group.counts for group in result.groups] == counts
    assert [group.n for group in result.groups] == [40, 40, 40]
    for group in result.groups:
        for estimate in (group.accuracy, group.tau_wmt12, group.tau_wmt13):
            assert estimate.interval.low < estimate.value < estimate.interval.high
    assert result.accuracy.value == pytest.approx(np.mean([one.accuracy for one in counts]))
    assert result.tau_wmt12.value == pytest.approx(np.mean([one.kendall_tau("wmt12") for one in counts]))
    assert result.tau_wmt13.value == pytest.approx(np.mean([one.kendall_tau("wmt13") for one in counts]))
    assert result.tau_wmt13.value > result.tau_wmt12.value
    widest = max(group.accuracy.interval.high - group.accuracy.interval.low for group in result.groups)
    assert 0 < result.accuracy.interval.high - result.accuracy.interval.low < 0.8 * widest


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="group names"):
        evaluate_groups([1.0, 2.0], [1.0, 2.0], ["a"])
    with pytest.raises(ValueError, match="group names"):
        evaluate_preference_groups([1.0, 2.0], [1.0, 2.0], ["a"])
    with pytest.raises(ValueError, match="not finite"):
        evaluate_groups([1.0, math.inf], [1.0, 2.0], ["a", "b"])
    with pytest.raises(ValueError, match="number of votes"):
        evaluate_preference_groups([1.0], [2.0], ["a"], [-1.0])
    with pytest.raises(ValueError, match="confidence"):
        evaluate_groups([], [], [], confidence=95.0)
    with pytest.raises(ValueError, match="n_resamples"):
        evaluate_preference_groups([], [], [], n_resamples=0)


def test_segments_of_preferences_are_drawn_within_their_group() -> None:
    """The interval of a group is that of its pairs by themselves, segments of one name apart."""
    generator = np.random.default_rng(7)
    better, worse = generator.normal(size=(2, 90))
    names = [("cs", "de")[number % 2] for number in range(90)]
    segments = [f"{number // 10}" for number in range(90)]
    result = evaluate_preference_groups(better, worse, names, segments=segments, n_resamples=100, seed=3)
    for number, group in enumerate(result.groups):
        rows = slice(number, None, 2)
        expected = preference_interval(
            better[rows],
            worse[rows],
            segments=segments[rows],
            n_resamples=100,
            seed=group_seed(3, group.name),
        )
        assert group.accuracy.interval == expected
    blind = evaluate_preference_groups(better, worse, names, n_resamples=100, seed=3)
    assert blind.groups[0].accuracy.interval != result.groups[0].accuracy.interval
    assert blind.groups[0].accuracy.value == result.groups[0].accuracy.value
