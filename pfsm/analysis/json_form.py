"""Analyses as plain JSON values, for the cache."""

import base64
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.analysis.constituents import format_brackets, parse_brackets
from pfsm.analysis.sentence import Analysis, DependencyTree, Marginals, moved

_COLUMNS = (("dependent", "<i4"), ("head", "<i4"), ("label", "<i4"), ("probability", "<f8"))


def to_json(analysis: Analysis) -> dict[str, Any]:
    """The analysis as values that JSON can write; numbers are kept to the last bit."""
    marginals = analysis.marginals
    return {
        "tokens": list(analysis.tokens),
        "sentences": list(analysis.sentences),
        "upos": list(analysis.upos),
        "xpos": list(analysis.xpos),
        "trees": [[list(t.heads), list(t.labels), t.log_probability.hex()] for t in analysis.trees],
        "marginals": None
        if marginals is None
        else {"names": list(marginals.names)}
        | {name: _packed(getattr(marginals, name), dtype) for name, dtype in _COLUMNS},
        "constituents": [
            format_brackets(analysis.tokens[tree.start : tree.end], moved(tree, -tree.start))
            for tree in analysis.constituents
        ],
    }


def from_json(values: dict[str, Any]) -> Analysis:
    """The analysis that `to_json` has written.

    Raises:
        KeyError, TypeError, ValueError, PfsmError: If the values are something else.
    """
    sentences = tuple(values["sentences"])
    trees = [parse_brackets(text).tree for text in values["constituents"]]
    marginals = values["marginals"]
    return Analysis(
        tuple(values["tokens"]),
        sentences,
        tuple(values["upos"]),
        tuple(values["xpos"]),
        tuple(DependencyTree(tuple(h), tuple(n), float.fromhex(p)) for h, n, p in values["trees"]),
        None
        if marginals is None
        else Marginals(
            tuple(marginals["names"]), *(_unpacked(marginals[name], dtype) for name, dtype in _COLUMNS)
        ),
        tuple(moved(tree, start) for tree, start in zip(trees, sentences, strict=bool(trees))),
    )


def _packed(values: NDArray[Any], dtype: str) -> str:
    return base64.b64encode(np.ascontiguousarray(values, dtype=dtype).tobytes()).decode()


def _unpacked(text: str, dtype: str) -> NDArray[Any]:
    found = np.frombuffer(base64.b64decode(text, validate=True), dtype=dtype)
    return found.astype(np.dtype(dtype).newbyteorder("="), copy=False)
