"""Agreement with pairwise preferences: by hand and by loop."""

import math
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pfsm.evaluation import PreferenceCounts, bootstrap_interval, preference_counts, preference_interval


def test_by_hand() -> None:
    counts = preference_counts([3.0, 2.0, 1.0, 5.0], [1.0, 2.0, 2.0, 0.0], [2.0, 1.0, 3.0, 4.0])
    assert counts == PreferenceCounts(concordant=6.0, discordant=3.0, ties=1.0)
    assert counts.accuracy == pytest.approx(0.6)
    assert counts.kendall_tau("wmt12") == pytest.approx((6 - 4) / 10)
    assert counts.kendall_tau("wmt13") == pytest.approx((6 - 3) / 9)
    assert counts.kendall_tau("wmt14") == pytest.approx((6 - 3) / 10)
    assert counts.kendall_tau("darr") == pytest.approx((6 - 4) / 10)


pairs = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 4)), max_size=12)


@given(pairs)
def test_against_votes_looked_at_one_by_one(rows: list[tuple[int, int, int]]) -> None:
    outcomes = [(better > worse) - (better < worse) for better, worse, votes in rows for _ in range(votes)]
    counts = preference_counts(*np.array(rows, dtype=np.float64).reshape(-1, 3).T)
    right, wrong, tied = (outcomes.count(outcome) for outcome in (1, -1, 0))
    assert counts == PreferenceCounts(right, wrong, tied)
    decided = [outcome for outcome in outcomes if outcome != 0]
    tied_as_wrong = [outcome or -1 for outcome in outcomes]
    expected = {
        "accuracy": right / len(outcomes) if outcomes else math.nan,
        "wmt12": float(np.mean(tied_as_wrong)) if outcomes else math.nan,
        "wmt13": float(np.mean(decided)) if decided else math.nan,
        "wmt14": float(np.mean(outcomes)) if outcomes else math.nan,
    }
    assert counts.kendall_tau("wmt14") == pytest.approx(expected["wmt14"], nan_ok=True)
    assert counts.accuracy == pytest.approx(expected["accuracy"], nan_ok=True)
    assert counts.kendall_tau("wmt12") == pytest.approx(expected["wmt12"], nan_ok=True)
    assert counts.kendall_tau("wmt13") == pytest.approx(expected["wmt13"], nan_ok=True)


@pytest.mark.parametrize("statistic", ["accuracy", "wmt12", "wmt13", "wmt14", "darr"])
def test_the_interval_is_that_of_the_plain_bootstrap(statistic: Any) -> None:
    generator = np.random.default_rng(4)
    better, worse = generator.integers(0, 4, size=(2, 60))
    votes = generator.integers(0, 5, size=60)

    def plain(*arrays: Any) -> float:
        counts = preference_counts(*arrays)
        return counts.accuracy if statistic == "accuracy" else counts.kendall_tau(statistic)

    expected = bootstrap_interval(plain, better, worse, votes, n_resamples=400, seed=3, confidence=0.9)
    interval = preference_interval(
        better, worse, votes, statistic=statistic, n_resamples=400, seed=3, confidence=0.9
    )
    assert interval.low == pytest.approx(expected.low, abs=1e-12)
    assert interval.high == pytest.approx(expected.high, abs=1e-12)
    assert interval.low < plain(better, worse, votes) < interval.high


def test_nothing_to_count_is_undefined() -> None:
    for counts in (preference_counts([], []), preference_counts([1.0], [0.0], [0.0])):
        assert math.isnan(counts.accuracy)
        assert math.isnan(counts.kendall_tau("wmt12"))
    only_ties = preference_counts([1.0], [1.0])
    assert only_ties.kendall_tau("wmt12") == -1.0
    assert math.isnan(only_ties.kendall_tau("wmt13"))
    assert math.isnan(preference_interval([], []).low)
    assert math.isnan(preference_interval([1.0, 2.0], [1.0, 2.0], statistic="wmt13").high)


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="'wmt99'"):
        PreferenceCounts(1.0, 0.0, 0.0).kendall_tau("wmt99")
    with pytest.raises(ValueError, match="'accuracy'"):
        PreferenceCounts(1.0, 0.0, 0.0).kendall_tau("accuracy")
    with pytest.raises(ValueError, match="'tau'"):
        preference_interval([1.0], [0.0], statistic=cast("Any", "tau"))
    with pytest.raises(ValueError, match="one length"):
        preference_counts([1.0, 2.0], [1.0])
    with pytest.raises(ValueError, match="votes have shape"):
        preference_counts([1.0, 2.0], [1.0, 3.0], [1.0])
    with pytest.raises(ValueError, match="not finite"):
        preference_counts([1.0], [math.nan])
    for votes in (-1.0, math.nan, math.inf):
        with pytest.raises(ValueError, match="number of votes"):
            preference_counts([1.0], [0.0], [votes])
