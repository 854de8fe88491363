"""Word vectors, in a text file or in a folder.

A text file is as word2vec, GloVe and fastText write them: per line a word and its numbers.

A first line of two whole numbers (how many words, how many components) is optional. The file is read once to index the
words and the beginnings of their lines; numbers are read when a word is first needed.
"""

import hashlib
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pfsm.embeddings.safetensors import read_stored
from pfsm.embeddings.vectors import Int16, unit_rows
from pfsm.errors import PfsmError
from pfsm.io.files import decode, read_bytes, reading_explained
from pfsm.io.limits import limited_lines
from pfsm.text.languages import tokeniser_named
from pfsm.text.word_list import WordList

TOKENISER = "plain"
# The place of a word that is not in the file.
_NOWHERE = -1


class FileVectors:
    """Vectors of words: that of the word in its own case, else that of its lower case.

    Args:
        path: The file, not compressed.

    Raises:
        PfsmError: If the file cannot be read or is not a file of word vectors.
    """

    of_single_words = True

    def __init__(self, path: Path) -> None:
        self._path = path
        self._places: dict[bytes, int] = {}
        # By the place in the file: of unknown words nothing is remembered, as there is no end of them.
        self._known: dict[int, Int16] = {}
        self._dimension = 0
        self._tokenise = tokeniser_named(TOKENISER)
        with reading_explained(path):
            self.checksum = self._index()
        self._known[_NOWHERE] = np.zeros(self._dimension, dtype=np.int16)

    def of_tokens(self, lines: Sequence[Sequence[str]]) -> list[Int16]:
        """Vectors of tokens, zeros for unknown ones."""
        places = {token: self._place(token) for token in {token for tokens in lines for token in tokens}}
        self._read(sorted(set(places.values()) - self._known.keys()))
        empty = np.zeros((0, self._dimension), dtype=np.int16)
        return [
            np.array([self._known[places[token]] for token in tokens]) if tokens else empty
            for tokens in lines
        ]

    def of_texts(self, lines: Sequence[str]) -> list[Int16]:
        """Vectors of the words of lines, split by the tokeniser ``plain``; unknown words are left out."""
        tokeniser = self._tokenise
        tokens = [
            [token for key in tokeniser.keys(line) for token in tokeniser.analyse(key)] for line in lines
        ]
        return [rows[rows.any(axis=1)] for rows in self.of_tokens(tokens)]

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
        if not self._places:
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
            self._places.setdefault(line.split(b" ", 1)[0], place)

    def _place(self, word: str) -> int:
        """Where the line of a word begins; `_NOWHERE` for an unknown one."""
        forms = [form.encode("utf-8", "surrogatepass") for form in (word, word.lower())]
        return next((self._places[form] for form in forms if form in self._places), _NOWHERE)

    def _read(self, places: Sequence[int]) -> None:
        """Reads the vectors of the words whose lines begin there."""
        if not places:
            return
        with reading_explained(self._path), self._path.open("rb") as handle:
            for place in places:
                handle.seek(place)
                self._known[place] = self._vector(handle.readline())

    def _vector(self, line: bytes) -> Int16:
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
        vector: Int16 = unit_rows(values[np.newaxis])[0]
        return vector


def _is_header(line: bytes) -> bool:
    fields = line.split()
    return len(fields) == 2 and all(field.isdigit() for field in fields)


WORDS, VECTORS, MATRIX = "words.txt", "words.safetensors", "vectors"


class WordTable:
    """Vectors of words: those of their lower case.

    Args:
        folder: The folder with both files.

    Raises:
        PfsmError: If a file is missing, malformed, or does not fit the other.
    """

    of_single_words = True

    def __init__(self, folder: Path) -> None:
        content = read_bytes(folder / WORDS)
        self._places = WordList(decode(content, str(folder / WORDS)).removesuffix("\n"))
        rows = read_stored(folder / VECTORS).get(MATRIX, np.zeros((0, 0), np.float32))
        if len(rows.shape) != 2 or len(self._places) != rows.shape[0] or 0 in rows.shape:
            raise PfsmError(f"{folder}: {WORDS} and {VECTORS} do not belong together; copy both again")
        self._folder = folder
        # Rows get their scale and length when they are first asked for: a start needs few of them. The last row is
        # that of unknown words, of which nothing is remembered: there is no end of them.
        self._stored = rows
        self._rows = np.zeros((len(self._places) + 1, rows.shape[1]), dtype=np.int16)
        self._is_ready = np.zeros(len(self._places) + 1, dtype=np.bool_)
        self._is_ready[-1] = True

    @cached_property
    def checksum(self) -> str:
        """SHA-256 of both files, 64 hexadecimal digits."""
        digest = hashlib.sha256()
        for name in (WORDS, VECTORS):
            digest.update(read_bytes(self._folder / name))
        return digest.hexdigest()

    def __len__(self) -> int:
        """Number of words."""
        return len(self._places)

    @property
    def dimension(self) -> int:
        """Number of components of a vector."""
        return int(self._rows.shape[1])

    def of_tokens(self, lines: Sequence[Sequence[str]]) -> list[Int16]:
        """Vectors of tokens, zeros for unknown ones."""
        return [
            self._units(self._places.places([token.lower() for token in tokens]).astype(np.int64))
            for tokens in lines
        ]

    def _units(self, places: NDArray[np.int64]) -> Int16:
        """The rows at these places, of length 1."""
        missing = np.unique(places[~self._is_ready[places]])
        if missing.size:
            self._rows[missing] = unit_rows(self._stored[missing])
            self._is_ready[missing] = True
        return self._rows[places]

    def of_texts(self, lines: Sequence[str]) -> list[Int16]:
        """Vectors of the words of lines, split by the tokeniser ``plain``; unknown words are left out."""
        tokeniser = tokeniser_named(TOKENISER)
        tokens = [
            [token for key in tokeniser.keys(line) for token in tokeniser.analyse(key)] for line in lines
        ]
        return [rows[rows.any(axis=1)] for rows in self.of_tokens(tokens)]
