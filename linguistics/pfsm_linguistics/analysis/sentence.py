"""The analysis of a line of text: tokens, tags, dependency trees and their probabilities, constituents, roles.

All code that uses syntax works on these objects, whether they come from a file, the shipped parser or another parser.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from pfsm_linguistics.analysis.clauses import Drs, joined_structures
from pfsm_linguistics.analysis.constituents import Constituent
from pfsm_linguistics.analysis.roles import Frame, moved_frame

ROOT_LABEL = "root"
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class DependencyTree:
    """One head and label for every token of a line.

    Attributes:
        heads: Number of each token's head counted from 1 through the line; 0 for the root of a sentence.
        labels: Relation of each token to its head.
        log_probability: Natural logarithm of the tree's probability; NaN if unknown.
    """

    heads: tuple[int, ...]
    labels: tuple[str, ...]
    log_probability: float = float("nan")


@dataclass(frozen=True, eq=False)
class Marginals:
    """Probabilities of labelled arcs, sparse: arcs that are not listed are impossible or nearly so.

    Attributes:
        names: Labels.
        dependent: int32 [n_entries], tokens, counted from 0.
        head: int32 [n_entries], numbers of their heads as in `DependencyTree`.
        label: int32 [n_entries], which of the names.
        probability: float64 [n_entries], probability of this arc with this label, summed over all trees.
    """

    names: tuple[str, ...]
    dependent: NDArray[np.int32]
    head: NDArray[np.int32]
    label: NDArray[np.int32]
    probability: NDArray[np.float64]

    def arcs(self, n_tokens: int) -> NDArray[np.float64]:
        """Probability of every arc with any label, float64 [n_tokens, n_tokens + 1]."""
        table = np.zeros((n_tokens, n_tokens + 1))
        np.add.at(table, (self.dependent, self.head), self.probability)
        return table


@dataclass(frozen=True, eq=False)
class Analysis:
    """A line of one or more sentences.

    Attributes:
        tokens: The analyser's tokens; without white space they are the line without white space.
        sentences: First token of each sentence, counted from 0; empty for an empty line.
        upos: Universal part-of-speech tag of each token; empty where unknown, here and below.
        xpos: Penn Treebank tag of each token.
        trees: Dependency trees of the line, the likeliest first.
        marginals: Probabilities of arcs; None where unknown.
        constituents: Constituent tree of each sentence, words counted through the line.
        headed: Dependency trees of the line by head rules over its likeliest constituent trees
            (`pfsm_linguistics.analysis.heads.head_dependencies`), the likeliest first.
        frames: Predicates with their semantic roles, in the order of the text; None where unknown.
        drs: A discourse representation structure that is given; None where it has to be built from the tree.
    """

    tokens: tuple[str, ...]
    sentences: tuple[int, ...] = ()
    upos: tuple[str, ...] = ()
    xpos: tuple[str, ...] = ()
    trees: tuple[DependencyTree, ...] = ()
    marginals: Marginals | None = None
    constituents: tuple[Constituent, ...] = ()
    headed: tuple[DependencyTree, ...] = ()
    frames: tuple[Frame, ...] | None = None
    drs: Drs | None = None

    @property
    def is_failed(self) -> bool:
        """Whether the parse failed: there are words, but no tree of some kind, no roles and no structure."""
        given = self.frames is not None or self.drs is not None
        return bool(self.tokens) and not (self.trees or self.constituents) and not given

    @property
    def tree(self) -> DependencyTree | None:
        """The likeliest dependency tree; None if there is none."""
        return self.trees[0] if self.trees else None

    @property
    def bounds(self) -> list[tuple[int, int]]:
        """First token of each sentence and the token after its last."""
        # An empty line has no sentence, and so no end of a sentence.
        return list(zip(self.sentences, (*self.sentences[1:], len(self.tokens)), strict=bool(self.sentences)))


def cycle_of(heads: Sequence[int]) -> tuple[int, int] | None:
    """The first word whose heads lead in a cycle, and where it closes, counted from 1; None where there is no cycle.

    Args:
        heads: Numbers of heads as in `DependencyTree`; -1 where unknown.
    """
    safe = {0, -1}
    for first in range(1, len(heads) + 1):
        way: set[int] = set()
        word = first
        while word not in safe and word not in way:
            way.add(word)
            word = heads[word - 1]
        if word not in safe:
            return first, word
        safe |= way
    return None


def unparsed(line: str) -> Analysis:
    """The analysis of a line whose parse failed: its words between spaces, nothing else."""
    words = tuple(line.split())
    return Analysis(words, (0,) if words else ())


def joined(parts: Sequence[Analysis]) -> Analysis:
    """One line from the analyses of its sentences, in order.

    If one sentence lacks a property, the line lacks it. Only the first tree of each sentence is kept, and their
    probabilities are multiplied, because the n-best list of a line cannot be made from the n-best lists of its parts.
    """
    if len(parts) == 1:
        return parts[0]
    offsets = np.cumsum([0, *(len(part.tokens) for part in parts)]).tolist()
    pairs = list(zip(parts, offsets, strict=False))
    frames = [
        None if part.frames is None else [moved_frame(frame, first) for frame in part.frames]
        for part, first in pairs
    ]
    structures = [(part.drs, first) for part, first in pairs if part.drs is not None]
    constituents = [[moved(tree, first) for tree in part.constituents] for part, first in pairs]
    return Analysis(
        tuple(chain.from_iterable(part.tokens for part in parts)),
        tuple(first + start for part, first in pairs for start in part.sentences),
        _all_or_none([part.upos for part in parts]),
        _all_or_none([part.xpos for part in parts]),
        _joined_trees([(part.trees, first) for part, first in pairs]),
        _joined_marginals(pairs),
        _all_or_none(constituents),
        _joined_trees([(part.headed, first) for part, first in pairs]),
        tuple(chain.from_iterable(one or () for one in frames)) if None not in frames else None,
        joined_structures(structures) if structures and len(structures) == len(pairs) else None,
    )


def _all_or_none(columns: Sequence[Sequence[Item]]) -> tuple[Item, ...]:
    return tuple(chain.from_iterable(columns)) if all(columns) else ()


def _joined_trees(parts: Sequence[tuple[tuple[DependencyTree, ...], int]]) -> tuple[DependencyTree, ...]:
    """The first trees of all parts as one; none if a part has none."""
    if not all(trees for trees, _ in parts):
        return ()
    heads = tuple(head and head + first for trees, first in parts for head in trees[0].heads)
    labels = tuple(label for trees, _ in parts for label in trees[0].labels)
    return (DependencyTree(heads, labels, sum(trees[0].log_probability for trees, _ in parts)),)


def _joined_marginals(pairs: Sequence[tuple[Analysis, int]]) -> Marginals | None:
    given = [(part.marginals, first) for part, first in pairs if part.marginals is not None]
    if len(given) < len(pairs) or not given:
        return None
    names = tuple(sorted({name for marginals, _ in given for name in marginals.names}))
    number = {name: k for k, name in enumerate(names)}
    columns = [
        (
            m.dependent + np.int32(first),
            np.where(m.head > 0, m.head + np.int32(first), 0).astype(np.int32),
            np.array([number[name] for name in m.names], dtype=np.int32)[m.label],
            m.probability,
        )
        for m, first in given
    ]
    return Marginals(names, *map(np.concatenate, zip(*columns, strict=True)))


def moved(tree: Constituent, by: int) -> Constituent:
    """The same tree shifted by so many words."""
    if by == 0:
        return tree
    children = tuple(moved(child, by) for child in tree.children)
    return replace(tree, start=tree.start + by, end=tree.end + by, children=children)
