"""Languages: defaults, guesses, stems against NLTK's; tokens as numbers."""

import random

import numpy as np
import pytest
import Stemmer
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.stem import PorterStemmer
from nltk.tokenize import TreebankWordTokenizer

from pfsm.errors import PfsmError
from pfsm.text import EncodedLines, Vocabulary
from pfsm.text.language_names import looks_foreign
from pfsm.text.languages import check_language, default_stemmer, default_tokeniser, tokeniser_named
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
        PfsmError, match=r"^tokeniser is 'moses', one of these is needed: penn, plain, char, nltk:toktok"
    ):
        tokeniser_named("moses")


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


nltk_tokens = TreebankWordTokenizer().tokenize

LINES = [
    "The cats aren't here.",
    "",
    "the CAT's  Cat",
    '"Here," she said...',
    "  ",
    "42 % 3.5 ¿?",
    "the cats",
]


def decoded(vocabulary: Vocabulary, lines: EncodedLines) -> list[list[str]]:
    return [
        [vocabulary.types[token] for token in lines.ids[start:end]]
        for start, end in zip(lines.offsets, lines.offsets[1:], strict=False)
    ]


def same(ids: np.ndarray, keys: list[str]) -> None:
    """Equal ids exactly where keys are equal."""
    assert len(ids) == len(keys)
    pairs = set(zip(ids.tolist(), keys, strict=True))
    assert len(pairs) == len(set(keys)) == len(set(ids.tolist()))


def test_lines_keep_their_text_and_can_be_cut() -> None:
    vocabulary = Vocabulary()
    encoded = vocabulary.encode([*LINES, *LINES])
    assert list(encoded.lines) == [*LINES, *LINES]
    assert decoded(vocabulary, encoded) == [nltk_tokens(line) for line in [*LINES, *LINES]]
    for first, stop in ((0, 14), (2, 9), (5, 5), (14, 14)):
        part = encoded.part(first, stop)
        assert list(part.lines) == [*LINES, *LINES][first:stop]
        assert decoded(vocabulary, part) == [nltk_tokens(line) for line in part.lines]
        assert vocabulary.forms(part) == [token for line in part.lines for token in nltk_tokens(line)]
    chosen = encoded.select(np.array([6, 0, 6]))
    assert list(chosen.lines) == [LINES[6], LINES[0], LINES[6]]
    assert decoded(vocabulary, chosen) == [nltk_tokens(line) for line in chosen.lines]
    bare = EncodedLines.without_tokens(LINES)
    assert (len(bare), list(bare.lines), bare.ids.size) == (len(LINES), LINES, 0)
    assert list(bare.part(1, 3).lines) == LINES[1:3]


@pytest.mark.parametrize("lowercase", [True, False])
def test_word_and_stem_ids(lowercase: bool) -> None:
    vocabulary = Vocabulary(lowercase=lowercase)
    vocabulary.encode(LINES)
    types = vocabulary.types
    assert {"The", "the", "cats", "CAT", "Cat"} <= set(types)
    same(vocabulary.word_ids, [token.lower() if lowercase else token for token in types])
    same(vocabulary.stem_ids, [nltk_stem(token.lower()) for token in types])
    assert vocabulary.word_ids.dtype == vocabulary.stem_ids.dtype == np.int32


def test_types_that_come_later() -> None:
    """Arrays taken early stay as they were and are the beginning of the later ones, whatever the batches."""
    whole, parts = Vocabulary(), Vocabulary()
    whole.encode(LINES)
    taken = []
    for line in LINES:
        parts.encode([line])
        taken.append((parts.word_ids, parts.word_ids.tolist(), parts.stem_ids, parts.stem_ids.tolist()))
    assert parts.types == whole.types
    for words, words_then, stems, stems_then in taken:
        assert words.tolist() == words_then == whole.word_ids.tolist()[: words.size]
        assert stems.tolist() == stems_then == whole.stem_ids.tolist()[: stems.size]
    assert parts.is_punctuation.tolist() == whole.is_punctuation.tolist()


@settings(max_examples=200)
@given(
    st.lists(st.text(st.characters(exclude_categories=["Cs", "Cn"]), max_size=30), max_size=5), st.booleans()
)
def test_any_text_encodes(lines: list[str], plain: bool) -> None:
    vocabulary = Vocabulary("plain" if plain else "penn", "english")
    encoded = vocabulary.encode(lines)
    assert encoded.offsets[-1] == encoded.ids.size
    assert decoded(vocabulary, encoded) == [vocabulary.tokens(line) for line in lines]
    same(vocabulary.word_ids, [token.lower() for token in vocabulary.types])
