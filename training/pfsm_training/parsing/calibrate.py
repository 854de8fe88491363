"""Temperatures: scores are divided by them, so that probabilities match accuracies.

Arcs, labels and spans have one temperature each, from held-out sentences (Guo et al. 2017, "On calibration of modern
neural networks", section 4.2). Those of labels and spans maximise the likelihood. The likelihood of arcs is dominated
by a few that are almost certain but wrong, so their temperature minimises the gaps between probability and accuracy,
bin by bin.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from pfsm.analysis.scoring import N_BINS
from pfsm.english.parser.network import Network
from pfsm.english.parser.trees import tree_marginals
from pfsm.english.parser.weights import ParserWeights
from pfsm_kernels.syntax.bracketing import span_marginals
from pfsm_training.parsing.treebank import Example, binary_spans

_RANGE = (0.3, 4.0)
_PORTION = 200
# Arcs less likely than this, which are most of the possible ones, are left out of the bins.
_SMALLEST = 0.01
Float = NDArray[np.float64]


def calibrated(weights: ParserWeights, examples: Sequence[Example]) -> ParserWeights:
    """The same weights with temperatures fitted to these examples."""
    plain = replace(weights, temperatures={"arcs": 1.0, "labels": 1.0, "spans": 1.0})
    network = Network(plain)
    arcs: list[tuple[Float, NDArray[np.int64]]] = []
    labels: list[tuple[Float, NDArray[np.int64]]] = []
    spans: list[tuple[Float, list[tuple[int, int]]]] = []
    number = {label: k for k, label in enumerate(weights.inventories["labels"])}
    for first in range(0, len(examples), _PORTION):
        part = examples[first : first + _PORTION]
        for example, line in zip(part, network.lines([one.dependencies.forms for one in part]), strict=True):
            heads = np.array(example.dependencies.heads)
            arcs.append((network.arcs(line.encoded).astype(np.float64), heads))
            under = np.flatnonzero(heads > 0)
            gold = np.array(
                [number.get(example.dependencies.labels[word], -1) for word in under], dtype=np.int64
            )
            table = network.labels(line.encoded, under, heads[under]).astype(np.float64)
            labels.append((table[gold > 0][:, 1:], gold[gold > 0] - 1))
            if example.constituents is not None:
                bracketing = binary_spans(example.constituents, len(example))
                spans.append((network.spans(line.encoded).astype(np.float64), bracketing))
    return replace(
        weights,
        temperatures={
            "arcs": _best(lambda t: _arc_gap(arcs, t)),
            "labels": _best(lambda t: sum(_label_loss(s / t, gold) for s, gold in labels)),
            "spans": _best(lambda t: sum(_span_loss(s / t, gold) for s, gold in spans)),
        },
    )


def _best(loss: Callable[[float], float]) -> float:
    found = minimize_scalar(loss, bounds=_RANGE, method="bounded", options={"xatol": 0.01})
    return round(float(found.x), 3)


def _arc_gap(sentences: Sequence[tuple[Float, NDArray[np.int64]]], temperature: float) -> float:
    """Sum over bins of probability of the squared difference between mean probability and share of correct arcs."""
    values, rights = [], []
    for scores, heads in sentences:
        table = tree_marginals(scores / temperature)[1]
        right = np.zeros(table.shape, dtype=np.bool_)
        right[np.arange(len(heads)), heads] = True
        kept = table >= _SMALLEST
        values.append(table[kept])
        rights.append(right[kept])
    probability, hits = np.concatenate(values), np.concatenate(rights)
    bins = np.minimum((probability * N_BINS).astype(np.int64), N_BINS - 1)
    gaps = np.bincount(bins, probability - hits, minlength=N_BINS) / np.maximum(
        1, np.bincount(bins, minlength=N_BINS)
    )
    return float((gaps**2).sum())


def _label_loss(scores: Float, gold: NDArray[np.int64]) -> float:
    if not gold.size:
        return 0.0
    return float((np.logaddexp.reduce(scores, axis=1) - scores[np.arange(gold.size), gold]).sum())


def _span_loss(scores: Float, bracketing: Sequence[tuple[int, int]]) -> float:
    return float(span_marginals(scores, np.zeros_like(scores))) - float(
        sum(scores[i, j] for i, j in bracketing)
    )
