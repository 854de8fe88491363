"""What single lines have: repeated words, negations, numbers, marks that stand apart, and how they begin.

Lines are looked at chunk by chunk, as tokenisers do (`pfsm.text.chunks`). Distinct chunks are analysed once, those seen
lately not even that; what lines have is summed over arrays of their chunks.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pfsm.text.chunks import TOKEN_CACHE_LIMIT, ChunkCache
from pfsm.text.classes import normal_form, shipped_lists
from pfsm.text.numbers import digit_value, is_number_word
from pfsm.text.plain import chunk_tokens

Int64 = NDArray[np.int64]
# A closing mark, an English suffix or an opening mark that tokenisers cut off.
_APART = re.compile(
    r"(?:[.,;:!?)\]}%\u2026\u3002\uff0c](?!\d)|['\u2019](?:s|re|ve|ll|d|m|t)\b|n['\u2019]t\b|[(\[{]\Z)",
    re.IGNORECASE,
)


@dataclass(frozen=True, eq=False)
class LineCounts:
    """What each of several lines has, int64 [n] each.

    Attributes:
        repeats: Words that follow themselves, in any case.
        negations: English words that negate.
        apart: Marks and suffixes behind a space, where running text has none.
        digits: Numbers in digits.
        number_words: English words for numbers, or parts of such, without ``one``, which alone is no number.
        start: 1 if the first letter is a capital, -1 if it is a small one, 0 if it has no case or there is none.
    """

    repeats: Int64
    negations: Int64
    apart: Int64
    digits: Int64
    number_words: Int64
    start: Int64


class _Chunk(NamedTuple):
    """Counts of a chunk as in `LineCounts`; its first and last token in lower case, empty where they are no words."""

    tokens: int
    repeats: int
    negations: int
    apart: int
    digits: int
    number_words: int
    first: str
    last: str


def counts_of(lines: Sequence[str]) -> LineCounts:
    """What lines have; the tokens are those of `pfsm.text.plain`."""
    split = [line.split(" ") for line in lines]
    place = {chunk: at for at, chunk in enumerate(dict.fromkeys(chain.from_iterable(split)))}
    sizes = np.fromiter(map(len, split), np.int64, len(split))
    chunks = np.fromiter(map(place.__getitem__, chain.from_iterable(split)), np.int64, int(sizes.sum()))
    line = np.repeat(np.arange(len(lines)), sizes)
    found = [_CHUNKS[chunk] for chunk in place]
    counts = np.array([one[:6] for one in found], dtype=np.int64).reshape(-1, 6)
    if not counts[:, 0].all():  # spaces and control characters have no tokens
        occupied = counts[chunks, 0] > 0
        chunks, line = chunks[occupied], line[occupied]
    words = {word: at for at, word in enumerate(dict.fromkeys(chain.from_iterable(one[6:] for one in found)))}
    first, last = (np.array([words[one[side]] for one in found], dtype=np.int64) for side in (6, 7))
    last[last == words.get("", -1)] = -1
    follows = np.flatnonzero(first[chunks[1:]] == last[chunks[:-1]])
    follows = follows[line[follows] == line[follows + 1]]
    # Most chunks have nothing to count.
    has_any = np.flatnonzero(counts[:, 1:].any(axis=1)[chunks])
    where, what = line[has_any], counts[chunks[has_any]]
    repeats, negations, apart, digits, number_words = (
        np.bincount(where, what[:, column], minlength=len(lines)).astype(np.int64) for column in range(1, 6)
    )
    repeats += np.bincount(line[follows], minlength=len(lines))
    start = np.fromiter(map(_start, lines), np.int64, len(lines))
    return LineCounts(repeats, negations, apart, digits, number_words, start)


def _chunk(text: str) -> _Chunk:
    tokens = [token.lower() for token in chunk_tokens(text)]
    negating = _negating()
    return _Chunk(
        len(tokens),
        sum(one == two and _is_word(one) for one, two in pairwise(tokens)),
        sum(normal_form(token) in negating for token in tokens),
        _APART.match(text) is not None,
        sum(digit_value(token) is not None for token in tokens),
        sum(token != "one" and is_number_word(token) for token in tokens),
        tokens[0] if tokens and _is_word(tokens[0]) else "",
        tokens[-1] if tokens and _is_word(tokens[-1]) else "",
    )


_CHUNKS: ChunkCache[_Chunk] = ChunkCache(_chunk, TOKEN_CACHE_LIMIT)


def _is_word(token: str) -> bool:
    return any(map(str.isalpha, token))


def _start(line: str) -> int:
    first = line[:1]
    if not first.isalpha():
        first = next(filter(str.isalpha, line), "")
    return first.isupper() - first.islower()


@cache
def _negating() -> frozenset[str]:
    return frozenset(shipped_lists("en")["negation"])
