"""Trees from scores: the best dependency trees and the probabilities of all arcs; the likeliest constituent trees.

If the words of a cycle prefer each other by a factor of e^40 to every way out, cancellation in double precision
destroys the determinant of the matrix-tree theorem. Such sentences are rare (and mostly garbage), so they are
computed again in decimal digits, whose number is doubled until two results agree; in a sentence too long for that, the
best tree alone counts.

For constituents the parser has a distribution over binary bracketings, and one over the labels of each span; a span
without a label is not a constituent. A tree can come from several bracketings, which differ in how they cut a
constituent of three parts or more: its probability is the sum over those among the derivations that are listed.
"""

import heapq
from collections.abc import Callable, Sequence
from decimal import Decimal, localcontext
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pfsm.arrays import Float, Int32, Int64
from pfsm_linguistics.analysis.constituents import Constituent, tree_of_spans

# Below this value the determinant, at most n! after shifting, has lost too many digits to cancellation: its rounding
# error is about n * 1e-16.
_SAFE_DETERMINANT = 1e-8


def tree_marginals(scores: Float) -> tuple[float, Float]:
    """Log-sum over all single-root trees of a sentence and every arc's probability.

    Args:
        scores: float64 [n, n + 1], finite; score of word m (from 0) under head h, where 0 is the root; [m, m + 1] is
            not read.

    Returns:
        The log-sum and float64 [n, n + 1]; the matrix-tree theorem (Koo et al. 2007, section 3.2), O(n^3).
    """
    from pfsm_linguistics.kernels.syntax.dependency_trees import tree_marginals as kernel  # noqa: PLC0415 - brings numba

    marginals = np.zeros_like(scores)
    log_sum, determinant = kernel(scores, marginals)
    if not determinant > _SAFE_DETERMINANT:
        return _exact_tree_marginals(scores) if len(scores) <= _LONGEST_EXACT else _of_best_tree(scores)
    # Rounding may leave -1e-17.
    return float(log_sum), np.clip(marginals, 0.0, 1.0)


def best_tree(scores: Float) -> tuple[float, Int32]:
    """The single-root tree with the largest sum of scores: that sum, and int32 [n], the head of every word."""
    from pfsm_linguistics.kernels.syntax.dependency_trees import best_tree as kernel  # noqa: PLC0415 - brings numba

    heads = np.zeros(scores.shape[0], dtype=np.int32)
    value = kernel(scores, np.zeros(scores.shape, dtype=np.int8), heads)
    return float(value), heads


def best_trees(scores: Float, count: int) -> list[tuple[float, Int32]]:
    """The ``count`` best single-root trees, the best first; fewer if there are not so many.

    The set of trees is split repeatedly by the first word at which a tree differs from the best one (Lawler 1972). The
    best tree of each part comes from the algorithm of Chu-Liu and Edmonds. O(count n^4) in the worst case.

    Args:
        scores: As in `best_tree`.
        count: Number of trees, at least 1.
    """
    from pfsm_linguistics.kernels.syntax.dependency_trees import best_tree as kernel  # noqa: PLC0415 - brings numba

    n = scores.shape[0]
    value, heads = best_tree(scores)
    # Each part: the trees that agree with the best one of them before a word and use no forbidden arc. The running
    # number breaks ties, so that parts themselves are never compared.
    queue = [(-value, 0, (heads, np.zeros(scores.shape, dtype=np.int8), 0))]
    found: list[tuple[float, Int32]] = []
    made = 1
    while queue and len(found) < count:
        negative, _, (heads, forbidden, place) = heapq.heappop(queue)
        found.append((-negative, heads))
        if len(found) == count:
            break
        forbidden = forbidden.copy()
        for word in range(place, n):
            here = forbidden.copy()
            here[word, heads[word]] = 1
            other = np.zeros(n, dtype=np.int32)
            value = float(kernel(scores, here, other))
            if value > -np.inf:
                heapq.heappush(queue, (-value, made, (other, here, word)))
                made += 1
            # In the following parts this word keeps its head.
            forbidden[word] = 1
            forbidden[word, heads[word]] = 0
    return found


_LONGEST_EXACT = 40
"""Words; the time grows with their cube, and is some tenths of a second here."""
_FIRST_DIGITS = 60
_MOST_DIGITS = 4000
_AGREEMENT = 1e-12


def _exact_tree_marginals(scores: Float) -> tuple[float, Float]:
    """As `tree_marginals`, in decimal digits."""
    digits = _FIRST_DIGITS
    last = _in_digits(scores, digits)
    while digits < _MOST_DIGITS:
        digits *= 2
        here = _in_digits(scores, digits)
        if last is not None and here is not None and np.abs(here[1] - last[1]).max() < _AGREEMENT:
            return here
        last = here
    raise ArithmeticError("scores too far apart for a sum over trees")


def _of_best_tree(scores: Float) -> tuple[float, Float]:
    """As `tree_marginals`, as if there were the best tree alone."""
    value, heads = best_tree(scores)
    marginals = np.zeros_like(scores)
    marginals[np.arange(len(heads)), heads] = 1.0
    return value, marginals


def _in_digits(scores: Float, digits: int) -> tuple[float, Float] | None:
    """The same with so many digits; None if they do not suffice."""
    n = scores.shape[0]
    with localcontext() as context:
        context.prec = digits
        tops = [max(scores[m, h] for h in range(n + 1) if h != m + 1) for m in range(n)]
        weights = [
            [
                Decimal(0) if h == m + 1 else (Decimal(scores[m, h]) - Decimal(tops[m])).exp()
                for h in range(n + 1)
            ]
            for m in range(n)
        ]
        matrix = [[-weights[m][h + 1] for m in range(n)] for h in range(n)]
        for m in range(n):
            matrix[m][m] = sum(weights[m][1:], Decimal(0))
        matrix[0] = [weights[m][0] for m in range(n)]
        inverse, log_determinant = _inverted(matrix)
        if inverse is None:
            return None
        marginals = np.zeros((n, n + 1))
        for m in range(n):
            marginals[m, 0] = float(weights[m][0] * inverse[m][0])
            for h in range(n):
                inner = (inverse[m][m] if m else Decimal(0)) - (inverse[m][h] if h else Decimal(0))
                marginals[m, h + 1] = 0.0 if h == m else float(weights[m][h + 1] * inner)
        return float(log_determinant) + float(sum(tops)), marginals


def _inverted(matrix: list[list[Decimal]]) -> tuple[list[list[Decimal]] | None, Decimal]:
    """The inverse and the logarithm of the determinant by Gauss-Jordan elimination with pivots.

    The inverse is None if the matrix is singular or its determinant is not positive.
    """
    n = len(matrix)
    rows = [[*row, *(Decimal(int(i == k)) for i in range(n))] for k, row in enumerate(matrix)]
    log_determinant, sign = Decimal(0), 1
    for k in range(n):
        pivot = max(range(k, n), key=lambda i: abs(rows[i][k]))
        value = rows[pivot][k]
        if value == 0:
            return None, Decimal(0)
        if pivot != k:
            rows[k], rows[pivot] = rows[pivot], rows[k]
            sign = -sign
        sign = sign if value > 0 else -sign
        log_determinant += abs(value).ln()
        rows[k] = [entry / value for entry in rows[k]]
        for i in range(n):
            factor = rows[i][k]
            if i != k and factor != 0:
                rows[i] = [entry - factor * above for entry, above in zip(rows[i], rows[k], strict=True)]
    return (None if sign < 0 else [row[n:] for row in rows]), log_determinant


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
        scores: float64 [n + 1, n + 1], scores of spans, as `pfsm_linguistics.kernels.syntax.bracketing` takes them.
        label_scores: Gives the labels of spans.
        names: Names of the labels; the first one means that the span is not a constituent.
        tags: Part-of-speech tag of each word.
        count: Number of trees, at least 1.
    """
    from pfsm_linguistics.kernels.syntax.bracketing import best_derivations  # noqa: PLC0415 - brings numba

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


def _likely_spans(scores: Float, n: int) -> tuple[float, Int64]:
    """The log-sum over bracketings, and all spans that are offered, single words among them: int64 [n_spans, 2]."""
    from pfsm_linguistics.kernels.syntax.bracketing import best_bracketing, span_marginals  # noqa: PLC0415 - brings numba

    marginals = np.zeros((n + 1, n + 1))
    log_sum = float(span_marginals(scores, marginals))
    best = np.zeros((max(0, n - 1), 2), dtype=np.int32)
    best_bracketing(scores, best)
    offered = marginals >= SMALLEST_SPAN
    offered[best[:, 0], best[:, 1]] = True
    offered[np.arange(n), np.arange(1, n + 1)] = True
    return log_sum, np.argwhere(offered).astype(np.int64)


def _derivation(
    spans: Int64, number: Int32, order: Int64, back: Int32, root: int, rank: int
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
