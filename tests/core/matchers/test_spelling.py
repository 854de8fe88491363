"""The matchers of similar spellings and of swaps: what they look at, bins, options, their place among the others."""

from typing import Any

import numpy as np
import pytest

from pfsm.errors import PfsmError
from pfsm.matchers.agreement import SwapMatcher
from pfsm.matchers.protocol import EncodedPairs
from pfsm.matchers.spelling import LONGEST, SpellingMatcher, check_options, learn_options
from pfsm.model.metric import Metric
from pfsm.model.settings import settings_from_dict
from pfsm.text.vocabulary import Vocabulary
from tests.model_cases import model
from tests.oracles.enumeration import enumerate_all
from tests.oracles.log_linear import edit_lattice


def encoded(references: list[str], hypotheses: list[str], **options: Any) -> EncodedPairs:
    vocabulary = Vocabulary(**options)
    return EncodedPairs(vocabulary, vocabulary.encode(references), vocabulary.encode(hypotheses))


def matched(reference: str, hypothesis: str, **options: Any) -> dict[tuple[str, str], float]:
    """The similarities of the pairs of words that match; lines are split at spaces."""
    pairs = encoded([reference], [hypothesis], tokeniser="plain", stemmer="none")
    blocks, values = SpellingMatcher(**options).similar(pairs)
    left, right = reference.split(), hypothesis.split()
    assert set(blocks[:, 0].tolist()) <= {0}
    assert (blocks[:, [2, 4]] == 1).all()
    return {
        (left[i], right[j]): value
        for (_, i, _, j, _), value in zip(blocks.tolist(), values.tolist(), strict=True)
    }


def test_words_that_are_not_compared() -> None:
    """Numbers, which are other things; a word of less than four characters; one that is too long."""
    for pair in ("1990s", "1980s"), ("COVID-19", "COVID-18"), ("ten", "tent"), ("a" * 65, "a" * LONGEST):
        assert matched(*pair, minimum=0.1) == {}


def test_characters_are_those_in_lower_case() -> None:
    assert matched("HOUSES", "house") == {("HOUSES", "house"): 1 - 1 / 6}
    # İ is two characters in lower case, i and a dot above.
    assert matched("İzmir", "izmir") == {("İzmir", "izmir"): 1 - 1 / 6}
    # What no file can hold.
    _, values = SpellingMatcher().similar(encoded(["abcd\ud800"], ["abcd\udfff"], tokeniser="penn"))
    assert values.tolist() == [0.8]


def test_scores_are_those_of_all_edit_sequences() -> None:
    settings = {"matchers": ["word", "char"], "options": {"char": {"bins": [0.5, 0.8, 1.0]}}}
    weights = {
        "Insert": -0.5, "Delete": -1.0, "S_word": 1.5, "S_char": 0.25, "char:+0": 0.5, "char:+1": 1.0,
        "S_char>S_word": 0.5,
    }  # fmt: skip
    metric = Metric(model(settings=settings, weights=weights), 1)
    references = ["she walked home", "Petersburg river", "nothing alike"]
    hypotheses = ["he walks homes", "Peterburg rivers", "x y"]
    batch = metric._builder.build(references, hypotheses)
    expected = []
    for pair in range(3):
        lattice = edit_lattice(batch, pair, weights)
        expected.append(enumerate_all(lattice, weights).log_sum / (lattice.m + lattice.n) + 0.25)
    scores = metric.score_pairs(hypotheses, references)
    assert scores == pytest.approx(expected, abs=1e-12)


def test_bins_are_learned_from_words_that_share_neither_form_nor_stem() -> None:
    options = check_options({"bins": "auto"}, "x")
    # Compared: wander/wonder 5/6, minister/sinister 7/8, ministers/sinister 7/9; walked and Walks share a stem.
    pairs = encoded(["wander walked minister same", "ministers"], ["wonder Walks sinister Same", "sinister"])
    learned = learn_options(options, pairs)
    values = [5 / 6, 7 / 8, 7 / 9]
    quantiles = np.quantile(values, [0, 0.2, 0.4, 0.6, 0.8, 1])
    assert learned == {**options, "bins": [pytest.approx(value, abs=1e-4) for value in quantiles]}
    assert learn_options(options, encoded(["a"], ["b"]))["bins"] == []
    fixed = check_options({}, "x")
    assert learn_options(fixed, pairs) == fixed


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
