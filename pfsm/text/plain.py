"""Tokenisation by Unicode categories alone, for languages that have no tokeniser of their own here.

A token is the longest match, at its place, of these:

- a word: letters, marks and numerals (categories L, M, N), and between two of them a single apostrophe (``'``, U+2019),
  a hyphen (``-``, U+2010, U+2011), a middle dot (Catalan ``l·l``) or a Hebrew geresh or gershayim: ``l'eau``, ``don't``
  and ``vis-à-vis`` are one token each. Marks belong to words so that vowel signs of Indic scripts do not cut them. A
  period or comma between two numerals stays too: ``1,000.5``.
- one character of a script written without spaces (Han, Hiragana, Katakana, Thai, Lao, Khmer, Myanmar), with
  the marks that follow it; digits of these scripts form words like all digits.
- a run of one and the same other character: ``...``, ``--``, ``!!``; ``?!`` is two tokens. Marks that follow
  stay with it.

White space separates, and so do control and format characters (zero-width space, byte-order mark, direction marks),
which are invisible. Joiners and the soft hyphen (U+00AD, U+200C, U+200D, U+2060) act as marks, because they stand
inside words. Nothing is rewritten: the concatenated tokens are the line without its separators.
"""

import re
import unicodedata
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pfsm.text.chunks import CachedTokeniser, Tokeniser

UNSPACED = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Myanmar
    (0x1780, 0x17FF),  # Khmer
    (0x2E80, 0x2FDF),  # Han radicals
    (0x3005, 0x3007),  # Han iteration mark, closing mark, zero
    (0x3021, 0x3029),  # Han (Hangzhou) numerals
    (0x3031, 0x303C),  # kana and Han repeat marks
    (0x3041, 0x30FF),  # Hiragana, Katakana
    (0x31F0, 0x31FF),  # Katakana extensions
    (0x3400, 0x4DBF),  # Han
    (0x4E00, 0x9FFF),  # Han
    (0xA9E0, 0xA9FE),  # Myanmar
    (0xAA60, 0xAA7F),  # Myanmar
    (0xF900, 0xFAFF),  # Han
    (0xFF66, 0xFF9F),  # half-width Katakana
    (0x1AFF0, 0x1B16F),  # kana
    (0x20000, 0x3FFFD),  # Han
)
_INNER_MARKS = "\xad\u200c\u200d\u2060"

_LETTER, _NUMERAL, _MARK, _ALONE, _SEPARATOR = "a0mc "
# It matches a text whose characters are replaced by the letters of their classes; a character without a class stands
# for itself.
_TOKEN = re.compile(
    r"""
      [a0m]+ (?: (?: ['\u2019\-\u2010\u2011·\u05F3\u05F4] (?=[a0]) | (?<=0)[.,](?=0) ) [a0m]+ )*
    | c m*
    | ([^ ]) \1* m*
    """,
    re.VERBOSE,
)


# The same of ASCII text as it stands. Its control characters separate.
_ASCII_TOKEN = re.compile(
    r"""
      [A-Za-z0-9]+ (?: (?: ['\-] (?=[A-Za-z0-9]) | (?<=[0-9])[.,](?=[0-9]) ) [A-Za-z0-9]+ )*
    | ([!-~]) \1*
    """,
    re.VERBOSE,
)


class _CharacterClasses(dict[int, str]):
    """A table for `str.translate` that adds the class of each new character it encounters."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        name = self[code] = _character_class(character)
        return name


def _character_class(character: str) -> str:
    category = unicodedata.category(character)
    code = ord(character)
    if category[0] == "M" or character in _INNER_MARKS:
        return _MARK
    if category in {"Cc", "Cf"} or character.isspace():
        return _SEPARATOR
    letter = category[0] == "L" or category == "Nl"  # such as U+3007, the Han zero
    if letter and any(first <= code <= last for first, last in UNSPACED):
        return _ALONE
    return {"L": _LETTER, "N": _NUMERAL}.get(category[0], character)


_CLASSES = _CharacterClasses()


def chunk_keys(line: str) -> list[str]:
    """The chunks of a line: no rule looks across a space."""
    return line.split(" ")


def chunk_tokens(chunk: str) -> Sequence[str]:
    """The tokens of a chunk, or of any text."""
    if chunk.isascii():
        return (chunk,) if chunk.isalnum() else tuple([match[0] for match in _ASCII_TOKEN.finditer(chunk)])
    return tuple(chunk[match.start() : match.end()] for match in _TOKEN.finditer(chunk.translate(_CLASSES)))


PLAIN = Tokeniser("plain", chunk_keys, chunk_tokens)

tokenise = CachedTokeniser(PLAIN)


def token_counts(lines: Sequence[str]) -> NDArray[np.float64]:
    """Number of tokens in each line: words in languages that use spaces, characters in those that do not.

    Returns:
        float64 [n]; length-weighted statistics use them as lengths of references.
    """
    known = {line: float(len(tokenise(line))) for line in set(lines)}
    return np.array([known[line] for line in lines], dtype=np.float64)
