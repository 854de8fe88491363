"""The matcher of swaps against every block of every pair of lines."""

import numpy as np
import pytest

from pfsm.errors import PfsmError
from pfsm.matchers.swap import SwapMatcher
from pfsm.model.metric import Metric
from pfsm.model.settings import settings_from_dict
from tests.matchers.test_spelling import encoded
from tests.model_cases import model
from tests.oracles.enumeration import Arc, EditLattice, enumerate_all

WORDS = ("a", "A", "b", "c", ",")
Block = tuple[int, int, int, int]


def swapped(reference: list[str], hypothesis: list[str], longest: int) -> set[Block]:
    """By definition: A B against B A, where the two are not the same straight on."""
    ours, theirs = ([token.lower() for token in side] for side in (reference, hypothesis))
    return {
        (i, first + second, j, first + second)
        for i in range(len(ours))
        for j in range(len(theirs))
        for first in range(1, longest)
        for second in range(1, longest - first + 1)
        if len(block := ours[i : i + first + second]) == first + second
        and block[first:] + block[:first] == theirs[j : j + first + second] != block
    }


@pytest.mark.parametrize("longest", [2, 3, 5])
def test_every_swap_is_offered_once(longest: int) -> None:
    rng = np.random.default_rng(longest)
    lines = [[WORDS[at] for at in rng.integers(0, len(WORDS), rng.integers(0, 9))] for _ in range(200)]
    sides = lines[:100], lines[100:]
    pairs = encoded(*([" ".join(line) for line in side] for side in sides), tokeniser="plain", stemmer="none")
    rows = SwapMatcher(longest).offers(pairs).blocks.tolist()
    expected = [
        [pair, *block]
        for pair, both in enumerate(zip(*sides, strict=True))
        for block in sorted(swapped(*both, longest))
    ]
    assert sorted(rows) == sorted(expected)
    assert len(expected) > 30


def test_scores_are_those_of_all_edit_sequences() -> None:
    rng = np.random.default_rng(1)
    weights = {"Insert": -0.5, "Delete": -0.75, "S_word": 1.0, "S_swap": 1.5, "S_swap>S_word": 0.25}
    metric = Metric(model(settings={"tokeniser": "plain", "matchers": ["word", "swap"]}, weights=weights), 1)
    words = ("a", "b", "c")
    lines = [[words[at] for at in rng.integers(0, 3, rng.integers(0, 5))] for _ in range(40)]
    references, hypotheses = lines[:20], lines[20:]
    expected = []
    for left, right in zip(references, hypotheses, strict=True):
        straight = [
            Arc(i, 1, j, 1, "S_word")
            for i, one in enumerate(left)
            for j, other in enumerate(right)
            if one == other
        ]
        blocks = [Arc(*block, "S_swap") for block in sorted(swapped(left, right, 2))]
        lattice = EditLattice(("Delete",) * len(left), ("Insert",) * len(right), (*straight, *blocks))
        expected.append(enumerate_all(lattice, weights).log_sum / max(1, len(left) + len(right)) + 0.25)
    scores = metric.score_pairs(
        [" ".join(line) for line in hypotheses], [" ".join(line) for line in references]
    )
    assert scores == pytest.approx(expected, abs=1e-9)


def test_the_smallest_swap_has_two_tokens() -> None:
    settings = settings_from_dict({"matchers": ["word", "swap"], "max_block": {"word": 2}}, "x")
    assert settings.max_block == {"word": 2, "swap": 2}
    with pytest.raises(
        PfsmError, match=r"^x: max_block of swap is 1, it must be at least 2: max_block: {swap: 2}$"
    ):
        settings_from_dict({"matchers": ["word", "swap"], "max_block": 1}, "x")
