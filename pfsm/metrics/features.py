"""Sentence-level features: numbers about a pair that a model may weigh beside its edit score.

Every registered metric is one; others are parts of a metric, or too plain to be a metric.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pfsm.errors import PfsmError
from pfsm.metrics.family import Family
from pfsm.metrics.registry import family_of, feature_names, get_metric
from pfsm.runtime.near_names import known_names

Float = NDArray[np.float64]


def check_feature(name: str) -> None:
    """Refuses what is no feature; nothing that it needs is loaded.

    Raises:
        PfsmError: If there is no feature of this name, its options are wrong, or its value for a pair would depend on
            the pairs beside it.
    """
    family = _family(name)
    if family.is_metric(name):
        get_metric(name).check_independent()
    else:
        family.check_part(name)


def _family(name: str) -> Family:
    family = family_of(name)
    if family is None:
        known = known_names(name, feature_names(), "`pfsm metrics --features`")
        raise PfsmError(f"unknown feature {name!r}; {known}")
    return family


def feature_signature(name: str) -> str:
    """What decides a feature's values: its name, and for a metric its signature without ``nrefs`` and our version.

    A part of a metric has the metric's.
    """
    family = _family(name)
    if family.label is not None:
        return family.label(name)
    bare, parenthesis, options = name.partition("(")
    metric = get_metric(bare.partition(".")[0] + parenthesis + options)
    return f"{name}({','.join(metric.signature.split('|')[1:-1])})"


def with_checksum(name: str) -> str:
    """The name as a model keeps it: a feature from vectors with their checksum.

    Raises:
        PfsmError: If what it needs is not there.
    """
    return _family(name).pin(name)


def feature_values(names: Sequence[str], hypotheses: Sequence[str], references: Sequence[str]) -> Float:
    """Values of features, float64 [n_pairs, n_names]; what features share is computed once.

    Raises:
        PfsmError: If there is no feature of one of the names.
        ValueError: If the lists differ in length.
    """
    values = np.zeros((len(hypotheses), len(names)))
    for name in names:
        check_feature(name)
    known = _known(hypotheses, references)
    for column, name in enumerate(names):
        if name not in known:
            known.update(_computed(name, hypotheses, references))
        values[:, column] = known[name]
    return values


@dataclass
class _Memory:
    """The pairs that features were last asked for of, and their values by name."""

    hypotheses: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    values: dict[str, Float] = field(default_factory=dict)


_MEMORY: ContextVar[_Memory | None] = ContextVar("_MEMORY", default=None)


@contextmanager
def remembered() -> Iterator[None]:
    """Within it, the values of the same features of the same pairs are not computed twice in a row.

    Training asks for them twice, for their scales and for themselves.
    """
    token = _MEMORY.set(_Memory())
    try:
        yield
    finally:
        _MEMORY.reset(token)


def _known(hypotheses: Sequence[str], references: Sequence[str]) -> dict[str, Float]:
    """Values of features of these pairs, to be added to."""
    memory = _MEMORY.get()
    if memory is None:
        return {}
    pairs = tuple(hypotheses), tuple(references)
    if (memory.hypotheses, memory.references) != pairs:
        memory.hypotheses, memory.references = pairs
        memory.values = {}
    return memory.values


def _computed(name: str, hypotheses: Sequence[str], references: Sequence[str]) -> dict[str, Float]:
    family = _family(name)
    if family.values is not None and not (family.is_metric(name) and family.label is None):
        return family.values(name, hypotheses, references)
    return {name: get_metric(name).score_pairs(hypotheses, references)}
