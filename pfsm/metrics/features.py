"""Sentence-level features: numbers about a pair that a model may weigh beside its edit score.

Every registered metric is one; others are parts of a metric, or too plain to be a metric: the four n-gram precisions
and the brevity penalty of sentence BLEU (sacrebleu's, 0 to 100 and 0 to 1), NIST's information per n-gram and penalty,
METEOR's precision, recall, penalty and shares of words matched, and lengths; or they come from vectors
(``pfsm.embeddings.features``), whose names may say from which.
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from pfsm.embeddings.features import (
    DESCRIPTIONS,
    embedding_values,
    feature_label,
    is_embedding_feature,
    parse_feature,
    pinned_feature,
)
from pfsm.errors import PfsmError
from pfsm.metrics.meteor.metric import PARTS, MeteorMetric
from pfsm.metrics.meteor.options import NAMES, check_options
from pfsm.metrics.registry import get_metric, metric_names
from pfsm.metrics.words import NIST_PARTS, WordMetric, nist_parts

Float = NDArray[np.float64]
Values = Callable[[Sequence[str], Sequence[str]], Float]

BLEU_PARTS = ("bleu.1", "bleu.2", "bleu.3", "bleu.4", "bleu.bp")


def bleu_parts(hypotheses: Sequence[str], references: Sequence[str]) -> Float:
    """Smoothed precisions of 1- to 4-grams and the brevity penalty of sentence BLEU, float64 [n_pairs, 5]."""
    from sacrebleu.metrics import BLEU  # noqa: PLC0415 - takes a tenth of a second

    bleu = BLEU(effective_order=True)
    rows = np.zeros((len(hypotheses), len(BLEU_PARTS)))
    for row, hypothesis, reference in zip(rows, hypotheses, references, strict=True):
        score = bleu.sentence_score(hypothesis, [reference])
        row[:4], row[4] = score.precisions, score.bp
    return rows


def length(_: Sequence[str], references: Sequence[str]) -> Float:
    """``log(1 + characters of the reference)``, float64 [n_pairs, 1]."""
    lengths: Float = np.log1p(np.array([[len(reference)] for reference in references], dtype=np.float64))
    return lengths.reshape(-1, 1)


def length_difference(hypotheses: Sequence[str], references: Sequence[str]) -> Float:
    """``log((1 + characters of the hypothesis) / (1 + those of the reference))``, float64 [n_pairs, 1]."""
    return length(references, hypotheses) - length(hypotheses, references)


def nist(hypotheses: Sequence[str], references: Sequence[str]) -> Float:
    """Information per n-gram by order and the penalty for short lines, float64 [n_pairs, 6]."""
    return WordMetric("nist").parts(nist_parts, hypotheses, references)


def _meteor(name: str) -> tuple[tuple[str, ...], Values]:
    """Names of the parts of a METEOR (`pfsm.metrics.meteor.metric.PARTS`), and what computes them."""

    def values(hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        return MeteorMetric(name, check_options(name, {})).parts(hypotheses, references)[:, 1:]

    return tuple(f"{name}.{part}" for part in PARTS), values


_OTHERS: Mapping[str, tuple[tuple[str, ...], Values]] = {
    "bleu.": (BLEU_PARTS, bleu_parts),
    "nist.": (NIST_PARTS, nist),
    **{f"{name}.": _meteor(name) for name in NAMES},
    "length": (("length",), length),
    "length_difference": (("length_difference",), length_difference),
}


def feature_names() -> tuple[str, ...]:
    """Names of all sentence-level features."""
    return (*metric_names(), *(name for names, _ in _OTHERS.values() for name in names), *DESCRIPTIONS)


def check_feature(name: str) -> None:
    """Refuses what is no feature.

    Raises:
        PfsmError: If there is no feature of this name.
    """
    if is_embedding_feature(name):
        parse_feature(name)
    elif name not in feature_names():
        raise PfsmError(f"unknown feature {name!r}; known are {', '.join(feature_names())}")


def feature_signature(name: str) -> str:
    """What decides a feature's values: its name, and for a metric its signature without ``nrefs`` and our version.

    A part of a metric has the metric's.
    """
    if is_embedding_feature(name):
        return feature_label(name)
    metric = name.partition(".")[0]
    if metric not in metric_names():
        return name
    return f"{name}({','.join(get_metric(metric).signature.split('|')[1:-1])})"


def with_checksum(name: str) -> str:
    """The name as a model keeps it: a feature from vectors with their checksum.

    Raises:
        PfsmError: If the vectors are not there.
    """
    return pinned_feature(name) if is_embedding_feature(name) else name


def feature_values(names: Sequence[str], hypotheses: Sequence[str], references: Sequence[str]) -> Float:
    """Values of features, float64 [n_pairs, n_names]; what features share is computed once.

    Raises:
        PfsmError: If there is no feature of one of the names.
        ValueError: If the lists differ in length.
    """
    values = np.zeros((len(hypotheses), len(names)))
    for name in names:
        check_feature(name)
    known: dict[str, Float] = {}
    for column, name in enumerate(names):
        if name not in known:
            known |= _computed(name, hypotheses, references)
        values[:, column] = known[name]
    return values


def _computed(name: str, hypotheses: Sequence[str], references: Sequence[str]) -> dict[str, Float]:
    if is_embedding_feature(name):
        return embedding_values(name, hypotheses, references)
    if name in metric_names():
        return {name: get_metric(name).score_pairs(hypotheses, references)}
    names, compute = next(entry for entry in _OTHERS.values() if name in entry[0])
    return dict(zip(names, compute(hypotheses, references).T, strict=True))
