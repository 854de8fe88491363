"""Dependency trees from arc scores: the best, the k best, and the probabilities of all arcs."""

import heapq
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pfsm.analysis.parser.exact import exact_tree_marginals

Float = NDArray[np.float64]
Int32 = NDArray[np.int32]
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
    from pfsm_kernels.syntax.arborescence import tree_marginals as kernel  # noqa: PLC0415 - brings numba

    marginals = np.zeros_like(scores)
    log_sum, determinant = kernel(scores, marginals)
    if not determinant > _SAFE_DETERMINANT:
        return exact_tree_marginals(scores)
    # Rounding may leave -1e-17.
    return float(log_sum), np.clip(marginals, 0.0, 1.0)


def best_tree(scores: Float) -> tuple[float, Int32]:
    """The single-root tree with the largest sum of scores: that sum, and int32 [n], the head of every word."""
    from pfsm_kernels.syntax.spanning import best_tree as kernel  # noqa: PLC0415 - brings numba

    heads = np.zeros(scores.shape[0], dtype=np.int32)
    value = kernel(scores, np.zeros(scores.shape, dtype=np.int8), heads)
    return float(value), heads


@dataclass(frozen=True, eq=False, order=False)
class _Part:
    """The trees that agree with ``heads`` before word ``place`` and use no forbidden arc; ``heads`` is the best."""

    heads: Int32
    forbidden: NDArray[np.int8]
    place: int


def best_trees(scores: Float, count: int) -> list[tuple[float, Int32]]:
    """The ``count`` best single-root trees, the best first; fewer if there are not so many.

    The set of trees is split repeatedly by the first word at which a tree differs from the best one (Lawler 1972). The
    best tree of each part comes from the algorithm of Chu-Liu and Edmonds. O(count n^4) in the worst case.

    Args:
        scores: As in `best_tree`.
        count: Number of trees, at least 1.
    """
    from pfsm_kernels.syntax.spanning import best_tree as kernel  # noqa: PLC0415 - brings numba

    n = scores.shape[0]
    value, heads = best_tree(scores)
    # The running number breaks ties, so that parts themselves are never compared.
    queue = [(-value, 0, _Part(heads, np.zeros(scores.shape, dtype=np.int8), 0))]
    found: list[tuple[float, Int32]] = []
    made = 1
    while queue and len(found) < count:
        negative, _, part = heapq.heappop(queue)
        found.append((-negative, part.heads))
        if len(found) == count:
            break
        forbidden = part.forbidden.copy()
        for word in range(part.place, n):
            here = forbidden.copy()
            here[word, part.heads[word]] = 1
            other = np.zeros(n, dtype=np.int32)
            value = float(kernel(scores, here, other))
            if value > -np.inf:
                heapq.heappush(queue, (-value, made, _Part(other, here, word)))
                made += 1
            # In the following parts this word keeps its head.
            forbidden[word] = 1
            forbidden[word, part.heads[word]] = 0
    return found
