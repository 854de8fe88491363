"""Container files: one line of JSON, then arrays as they lie in memory.

The line names the format and lists the arrays that follow: name, type, length or shape, each padded to eight bytes,
little-endian. The last 32 bytes are the SHA-256 of everything before them, which reveals a damaged file. Kernels trust
indices and allocate by sizes: whoever reads arrays asks here for their bounds.
"""

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.errors import PfsmError
from pfsm.io.files import StrPath, atomic_write, display_name, is_line, read_bytes, reading_explained
from pfsm.io.limits import DOCUMENT, MOST_QUOTED, check_size

ALIGNMENT = 8
DIGEST_SIZE = 32
CHECKSUM_DIGITS = 8
_TYPES = {"int8": "<i1", "uint8": "<u1", "int32": "<i4", "int64": "<i8", "float32": "<f4"}

Array = NDArray[Any]


@dataclass(frozen=True)
class Format:
    """One kind of container file.

    Attributes:
        name: The header's ``format``, with the version after the last hyphen.
        what: What messages call such a file.
        how: The part of a message that says how to make such a file.
        again: The part of a message that says what to do about a file that is damaged or of another version.
    """

    name: str
    what: str
    how: str
    again: str


@dataclass(frozen=True, eq=False)
class Content:
    """A file that was read.

    Attributes:
        header: Its first line.
        arrays: Read-only, by name.
        checksum: First 8 hex digits of the digest.
    """

    header: dict[str, Any]
    arrays: dict[str, Array]
    checksum: str


def content_bytes(format_: Format, header: Mapping[str, Any], arrays: Mapping[str, Array]) -> bytes:
    """The content of a file; the same input gives the same bytes."""
    for name, array in arrays.items():
        if str(array.dtype) not in _TYPES:
            raise ValueError(f"{name} is {array.dtype}, which no {format_.what} holds")
    entries = [
        [name, str(array.dtype), array.size if array.ndim == 1 else list(array.shape)]
        for name, array in arrays.items()
    ]
    whole = {"format": format_.name, **header, "arrays": entries}
    line = json.dumps(whole, ensure_ascii=False, allow_nan=False).encode("utf-8", "backslashreplace")
    parts = [line + b" " * (-(len(line) + 1) % ALIGNMENT) + b"\n"]
    for array in arrays.values():
        content = np.ascontiguousarray(array, dtype=_TYPES[str(array.dtype)]).tobytes()
        parts += [content, b"\0" * (-len(content) % ALIGNMENT)]
    body = b"".join(parts)
    return body + hashlib.sha256(body).digest()


def write_content(path: StrPath, content: bytes) -> None:
    """Writes the content; an existing file is replaced only when everything is written."""
    with atomic_write(path) as handle:
        handle.buffer.write(content)


def read_content(path: StrPath, format_: Format) -> Content:
    """Reads a file and checks that it is complete."""
    name = display_name(path)
    content = read_bytes(path)
    end = content.find(b"\n") + 1
    header = _header(content[:end], name, format_)
    body = content[:-DIGEST_SIZE]
    digest = hashlib.sha256(body)
    if digest.digest() != content[-DIGEST_SIZE:]:
        raise PfsmError(f"{name}: the file is damaged or was cut short; {format_.again}")
    try:
        arrays = _arrays(header["arrays"], body, end)
    except (KeyError, OverflowError, TypeError, ValueError):
        raise incomplete(path, format_) from None
    return Content(header, arrays, digest.hexdigest()[:CHECKSUM_DIGITS])


def incomplete(path: StrPath, format_: Format) -> PfsmError:
    """The error to raise when the header or the arrays lack something."""
    return PfsmError(
        f"{display_name(path)}: not a complete {format_.what} of pfsm (its header or arrays do not fit together); "
        f"{format_.again}"
    )


def read_header(path: StrPath, format_: Format) -> dict[str, Any]:
    """The first line of a file, without reading the rest."""
    with reading_explained(path), Path(path).open("rb") as handle:
        line = handle.readline(DOCUMENT.value + 1)
    return _header(line, display_name(path), format_)


def _header(line: bytes, name: str, format_: Format) -> dict[str, Any]:
    check_size(len(line), name, DOCUMENT)
    try:
        header = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError):
        header = None
    if isinstance(header, dict) and not is_line(header.get("name", "?")):
        raise PfsmError(f"{name}: its name must be a line of text; {format_.again}")
    stem = format_.name.rpartition("-")[0]
    if not isinstance(header, dict) or not str(header.get("format", "")).startswith(f"{stem}-"):
        raise PfsmError(f"{name}: not a {format_.what} of pfsm; {format_.how}")
    if header["format"] != format_.name:
        raise PfsmError(
            f"{name}: format is {str(header['format'])[:MOST_QUOTED]!r}, this version of pfsm reads {format_.name!r}; "
            f"{format_.again}"
        )
    return header


def _arrays(entries: Sequence[Sequence[Any]], body: bytes, start: int) -> dict[str, Array]:
    arrays: dict[str, Array] = {}
    for name, kind, size in entries:
        dtype = np.dtype(_TYPES[kind])
        shape = size if isinstance(size, list) else [size]
        if str(name) in arrays or any(type(length) is not int or length < 0 for length in shape):
            raise ValueError("an array is named twice or has no shape")
        array = np.frombuffer(body, dtype, count=math.prod(shape), offset=start).reshape(shape)
        arrays[str(name)] = array.astype(dtype.newbyteorder("="), copy=False)
        start += array.nbytes + -array.nbytes % ALIGNMENT
    if start != len(body):
        raise ValueError("arrays do not fill the file")
    return arrays


# Of any weight either way, and of a temperature up or down: beyond, sums over a line could overflow.
LARGEST_NUMBER = 1e4


def are_below(values: NDArray[Any], n_values: int) -> bool:
    """Whether whole numbers are all from 0 to ``n_values - 1``."""
    return not values.size or 0 <= int(values.min()) <= int(values.max()) < n_values


def are_lists(offsets: NDArray[Any], n_lists: int, values: NDArray[Any], n_values: int) -> bool:
    """Whether ``values[offsets[i]:offsets[i + 1]]`` are lists of numbers from 0 to ``n_values - 1``, int32 or int64."""
    return (
        offsets.size == n_lists + 1
        and int(offsets[0]) == 0
        and int(offsets[-1]) == values.size
        # Differences of int32 could wrap.
        and bool((offsets[1:] >= offsets[:-1]).all())
        and are_below(values, n_values)
    )


def are_bounded(values: NDArray[Any], largest: float = LARGEST_NUMBER) -> bool:
    """Whether all numbers are finite and at most ``largest`` either way; no array is made that is larger than them."""
    # A comparison with NaN is false.
    return not values.size or (-largest <= float(values.min()) and float(values.max()) <= largest)


def is_temperature(value: float) -> bool:
    """Whether scores can be divided by it and stay finite."""
    return 1.0 / LARGEST_NUMBER <= value <= LARGEST_NUMBER


def is_text(text: str) -> bool:
    """Whether there are no halves of surrogate pairs, which JSON can hold and no text has."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
