"""Word vectors in a folder: ``words.txt``, one lower-cased word per line, and ``words.safetensors``, their vectors.

The file of vectors holds one matrix, ``vectors`` [n_words, dimension], as int8 with a scale for each row
(`pfsm.embeddings.safetensors`).
"""

import hashlib
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pfsm.embeddings.safetensors import read_stored
from pfsm.embeddings.vectors import Int16, unit_rows
from pfsm.embeddings.word_file import TOKENISER
from pfsm.errors import PfsmError
from pfsm.io.files import decode, read_bytes
from pfsm.text.languages import tokeniser_named
from pfsm.text.word_list import WordList

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
        if len(rows.shape) != 2 or len(self._places) != rows.shape[0]:
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
