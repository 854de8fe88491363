"""Vectors of the pieces of an encoder network, and of tokens, which are sums of their pieces."""

import hashlib
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pfsm.arrays import Int16
from pfsm.embeddings.folder import FolderEncoder, encodable
from pfsm.embeddings.session import on_gpu, runtime
from pfsm.embeddings.vectors import unit_rows
from pfsm.io.named_resources import user_folder
from pfsm.io.stores import Store

# As Penn tokens, in lower case.
CLITICS = frozenset({"n't", "'s", "'m", "'d", "'ll", "'re", "'ve", "'"})
QUOTES = {"``": '"', "''": '"'}

Span = tuple[int, int]


def line_of(tokens: Sequence[str]) -> tuple[str, list[Span]]:
    """The text of a line, and the first character and the end of each token in it."""
    parts: list[str] = []
    spans: list[Span] = []
    end = 0
    for token in tokens:
        word = encodable(QUOTES.get(token, token))
        if parts and token.lower() not in CLITICS:
            parts.append(" ")
            end += 1
        parts.append(word)
        spans.append((end, end + len(word)))
        end += len(word)
    return "".join(parts), spans


def token_sums(rows: Int16, spans: Sequence[Span], pieces: Sequence[Span]) -> NDArray[np.float64]:
    """Sum of the vectors of the pieces that share a character with each token, float64 [n_tokens, dimension].

    Args:
        rows: Vectors of the pieces, int16 [n_pieces, dimension].
        spans: Where tokens begin and end, in increasing order and without overlap.
        pieces: Where pieces begin and end, in order; several may share a character (bytes of one). A piece without
            characters belongs to no token.
    """
    tokens, places = (np.array(side, dtype=np.int64).reshape(-1, 2) for side in (spans, pieces))
    wide = places[:, 1] > places[:, 0]
    first = np.searchsorted(places[wide, 1], tokens[:, 0], side="right")
    last = np.searchsorted(places[wide, 0], tokens[:, 1], side="left")
    sums = np.zeros((np.count_nonzero(wide) + 1, rows.shape[1]))
    # Of whole numbers, so that differences of sums are exact.
    np.cumsum(rows[wide], axis=0, dtype=np.float64, out=sums[1:])
    return sums[np.maximum(first, last)] - sums[first]


FOLDER = "vectors"
# Number of lines whose vectors are kept in memory, about 20 kB each.
RECENT_LINES = 4096
# Must be changed when the same line of the same network would get other vectors.
FORMAT = 4

Ids = NDArray[np.int64]


class NetworkVectors:
    """Vectors of one layer of a network.

    Args:
        encoder: The network, or the folder with its files.
        layer: Number of the layer, 0 for the embeddings; None: the last. A ``model.onnx`` has only its last layer.

    Raises:
        PfsmError: If a file is missing or malformed, there is no such layer, or a package is not installed.
    """

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
            unit_rows(token_sums(vectors, spans, places))
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
    def _store(self) -> Store:
        decisive = [
            self.checksum,
            str(self._layer),
            runtime().__version__,
            f"{FORMAT}{' on a GPU' * on_gpu()}",
        ]
        # A line of 25 pieces of 384 components is 19 kB.
        name = hashlib.sha256("\n".join(decisive).encode()).hexdigest()[:32] + ".sqlite"
        return Store(user_folder() / FOLDER / name, sharing=name)


def _packed(rows: Int16) -> bytes:
    content: bytes = rows.shape[1].to_bytes(4, "little") + rows.astype("<i2").tobytes()
    return content


def _unpacked(content: bytes, n_rows: int) -> Int16 | None:
    """The rows that `_packed` stored; None if the bytes are not those of ``n_rows`` rows."""
    dimension = int.from_bytes(content[:4], "little")
    if not dimension or len(content) != 4 + 2 * dimension * n_rows:
        return None
    return np.frombuffer(content[4:], dtype="<i2").astype(np.int16).reshape(n_rows, dimension)
