"""Compiled lexicons as files (`pfsm.io.containers`).

The header lists the arrays and describes the lexicon: kind, name, licence, sources with checksums, counts.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from pfsm.errors import PfsmError
from pfsm.io import containers
from pfsm.io.containers import Array, Format, content_bytes, incomplete, read_content, write_content
from pfsm.io.files import StrPath, display_name

FORMAT = Format("pfsm-lexicon-1", "lexicon", "compile one with `pfsm resources compile`", "compile it again")
KINDS = ("synonyms", "paraphrases", "relations")

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
        kind: ``synonyms``, ``paraphrases`` or ``relations``.
        name: The name by which models refer to it.
        licence: Terms of its content.
        sources: The files that it was compiled from.
        counts: How many entries of each sort it holds.
        details: Further information for its readers, plain JSON values.
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
            PfsmError: If there is no array of this name and type.
        """
        array = self.arrays.get(name)
        if array is None or array.dtype != dtype or array.ndim != 1:
            raise self.damaged()
        return array

    def damaged(self) -> PfsmError:
        """The error to raise when arrays and details do not fit together."""
        return PfsmError(f"{self.name}: the table is damaged; compile it again")

    @contextmanager
    def unpacked(self) -> Iterator[None]:
        """Within this block, unexpected content is reported as a damaged table.

        Raises:
            PfsmError: In place of Python's errors about a key, type or value.
        """
        try:
            yield
        except (AttributeError, LookupError, OverflowError, TypeError, ValueError):
            raise self.damaged() from None


def lexicon_bytes(lexicon: Lexicon) -> bytes:
    """The file's content; the same lexicon gives the same bytes.

    Raises:
        ValueError: If an array has a type or shape that lexicons do not support.
    """
    for name, array in lexicon.arrays.items():
        if array.ndim != 1:
            raise ValueError(f"{name} has {array.ndim} dimensions, a lexicon's arrays have one")
    header = {
        "kind": lexicon.kind,
        "name": lexicon.name,
        "licence": lexicon.licence,
        "sources": [{"name": source.name, "sha256": source.sha256} for source in lexicon.sources],
        "counts": dict(lexicon.counts),
        "details": dict(lexicon.details),
    }
    return content_bytes(FORMAT, header, lexicon.arrays)


def write_lexicon(lexicon: Lexicon, path: StrPath) -> None:
    """Writes the lexicon; an existing file is replaced only when everything is written.

    Raises:
        PfsmError: If the file cannot be written.
    """
    write_content(path, lexicon_bytes(lexicon))


def read_lexicon(path: StrPath) -> Lexicon:
    """Reads a lexicon and checks that it is complete.

    Raises:
        PfsmError: If the file is missing, not a lexicon, of another format, or damaged.
    """
    content = read_content(path, FORMAT)
    header = _checked(content.header, path)
    try:
        return Lexicon(
            str(header["kind"]),
            str(header["name"]),
            str(header["licence"]),
            tuple(Source(str(entry["name"]), str(entry["sha256"])) for entry in header["sources"]),
            {str(key): int(value) for key, value in header["counts"].items()},
            content.arrays,
            dict(header["details"]),
            content.checksum,
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        raise incomplete(path, FORMAT) from None


def read_header(path: StrPath) -> dict[str, Any]:
    """The first line of a lexicon, without reading the rest.

    Raises:
        PfsmError: If the file cannot be read or is not a lexicon.
    """
    return _checked(containers.read_header(path, FORMAT), path)


def _checked(header: dict[str, Any], path: StrPath) -> dict[str, Any]:
    if header.get("kind") not in KINDS:
        raise PfsmError(
            f"{display_name(path)}: this version of pfsm cannot read lexicons of {header.get('kind')!r}; "
            f"known are {', '.join(KINDS)}"
        )
    return header
