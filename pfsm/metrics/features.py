"""Sentence-level features: numbers about a pair that a model may weigh beside its edit score.

Every registered metric is one; others are parts of a metric, or too plain to be a metric: the four n-gram precisions
and the brevity penalty of sentence BLEU (sacrebleu's, 0 to 100 and 0 to 1), and lengths.
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from pfsm.errors import PfsmError
from pfsm.metrics.registry import get_metric, metric_names

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


_OTHERS: Mapping[str, tuple[tuple[str, ...], Values]] = {
    "bleu.": (BLEU_PARTS, bleu_parts),
    "length": (("length",), length),
    "length_difference": (("length_difference",), length_difference),
}


def feature_names() -> tuple[str, ...]:
    """Names of all sentence-level features."""
    return (*metric_names(), *(name for names, _ in _OTHERS.values() for name in names))


def check_feature(name: str) -> None:
    """Refuses what is no feature.

    Raises:
        PfsmError: If there is no feature of this name.
    """
    if name not in feature_names():
        raise PfsmError(f"unknown feature {name!r}; known are {', '.join(feature_names())}")


def feature_signature(name: str) -> str:
    """What decides a feature's values: its name, and for a metric its signature without ``nrefs`` and our version.

    A part of BLEU has BLEU's.
    """
    metric = "bleu" if name in BLEU_PARTS else name
    if metric not in metric_names():
        return name
    return f"{name}({','.join(get_metric(metric).signature.split('|')[1:-1])})"


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
    if name in metric_names():
        return {name: get_metric(name).score_pairs(hypotheses, references)}
    names, compute = next(entry for entry in _OTHERS.values() if name in entry[0])
    return dict(zip(names, compute(hypotheses, references).T, strict=True))
