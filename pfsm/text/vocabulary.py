"""Sentences as arrays of token ids; every token type is analysed only once."""

from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from pfsm.text.chunks import LINE_CACHE_LIMIT, ChunkCache, LineCache, Tokeniser
from pfsm.text.languages import ready_tokeniser
from pfsm.text.stemming import stemmer_named

CHUNK_CACHE_LIMIT = 1_000_000

# From types to one whole number per type.
Numbers = Sequence[int] | NDArray[np.int32]
Analysis = Callable[[Sequence[str]], Numbers]
Entry = TypeVar("Entry", np.int32, np.bool_)


@dataclass(frozen=True, eq=False)
class EncodedLines:
    """Lines as token ids of the vocabulary that encoded them. The arrays are read-only.

    Attributes:
        ids: int32 [n_tokens], the ids of all lines, one line after the other.
        offsets: int64 [n_lines + 1]; line k is ``ids[offsets[k]:offsets[k + 1]]``.
        lines: The text of the lines [n_lines].
        numbers: int64 [n_lines], which of the encoded lines each is, where they are a selection.
    """

    ids: NDArray[np.int32]
    offsets: NDArray[np.int64]
    lines: Sequence[str]
    numbers: NDArray[np.int64]

    @staticmethod
    def without_tokens(lines: Iterable[str]) -> "EncodedLines":
        """Lines for which only the text matters: as if none of them had a token."""
        text = tuple(lines)
        ids, offsets = np.zeros(0, np.int32), np.zeros(len(text) + 1, np.int64)
        ids.flags.writeable = offsets.flags.writeable = False
        return EncodedLines(ids, offsets, text, np.arange(len(text)))

    def __len__(self) -> int:
        """Number of lines."""
        return int(self.offsets.size) - 1

    def select(self, lines: NDArray[np.int64]) -> "EncodedLines":
        """Some of the lines, by number, in the order given; a line may be given more than once."""
        sizes = np.diff(self.offsets)[lines]
        offsets = np.zeros(lines.size + 1, np.int64)
        np.cumsum(sizes, out=offsets[1:])
        places = np.arange(offsets[-1]) + np.repeat(self.offsets[lines] - offsets[:-1], sizes)
        ids = self.ids[places]
        ids.flags.writeable = offsets.flags.writeable = False
        text = tuple(self.lines[line] for line in lines.tolist())
        return EncodedLines(ids, offsets, text, self.numbers[lines])

    def part(self, first: int, stop: int) -> "EncodedLines":
        """The lines from ``first`` to before ``stop``; the ids are a view."""
        offsets = self.offsets[first : stop + 1]
        ids = self.ids[offsets[0] : offsets[-1]]
        offsets = offsets - offsets[0]
        offsets.flags.writeable = False
        return EncodedLines(ids, offsets, self.lines[first:stop], self.numbers[first:stop])


class _Column(Generic[Entry]):
    """One value per type, growing at the end; views handed out earlier stay unchanged."""

    def __init__(self, dtype: type[Entry]) -> None:
        self._values: NDArray[Entry] = np.empty(0, dtype)
        self.size = 0

    def extend(self, values: Numbers) -> None:
        size = self.size + len(values)
        if size > self._values.size:
            grown = np.empty(2 * size, self._values.dtype)
            grown[: self.size] = self._values[: self.size]
            self._values = grown
        self._values[self.size : size] = values
        self.size = size

    def view(self) -> NDArray[Entry]:
        view = self._values[: self.size]
        view.flags.writeable = False
        return view


class Vocabulary:
    """The token types encountered so far: their forms, words and stems, and whether they are punctuation.

    A type is a token in its own case; its id is its place in ``types``. Ids are assigned in the order in which types
    are encountered, and never change. So encoded lines stay valid as long as the vocabulary lives, and an array of
    ``word_ids`` taken earlier is the beginning of one taken later.

    Memory: at most ``chunk_limit`` chunks are cached, about 200 bytes each, and lines of at most ``line_limit``
    characters, about 3 bytes each. At the limit all are dropped, which has no effect on ids. Types take about 350 bytes
    each and are never dropped. Their number grows with the number of distinct tokens ever encoded, so a vocabulary that
    serves endless text should be replaced now and then, together with
    everything it encoded, as `pfsm.model.metric.Metric` does.

    Not thread-safe: only one thread at a time may encode or read the arrays.

    Args:
        tokeniser: ``penn``, ``plain`` or the user's own tokeniser.
        stemmer: ``porter``, ``none`` or the name of a Snowball stemmer.
        lowercase: whether words are compared in lower case. Stems always are.
        chunk_limit: largest number of chunks in the cache, at least 1.
        line_limit: largest number of characters of lines in the cache (`LineCache`).

    Raises:
        PfsmError: If there is no such tokeniser or stemmer.
    """

    def __init__(
        self,
        tokeniser: str | Tokeniser = "penn",
        stemmer: str = "porter",
        lowercase: bool = True,
        chunk_limit: int = CHUNK_CACHE_LIMIT,
        line_limit: int = LINE_CACHE_LIMIT,
    ) -> None:
        self._tokeniser = ready_tokeniser(tokeniser) if isinstance(tokeniser, str) else tokeniser
        self._stemmer = stemmer_named(stemmer)
        self._lowercase = lowercase
        self.types: list[str] = []
        self._id_of_type: dict[str, int] = {}
        # Not a bound method: without a circle of references a vocabulary that is replaced is freed at once.
        encode = partial(_encoded_chunk, self._tokeniser, self.types, self._id_of_type)
        chunks: ChunkCache[bytes] = ChunkCache(encode, chunk_limit)
        encode_line = partial(_encoded_line, self._tokeniser, chunks)
        self._lines: LineCache[bytes] = LineCache(encode_line, line_limit)
        self._id_of_word: dict[str, int] = {}
        self._words: list[str] = []
        self._id_of_stem: dict[str, int] = {}
        self._word_ids = _Column(np.int32)
        self._stem_ids = _Column(np.int32)
        self._is_punctuation = _Column(np.bool_)
        self._columns: dict[Analysis, _Column[np.int32]] = {}

    def __len__(self) -> int:
        """Number of types encountered so far."""
        return len(self.types)

    def encode(self, lines: Iterable[str]) -> EncodedLines:
        """Tokenises lines and looks up the ids of their tokens; new types get new ids.

        A line that is known costs next to nothing, one whose chunks are known a few microseconds. An empty line has no
        tokens.
        """
        text = tuple(lines)
        encoded = [self._lines[line] for line in text]
        offsets = np.zeros(len(encoded) + 1, np.int64)
        np.cumsum(np.fromiter(map(len, encoded), np.int64, len(encoded)), out=offsets[1:])
        offsets //= np.dtype(np.int32).itemsize
        offsets.flags.writeable = False
        return EncodedLines(np.frombuffer(b"".join(encoded), np.int32), offsets, text, np.arange(len(text)))

    def tokens(self, line: str) -> list[str]:
        """The tokens of a line in their own case (quotes as the tokeniser writes them)."""
        return self.forms(self.encode([line]))

    def forms(self, lines: EncodedLines) -> list[str]:
        """The tokens of all the lines, one line after the other, as ``tokens`` has them."""
        return [self.types[token] for token in lines.ids.tolist()]

    @property
    def word_ids(self) -> NDArray[np.int32]:
        """Int32 [n_types], read-only: equal where types are the same word, case aside if ``lowercase``."""
        self._analyse_new_types()
        return self._word_ids.view()

    @property
    def words(self) -> Sequence[str]:
        """The word of each word id, in lower case if ``lowercase``; the list grows with the vocabulary."""
        self._analyse_new_types()
        return self._words

    @property
    def stem_ids(self) -> NDArray[np.int32]:
        """Int32 [n_types], read-only: equal where the lower-cased types have the same stem."""
        self._analyse_new_types()
        return self._stem_ids.view()

    @property
    def is_punctuation(self) -> NDArray[np.bool_]:
        """Bool [n_types], read-only: no character of the type is a letter or digit (`str.isalnum`)."""
        self._analyse_new_types()
        return self._is_punctuation.view()

    def column(self, analyse: Analysis) -> NDArray[np.int32]:
        """Int32 [n_types], read-only: the result of ``analyse`` for each type, computed once per type.

        Args:
            analyse: A pure function from types to one whole number each. Its results are stored under the function
                object: pass the same object again, not another one that does the same.
        """
        column = self._columns.setdefault(analyse, _Column(np.int32))
        new = self.types[column.size :]
        if new:
            column.extend(analyse(new))
        return column.view()

    def _analyse_new_types(self) -> None:
        new = self.types[self._word_ids.size :]
        if not new:
            return
        lowered = [token.lower() for token in new]
        # Stems first: if this fails, no column has grown, and all keep the same length.
        stems = self._stemmer.stems([_encodable(token) for token in lowered])
        self._word_ids.extend(_interned(lowered if self._lowercase else new, self._id_of_word))
        # A dict keeps the order of insertion, which is that of ids.
        self._words.extend(islice(self._id_of_word, len(self._words), None))
        self._stem_ids.extend(_interned(stems, self._id_of_stem))
        self._is_punctuation.extend([not (token.isalnum() or any(map(str.isalnum, token))) for token in new])


def _encoded_chunk(tokeniser: Tokeniser, types: list[str], id_of_type: dict[str, int], key: str) -> bytes:
    """The ids of the tokens of a chunk; new types are added to both."""
    ids = []
    for token in tokeniser.analyse(key):
        known = id_of_type.get(token)
        if known is None:
            known = id_of_type[token] = len(types)
            types.append(token)
        ids.append(known)
    return array("i", ids).tobytes()


def _encoded_line(tokeniser: Tokeniser, chunks: ChunkCache[bytes], line: str) -> bytes:
    """The ids of the tokens of a line, from those of its chunks."""
    return b"".join(map(chunks.__getitem__, tokeniser.keys(line)))


def _encodable(token: str) -> str:
    """The token with lone surrogates escaped for the stemmer; no file holds them, but a caller may pass them."""
    if token.isascii():
        return token
    return token.encode("utf-8", "backslashreplace").decode("utf-8")


def _interned(strings: Sequence[str], ids: dict[str, int]) -> list[int]:
    return [ids.setdefault(string, len(ids)) for string in strings]
