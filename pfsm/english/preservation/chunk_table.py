"""Chunks of text (`pfsm.text.chunks`) and what each has, packed into integers: a known chunk costs one look-up."""

import re
from functools import cache
from itertools import count
from typing import NamedTuple

from pfsm.english.facts import NOTHING, chunk_kind, may_have_kind, word_kind
from pfsm.english.numbers import NUMBER_WORDS, is_number_word
from pfsm.text.classes import normal_form, shipped_lists
from pfsm.text.numbers import digit_value
from pfsm.text.plain import chunk_tokens

# A closing mark, an English suffix or an opening mark that tokenisers cut off.
_APART = re.compile(
    r"(?:[.,;:!?)\]}%\u2026\u3002\uff0c](?!\d)|['\u2019](?:s|re|ve|ll|d|m|t)\b|n['\u2019]t\b|[(\[{]\Z)",
    re.IGNORECASE,
)
# A mark between two words without a space; full stops only before capitals, as others stand in addresses, and no
# semicolon that ends a character reference of HTML.
_GLUED = re.compile(
    r"""
    [^\W\d_]{2}
    (?: [,:!?)] | (?<!&amp)(?<!&apos)(?<!&gt)(?<!&lt)(?<!&nbsp)(?<!&quot); | \.+(?=[^\W\d_a-z]) )+
    (?=[^\W\d_])
    """,
    re.VERBOSE,
)
# Marks that often stand right behind a word.
_BEHIND_WORDS = frozenset(".,;:!?")
# Stands between lines. In text it separates tokens as a space does.
END = "\0"
WORD_BITS = 29
HAS_COUNTS = 2
"""The flag of chunks with counts."""
KIND_BIT = 2
"""Place of the kind among the flags."""
NO_WORD = (1 << WORD_BITS) - 1
# Of all chunks of a table; when it is full, the next call begins another one.
_MOST_CHARACTERS = 8_000_000


class Counts(NamedTuple):
    """What a chunk has, as in `pfsm.english.preservation.differences.LineCounts`."""

    repeats: int = 0
    negations: int = 0
    apart: int = 0
    glued: int = 0
    digits: int = 0
    number_words: int = 0


class ChunkTable(dict[str, int]):
    """By chunk, from the lowest bits: its first word, its last word, whether it has tokens, whether it has counts.

    The two bits above say what it can be part of (`pfsm.english.facts.chunk_kind`).

    Words are numbered in lower case, `WORD_BITS` bits each; `NO_WORD` where a chunk begins or ends with another token.
    Which number a word has depends on what was read before, so only whether two are equal means anything. Threads may
    share a table.

    Attributes:
        counts: The counts of chunks that have any.
    """

    def __init__(self) -> None:
        super().__init__()
        self.counts: dict[str, Counts] = {}
        self._numbers = count()
        self._words: dict[str, int] = {}
        self._characters = 0
        self[END] = 0  # as no other chunk

    @property
    def is_full(self) -> bool:
        """Whether another one should be begun."""
        return self._characters > _MOST_CHARACTERS

    def __missing__(self, chunk: str) -> int:
        if chunk.isascii() and chunk.isalpha():  # one word, as most chunks are
            return self._word(chunk, chunk.lower())
        head = chunk[:-1]
        if chunk[-1:] in _BEHIND_WORDS and head.isascii() and head.isalpha():
            return self._marked(chunk, head, head.lower())
        tokens = [token.lower() for token in chunk_tokens(chunk)]
        counts = _counts(chunk, tokens)
        if any(counts):
            self.counts[chunk] = counts
        first, last = (self._number(tokens[at]) if tokens else NO_WORD for at in (0, -1))
        flags = bool(tokens) | any(counts) << 1 | (chunk_kind(chunk) << KIND_BIT if tokens else 0)
        value = self[chunk] = first | last << WORD_BITS | flags << 2 * WORD_BITS
        self._characters += len(chunk) + 32
        return value

    def _word(self, chunk: str, word: str) -> int:
        negates, counts = word in _negating(), word != "one" and word in NUMBER_WORDS
        if negates or counts:
            self.counts[chunk] = Counts(negations=int(negates), number_words=int(counts))
        number = self._words.setdefault(word, next(self._numbers))
        flags = (3 if negates or counts else 1) | word_kind(chunk, word) << KIND_BIT
        value = self[chunk] = number | number << WORD_BITS | flags << 2 * WORD_BITS
        self._characters += len(chunk) + 32
        return value

    def _marked(self, chunk: str, head: str, word: str) -> int:
        """Of a word with a mark behind it, which is a token that counts nowhere."""
        negates, counts = word in _negating(), word != "one" and word in NUMBER_WORDS
        if negates or counts:
            self.counts[chunk] = Counts(negations=int(negates), number_words=int(counts))
        number = self._words.setdefault(word, next(self._numbers))
        kind = chunk_kind(chunk) if may_have_kind(chunk, head, word) else NOTHING
        flags = (3 if negates or counts else 1) | kind << KIND_BIT
        value = self[chunk] = number | NO_WORD << WORD_BITS | flags << 2 * WORD_BITS
        self._characters += len(chunk) + 32
        return value

    def _number(self, word: str) -> int:
        # setdefault is one step even where threads meet.
        return self._words.setdefault(word, next(self._numbers)) if _is_word(word) else NO_WORD


def _counts(chunk: str, tokens: list[str]) -> Counts:
    negating = _negating()
    # Loops rather than sums: most chunks have few tokens.
    repeats = negations = digits = number_words = 0
    before = ""
    for token in tokens:
        repeats += token == before and _is_word(token)
        before = token
        if token[0].isalpha():  # as all words that negate and that are numbers do
            negations += (token if token.isascii() else normal_form(token)) in negating
            number_words += token != "one" and is_number_word(token)
        else:
            digits += digit_value(token) is not None
    # Most chunks begin with a letter and have too few tokens for a mark between two words; other numerals than
    # digits may stand on both sides of a mark within one token.
    may_be_apart = not chunk[:1].isalnum() or chunk[0] in "nN"
    apart = int(may_be_apart and _APART.match(chunk) is not None)
    glued = len(_GLUED.findall(chunk)) if len(tokens) > 2 or not chunk.isascii() else 0
    return Counts(repeats, negations, apart, glued, digits, number_words)


def _is_word(token: str) -> bool:
    return any(map(str.isalpha, token))


@cache
def _negating() -> frozenset[str]:
    return frozenset(shipped_lists("en")["negation"])
