"""Tables of paraphrases: every pair is found by its words, and no other."""

from collections.abc import Iterator

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from pfsm.lexicons.container import lexicon_bytes
from pfsm.lexicons.paraphrases import ParaphraseTable, Phrase, compile_paraphrases
from tests.lexicons.lexicon_cases import paraphrases

WORDS = ["a", "b", "c", "é"]
phrases = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(tuple)
tables = st.dictionaries(st.tuples(phrases, phrases), st.floats(1e-9, 1.0), max_size=30)


def walk(table: ParaphraseTable) -> Iterator[tuple[Phrase, int]]:
    """Every phrase of the trie with its node, by following the children down from the words."""
    n_words = table.child_offsets.size - 1 - table.child_words.size
    words = [
        word for place, word in sorted(zip(table.words(WORDS).tolist(), WORDS, strict=True)) if place >= 0
    ]
    stack: list[tuple[Phrase, int]] = [((word,), number) for number, word in enumerate(words)]
    while stack:
        phrase, node = stack.pop()
        yield phrase, node
        children = range(table.child_offsets[node], table.child_offsets[node + 1])
        assert sorted(table.child_words[child] for child in children) == [
            table.child_words[child] for child in children
        ]
        stack += [((*phrase, words[table.child_words[child]]), n_words + child) for child in children]


@settings(deadline=None)
@given(tables)
def test_the_arrays_hold_the_table(given: dict[tuple[Phrase, Phrase], float]) -> None:
    table = ParaphraseTable(compile_paraphrases("t", given, "free", []))
    phrase_of = {node: phrase for phrase, node in walk(table)}
    assert sorted(phrase_of) == list(range(table.target_offsets.size - 1))
    assert len(set(phrase_of.values())) == len(phrase_of)
    found: dict[tuple[Phrase, Phrase], np.float32] = {}
    for node, phrase in phrase_of.items():
        places = range(table.target_offsets[node], table.target_offsets[node + 1])
        assert sorted(table.targets[place] for place in places) == [table.targets[place] for place in places]
        assert table.is_source[node] == (len(places) > 0)
        found |= {
            (phrase, phrase_of[int(table.targets[place])]): table.probabilities[place] for place in places
        }
    assert set(found) == set(given)
    for pair, value in found.items():
        assert value == np.float32(given[pair])
    assert {phrase_of[node] for node in np.flatnonzero(table.is_target).tolist()} == {
        other for _, other in given
    }


def test_the_order_does_not_matter() -> None:
    one = paraphrases({("a", "b"): 0.5, ("b c", "a"): 0.1})
    other = paraphrases({("b c", "a"): 0.1, ("a", "b"): 0.5})
    assert lexicon_bytes(one) == lexicon_bytes(other)
    assert dict(one.counts) == {"pairs": 2, "phrases": 3, "words": 3}
    assert one.details["longest"] == 2
