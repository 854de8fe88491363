"""Preferences and pairs of a segment, against loops over every pair, order and threshold."""

import math
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pfsm.errors import PfsmError
from pfsm.evaluation import (
    BestAccuracy,
    PairwiseJudgments,
    PreferenceCounts,
    accuracy_with_ties,
    best_accuracy,
    calibrate_ties,
    pair_counts,
    pairwise_judgments,
    preference_counts,
    random_accuracy,
    segment_pairs,
    wmt_kendall,
)
from pfsm.evaluation import preference as module
from pfsm.evaluation.segment_pairs import pair_table
from pfsm_kernels.statistics.pairs import best_order
from tests.oracles import pairs
from tests.oracles.pairs import Judgment

VOTES = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 4)), max_size=12)


@given(VOTES)
def test_against_votes_looked_at_one_by_one(rows: list[tuple[int, int, int]]) -> None:
    outcomes = [(better > worse) - (better < worse) for better, worse, votes in rows for _ in range(votes)]
    counts = preference_counts(*np.array(rows, dtype=np.float64).reshape(-1, 3).T)
    right, wrong, tied = (outcomes.count(outcome) for outcome in (1, -1, 0))
    assert counts == PreferenceCounts(right, wrong, tied)
    decided = [outcome for outcome in outcomes if outcome != 0]
    tied_as_wrong = [outcome or -1 for outcome in outcomes]
    expected: dict[Any, float] = {
        "wmt12": float(np.mean(tied_as_wrong)) if outcomes else math.nan,
        "darr": float(np.mean(tied_as_wrong)) if outcomes else math.nan,
        "wmt13": float(np.mean(decided)) if decided else math.nan,
        "wmt14": float(np.mean(outcomes)) if outcomes else math.nan,
    }
    assert counts.accuracy == pytest.approx(right / len(outcomes) if outcomes else math.nan, nan_ok=True)
    for variant, tau in expected.items():
        assert counts.kendall_tau(variant) == pytest.approx(tau, nan_ok=True)


def test_bad_arguments_are_refused() -> None:
    calls: tuple[tuple[Any, tuple[Any, ...], str], ...] = (
        (PreferenceCounts(1.0, 0.0, 0.0).kendall_tau, ("wmt99",), "'wmt99'"),
        (preference_counts, ([1.0, 2.0], [1.0]), "one length"),
        (preference_counts, ([1.0, 2.0], [1.0, 3.0], [1.0]), "votes have shape"),
        (preference_counts, ([1.0], [math.nan]), "not finite"),
        (preference_counts, ([1.0], [0.0], [-1.0]), "number of votes"),
        (wmt_kendall, ([1.0], [1.0], ["a"], "wmt99"), "'wmt99'"),
        (pair_counts, ([1.0, 2.0], [1.0, 2.0], None, -1.0), r"threshold is -1\.0"),
        (pairwise_judgments, (["a"], ["b"], [2], ["s"]), "1, -1 or 0"),
        (pairwise_judgments, (["a", "b"], ["b"], [1], ["s"]), "1 preferences between 2 and 1"),
        (pairwise_judgments, (["a"], ["b"], [1], ["s", "t"]), "1 rows, but 2 segments"),
        (best_order, (np.zeros((21, 21)), np.zeros((21, 21))), "items are too many"),
        (best_order, (np.zeros((14, 14)), np.ones((14, 14))), "items are too many"),
    )
    for call, arguments, message in calls:
        with pytest.raises(ValueError, match=message):
            call(*arguments)


judgments = st.lists(
    st.tuples(st.sampled_from("abcde"), st.sampled_from("abcde"), st.integers(-1, 1), st.integers(0, 3)),
    max_size=12,
)


def numbered(made: list[Judgment], segments: list[str] | None = None) -> PairwiseJudgments:
    first, second, preferred, votes = [list(column) for column in zip(*made, strict=True)] or [[]] * 4
    return pairwise_judgments(
        first, second, np.array(preferred, dtype=int), segments or ["s"] * len(made), votes
    )


@given(judgments)
@settings(max_examples=60)
def test_best_against_every_order(made: list[Judgment]) -> None:
    expected = max(
        (pairs.agreed(made, scores.__getitem__) for scores in pairs.every_scoring(made)), default=math.nan
    )
    found = best_accuracy(numbered(made))
    assert found.exact
    assert found.accuracy == pytest.approx(expected, abs=1e-14, nan_ok=True)


@given(judgments)
def test_random_against_every_order_without_ties(made: list[Judgment]) -> None:
    items = sorted({item for first, second, *_ in made for item in (first, second)}, key=str)
    accuracies = [
        pairs.agreed(made, dict(zip(order, range(len(order)), strict=True)).__getitem__)
        for order in permutations(items)
    ]
    assert random_accuracy(numbered(made)) == pytest.approx(
        float(np.mean(accuracies)), abs=1e-12, nan_ok=True
    )


def test_a_circle_too_large_for_the_search_gives_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_STRICT", 2)
    circle: list[Judgment] = [("a", "b", 1, 1.0), ("b", "c", 1, 1.0), ("c", "a", 1, 1.0)]
    assert best_accuracy(numbered(circle)) == BestAccuracy(1.0, exact=False)
    chain: list[Judgment] = [("a", "b", 1, 1.0), ("b", "c", 1, 1.0), ("a", "c", 1, 1.0)]
    assert best_accuracy(numbered(chain)) == BestAccuracy(1.0, exact=True)


def test_a_large_circle_is_searched() -> None:
    """Each of 15 beats the next seven: two pairs of three can be met, less what the circle costs."""
    names = [f"{number:02}" for number in range(15)]
    made: list[Judgment] = [
        (names[at], names[(at + step) % 15], 1, 1.0) for at in range(15) for step in range(1, 8)
    ]
    found = best_accuracy(numbered(made))
    assert found.exact
    in_order = pairs.agreed(made, lambda item: -names.index(str(item)))
    assert found.accuracy == pytest.approx(in_order)  # by symmetry no order is better than going round once


VARIANTS = ("wmt12", "wmt13", "wmt14", "darr")
rows = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), st.sampled_from("abc")), max_size=14)


def columns(
    made: list[tuple[int, int, str]], scale: float = 1.0
) -> tuple[list[float], list[float], list[str]]:
    return [scale * row[0] for row in made], [float(row[1]) for row in made], [row[2] for row in made]


@given(rows, st.sampled_from([0.0, 0.5, 1.0, 2.0]))
def test_counts_against_every_pair(made: list[tuple[int, int, str]], threshold: float) -> None:
    human, metric, segments = columns(made)
    expected = [pairs.counts(human, metric, rows, threshold) for rows in pairs.segment_rows(segments)]
    found = pair_counts(human, metric, segments, threshold)
    assert [sum(column) for column in zip(*expected, strict=True)] == (
        [found.concordant, found.discordant, found.ties_human, found.ties_metric, found.ties_both]
        if made
        else []
    )
    assert found.total == sum(sum(one) for one in expected)
    # Segments stand in the order of their names.
    by_name = dict(zip(dict.fromkeys(segments), expected, strict=True))
    table = pair_table(human, metric, segments, threshold)
    assert table.tolist() == [list(by_name[name]) for name in sorted(by_name)]


@given(rows, st.sampled_from(VARIANTS))
def test_wmt_kendall_against_every_pair(made: list[tuple[int, int, str]], variant: Any) -> None:
    human, metric, segments = columns(made, scale=12.5)
    expected = pairs.wmt_kendall(human, metric, segments, variant)
    assert wmt_kendall(human, metric, segments, variant) == pytest.approx(expected, abs=1e-14, nan_ok=True)


rows_tie_calibration = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 6), st.sampled_from("abc")), max_size=12
)


@given(rows_tie_calibration)
def test_against_every_threshold(made: list[tuple[int, int, str]]) -> None:
    human, metric = [float(row[0]) for row in made], [row[1] / 4 for row in made]
    segments = [row[2] for row in made]
    found = calibrate_ties(human, metric, segments)
    expected = pairs.best_accuracy_with_ties(human, metric, segments)
    assert found.accuracy == pytest.approx(expected, abs=1e-14, nan_ok=True)
    if not math.isnan(expected):
        at_threshold = pairs.accuracy_with_ties(human, metric, segments, found.threshold)
        assert at_threshold == pytest.approx(expected, abs=1e-14)
        assert accuracy_with_ties(human, metric, segments, found.threshold) == pytest.approx(expected)
        smaller = [gap / 4 for gap in range(7) if gap / 4 < found.threshold]
        assert all(
            pairs.accuracy_with_ties(human, metric, segments, gap) < expected - 1e-14 for gap in smaller
        )


def test_too_many_pairs_are_refused_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segment_pairs, "MOST_PAIRS", 5)
    with pytest.raises(PfsmError, match="6 pairs of translations of one segment, up to 4 translations each"):
        calibrate_ties([1.0] * 4, [1.0] * 4)
