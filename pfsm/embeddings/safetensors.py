"""Reader of safetensors files: a header of JSON, then tensors as they lie in memory, little-endian.

The first eight bytes are the length of the header. The header is an object that maps the name of each tensor to its
``dtype``, ``shape`` and ``data_offsets`` (counted from the end of the header).
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.errors import PfsmError
from pfsm.io.faults import reading_explained
from pfsm.io.files import StrPath, display_name

_TYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2"}
LARGEST_HEADER = 1 << 27

Tensors = dict[str, NDArray[np.float32]]


def read_safetensors(path: StrPath) -> Tensors:
    """The floating-point tensors of a file by name, as float32; others are left out.

    Raises:
        PfsmError: If the file cannot be read, is not a safetensors file or is cut short.
    """
    with reading_explained(path):
        content = np.memmap(path, np.uint8, "r") if Path(path).stat().st_size else np.zeros(0, np.uint8)
    name = display_name(path)
    size = int.from_bytes(content[:8].tobytes(), "little")
    try:
        fits = size <= min(LARGEST_HEADER, content.size - 8)
        header = json.loads(content[8 : 8 + size].tobytes().decode("utf-8")) if fits else None
        if not isinstance(header, dict):
            raise ValueError("no header")
        header.pop("__metadata__", None)
        data = content[8 + size :]
        return {key: _tensor(entry, data) for key, entry in header.items() if str(entry["dtype"]) in _TYPES}
    except (ValueError, KeyError, TypeError, RecursionError):
        raise PfsmError(f"{name}: not a complete safetensors file; copy it again") from None


def _tensor(entry: dict[str, Any], data: NDArray[np.uint8]) -> NDArray[np.float32]:
    first, last = (int(offset) for offset in entry["data_offsets"])
    if not 0 <= first <= last <= data.size:
        raise ValueError("beyond the end")
    values = data[first:last].view(_TYPES[entry["dtype"]])
    if entry["dtype"] == "BF16":  # the upper half of a float32
        values = (values.astype(np.uint32) << 16).view(np.float32)
    return values.reshape([int(size) for size in entry["shape"]]).astype(np.float32)
