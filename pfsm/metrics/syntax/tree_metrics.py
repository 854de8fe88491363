"""Metrics over trees: EDPM and its group, HWCM, DSTM and DTKM over dependencies, STM and TKM over constituents, DP-HWC.

EDPM's group, HWCM and DSTM pool their counts in corpora, and have parts, which are sentence-level features.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np

from pfsm.analysis.sentence import Analysis
from pfsm.analysis.wanted import MOST_TREES, SHORTEST_LIST, Wanted
from pfsm.arrays import Float
from pfsm.errors import PfsmError
from pfsm.metrics.analysed import (
    AnalysedMetric,
    ComputeTogether,
    PrecisionRecallMetric,
    f_of_sums,
    harmonic_mean,
    mean_precision,
    precision_recall,
)
from pfsm.metrics.metric_group import MetricGroup, group_with_parts
from pfsm.metrics.names import read_options
from pfsm.metrics.syntax.dependency_pairs import (
    DECOMPOSITIONS,
    FROM_CONSTITUENTS,
    PROJECTED,
    UNIVERSAL,
    Expectation,
    pair_counts,
)
from pfsm.metrics.syntax.fragments import Fragments, chains, fragment_counts, kernel_scores, subtrees
from pfsm.metrics.syntax.trees import (
    AS_PARSED,
    CATEGORIES,
    COLLINS,
    CONSTITUENTS,
    PARSER,
    RELATIONS,
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
from pfsm.metrics.syntax.trees import UNIVERSAL as UNIVERSAL_CATEGORIES
from pfsm.runtime.options import Option, Options, flag, number, one_of, whole, with_defaults

ALL_TREES = "all"
MOST_LEVELS = 20
DEPTH = 4
# Sharper than this is the likeliest tree alone.
MOST_GAMMA = 10
F, MU_PR = "f", "pr"


def _are_decompositions(value: object) -> bool:
    parts = value.split("+") if isinstance(value, str) else [""]
    return set(parts) <= set(DECOMPOSITIONS) and len(set(parts)) == len(parts)


OF = one_of(WORDS, CATEGORIES, RELATIONS)
HEADS = one_of(AS_PARSED, COLLINS)
_SHARED: Mapping[str, Option] = {"of": OF, "lowercase": flag(True), **PARSER, "heads": HEADS}

PAIRS: Mapping[str, Option] = {
    "parts": Option("dl+lh", _are_decompositions, f"some of {', '.join(DECOMPOSITIONS)}, joined by +"),
    "n": Option(
        1,
        lambda value: value == ALL_TREES or whole(1, MOST_TREES).holds(value),
        f"a whole number from 1 to {MOST_TREES}, or all",
    ),
    "gamma": number(1.0, 0.0, MOST_GAMMA),
    "mean": one_of(F, MU_PR),
    "labels": one_of(UNIVERSAL, FROM_CONSTITUENTS, PROJECTED),
    "lowercase": flag(True),
    **PARSER,
}
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


EXACT, EDPM, DPM, PUBLISHED = "edpm-exact", "edpm", "dpm", "edpm-ab"
_EDPM_PARTS = "1g+2g+dl+lh"
PAIR_RULES: Mapping[str, Mapping[str, Option]] = {
    EXACT: with_defaults(PAIRS, parts=_EDPM_PARTS, n=ALL_TREES),
    EDPM: with_defaults(PAIRS, parts=_EDPM_PARTS, n=50, gamma=0.25),
    PUBLISHED: with_defaults(PAIRS, parts=_EDPM_PARTS, n=50, gamma=0.25, labels=FROM_CONSTITUENTS),
    DPM: PAIRS,
}
# Of each metric over fragments what they are, the option for the largest, and all options.
FRAGMENTS: Mapping[str, tuple[Fragments, str, Mapping[str, Option]]] = {
    "hwcm": (chains, "length", _CHAINS),
    "hwcm-c": (chains, "length", with_defaults(_CHAINS, of="categories")),
    "hwcm-r": (chains, "length", with_defaults(_CHAINS, of="relations")),
    "dstm": (subtrees, "depth", {"depth": whole(4, MOST_LEVELS), **_SHARED}),
}


def pair_metric(name: str, options: Options) -> PrecisionRecallMetric:
    """Dependency pair match (`pfsm.metrics.syntax.dependency_pairs`); its parts are P and R of each decomposition.

    F[.] is the harmonic mean of precision and recall of all decompositions in one bag; mu_PR[.] that of the precisions
    and recalls of each (Kahn et al. 2009, equations 1 and 2). Several references: the best one of each segment counts;
    the paper has one.

    Args:
        name: ``edpm-exact``, ``edpm``, ``edpm-ab`` or ``dpm``, which differ in their defaults.
        options: ``parts``, ``n``, ``gamma``, ``mean``, ``labels``, ``lowercase``, ``parser``.
    """
    chosen = read_options(name, options, PAIR_RULES[name])
    if chosen["labels"] == FROM_CONSTITUENTS and chosen["n"] == ALL_TREES:
        raise PfsmError(
            f"metric {name}: labels=ab are those of a list of trees; add n=50, or labels=projected for all trees"
        )
    n = None if chosen["n"] == ALL_TREES else int(chosen["n"])
    gamma = float(chosen["gamma"])
    parts = chosen["parts"].split("+")
    expectation = Expectation(n, gamma, chosen["labels"], chosen["lowercase"])
    mean = harmonic_mean if chosen["mean"] == MU_PR else f_of_sums
    return PrecisionRecallMetric(
        name,
        {
            "parts": chosen["parts"],
            "trees": str(chosen["n"]),
            "gamma": repr(gamma),
            "mean": chosen["mean"],
            "labels": chosen["labels"],
            **case_entry(chosen["lowercase"]),
        },
        chosen["parser"],
        _wanted(n, gamma, chosen["labels"]),
        lambda ours, theirs: pair_counts(ours, theirs, parts, expectation),
        lambda counts: np.column_stack([mean(counts), _by_kind(counts)]),
        expectation.can_be_had,
    )


def _wanted(n: int | None, gamma: float, labels: str) -> Wanted:
    if labels == FROM_CONSTITUENTS:
        # Of an analyser without lists, one tree. Whatever n is, one analysis in the cache serves.
        return Wanted(constituents=True, headed=max(n or 0, SHORTEST_LIST))
    also = labels == PROJECTED
    if n is None:
        return Wanted(marginals=True, gamma=gamma, constituents=also)
    return Wanted(trees=n, constituents=also)


def _by_kind(counts: Float) -> Float:
    """Precision and recall of each kind in turn, float64 [n, 2 * n_kinds]."""
    precision, recall, _ = precision_recall(counts)
    return np.stack([precision, recall], axis=2).reshape(len(counts), 2 * counts.shape[1])


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
        return has_dependencies(analysis) and (kind != UNIVERSAL_CATEGORIES or has_tags(analysis))

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


PAIR_PARTS = tuple(f"{part}.{side}" for part in DECOMPOSITIONS for side in "pr")
# Lengths of chains and depths of subtrees: those of the metrics as they are by default.
SIZE_PARTS = tuple(str(size) for size in range(1, 5))


_PAIRS = {
    EXACT: "EDPM over all dependency trees of a sentence: words, word pairs, dl, lh; expected F1",
    EDPM: "EDPM with relations of Universal Dependencies: F[1g,2g,dl,lh] over the 50 likeliest trees, gamma = .25",
    PUBLISHED: "EDPM as published: the same with labels A/B of the 50 likeliest constituent trees",
    DPM: "dependency pair match, F[dl,lh] of the likeliest tree; every variant by options",
}
_FRAGMENTS = {
    "hwcm": "HWCM: head-word chains up to four words in common, mean precision",
    "hwcm-c": "HWCM over part-of-speech tags",
    "hwcm-r": "HWCM over grammatical relations",
    "dstm": "DSTM: dependency subtrees in common, mean precision over depths",
}
# By the last letter of a name: the chains in a signature, and what they are of.
_PLAIN_CHAINS = {
    "w": ("words", WORDS),
    "c": ("categories", UNIVERSAL_CATEGORIES),
    "r": ("relations", RELATIONS),
}

GROUPS = (
    *(
        group_with_parts(
            name,
            about,
            pair_metric,
            PAIR_PARTS,
            lambda name, options: pair_metric(name, {**options, "parts": "+".join(DECOMPOSITIONS)}),
        )
        for name, about in _PAIRS.items()
    ),
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
