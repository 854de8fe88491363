"""Safetensors files: a header of JSON, then tensors as they lie in memory, little-endian.

The first eight bytes are the length of the header. The header is an object that maps the name of each tensor to its
``dtype``, ``shape`` and ``data_offsets`` (counted from the end of the header).

A matrix may be stored as int8 [rows, columns] in a quarter of the bytes. Beside it stands ``NAME.scale``, float32
[rows]. The matrix is their product, ``matrix[i, j] * scale[i]``, rounded once to float32, so every processor reads the
same numbers.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.errors import PfsmError
from pfsm.io.files import StrPath, display_name, reading_explained

SCALE = ".scale"
_WRITTEN = {"float32": ("F32", "<f4"), "float64": ("F64", "<f8"), "int8": ("I8", "<i1")}
_TYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2"}
LARGEST_HEADER = 1 << 27

Tensors = dict[str, NDArray[np.float32]]


@dataclass(frozen=True, eq=False)
class ScaledRows:
    """A matrix as it is stored: its rows are multiplied by their scales when they are asked for.

    Attributes:
        whole: int8 [rows, columns].
        scale: float32 [rows].
    """

    whole: NDArray[np.int8]
    scale: NDArray[np.float32]

    @property
    def shape(self) -> tuple[int, ...]:
        """Numbers of rows and columns."""
        return self.whole.shape

    def __getitem__(self, rows: NDArray[np.int64] | slice) -> NDArray[np.float32]:
        """Some rows of the matrix, float32 [n, columns]."""
        return self.whole[rows].astype(np.float32) * self.scale[rows, np.newaxis]


Stored = dict[str, NDArray[np.float32] | ScaledRows]


def read_safetensors(path: StrPath) -> Tensors:
    """The floating-point tensors of a file by name, as float32; others are left out.

    Raises:
        PfsmError: If the file cannot be read, is not a safetensors file or is cut short.
    """
    return _multiplied(read_stored(path))


def read_stored(path: StrPath) -> Stored:
    """As `read_safetensors`, but matrices with scales stay as they are stored.

    Raises:
        PfsmError: As `read_safetensors`.
    """
    with reading_explained(path):
        content = np.memmap(path, np.uint8, "r") if Path(path).stat().st_size else np.zeros(0, np.uint8)
    return _stored_in(content, display_name(path))


def tensors_of(content: NDArray[np.uint8], name: str) -> Tensors:
    """The floating-point tensors in the content of a file; ``name`` stands for it in errors.

    Raises:
        PfsmError: If it is not a safetensors file or is cut short.
    """
    return _multiplied(_stored_in(content, name))


def _multiplied(stored: Stored) -> Tensors:
    return {key: one[:] if isinstance(one, ScaledRows) else one for key, one in stored.items()}


def _stored_in(content: NDArray[np.uint8], name: str) -> Stored:
    size = int.from_bytes(content[:8].tobytes(), "little")
    try:
        fits = size <= min(LARGEST_HEADER, content.size - 8)
        header = json.loads(content[8 : 8 + size].tobytes().decode("utf-8")) if fits else None
        if not isinstance(header, dict):
            raise ValueError("no header")
        header.pop("__metadata__", None)
        data = content[8 + size :]
        tensors = {
            key: _tensor(entry, data) for key, entry in header.items() if str(entry["dtype"]) in _TYPES
        }
        scaled = [key for key, entry in header.items() if entry["dtype"] == "I8" and key + SCALE in tensors]
        rows = {key: _scaled(header[key], data, tensors.pop(key + SCALE)) for key in scaled}
        return {**tensors, **rows}
    except (ValueError, KeyError, TypeError, RecursionError):
        raise PfsmError(f"{name}: not a complete safetensors file; copy it again") from None


def _tensor(entry: dict[str, Any], data: NDArray[np.uint8]) -> NDArray[np.float32]:
    values = _values(entry, data, _TYPES[entry["dtype"]])
    if entry["dtype"] == "BF16":  # the upper half of a float32
        values = (values.astype(np.uint32) << 16).view(np.float32)
    return values.astype(np.float32)


def _scaled(entry: dict[str, Any], data: NDArray[np.uint8], scale: NDArray[np.float32]) -> ScaledRows:
    # A copy: the file may be replaced while this process runs.
    whole = np.array(_values(entry, data, "<i1"))
    if whole.ndim != 2 or scale.shape != whole.shape[:1]:
        raise ValueError("no scale for each row")
    return ScaledRows(whole, scale)


def _values(entry: dict[str, Any], data: NDArray[np.uint8], stored: str) -> NDArray[Any]:
    first, last = (int(offset) for offset in entry["data_offsets"])
    if not 0 <= first <= last <= data.size:
        raise ValueError("beyond the end")
    return data[first:last].view(stored).reshape([int(size) for size in entry["shape"]])


def quantised(matrix: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """A matrix as whole numbers from -127 to 127, int8 [rows, columns], and the scale of each row, float32 [rows].

    Args:
        matrix: float32 [rows, columns], finite.
    """
    scale = (np.abs(matrix).max(axis=1, initial=0.0) / 127.0).astype(np.float32)
    divisor = np.where(scale > 0.0, scale, np.float32(1.0))
    return np.rint(matrix / divisor[:, np.newaxis]).clip(-127, 127).astype(np.int8), scale


def safetensors_content(tensors: Mapping[str, NDArray[Any]]) -> bytes:
    """The content of a file with these tensors; equal tensors give equal bytes, in whatever order they come.

    Args:
        tensors: Arrays by name, of type float32, float64 or int8.
    """
    header: dict[str, Any] = {}
    parts: list[bytes] = []
    place = 0
    for name in sorted(tensors):
        kind, stored = _WRITTEN[tensors[name].dtype.name]
        parts.append(np.ascontiguousarray(tensors[name], dtype=stored).tobytes())
        last = place + len(parts[-1])
        header[name] = {"dtype": kind, "shape": list(tensors[name].shape), "data_offsets": [place, last]}
        place = last
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)  # tensors begin at a multiple of eight bytes
    return b"".join([len(text).to_bytes(8, "little"), text, *parts])
