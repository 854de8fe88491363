"""Minimum Bayes risk: expected scores against the definition, one score at a time."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pfsm.model import mbr
from pfsm.model.mbr import choose
from pfsm.model.metric import Metric
from tests.model_cases import model

LINES = ("the red bird sings", "a red bird sang .", "the bird is red", "", "walking near the river , slowly")
METRIC = Metric(model(), threads=1)


def by_definition(candidates: Sequence[str], weights: Sequence[float]) -> list[float]:
    """The expected score of each candidate, from scores made one by one."""
    expected = []
    for place, candidate in enumerate(candidates):
        others = [k for k in range(len(candidates)) if k != place]
        scores = [float(METRIC.sentence_score(candidate, [candidates[k]])) for k in others]
        total = sum(weights[k] for k in others)
        expected.append(sum(weights[k] * score for k, score in zip(others, scores, strict=True)) / total)
    return expected


weighted = st.lists(
    st.tuples(st.sampled_from(LINES), st.sampled_from((0.25, 1.0, 3.0))), min_size=2, max_size=6
)


@settings(deadline=None, max_examples=12)
@given(st.lists(weighted, min_size=1, max_size=3))
def test_expected_scores_are_those_of_the_definition(sources: list[list[tuple[str, float]]]) -> None:
    candidates = [[line for line, _ in source] for source in sources]
    weights = [[weight for _, weight in source] for source in sources]
    for given_weights in (None, weights):
        choices = choose(candidates, METRIC, weights=given_weights)
        assert len(choices) == len(sources)
        for place, choice in enumerate(choices):
            used = [1.0] * len(sources[place]) if given_weights is None else weights[place]
            expected = by_definition(candidates[place], used)
            np.testing.assert_allclose(choice.expected, expected, rtol=1e-10, atol=1e-10)
            # Of candidates that are equal but for rounding, the first.
            best = choice.expected >= choice.expected.max() - 1e-9 * np.abs(choice.expected).max()
            assert choice.candidate == int(np.argmax(best))
            assert choice.text == candidates[place][choice.candidate]
            assert choice.score == choice.expected[choice.candidate]


def test_neither_threads_nor_the_size_of_groups_change_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    words = " ".join(LINES).split()
    sources = [[" ".join(rng.choice(words, rng.integers(0, 12))) for _ in range(30)] for _ in range(6)]
    alone = [choice.expected for choice in choose(sources, METRIC)]
    done: list[int] = []
    monkeypatch.setattr(mbr, "PAIRS_AT_ONCE", 1000)
    monkeypatch.setattr("pfsm.model.builder.PAIRS_PER_BATCH", 100)
    monkeypatch.setattr("pfsm.model.metric.PAIRS_PER_BATCH", 100)
    shared = choose(sources, Metric(model(), threads=3), progress=done.append)
    assert done == [2, 4, 6]
    for one, other in zip(alone, shared, strict=True):
        assert one.tolist() == other.expected.tolist()


def test_what_cannot_be_is_refused() -> None:
    two = [["a", "b"]]
    for candidates, weights, message in (
        ([["a"]], None, "at least two"),
        (two, [[1.0, -1.0]], "a finite number from 0"),
        (two, [[1.0, float("inf")]], "a finite number from 0"),
        (two, [[1.0, 0.0]], "more than 0"),
        (two, [[1.0, 1.0]] * 2, "2 sources, candidates of 1"),
    ):
        with pytest.raises(ValueError, match=message):
            choose(candidates, METRIC, weights=weights)


def test_weights_are_given_by_name() -> None:
    call: Any = choose
    with pytest.raises(ValueError, match="by name"):
        call([LINES], [[1.0] * len(LINES)])
