"""Lemmas of words by their tags."""

import pytest

from pfsm_linguistics.analysis.lemmas import lemma_of


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
