"""Forms of one word: what tells them apart, by hand, and the matcher that offers them."""

from collections.abc import Iterable

import pytest

from pfsm.facts.inflection import differences, forms
from pfsm.lexicons import registry
from pfsm.lexicons.synonyms import KIND, SynonymTable
from pfsm.matchers.synonym import MorphologyMatcher
from tests.core.matchers.test_spelling import encoded

TABLE = "wordnet-3.0"


@pytest.fixture(scope="module")
def table() -> SynonymTable:
    return SynonymTable(registry.load(TABLE, KIND))


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("walk", "walked", {"tense"}), ("goes", "went", {"tense"}), ("is", "are", {"number"}),
        ("child", "children", {"number"}), ("walk", "walks", {"number"}), ("this", "these", {"number"}),
        ("am", "is", {"person"}), ("are", "was", {"tense", "number"}),
        ("walk", "walking", {"aspect"}), ("been", "is", {"aspect"}), ("running", "ran", {"aspect"}),
        ("good", "better", {"degree"}), ("fast", "fastest", {"degree"}),
        ("he", "him", {"case"}), ("he", "she", {"gender"}), ("him", "her", {"gender"}),
        ("they", "him", {"number", "case"}), ("will", "would", {"tense"}),
        ("n't", "not", {"short"}), ("’s", "is", {"short"}), ("'s", "was", {"tense", "short"}),
        ("went", "gone", {"other"}),
        ("Walks", "walked", {"tense"}),
        ("walk", "talk", None), ("nation", "national", None), ("can", "will", None), ("he", "dog", None),
        ("zxqv", "zxqvs", None),
    ],
)  # fmt: skip
def test_what_tells_two_forms_apart(
    one: str, other: str, expected: Iterable[str] | None, table: SynonymTable
) -> None:
    ours, theirs = forms(one, table.lemmas), forms(other, table.lemmas)
    found = differences(ours, theirs)
    assert (None if found is None else set(found)) == expected
    assert differences(theirs, ours) == found


def test_matches_are_pairs_with_a_base_form_in_common(table: SynonymTable) -> None:
    references = ["They walked home .", "", "the dog", "He has two children and is happy"]
    hypotheses = ["He walks home , walked .", "they", "", "She had two child and are happier happy"]
    pairs = encoded(references, hypotheses, tokeniser="plain", stemmer="none")
    offers = MorphologyMatcher(TABLE).offers(pairs)
    found: dict[tuple[int, str, str], set[str]] = {}
    values = zip(offers.offer.tolist(), offers.feature.tolist(), offers.value.tolist(), strict=True)
    lines = [(one.split(), other.split()) for one, other in zip(references, hypotheses, strict=True)]
    rows = [(pair, lines[pair][0][i], lines[pair][1][j]) for pair, i, _, j, _ in offers.blocks.tolist()]
    assert (offers.blocks[:, [2, 4]] == 1).all()
    for offer, feature, value in values:
        assert value == 1.0
        found.setdefault(rows[offer], set()).add(offers.names[feature].removeprefix("morph:"))
    expected = {}
    for pair, (left, right) in enumerate(lines):
        for one in left:
            for other in right:
                apart = differences(forms(one, table.lemmas), forms(other, table.lemmas))
                if one.lower() != other.lower() and apart is not None:
                    expected[pair, one, other] = set(apart)
    assert found == expected
    assert set(rows) == set(expected)
    assert len(expected) > 5
