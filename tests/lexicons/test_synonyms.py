"""Tables of synonyms against the dictionary they were compiled from, and lemmas by hand."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pfsm.lexicons.container import lexicon_bytes
from pfsm.lexicons.lemmas import lemma_of
from pfsm.lexicons.synonyms import Part, SynonymTable, compile_synonyms

words = st.text("abs", min_size=1, max_size=4)
dictionaries = st.dictionaries(words, st.lists(st.sampled_from("123"), min_size=1, max_size=3), max_size=8)
parts = st.builds(
    Part,
    st.just(""),
    dictionaries,
    st.dictionaries(words, st.lists(words, min_size=1, max_size=2), max_size=4),
    st.lists(st.tuples(st.text("abs", min_size=1, max_size=2), st.text("ab", max_size=1)), max_size=3).map(
        tuple
    ),
)


def keys_of(word: str, given: Sequence[Part]) -> set[tuple[str, str]]:
    """The synsets of a word by the definition, as (part, key)."""
    found = set()
    for part in given:
        bases = {word}
        if word in part.irregular:
            bases |= set(part.irregular[word])
        else:
            bases |= {word.removesuffix(old) + new for old, new in part.detachments if word.endswith(old)}
        found |= {(part.tag, key) for base in bases for key in part.synsets.get(base, ())}
    return found


@settings(deadline=None)
@given(st.lists(parts, max_size=3), st.lists(words, max_size=8))
def test_look_ups_are_those_of_the_dictionary(given: list[Part], asked: list[str]) -> None:
    given = [replace(part, tag=str(number)) for number, part in enumerate(given)]
    table = SynonymTable(compile_synonyms("t", given, "free", []))
    every = sorted(
        {key for word in {*asked, *(w for p in given for w in p.synsets)} for key in keys_of(word, given)}
    )
    numbers = {key: number for number, key in enumerate(sorted({k for p in given for k in all_keys(p)}))}
    assert table.size == len(numbers)
    assert set(every) <= set(numbers)
    for word in [*asked, *(w.upper() for p in given for w in p.synsets)]:
        assert table.synsets(word) == sorted(numbers[key] for key in keys_of(word.lower(), given))


def all_keys(part: Part) -> set[tuple[str, str]]:
    return {(part.tag, key) for keys in part.synsets.values() for key in keys}


def test_the_order_of_the_dictionary_does_not_matter() -> None:
    part = Part("n", {"b": ["2", "1"], "a": ["1"]}, {"y": ["b"], "x": ["a"]})
    other = Part("n", {"a": ["1"], "b": ["1", "2", "1"]}, {"x": ["a"], "y": ["b"]})
    one, two = (lexicon_bytes(compile_synonyms("t", [entry], "free", [])) for entry in (part, other))
    assert one == two


@pytest.mark.parametrize(
    ("word", "tag", "lemma"),
    [
        ("Dogs", "NNS", "dog"),  # a rule
        ("men", "NNS", "man"),  # an exception
        ("was", "VBD", "be"),
        ("left", "VBD", "leave"),
        ("left", "JJ", "left"),  # the tag decides
        ("hoped", "VBN", "hope"),
        ("better", "JJR", "good"),
        ("people", "NNS", "people"),  # known as it is
        ("bus", "NN", "bus"),  # no inflected tag
        ("xyzzies", "NNS", "xyzzies"),  # unknown
        ("n't", "RB", "not"),
        ("’ll", "MD", "will"),
        ("running", "VERB", "run"),  # universal tags
        ("was", "AUX", "be"),
    ],
)
def test_lemmas(word: str, tag: str, lemma: str) -> None:
    assert lemma_of(word, tag) == lemma


def test_lemma_of_a_table() -> None:
    nouns = Part(
        "n", {"glass": ["1"], "glasses": ["2"], "foot": ["3"]}, {"feet": ["foot"]}, (("es", ""), ("s", ""))
    )
    verbs = Part("v", {"glaze": ["1"]}, {}, (("ed", "e"), ("s", "")))
    table = SynonymTable(compile_synonyms("x", [nouns, verbs], "", []))
    assert table.lemma("glasses", "n") == "glasses"
    assert table.lemma("foots", "n") == "foot"
    assert table.lemma("feet", "n") == "foot"
    # A lemma of another part of speech is none of this one.
    assert table.lemma("glazed", "v") == "glaze"
    assert table.lemma("glazed", "n") == "glazed"
    assert table.lemma("foots", "v") == "foots"
    assert table.lemma("foots", "x") == "foots"
