"""The table of characters against the categories of Python's Unicode tables and the properties of another library."""

import re
import sys
import unicodedata

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from pfsm.text.characters import clean
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
