"""EDPM and its group, HWCM, DSTM and DTKM as metrics with parts, which are sentence-level features."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.analysis.sentence import Analysis
from pfsm.analysis.wanted import MOST_TREES, Wanted
from pfsm.errors import PfsmError
from pfsm.metrics.analysed import (
    AnalysedMetric,
    PrecisionRecallMetric,
    f_of_sums,
    harmonic_mean,
    mean_precision,
    precision_recall,
)
from pfsm.metrics.metric_group import MetricGroup, group_with_parts, with_options
from pfsm.metrics.names import Option, Options, flag, number, one_of, read_options, whole, with_defaults
from pfsm.metrics.syntax.dependency_fragments import (
    chains,
    fragment_counts,
    kernel_scores,
    subtrees,
)
from pfsm.metrics.syntax.dependency_lines import (
    AS_PARSED,
    CATEGORIES,
    COLLINS,
    RELATIONS,
    WORDS,
    has_heads,
    wanted_for,
)
from pfsm.metrics.syntax.dependency_pairs import (
    DECOMPOSITIONS,
    FROM_CONSTITUENTS,
    PROJECTED,
    UNIVERSAL,
    Expectation,
    pair_counts,
)
from pfsm.metrics.syntax.overlap import PARSER

ALL_TREES = "all"
MOST_LEVELS = 20
# Sharper than this is the likeliest tree alone.
MOST_GAMMA = 10
F, MU_PR = "f", "pr"


def decompositions(value: str) -> tuple[str, ...]:
    """The parts of ``1g+2g+dl``."""
    return tuple(value.split("+"))


def _are_decompositions(value: object) -> bool:
    if not isinstance(value, str):
        return False
    parts = decompositions(value)
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
CHAINS: Mapping[str, Option] = {"length": whole(4, MOST_LEVELS), **_SHARED}
SUBTREES: Mapping[str, Option] = {"depth": whole(4, MOST_LEVELS), **_SHARED}
KERNEL: Mapping[str, Option] = {
    "of": OF,
    "decay": number(1.0, 1e-9, 1.0, "a number above 0, at most 1"),
    "single": flag(True),
    "lowercase": flag(True),
    **PARSER,
    "heads": HEADS,
}


def case_entry(lowercase: bool) -> dict[str, str]:
    """What a signature says of upper and lower case."""
    return {"case": "lc" if lowercase else "mixed"}


def check_labels(name: str, options: Options) -> None:
    """Refuses all trees where there are none but those of a list.

    Raises:
        PfsmError: If labels come from constituent trees and all trees are asked for.
    """
    if options["labels"] == FROM_CONSTITUENTS and options["n"] == ALL_TREES:
        raise PfsmError(
            f"metric {name}: labels=ab are those of a list of trees; add n=50, or labels=projected for all trees"
        )


Float = NDArray[np.float64]
EXACT, EDPM, DPM, PUBLISHED = "edpm-exact", "edpm", "dpm", "edpm-ab"
_EDPM_PARTS = "1g+2g+dl+lh"
PAIR_RULES: Mapping[str, Mapping[str, Option]] = {
    EXACT: with_defaults(PAIRS, parts=_EDPM_PARTS, n=ALL_TREES),
    EDPM: with_defaults(PAIRS, parts=_EDPM_PARTS, n=50, gamma=0.25),
    PUBLISHED: with_defaults(PAIRS, parts=_EDPM_PARTS, n=50, gamma=0.25, labels=FROM_CONSTITUENTS),
    DPM: PAIRS,
}
CHAIN_RULES: Mapping[str, Mapping[str, Option]] = {
    "hwcm": CHAINS,
    "hwcm-c": with_defaults(CHAINS, of="categories"),
    "hwcm-r": with_defaults(CHAINS, of="relations"),
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
    check_labels(name, chosen)
    n = None if chosen["n"] == ALL_TREES else int(chosen["n"])
    gamma = float(chosen["gamma"])
    parts = decompositions(chosen["parts"])
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
        return Wanted(constituents=True) if n == 1 else Wanted(headed=n or 0)
    also = labels == PROJECTED
    if n is None:
        return Wanted(marginals=True, gamma=gamma, constituents=also)
    return Wanted(trees=n, constituents=also)


def _by_kind(counts: Float) -> Float:
    """Precision and recall of each kind in turn, float64 [n, 2 * n_kinds]."""
    precision, recall, _ = precision_recall(counts)
    return np.stack([precision, recall], axis=2).reshape(len(counts), 2 * counts.shape[1])


def chain_metric(name: str, options: Options) -> PrecisionRecallMetric:
    """HWCM (`pfsm.metrics.syntax.dependency_fragments`); its parts are the precisions of each length.

    Several references: chains are clipped over all of them together, in segments and in corpora.

    Args:
        name: ``hwcm``, ``hwcm-c`` or ``hwcm-r``: chains of words, categories or relations by default.
        options: ``length``, ``of``, ``heads``, ``lowercase``, ``parser``.
    """
    return _fragments(name, read_options(name, options, CHAIN_RULES[name]), "length")


def subtree_metric(name: str, options: Options) -> PrecisionRecallMetric:
    """DSTM (`pfsm.metrics.syntax.dependency_fragments`); its parts are the precisions of each depth.

    Several references: subtrees are clipped over all of them together, in segments and in corpora.

    Args:
        name: ``dstm``.
        options: ``depth``, ``of``, ``heads``, ``lowercase``, ``parser``.
    """
    return _fragments(name, read_options(name, options, SUBTREES), "depth")


def _fragments(name: str, chosen: Mapping[str, Any], size: str) -> PrecisionRecallMetric:
    fragments = chains if size == "length" else subtrees
    most, kind, lowercase, heads = chosen[size], chosen["of"], chosen["lowercase"], chosen["heads"]

    def together(ours: Sequence[Analysis], theirs: Sequence[Sequence[Analysis]]) -> Float:
        return fragment_counts(fragments, ours, theirs, most, kind, lowercase=lowercase, heads=heads)

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


def kernel_metric(name: str, options: Options) -> AnalysedMetric:
    """DTKM (`pfsm.metrics.syntax.dependency_fragments`). Several references: the best one counts.

    Args:
        name: ``dtkm``.
        options: ``of``, ``heads``, ``decay``, ``single``, ``lowercase``, ``parser``.
    """
    chosen = read_options(name, options, KERNEL)
    kind, lowercase, single = chosen["of"], chosen["lowercase"], chosen["single"]
    decay, heads = float(chosen["decay"]), chosen["heads"]

    def compute(ours: Sequence[Analysis], theirs: Sequence[Analysis]) -> Float:
        return kernel_scores(ours, theirs, kind, decay=decay, single=single, lowercase=lowercase, heads=heads)

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


def _all_decompositions(name: str, options: Options) -> AnalysedMetric:
    return pair_metric(name, {**options, "parts": "+".join(DECOMPOSITIONS)})


_PAIRS = {
    EXACT: "EDPM over all dependency trees of a sentence: words, word pairs, dl, lh; expected F1",
    EDPM: "EDPM with relations of Universal Dependencies: F[1g,2g,dl,lh] over the 50 likeliest trees, gamma = .25",
    PUBLISHED: "EDPM as published: the same with labels A/B of the 50 likeliest constituent trees",
    DPM: "dependency pair match, F[dl,lh] of the likeliest tree; every variant by options",
}
_CHAINS = {
    "hwcm": "HWCM: head-word chains up to four words in common, mean precision",
    "hwcm-c": "HWCM over part-of-speech tags",
    "hwcm-r": "HWCM over grammatical relations",
}

GROUPS = (
    *(
        group_with_parts(name, about, pair_metric, PAIR_PARTS, _all_decompositions)
        for name, about in _PAIRS.items()
    ),
    *(group_with_parts(name, about, chain_metric, SIZE_PARTS) for name, about in _CHAINS.items()),
    group_with_parts(
        "dstm", "DSTM: dependency subtrees in common, mean precision over depths", subtree_metric, SIZE_PARTS
    ),
    MetricGroup(
        {"dtkm": "DTKM: tree kernel of the two dependency trees, cosine"}, with_options(kernel_metric)
    ),
)
