"""The matcher of swaps against every block of every pair of lines."""

import numpy as np
import pytest

from pfsm.errors import PfsmError
from pfsm.matchers.agreement import SwapMatcher
from pfsm.model.settings import settings_from_dict
from tests.matchers.test_spelling import encoded

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


def test_the_smallest_swap_has_two_tokens() -> None:
    settings = settings_from_dict({"matchers": ["word", "swap"], "max_block": {"word": 2}}, "x")
    assert settings.max_block == {"word": 2, "swap": 2}
    with pytest.raises(
        PfsmError, match=r"^x: max_block of swap is 1, it must be at least 2: max_block: {swap: 2}$"
    ):
        settings_from_dict({"matchers": ["word", "swap"], "max_block": 1}, "x")
