import random

import pytest
import Stemmer
from nltk.stem import PorterStemmer

from pfsm.errors import PfsmError
from pfsm.text.penn import tokenise
from pfsm.text.stemming import check_stemmer, stemmer_named

nltk_stem = PorterStemmer(mode=PorterStemmer.ORIGINAL_ALGORITHM).stem
porter = stemmer_named("porter").stems

SUFFIXES = [
    *[
        "s",
        "es",
        "ies",
        "sses",
        "ss",
        "ed",
        "eed",
        "ing",
        "eds",
        "ings",
        "at",
        "bl",
        "iz",
        "ational",
        "tional",
    ],
    *[
        "enci",
        "anci",
        "izer",
        "abli",
        "bli",
        "alli",
        "entli",
        "eli",
        "ousli",
        "ization",
        "ation",
        "ator",
        "alism",
    ],
    *[
        "iveness",
        "fulness",
        "ousness",
        "aliti",
        "iviti",
        "biliti",
        "icate",
        "ative",
        "alize",
        "iciti",
        "ical",
    ],
    *["ful", "ness", "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "sion"],
    *["tion", "ou", "ism", "ate", "iti", "ous", "ive", "ize", "e", "ll", "y", "ly", "logi", "'s"],
]


def test_porter_equals_nltk_on_real_words(sentences: list[str]) -> None:
    words = sorted({token.lower() for text in sentences for token in tokenise(text)})[::2]
    assert len(words) > 10_000
    assert porter(words) == [nltk_stem(word) for word in words]


def test_porter_equals_nltk_on_random_words() -> None:
    source = random.Random(7)
    words = []
    for _ in range(20_000):
        beginning = "".join(source.choices("aeiouybcdfghjklmnpqrstvwxz" + "aeykvé9-", k=source.randint(0, 5)))
        doubled = source.choice("bcdfghjklmnpqrstvwxzé9-'") * source.choice((0, 1, 2, 2))
        words.append(beginning + doubled + "".join(source.choices(SUFFIXES, k=source.randint(0, 3))))
    # Two y are never two consonants in Porter's terms; NLTK's reading is its own, of words that are none.
    words = [word for word in words if "yy" not in word]
    assert porter(words) == [nltk_stem(word) for word in words]


@pytest.mark.parametrize(
    ("word", "stem"),
    [
        ("trekking", "trek"),
        ("revved", "rev"),
        ("hopping", "hop"),
        ("falling", "fall"),
        ("kkings", "kking"),
        ("", ""),
    ],
)
def test_double_consonants(word: str, stem: str) -> None:
    assert porter([word]) == [stem] == [nltk_stem(word)]


def test_snowball_takes_either_apostrophe() -> None:
    stems = stemmer_named("french").stems
    assert stems(["l’eau", "l'eau", "chevaux"]) == Stemmer.Stemmer("french").stemWords(
        ["l'eau", "l'eau", "chevaux"]
    )


def test_unknown_stemmer() -> None:
    for function in (check_stemmer, stemmer_named):
        with pytest.raises(
            PfsmError,
            match=r"^stemmer is 'lancaster', there is none of this name; `pfsm help settings` lists all$",
        ) as caught:
            function("lancaster")
        assert "\n" not in str(caught.value)
