"""Chains and subtrees of dependency and constituent trees (Liu and Gildea 2005, sections 2 and 2.1).

    score = 1/D sum_d  sum_t count_clip(t) / sum_t count(t)

over the chains, or subtrees, t of the hypothesis with d words or d levels, D at most; ``count_clip`` is at most the
count in the reference that has t most often.

A chain is a path down the tree: a word, one that hangs on it, one that hangs on that one. A subtree of depth d is a
word, or a node of a constituent tree, with everything down to d - 1 levels below it, where there are as many; what
hangs on the same node stands in its order. A size that neither side has is left out of the mean.

Chains and subtrees are told by keys of 63 bits, so that there is nothing to enumerate.

Tree kernels: the cosine of two trees as bags of all their subtrees (Liu and Gildea 2005, section 2).

    score = H(h) . H(r) / (|H(h)| |H(r)|)

``H(x)`` counts every subtree of x; the products are those of Collins and Duffy (2001;
``pfsm_kernels.syntax.tree_fragments``). With several references the largest cosine counts. A subtree has, of each of
its nodes, all the nodes that hang on it, in their order, or none. Single words count as subtrees of dependency trees
unless it is said that they do not: without them short lines have no subtree at all. Single nodes of constituent trees
do not count. The cosine is 1 where neither line has a subtree, 0 where one of them alone has.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from pfsm.arrays import Float, Int64
from pfsm.metrics.syntax.trees import Trees

UInt64 = NDArray[np.uint64]
Line = TypeVar("Line")
# From lines, such as analyses, to their trees.
Read = Callable[[Sequence[Line]], Trees]
# Keys, weights and offsets of lines.
Bags = tuple[Int64, Float, Int64]
# From trees and the largest size to the fragments of every size.
Fragments = Callable[[Trees, int], list[Bags]]
# Odd, so that its powers keep the places of children apart.
_PLACE = 0xD6E8FEB86659FD93
# Multipliers of a 64-bit mixer (Stafford's variant 13 of MurmurHash3's finaliser), and a large odd number.
_MIX = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
_ODD = np.uint64(0x9E3779B97F4A7C15)


def mixed(values: UInt64) -> UInt64:
    """A key of 64 bits for every value: equal for equal ones, spread evenly."""
    values = values + _ODD
    values = (values ^ (values >> np.uint64(30))) * _MIX[0]
    values = (values ^ (values >> np.uint64(27))) * _MIX[1]
    return values ^ (values >> np.uint64(31))


def followed(keys: UInt64, symbols: UInt64) -> UInt64:
    """Keys of sequences, one symbol longer than those whose keys these are."""
    return mixed(keys * _ODD + mixed(symbols))


def as_keys(values: UInt64) -> Int64:
    """Keys from 0 on, as the kernels want them: one bit less."""
    return (values >> np.uint64(1)).astype(np.int64)


def chosen(keep: NDArray[np.bool_], offsets: Int64) -> Int64:
    """Where lines begin among the nodes that are kept, int64 [n_lines + 1]."""
    return np.concatenate([[0], np.cumsum(keep)]).astype(np.int64)[offsets]


def as_bags(keys: UInt64, keep: NDArray[np.bool_], offsets: Int64) -> Bags:
    """Those of the nodes' keys that are kept: keys, weights of 1, and where each line begins."""
    kept = as_keys(keys[keep])
    return kept, np.ones(kept.size), chosen(keep, offsets)


def split(bags: Bags, n_first: int) -> tuple[Bags, Bags]:
    """The bags of the first lines and of the others."""
    keys, weights, offsets = bags
    cut = int(offsets[n_first])
    return (
        (keys[:cut], weights[:cut], offsets[: n_first + 1]),
        (keys[cut:], weights[cut:], offsets[n_first:] - cut),
    )


def chains(trees: Trees, longest: int) -> list[Bags]:
    """Head-word chains of 1 to ``longest`` words: for each length keys, weights and offsets of all lines."""
    # A chain ends at a word if one that is shorter ends at its head.
    return _grown(
        trees, longest, lambda there: (trees.heads >= 0) & there[trees.heads], lambda keys: keys[trees.heads]
    )


def subtrees(trees: Trees, deepest: int) -> list[Bags]:
    """Subtrees of 1 to ``deepest`` levels: for each depth keys, weights and offsets of all lines."""
    groups = Groups(trees)
    return _grown(trees, deepest, groups.any_child, groups.children)


def _grown(
    trees: Trees,
    largest: int,
    reaches: Callable[[NDArray[np.bool_]], NDArray[np.bool_]],
    smaller: Callable[[UInt64], UInt64],
) -> list[Bags]:
    """Fragments of each size from those of the size before: the node's symbol, and what hangs on it or it hangs on."""
    symbols = trees.symbols.astype(np.uint64)
    keys, there = mixed(symbols), np.ones(symbols.size, dtype=np.bool_)
    found = [as_bags(keys, there, trees.offsets)]
    for _ in range(1, largest):
        there = reaches(there)
        keys = followed(smaller(keys), symbols)
        found.append(as_bags(keys, there, trees.offsets))
    return found


class Groups:
    """Which nodes hang on which, in order."""

    def __init__(self, trees: Trees) -> None:
        n = trees.heads.size
        hanging = np.flatnonzero(trees.heads >= 0)
        self.members: Int64 = hanging[np.argsort(trees.heads[hanging], kind="stable")]
        sizes = np.bincount(trees.heads[hanging], minlength=n)
        self.starts: Int64 = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        self._parents = np.flatnonzero(sizes)
        self._firsts = self.starts[self._parents]
        rank = np.arange(self.members.size) - np.repeat(self.starts[:-1], sizes)
        self._powers = _powers(int(rank.max()) + 1 if rank.size else 0)[rank]
        self._heads = trees.heads[self.members]

    def children(self, keys: UInt64) -> UInt64:
        """One number for the keys of each node's children in their order; 0 where it has none."""
        numbers = np.zeros(keys.size, dtype=np.uint64)
        if self.members.size:
            numbers[self._parents] = np.add.reduceat(keys[self.members] * self._powers, self._firsts)
        return numbers

    def any_child(self, holds: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Whether it holds of a child of each node."""
        found = np.zeros(holds.size, dtype=np.bool_)
        found[self._heads[holds[self.members]]] = True
        return found


def _powers(count: int) -> UInt64:
    return np.array([pow(_PLACE, k, 2**64) for k in range(1, count + 1)], dtype=np.uint64)


def fragment_counts(
    fragments: Fragments,
    read: Read[Line],
    hypotheses: Sequence[Line],
    references: Sequence[Sequence[Line]],
    largest: int = 4,
) -> Float:
    """Fragments by size: shared, of the hypothesis, of its references, float64 [n_hypotheses, largest, 3].

    Counts are clipped over all references of a hypothesis: of each fragment the most that one of them has.

    Args:
        fragments: `chains` or `subtrees`.
        read: Takes lines for trees; raises `PfsmError` where one has none.
        hypotheses: Lines.
        references: For each of them its references, one at least.
        largest: Longest chain, or deepest subtree.
    """
    flat = [reference for several in references for reference in several]
    sizes = np.array(list(map(len, references)), dtype=np.int64)
    return shared_of(fragments(read([*hypotheses, *flat]), largest), sizes)


def shared_of(kinds: Sequence[Bags], sizes: Int64) -> Float:
    """Counts of lines whose hypotheses are the first lines, their references the others.

    Args:
        kinds: The bags of all lines, of each kind of pieces.
        sizes: int64 [n_hypotheses], how many references each has.

    Returns:
        float64 [n_hypotheses, n_kinds, 3]: shared, of the hypothesis, of the references.
    """
    from pfsm_kernels.strings.overlap import shared_weights  # noqa: PLC0415 - brings numba

    several = bool((sizes > 1).any())
    rows = []
    for bags in kinds:
        ours, theirs = split(bags, sizes.size)
        rows.append(shared_weights(*ours, *(_unions(theirs, sizes) if several else theirs)))
    return np.stack(rows, axis=1)


def _unions(bags: Bags, sizes: Int64) -> Bags:
    """Unions of so many consecutive lines each, in which a key weighs as much as in the line that has most of it."""
    keys, weights, offsets = bags
    line = np.repeat(np.arange(offsets.size - 1), np.diff(offsets))
    keys, line, weights = _reduced(keys, line, weights, np.add)
    group = np.repeat(np.arange(sizes.size), sizes)[line]
    keys, group, weights = _reduced(keys, group, weights, np.maximum)
    return keys, weights, np.searchsorted(group, np.arange(sizes.size + 1)).astype(np.int64)


def _reduced(keys: Int64, owners: Int64, weights: Float, reduce: np.ufunc) -> tuple[Int64, Int64, Float]:
    """Each key of an owner once, in the order of owners and keys, with its weights reduced to one."""
    if not keys.size:
        return keys, owners, weights
    order = np.lexsort((keys, owners))
    keys, owners = keys[order], owners[order]
    first = np.flatnonzero(
        np.diff(keys, prepend=keys[0] - 1).astype(np.bool_) | (np.diff(owners, prepend=-1) > 0)
    )
    return keys[first], owners[first], np.asarray(reduce.reduceat(weights[order], first))


def _nodes(trees: Trees, single: bool) -> tuple[Int64, Int64, Int64, Int64]:
    """Nodes that have others hanging on them, children first, and if asked for all nodes once more by themselves."""
    groups = Groups(trees)
    symbols = trees.symbols.astype(np.uint64)
    keys = mixed(symbols)
    line = np.repeat(np.arange(trees.offsets.size - 1), np.diff(trees.offsets))
    inner = np.flatnonzero(np.diff(groups.starts))
    inner = inner[np.lexsort((-_depths(trees)[inner], line[inner]))]
    productions = as_keys(followed(groups.children(keys), symbols))[inner]
    sizes = np.diff(groups.starts)[inner]
    first = np.concatenate([[0], np.cumsum(np.bincount(line[inner], minlength=trees.offsets.size - 1))])
    # Inside its line, as the kernel counts; nodes with nothing below them are leaves.
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
    """How many nodes stand above each, int64 [n_nodes]."""
    depth = np.zeros(trees.heads.size, dtype=np.int64)
    above = trees.heads
    while (above >= 0).any():
        depth += above >= 0
        above = np.where(above >= 0, trees.heads[above], -1)
    return depth


def kernel_scores(
    read: Read[Line],
    hypotheses: Sequence[Line],
    references: Sequence[Line],
    *,
    decay: float = 1.0,
    single: bool = True,
) -> Float:
    """Cosines of pairs, float64 [n_pairs], from 0 to 1.

    Args:
        read: As of `fragment_counts`.
        hypotheses: Lines.
        references: As many.
        decay: What a subtree weighs for each of its nodes that has others hanging on it, above 0, at most 1; a single
            node weighs as much as one of these.
        single: Whether single nodes are subtrees.
    """
    from pfsm_kernels.syntax.tree_fragments import log_tree_kernels  # noqa: PLC0415 - brings numba

    n = len(hypotheses)
    nodes = _nodes(read([*hypotheses, *references]), single)
    ours, theirs = np.arange(n), np.arange(n, 2 * n)
    left, right = np.concatenate([ours, ours, theirs]), np.concatenate([theirs, ours, theirs])
    both, one, other = log_tree_kernels(*nodes, left, right, float(np.log(decay))).reshape(3, n)
    has_one, has_other = one > -np.inf, other > -np.inf
    known = has_one & has_other
    lengths = np.where(known, one, 0.0) / 2.0 + np.where(known, other, 0.0) / 2.0
    cosines = np.where(known, np.exp(np.minimum(both - lengths, 0.0)), 0.0)
    return np.where(has_one | has_other, cosines, 1.0)
