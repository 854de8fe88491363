"""Phrases in corresponding places, against a plain walk over the explanation of each pair."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pfsm.model.file import Model
from pfsm.model.metric import Metric
from pfsm.model.settings import settings_from_dict
from pfsm_training.paraphrases import CorrespondenceFinder

WORDS = ("the", "cat", "cats", "sat", "on", "A", "mat", ".", "down")
texts = st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join)
WEIGHTS = {"S_word": 4.0, "S_lemma": 3.0, "S_punct": 4.0, "Jump": -1.0}


def model(max_jump: int, max_block: int) -> Model:
    values = {"tokeniser": "plain", "max_jump": max_jump, "max_block": max_block}
    return Model("hand-written", settings_from_dict(values, "test"), WEIGHTS)


Phrase = tuple[str, ...]


def by_definition(
    metric: Metric, one: str, other: str, posterior: float
) -> tuple[set[tuple[Phrase, Phrase]], set[Phrase]]:
    """Phrases in corresponding places, and phrases that are aligned."""
    explained = metric.explain(other, one)
    sides = [[token.lower() for token in side] for side in (explained.reference, explained.hypothesis)]
    arcs = sorted(
        (part.reference, part.hypothesis)
        for part in explained.contributions
        if part.state.startswith("S_") and part.posterior >= posterior
    )
    aligned = [{token for arc in arcs for token in range(*arc[side])} for side in (0, 1)]
    ends = [((-1, 0), (-1, 0)), *arcs, (*((len(side), len(side) + 1) for side in sides),)]
    pairs: set[tuple[Phrase, Phrase]] = set()
    single: set[Phrase] = set()
    for before, after in pairwise(ends):
        spans = [range(before[side][1], after[side][0]) for side in (0, 1)]
        if all(0 < len(span) <= 2 and aligned[side].isdisjoint(span) for side, span in enumerate(spans)):
            left, right = (tuple(sides[side][token] for token in span) for side, span in enumerate(spans))
            if "." not in left + right:
                pairs.add((left, right))
        for side in (0, 1):
            words = sides[side]
            run = [arc[side] for arc in (before, after)]
            inside = all(0 <= first < last <= len(words) and last - first == 1 for first, last in run)
            if inside and all(before[s][1] == after[s][0] for s in (0, 1)):
                single.add((words[run[0][0]], words[run[1][0]]))
            if run[0][0] >= 0 and run[0][1] - run[0][0] == 1:
                single.add((words[run[0][0]],))
    return pairs, {phrase for phrase in single if "." not in phrase}


@pytest.mark.parametrize(("max_jump", "max_block"), [(0, 1), (3, 1), (0, 2)])
def test_against_the_definition(max_jump: int, max_block: int) -> None:
    chosen = model(max_jump, max_block)
    metric = Metric(chosen, 1)
    finder = CorrespondenceFinder(chosen, 0.6, 1)

    @settings(deadline=None, max_examples=60)
    @given(st.lists(st.tuples(texts, texts), min_size=1, max_size=4))
    def check(pairs: list[tuple[str, str]]) -> None:
        found = finder.find([one for one, _ in pairs], [other for _, other in pairs])
        left, right, same = (
            finder.phrases(numbers.tolist())
            for numbers in (found.pairs[:, 1], found.pairs[:, 2], found.aligned[:, 1])
        )
        for number, (one, other) in enumerate(pairs):
            expected_pairs, expected_same = by_definition(metric, one, other, 0.6)
            here = found.pairs[:, 0] == number
            assert {(left[k], right[k]) for k in here.nonzero()[0]} == expected_pairs
            here = found.aligned[:, 0] == number
            assert {same[k] for k in here.nonzero()[0]} == expected_same

    check()
