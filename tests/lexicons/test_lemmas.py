"""Lemmas: WordNet's rules and exceptions, worked out by hand."""

import pytest

from pfsm.lexicons.lemmas import lemma_of
from pfsm.lexicons.synonyms import Part, SynonymTable, compile_synonyms


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
