"""Subtrees that two lines' constituent trees have in common (Liu and Gildea 2005, section 2).

* STM: the mean over depths d = 1 … D of the fraction of the hypothesis's subtrees of depth d that a reference has,
  counts clipped. A subtree of depth d is a node with everything down to d - 1 steps below it, where the tree is that
  deep; a single node has depth 1, words are no nodes.
* TKM: the cosine of the vectors of counts of all subtrees as Collins and Duffy (2001) have them: nodes with all or none
  of their children, one production at least; the best reference counts. Computed by their recurrence
  (`pfsm_kernels.syntax.tree_fragments`), which weighs a subtree of k productions by ``decay ** k``; 1 is the papers'.

A line of several sentences has several trees, and the subtrees of all of them. The label ``TOP`` is no node.
"""

from collections.abc import Hashable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from pfsm.analysis.constituents import TOP, Constituent
from pfsm.metrics.syntax.layers import CONSTITUENTS, Element, Layer, has_constituents

Float = NDArray[np.float64]
Int64 = NDArray[np.int64]
DEPTH = 4
DEEPEST = 20
_DEPTHS = tuple(str(depth) for depth in range(1, DEEPEST + 1))
Trees = Sequence[Constituent]


def subtree_elements(trees: Trees, depth: int = DEPTH) -> list[Element]:
    """Every subtree of the trees, as (its depth, its brackets without words), up to a depth of at most `DEEPEST`."""
    found: list[Element] = []
    for tree in trees:
        # From below: children come after their parents in `nodes`.
        texts: dict[int, list[str]] = {}
        for node in reversed(list(tree.nodes())):
            if node.label == TOP:
                continue
            below = [texts[id(child)] for child in node.children]
            texts[id(node)] = own = _by_depth(node.label, below, depth) if below else [node.label]
            found.extend(zip(_DEPTHS, own, strict=False))
    return found


def _by_depth(label: str, children: Sequence[list[str]], depth: int) -> list[str]:
    """The subtrees of a node cut at depth 1, 2, …, as far as it reaches."""
    own = [label]
    for k in range(min(depth - 1, max(map(len, children)))):
        # A child that does not reach so deep stands there with all it has.
        inside = " ".join([child[k] if k < len(child) else child[-1] for child in children])
        own.append(f"{label}({inside})")
    return own


def subtree_layer(depth: int) -> Layer:
    """The layer of subtrees, with their depths as types."""
    return Layer(
        lambda analysis: subtree_elements(analysis.constituents, depth), has_constituents, CONSTITUENTS
    )


def tree_cosines(hypotheses: Sequence[Trees], references: Sequence[Trees], decay: float = 1.0) -> Float:
    """Cosines of the vectors of subtree counts of pairs, float64 [n_pairs].

    Args:
        hypotheses: Trees of each line; an object that stands in several pairs is looked at once.
        references: As many.
        decay: What every production in a subtree weighs, above 0 and at most 1.
    """
    from pfsm_kernels.syntax.tree_fragments import log_tree_kernels  # noqa: PLC0415 - brings numba

    places: dict[int, int] = {}
    rows = np.array(
        [places.setdefault(id(one), len(places)) for one in (*hypotheses, *references)], dtype=np.int64
    )
    distinct = list({id(one): one for one in (*hypotheses, *references)}.values())
    forest = _forest(distinct)
    ours, theirs = rows[: len(hypotheses)], rows[len(hypotheses) :]
    every = np.arange(len(distinct), dtype=np.int64)
    own = log_tree_kernels(*forest, every, every, float(np.log(decay)))
    between = log_tree_kernels(*forest, ours, theirs, float(np.log(decay)))
    nothing = np.isneginf(own)
    with np.errstate(invalid="ignore"):
        cosines = np.minimum(np.exp(between - 0.5 * (own[ours] + own[theirs])), 1.0)
    cosines[nothing[ours] | nothing[theirs]] = 0.0
    cosines[nothing[ours] & nothing[theirs]] = 1.0
    return cosines


def _forest(lines: Iterable[Trees]) -> tuple[Int64, Int64, Int64, Int64]:
    """Lines as `pfsm_kernels.syntax.tree_fragments` takes them: nodes with children, from below."""
    ids: dict[Hashable, int] = {}
    productions: list[int] = []
    child_offsets, children, line_offsets = [0], [], [0]
    for trees in lines:
        place: dict[int, int] = {}
        for tree in trees:
            for node in reversed(list(tree.nodes())):
                if node.is_leaf or node.label == TOP:
                    continue
                place[id(node)] = len(productions) - line_offsets[-1]
                key = (node.label, *(child.label for child in node.children))
                productions.append(ids.setdefault(key, len(ids)))
                children += [place.get(id(child), -1) for child in node.children]
                child_offsets.append(len(children))
        line_offsets.append(len(productions))
    return _numbers(productions), _numbers(child_offsets), _numbers(children), _numbers(line_offsets)


def _numbers(values: Sequence[int]) -> Int64:
    return np.array(values, dtype=np.int64)
