"""Word classes: forms by hand, the order of precedence against a twin, the shipped lists, lists of one's own."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pfsm.errors import PfsmError
from pfsm.text.classes import CLASSES, LISTED, SHIPPED, default_lists, shipped_lists, word_classes
from pfsm.text.vocabulary import Vocabulary
from tests.oracles import classes as oracle

ENGLISH = word_classes("en")

BY_HAND = {
    "punctuation": ". , -- ... ' `` % $ ¿ 。 €",
    "number": "7 1,000.5 G8 1990s Three TWENTY-FIVE one‑third hundredth ½ Ⅷ ٣ 10-year",
    "negation": "not No NOT n't don't Don’t without Hardly cannot",
    "function": "the The a A I to Between 's ’s 've I'm it’s however May",
    "name": "Helsinki McAllister iPad d'Artagnan US IT WHO U.S. VIII Überlingen Cardiologists Ǆ ǅ Dog-Cat",
    "content": "dog well-known Yesterday Tourists one-sided vital-ten ₤x café собака 一 犬 ª",
}


@pytest.mark.parametrize(
    ("name", "token"), [(name, token) for name in BY_HAND for token in BY_HAND[name].split()]
)
def test_by_hand(name: str, token: str) -> None:
    assert CLASSES[ENGLISH.of(token)] == name


LISTS = {
    "number": ["seven", "no"],
    "negation": ["no", "it"],
    "function": ["it", "open"],
    "content": ["open", "well"],
}
PIECES = [
    "seven",
    "no",
    "it",
    "open",
    "well",
    "dog",
    "Dog",
    "No",
    "IT",
    "Open",
    "WELL",
    "7",
    "-",
    "'",
    "’",
    ".",
    "É",
    "é",
]


@given(
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=3).map("".join) | st.text(min_size=1, max_size=6)
)
def test_the_first_class_that_claims_a_token_has_it(token: str) -> None:
    assert CLASSES[word_classes(LISTS).of(token)] == oracle.word_class(token, LISTS)


def test_types_are_classified_once_and_in_their_order() -> None:
    vocabulary = Vocabulary()
    vocabulary.encode(["The cat did n't see 3 dogs in Paris ."])
    names = [CLASSES[place] for place in ENGLISH.of_types(vocabulary)]
    expected = "function content function negation content number content function name punctuation"
    assert names == expected.split()
    before = ENGLISH.of_types(vocabulary)
    vocabulary.encode(["No cat , 4 mice"])
    after = ENGLISH.of_types(vocabulary)
    assert after.dtype == np.int32
    assert after[: before.size].tolist() == before.tolist()
    assert [CLASSES[place] for place in after[before.size :]] == [
        "negation",
        "punctuation",
        "number",
        "content",
    ]
    assert not after.flags.writeable


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_lists_are_words_in_lower_case_each_in_one_list(name: str) -> None:
    lists = shipped_lists(name)
    assert tuple(lists) == LISTED
    words = [word for words in lists.values() for word in words]
    assert len(words) == len(set(words))
    assert all(word == word.lower() and any(map(str.isalpha, word)) for word in words)
    assert all(len(lists[key]) > 30 for key in LISTED)


def test_checksums_tell_lists_apart_whatever_their_order() -> None:
    one = word_classes({"negation": ["no", "not"]}).checksum
    assert re.fullmatch("[0-9a-f]{8}", one)
    assert word_classes({"function": [], "negation": ["not", "no"]}).checksum == one
    others = [{"negation": ["no"]}, {"function": ["no", "not"]}, {}, {"negation": ["no", "not", "nor"]}]
    assert len({one, *(word_classes(other).checksum for other in others)}) == 5


def test_names_of_lists() -> None:
    assert [default_lists(code) for code in ("en", "en-GB", "EN_us", "eng", "de-AT")] == [
        "en",
        "en",
        "en",
        "en",
        "de",
    ]
    with pytest.raises(PfsmError, match="no word lists ship for 'de'"):
        word_classes("de")
