"""The table of characters against Unicode's tables, and tokens in the text of their user."""

import random
import re
import sys
import unicodedata

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from pfsm.model.shipped import load
from pfsm.text.characters import clean
from pfsm.text.offsets import token_offsets
from pfsm.text.plain import tokenise

EVERY = "".join(chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000)
JOINERS = "\u200c\u200d"
IGNORABLE = [one for one in regex.findall(r"\p{Default_Ignorable_Code_Point}", EVERY) if one not in JOINERS]
SPACES = regex.findall(r"[\p{White_Space}\p{Cc}]", EVERY)
ODD = st.sampled_from(
    [*"ab .", *SPACES, *IGNORABLE[:400], *JOINERS, "\U0001f3f4", "\U0001f469", "\u0645", "\u094d", "e\u0301"]
)


def test_all_white_space_and_all_controls_separate() -> None:
    assert [one for one in SPACES if clean(f"a{one}b") != "a b"] == []


def test_what_unicode_calls_ignorable_is_ignored() -> None:
    assert [one for one in IGNORABLE if clean(f"a{one}b") != "ab"] == []


def test_format_characters_never_stay_and_everything_else_does() -> None:
    known = {*SPACES, *IGNORABLE, *JOINERS, "\u2800"}
    formats = {one for one in EVERY if unicodedata.category(one) == "Cf"}
    assert {one for one in formats - known if clean(f"a{one}b") != "a b"} == set()
    others = [one for one in EVERY if one not in known and unicodedata.category(one) not in {"Cf", "Cn"}]
    assert [one for one, kept in zip(others, clean("".join(others)), strict=True) if one != kept] == []


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
            "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        ),
        ("\u0645\u06cc\u200c \u200c\u062e\u060c\u200c", "\u0645\u06cc \u062e\u060c"),
        ("\u0d28\u0d4d\u200d\u0d31", "\u0d28\u0d4d\u200d\u0d31"),
        ("\U0001f469\u200d\U0001f4bb", "\U0001f469\u200d\U0001f4bb"),
        ("\U0001f3f3\ufe0f\u200d\U0001f308", "\U0001f3f3\u200d\U0001f308"),
        ("a\u200db\u200cc", "abc"),
        ("\U0001f3f4\U000e0067\U000e0062\U000e007f", "\U0001f3f4\U000e0067\U000e0062\U000e007f"),
        ("a\U000e0067b", "ab"),
        ("  a \u3000\x85 b\n", "a b"),
        ("", ""),
    ],
)
def test_joiners_and_tags_stay_where_they_mean_something(line: str, expected: str) -> None:
    assert clean(line) == expected


@settings(max_examples=300)
@given(st.lists(ODD, max_size=20).map("".join))
def test_clean_text_stays_as_it_is_and_no_token_is_odd(line: str) -> None:
    once = clean(line)
    assert clean(once) == once
    # `plain` does not tell flags of regions apart.
    assert "".join(tokenise(once)) == re.sub("[ \U000e0020-\U000e007f]", "", once)


LINES = {
    "He said: “It's done…” — OK": "He said : “ It 's done … ” — OK",
    "He said ''so'' and \"that\".": "He said '' so '' and \" that \" .",
    "Cafe\u0301 na\u00efve \ufb01ne \U0001f600 do\u00adne": "Cafe\u0301 na\u00efve \ufb01ne \U0001f600 do\u00adne",
    "  $5,000.00% can't\u200b stop ": "$ 5,000.00 % ca n't stop",
    "": "",
}
OTHERS = ("他昨天去了北京。", "השלום עליכם!", "ก็ดี ครับ", "I\u0307stanbul ẞ ß Ǆ ½")


def test_offsets_are_those_of_the_tokens() -> None:
    metric = load("en-fast", 1)
    for line, tokens in LINES.items():
        explanation = metric.explain(line, line)
        spans = token_offsets(line, explanation.hypothesis)
        assert [line[start:end] for start, end in spans] == tokens.split(), line


@pytest.mark.filterwarnings("ignore:model en-small")
def test_offsets_neither_overlap_nor_leave_the_line() -> None:
    metric, chance = load("en-small", 1), random.Random(3)
    metric.language_looked_at = True
    for line in (*LINES, *OTHERS):
        for _ in range(20):
            letters = [*list(line), chance.choice("“”''`` \u0301\u200b…—")]
            chance.shuffle(letters)
            text = "".join(letters)
            spans = token_offsets(text, metric.explain(text, text).hypothesis)
            flat = [0, *(place for span in spans for place in span), len(text)]
            assert flat == sorted(flat), text
