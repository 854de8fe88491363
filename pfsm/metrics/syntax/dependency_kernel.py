"""DTKM: the cosine of two dependency trees as bags of all their subtrees (Liu and Gildea 2005, section 2).

    score = H(h) . H(r) / (|H(h)| |H(r)|)

``H(x)`` counts every subtree of x; the products are those of Collins and Duffy (2001;
``pfsm_kernels.syntax.tree_fragments``). With several references the largest cosine counts. A subtree has, of each of
its words, all the words that hang on it, in their order, or none; single words count as subtrees unless it is said that
they do not: without them short lines have no subtree at all. The cosine is 1 where neither line has a
subtree, 0 where one of them alone has.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pfsm.analysis.sentence import Analysis
from pfsm.metrics.syntax.dependency_fragments import Groups
from pfsm.metrics.syntax.dependency_lines import WORDS, Trees, as_keys, as_trees, followed, mixed

Float = NDArray[np.float64]
Int64 = NDArray[np.int64]


def log_kernels(trees: Trees, left: Int64, right: Int64, *, decay: float = 1.0, single: bool = True) -> Float:
    """Logarithm of the product of the bags of subtrees of pairs of lines, float64 [n_pairs].

    Args:
        trees: The lines.
        left: int64 [n_pairs], which lines.
        right: Likewise.
        decay: What a subtree weighs for each of its words that has others hanging on it, above 0, at most 1; a single
            word weighs as much as one of these.
        single: Whether single words are subtrees.
    """
    from pfsm_kernels.syntax.tree_fragments import log_tree_kernels  # noqa: PLC0415 - brings numba

    return log_tree_kernels(*_nodes(trees, single), left, right, float(np.log(decay)))


def _nodes(trees: Trees, single: bool) -> tuple[Int64, Int64, Int64, Int64]:
    """Words that have others hanging on them, children first, and if asked for all words once more by themselves.

    Returns:
        What the kernel takes: productions, where the children of each node begin, the children, where each line begins.
    """
    groups = Groups(trees)
    symbols = trees.symbols.astype(np.uint64)
    keys = mixed(symbols)
    line = np.repeat(np.arange(trees.offsets.size - 1), np.diff(trees.offsets))
    inner = np.flatnonzero(groups.has_children)
    inner = inner[np.lexsort((-_depths(trees)[inner], line[inner]))]
    productions = as_keys(followed(groups.children(keys), symbols))[inner]
    sizes = np.diff(groups.starts)[inner]
    first = np.concatenate([[0], np.cumsum(np.bincount(line[inner], minlength=trees.offsets.size - 1))])
    # Inside its line, as the kernel counts; words with nothing below them are leaves.
    place = np.full(symbols.size, -1, dtype=np.int64)
    place[inner] = np.arange(inner.size) - first[line[inner]]
    within = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    children = place[groups.members[np.repeat(groups.starts[inner], sizes) + within]]
    if single:
        order = np.argsort(np.concatenate([line[inner], line]), kind="stable")
        productions = np.concatenate([productions, as_keys(keys)])[order]
        sizes = np.concatenate([sizes, np.zeros(symbols.size, dtype=np.int64)])[order]
        first = first + trees.offsets
    starts = np.concatenate([[0], np.cumsum(sizes)])
    return productions, starts.astype(np.int64), children, first.astype(np.int64)


def _depths(trees: Trees) -> Int64:
    """How many words stand above each, int64 [n_nodes]."""
    depth = np.zeros(trees.heads.size, dtype=np.int64)
    above = trees.heads
    while (above >= 0).any():
        depth += above >= 0
        above = np.where(above >= 0, trees.heads[above], -1)
    return depth


def kernel_scores(
    hypotheses: Sequence[Analysis],
    references: Sequence[Analysis],
    kind: str = WORDS,
    *,
    decay: float = 1.0,
    single: bool = True,
    lowercase: bool = True,
) -> Float:
    """Cosines of pairs, float64 [n_pairs, 1], from 0 to 1.

    Args:
        hypotheses: Their analyses.
        references: As many.
        kind: What stands at the nodes: words, categories or relations.
        decay: As of `log_kernels`.
        single: Likewise.
        lowercase: Whether words count in lower case.

    Raises:
        PfsmError: If a line has no tree, or no tags where they are needed.
    """
    n = len(hypotheses)
    trees = as_trees([*hypotheses, *references], kind, lowercase)
    ours, theirs = np.arange(n), np.arange(n, 2 * n)
    left, right = np.concatenate([ours, ours, theirs]), np.concatenate([theirs, ours, theirs])
    both, one, other = log_kernels(trees, left, right, decay=decay, single=single).reshape(3, n)
    has_one, has_other = one > -np.inf, other > -np.inf
    known = has_one & has_other
    lengths = np.where(known, one, 0.0) / 2.0 + np.where(known, other, 0.0) / 2.0
    cosines = np.where(known, np.exp(np.minimum(both - lengths, 0.0)), 0.0)
    return np.asarray(np.where(has_one | has_other, cosines, 1.0))[:, np.newaxis]


def kernel_score(
    hypothesis: Analysis,
    references: Sequence[Analysis],
    kind: str = WORDS,
    *,
    decay: float = 1.0,
    single: bool = True,
    lowercase: bool = True,
) -> float:
    """DTKM of a hypothesis against several references: the largest cosine; arguments as of `kernel_scores`.

    Raises:
        PfsmError: If a line has no tree, or no tags where they are needed.
        ValueError: If there is no reference.
    """
    if not references:
        raise ValueError("a hypothesis needs a reference at least")
    cosines = kernel_scores(
        [hypothesis] * len(references), references, kind, decay=decay, single=single, lowercase=lowercase
    )
    return float(cosines.max())
