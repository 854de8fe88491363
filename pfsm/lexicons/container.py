"""The file of a compiled lexicon: one line of JSON, then arrays as they lie in memory.

The first line says what the file is (format, kind, name, licence, sources with checksums, counts) and lists the
arrays that follow: name, type, length, each padded to eight bytes. All numbers are little-endian. A closing line of
the digest of everything before it tells a damaged file from a whole one.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from pfsm.errors import PfsmError
from pfsm.files import StrPath, atomic_write, display_name

FORMAT = "pfsm-lexicon-1"
KINDS = ("synonyms", "paraphrases")
ALIGNMENT = 8
DIGEST_SIZE = 32
CHECKSUM_DIGITS = 8
_TYPES = {"uint8": "<u1", "int32": "<i4", "int64": "<i8", "float32": "<f4"}

Array = NDArray[Any]
Number = TypeVar("Number", np.uint8, np.int32, np.float32)


@dataclass(frozen=True)
class Source:
    """A file that a lexicon was compiled from: its name, and the SHA-256 of its decompressed content."""

    name: str
    sha256: str


@dataclass(frozen=True, eq=False)
class Lexicon:
    """A compiled lexicon.

    Attributes:
        kind: ``synonyms`` or ``paraphrases``.
        name: What models call it.
        licence: Terms of its content.
        sources: What it was compiled from.
        counts: How much of what is in it.
        details: What else its readers need to know, plain JSON values.
        arrays: The tables themselves, one-dimensional and read-only.
        checksum: First 8 hex digits of the SHA-256 of the file's content; empty before it is written.
    """

    kind: str
    name: str
    licence: str
    sources: tuple[Source, ...]
    counts: Mapping[str, int]
    arrays: Mapping[str, Array] = field(repr=False)
    details: Mapping[str, Any] = field(default_factory=dict, repr=False)
    checksum: str = ""

    @property
    def label(self) -> str:
        """``NAME@CHECKSUM``, as in signatures."""
        return f"{self.name}@{self.checksum}"

    def array(self, name: str, dtype: type[Number]) -> NDArray[Number]:
        """One of the arrays.

        Raises:
            PfsmError: If there is none of this name and type.
        """
        array = self.arrays.get(name)
        if array is None or array.dtype != dtype:
            raise PfsmError(f"{self.name}: the table is damaged; compile it again")
        return array


def lexicon_bytes(lexicon: Lexicon) -> bytes:
    """The file's content; the same lexicon gives the same bytes."""
    header = {
        "format": FORMAT,
        "kind": lexicon.kind,
        "name": lexicon.name,
        "licence": lexicon.licence,
        "sources": [{"name": source.name, "sha256": source.sha256} for source in lexicon.sources],
        "counts": dict(lexicon.counts),
        "details": dict(lexicon.details),
        "arrays": [[name, str(array.dtype), int(array.size)] for name, array in lexicon.arrays.items()],
    }
    line = json.dumps(header, ensure_ascii=False, allow_nan=False).encode("utf-8", "backslashreplace")
    parts = [line + b" " * (-(len(line) + 1) % ALIGNMENT) + b"\n"]
    for name, array in lexicon.arrays.items():
        if str(array.dtype) not in _TYPES or array.ndim != 1:
            raise ValueError(f"{name} is {array.dtype} with {array.ndim} dimensions, which no lexicon holds")
        content = np.ascontiguousarray(array, dtype=_TYPES[str(array.dtype)]).tobytes()
        parts += [content, b"\0" * (-len(content) % ALIGNMENT)]
    body = b"".join(parts)
    return body + hashlib.sha256(body).digest()


def write_lexicon(lexicon: Lexicon, path: StrPath) -> None:
    """Writes the lexicon; a file that is there is replaced only when all is written.

    Raises:
        PfsmError: If the file cannot be written.
    """
    content = lexicon_bytes(lexicon)
    with atomic_write(path) as handle:
        handle.buffer.write(content)


def read_lexicon(path: StrPath) -> Lexicon:
    """Reads a lexicon and makes sure that it is whole.

    Raises:
        PfsmError: If the file is missing, no lexicon, of another format, or damaged.
    """
    name = display_name(path)
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise PfsmError(f"{name}: cannot be read ({error.strerror or error})") from None
    header, start = _header(content, name)
    body = content[:-DIGEST_SIZE]
    digest = hashlib.sha256(body)
    if digest.digest() != content[-DIGEST_SIZE:]:
        raise PfsmError(f"{name}: the file is damaged or was cut short; compile it again")
    try:
        return Lexicon(
            str(header["kind"]),
            str(header["name"]),
            str(header["licence"]),
            tuple(Source(str(entry["name"]), str(entry["sha256"])) for entry in header["sources"]),
            {str(key): int(value) for key, value in header["counts"].items()},
            _arrays(header["arrays"], body, start),
            dict(header["details"]),
            digest.hexdigest()[:CHECKSUM_DIGITS],
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        raise PfsmError(f"{name}: not a lexicon of pfsm (its header is incomplete)") from None


def read_header(path: StrPath) -> dict[str, Any]:
    """The first line of a lexicon, without reading the rest.

    Raises:
        PfsmError: If the file cannot be read or is no lexicon.
    """
    name = display_name(path)
    try:
        with Path(path).open("rb") as handle:
            line = handle.readline()
    except OSError as error:
        raise PfsmError(f"{name}: cannot be read ({error.strerror or error})") from None
    return _header(line, name)[0]


def _header(content: bytes, name: str) -> tuple[dict[str, Any], int]:
    """The header, and where the arrays begin."""
    end = content.find(b"\n") + 1
    try:
        header = json.loads(content[:end].decode("utf-8"))
    except (ValueError, RecursionError):
        header = None
    if not isinstance(header, dict) or not str(header.get("format", "")).startswith("pfsm-lexicon-"):
        raise PfsmError(f"{name}: not a lexicon of pfsm; compile one with `pfsm resources compile`")
    if header["format"] != FORMAT or header.get("kind") not in KINDS:
        raise PfsmError(
            f"{name}: format is {header['format']!r}, this version of pfsm reads {FORMAT!r}; compile it again"
        )
    return header, end


def _arrays(entries: Sequence[Sequence[Any]], body: bytes, start: int) -> dict[str, Array]:
    arrays = {}
    for name, kind, size in entries:
        dtype = np.dtype(_TYPES[kind])
        array = np.frombuffer(body, dtype, count=int(size), offset=start)
        arrays[str(name)] = array.astype(dtype.newbyteorder("="), copy=False)
        length = array.nbytes
        start += length + -length % ALIGNMENT
    if start != len(body):
        raise ValueError("arrays do not fill the file")
    return arrays
