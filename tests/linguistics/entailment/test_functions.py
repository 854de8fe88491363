"""Entailment features on minimal pairs, with trees by hand (FORM/UPOS/XPOS/HEAD/LABEL, heads from 1) and the parser."""

from fractions import Fraction

import numpy as np
import pytest

from pfsm.features.values import feature_values
from pfsm.lexicons.relations import load_relations
from pfsm_linguistics.analysis.sentence import Analysis, DependencyTree
from pfsm_linguistics.entailment.features import FEATURES, RELATIONS, _tense, pair_values
from pfsm_linguistics.entailment.sides import Date, Pair, Side, align, dates, numbers, side_of

DOG_BIT = "The/DET/DT/2/det dog/NOUN/NN/3/nsubj bit/VERB/VBD/0/root Mary/PROPN/NNP/3/obj"
MARY_BIT = "Mary/PROPN/NNP/2/nsubj bit/VERB/VBD/0/root the/DET/DT/4/det dog/NOUN/NN/2/obj"
WAS_BITTEN = (
    "Mary/PROPN/NNP/3/nsubj:pass was/AUX/VBD/3/aux:pass bit/VERB/VBN/0/root by/ADP/IN/6/case the/DET/DT/6/det "
    "dog/NOUN/NN/3/obl:agent"
)
HE_LEFT = "He/PRON/PRP/2/nsubj left/VERB/VBD/0/root"
HE_DID_NOT = "He/PRON/PRP/4/nsubj did/AUX/VBD/4/aux not/PART/RB/4/advmod leave/VERB/VB/0/root"
LEFT = ("left", "leave", "leaves", "leaving")


def side(text: str) -> Side:
    if not text:
        return side_of(Analysis(()))
    forms, upos, xpos, heads, labels = zip(*(token.split("/") for token in text.split()), strict=True)
    tree = DependencyTree(tuple(map(int, heads)), labels)
    return side_of(Analysis(forms, (0,), upos, xpos, (tree,)))


def pair(reference: str, hypothesis: str, *synonyms: tuple[str, ...]) -> Pair:
    """Two lines; words of one tuple are synonyms."""

    def senses(word: str) -> list[int]:
        return [number for number, words in enumerate(synonyms) if word in words]

    return align(side(reference), side(hypothesis), senses)


def value(name: str, of: Pair) -> float:
    return dict(zip(FEATURES, pair_values(of, load_relations(RELATIONS)), strict=True))[f"rte.{name}"]


class TestAlignment:
    def test_words_then_stems_then_synonyms(self) -> None:
        one = "big/ADJ/JJ/2/amod walks/NOUN/NNS/0/root walk/NOUN/NN/2/x"
        other = "walk/NOUN/NN/0/root walking/NOUN/NN/1/x large/ADJ/JJ/1/amod"
        assert pair(one, other, ("big", "large")).aligned == {2: 0, 1: 1, 0: 2}
        assert pair(one, other).aligned == {2: 0, 1: 1}

    def test_the_nearest_place_and_one_to_one(self) -> None:
        the = "the/DET/DT/2/det cat/NOUN/NN/0/root the/DET/DT/4/det dog/NOUN/NN/2/x"
        assert pair(the, "a/DET/DT/0/root the/DET/DT/1/x dog/NOUN/NN/1/x").aligned == {2: 1, 3: 2}

    def test_punctuation_stands_for_nothing(self) -> None:
        assert pair("a/DET/DT/0/root ,/PUNCT/,/1/punct", "a/DET/DT/0/root ,/PUNCT/,/1/punct").aligned == {
            0: 0
        }


TEXTS = {
    "none": "",
    "bit": DOG_BIT,
    "turned": MARY_BIT,
    "bitten": WAS_BITTEN,
    "dog": "dog/NOUN/NN/0/root",
    "near": "red/ADJ/JJ/2/amod car/NOUN/NN/3/nsubj hit/VERB/VBD/0/root house/NOUN/NN/3/obj",
    "moved": "car/NOUN/NN/2/nsubj hit/VERB/VBD/0/root red/ADJ/JJ/4/amod house/NOUN/NN/2/obj",
    "left": HE_LEFT,
    "did-not": HE_DID_NOT,
    "nobody": "Nobody/PRON/NN/2/nsubj left/VERB/VBD/0/root",
    "no-man": "No/DET/DT/2/det man/NOUN/NN/3/nsubj left/VERB/VBD/0/root",
    "never": "He/PRON/PRP/3/nsubj never/ADV/RB/3/advmod left/VERB/VBD/0/root",
    "twice": "Nobody/PRON/NN/3/nsubj never/ADV/RB/3/advmod left/VERB/VBD/0/root",
    "may": "He/PRON/PRP/3/nsubj may/AUX/MD/3/aux leave/VERB/VB/0/root",
    "must": "He/PRON/PRP/3/nsubj must/AUX/MD/3/aux leave/VERB/VB/0/root",
    "perhaps": "Perhaps/ADV/RB/3/advmod he/PRON/PRP/3/nsubj left/VERB/VBD/0/root",
    "has-to": "He/PRON/PRP/2/nsubj has/VERB/VBZ/0/root to/PART/TO/4/mark leave/VERB/VB/2/xcomp",
    "all": "All/DET/DT/2/det men/NOUN/NNS/3/nsubj left/VERB/VBD/0/root",
    "some": "Some/DET/DT/2/det men/NOUN/NNS/3/nsubj left/VERB/VBD/0/root",
    "all-of": "All/PRON/DT/4/nsubj of/ADP/IN/3/case men/NOUN/NNS/1/nmod left/VERB/VBD/0/root",
    "bare": "Men/NOUN/NNS/2/nsubj left/VERB/VBD/0/root",
    "everyone": "Everyone/PRON/NN/2/nsubj left/VERB/VBD/0/root",
    "rose": "prices/NOUN/NNS/2/nsubj rose/VERB/VBD/0/root",
    "fell": "prices/NOUN/NNS/2/nsubj fell/VERB/VBD/0/root",
    "not-fall": "prices/NOUN/NNS/4/nsubj did/AUX/VBD/4/aux not/PART/RB/4/advmod fall/VERB/VB/0/root",
    "barked": "dog/NOUN/NN/2/nsubj barked/VERB/VBD/0/root",
    "animal": "animal/NOUN/NN/2/nsubj barked/VERB/VBD/0/root",
    "both": "dog/NOUN/NN/3/nsubj animal/NOUN/NN/1/x barked/VERB/VBD/0/root",
}
# Reference, hypothesis, feature = value. With a star, the forms of "leave" are synonyms.
EXPECTED = """
bit left content_r=0 nouns_r=0 verbs_r=0 modifiers_r=1
bit dog content_r=1/3 content_h=1
bit bit relations_r=1 attachments_r=1 arguments_r=1
bit turned relations_r=1/3 attachments_r=1 arguments_r=0
bit bitten arguments_r=1 arguments_h=1 relations_r=1/3
near near head_mismatch=0
near moved head_mismatch=1/3
near none head_mismatch=0
did-not left* negation_lost=1 negation_added=0 polarity_clash=1
left did-not* polarity_clash=1
did-not did-not polarity_clash=0
left nobody polarity_clash=1
left no-man polarity_clash=1
left never polarity_clash=1
left twice polarity_clash=0
may must modality_clash=1 modality_lost=1
may perhaps* modality_clash=0
must has-to modality_clash=0
left may* modality_clash=1
left may modality_lost=0
all some quantifier_clash=1
all all-of quantifier_clash=0
some all-of quantifier_clash=1
all bare quantifier_clash=0 quantifier_lost=1
bare all quantifier_lost=0
all everyone quantifier_lost=0
rose fell antonyms=1/2
rose rose antonyms=0
rose not-fall antonyms=0
rose none antonyms=0
barked animal more_general=1/2
animal barked more_general=0
both animal more_general=0
"""
"""There is no modifier to lose in the first. In "turned" the determiner alone keeps its label, but all words hang from
the same ones. In "both", what is aligned already is not in the place of anything."""


@pytest.mark.parametrize("row", EXPECTED.strip().splitlines())
def test_values(row: str) -> None:
    reference, hypothesis, *cells = row.split()
    synonyms = (LEFT,) if hypothesis.endswith("*") else ()
    found = pair(TEXTS[reference], TEXTS[hypothesis.rstrip("*")], *synonyms)
    for cell in cells:
        name, _, expected = cell.partition("=")
        assert value(name, found) == pytest.approx(float(Fraction(expected))), name


@pytest.mark.parametrize(
    ("text", "tense"),
    [
        (HE_LEFT, "past"),
        ("He/PRON/PRP/2/nsubj leaves/VERB/VBZ/0/root", "present"),
        ("He/PRON/PRP/3/nsubj will/AUX/MD/3/aux leave/VERB/VB/0/root", "future"),
        (HE_DID_NOT, "past"),
        ("He/PRON/PRP/3/nsubj has/AUX/VBZ/3/aux left/VERB/VBN/0/root", "past"),
        ("It/PRON/PRP/3/nsubj:pass is/AUX/VBZ/3/aux:pass left/VERB/VBN/0/root", "present"),
        ("He/PRON/PRP/4/nsubj has/AUX/VBZ/4/aux been/AUX/VBN/4/aux leaving/VERB/VBG/0/root", "past"),
        ("leave/VERB/VB/0/root !/PUNCT/./1/punct", ""),
    ],
)
def test_tense(text: str, tense: str) -> None:
    line = side(text)
    assert _tense(line, line.roots[0]) == tense


def plain(text: str) -> str:
    """A line of words without a structure; names have capitals."""
    tags = ["PROPN/NNP" if word[:1].isupper() else "NOUN/NN" for word in text.split()]
    return " ".join(f"{word}/{tag}/0/root" for word, tag in zip(text.split(), tags, strict=True))


FACTS = """
number | 2.5 million men | 2,500,000 men | 1 0
number | 25 men | twenty - five men | 1 0
number | 25 men | 52 men | 0 1
number | 25 men | men | 0 0
number | 3 men and 3 boys | 3 men | 0.5 0
number | men | 7 men | 1 0
number | 5 March 2010 | March 5 , 2010 | 1 0
date | 5 March 2010 | March 5th , 2010 | 1 0
date | 5 March 2010 | in 2010 | 1 0
date | 5 March 2010 | 6 March 2010 | 0 1
date | on Monday | on Tuesday | 0 1
date | on Monday | then | 0 0
name | said Gaddafi | said Qaddafi | 1 0
name | said Smith | said Jones | 0 1
name | said Smith | said he | 0 0
name | the U.N. there | the United Nations there | 1 0
name | John Smith | Smith | 0.5 0
name | Ann | Anna | 0 1
"""
"""Reference, hypothesis, the share that is found, whether they clash; Ann is too short to be spelled differently."""


@pytest.mark.parametrize("row", FACTS.strip().splitlines())
def test_facts(row: str) -> None:
    kind, reference, hypothesis, values = row.split(" | ")
    one = pair(plain(reference), plain(hypothesis))
    found = [value(f"{kind}s_r", one), value(f"{kind}_clash", one)]
    assert found == [float(expected) for expected in values.split()]
    assert value(f"{kind}_clash", one.swapped) == found[1]


def test_a_line_and_itself_lack_nothing() -> None:
    table = load_relations(RELATIONS)
    for text in (DOG_BIT, WAS_BITTEN, HE_DID_NOT, ""):
        values = dict(zip(FEATURES, pair_values(pair(text, text), table), strict=True))
        shares = {name for name in FEATURES if name.endswith(("_r", "_h"))} | {"rte.root_match"}
        assert {name for name, value in values.items() if value == 1.0} == shares
        assert {value for name, value in values.items() if name not in shares} == {0.0}


NUMBERS: list[tuple[str, list[float]]] = [
    ("no numbers here", []), ("25 men and 3 boys", [25, 3]), ("twenty - five", [25]), ("five twenty", [5, 20]),
    ("two three", [2, 3]), ("one of them", []), ("2.5 million", [2_500_000]), ("2,500,000", [2_500_000]),
    ("two and a half", [2]), ("one million two hundred thousand six", [1_200_006]), ("six and seven", [6, 7]),
    ("the thirtieth and the 4th", [30, 4]), ("50 %", [50]), ("0.5", [0.5]),
    ("5 million or 3 billion", [5_000_000, 3_000_000_000]), ("10 20", [10, 20]), ("a G8 summit", []),
    ("1,234.5", [1234.5]),
]  # fmt: skip


def test_numbers() -> None:
    for text, values in NUMBERS:
        assert numbers(text.split()) == values, text


def test_places_that_are_left_out_part_numbers() -> None:
    assert numbers(["twenty", "may", "five"], {1}) == [20, 5]
    assert numbers(["twenty", "five"], {1}) == [20]


DATES = [
    ("", []), ("on 5 March 2010 .", [Date(2010, 3, 5)]), ("on March 5th , 2010 .", [Date(2010, 3, 5)]),
    ("the 5th of March", [Date(month=3, day=5)]), ("in March 2010", [Date(2010, 3)]), ("2010 soldiers", [Date(2010)]),
    ("on Sunday , Dec. 24", [Date(weekday=6), Date(month=12, day=24)]), ("05/06/2011", [Date(2011)]),
    ("25/12/2011 or 12/25/2011", [Date(2011, 12, 25), Date(2011, 12, 25)]), ("they may march", []),
    ("March on !", []), ("until May", [Date(month=5)]), ("from 3 to 5 June 1999", [Date(1999, 6, 5)]),
    ("between 1 May and 2 June", [Date(month=5, day=1), Date(month=6, day=2)]), ("35 March", []),
]  # fmt: skip


def test_dates() -> None:
    for text, found in DATES:
        assert [one.date for one in dates(text.split())] == found, text


def test_agreement_of_dates() -> None:
    assert Date(2010, 3, 5).agrees(Date(2010))
    assert Date(month=3).agrees(Date(2010, 3, 5))
    assert not Date(2010, 3).agrees(Date(2010, 4))
    assert not Date(2010).agrees(Date(weekday=1))


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


def test_odd_lines() -> None:
    odd = ["", " ", "a\u2028b", "\ud800", "é" * 200, "0", "\0", "...", "May", "the the the"]
    found = feature_values(FEATURES, odd, odd[::-1])
    # Neighbours do not matter.
    backwards = feature_values(FEATURES, ["y", *odd[::-1]], ["z", *odd])
    np.testing.assert_array_equal(found, backwards[:0:-1])
    assert np.isfinite(found).all()
    assert (found >= 0).all()
