"""Pairwise accuracy and its yardsticks against every possible order of the translations."""

import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pfsm.evaluation import (
    BestAccuracy,
    PairwiseJudgments,
    best_accuracy,
    pairwise_accuracy,
    pairwise_judgments,
    random_accuracy,
)
from pfsm.evaluation import preference as module
from pfsm_kernels.statistics.orders import best_order
from tests.oracles import pairs
from tests.oracles.pairs import Judgment

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
@settings(deadline=None, max_examples=60)
def test_best_against_every_order(made: list[Judgment]) -> None:
    expected = max(
        (pairs.agreed(made, scores.__getitem__) for scores in pairs.every_scoring(made)), default=math.nan
    )
    found = best_accuracy(numbered(made))
    assert found.exact
    assert found.accuracy == pytest.approx(expected, abs=1e-14, nan_ok=True)


@given(judgments)
@settings(deadline=None)
def test_random_against_every_order_without_ties(made: list[Judgment]) -> None:
    items = sorted({item for first, second, *_ in made for item in (first, second)}, key=str)
    accuracies = [
        pairs.agreed(made, dict(zip(order, range(len(order)), strict=True)).__getitem__)
        for order in permutations(items)
    ]
    assert random_accuracy(numbered(made)) == pytest.approx(
        float(np.mean(accuracies)), abs=1e-12, nan_ok=True
    )


@given(judgments, st.lists(st.integers(0, 2), min_size=5, max_size=5))
@settings(deadline=None)
def test_accuracy_of_scores(made: list[Judgment], scores: list[int]) -> None:
    score = dict(zip("abcde", scores, strict=True))
    first, second = ([score[str(row[side])] for row in made] for side in (0, 1))
    found = pairwise_accuracy(first, second, [row[2] for row in made], [row[3] for row in made])
    expected = pairs.agreed(made, lambda item: score[str(item)])
    assert found == pytest.approx(expected, abs=1e-14, nan_ok=True)
    if not math.isnan(expected):
        assert best_accuracy(numbered(made)).accuracy >= expected - 1e-14


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


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="1, -1 or 0"):
        pairwise_judgments(["a"], ["b"], [2], ["s"])
    with pytest.raises(ValueError, match="1 preferences between 2 and 1"):
        pairwise_judgments(["a", "b"], ["b"], [1], ["s"])
    with pytest.raises(ValueError, match="1 rows, but 2 segments"):
        pairwise_judgments(["a"], ["b"], [1], ["s", "t"])
    with pytest.raises(ValueError, match="number of votes"):
        pairwise_judgments(["a"], ["b"], [1], ["s"], [-1.0])
    with pytest.raises(ValueError, match="2 pairs, but 1 preferences"):
        pairwise_accuracy([1.0, 2.0], [2.0, 1.0], [1])
    square = np.zeros((2, 2))
    for wins, ties in (
        (square - 1.0, square),
        (square, np.array([[0.0, 1.0], [0.0, 0.0]])),
        (square[:1], square),
        (np.zeros((21, 21)), np.zeros((21, 21))),
        (np.zeros((14, 14)), np.ones((14, 14))),
    ):
        with pytest.raises(ValueError, match=r"judgments|items"):
            best_order(wins, ties)
