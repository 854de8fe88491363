"""The registry: names, states, and that every matcher in it keeps the protocol's promises."""

import numpy as np
import pytest

from pfsm.matchers.protocol import EncodedPairs
from pfsm.matchers.registry import MATCHERS, matcher_state
from pfsm.settings import DEFAULT_MATCHERS
from pfsm.text.vocabulary import Vocabulary


def test_the_default_order_is_the_order_of_the_registry() -> None:
    assert tuple(MATCHERS)[: len(DEFAULT_MATCHERS)] == DEFAULT_MATCHERS == ("punct", "word", "lemma")


@pytest.mark.parametrize("name", MATCHERS)
def test_names_and_states(name: str) -> None:
    kind = MATCHERS[name]
    matcher = kind.build(1, kind.check({}, name))
    assert (matcher.name, matcher.state, matcher_state(name)) == (name, f"S_{name}", f"S_{name}")


def test_states_differ() -> None:
    assert len({matcher_state(name) for name in MATCHERS}) == len(MATCHERS)


@pytest.mark.parametrize("name", MATCHERS)
@pytest.mark.parametrize("max_block", [1, 2, 3])
def test_the_promises_of_the_protocol(name: str, max_block: int) -> None:
    vocabulary = Vocabulary()
    references = vocabulary.encode(["the cats, the cats", "", "walks !", "c d e ; : ! f", "he said per cent"])
    hypotheses = vocabulary.encode(["the cat, the cat", "a", "", "c d e ; : ! f", "he stated percent"])
    kind = MATCHERS[name]
    matcher = kind.build(max_block, kind.check({}, name))
    offers = matcher.offers(EncodedPairs(vocabulary, references, hypotheses)).blocks
    assert offers.dtype == np.int32
    assert len({tuple(row) for row in offers.tolist()}) == len(offers) > 0
    for pair, i, p, j, q in offers.tolist():
        assert 1 <= p <= max_block
        assert 1 <= q <= max_block
        assert 0 <= i <= i + p <= np.diff(references.offsets)[pair]
        assert 0 <= j <= j + q <= np.diff(hypotheses.offsets)[pair]
    # Synonyms and spellings are of single words, the shipped paraphrases of at most two.
    assert max(offers[:, 2]) == min(max_block, {"syn": 1, "char": 1, "para": 2}.get(name, max_block))
