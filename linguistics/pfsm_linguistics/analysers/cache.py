"""Analyses cached on disk, by the text, what was asked for, and the versions of the parser and of pfsm.

Every parser has one file (`pfsm.io.stores`) in the user's folder (see ``pfsm.lexicons.registry``). An entry that cannot
be read is computed again. Another version of pfsm may analyse the same line otherwise with the same weights, and write
it down otherwise. So it has files of its own, beside ours; all of them share one limit.
"""

import hashlib
import os
import re
import zlib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from pfsm.errors import PfsmError
from pfsm.io.limits import byte_size
from pfsm.io.named_resources import user_folder
from pfsm.io.stores import LARGEST, Store
from pfsm.runtime.process import gc_paused
from pfsm.version import __version__
from pfsm_linguistics.analysis.sentence import Analysis, DependencyTree

_TYPES = frozenset({"<i2", "<i4", "<f8"})


class _Trees(msgspec.Struct, array_like=True):
    """Trees of one line: names of labels; heads, int32 [n_trees, n_tokens], and numbers of labels, laid end to end."""

    names: tuple[str, ...]
    heads: NDArray[np.int32]
    labels: NDArray[np.int32]
    log_probabilities: tuple[float, ...]


class _Stored(msgspec.Struct, array_like=True):
    """An analysis, and its trees, which are taken out of it."""

    rest: Analysis
    trees: _Trees
    headed: _Trees


def packed(analysis: Analysis) -> bytes:
    """The analysis as bytes.

    Raises:
        ValueError: If its text has characters that UTF-8 does not have.
    """
    rest = replace(analysis, trees=(), headed=())
    return _ENCODER.encode(_Stored(rest, _taken(analysis.trees), _taken(analysis.headed)))


def unpacked(content: bytes) -> Analysis:
    """The analysis that `packed` wrote.

    Raises:
        ValueError: If the bytes are malformed.
    """
    stored = _DECODER.decode(content)
    size = len(stored.rest.tokens)
    return replace(stored.rest, trees=_put_back(stored.trees, size), headed=_put_back(stored.headed, size))


def _taken(trees: Sequence[DependencyTree]) -> _Trees:
    names = sorted({label for tree in trees for label in tree.labels})
    number = {name: k for k, name in enumerate(names)}
    return _Trees(
        tuple(names),
        np.array([head for tree in trees for head in tree.heads], dtype=np.int32),
        np.array([number[label] for tree in trees for label in tree.labels], dtype=np.int32),
        tuple(tree.log_probability for tree in trees),
    )


def _put_back(trees: _Trees, n_tokens: int) -> tuple[DependencyTree, ...]:
    shape = len(trees.log_probabilities), n_tokens
    heads, labels = trees.heads.reshape(shape).tolist(), trees.labels.reshape(shape).tolist()
    return tuple(
        DependencyTree(tuple(own), tuple(map(trees.names.__getitem__, of)), probability)
        for own, of, probability in zip(heads, labels, trees.log_probabilities, strict=True)
    )


def _plain(value: Any) -> Any:
    """An array, or a number of NumPy's, as an analyser of another package may give."""
    if isinstance(value, np.generic):
        return value.item()
    if not isinstance(value, np.ndarray):
        raise TypeError(f"an analysis holds no {type(value).__name__}")
    small = value.dtype.kind == "i" and (value.size == 0 or np.abs(value).max() <= np.iinfo(np.int16).max)
    kind = "<i2" if small else "<i4" if value.dtype.kind == "i" else "<f8"
    return kind, value.astype(kind).tobytes()


def _array(_: type, value: Any) -> NDArray[Any]:
    kind, content = value
    if kind not in _TYPES:
        raise ValueError(f"{kind!r} is not a known type of numbers")
    return np.frombuffer(content, dtype=kind).astype(np.float64 if kind == "<f8" else np.int32, copy=False)


_ENCODER = msgspec.msgpack.Encoder(enc_hook=_plain)
_DECODER = msgspec.msgpack.Decoder(_Stored, dec_hook=_array)


VARIABLE = "PFSM_CACHE_SIZE"


def largest_size() -> int:
    """Largest total size of the cache's files in bytes: PFSM_CACHE_SIZE, by default 1 GB.

    Raises:
        PfsmError: If the variable is not a number of bytes.
    """
    given = os.environ.get(VARIABLE)
    size = byte_size(given) if given else LARGEST
    if size is None:
        raise PfsmError(
            f"environment variable {VARIABLE} is {given!r}, a number of bytes such as 500M or 2G is needed"
        )
    return size


FOLDER = "analyses"


class AnalysisCache:
    """Analyses of one parser.

    Args:
        label: The parser with its version, such as ``en-ewt@1a2b3c4d``.
        asked: What the parser was asked for; part of every key.
        folder: The folder of the files; None: the user's folder.

    Raises:
        PfsmError: If the environment variable PFSM_CACHE_SIZE is not a number of bytes.
    """

    def __init__(self, label: str, asked: str, folder: Path | None = None) -> None:
        name = re.sub(r"[^A-Za-z0-9@._-]+", "_", label)[:80]
        whole = f"{label}\0{code_version()}".encode("utf-8", "backslashreplace")
        digest = hashlib.sha256(whole).hexdigest()[:12]
        path = (user_folder() / FOLDER if folder is None else folder) / f"{name}-{digest}.sqlite"
        self.store = Store(path, largest_size())
        self._asked = asked

    def find(self, lines: Iterable[str]) -> dict[str, Analysis]:
        """The cached analyses of these lines."""
        by_key = {self._key(line): line for line in lines}
        rows = self.store.get(by_key)
        with gc_paused():
            found = {by_key[key]: _read(value) for key, value in rows.items()}
        return {line: analysis for line, analysis in found.items() if analysis is not None}

    def add(self, analyses: Mapping[str, Analysis]) -> None:
        """Stores the analyses of lines: all of them or, if that is not possible, none."""
        with suppress(ValueError):  # characters that UTF-8 does not have
            self.store.put({self._key(line): zlib.compress(packed(one), 6) for line, one in analyses.items()})

    def _key(self, line: str) -> bytes:
        return hashlib.sha256(f"{self._asked}\0{line}".encode("utf-8", "backslashreplace")).digest()


# Everything that may decide an analysis, whether it has been imported or not.
_ANALYSERS = [
    Path(__file__).parents[1] / room for room in ("analysers", "analysis", "kernels", "labeller", "parser")
]


@cache
def code_version() -> str:
    """What decides analyses besides weights and text: the versions of pfsm and NumPy, and our sources.

    The sources may change within one version of a checkout.
    """
    # Not imported, which takes longer than reading a warm cache.
    kernels = find_spec("pfsm_kernels")
    places = kernels.submodule_search_locations if kernels else None
    sources = sources_digest([*_ANALYSERS, *map(Path, places or ())])
    return f"{__version__} {np.__version__} {sources}"


def sources_digest(folders: Iterable[Path]) -> str:
    """SHA-256 over the names and contents of the Python files below folders."""
    digest = hashlib.sha256()
    for folder in folders:
        for path in sorted(folder.rglob("*.py")):
            content = path.read_bytes()
            digest.update(f"{path.relative_to(folder).as_posix()} {len(content)}\n".encode())
            digest.update(content)
    return digest.hexdigest()


def _read(value: bytes) -> Analysis | None:
    try:
        return unpacked(zlib.decompress(value))
    except (zlib.error, ValueError, TypeError, IndexError, RecursionError):
        return None
