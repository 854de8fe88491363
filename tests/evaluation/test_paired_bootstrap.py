"""Two metrics compared: resamples against a plain loop, groups, means, and what both metrics share."""

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from pfsm.errors import PfsmError
from pfsm.evaluation import PairedTest, paired_bootstrap_correlations, pearson
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
