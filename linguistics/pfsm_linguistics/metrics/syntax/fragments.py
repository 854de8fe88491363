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
``pfsm_linguistics.kernels.syntax.tree_fragments``). With several references the largest cosine counts. A subtree has,
of each of its nodes, all the nodes that hang on it, in their order, or none. Single words count as subtrees of
dependency trees unless it is said that they do not: without them short lines have no subtree at all. Single nodes of
constituent trees do not count. The cosine is 1 where neither line has a subtree, 0 where one of them alone has.

The metrics: HWCM, DSTM and DTKM over dependencies, STM and TKM over constituents, DP-HWC. HWCM and DSTM pool their
counts in corpora, and have parts, which are sentence-level features.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from pfsm.arrays import Float, Int64
from pfsm.metrics.metric_group import MetricGroup, group_with_parts
from pfsm.metrics.names import read_options
from pfsm.runtime.typed import Option, Options, flag, number, one_of, whole, with_defaults
from pfsm_linguistics.analysis.sentence import Analysis
from pfsm_linguistics.analysis.wanted import Wanted
from pfsm_linguistics.metrics.analysed import (
    AnalysedMetric,
    ComputeTogether,
    PrecisionRecallMetric,
    mean_precision,
    precision_recall,
)
from pfsm_linguistics.metrics.syntax.trees import (
    AS_PARSED,
    CATEGORIES,
    COLLINS,
    CONSTITUENTS,
    PARSER,
    RELATIONS,
    UNIVERSAL,
    WORDS,
    Trees,
    as_trees,
    constituent_trees,
    has_constituents,
    has_dependencies,
    has_heads,
    has_tags,
    wanted_for,
)

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
    from pfsm_linguistics.kernels.syntax.tree_fragments import log_tree_kernels  # noqa: PLC0415 - brings numba

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


MOST_LEVELS = 20
DEPTH = 4
OF = one_of(WORDS, CATEGORIES, RELATIONS)
HEADS = one_of(AS_PARSED, COLLINS)
_SHARED: Mapping[str, Option] = {"of": OF, "lowercase": flag(True), **PARSER, "heads": HEADS}

_CHAINS: Mapping[str, Option] = {"length": whole(4, MOST_LEVELS), **_SHARED}
KERNEL: Mapping[str, Option] = {
    "of": OF,
    "decay": number(1.0, 1e-9, 1.0, "a number above 0, at most 1"),
    "single": flag(True),
    "lowercase": flag(True),
    **PARSER,
    "heads": HEADS,
}


DECAY = {"decay": number(1.0, math.ulp(0.0), 1.0, "above 0 and at most 1")}


def case_entry(lowercase: bool) -> dict[str, str]:
    """What a signature says of upper and lower case."""
    return {"case": "lc" if lowercase else "mixed"}


# Of each metric over fragments what they are, the option for the largest, and all options.
FRAGMENTS: Mapping[str, tuple[Fragments, str, Mapping[str, Option]]] = {
    "hwcm": (chains, "length", _CHAINS),
    "hwcm-c": (chains, "length", with_defaults(_CHAINS, of="categories")),
    "hwcm-r": (chains, "length", with_defaults(_CHAINS, of="relations")),
    "dstm": (subtrees, "depth", {"depth": whole(4, MOST_LEVELS), **_SHARED}),
}


def _fragment_metric(name: str, options: Options) -> PrecisionRecallMetric:
    """HWCM or DSTM, clipped over all references together; its parts are the precisions of each length or depth."""
    fragments, size, rules = FRAGMENTS[name]
    chosen = read_options(name, options, rules)
    most, kind, lowercase, heads = chosen[size], chosen["of"], chosen["lowercase"], chosen["heads"]
    read = partial(as_trees, kind=kind, lowercase=lowercase, heads=heads)

    def together(ours: Sequence[Analysis], theirs: Sequence[Sequence[Analysis]]) -> Float:
        return fragment_counts(fragments, read, ours, theirs, most)

    return PrecisionRecallMetric(
        name,
        {"of": kind, "heads": heads, size: str(most), **case_entry(lowercase)},
        chosen["parser"],
        wanted_for(heads),
        lambda ours, theirs: together(ours, [(one,) for one in theirs]),
        lambda counts: np.column_stack([mean_precision(counts), precision_recall(counts)[0]]),
        lambda analysis: has_heads(analysis, kind, heads),
        together,
    )


def _clipped(
    name: str,
    entries: Mapping[str, str],
    parser: str,
    wanted: Wanted,
    count: ComputeTogether,
    understood: Callable[[Analysis], bool],
) -> AnalysedMetric:
    """A mean clipped fraction without parts, clipped over all references together (Liu and Gildea 2005, section 2)."""

    def together(ours: Sequence[Analysis], theirs: Sequence[Sequence[Analysis]]) -> Float:
        return mean_precision(count(ours, theirs))[:, np.newaxis]

    def compute(ours: Sequence[Analysis], theirs: Sequence[Analysis]) -> Float:
        return together(ours, [(one,) for one in theirs])

    return AnalysedMetric(name, entries, parser, wanted, compute, understood, together=together)


def _plain_chains(name: str, options: Options) -> AnalysedMetric:
    """DP-HWC: the mean clipped fraction of head-word chains of one to four words, categories or relations."""
    chosen = read_options(name, options, PARSER)
    layer, kind = _PLAIN_CHAINS[name.rpartition("-")[2]]

    def understood(analysis: Analysis) -> bool:
        return has_dependencies(analysis) and (kind != UNIVERSAL or has_tags(analysis))

    return _clipped(
        name,
        {"layer": f"chain-{layer}", "length": "4", "case": "lc"},
        chosen["parser"],
        wanted_for(AS_PARSED),
        partial(fragment_counts, chains, partial(as_trees, kind=kind)),
        understood,
    )


def _constituents(analyses: Sequence[Analysis]) -> Trees:
    return constituent_trees([one.constituents if has_constituents(one) else () for one in analyses])


def _subtree_match(name: str, options: Options) -> AnalysedMetric:
    """STM, up to the ``depth`` that is asked for."""
    chosen = read_options(name, options, PARSER | {"depth": whole(DEPTH, MOST_LEVELS)})
    depth = chosen["depth"]

    def count(ours: Sequence[Analysis], theirs: Sequence[Sequence[Analysis]]) -> Float:
        return fragment_counts(subtrees, _constituents, ours, theirs, depth)

    entries = {"depth": str(depth)}
    return _clipped(name, entries, chosen["parser"], CONSTITUENTS, count, has_constituents)


def _tree_kernel(name: str, options: Options) -> AnalysedMetric:
    """TKM, with a weight of ``decay`` for each production. Several references: the best one counts."""
    chosen = read_options(name, options, PARSER | DECAY)
    decay = float(chosen["decay"])

    def compute(ours: Sequence[Analysis], theirs: Sequence[Analysis]) -> Float:
        scores = kernel_scores(_constituents, ours, theirs, decay=decay, single=False)
        one_empty = [bool(h.tokens) != bool(r.tokens) for h, r in zip(ours, theirs, strict=True)]
        return np.where(np.array(one_empty, dtype=np.bool_), 0.0, scores)[:, np.newaxis]

    entries = {"decay": f"{decay:g}"}
    return AnalysedMetric(name, entries, chosen["parser"], CONSTITUENTS, compute, has_constituents)


def _kernel_metric(name: str, options: Options) -> AnalysedMetric:
    """DTKM. Several references: the best one counts."""
    chosen = read_options(name, options, KERNEL)
    kind, lowercase, single = chosen["of"], chosen["lowercase"], chosen["single"]
    decay, heads = float(chosen["decay"]), chosen["heads"]

    def compute(ours: Sequence[Analysis], theirs: Sequence[Analysis]) -> Float:
        read = partial(as_trees, kind=kind, lowercase=lowercase, heads=heads)
        return kernel_scores(read, ours, theirs, decay=decay, single=single)[:, np.newaxis]

    return AnalysedMetric(
        name,
        {
            "of": kind,
            "heads": heads,
            "decay": repr(decay),
            "single": str(single).lower(),
            **case_entry(lowercase),
        },
        chosen["parser"],
        wanted_for(heads),
        compute,
        lambda analysis: has_heads(analysis, kind, heads),
    )


# Lengths of chains and depths of subtrees: those of the metrics as they are by default.
SIZE_PARTS = tuple(str(size) for size in range(1, 5))


_FRAGMENTS = {
    "hwcm": "HWCM: head-word chains up to four words in common, mean precision",
    "hwcm-c": "HWCM over part-of-speech tags",
    "hwcm-r": "HWCM over grammatical relations",
    "dstm": "DSTM: dependency subtrees in common, mean precision over depths",
}
# By the last letter of a name: the chains in a signature, and what they are of.
_PLAIN_CHAINS = {
    "w": ("words", WORDS),
    "c": ("categories", UNIVERSAL),
    "r": ("relations", RELATIONS),
}

GROUPS = (
    *(group_with_parts(name, about, _fragment_metric, SIZE_PARTS) for name, about in _FRAGMENTS.items()),
    MetricGroup({"dtkm": "DTKM: tree kernel of the two dependency trees, cosine"}, _kernel_metric),
    MetricGroup(
        {
            f"dp-hwc-{kind}": f"head-word chains of {what} up to length 4"
            for kind, (what, _) in _PLAIN_CHAINS.items()
        },
        _plain_chains,
    ),
    MetricGroup(
        {
            "stm": "subtrees of constituent trees in common, up to a depth (Liu and Gildea 2005)",
            "cp-stm": "the same, up to depth 4 (Giménez and Màrquez 2009)",
        },
        _subtree_match,
    ),
    MetricGroup(
        {"tkm": "cosine of all subtrees of constituent trees (Liu and Gildea 2005)"},
        _tree_kernel,
    ),
)
