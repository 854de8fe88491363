"""Vectors of an encoder network in a local folder, computed by ONNX Runtime on one thread, one line at a time.

The folder holds ``tokenizer.json`` and ``model.onnx``, or ``tokenizer.json``, ``config.json`` and ``model.safetensors``
of BERT's family. Every line is encoded alone and without padding, and one thread adds in a fixed order. So the vectors
of a line are the same bytes whatever else is scored, on any number of threads of one machine.
"""

import contextlib
import hashlib
import json
from collections.abc import Callable, Sequence
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.embeddings.alignment import line_of, pieces_of_tokens, token_sums
from pfsm.embeddings.panics import faults_explained, reports_dropped
from pfsm.embeddings.session import open_session, runtime
from pfsm.embeddings.store import VectorStore
from pfsm.embeddings.vectors import Int16, unit_rows
from pfsm.errors import NotInstalledError, PfsmError
from pfsm.io.files import checksum, decode, read_bytes
from pfsm.io.limits import DOCUMENT, check_size

TOKENIZER, CONFIG, ONNX, SAFETENSORS = "tokenizer.json", "config.json", "model.onnx", "model.safetensors"
# Letters of several scripts, a digit, a mark, a symbol.
_SAMPLE = "A lamp, ünder 12 \u0416\u4e00\u3000\U0001f600!"
PACKAGES = ("onnx", "onnxruntime", "tokenizers")
EXTRA = "embeddings"
# Number of positions if the network does not say how many it has.
USUAL_POSITIONS = 512
# Number of lines whose vectors are kept in memory, about 20 kB each.
RECENT_LINES = 4096
# Must be changed when the same line of the same network would get other vectors.
FORMAT = 1

Span = tuple[int, int]
Ids = NDArray[np.int64]


def missing_packages() -> list[str]:
    """The packages that a network needs and that are not installed."""
    return [name for name in PACKAGES if find_spec(name) is None]


class NetworkVectors:
    """Vectors of one layer of a network.

    Args:
        folder: The folder with the network's files.
        layer: Number of the layer, 0 for the embeddings; None: the last. A ``model.onnx`` has only its last layer.

    Raises:
        PfsmError: If a file is missing or malformed, or the extra is not installed.
    """

    def __init__(self, folder: Path, layer: int | None = None) -> None:
        self._folder = folder
        self._layer = layer
        self._network = next((name for name in (ONNX, SAFETENSORS) if (folder / name).is_file()), "")
        for name in (TOKENIZER, self._network or f"{ONNX} or {SAFETENSORS}"):
            if not (folder / name).is_file():
                raise PfsmError(f"{folder}: no {name} in this folder, so it holds no network of vectors")
        self._check_layer()
        if self._layer is None and self._network == SAFETENSORS:
            self._layer = self._shape.layers
        self._tokenizer = self._read_tokenizer()
        self._recent: dict[bytes, Int16] = {}

    @cached_property
    def checksum(self) -> str:
        """SHA-256 over the files that determine the vectors, 64 hexadecimal digits."""
        names = [TOKENIZER, self._network, *([CONFIG] if self._network == SAFETENSORS else [])]
        # Weights of an ONNX model may be in separate files next to it.
        names += sorted(path.name for path in self._folder.glob(f"{ONNX}?data*") if self._network == ONNX)
        parts = [f"{name}:{checksum(self._folder / name)}" for name in names]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    def of_tokens(self, lines: Sequence[Sequence[str]]) -> list[Int16]:
        """Vectors of tokens: for each, the direction of the sum of its pieces' vectors; zeros if it has no pieces."""
        texts = [line_of(tokens) for tokens in lines]
        pieces = [self._pieces(text) for text, _ in texts]
        rows = self._rows([ids for ids, _ in pieces])
        return [
            unit_rows(token_sums(vectors, *pieces_of_tokens(spans, places), len(spans)))
            for (_, spans), (_, places), vectors in zip(texts, pieces, rows, strict=True)
        ]

    def of_texts(self, lines: Sequence[str]) -> list[Int16]:
        """Vectors of the pieces of untokenised lines."""
        return self._rows([self._pieces(_encodable(line))[0] for line in lines])

    def _pieces(self, text: str) -> tuple[Ids, list[Span]]:
        """Pieces without the marks of beginning and end, and the characters that each covers."""
        encoding = self._parted(text, add_special_tokens=False)
        return np.array(encoding.ids, dtype=np.int64), encoding.offsets

    def _parted(self, text: str, *, add_special_tokens: bool) -> Any:
        """The tokenizer's result for a line."""
        path = self._folder / TOKENIZER
        with faults_explained(lambda why: PfsmError(f"{path}: cannot split a line ({why}); copy it again")):
            return self._tokenizer.encode(text, add_special_tokens=add_special_tokens)

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
        new = {key: unit_rows(self._encoded(ids)) for key, ids in wanted.items() if key not in rows}
        if new:
            self._store.put({key: _packed(vectors) for key, vectors in new.items()})
        rows |= new
        if len(self._recent) + len(rows) > RECENT_LINES:
            self._recent.clear()
        self._recent |= rows
        return [rows[key] for key in keys]

    def _encoded(self, ids: Ids) -> NDArray[np.float32]:
        """Hidden states of a line's pieces; a line too long for the network is encoded in parts of equal length."""
        before, after = self._marks
        room = max(1, self._positions - before.size - after.size)
        parts = np.array_split(ids, max(1, -(-ids.size // room)))
        states = [self._run(np.concatenate([before, part, after])) for part in parts]
        return np.concatenate(
            [state[before.size : before.size + part.size] for state, part in zip(states, parts, strict=True)]
        )

    @cached_property
    def _store(self) -> VectorStore:
        from importlib.metadata import version  # noqa: PLC0415 - only where it is used

        decisive = [self.checksum, str(self._layer), version("onnxruntime"), str(FORMAT)]
        return VectorStore(hashlib.sha256("\n".join(decisive).encode()).hexdigest()[:32])

    @cached_property
    def _marks(self) -> tuple[Ids, Ids]:
        """The marks that the tokenizer puts before and after a line."""
        with reports_dropped():
            encoding = self._parted("a", add_special_tokens=True)
        ids, special = np.array(encoding.ids, dtype=np.int64), np.array(encoding.special_tokens_mask)
        own = np.flatnonzero(special == 0)
        if not own.size:
            raise PfsmError(f"{self._folder / TOKENIZER}: gives no pieces for the letter a")
        return ids[: own[0]], ids[own[-1] + 1 :]

    @cached_property
    def _run(self) -> Callable[[Ids], NDArray[np.float32]]:
        """A function from the ids of one line to float32 [n, dimension]; the network is read at its first use."""
        if self._network == ONNX:
            return open_session(str(self._folder / ONNX), str(self._folder / ONNX))
        return open_session(self._graph(), str(self._folder / SAFETENSORS))

    def _graph(self) -> bytes:
        from pfsm.embeddings.bert_graph import encoder_graph  # noqa: PLC0415 - brings ONNX
        from pfsm.embeddings.bert_weights import take_weights  # noqa: PLC0415
        from pfsm.embeddings.safetensors import read_safetensors  # noqa: PLC0415

        where = str(self._folder / SAFETENSORS)
        weights = take_weights(read_safetensors(where), self._shape, self._layer or 0, where)
        return encoder_graph(weights, self._shape)

    @cached_property
    def _config(self) -> dict[str, Any]:
        path = self._folder / CONFIG
        if self._network == ONNX and not path.is_file():
            return {}
        content = read_bytes(path)
        check_size(len(content), str(path), DOCUMENT)
        try:
            config = json.loads(decode(content, str(path)))
        except (ValueError, RecursionError):
            config = None
        if not isinstance(config, dict):
            raise PfsmError(f"{path}: not a JSON object; copy it again")
        return config

    @cached_property
    def _shape(self) -> Any:
        from pfsm.embeddings.bert_weights import read_shape  # noqa: PLC0415

        return read_shape(self._config, str(self._folder / CONFIG))

    @property
    def _positions(self) -> int:
        number = self._config.get("max_position_embeddings", USUAL_POSITIONS)
        first = self._shape.first_position if self._network == SAFETENSORS else 2
        return int(number) - first if type(number) is int and number > first else USUAL_POSITIONS

    def _check_layer(self) -> None:
        if self._layer is None:
            return
        if self._network == ONNX:
            raise PfsmError(f"{self._folder / ONNX}: gives its last layer only; leave the option layer out")
        if self._layer > self._shape.layers:
            raise PfsmError(
                f"{self._folder}: layer is {self._layer}, but the network has {self._shape.layers} layers"
            )

    def _read_tokenizer(self) -> Any:
        try:
            runtime()
            from tokenizers import Tokenizer  # noqa: PLC0415
        except ImportError:
            raise NotInstalledError(
                "vectors of a network need further packages, which are not installed",
                missing_packages(),
                [EXTRA],
            ) from None
        path = self._folder / TOKENIZER
        content = read_bytes(path)
        check_size(len(content), str(path), DOCUMENT)
        text = decode(content, str(path))
        unreadable = PfsmError(f"{path}: not a tokenizer file that the installed tokenizers can read")
        with faults_explained(lambda _: unreadable), reports_dropped():
            tokenizer = Tokenizer.from_str(text)
            # The file may ask for both.
            tokenizer.no_truncation()
            tokenizer.no_padding()
            # A panic shows here if it can, not in the middle of a text. Words that it cannot split are another matter.
            with contextlib.suppress(Exception):
                tokenizer.encode(_SAMPLE, add_special_tokens=False)
        return tokenizer


def _packed(rows: Int16) -> bytes:
    content: bytes = rows.shape[1].to_bytes(4, "little") + rows.astype("<i2").tobytes()
    return content


def _unpacked(content: bytes, n_rows: int) -> Int16 | None:
    """The rows that `_packed` stored; None if the bytes are not those of ``n_rows`` rows."""
    dimension = int.from_bytes(content[:4], "little")
    if not dimension or len(content) != 4 + 2 * dimension * n_rows:
        return None
    return np.frombuffer(content[4:], dtype="<i2").astype(np.int16).reshape(n_rows, dimension)


def _encodable(text: str) -> str:
    """The text with lone surrogates replaced by U+FFFD; no file holds them, but a caller may pass them."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
