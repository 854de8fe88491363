"""The guess whether text is in another language than English."""

import contextlib
import itertools
import random
from string import ascii_lowercase

import pytest
import Stemmer
from nltk.stem import PorterStemmer

from pfsm.errors import PfsmError
from pfsm.text.language_names import looks_foreign
from pfsm.text.languages import check_language, default_stemmer, default_tokeniser, tokeniser_named
from pfsm.text.penn import tokenise
from pfsm.text.stemming import stemmer_named


@pytest.mark.parametrize(
    ("languages", "tokeniser", "stemmer"),
    [
        ("en en-GB ENG", "penn", "porter"),
        ("de", "plain", "german"),
        ("pt_BR", "plain", "portuguese"),
        ("rus_Cyrl", "plain", "russian"),
        ("zh xx", "plain", "none"),
    ],
)
def test_defaults(languages: str, tokeniser: str, stemmer: str) -> None:
    for language in languages.split():
        assert (default_tokeniser(language), default_stemmer(language)) == (tokeniser, stemmer)
    with pytest.raises(PfsmError, match=r"^stemmer is 'lancaster', there is none of this name; "):
        stemmer_named("lancaster")
    with pytest.raises(
        PfsmError, match=r"^tokeniser is 'moses', one of these is needed: penn, plain, char, icu"
    ):
        tokeniser_named("moses")


def test_defaults_agree_with_the_codes_pystemmer_knows() -> None:
    """PyStemmer takes language codes too: where it does, the stemmer must be the one it means."""
    accepted = 0
    for code in map("".join, itertools.product(ascii_lowercase, repeat=2)):
        with contextlib.suppress(KeyError):
            Stemmer.Stemmer(code)
            assert default_stemmer(code) != "none", code
            accepted += 1
    assert accepted > 20


@pytest.mark.parametrize("language", ["", "english", "en-", "en\n"])
def test_a_language_must_be_a_code(language: str) -> None:
    for function in (check_language, default_stemmer, default_tokeniser):
        with pytest.raises(PfsmError, match=r"language is .* ISO 639 code .*\bcs, da, de\b") as caught:
            function(language)
        assert "\n" not in str(caught.value)


ENGLISH = ["The minister said so .", "He came late .", "We saw it yesterday ."]


@pytest.mark.parametrize(
    "line",
    [
        "Das Haus steht auf dem Berg .",
        "Él no ha venido todavía .",
        "Nie ma go w domu .",
        "Han har ikke sett ham .",
        "Он пришёл вчера .",
        "今天天气很好。",
    ],
)
def test_another_language(line: str) -> None:
    assert looks_foreign([line] * 3)
    # A quarter of the lines is enough, less is not.
    assert looks_foreign([line, *ENGLISH])
    assert not looks_foreign([line, *ENGLISH, *ENGLISH])


@pytest.mark.parametrize(
    "line",
    [
        "The café in Zürich is closed .",
        "He came and met Ramón .",
        "Dan left MIT in May .",
        "Los Angeles , 5 May",
        "3.5 % (12)",
        "",
    ],
)
def test_english_with_foreign_names_and_lines_without_words(line: str) -> None:
    assert not looks_foreign([line] * 3)


nltk_stem = PorterStemmer(mode=PorterStemmer.ORIGINAL_ALGORITHM).stem
porter = stemmer_named("porter").stems

SUFFIXES = [
    "s", "es", "ies", "sses", "ss", "ed", "eed", "ing", "eds",
    "ings", "at", "bl", "iz", "ational", "tional", "enci", "anci",
    "izer", "abli", "bli", "alli", "entli", "eli", "ousli", "ization",
    "ation", "ator", "alism", "iveness", "fulness", "ousness", "aliti",
    "iviti", "biliti", "icate", "ative", "alize", "iciti", "ical",
    "ful", "ness", "al", "ance", "ence", "er", "ic", "able", "ible",
    "ant", "ement", "ment", "ent", "sion", "tion", "ou", "ism",
    "ate", "iti", "ous", "ive", "ize", "e", "ll", "y", "ly",
    "logi", "'s",
]  # fmt: skip


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


def test_snowball_takes_either_apostrophe() -> None:
    stems = stemmer_named("french").stems
    assert stems(["l’eau", "l'eau", "chevaux"]) == Stemmer.Stemmer("french").stemWords(
        ["l'eau", "l'eau", "chevaux"]
    )
