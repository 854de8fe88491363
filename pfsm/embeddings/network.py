"""Vectors of the pieces of an encoder network, and of tokens, which are sums of their pieces."""

import hashlib
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pfsm.embeddings.alignment import line_of, pieces_of_tokens, token_sums
from pfsm.embeddings.folder import FolderEncoder, encodable
from pfsm.embeddings.store import VectorStore
from pfsm.embeddings.vectors import Int16, unit_rows

# Number of lines whose vectors are kept in memory, about 20 kB each.
RECENT_LINES = 4096
# Must be changed when the same line of the same network would get other vectors.
FORMAT = 2

Ids = NDArray[np.int64]


class NetworkVectors:
    """Vectors of one layer of a network.

    Args:
        encoder: The network, or the folder with its files.
        layer: Number of the layer, 0 for the embeddings; None: the last. A ``model.onnx`` has only its last layer.

    Raises:
        PfsmError: If a file is missing or malformed, there is no such layer, or a package is not installed.
    """

    of_single_words = False

    def __init__(self, encoder: FolderEncoder | Path, layer: int | None = None) -> None:
        self._encoder = FolderEncoder(encoder) if isinstance(encoder, Path) else encoder
        if layer is not None:
            self._encoder.check_layer(layer, explicit=True)
        self._layer = self._encoder.layers if layer is None else layer
        self._recent: dict[bytes, Int16] = {}

    @property
    def checksum(self) -> str:
        """SHA-256 over the files that determine the vectors, 64 hexadecimal digits."""
        return self._encoder.checksum

    def of_tokens(self, lines: Sequence[Sequence[str]]) -> list[Int16]:
        """Vectors of tokens: for each, the direction of the sum of its pieces' vectors; zeros if it has no pieces."""
        texts = [line_of(tokens) for tokens in lines]
        pieces = [self._encoder.tokenizer.pieces(text) for text, _ in texts]
        rows = self._rows([ids for ids, _ in pieces])
        return [
            unit_rows(token_sums(vectors, *pieces_of_tokens(spans, places), len(spans)))
            for (_, spans), (_, places), vectors in zip(texts, pieces, rows, strict=True)
        ]

    def of_texts(self, lines: Sequence[str]) -> list[Int16]:
        """Vectors of the pieces of untokenised lines."""
        return self._rows([self._encoder.tokenizer.pieces(encodable(line))[0] for line in lines])

    def _rows(self, lines: Sequence[Ids]) -> list[Int16]:
        """Vectors of the pieces of lines, int16 [n_pieces, dimension]."""
        keys = [hashlib.sha256(ids.tobytes()).digest() for ids in lines]
        wanted = dict(zip(keys, lines, strict=True))
        rows = {key: self._recent[key] for key in wanted if key in self._recent}
        stored = self._store.get([key for key in wanted if key not in rows])
        for key, content in stored.items():
            vectors = _unpacked(content, wanted[key].size)
            if vectors is not None:
                rows[key] = vectors
        missing = [key for key in wanted if key not in rows]
        new = dict(zip(missing, self._encoded([wanted[key] for key in missing]), strict=True))
        if new:
            self._store.put({key: _packed(vectors) for key, vectors in new.items()})
        rows |= new
        if len(self._recent) + len(rows) > RECENT_LINES:
            self._recent.clear()
        self._recent |= rows
        return [rows[key] for key in keys]

    def _encoded(self, lines: Sequence[Ids]) -> list[Int16]:
        """Vectors that no store has; the network is not read if there are none."""
        if not lines:
            return []
        return [unit_rows(states[0]) for states in self._encoder.encoded(lines, [self._layer])]

    @cached_property
    def _store(self) -> VectorStore:
        from importlib.metadata import version  # noqa: PLC0415 - only where it is used

        decisive = [self.checksum, str(self._layer), version("onnxruntime"), str(FORMAT)]
        return VectorStore(hashlib.sha256("\n".join(decisive).encode()).hexdigest()[:32])


def _packed(rows: Int16) -> bytes:
    content: bytes = rows.shape[1].to_bytes(4, "little") + rows.astype("<i2").tobytes()
    return content


def _unpacked(content: bytes, n_rows: int) -> Int16 | None:
    """The rows that `_packed` stored; None if the bytes are not those of ``n_rows`` rows."""
    dimension = int.from_bytes(content[:4], "little")
    if not dimension or len(content) != 4 + 2 * dimension * n_rows:
        return None
    return np.frombuffer(content[4:], dtype="<i2").astype(np.int16).reshape(n_rows, dimension)
