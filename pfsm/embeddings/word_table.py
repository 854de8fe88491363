"""Word vectors in a folder: ``words.txt``, one lower-cased word per line, and ``words.safetensors``, their vectors.

The file of vectors holds one matrix, ``vectors`` [n_words, dimension], as int8 with a scale for each row
(`pfsm.embeddings.safetensors`).
"""

import hashlib
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import numpy as np

from pfsm.embeddings.safetensors import read_safetensors
from pfsm.embeddings.vectors import Int16, unit_rows
from pfsm.embeddings.word_file import TOKENISER
from pfsm.errors import PfsmError
from pfsm.io.files import decode, read_bytes
from pfsm.text.languages import tokeniser_named

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
        words = decode(content, str(folder / WORDS)).split("\n")[:-1]
        rows = read_safetensors(folder / VECTORS).get(MATRIX, np.zeros((0, 0), np.float32))
        if rows.ndim != 2 or len(words) != len(rows):
            raise PfsmError(f"{folder}: {WORDS} and {VECTORS} do not belong together; copy both again")
        self._folder = folder
        self._places = {word: place for place, word in enumerate(words)}
        # The last row is that of unknown words, of which nothing is remembered: there is no end of them.
        self._rows = np.vstack([unit_rows(rows), np.zeros((1, rows.shape[1]), dtype=np.int16)])

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
        places = self._places
        return [
            self._rows[np.array([places.get(token.lower(), -1) for token in tokens], dtype=np.int64)]
            for tokens in lines
        ]

    def of_texts(self, lines: Sequence[str]) -> list[Int16]:
        """Vectors of the words of lines, split by the tokeniser ``plain``; unknown words are left out."""
        tokeniser = tokeniser_named(TOKENISER)
        tokens = [
            [token for key in tokeniser.keys(line) for token in tokeniser.analyse(key)] for line in lines
        ]
        return [rows[rows.any(axis=1)] for rows in self.of_tokens(tokens)]
