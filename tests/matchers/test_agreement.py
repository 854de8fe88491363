"""Words, stems and punctuation marks: what is offered, against every block looked at by its definition."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pfsm.matchers.protocol import EncodedPairs
from pfsm.matchers.registry import MATCHERS
from pfsm.text.vocabulary import Vocabulary
from tests.oracles import matching

NAMES = ("punct", "word", "lemma")
# Tokens that the plain tokeniser leaves whole between spaces: cases, inflections, marks, digits, other scripts.
TOKENS = ("walk", "Walk", "walks", "walked", "cat", "Cats", "7", ".", ",", "—", "İ", "дом", "x")
lines = st.lists(st.sampled_from(TOKENS), max_size=7)


def encoded(pairs: Sequence[tuple[Sequence[str], Sequence[str]]], lowercase: bool = True) -> EncodedPairs:
    vocabulary = Vocabulary("plain", "porter", lowercase)
    references = vocabulary.encode([" ".join(reference) for reference, _ in pairs])
    hypotheses = vocabulary.encode([" ".join(hypothesis) for _, hypothesis in pairs])
    for number, (reference, hypothesis) in enumerate(pairs):
        assert tokens(vocabulary, references.ids, references.offsets, number) == list(reference)
        assert tokens(vocabulary, hypotheses.ids, hypotheses.offsets, number) == list(hypothesis)
    return EncodedPairs(vocabulary, references, hypotheses)


def tokens(
    vocabulary: Vocabulary, ids: np.ndarray[tuple[int], np.dtype[np.int32]],
    offsets: np.ndarray[tuple[int], np.dtype[np.int64]], line: int,
) -> list[str]:  # fmt: skip
    return [vocabulary.types[token] for token in ids[offsets[line] : offsets[line + 1]]]


def offers(name: str, max_block: int, pairs: EncodedPairs) -> list[tuple[int, ...]]:
    rows = MATCHERS[name].build(max_block, {}).offers(pairs).blocks
    assert rows.dtype == np.int32
    assert rows.shape[1:] == (5,)
    return [tuple(row) for row in rows.tolist()]


@settings(deadline=None)
@given(
    st.lists(st.tuples(lines, lines), min_size=1, max_size=4),
    st.integers(1, 3),
    st.booleans(),
    st.sampled_from(NAMES),
)
def test_offers_are_the_blocks_that_match_token_by_token(
    pairs: list[tuple[list[str], list[str]]], max_block: int, lowercase: bool, name: str
) -> None:
    expected = [
        (number, *block)
        for number, (reference, hypothesis) in enumerate(pairs)
        for block in matching.offers(name, reference, hypothesis, max_block, lowercase)
    ]
    assert sorted(offers(name, max_block, encoded(pairs, lowercase))) == sorted(expected)


@pytest.mark.parametrize("name", NAMES)
def test_repetition_makes_every_combination(name: str) -> None:
    token = "," if name == "punct" else "so"
    found = offers(name, 3, encoded([([token] * 3, [token] * 4)]))
    # 12 pairs of tokens, 2 x 3 of pairs, 1 x 2 of triples.
    assert [sum(row[2] == size for row in found) for size in (1, 2, 3)] == [12, 6, 2]
    assert len(set(found)) == len(found) == 20
