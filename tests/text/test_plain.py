import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pfsm.text.plain import tokenise

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
def test_rules_one_by_one(line: str, tokens: str) -> None:
    # Single spaces stand between the expected tokens; str.split would cut at other white space too.
    assert tokenise(line) == [token for token in tokens.split(" ") if token]


TEXT = st.one_of(
    st.text(
        st.sampled_from("aé1٣२.,'’-·!? \t\u0301\u200d\u200b漢カーのทุまᄀ한កោ❤\ufe0fﾊ々〇½_"), max_size=20
    ),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
)


@settings(max_examples=800)
@given(TEXT)
def test_equals_the_slow_twin(line: str) -> None:
    assert tokenise(line) == slow_tokens(line)


@pytest.mark.parametrize(
    ("unit", "count"),
    [("a", 1), ("a-", 2), ("1,", 2), ("漢", 200_000), (".", 1), ("\u0301", 1), ("!?", 200_000)],
)
def test_long_lines_take_linear_time(unit: str, count: int) -> None:
    """Quadratic time would take minutes."""
    line = (unit * 200_000)[:200_000]
    tokens = tokenise(line)
    assert "".join(tokens) == line
    assert len(tokens) == count
