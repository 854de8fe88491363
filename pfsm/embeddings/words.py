"""Word vectors, in a text file or in a folder.

A text file is as word2vec, GloVe and fastText write them: per line a word and its numbers.

A first line of two whole numbers (how many words, how many components) is optional. The file is read once to index the
words and the beginnings of their lines; numbers are read when a word is first needed.
"""

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from pfsm.arrays import Int16
from pfsm.embeddings.safetensors import read_stored
from pfsm.embeddings.vectors import unit_rows
from pfsm.errors import PfsmError
from pfsm.io.files import decode, read_bytes, reading_explained
from pfsm.io.limits import limited_lines
from pfsm.text.languages import tokeniser_named

TOKENISER = "plain"
# The place of a word that the source does not have.
NOWHERE = -1


class WordVectors(ABC):
    """Vectors of words, each of which is looked up once; the first row is that of all unknown words."""

    def __init__(self, dimension: int) -> None:
        self.dimension = dimension
        # By the place in the source: of unknown words nothing is remembered, as there is no end of them.
        self._row_of = {NOWHERE: 0}
        self._rows = np.zeros((1, dimension), dtype=np.int16)
        self._tokenise = tokeniser_named(TOKENISER)
        self._one_at_a_time = Lock()

    @abstractmethod
    def _places(self, tokens: Sequence[str]) -> Sequence[int]:
        """Where the source has each word; `NOWHERE` for unknown ones."""

    @abstractmethod
    def _vectors(self, places: Sequence[int]) -> Int16:
        """The vectors at these places, int16 [n_places, dimension]."""

    @property
    def rows(self) -> Int16:
        """The vectors looked up so far, int16 [n_rows, dimension]; rows that were given out stay where they are."""
        return self._rows[: len(self._row_of)]

    def row_numbers(self, tokens: Sequence[str]) -> NDArray[np.int32]:
        """For each token the number of its row, int32 [n_tokens]."""
        places = self._places(tokens)
        with self._one_at_a_time:
            new = sorted(set(places) - self._row_of.keys())
            if new:
                first, size = len(self._row_of), len(self._row_of) + len(new)
                if size > len(self._rows):
                    grown = np.zeros((2 * size, self.dimension), dtype=np.int16)
                    grown[:first] = self.rows
                    self._rows = grown
                self._rows[first:size] = self._vectors(new)
                self._row_of.update(zip(new, range(first, size), strict=True))
            return np.array([self._row_of[place] for place in places], dtype=np.int32)

    def of_tokens(self, lines: Sequence[Sequence[str]]) -> list[Int16]:
        """Vectors of tokens, zeros for unknown ones."""
        numbers = [self.row_numbers(tokens) for tokens in lines]
        return [self.rows[line] for line in numbers]

    def of_texts(self, lines: Sequence[str]) -> list[Int16]:
        """Vectors of the words of lines, split by the tokeniser ``plain``; unknown words are left out."""
        tokeniser = self._tokenise
        tokens = [
            [token for key in tokeniser.keys(line) for token in tokeniser.analyse(key)] for line in lines
        ]
        return [rows[rows.any(axis=1)] for rows in self.of_tokens(tokens)]


class FileVectors(WordVectors):
    """Vectors of words: that of the word in its own case, else that of its lower case.

    Args:
        path: The file, not compressed.

    Raises:
        PfsmError: If the file cannot be read or is not a file of word vectors.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._starts: dict[bytes, int] = {}
        self._dimension = 0
        with reading_explained(path):
            self.checksum = self._index()
        super().__init__(self._dimension)

    def _index(self) -> str:
        """Records where each word's line begins; returns the SHA-256 of the file, 64 hexadecimal digits."""
        digest = hashlib.sha256()
        place = 0
        with self._path.open("rb") as handle:
            for number, line in enumerate(limited_lines(handle, str(self._path))):
                digest.update(line)
                if number or not _is_header(line):
                    self._add(line, place, number + 1)
                place += len(line)
        if not self._starts:
            raise PfsmError(f"{self._path}: no word vectors in it")
        return digest.hexdigest()

    def _add(self, line: bytes, place: int, number: int) -> None:
        if not self._dimension:
            self._dimension = len(line.split()) - 1
            if self._dimension < 2:
                raise PfsmError(
                    f"{self._path}:{number}: a word and its numbers are needed, separated by spaces"
                )
        if line.rstrip().count(b" ") == self._dimension:  # a word with spaces in it is never a token
            self._starts.setdefault(line.split(b" ", 1)[0], place)

    def _places(self, tokens: Sequence[str]) -> Sequence[int]:
        """Where the line of each word begins."""
        return [
            self._starts.get(_encoded(token), self._starts.get(_encoded(token.lower()), NOWHERE))
            for token in tokens
        ]

    def _vectors(self, places: Sequence[int]) -> Int16:
        """Reads the vectors of the words whose lines begin there."""
        with reading_explained(self._path), self._path.open("rb") as handle:
            rows = []
            for place in places:
                handle.seek(place)
                rows.append(self._vector(handle.readline()))
        return unit_rows(np.array(rows))

    def _vector(self, line: bytes) -> NDArray[np.float64]:
        fields = line.split()
        word = fields[0].decode("utf-8", "replace")
        try:
            values = np.array([float(field) for field in fields[-self._dimension :]])
        except ValueError:
            values = np.full(1, np.nan)
        if values.size != self._dimension or len(fields) <= self._dimension or not np.isfinite(values).all():
            raise PfsmError(
                f"{self._path}: the line of {word!r} does not have {self._dimension} finite numbers"
            )
        return values


def _encoded(word: str) -> bytes:
    return word.encode("utf-8", "surrogatepass")


def _is_header(line: bytes) -> bool:
    fields = line.split()
    return len(fields) == 2 and all(field.isdigit() for field in fields)


WORDS, VECTORS, MATRIX = "words.txt", "words.safetensors", "vectors"


class WordTable(WordVectors):
    """Vectors of words: those of their lower case.

    Raises:
        PfsmError: If a file is missing, malformed, or does not fit the other.
    """

    def __init__(self, folder: Path) -> None:
        content = read_bytes(folder / WORDS)
        text = decode(content, str(folder / WORDS)).removesuffix("\n")
        words = text.split("\n") if text else []
        stored = read_stored(folder / VECTORS).get(MATRIX, np.zeros((0, 0), np.float32))
        if len(stored.shape) != 2 or len(words) != stored.shape[0] or 0 in stored.shape:
            raise PfsmError(f"{folder}: {WORDS} and {VECTORS} do not belong together; copy both again")
        self._folder, self._stored = folder, stored
        self._word_places = {word: place for place, word in enumerate(words)}
        super().__init__(stored.shape[1])

    @cached_property
    def checksum(self) -> str:
        """SHA-256 of both files, 64 hexadecimal digits."""
        digest = hashlib.sha256()
        for name in (WORDS, VECTORS):
            digest.update(read_bytes(self._folder / name))
        return digest.hexdigest()

    def __len__(self) -> int:
        """Number of words."""
        return self._stored.shape[0]

    def _places(self, tokens: Sequence[str]) -> Sequence[int]:
        return [self._word_places.get(token.lower(), NOWHERE) for token in tokens]

    def _vectors(self, places: Sequence[int]) -> Int16:
        return unit_rows(self._stored[np.array(places)])
