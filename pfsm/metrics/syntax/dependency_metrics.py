"""EDPM and its group, HWCM, DSTM and DTKM as metrics with parts."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.analysis.sentence import Analysis
from pfsm.analysis.wanted import Wanted
from pfsm.metrics.analysed import AnalysedMetric
from pfsm.metrics.metric_group import Options
from pfsm.metrics.syntax.counted import (
    CountedMetric,
    f_of_sums,
    harmonic_mean,
    mean_precision,
    precision_recall,
)
from pfsm.metrics.syntax.dependency_fragments import (
    chains,
    fragment_counts,
    fragment_counts_together,
    subtrees,
)
from pfsm.metrics.syntax.dependency_heads import (
    all_over_heads,
    has_heads,
    over_heads,
    wanted_for,
)
from pfsm.metrics.syntax.dependency_kernel import kernel_scores
from pfsm.metrics.syntax.dependency_options import (
    ALL_TREES,
    CHAINS,
    KERNEL,
    MU_PR,
    PAIRS,
    SUBTREES,
    Rule,
    case_entry,
    check_labels,
    checked,
    decompositions,
    with_defaults,
)
from pfsm.metrics.syntax.dependency_pairs import FROM_CONSTITUENTS, PROJECTED, Expectation, pair_counts

Float = NDArray[np.float64]
EXACT, EDPM, DPM, PUBLISHED = "edpm-exact", "edpm", "dpm", "edpm-ab"
_EDPM_PARTS = "1g+2g+dl+lh"
PAIR_RULES: Mapping[str, Mapping[str, Rule]] = {
    EXACT: with_defaults(PAIRS, parts=_EDPM_PARTS, n=ALL_TREES),
    EDPM: with_defaults(PAIRS, parts=_EDPM_PARTS, n=50, gamma=0.25),
    PUBLISHED: with_defaults(PAIRS, parts=_EDPM_PARTS, n=50, gamma=0.25, labels=FROM_CONSTITUENTS),
    DPM: PAIRS,
}
CHAIN_RULES: Mapping[str, Mapping[str, Rule]] = {
    "hwcm": CHAINS,
    "hwcm-c": with_defaults(CHAINS, of="categories"),
    "hwcm-r": with_defaults(CHAINS, of="relations"),
}


def pair_metric(name: str, options: Options) -> CountedMetric:
    """Dependency pair match (`pfsm.metrics.syntax.dependency_pairs`); its parts are P and R of each decomposition.

    F[.] is the harmonic mean of precision and recall of all decompositions in one bag; mu_PR[.] that of the precisions
    and recalls of each (Kahn et al. 2009, equations 1 and 2). Several references: the best one of each segment counts;
    the paper has one.

    Args:
        name: ``edpm-exact``, ``edpm``, ``edpm-ab`` or ``dpm``, which differ in their defaults.
        options: ``parts``, ``n``, ``gamma``, ``mean``, ``labels``, ``lowercase``, ``parser``.

    Raises:
        PfsmError: If an option is unknown or has no such value.
    """
    chosen = checked(name, options, PAIR_RULES[name])
    check_labels(name, chosen)
    n = None if chosen["n"] == ALL_TREES else int(chosen["n"])
    gamma = float(chosen["gamma"])
    parts = decompositions(chosen["parts"])
    expectation = Expectation(n, gamma, chosen["labels"], chosen["lowercase"])
    mean = harmonic_mean if chosen["mean"] == MU_PR else f_of_sums
    return CountedMetric(
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


def chain_metric(name: str, options: Options) -> CountedMetric:
    """HWCM (`pfsm.metrics.syntax.dependency_fragments`); its parts are the precisions of each length.

    Several references: chains are clipped over all of them together, in segments and in corpora.

    Args:
        name: ``hwcm``, ``hwcm-c`` or ``hwcm-r``: chains of words, categories or relations by default.
        options: ``length``, ``of``, ``heads``, ``lowercase``, ``parser``.

    Raises:
        PfsmError: If an option is unknown or has no such value.
    """
    return _fragments(name, checked(name, options, CHAIN_RULES[name]), "length")


def subtree_metric(name: str, options: Options) -> CountedMetric:
    """DSTM (`pfsm.metrics.syntax.dependency_fragments`); its parts are the precisions of each depth.

    Several references: subtrees are clipped over all of them together, in segments and in corpora.

    Args:
        name: ``dstm``.
        options: ``depth``, ``of``, ``heads``, ``lowercase``, ``parser``.

    Raises:
        PfsmError: If an option is unknown or has no such value.
    """
    return _fragments(name, checked(name, options, SUBTREES), "depth")


def _fragments(name: str, chosen: Mapping[str, Any], size: str) -> CountedMetric:
    fragments = chains if size == "length" else subtrees
    most, kind, lowercase, heads = chosen[size], chosen["of"], chosen["lowercase"], chosen["heads"]

    def counts_of(ours: Sequence[Analysis], theirs: Sequence[Analysis]) -> Float:
        return fragment_counts(fragments, ours, theirs, most, kind, lowercase=lowercase)

    def together(ours: Sequence[Analysis], theirs: Sequence[Sequence[Analysis]]) -> Float:
        return fragment_counts_together(fragments, ours, theirs, most, kind, lowercase=lowercase)

    return CountedMetric(
        name,
        {"of": kind, "heads": heads, size: str(most), **case_entry(lowercase)},
        chosen["parser"],
        wanted_for(heads),
        over_heads(counts_of, heads),
        lambda counts: np.column_stack([mean_precision(counts), precision_recall(counts)[0]]),
        lambda analysis: has_heads(analysis, kind, heads),
        all_over_heads(together, heads),
    )


def kernel_metric(name: str, options: Options) -> AnalysedMetric:
    """DTKM (`pfsm.metrics.syntax.dependency_kernel`). Several references: the best one counts.

    Args:
        name: ``dtkm``.
        options: ``of``, ``heads``, ``decay``, ``single``, ``lowercase``, ``parser``.

    Raises:
        PfsmError: If an option is unknown or has no such value.
    """
    chosen = checked(name, options, KERNEL)
    kind, lowercase, single = chosen["of"], chosen["lowercase"], chosen["single"]
    decay, heads = float(chosen["decay"]), chosen["heads"]

    def compute(ours: Sequence[Analysis], theirs: Sequence[Analysis]) -> Float:
        return kernel_scores(ours, theirs, kind, decay=decay, single=single, lowercase=lowercase)

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
        over_heads(compute, heads),
        lambda analysis: has_heads(analysis, kind, heads),
    )
