"""The parameters of a trained network as its file has them; its temperatures; how readily it splits a line.

Temperatures: scores are divided by them, so that probabilities match accuracies. Arcs, labels and spans have one each,
from held-out sentences (Guo et al. 2017, "On calibration of modern neural networks", section 4.2). Those of labels and
spans maximise the likelihood. The likelihood of arcs is dominated by a few that are almost certain but wrong, so their
temperature minimises the gaps between probability and accuracy, bin by bin.

Sentence starts: the network learns them on lines with the mix of sentences used in training. A missed start costs more
heads than a false one, and translation segments often have several sentences. So a constant is added to the log-odds of
a start: the one with the highest mean LAS on held-out lines of one, two and three sentences.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar
from torch import Tensor

from pfsm.arrays import Float, Int64
from pfsm.runtime.choice import simplest_within_noise
from pfsm_linguistics.analysers.scoring import N_BINS, Analyse, evaluate_on_text
from pfsm_linguistics.analysis.conllu import ConlluSentence
from pfsm_linguistics.kernels.syntax.bracketing import span_marginals
from pfsm_linguistics.parser.network import Network
from pfsm_linguistics.parser.trees import tree_marginals
from pfsm_linguistics.parser.weights import Matrix, ParserWeights
from pfsm_linguistics.training.parsing.network import ParserNetwork
from pfsm_linguistics.training.parsing.treebank import Example, Inventory, binary_spans

# _HIDDEN: linear layer, non-linearity and dropout; _OUTPUTS: plain linear layers; _FORMS: biaffine forms.
_HIDDEN = (
    "tag_layer", "arc_dependent", "arc_head", "label_dependent", "label_head", "span_left", "span_right",
    "span_label_left", "span_label_right",
)  # fmt: skip
_OUTPUTS = ("upos", "xpos", "starts")
_FORMS = ("arcs", "labels", "spans", "span_labels")
UNCALIBRATED = {"arcs": 1.0, "labels": 1.0, "spans": 1.0}


def exported(
    network: ParserNetwork,
    inventory: Inventory,
    vector_words: Sequence[str],
    *,
    name: str,
    licence: str,
    card: Mapping[str, Any],
) -> ParserWeights:
    """The weights of the network, not yet quantised."""
    inventories = {
        "words": inventory.words,
        "vector_words": tuple(vector_words),
        "characters": inventory.characters,
        "upos": inventory.upos,
        "xpos": inventory.xpos,
        "labels": inventory.labels,
        "span_labels": inventory.span_labels,
    }
    return ParserWeights(name, licence, card, inventories, UNCALIBRATED, _arrays(network))


def _arrays(network: ParserNetwork) -> dict[str, Matrix]:
    encoder = network.encoder
    found = {
        "words": encoder.words.weight,
        "vectors": encoder.vectors,
        "characters": encoder.characters.weight,
        "filters.weight": encoder.filters.weight,
        "filters.bias": encoder.filters.bias,
        "root_arc": network.root_arc,
        "root_label": network.root_label,
    }
    for layer, pair in enumerate(encoder.lstms):
        for direction, lstm in zip(("forward", "backward"), pair, strict=True):  # type: ignore[call-overload]
            prefix = f"lstm.{layer}.{direction}"
            found[f"{prefix}.input"] = lstm.weight_ih_l0
            found[f"{prefix}.recurrent"] = lstm.weight_hh_l0
            found[f"{prefix}.bias"] = lstm.bias_ih_l0 + lstm.bias_hh_l0
    for layer_name in (*_HIDDEN, *_OUTPUTS):
        part = getattr(network, layer_name)
        linear = part[0] if layer_name in _HIDDEN else part
        found[f"{layer_name}.weight"], found[f"{layer_name}.bias"] = linear.weight, linear.bias
    for form in _FORMS:
        weight = getattr(network, form).weight
        found[form] = weight.reshape(-1, weight.shape[-1])
    return {key: _array(value) for key, value in found.items()}


def _array(values: Tensor) -> Matrix:
    array: Matrix = np.ascontiguousarray(values.detach().float().numpy())
    return array


_RANGE = (0.3, 4.0)
_PORTION = 200
# Arcs less likely than this, which are most of the possible ones, are left out of the bins.
_SMALLEST = 0.01


def calibrated(weights: ParserWeights, examples: Sequence[Example]) -> ParserWeights:
    """The same weights with temperatures fitted to these examples."""
    plain = replace(weights, temperatures=UNCALIBRATED)
    network = Network(plain)
    arcs: list[tuple[Float, Int64]] = []
    labels: list[tuple[Float, Int64]] = []
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


def _arc_gap(sentences: Sequence[tuple[Float, Int64]], temperature: float) -> float:
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


def _label_loss(scores: Float, gold: Int64) -> float:
    if not gold.size:
        return 0.0
    return float((np.logaddexp.reduce(scores, axis=1) - scores[np.arange(gold.size), gold]).sum())


def _span_loss(scores: Float, bracketing: Sequence[tuple[int, int]]) -> float:
    return float(span_marginals(scores, np.zeros_like(scores))) - float(
        sum(scores[i, j] for i, j in bracketing)
    )


BIAS = "starts.bias"
MOVES = (0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0)
SENTENCES_A_LINE = (1, 2, 3)


def with_tuned_starts(
    weights: ParserWeights,
    sentences: Sequence[ConlluSentence],
    analyser_of: Callable[[ParserWeights], Analyse],
) -> tuple[ParserWeights, float]:
    """The same weights with the best constant added to the log-odds of a sentence start, and that constant.

    Args:
        weights: Weights of a parser.
        sentences: Held-out sentences in the order of the treebank.
        analyser_of: Makes an analyser of lines of text from weights.
    """

    def mean_las(move: float) -> float:
        analyse = analyser_of(with_starts_moved(weights, move))
        return float(
            np.mean([evaluate_on_text(analyse, sentences, k).scores.las.f1 for k in SENTENCES_A_LINE])
        )

    best = MOVES[simplest_within_noise(list(map(mean_las, MOVES)))]
    return with_starts_moved(weights, best), best


def with_starts_moved(weights: ParserWeights, move: float) -> ParserWeights:
    """The same weights with a constant added to the log-odds of a sentence start."""
    arrays = dict(weights.arrays)
    arrays[BIAS] = arrays[BIAS] + np.float32(move)
    return replace(weights, arrays=arrays)
