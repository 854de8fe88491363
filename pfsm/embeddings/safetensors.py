"""Safetensors files, read and written by the library of that name; nothing in them is executed.

A matrix may be stored as int8 [rows, columns] in a quarter of the bytes. Beside it stands ``NAME.scale``, float32
[rows]. The matrix is their product, ``matrix[i, j] * scale[i]``, rounded once to float32, so every processor reads the
same numbers. In an eighth it is uint8 [rows, columns / 2] with ``NAME.scale``, float16 [rows, columns / 32]: each half
of a byte, the lower first, is a weight plus 8, in units of the scale of its block of 32. These products are exact.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, deserialize, safe_open
from safetensors.numpy import save

from pfsm.errors import PfsmError
from pfsm.io.containers import are_bounded
from pfsm.io.files import StrPath, display_name, reading_explained

SCALE = ".scale"
# Of what networks hold, masks among them, the products of whole numbers and scales stay finite.
_LARGEST = 1e30
_TYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "I8": "<i1", "U8": "<u1"}

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
        """Some rows of the matrix, float32 [..., columns]."""
        return self.whole[rows].astype(np.float32) * self.scale[rows][..., np.newaxis]


# Columns of a matrix in 4 bits that share a scale.
BLOCK = 32


@dataclass(frozen=True, eq=False)
class BlockRows:
    """A matrix in 4 bits as it is stored; columns are a multiple of `BLOCK`.

    Attributes:
        halves: uint8 [rows, columns / 2].
        scale: float32 [rows, columns / BLOCK].
    """

    halves: NDArray[np.uint8]
    scale: NDArray[np.float32]

    @property
    def shape(self) -> tuple[int, ...]:
        """Numbers of rows and columns."""
        return self.halves.shape[0], 2 * self.halves.shape[1]

    def __getitem__(self, rows: NDArray[np.int64] | slice) -> NDArray[np.float32]:
        """Some rows of the matrix, float32 [..., columns]."""
        halves, scale = self.halves[rows], self.scale[rows]
        values = np.stack([halves & 15, halves >> 4], axis=-1).astype(np.float32) - np.float32(8.0)
        products = values.reshape(*scale.shape, BLOCK) * scale[..., np.newaxis]
        return products.reshape(*halves.shape[:-1], self.shape[1])


Rows = NDArray[np.float32] | ScaledRows | BlockRows
Stored = dict[str, Rows]


def read_stored(path: StrPath) -> Stored:
    """The floating-point tensors of a file by name, as float32; matrices with scales stay as they are stored.

    Raises:
        PfsmError: If the file cannot be read, is not a safetensors file or is cut short.
    """
    with reading_explained(path), Path(path).open("rb"):
        pass
    with _explained(display_name(path)):
        with safe_open(path, framework="np") as file:
            types = {name: file.get_slice(name).get_dtype() for name in file.keys()}  # noqa: SIM118 - no mapping
            if "BF16" not in types.values():  # which numpy does not know
                return _scaled({name: file.get_tensor(name) for name in types if types[name] in _TYPES})
        return _scaled(_deserialised(Path(path).read_bytes()))


def tensors_of(content: bytes, name: str) -> Tensors:
    """The floating-point tensors in the content of a file, matrices whole; ``name`` stands for it in errors.

    Raises:
        PfsmError: If it is not a safetensors file or is cut short.
    """
    with _explained(name):
        return {key: one[:] for key, one in _scaled(_deserialised(content)).items()}


@contextmanager
def _explained(name: str) -> Iterator[None]:
    try:
        yield
    except (SafetensorError, OSError, ValueError):
        raise PfsmError(f"{name}: not a complete safetensors file; copy it again") from None
    except PfsmError as error:
        raise PfsmError(f"{name}: {error}") from None


def _deserialised(content: bytes) -> dict[str, NDArray[Any]]:
    found = {}
    for name, entry in deserialize(content):  # type: ignore[no-untyped-call]
        if entry["dtype"] in _TYPES:
            values = np.frombuffer(entry["data"], _TYPES[entry["dtype"]]).reshape(entry["shape"])
            # BF16 is the upper half of a float32.
            wide = entry["dtype"] == "BF16"
            found[name] = (values.astype(np.uint32) << 16).view(np.float32) if wide else values
    return found


def _scaled(tensors: Mapping[str, NDArray[Any]]) -> Stored:
    """Whole numbers with their scales, and other floating-point tensors as float32."""
    whole = [name for name, values in tensors.items() if values.dtype in (np.int8, np.uint8)]
    for name, values in tensors.items():
        if not are_bounded(values, _LARGEST):
            raise PfsmError(f"{name} has a number above {_LARGEST:g} either way, or none")
    found: Stored = {name: tensors[name].astype(np.float32) for name in tensors if name not in whole}
    for name in whole:
        scale, values = found.pop(name + SCALE, None), tensors[name]
        if not isinstance(scale, np.ndarray):
            continue
        kind, blocks = (BlockRows, 2 / BLOCK) if values.dtype == np.uint8 else (ScaledRows, 0)
        if values.ndim != 2 or scale.shape != (len(values), values.shape[1] * blocks)[: 1 + bool(blocks)]:
            raise ValueError("no scale for each row or block")
        found[name] = kind(values, scale)
    return found


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
        tensors: Arrays by name, of floating-point types, int8 or uint8.
    """
    return save({name: np.ascontiguousarray(values) for name, values in tensors.items()})
