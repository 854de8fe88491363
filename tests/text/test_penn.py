"""The Penn tokeniser against NLTK's."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.tokenize import TreebankWordTokenizer

from pfsm.text.characters import clean
from pfsm.text.penn import chunk_tokens, sentence_keys, tokenise
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


@pytest.mark.parametrize(
    ("line", "tokens"),
    [
        # clitics and contractions
        ("They'll say I don't, won't they?", "They 'll say I do n't , wo n't they ?"),
        ("The dogs' and the dog's", "The dogs ' and the dog 's"),
        ("I cannot; gimme that. Wanna go?", "I can not ; gim me that. Wan na go ?"),
        ("'Tis more'n I d'ye wanna", "'T is more 'n I d 'ye wan na"),
        # an apostrophe before a space leaves first, so the clitic before it is found; not at the line's end
        ("dog's' x", "dog 's ' x"),
        ("x dog's'", "x dog's '"),
        ("'tis'twas", "'t is 't was"),
        # the final period
        ("Mr. X left.", "Mr. X left ."),
        ('He said "no."', "He said `` no . ''"),
        ("and so...", "and so ..."),
        ("and so..", "and so.."),
        ("end. \t", "end ."),
        # quotes
        ("\"\" x", "`` `` x"),
        ("x \"\"", "x `` ''"),
        # commas and colons
        ("1,000:5 a:b, 5,a", "1,000:5 a : b , 5 , a"),
        # contractions before a comma and before the final period
        ("wanna, a gonna, wanna.", "wan na , a gon na , wan na ."),
        # white space that is not the ASCII space does not end a clitic
        ("dog's\tcat's cow's", "dog's cat 's cow 's"),
        ("", ""),
    ],
)  # fmt: skip
def test_rules_one_by_one(line: str, tokens: str) -> None:
    assert tokenise(line) == tokens.split()
    assert nltk_tokens(line) == tokens.split()


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
