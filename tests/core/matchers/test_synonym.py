"""S_syn: pairs of words that share a synset, against the dictionary itself."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pfsm.lexicons.compiling import Part, compile_synonyms
from pfsm.matchers.protocol import EncodedPairs, Matcher
from pfsm.matchers.registry import MATCHERS
from pfsm.matchers.synonym import SynonymMatcher
from pfsm.text.vocabulary import Vocabulary
from tests.core.lexicons.lexicon_cases import install

SYNSETS = {"w": "1", "x": "12", "y": "23", "z": "3", "dot": "4", ".": "4"}
lines = st.lists(st.sampled_from([*SYNSETS, "W", "other", "xs", "—"]), max_size=7)


@pytest.fixture
def matcher(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SynonymMatcher:
    monkeypatch.setenv("PFSM_RESOURCES", str(tmp_path))
    part = Part("n", {word: list(keys) for word, keys in SYNSETS.items()}, {}, (("s", ""),))
    install(compile_synonyms("few", [part], "free", []), tmp_path)
    return SynonymMatcher("few")


def share(one: str, other: str) -> bool:
    """Whether two tokens share a synset, by the dictionary above."""
    keys = [set(SYNSETS.get(token.lower().removesuffix("s"), "")) for token in (one, other)]
    return any(map(str.isalnum, one)) and any(map(str.isalnum, other)) and not keys[0].isdisjoint(keys[1])


def offers(
    matcher: Matcher, vocabulary: Vocabulary, pairs: list[tuple[list[str], list[str]]]
) -> list[tuple[int, ...]]:
    references = vocabulary.encode([" ".join(reference) for reference, _ in pairs])
    hypotheses = vocabulary.encode([" ".join(hypothesis) for _, hypothesis in pairs])
    found = matcher.offers(EncodedPairs(vocabulary, references, hypotheses))
    assert found.blocks.dtype == np.int32
    assert found.names == ()
    assert found.blocks.tolist() == sorted(found.blocks.tolist())
    return [tuple(row) for row in found.blocks.tolist()]


# The matcher of the fixture serves all examples: what it remembers of one must not show in the next.
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.lists(st.tuples(lines, lines), min_size=1, max_size=3), min_size=1, max_size=3), st.booleans()
)
def test_offers_are_the_words_that_share_a_synset(
    matcher: SynonymMatcher, batches: list[list[tuple[list[str], list[str]]]], lowercase: bool
) -> None:
    vocabulary = Vocabulary("plain", "none", lowercase)
    for pairs in batches:
        expected = [
            (number, i, 1, j, 1)
            for number, (reference, hypothesis) in enumerate(pairs)
            for i, one in enumerate(reference)
            for j, other in enumerate(hypothesis)
            if share(one, other)
        ]
        assert sorted(offers(matcher, vocabulary, pairs)) == expected


def test_wordnet_by_default() -> None:
    kind = MATCHERS["syn"]
    options = kind.check({}, "options")
    assert options == {"table": "wordnet-3.0"}
    matcher = kind.build(3, options)
    vocabulary = Vocabulary("plain")
    pairs = [(["Children", "bought", "cars", "."], ["the", "kids", "purchased", "an", "automobile", "."])]
    assert offers(matcher, vocabulary, pairs) == [(0, 0, 1, 1, 1), (0, 1, 1, 2, 1), (0, 2, 1, 4, 1)]
    assert matcher.resources[0].startswith("wordnet-3.0@")
    learned = kind.learn(options, EncodedPairs(vocabulary, vocabulary.encode([]), vocabulary.encode([])))
    assert learned == {"table": matcher.resources[0]}
    assert kind.check(learned, "options") == learned
