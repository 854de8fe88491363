"""Head-word chains and subtrees of dependency trees (Liu and Gildea 2005, sections 2 and 2.1).

    score = 1/D sum_d  sum_t count_clip(t) / sum_t count(t)

over the chains, or subtrees, t of the hypothesis with d words or d levels, D at most; ``count_clip`` is at most the
count in the reference that has t most often.

A chain is a path down the tree: a word, one that hangs on it, one that hangs on that one. A subtree of depth d is a
word with everything down to d - 1 levels below it, where there are as many; words of the same head stand in their
order. A size that neither side has is left out of the mean.

Chains and subtrees are told by keys of 63 bits, so that there is nothing to enumerate.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from pfsm.analysis.sentence import Analysis
from pfsm.metrics.syntax.counted import mean_precision
from pfsm.metrics.syntax.dependency_lines import (
    WORDS,
    Bags,
    Trees,
    as_bags,
    as_trees,
    followed,
    mixed,
    shared_of,
    split,
)

Float = NDArray[np.float64]
UInt64 = NDArray[np.uint64]
Int64 = NDArray[np.int64]
# From trees and the largest size to the fragments of every size.
Fragments = Callable[[Trees, int], list[Bags]]
# Odd, so that its powers keep the places of children apart.
_PLACE = 0xD6E8FEB86659FD93


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
    """Fragments of each size from those of the size before: the node's symbol, and what hangs on it or it hangs on.

    Args:
        trees: The trees.
        largest: Size of the largest fragments.
        reaches: From the nodes that have a fragment of one size to those that have one of the next.
        smaller: From the keys of the fragments of one size, by node, to what goes into those of the next.
    """
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

    @property
    def has_children(self) -> NDArray[np.bool_]:
        """Of every node."""
        return np.diff(self.starts) > 0


def _powers(count: int) -> UInt64:
    return np.array([pow(_PLACE, k, 2**64) for k in range(1, count + 1)], dtype=np.uint64)


def fragment_counts(
    fragments: Fragments,
    hypotheses: Sequence[Analysis],
    references: Sequence[Analysis],
    largest: int = 4,
    kind: str = WORDS,
    *,
    lowercase: bool = True,
) -> Float:
    """Fragments of pairs by size: shared, of the hypothesis, of the reference, float64 [n_pairs, largest, 3].

    Args:
        fragments: `chains` or `subtrees`.
        hypotheses: Trees.
        references: As many.
        largest: Longest chain, or deepest subtree.
        kind: What nodes are told by.
        lowercase: Whether in lower case.

    Raises:
        PfsmError: If a line has no tree, or no tags where they are needed.
    """
    trees = as_trees([*hypotheses, *references], kind, lowercase)
    return shared_of(fragments(trees, largest), len(hypotheses))


def fragment_counts_together(
    fragments: Fragments,
    hypotheses: Sequence[Analysis],
    references: Sequence[Sequence[Analysis]],
    largest: int = 4,
    kind: str = WORDS,
    *,
    lowercase: bool = True,
) -> Float:
    """As `fragment_counts`, clipped over all references of each hypothesis: what they have is `union_of_largest`.

    Raises:
        PfsmError: If a line has no tree, or no tags where they are needed.
    """
    trees, sizes = _with_references(hypotheses, references, kind, lowercase)
    return _shared_together(fragments(trees, largest), sizes)


def _with_references(
    hypotheses: Sequence[Analysis], references: Sequence[Sequence[Analysis]], kind: str, lowercase: bool
) -> tuple[Trees, Int64]:
    """The trees of all lines, hypotheses first, and how many references each hypothesis has."""
    flat = [reference for several in references for reference in several]
    return as_trees([*hypotheses, *flat], kind, lowercase), np.array(
        list(map(len, references)), dtype=np.int64
    )


def _shared_together(kinds: Sequence[Bags], sizes: Int64) -> Float:
    """As `shared_of`, with ``sizes[i]`` references of hypothesis i."""
    from pfsm_kernels.strings.overlap import shared_weights  # noqa: PLC0415 - brings numba

    halves = (split(bags, sizes.size) for bags in kinds)
    rows = [shared_weights(*ours, *union_of_largest(theirs, sizes)) for ours, theirs in halves]
    return np.stack(rows, axis=1)


def union_of_largest(bags: Bags, sizes: Int64) -> Bags:
    """Unions of the bags of consecutive lines, in which a key weighs as much as in the line that has most of it.

    Args:
        bags: Keys, weights and offsets of the lines.
        sizes: int64 [n_groups], how many lines go into each union.
    """
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


def chain_score(
    hypothesis: Analysis,
    references: Sequence[Analysis],
    longest: int = 4,
    kind: str = WORDS,
    *,
    lowercase: bool = True,
) -> float:
    """HWCM of a hypothesis against several references, counts clipped over all of them.

    Liu and Gildea (2005), section 2.1.

    Raises:
        PfsmError: If a line has no tree, or no tags where they are needed.
        ValueError: If there is no reference.
    """
    return _score(chains, hypothesis, references, longest, kind, lowercase)


def subtree_score(
    hypothesis: Analysis,
    references: Sequence[Analysis],
    deepest: int = 4,
    kind: str = WORDS,
    *,
    lowercase: bool = True,
) -> float:
    """DSTM of a hypothesis against several references, counts clipped over all of them; as `chain_score`.

    Raises:
        PfsmError: If a line has no tree, or no tags where they are needed.
        ValueError: If there is no reference.
    """
    return _score(subtrees, hypothesis, references, deepest, kind, lowercase)


def _score(
    fragments: Fragments,
    hypothesis: Analysis,
    references: Sequence[Analysis],
    largest: int,
    kind: str,
    lowercase: bool,
) -> float:
    if not references:
        raise ValueError("a hypothesis needs a reference at least")
    counts = fragment_counts_together(
        fragments, [hypothesis], [references], largest, kind, lowercase=lowercase
    )
    return float(mean_precision(counts)[0])
