"""The file of a parser: one line of JSON, then arrays as they lie in memory.

The first line names format, parser, licence, sources, scores, the inventories and the arrays that follow: name, type,
shape, each padded to eight bytes, little-endian. Matrices are int8 with one float32 scale for every row, under the
array's name with ``.scale``; vectors are float32. The last 32 bytes are the SHA-256 of everything before them.
"""

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.errors import PfsmError
from pfsm.files import StrPath, atomic_write, display_name, read_bytes

FORMAT = "pfsm-parser-1"
SCALE = ".scale"
_ALIGNMENT = 8
_DIGEST_SIZE = 32
_TYPES = {"int8": "<i1", "float32": "<f4"}
_INVENTORIES = ("words", "vector_words", "characters", "upos", "xpos", "labels", "span_labels")
_LARGEST_LEVEL = 127

Matrix = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class ParserWeights:
    """A parser as it lies in a file.

    Attributes:
        name: What configurations call it.
        licence: Terms of the weights.
        card: Where it comes from and how good it is, plain JSON values.
        inventories: Names by kind: words, vector_words, characters, upos, xpos, labels, span_labels.
        temperatures: By kind of score (arcs, labels, spans), what scores are divided by, so that probabilities are
            as often right as they say.
        arrays: The weights, float32.
        checksum: First 8 hex digits of the file's digest; empty before it is written.
    """

    name: str
    licence: str
    card: Mapping[str, Any]
    inventories: Mapping[str, tuple[str, ...]] = field(repr=False)
    temperatures: Mapping[str, float]
    arrays: Mapping[str, Matrix] = field(repr=False)
    checksum: str = ""

    @property
    def label(self) -> str:
        """``NAME@CHECKSUM``, as in signatures."""
        return f"{self.name}@{self.checksum}"

    @cached_property
    def layers(self) -> int:
        """LSTMs one above the other."""
        return sum(name.endswith(".forward.input") for name in self.arrays)


def quantised(matrix: Matrix) -> tuple[NDArray[np.int8], Matrix]:
    """Rows in 255 steps: int8 [rows, …] and float32 [rows], what a step is worth."""
    rows = matrix.reshape(matrix.shape[0], -1)
    scale = (np.abs(rows).max(axis=1) / _LARGEST_LEVEL).astype(np.float32)
    steps = np.rint(rows / np.where(scale > 0, scale, 1)[:, None])
    return steps.astype(np.int8).reshape(matrix.shape), scale


def restored(steps: NDArray[np.int8], scale: Matrix) -> Matrix:
    """The matrix that `quantised` has made coarse."""
    return steps.astype(np.float32) * scale.reshape(-1, *[1] * (steps.ndim - 1))


def weights_bytes(weights: ParserWeights) -> bytes:
    """The file's content; the same weights give the same bytes."""
    stored: dict[str, NDArray[Any]] = {}
    for name, array in weights.arrays.items():
        if array.ndim > 1:
            stored[name], stored[name + SCALE] = quantised(array)
        else:
            stored[name] = array.astype(np.float32)
    header = {
        "format": FORMAT,
        "name": weights.name,
        "licence": weights.licence,
        "card": dict(weights.card),
        "temperatures": dict(weights.temperatures),
        "inventories": {kind: list(names) for kind, names in weights.inventories.items()},
        "arrays": [[name, str(array.dtype), list(array.shape)] for name, array in stored.items()],
    }
    line = json.dumps(header, ensure_ascii=False, allow_nan=False).encode()
    parts = [line + b" " * (-(len(line) + 1) % _ALIGNMENT) + b"\n"]
    for array in stored.values():
        content = np.ascontiguousarray(array, dtype=_TYPES[str(array.dtype)]).tobytes()
        parts += [content, b"\0" * (-len(content) % _ALIGNMENT)]
    body = b"".join(parts)
    return body + hashlib.sha256(body).digest()


def write_weights(weights: ParserWeights, path: StrPath) -> None:
    """Writes a parser's file; one that is there is replaced only when all is written.

    Raises:
        PfsmError: If it cannot be written.
    """
    content = weights_bytes(weights)
    with atomic_write(path) as handle:
        handle.buffer.write(content)


def read_weights(path: StrPath) -> ParserWeights:
    """Reads a parser's file and makes sure that it is whole.

    Raises:
        PfsmError: If it is missing, no parser, of another format, or damaged.
    """
    name = display_name(path)
    content = read_bytes(path)
    end = content.find(b"\n") + 1
    header = _header(content[:end], name)
    body = content[:-_DIGEST_SIZE]
    digest = hashlib.sha256(body)
    if digest.digest() != content[-_DIGEST_SIZE:]:
        raise PfsmError(f"{name}: the file is damaged or was cut short; copy it again")
    try:
        return ParserWeights(
            str(header["name"]),
            str(header["licence"]),
            dict(header["card"]),
            {kind: tuple(map(str, header["inventories"][kind])) for kind in _INVENTORIES},
            {kind: float(value) for kind, value in header["temperatures"].items()},
            _arrays(header["arrays"], body, end),
            digest.hexdigest()[:8],
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        raise PfsmError(f"{name}: not a parser of pfsm (its header is incomplete)") from None


def _header(line: bytes, name: str) -> dict[str, Any]:
    try:
        header = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError):
        header = None
    if not isinstance(header, dict) or not str(header.get("format", "")).startswith("pfsm-parser-"):
        raise PfsmError(f"{name}: not a parser of pfsm; train one with scripts/build_parsers.py")
    if header["format"] != FORMAT:
        raise PfsmError(f"{name}: format is {header['format']!r}, this version of pfsm reads {FORMAT!r}")
    return header


def _arrays(entries: list[list[Any]], body: bytes, start: int) -> dict[str, Matrix]:
    stored: dict[str, NDArray[Any]] = {}
    for name, kind, shape in entries:
        dtype = np.dtype(_TYPES[kind])
        count = math.prod(int(size) for size in shape)
        array = np.frombuffer(body, dtype, count=count, offset=start).reshape([int(size) for size in shape])
        stored[str(name)] = array.astype(dtype.newbyteorder("="), copy=False)
        start += array.nbytes + -array.nbytes % _ALIGNMENT
    if start != len(body):
        raise ValueError("arrays do not fill the file")
    return {
        name: restored(array, stored[name + SCALE]) if array.dtype == np.int8 else array
        for name, array in stored.items()
        if not name.endswith(SCALE)
    }
