"""The Penn tokeniser against NLTK's, the plain one against a slow twin."""

import itertools
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.tokenize import TreebankWordTokenizer

from pfsm.text.characters import clean
from pfsm.text.penn import chunk_tokens, sentence_keys, tokenise
from pfsm.text.plain import tokenise as plain_tokens
from pfsm.text.sentences import split
from tests.fuzz.mutations import EFFORT

nltk_tokens = TreebankWordTokenizer().tokenize

# Every character a rule of NLTK's names, some it does not, and the strings whose inside or end is split.
CHARACTERS = [*"aZs19٣é_'\"`.,:;@#$%&?![](){}<>-*/\\«»“”‘’„—…\u0301\u200b\x00\U0001f600"]
WHITE_SPACE = [*" \t\n\v\f\r\x1c\x1f\x85\xa0\u2003\u2028\u3000"]
STRINGS = [
    "''", "``", "...", "..", "--", "n't", "N'T", "N't", "'ll",
    "'LL", "'Ll", "'s", "'S", "'re", "'RE", "'ve", "'VE", "'m",
    "'M", "'d", "'D", "cannot", "Cannot", "CANNOT", "gimme", "gımme",
    "gonna", "gotta", "lemme", "wanna", "WANNA", "'tis", "'Tis", "'tiſ",
    "'twas", "'TWAS", "d'ye", "D'YE", "more'n", "whatcha",
]  # fmt: skip
ADVERSARIAL = [*CHARACTERS, *WHITE_SPACE, *STRINGS, *"''''\"\"\"", *[" "] * 12]


@settings(max_examples=500)
@given(st.lists(st.sampled_from(ADVERSARIAL), max_size=25).map("".join))
def test_equals_nltk_on_adversarial_strings(line: str) -> None:
    assert tokenise(line) == nltk_tokens(line)


@settings(max_examples=300)
@given(st.text(st.characters(exclude_categories=["Cs", "Cn", "Nd"]), max_size=30))
def test_equals_nltk_on_any_text(line: str) -> None:
    assert tokenise(line) == nltk_tokens(line)


@pytest.mark.parametrize("symbols", ["a'\" .", "a,1: \n", "`\"' ("])
def test_equals_nltk_on_every_short_string(symbols: str) -> None:
    for length in range(6 if EFFORT > 1 else 5):
        for characters in itertools.product(symbols, repeat=length):
            line = "".join(characters)
            assert tokenise(line) == nltk_tokens(line), repr(line)


@pytest.mark.parametrize(
    ("line", "tokens"),
    [
        ("a" * 200_000, ["a" * 200_000]),
        ("," * 200_000, [","] * 200_000),
        ("'" * 200_000, ["''"] * 100_000),
        ("." * 200_000, ["..."] * 66_666 + [".."]),
        ("a." * 100_000, ["a." * 99_999 + "a", "."]),
        ("a." + ")" * 200_000 + "b", ["a.", *[")"] * 200_000, "b"]),
        ("a." + "\t" * 200_000, ["a", "."]),
        (" " * 200_000 + "a", ["a"]),
        ("cannot-" * 30_000, ["can", "not", "-"] * 30_000),
        ("\x00\u200b" * 100_000, ["\x00\u200b" * 100_000]),
    ],
    ids=lambda value: repr(value[:10]) if isinstance(value, str) else "",
)
def test_long_lines_take_linear_time(line: str, tokens: list[str]) -> None:
    """Quadratic time would take minutes. NLTK takes it for some of these, so the truth is spelt out."""
    assert tokenise(line) == tokens


def test_equals_nltk_on_real_sentences(sentences: list[str]) -> None:
    assert len(sentences) > 30_000
    some = sentences[:: 8 if EFFORT == 1 else 1]
    different = [text for text in some if tokenise(text) != nltk_tokens(text)]
    assert not different


@settings(max_examples=300)
@given(st.lists(st.sampled_from([*ADVERSARIAL, ". ", "? ", "! The "]), max_size=25).map("".join))
def test_goes_sentence_by_sentence(text: str) -> None:
    line = clean(text)
    expected = [token for start, end in split(line, "en") for token in nltk_tokens(line[start:end])]
    assert [token for key in sentence_keys(line, "en") for token in chunk_tokens(key)] == expected


def test_a_word_is_the_same_within_a_line_and_at_its_end() -> None:
    line = 'It (the dog) "barked." It barked.'
    tokens = [token for key in sentence_keys(line, "en") for token in chunk_tokens(key)]
    assert tokens == ["It", "(", "the", "dog", ")", "``", "barked", ".", "''", "It", "barked", "."]


JOINERS = "'’-\u2010\u2011·\u05f3\u05f4"
MARKS = "\xad\u200c\u200d\u2060"
UNSPACED = (
    "CJK UNIFIED", "CJK COMPATIBILITY", "IDEOGRAPHIC", "HANGZHOU", "HIRAGANA", "KATAKANA", "HALFWIDTH KATAKANA",
    "VERTICAL KANA", "HENTAIGANA", "THAI", "LAO", "KHMER", "MYANMAR",
)  # fmt: skip


def kind(character: str) -> str:
    category = unicodedata.category(character)
    if category[0] == "M" or character in MARKS:
        return "mark"
    if category in ("Cc", "Cf") or category[0] == "Z":
        return "space"
    if category in {"Lu", "Ll", "Lt", "Lm", "Lo", "Nl"} and unicodedata.name(character, "").startswith(
        UNSPACED
    ):
        return "alone"
    return {"L": "letter", "N": "numeral"}.get(category[0], "other")


def slow_tokens(text: str) -> list[str]:
    """The rules of the module, character by character, scripts told by the names of characters."""
    tokens: list[str] = []
    inside = ""  # the kind of the token being built
    for place, character in enumerate(text):
        before = text[place - 1] if place else " "
        after = text[place + 1] if place + 1 < len(text) else " "
        now = kind(character)
        wordlike = kind(after) in ("letter", "numeral")
        extends_word = inside == "word" and (
            now in ("letter", "numeral")
            or (character in JOINERS and wordlike and before not in JOINERS)
            or (character in ".," and kind(before) == kind(after) == "numeral")
        )
        extends_run = inside == "other" and before == character
        if now == "space":
            inside = ""
        elif (now == "mark" and inside) or extends_word or extends_run:
            tokens[-1] += character
        else:
            tokens.append(character)
            inside = "word" if now in ("letter", "numeral", "mark") else now
    return tokens


@pytest.mark.parametrize(
    ("line", "tokens"),
    [
        ("Grüße, Welt!", "Grüße , Welt !"),
        ("col·lecció 'so' -x- a--b", "col·lecció ' so ' - x - a -- b"),
        ("1,000.5 1.000,5 3. 4,a 10:30", "1,000.5 1.000,5 3 . 4 , a 10 : 30"),
        ("Was?! Nein... -- !!!", "Was ? ! Nein ... -- !!!"),
        ("हिन्दी में किताबें।", "हिन्दी में किताबें ।"),
        ("漢字かなカナ。ABC第12章", "漢 字 か な カ ナ 。 ABC 第 12 章"),
        ("ภาษาไทย ๑๒", "ภ า ษ า ไ ท ย ๑๒"),
        ("ខ្មែរ", "ខ្ មែ រ"),
        ("❤\ufe0f❤\ufe0f ok", "❤\ufe0f ❤\ufe0f ok"),
        ("a\u200bb\ufeffc\x00d\xa0e\u3000f", "a b c d e f"),
    ],
)
def test_rules_of_plain(line: str, tokens: str) -> None:
    # Single spaces stand between the expected tokens; str.split would cut at other white space too.
    assert plain_tokens(line) == [token for token in tokens.split(" ") if token]


TEXT = st.one_of(
    st.text(
        st.sampled_from("aé1٣२.,'’-·!? \t\u0301\u200d\u200b漢カーのทุまᄀ한កោ❤\ufe0fﾊ々〇½_"), max_size=20
    ),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
)


@settings(max_examples=800)
@given(TEXT)
def test_equals_the_slow_twin(line: str) -> None:
    assert plain_tokens(line) == slow_tokens(line)


@pytest.mark.parametrize(
    ("unit", "count"),
    [("a", 1), ("a-", 2), ("1,", 2), ("漢", 200_000), (".", 1), ("\u0301", 1), ("!?", 200_000)],
)
def test_long_plain_lines_take_linear_time(unit: str, count: int) -> None:
    """Quadratic time would take minutes."""
    line = (unit * 200_000)[:200_000]
    tokens = plain_tokens(line)
    assert "".join(tokens) == line
    assert len(tokens) == count
