"""Head-word chains and subtrees of dependency trees (Liu and Gildea 2005, sections 2 and 2.1).

    score = 1/D sum_d  sum_t count_clip(t) / sum_t count(t)

over the chains, or subtrees, t of the hypothesis with d words or d levels, D at most; ``count_clip`` is at most the
count in the reference that has t most often.

A chain is a path down the tree: a word, one that hangs on it, one that hangs on that one. A subtree of depth d is a
word with everything down to d - 1 levels below it, where there are as many; words of the same head stand in their
order. A size that neither side has is left out of the mean.

Chains and subtrees are told by keys of 63 bits, so that there is nothing to enumerate.
"""

from collections.abc import Sequence

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
)

Float = NDArray[np.float64]
UInt64 = NDArray[np.uint64]
Int64 = NDArray[np.int64]
# Odd, so that its powers keep the places of children apart.
_PLACE = 0xD6E8FEB86659FD93


def chains(trees: Trees, longest: int) -> list[Bags]:
    """Head-word chains of 1 to ``longest`` words: for each length keys, weights and offsets of all lines."""
    symbols = trees.symbols.astype(np.uint64)
    keys, there = mixed(symbols), np.ones(symbols.size, dtype=np.bool_)
    found = [as_bags(keys, there, trees.offsets)]
    for _ in range(1, longest):
        # A chain ends at a word if one that is shorter ends at its head.
        there = (trees.heads >= 0) & there[trees.heads]
        keys = followed(keys[trees.heads], symbols)
        found.append(as_bags(keys, there, trees.offsets))
    return found


def subtrees(trees: Trees, deepest: int) -> list[Bags]:
    """Subtrees of 1 to ``deepest`` levels: for each depth keys, weights and offsets of all lines."""
    symbols = trees.symbols.astype(np.uint64)
    keys, there = mixed(symbols), np.ones(symbols.size, dtype=np.bool_)
    groups = Groups(trees)
    found = [as_bags(keys, there, trees.offsets)]
    for _ in range(1, deepest):
        there = groups.any_child(there)
        keys = followed(groups.children(keys), symbols)
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


def chain_counts(
    hypotheses: Sequence[Analysis],
    references: Sequence[Analysis],
    longest: int = 4,
    kind: str = WORDS,
    *,
    lowercase: bool = True,
) -> Float:
    """Chains of pairs by length: shared, of the hypothesis, of the reference, float64 [n_pairs, longest, 3].

    Raises:
        PfsmError: If a line has no tree, or no tags where they are needed.
    """
    trees = as_trees([*hypotheses, *references], kind, lowercase)
    return shared_of(chains(trees, longest), len(hypotheses))


def subtree_counts(
    hypotheses: Sequence[Analysis],
    references: Sequence[Analysis],
    deepest: int = 4,
    kind: str = WORDS,
    *,
    lowercase: bool = True,
) -> Float:
    """Subtrees of pairs by depth, float64 [n_pairs, deepest, 3]; as `chain_counts`.

    Raises:
        PfsmError: If a line has no tree, or no tags where they are needed.
    """
    trees = as_trees([*hypotheses, *references], kind, lowercase)
    return shared_of(subtrees(trees, deepest), len(hypotheses))


def clipped_counts(fragments: Sequence[Bags]) -> Float:
    """Counts of a hypothesis, the first line, clipped over all its references, the others: float64 [1, n_kinds, 3].

    What is in several references counts as often as in the one that has it most often; the last column is the size of
    that bag.
    """
    from pfsm_kernels.strings.bags import shared_weights  # noqa: PLC0415 - brings numba

    rows = []
    for keys, weights, offsets in fragments:
        best = largest_counts(keys[offsets[1] :], np.diff(offsets[1:]))
        ends = (np.array([0, offsets[1]]), np.array([0, best[0].size]))
        rows.append(shared_weights(keys[: offsets[1]], weights[: offsets[1]], ends[0], *best, ends[1]))
    return np.stack(rows, axis=1)


def largest_counts(keys: Int64, sizes: Int64) -> tuple[Int64, Float]:
    """The union of bags with the largest count of every key.

    Args:
        keys: int64, the bags one after the other.
        sizes: int64 [n_bags].

    Returns:
        Distinct keys, and float64 their counts.
    """
    bag = np.repeat(np.arange(sizes.size), sizes)
    pairs, counts = np.unique(np.stack([keys, bag]), axis=1, return_counts=True)
    distinct, place = np.unique(pairs[0], return_inverse=True)
    most = np.zeros(distinct.size)
    np.maximum.at(most, place, counts.astype(np.float64))
    return distinct, most


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
    trees = _with_references(hypothesis, references, kind, lowercase)
    return float(mean_precision(clipped_counts(chains(trees, longest)))[0])


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
    trees = _with_references(hypothesis, references, kind, lowercase)
    return float(mean_precision(clipped_counts(subtrees(trees, deepest)))[0])


def _with_references(
    hypothesis: Analysis, references: Sequence[Analysis], kind: str, lowercase: bool
) -> Trees:
    if not references:
        raise ValueError("a hypothesis needs a reference at least")
    return as_trees([hypothesis, *references], kind, lowercase)
