"""Dependency pair match (Kahn, Snover and Ostendorf 2009): what two lines share of their dependencies, as expected.

A tree is taken apart into a bag of small pieces in one or more ways (section 3.2), d being a word, l the label of its
arc, h the word that it hangs on; the root of a sentence hangs on a word of its own kind:

* ``dlh``, ``dl``, ``lh``, ``dh``: for every word of the line these of d, l and h;
* ``1g``, ``2g``: the words and pairs of neighbouring words of the line, without syntax.

Pieces count as often as can be expected: over trees x of an n-best list with probabilities ``p(x)^gamma / sum
p^gamma``, or over all trees of the sentence, whose arcs' probabilities the matrix-tree theorem gives. Every piece has
one arc, so that the probabilities of labelled arcs suffice. Two bags share of every piece the
smaller count.

Labels are relations of Universal Dependencies, or A/B as published (section 3.1): of the dependencies that head rules
give for the n likeliest constituent trees, or projected from the likeliest one onto the arcs of dependency trees.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pfsm.arrays import Float, Int64
from pfsm.errors import PfsmError
from pfsm.metrics.inputs import nearly
from pfsm.metrics.metric_group import group_with_parts
from pfsm.metrics.names import read_options
from pfsm.runtime.typed import Option, Options, flag, number, one_of, whole, with_defaults
from pfsm_linguistics.analysis.constituents import Constituent
from pfsm_linguistics.analysis.heads import projected_labels
from pfsm_linguistics.analysis.sentence import Analysis, DependencyTree
from pfsm_linguistics.analysis.wanted import MOST_TREES, SHORTEST_LIST, Wanted
from pfsm_linguistics.metrics.analysed import (
    PrecisionRecallMetric,
    f_of_sums,
    harmonic_mean,
    has_tree,
    precision_recall,
)
from pfsm_linguistics.metrics.syntax.fragments import Bags, case_entry, chosen, shared_of
from pfsm_linguistics.metrics.syntax.trees import PARSER, constituent_dependencies, lacking, tree_of, words_of

DECOMPOSITIONS = ("1g", "2g", "dl", "lh", "dlh", "dh")
UNIVERSAL, FROM_CONSTITUENTS, PROJECTED = "ud", "ab", "projected"


@dataclass(frozen=True)
class Expectation:
    """Over which trees pieces are counted.

    Attributes:
        n: How many trees of the n-best list; None for all trees of the sentence, exactly.
        gamma: Power that the probabilities of the n-best list are raised to: 1 leaves them as they are, 0 makes them
            equal. Where n is None the analysis has been made with it (`Wanted.gamma`).
        labels: `UNIVERSAL`; `FROM_CONSTITUENTS`: dependencies and labels A/B of the likeliest constituent trees, by
            head rules; `PROJECTED`: labels A/B of the likeliest constituent tree on the arcs of dependency trees.
        lowercase: Whether words count in lower case.
    """

    n: int | None = None
    gamma: float = 1.0
    labels: str = UNIVERSAL
    lowercase: bool = True

    def can_be_had(self, analysis: Analysis) -> bool:
        """Whether an analysis has what it takes."""
        if self.labels == FROM_CONSTITUENTS:
            return bool(analysis.tokens and (analysis.constituents or analysis.headed))
        if self.labels == PROJECTED and not analysis.constituents:
            return False
        return has_tree(analysis) if self.n is not None else bool(analysis.tokens and analysis.marginals)


# The words of a line; of its labelled arcs dependents, labels, heads and weights. Words and labels are numbered from 1;
# 0 is the head of roots.
_Line = tuple[Int64, Int64, Int64, Int64, Float]
_NOTHING = np.zeros(0, dtype=np.int64)
_EMPTY: _Line = (_NOTHING, _NOTHING, _NOTHING, _NOTHING, np.zeros(0))


def pair_counts(
    hypotheses: Sequence[Analysis],
    references: Sequence[Analysis],
    decompositions: Sequence[str] = DECOMPOSITIONS,
    expectation: Expectation = Expectation(),
) -> Float:
    """Expected counts of pieces of pairs by decomposition, float64 [n_pairs, n_decompositions, 3].

    The last axis is: shared, of the hypothesis, of the reference.

    Args:
        hypotheses: Their analyses.
        references: As many.
        decompositions: Some of `DECOMPOSITIONS`.
        expectation: Over which trees.

    Raises:
        PfsmError: If an analysis lacks what is needed.
    """
    words, labels = _Numbers(), _Numbers()
    lines = [_line(one, expectation, words, labels) for one in (*hypotheses, *references)]
    own, dependent, label, head, weight = map(np.concatenate, zip(_EMPTY, *lines, strict=True))
    starts, arc_starts = (np.cumsum([0, *(line[column].size for line in lines)]) for column in (0, 4))
    columns = {"d": (dependent, len(words) + 1), "l": (label, len(labels) + 1), "h": (head, len(words) + 1)}

    def pieces(name: str) -> Bags:
        if name == "1g":
            return own, np.ones(own.size), starts
        if name == "2g":
            last = np.zeros(own.size, dtype=np.bool_)
            last[starts[1:][np.diff(starts) > 0] - 1] = True
            keys = (own * (len(words) + 1) + np.roll(own, -1))[~last]
            return keys, np.ones(keys.size), chosen(~last, starts)
        keys = np.zeros(weight.size, dtype=np.int64)
        for letter in name:
            values, size = columns[letter]
            keys = keys * size + values
        return keys, weight, arc_starts

    return shared_of(list(map(pieces, decompositions)), np.ones(len(hypotheses), dtype=np.int64))


class _Numbers(dict[str, int]):
    """Numbers from 1 for strings, as they come."""

    def __missing__(self, string: str) -> int:
        number = self[string] = len(self) + 1
        return number

    def of(self, strings: Iterable[str]) -> Int64:
        return np.array(list(map(self.__getitem__, strings)), dtype=np.int64)


def _line(analysis: Analysis, expectation: Expectation, words: _Numbers, labels: _Numbers) -> _Line:
    own = words.of(words_of(analysis, expectation.lowercase))
    if not own.size:
        return _EMPTY
    dependent, head, label, weight = _expected(analysis, expectation, labels)
    # The first of the line's words is number 1 among heads, before it the root.
    return own, own[dependent], label, np.concatenate([[0], own])[head], weight


def _expected(
    analysis: Analysis, expectation: Expectation, labels: _Numbers
) -> tuple[NDArray[np.integer], NDArray[np.integer], Int64, Float]:
    """Dependents from 0, heads from 1, labels and weights of a line's arcs."""
    if expectation.n is not None:
        trees = _listed(analysis, expectation)
        return _of_trees(trees, tree_weights(trees, expectation.gamma), labels)
    marginals = analysis.marginals
    if marginals is None:
        raise lacking(
            analysis, "probabilities of arcs (n=50 counts over its list of trees, n=1 in the likeliest)"
        )
    if expectation.labels == PROJECTED:
        # Two relations of one arc have the same label here, and count together by its key.
        names = projected_labels(_constituents_of(analysis), marginals.dependent, marginals.head)
        return marginals.dependent, marginals.head, labels.of(names), marginals.probability
    return (
        marginals.dependent,
        marginals.head,
        labels.of(marginals.names)[marginals.label],
        marginals.probability,
    )


def _listed(analysis: Analysis, expectation: Expectation) -> Sequence[DependencyTree]:
    """The likeliest trees of a line, with the labels that are asked for."""
    if expectation.labels == FROM_CONSTITUENTS:
        # One tree stands in for a list.
        return (analysis.headed or (constituent_dependencies(analysis),))[: expectation.n]
    trees = (analysis.trees or (tree_of(analysis),))[: expectation.n]
    if expectation.labels == UNIVERSAL:
        return trees
    constituents = _constituents_of(analysis)
    arcs = sorted({arc for tree in trees for arc in enumerate(tree.heads)})
    label = dict(zip(arcs, projected_labels(constituents, *zip(*arcs, strict=True)), strict=True))
    return [replace(tree, labels=tuple(label[arc] for arc in enumerate(tree.heads))) for tree in trees]


def _constituents_of(analysis: Analysis) -> Sequence[Constituent]:
    if not analysis.constituents:
        raise lacking(analysis, "constituents, which labels=projected needs,")
    return analysis.constituents


def tree_weights(trees: Sequence[DependencyTree], gamma: float) -> Float:
    """``p(x)^gamma / sum p^gamma`` of the trees of an n-best list; equal where probabilities are unknown."""
    logarithms = np.array([tree.log_probability for tree in trees])
    if not np.isfinite(logarithms).all():
        logarithms = np.zeros(len(trees))
    weights = np.exp(gamma * (logarithms - logarithms.max()))
    return np.asarray(weights / weights.sum())


def _of_trees(
    trees: Sequence[DependencyTree], weights: Float, labels: _Numbers
) -> tuple[Int64, Int64, Int64, Float]:
    """The arcs of a list of trees, each once, with the weight of the trees that have it."""
    shares = weights.tolist()
    dependents: list[int] = []
    heads: list[int] = []
    names: list[str] = []
    sums: list[float] = []
    columns = (zip(*rows, strict=True) for rows in ([t.heads for t in trees], [t.labels for t in trees]))
    for word, (of_heads, of_labels) in enumerate(zip(*columns, strict=True)):
        if len(set(of_heads)) == 1 and len(set(of_labels)) == 1:
            found = {(of_heads[0], of_labels[0]): 1.0}
        else:
            found = {}
            for head, label, share in zip(of_heads, of_labels, shares, strict=True):
                found[head, label] = found.get((head, label), 0.0) + share
        for (head, label), total in found.items():
            dependents.append(word)
            heads.append(head)
            names.append(label)
            sums.append(total)
    return (
        np.array(dependents, dtype=np.int64),
        np.array(heads, dtype=np.int64),
        labels.of(names),
        np.array(sums),
    )


ALL_TREES = "all"
# Sharper than this is the likeliest tree alone.
MOST_GAMMA = 10
F, MU_PR = "f", "pr"


def _are_decompositions(value: object) -> bool:
    parts = value.split("+") if isinstance(value, str) else [""]
    return set(parts) <= set(DECOMPOSITIONS) and len(set(parts)) == len(parts)


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

EXACT, EDPM, DPM, PUBLISHED = "edpm-exact", "edpm", "dpm", "edpm-ab"
_EDPM_PARTS = "1g+2g+dl+lh"
PAIR_RULES: Mapping[str, Mapping[str, Option]] = {
    EXACT: with_defaults(PAIRS, parts=_EDPM_PARTS, n=ALL_TREES),
    EDPM: with_defaults(PAIRS, parts=_EDPM_PARTS, n=50, gamma=0.25),
    PUBLISHED: with_defaults(PAIRS, parts=_EDPM_PARTS, n=50, gamma=0.25, labels=FROM_CONSTITUENTS),
    DPM: PAIRS,
}


def pair_metric(name: str, options: Options) -> PrecisionRecallMetric:
    """Dependency pair match; its parts are P and R of each decomposition.

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
        lambda counts: np.column_stack([nearly(1.0, mean(counts)), _by_kind(counts)]),
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


PAIR_PARTS = tuple(f"{part}.{side}" for part in DECOMPOSITIONS for side in "pr")
_PAIRS = {
    EXACT: "EDPM over all dependency trees of a sentence: words, word pairs, dl, lh; expected F1",
    EDPM: "EDPM with relations of Universal Dependencies: F[1g,2g,dl,lh] over the 50 likeliest trees, gamma = .25",
    PUBLISHED: "EDPM as published: the same with labels A/B of the 50 likeliest constituent trees",
    DPM: "dependency pair match, F[dl,lh] of the likeliest tree; every variant by options",
}
GROUPS = tuple(
    group_with_parts(
        name,
        about,
        pair_metric,
        PAIR_PARTS,
        lambda name, options: pair_metric(name, {**options, "parts": "+".join(DECOMPOSITIONS)}),
    )
    for name, about in _PAIRS.items()
)
