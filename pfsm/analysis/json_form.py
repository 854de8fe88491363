"""Analyses as plain JSON values, for the cache.

Long columns are stored as packed numbers, because scoring with a warm cache spends its time reading them.
"""

import binascii
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.analysis.clauses import Clause, Drs
from pfsm.analysis.constituents import format_brackets, parse_brackets
from pfsm.analysis.roles import Argument, Frame
from pfsm.analysis.sentence import Analysis, DependencyTree, Marginals, moved

_SMALL, _LARGE, _REAL = "<i2", "<i4", "<f8"
_WHOLE_COLUMNS = ("dependent", "head", "label")


def to_json(analysis: Analysis) -> dict[str, Any]:
    """The analysis as JSON values; numbers are exact to the last bit."""
    marginals = analysis.marginals
    return {
        "tokens": list(analysis.tokens),
        "sentences": list(analysis.sentences),
        "upos": list(analysis.upos),
        "xpos": list(analysis.xpos),
        "trees": _trees(analysis.trees),
        "marginals": None
        if marginals is None
        else {"names": list(marginals.names), "probability": _packed(marginals.probability)}
        | {name: _packed(getattr(marginals, name)) for name in _WHOLE_COLUMNS},
        "constituents": [
            format_brackets(analysis.tokens[tree.start : tree.end], moved(tree, -tree.start))
            for tree in analysis.constituents
        ],
        **({"headed": _trees(analysis.headed)} if analysis.headed else {}),
        **({} if analysis.frames is None else {"frames": [_frame(one) for one in analysis.frames]}),
        **({} if analysis.drs is None else {"drs": [_clause(one) for one in analysis.drs.clauses]}),
    }


def from_json(values: dict[str, Any]) -> Analysis:
    """The analysis that `to_json` wrote.

    Raises:
        KeyError, TypeError, ValueError, PfsmError: If the values are malformed.
    """
    sentences = tuple(values["sentences"])
    trees = [parse_brackets(text).tree for text in values["constituents"]]
    marginals = values["marginals"]
    return Analysis(
        tuple(values["tokens"]),
        sentences,
        tuple(values["upos"]),
        tuple(values["xpos"]),
        _trees_again(values["trees"], len(values["tokens"])),
        None if marginals is None else _marginals_again(marginals),
        tuple(moved(tree, start) for tree, start in zip(trees, sentences, strict=bool(trees))),
        _trees_again(values["headed"], len(values["tokens"])) if "headed" in values else (),
        tuple(map(_frame_again, values["frames"])) if "frames" in values else None,
        Drs(tuple(map(_clause_again, values["drs"]))) if "drs" in values else None,
    )


def _clause(clause: Clause) -> list[Any]:
    return [clause.box, clause.operator, list(clause.arguments), list(clause.words)]


def _clause_again(values: Sequence[Any]) -> Clause:
    box, operator, arguments, words = values
    return Clause(str(box), str(operator), tuple(map(str, arguments)), tuple(map(int, words)))


def _frame(frame: Frame) -> list[Any]:
    arguments, alternatives = (
        [[one.label, [list(span) for span in one.spans], one.probability] for one in several]
        for several in (frame.arguments, frame.alternatives)
    )
    return [frame.predicate, frame.lemma, arguments, frame.roleset, frame.probability, alternatives]


def _frame_again(values: Sequence[Any]) -> Frame:
    word, lemma, arguments, roleset, probability, alternatives = values
    given, possible = (
        tuple(
            Argument(str(label), tuple((int(start), int(end)) for start, end in spans), float(share))
            for label, spans, share in several
        )
        for several in (arguments, alternatives)
    )
    return Frame(int(word), str(lemma), given, str(roleset), float(probability), possible)


def _trees(trees: Sequence[DependencyTree]) -> dict[str, Any]:
    """Heads and labels of all trees, concatenated, and the probabilities to the last bit."""
    names = sorted({label for tree in trees for label in tree.labels})
    number = {name: k for k, name in enumerate(names)}
    return {
        "names": names,
        "heads": _packed(np.array([head for tree in trees for head in tree.heads], dtype=np.int32)),
        "labels": _packed(np.array([number[n] for tree in trees for n in tree.labels], dtype=np.int32)),
        "log_probabilities": _packed(np.array([tree.log_probability for tree in trees], dtype=np.float64)),
    }


def _trees_again(values: dict[str, Any], n_tokens: int) -> tuple[DependencyTree, ...]:
    names, probabilities = values["names"], _unpacked(values["log_probabilities"]).tolist()
    heads = _unpacked(values["heads"]).reshape(len(probabilities), n_tokens).tolist()
    labels = _unpacked(values["labels"]).reshape(len(probabilities), n_tokens).tolist()
    return tuple(
        DependencyTree(tuple(ours), tuple(map(names.__getitem__, of)), probability)
        for ours, of, probability in zip(heads, labels, probabilities, strict=True)
    )


def _marginals_again(values: dict[str, Any]) -> Marginals:
    dependent, head, label = (_unpacked(values[name]).astype(np.int32) for name in _WHOLE_COLUMNS)
    probability = _unpacked(values["probability"]).astype(np.float64, copy=False)
    return Marginals(tuple(values["names"]), dependent, head, label, probability)


def _packed(values: NDArray[Any]) -> list[str]:
    """The type of the numbers, and the numbers."""
    dtype = _REAL
    if values.dtype.kind == "i":
        dtype = _SMALL if values.size == 0 or np.abs(values).max() <= np.iinfo(np.int16).max else _LARGE
    return [dtype, binascii.b2a_base64(values.astype(dtype).tobytes(), newline=False).decode("ascii")]


def _unpacked(packed: Sequence[str]) -> NDArray[Any]:
    dtype, text = packed
    if dtype not in {_SMALL, _LARGE, _REAL}:
        raise ValueError(f"{dtype!r} is not a known type of numbers")
    found = np.frombuffer(binascii.a2b_base64(text), dtype=dtype)
    return found.astype(np.dtype(dtype).newbyteorder("="), copy=False)
