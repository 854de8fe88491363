"""Human likeness and acceptability, by hand."""

import math

import numpy as np
import pytest
from scipy import stats

from pfsm.evaluation import human_acceptability, king
from pfsm.evaluation.king import King


def test_king_by_hand() -> None:
    """The reference wins its first case, ties the best of the second, and loses the third to one of two."""
    human, cases = [0.9, 0.5, 0.4], ["1", "2", "3"]
    automatic, of = [0.1, 0.8, 0.5, 0.2, 0.3, 0.6], ["1", "1", "2", "2", "3", "3"]
    assert king(human, cases, automatic, of) == pytest.approx(2 / 3)
    order = [5, 0, 3, 1, 4, 2]
    assert king(human, cases, [automatic[at] for at in order], [of[at] for at in order]) == pytest.approx(
        2 / 3
    )


def test_resamples_draw_segments_with_all_their_cases() -> None:
    """Two segments, two held-out references each: the first has both unbeaten, the second none."""
    measure = King(np.array([0, 1, 0, 1]), np.arange(4))
    metric = np.array([1.0, 0.0, 1.0, 0.0, 0.5, 0.5, 0.5, 0.5])
    assert measure.value(metric) == 0.5
    found = measure.resampled(metric, 200, seed=1)
    assert set(found.tolist()) == {0.0, 0.5, 1.0}
    assert np.mean(found == 0.5) == pytest.approx(0.5, abs=0.12)


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


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="more than one"):
        king([1.0, 2.0], ["1", "1"], [1.0], ["1"])
    with pytest.raises(ValueError, match="without a held-out"):
        king([1.0], ["1"], [1.0], ["2"])
    with pytest.raises(ValueError, match="not finite"):
        king([math.nan], ["1"], [1.0], ["1"])
    with pytest.raises(ValueError, match="shape"):
        human_acceptability([1.0, 2.0], np.ones((2, 3)))
    with pytest.raises(ValueError, match="no judge"):
        human_acceptability([1.0, 2.0], np.full((2, 3, 2), math.nan))
