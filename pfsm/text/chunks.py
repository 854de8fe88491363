"""Text is analysed in chunks: whatever stands between two ASCII spaces is tokenised once and cached.

A tokeniser whose rules look no further than a chunk and its edges splits a line into *keys*, one per chunk. The tokens
of the line are those of its keys, one after the other. Real text repeats its chunks so often that a chunk usually costs
one dictionary look-up.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, TypeVar

from pfsm.errors import PfsmError

Value = TypeVar("Value")

LONGEST_CACHED_KEY = 64
TOKEN_CACHE_LIMIT = 500_000
# Characters; with what is known of them about 25 MB.
LINE_CACHE_LIMIT = 8_000_000
LINE_COST = 100


class ChunkCache(dict[str, Value]):
    """The analysis of each key; ``cache[key]`` analyses a key that is not in the cache.

    The cache holds at most ``limit`` keys. When it is full, all of them are dropped, and it refills with the keys of
    the current text. Keys over 64 characters (URLs, lines without spaces) are analysed every time and never cached, so
    memory is bounded by ``limit`` times a key of 64 characters and its value.

    Args:
        analyse: a pure function of the key.
        limit: largest number of keys in the cache, at least 1.
    """

    def __init__(self, analyse: Callable[[str], Value], limit: int) -> None:
        super().__init__()
        self._analyse = analyse
        self._limit = limit

    def __missing__(self, key: str) -> Value:
        value = self._analyse(key)
        if len(key) <= LONGEST_CACHED_KEY:
            if len(self) >= self._limit:
                self.clear()
            self[key] = value
        return value


class LineCache(dict[str, Value]):
    """What is known of each line; ``cache[line]`` works it out for a line that is not in the cache.

    The same references come with every system, and with every call. Lines of at most ``limit`` characters in all are
    kept, each counted as `LINE_COST` characters more. When that is full, all of them are dropped. Lines that would fill
    more than a sixteenth of it are worked out every time.
    """

    def __init__(self, analyse: Callable[[str], Value], limit: int = LINE_CACHE_LIMIT) -> None:
        super().__init__()
        self._analyse = analyse
        self._limit = limit
        self._size = 0

    def __missing__(self, line: str) -> Value:
        value = self._analyse(line)
        size = len(line) + LINE_COST
        if 16 * size <= self._limit:
            if self._size + size > self._limit:
                self.clear()
                self._size = 0
            self._size += size
            self[line] = value
        return value


@dataclass(frozen=True)
class Tokeniser:
    """A tokeniser that works chunk by chunk.

    Attributes:
        name: its name in settings and model files.
        keys: splits a line into the keys of its chunks.
        analyse: gives the tokens of one key; a pure function. The tokens of a line's keys, in order, are the tokens of
            the line.
    """

    name: str
    keys: Callable[[str], list[str]]
    analyse: Callable[[str], Sequence[str]]


class CachedTokeniser:
    """Tokenises lines and caches the tokens of each chunk (500,000 chunks; see `ChunkCache`)."""

    def __init__(self, tokeniser: Tokeniser) -> None:
        self._keys = tokeniser.keys
        self._tokens: ChunkCache[Sequence[str]] = ChunkCache(tokeniser.analyse, TOKEN_CACHE_LIMIT)

    def __call__(self, line: str) -> list[str]:
        """The tokens of a line."""
        return list(chain.from_iterable(map(self._tokens.__getitem__, self._keys(line))))


def whole_line(line: str) -> list[str]:
    """The line as its only chunk, for tokenisers whose rules look further than from space to space."""
    return [line]


def watched_tokeniser(name: str, value: Any) -> Tokeniser:
    """A plug-in as the registry holds it, watched while it works.

    Args:
        name: What it is registered under.
        value: A `Tokeniser`, or a function from a line to its tokens.
    """
    keys, analyse = (value.keys, value.analyse) if isinstance(value, Tokeniser) else (whole_line, value)
    if not callable(analyse):
        raise PfsmError("is neither a pfsm.text.chunks.Tokeniser nor a function of a line")

    def watched(key: str) -> Sequence[str]:
        tokens = tuple(analyse(key))
        for token in tokens:
            if not isinstance(token, str) or not token or token.isspace():
                raise PfsmError(
                    f"tokeniser {name!r}: makes of {_shown(key)} the token {token!r}, which is not text"
                )
        return tokens

    return Tokeniser(name, keys, watched)


def _shown(text: str) -> str:
    return repr(text) if len(text) <= 60 else f"{text[:57]!r}..."
