"""Two metrics compared: resamples against a plain loop, groups, means, and what both metrics share."""

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from pfsm.errors import PfsmError
from pfsm.evaluation import PairedTest, mean_removed_pearson, paired_bootstrap_correlations, pearson
from pfsm.evaluation.bootstrap import group_seed, resampled_rows


def scores(n: int, seed: int = 1, noise: tuple[float, float] = (1.0, 1.0)) -> tuple[NDArray[np.float64], ...]:
    """People's scores and those of two metrics that see the same plus noise."""
    generator = np.random.default_rng(seed)
    human = generator.normal(size=n)
    return (human, *(human + spread * generator.normal(size=n) for spread in noise))


def test_against_a_plain_loop() -> None:
    human, a, b = scores(30)
    result = paired_bootstrap_correlations(human, a, b, n_resamples=200, seed=9, confidence=0.8)
    (group,) = result.groups
    assert (result.test, result.statistic, result.seed, result.n_resamples) == (
        "paired bootstrap",
        "pearson",
        9,
        200,
    )
    (draws,) = resampled_rows(30, 200, group_seed(9, "all"))
    differences = np.array(
        [
            stats.pearsonr(a[rows], human[rows]).statistic - stats.pearsonr(b[rows], human[rows]).statistic
            for rows in draws
        ]
    )
    observed = stats.pearsonr(a, human).statistic - stats.pearsonr(b, human).statistic
    as_far = int((np.abs(differences - differences.mean()) >= abs(observed)).sum())
    assert group.difference == pytest.approx(observed)
    assert group.p_value == (as_far + 1) / 201
    assert 0 < as_far < 200
    assert group.interval.low == pytest.approx(np.quantile(differences, 0.1))
    assert group.interval.high == pytest.approx(np.quantile(differences, 0.9))
    assert (group.name, group.n) == ("all", 30)
    assert group.value_a == pytest.approx(pearson(a, human))


def groups_of(n: int) -> list[str]:
    return [("cs", "de", "fi")[row % 3] for row in range(n)]


def test_groups_mean_and_pooled() -> None:
    human, a, b = scores(120, noise=(1.0, 1.4))
    groups = groups_of(120)
    result = paired_bootstrap_correlations(human, a, b, groups, n_resamples=300, seed=4)
    assert [group.name for group in result.groups] == ["cs", "de", "fi"]
    for number, group in enumerate(result.groups):
        rows = slice(number, None, 3)
        alone = paired_bootstrap_correlations(
            human[rows], a[rows], b[rows], [group.name] * 40, n_resamples=300, seed=4
        )
        assert alone.groups == (group,)
    assert result.mean.difference == pytest.approx(np.mean([group.difference for group in result.groups]))
    assert result.mean.value_a == pytest.approx(np.mean([group.value_a for group in result.groups]))
    assert result.pooled is not None
    assert result.pooled.value_a == pytest.approx(pearson(a, human))
    assert result.mean.n == result.pooled.n == 120
    # Three groups tell more than one.
    width = result.mean.interval.high - result.mean.interval.low
    assert width < 0.8 * min(group.interval.high - group.interval.low for group in result.groups)


def test_the_mean_of_resamples_is_over_groups() -> None:
    human, a, b = scores(60)
    groups = groups_of(60)
    result = paired_bootstrap_correlations(human, a, b, groups, n_resamples=100, seed=4, confidence=0.5)
    differences = []
    for number, name in enumerate(("cs", "de", "fi")):
        people, one, other = (part[number::3] for part in (human, a, b))
        (draws,) = resampled_rows(20, 100, group_seed(4, name))
        differences.append(
            [pearson(one[rows], people[rows]) - pearson(other[rows], people[rows]) for rows in draws]
        )
    low, high = np.quantile(np.mean(differences, axis=0), [0.25, 0.75])
    assert result.mean.interval.low == pytest.approx(low)
    assert result.mean.interval.high == pytest.approx(high)


def test_a_group_without_the_statistic_is_left_out_of_the_mean() -> None:
    human, a, b = scores(60)
    b[::3] = 1.0
    result = paired_bootstrap_correlations(human, a, b, groups_of(60), n_resamples=50)
    cs, de, fi = result.groups
    assert math.isnan(cs.difference)
    assert math.isnan(cs.p_value)
    assert math.isnan(cs.interval.low)
    assert result.mean.difference == pytest.approx((de.difference + fi.difference) / 2)
    nothing = paired_bootstrap_correlations(human, a, np.ones(60), groups_of(60), n_resamples=50)
    assert math.isnan(nothing.mean.p_value)


def test_a_metric_against_itself() -> None:
    human, a, _ = scores(40)
    (group,) = paired_bootstrap_correlations(human, a, 3 * a - 1, n_resamples=100).groups
    assert group.difference == pytest.approx(0.0, abs=1e-12)
    (group,) = paired_bootstrap_correlations(human, a, a, n_resamples=100).groups
    assert (group.difference, group.p_value) == (0.0, 1.0)


def test_a_clear_difference_is_seen_and_sides_are_mirrored() -> None:
    human, a, b = scores(300, noise=(0.5, 1.5))
    one = paired_bootstrap_correlations(human, a, b, seed=1).mean
    other = paired_bootstrap_correlations(human, b, a, seed=1).mean
    assert one.p_value == other.p_value == 1 / 1001
    assert one.difference == -other.difference
    assert one.interval.low == pytest.approx(-other.interval.high)
    assert one.interval.low > 0.2


def test_whole_segments_are_drawn() -> None:
    """Twice the same data is no more evidence, if both copies are drawn together."""
    human, a, b = scores(50)
    people, one, other = (np.tile(part, 2) for part in (human, a, b))
    alone = paired_bootstrap_correlations(human, a, b, segments=np.arange(50), n_resamples=500, seed=2)
    twice = paired_bootstrap_correlations(
        people, one, other, segments=np.tile(np.arange(50), 2), n_resamples=500, seed=2
    )
    assert twice.groups[0].p_value == alone.groups[0].p_value
    assert twice.groups[0].interval.low == pytest.approx(alone.groups[0].interval.low)
    blind = paired_bootstrap_correlations(people, one, other, n_resamples=500, seed=2)
    widths = [result.groups[0].interval.high - result.groups[0].interval.low for result in (blind, twice)]
    assert widths[0] < 0.85 * widths[1]


def test_segments_of_different_groups_are_different_ones() -> None:
    human, a, b = scores(60)
    segments = np.arange(60) // 3 % 4
    result = paired_bootstrap_correlations(
        human, a, b, groups_of(60), "mean-removed", segments=segments, n_resamples=20
    )
    named = [f"{group} {segment}" for group, segment in zip(groups_of(60), segments, strict=True)]
    assert result.pooled is not None
    assert result.pooled.value_a == pytest.approx(mean_removed_pearson(a, human, named))


def test_the_system_level_is_not_pooled() -> None:
    human, a, b = scores(60)
    result = paired_bootstrap_correlations(
        human, a, b, groups_of(60), "accuracy", 20, systems=np.arange(60) // 3 % 5, level="system"
    )
    assert result.pooled is None
    assert len(result.groups) == 3


def test_the_same_rule_as_for_systems() -> None:
    """Of two rows correlations are 1 or -1 wherever there are any: p is undefined; of equal metrics it is 1."""
    human = np.array([1.0, 2.0])
    apart = paired_bootstrap_correlations(human, human, -human).groups[0]
    assert (apart.difference, math.isnan(apart.p_value)) == (2.0, True)
    alike = paired_bootstrap_correlations(human, human, 2 * human).groups[0]
    assert (alike.difference, alike.p_value) == (0.0, 1.0)
    single = paired_bootstrap_correlations([1, 2, 4], [1, 2, 3], [1, 2, 3], segments=["s"] * 3).groups[0]
    assert (single.difference, math.isnan(single.p_value)) == (0.0, True)


def test_the_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    human, a, b = scores(30)

    def result(seed: int | None) -> PairedTest:
        return paired_bootstrap_correlations(human, a, b, n_resamples=50, seed=seed)

    assert result(3) == result(3)
    assert result(3).groups != result(4).groups
    monkeypatch.setenv("PFSM_SEED", "3")
    assert result(None) == result(3)
    monkeypatch.setenv("PFSM_SEED", "three")
    with pytest.raises(PfsmError, match="PFSM_SEED"):
        result(None)


def test_bad_arguments_are_refused() -> None:
    human, a, b = scores(5)
    cases: tuple[tuple[tuple[Any, ...], str], ...] = (
        ((human, a[:4], b), "5 of them"),
        ((human, a, b, ["x"]), "group names"),
        ((human, a, b, None, "kendal"), "at segment level there are pearson"),
        ((human, a, b, None, "mean-removed"), "needs segments"),
        ((human, a, b, None, "pearson", 0), "n_resamples is 0"),
        ((human, a * np.inf, b), "not finite"),
    )
    for arguments, message in cases:
        with pytest.raises(ValueError, match=message):
            paired_bootstrap_correlations(*arguments)
    with pytest.raises(ValueError, match="level is 'word'"):
        paired_bootstrap_correlations(human, a, b, level="word")
