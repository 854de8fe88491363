"""Sentences of a line, as places in it: sentencex (Wikimedia's rules for some 300 languages), with four corrections.

1. Quotation marks do not hide the end of a sentence: a speech has as many sentences as it has without its marks.
2. No sentence ends inside a word of ASCII characters (``ASP.NET``, ``www.Foo.com``).
3. A sentence that goes on in lower case behind a quotation has not ended (``"Go!" he said.``).
4. What has no letter is not a sentence: ``1.`` belongs to what follows it, a last ``...`` to what comes before.

The time is linear in the length of the line.
"""

import re
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from importlib.metadata import version
from typing import cast

from pfsm.text.language_names import main_code

Span = tuple[int, int]

# Not those of Chinese and Japanese, before which there is no space. An apostrophe is one at the edge of a word alone.
_MARKS, _OPENERS, _SPACED_OPENERS = "\"“”„‟«»‹›‘’‚‛'", "“„‟«‹‘‚‛", ("«", "‹")
_QUOTE = re.compile("[\"“”„‟«»‹›‘‚‛'’](?:(?<!['’])|(?!\\w)|(?<!\\w.))", re.DOTALL)
# Without one of these before its last word, a line of ASCII characters is one sentence.
_END = re.compile("[!.?;:\0-\x1f]")
_SPACES = " \t\n\v\f\r\x85\xa0\u2028\u2029\u202f\u3000"
_GAP = re.compile(f"[{_MARKS}{_SPACES}]*")
_code = lru_cache(maxsize=1000)(main_code)
_SURROGATE = re.compile("[\ud800-\udfff]")


@cache
def splitter_label() -> str:
    """The library that splits and its version, as signatures have it."""
    return f"sentencex@{version('sentencex')}"


def split(text: str, language: str) -> list[Span]:
    """The sentences of a text, each with the spaces behind it: together they cover the text.

    Args:
        text: A line.
        language: Its code; a language without rules of its own has those of a related one, or of English.

    Returns:
        Where each begins and ends; none for an empty text.
    """
    if text.isascii() and _END.search(text, 0, max(text.rstrip().rfind(" "), 0)) is None:
        return [(0, len(text))] if text else []
    spans: list[Span] = []
    start = seen = 0  # nothing between the two has a letter
    for end in (*_ends(text, _code(language)), len(text)):
        if any(map(str.isalpha, text[seen:end])):
            spans.append((start, end))
            start = end
        seen = end
    if start < len(text):
        start = spans.pop()[0] if spans else 0
        spans.append((start, len(text)))
    return spans


def _ends(text: str, code: str) -> Iterator[int]:
    """Where sentences end before the end of the text, some without letters among them."""
    behind = place = 0
    for sentence in _sentences(code, _QUOTE.sub(" ", text))[:-1]:
        before, behind = behind, behind + len(sentence)
        first = before + len(text[before:behind].rstrip(_MARKS + _SPACES))
        gap = _GAP.match(text, first)[0]  # type: ignore[index]
        end = first + len(gap)
        if end == len(text) or _goes_on(text[first - 1 : first], gap, text[end]):
            continue
        end -= len(gap) - len(_closing(gap))
        if end > place:
            yield end
            place = end


def _sentences(code: str, text: str) -> list[str]:
    try:
        return _library()(code, text)
    except UnicodeEncodeError:
        return _library()(code, _SURROGATE.sub("\ufffd", text))


@cache
def _library() -> Callable[[str, str], list[str]]:
    from sentencex import segment  # noqa: PLC0415 - a start should not wait for it

    return cast("Callable[[str, str], list[str]]", segment)


def _goes_on(last: str, gap: str, following: str) -> bool:
    """Whether no sentence ends in a gap, from the character before and the one behind it."""
    if not gap.strip(_MARKS) and last.isascii() and following.isascii():
        return True
    return following.islower() and bool(gap.strip(_SPACES))


def _closing(gap: str) -> str:
    """Of the spaces and marks between two sentences, what belongs to the first."""
    body = gap.rstrip(_SPACES)
    if body != gap:
        return body[:-1] if body.endswith(_SPACED_OPENERS) else gap
    return gap.rstrip(_MARKS) or gap.rstrip(_OPENERS)
