"""Analyses as bytes, for the cache: MessagePack, numbers exact to the last bit.

Arrays are a type and their bytes, and the labels of trees stand once each, because scoring with a warm cache spends its
time reading them, and n-best lists would fill the memory with labels.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from pfsm.analysis.sentence import Analysis, DependencyTree

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
    heads, labels = (
        column.reshape(len(trees.log_probabilities), n_tokens).tolist()
        for column in (trees.heads, trees.labels)
    )
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
