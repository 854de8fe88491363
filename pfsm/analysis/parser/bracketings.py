"""The likeliest constituent trees of a sentence, with their probabilities.

The parser has a distribution over binary bracketings, and one over the labels of each span; a span without a label is
no constituent. A tree can come from several bracketings, which differ in how they cut a constituent of three parts or
more: its probability is the sum over those among the derivations that are listed.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pfsm.analysis.constituents import Constituent, tree_of_spans

Float = NDArray[np.float64]
Int32 = NDArray[np.int32]
# Spans less likely than this are left out, but for those of the likeliest bracketing.
SMALLEST_SPAN = 1e-4
# Labels of a span that are tried.
_LABELS = 5
# Derivations that are listed for each tree that is wanted.
_DERIVATIONS = 4
# From the starts and ends of spans to log-probabilities of their labels, [n_spans, n_labels]; label 0 is none.
LabelScores = Callable[[Sequence[int], Sequence[int]], NDArray[np.floating]]


class ScoredTree(NamedTuple):
    """A tree and the logarithm of its probability."""

    tree: Constituent
    log_probability: float


def best_constituents(
    scores: Float, label_scores: LabelScores, names: Sequence[str], tags: Sequence[str], count: int
) -> list[ScoredTree]:
    """The likeliest trees of a sentence, the likeliest first; fewer than ``count`` where there are not so many.

    Args:
        scores: float64 [n + 1, n + 1], scores of spans, as `pfsm_kernels.syntax.bracketing` takes them.
        label_scores: Gives the labels of spans.
        names: Names of the labels; the first one means that the span is no constituent.
        tags: Part-of-speech tag of each word.
        count: Number of trees, at least 1.
    """
    from pfsm_kernels.syntax.bracketing_list import best_derivations  # noqa: PLC0415 - brings numba

    n = len(tags)
    log_sum, spans = _likely_spans(scores, n)
    starts, ends = spans.T.tolist()
    labels = np.array(label_scores(starts, ends), dtype=np.float64)
    # The whole sentence is always a constituent.
    root = int(np.flatnonzero((spans[:, 0] == 0) & (spans[:, 1] == n))[0])
    labels[root, 0] = -np.inf
    order = np.argsort(-labels, axis=1, kind="stable")[:, :_LABELS]
    number = np.full((n + 1, n + 1), -1, dtype=np.int32)
    number[starts, ends] = np.arange(len(spans))
    listed = count * _DERIVATIONS
    values = np.full((len(spans), listed), -np.inf)
    back = np.zeros((len(spans), listed, 4), dtype=np.int32)
    sizes = np.zeros(len(spans), dtype=np.int64)
    best_derivations(scores, number, np.take_along_axis(labels, order, axis=1), listed, values, back, sizes)
    sums: dict[tuple[tuple[int, int, str], ...], float] = {}
    for rank in range(int(sizes[root])):
        found = tuple(
            (start, end, names[label])
            for start, end, label in _derivation(spans, number, order, back, root, rank)
            if names[label]
        )
        probability = float(values[root, rank]) - log_sum
        sums[found] = float(np.logaddexp(sums[found], probability)) if found in sums else probability
    trees = sorted(sums, key=lambda found: -sums[found])[:count]
    return [ScoredTree(tree_of_spans(found, tags), min(0.0, sums[found])) for found in trees]


def _likely_spans(scores: Float, n: int) -> tuple[float, NDArray[np.int64]]:
    """The log-sum over bracketings, and all spans that are offered, single words among them: int64 [n_spans, 2]."""
    from pfsm_kernels.syntax.bracketing import best_bracketing, span_marginals  # noqa: PLC0415 - brings numba

    marginals = np.zeros((n + 1, n + 1))
    log_sum = float(span_marginals(scores, marginals))
    best = np.zeros((max(0, n - 1), 2), dtype=np.int32)
    best_bracketing(scores, best)
    offered = marginals >= SMALLEST_SPAN
    offered[best[:, 0], best[:, 1]] = True
    offered[np.arange(n), np.arange(1, n + 1)] = True
    return log_sum, np.argwhere(offered).astype(np.int64)


def _derivation(
    spans: NDArray[np.int64], number: Int32, order: NDArray[np.int64], back: Int32, root: int, rank: int
) -> list[tuple[int, int, int]]:
    """Start, end and label of every span of a derivation, parents first, from left to right."""
    found: list[tuple[int, int, int]] = []
    waiting = [(root, rank)]
    while waiting:
        row, place = waiting.pop()
        start, end = spans[row].tolist()
        cut, one, other, label = back[row, place].tolist()
        found.append((start, end, int(order[row, label])))
        if cut:
            waiting += [(int(number[cut, end]), other), (int(number[start, cut]), one)]
    return found
