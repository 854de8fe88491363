"""The features ``rte.…`` on sentences, with the parser that ships."""

import re

import numpy as np
import pytest

from pfsm.english.entailment.features import FEATURES
from pfsm.features.values import feature_values


def values(hypothesis: str, reference: str) -> dict[str, float]:
    row = feature_values(FEATURES, [hypothesis], [reference])[0]
    return dict(zip(FEATURES, row.tolist(), strict=True))


MINIMAL = [
    ("The minister did not resign.", "The minister resigned.", {"negation_lost": 1, "polarity_clash": 1}),
    ("Prices rose last week.", "Prices fell last week.", {"antonyms": 1 / 4, "negation_lost": 0}),
    ("They will pay 25 euros.", "They paid 52 euros.", {"number_clash": 1, "tense_clash": 1, "numbers_r": 0}),
    ("Obama met Merkel.", "Obama met Putin.", {"name_clash": 1, "names_r": 1 / 2, "names_h": 1 / 2}),
    ("The dog barked.", "The animal barked.", {"more_general": 1 / 2, "more_specific": 0}),
    ("The dog chased the man.", "The man chased the dog.", {"content_r": 1, "arguments_r": 0, "arguments_h": 0}),
]  # fmt: skip


@pytest.mark.parametrize(("reference", "hypothesis", "expected"), MINIMAL)
def test_minimal_pairs(reference: str, hypothesis: str, expected: dict[str, float]) -> None:
    found = values(hypothesis, reference)
    assert {name: found[f"rte.{name}"] for name in expected} == pytest.approx(expected)


def test_directions_are_each_others_mirror() -> None:
    one = values("The old dog slept in 2010.", "A dog slept near Paris.")
    other = values("A dog slept near Paris.", "The old dog slept in 2010.")
    mirrored = {"_r": "_h", "_h": "_r", "_lost": "_added", "_added": "_lost", "_general": "_specific"}
    mirrored["_specific"] = "_general"
    for name, value in one.items():
        ending = re.search(r"_(r|h|lost|added|general|specific)$", name)
        swapped = name[: ending.start()] + mirrored[ending[0]] if ending else name
        if name not in {"rte.head_mismatch", "rte.antonyms"}:  # shares of the content words of the reference
            assert other[swapped] == value, name


def test_odd_lines() -> None:
    odd = ["", " ", "a\u2028b", "\ud800", "é" * 200, "0", "\0", "...", "May", "the the the"]
    found = feature_values(FEATURES, odd, odd[::-1])
    # Neighbours do not matter.
    backwards = feature_values(FEATURES, ["y", *odd[::-1]], ["z", *odd])
    np.testing.assert_array_equal(found, backwards[:0:-1])
    assert np.isfinite(found).all()
    assert (found >= 0).all()
