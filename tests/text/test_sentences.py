"""Ends of sentences: nothing is lost, in linear time, in scripts with and without spaces."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pfsm.text.sentences import split

PIECES = ["The dog", "barked", " ", ". ", ".", "! ", "?", '"', "“", "”", "« ", " »", "'", "’s", "1. "]
PIECES += ["...", "。", "你", "।", "\ud800", "\u3000"]


def sentences(text: str, language: str = "en") -> list[str]:
    spans = split(text, language)
    assert [start for start, _ in spans] == [0, *(end for _, end in spans)][: len(spans)]
    return [text[start:end] for start, end in spans]


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("en", ['He said "Go away. ', 'Never come back." ', "She left. ", '"I did. ', 'You saw." ', "Mr. Doe did."]),
        ("en", ['"Go!" he said. ', "ASP.NET is 3.5 times www.Foo.com, e.g. here. ", "The dogs' tails."]),
        ("en", ["1. The first. ", "2. The second. ..."]),
        ("de", ["„Ja. ", "Nein.“ sagte er am 3. Mai. ", "„Gut.“"]),
        ("fr", ["« Oui. ", "Non. » ", "Il dit. ", "« Ah ? » ", "Bien."]),
        ("zh", ["他说：“好。", "我来。”", "然后走了。"]),
        ("hi", ["नमस्ते। ", "कैसे हैं?"]),
        ("zho_Hant", ["今天。", "明天！"]),
        ("und", ["Foo bar. ", "Baz qux?"]),
        ("en", ["..."]),
        ("en", []),
    ],
)  # fmt: skip
def test_sentences_of_many_languages(language: str, expected: list[str]) -> None:
    assert sentences("".join(expected), language) == expected


@settings(max_examples=500)
@given(
    st.lists(st.sampled_from(PIECES), max_size=25).map("".join), st.sampled_from(["en", "de", "zh", "und"])
)
def test_nothing_is_lost_and_every_sentence_has_a_letter(text: str, language: str) -> None:
    found = sentences(text, language)
    assert "".join(found) == text
    assert all(any(map(str.isalpha, one)) for one in found) or len(found) == 1
