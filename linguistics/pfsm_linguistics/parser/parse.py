"""Analyses of lines of words: sentences, tags, dependency trees, marginals, constituent trees."""

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from pfsm.arrays import Float, Int32
from pfsm_linguistics.analysis.constituents import Constituent, tree_of_spans
from pfsm_linguistics.analysis.heads import head_dependencies
from pfsm_linguistics.analysis.sentence import Analysis, DependencyTree, Marginals, moved
from pfsm_linguistics.analysis.wanted import SHORTEST_LIST, Wanted
from pfsm_linguistics.parser.network import LineScores, Network
from pfsm_linguistics.parser.trees import best_constituents, best_tree, best_trees, tree_marginals
from pfsm_linguistics.parser.weights import Matrix, ParserWeights

# Labelled arcs less likely than this are left out.
SMALLEST_PROBABILITY = 1e-5
# Longer sentences are split where a sentence most likely begins, because the work grows with the cube of the length.
LONGEST_SENTENCE = 250


class Parser:
    """The parser with the weights of a file. Not thread-safe."""

    def __init__(self, weights: ParserWeights) -> None:
        self._weights = weights
        self._network = Network(weights)
        self._span_labels = weights.inventories["span_labels"]
        self._labels = weights.inventories["labels"]

    def parse(self, lines: Sequence[Sequence[str]], wanted: Wanted) -> list[Analysis]:
        """Analyses of lines of words, in order; an empty line has an empty analysis."""
        scores = self._network.lines(lines)
        return [self._analysis(line, found, wanted) for line, found in zip(lines, scores, strict=True)]

    def _analysis(self, words: Sequence[str], scores: LineScores, wanted: Wanted) -> Analysis:
        if not words:
            return Analysis(())
        first = _sentence_starts(scores.starts, wanted.one_sentence)
        bounds = list(zip(first, [*first[1:], len(words)], strict=True))
        xpos = _names(scores.xpos, self._weights.inventories["xpos"])
        lists, marginals = [], []
        headed = [self._headed(scores.encoded[s:e], xpos[s:e], s, wanted.headed) for s, e in bounds]
        for start, end in bounds:
            trees, arcs = self._dependencies(scores.encoded[start:end], start, wanted)
            lists.append(trees)
            marginals.append(arcs)
        return Analysis(
            tuple(words),
            tuple(first),
            _names(scores.upos, self._weights.inventories["upos"]),
            xpos,
            tuple(_combined(lists, wanted.trees)),
            Marginals(self._labels, *(np.concatenate(column) for column in zip(*marginals, strict=True)))
            if wanted.marginals
            else None,
            tuple(self._constituents(scores.encoded[s:e], xpos[s:e], s) for s, e in bounds)
            if wanted.constituents
            else (),
            tuple(_combined(headed, wanted.headed)),
        )

    def _dependencies(
        self, encoded: Matrix, first: int, wanted: Wanted
    ) -> tuple[list[DependencyTree], tuple[Int32, Int32, Int32, Float]]:
        """The trees of a sentence that begins at word ``first``, and its labelled arcs with their probabilities."""
        scores = self._network.arcs(encoded).astype(np.float64)
        log_sum, arcs = tree_marginals(scores)
        if wanted.marginals and wanted.gamma != 1.0:
            _, arcs = tree_marginals(wanted.gamma * scores)
        found = [best_tree(scores)] if wanted.trees == 1 else best_trees(scores, wanted.trees)
        words = np.arange(len(encoded))
        asked = arcs >= SMALLEST_PROBABILITY if wanted.marginals else np.zeros(arcs.shape, dtype=np.bool_)
        for _, heads in found:
            asked[words, heads] = True
        dependents, heads_asked = np.nonzero(asked)
        labels = self._network.labels(encoded, dependents, heads_asked)
        likeliest = np.zeros(arcs.shape, dtype=np.int64)
        likeliest[dependents, heads_asked] = labels.argmax(axis=1)
        trees = [
            DependencyTree(
                tuple(head and head + first for head in heads.tolist()),
                tuple(self._labels[label] for label in likeliest[words, heads].tolist()),
                min(0.0, value - log_sum),
            )
            for value, heads in found
        ]
        return trees, _labelled(arcs[dependents, heads_asked], labels, dependents, heads_asked, first)

    def _headed(self, encoded: Matrix, tags: Sequence[str], first: int, count: int) -> list[DependencyTree]:
        """Dependencies of the likeliest constituent trees of a sentence that begins at word ``first``."""
        if not count:
            return []
        found = best_constituents(
            self._network.spans(encoded).astype(np.float64),
            partial(self._network.span_labels, encoded),
            self._span_labels,
            tags,
            max(count, SHORTEST_LIST),
        )
        trees = [(head_dependencies([one.tree]), one.log_probability) for one in found[:count]]
        return [
            DependencyTree(tuple(head and head + first for head in tree.heads), tree.labels, probability)
            for tree, probability in trees
        ]

    def _constituents(self, encoded: Matrix, tags: Sequence[str], first: int) -> Constituent:
        """The tree of a sentence: its likeliest bracketing, and for every span the likeliest label."""
        from pfsm_linguistics.kernels.syntax.bracketing import best_bracketing  # noqa: PLC0415 - brings numba

        n = len(tags)
        spans = np.zeros((n - 1, 2), dtype=np.int32)
        best_bracketing(self._network.spans(encoded).astype(np.float64), spans)
        starts = [*spans[:, 0].tolist(), *range(n)]
        ends = [*spans[:, 1].tolist(), *range(1, n + 1)]
        labels = self._network.span_labels(encoded, starts, ends)
        # The first span is the whole sentence, which is always a constituent.
        labels[0, 0] = -np.inf
        names = [self._span_labels[label] for label in labels.argmax(axis=1).tolist()]
        found = [(s, e, name) for s, e, name in zip(starts, ends, names, strict=True) if name]
        return moved(tree_of_spans(found, tags), first)


def _labelled(
    arcs: Float, labels: Matrix, dependents: NDArray[np.int64], heads: NDArray[np.int64], first: int
) -> tuple[Int32, Int32, Int32, Float]:
    """Dependent, head, label and probability of the labelled arcs that are likely enough, counted through the line."""
    probability = arcs[:, None] * np.exp(labels.astype(np.float64))
    arc, label = np.nonzero(probability >= SMALLEST_PROBABILITY)
    head = heads[arc]
    return (
        (dependents[arc] + first).astype(np.int32),
        np.where(head > 0, head + first, 0).astype(np.int32),
        label.astype(np.int32),
        probability[arc, label],
    )


def _names(scores: Matrix, names: Sequence[str]) -> tuple[str, ...]:
    return tuple(names[k] for k in scores.argmax(axis=1).tolist())


def _sentence_starts(log_odds: Matrix, one_sentence: bool) -> list[int]:
    """Numbers of the words at which sentences begin."""
    starts = [0] if one_sentence else [0, *(np.flatnonzero(log_odds[1:] > 0) + 1).tolist()]
    cut: list[int] = []
    pending = list(zip(starts, [*starts[1:], len(log_odds)], strict=True))[::-1]
    while pending:
        start, end = pending.pop()
        if end - start > LONGEST_SENTENCE:
            middle = start + 1 + int(log_odds[start + 1 : end].argmax())
            pending += [(middle, end), (start, middle)]
        else:
            cut.append(start)
    return cut


def _combined(lists: Sequence[list[DependencyTree]], count: int) -> list[DependencyTree]:
    """The likeliest combinations of the sentences' trees; their probabilities are multiplied."""
    whole = lists[0]
    for trees in lists[1:]:
        pairs = [(a, b) for a in whole for b in trees]
        pairs.sort(key=lambda pair: -(pair[0].log_probability + pair[1].log_probability))
        whole = [
            DependencyTree(a.heads + b.heads, a.labels + b.labels, a.log_probability + b.log_probability)
            for a, b in pairs[:count]
        ]
    return whole
