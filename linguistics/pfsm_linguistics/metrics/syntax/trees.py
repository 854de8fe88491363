"""Trees of many lines as flat arrays: a symbol for each node, and the node that it hangs on.

Nodes of dependency trees are the words of all lines in a row. A head is the place of another node, or -1 under the
root, so that whole batches can be walked up and down at once.

HWCM, DSTM and DTKM compare one of two kinds of dependencies. ``ud``: the parser's, Universal Dependencies for the
shipped one; where it gives constituents alone, dependencies by the rules of `pfsm_linguistics.analysis.heads`.
``collins``: by the rules of `pfsm_linguistics.analysis.heads` over constituent trees, as Liu and Gildea (2005, section
2.1) have them.

*Layers* are the linguistic elements of a line, each of some type and made of items that two lines can share. The
overlaps of Giménez and Màrquez (2009, appendix A) differ in what they count, not in how: a layer says what a line
has as (type, item) elements, and everything else is common to all of them
(`pfsm_linguistics.metrics.syntax.overlap`). Semantic roles are further layers (`pfsm_linguistics.metrics.roles`).

====================  =====================================  ================================
layer                 type                                   items
====================  =====================================  ================================
``pos``               part-of-speech tag                     the words that have it
``chunk``             base phrase chunk (CoNLL-2000)         the words in such chunks
``level``             distance from the root, which has 1    the words there
``category``          universal part of speech               the words that have it
``relation``          grammatical relation                   the words of subtrees that hang by it
``leaf``              tag in the constituent tree            the words that have it
``constituent``       category                               the words of such constituents
====================  =====================================  ================================

Words are the analyser's, in lower case. A word in two constituents of a type, one in the other, counts in both.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pfsm.arrays import Int64
from pfsm.errors import PfsmError
from pfsm.runtime.typed import text
from pfsm_linguistics.analysers.registry import DEFAULT_PARSER
from pfsm_linguistics.analysis.chunks import base_chunks
from pfsm_linguistics.analysis.constituents import TOP, Constituent
from pfsm_linguistics.analysis.heads import collins_analysis, head_dependencies
from pfsm_linguistics.analysis.sentence import Analysis, DependencyTree
from pfsm_linguistics.analysis.wanted import Wanted
from pfsm_linguistics.metrics.analysed import has_tree

PARSER = {"parser": text(DEFAULT_PARSER, "the name of a parser")}
AS_PARSED, COLLINS = "ud", "collins"
# Categories are Penn tags where there are any, or else universal ones; `UNIVERSAL` the other way round.
WORDS, CATEGORIES, RELATIONS, UNIVERSAL = "words", "categories", "relations", "universal"
# Characters of a line that a fault shows.
_SHOWN = 40


@dataclass(frozen=True, eq=False)
class Trees:
    """One tree, or forest, for every line.

    Attributes:
        symbols: int64 [n_nodes], label of each node; equal labels have equal numbers, within and across lines.
        heads: int64 [n_nodes], place of the node each hangs on; -1 for the root of a sentence.
        offsets: int64 [n_lines + 1], where each line begins.
    """

    symbols: Int64
    heads: Int64
    offsets: Int64


def lacking(analysis: Analysis, what: str) -> PfsmError:
    """The fault that a parser does not give what is needed of a line."""
    text = " ".join(analysis.tokens)
    shown = text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
    return PfsmError(f"the parser gives no {what} of {shown!r}; choose another, as in parser=en-ewt")


def words_of(analysis: Analysis, lowercase: bool = True) -> tuple[str, ...]:
    """The line's words, in lower case if asked for."""
    if not lowercase:
        return analysis.tokens
    return tuple([token.lower() for token in analysis.tokens])


def tree_of(analysis: Analysis) -> DependencyTree:
    """The likeliest dependency tree, or where there is none the one that follows from the constituents.

    Raises:
        PfsmError: If there are neither.
    """
    if analysis.tree is not None:
        return analysis.tree
    return constituent_dependencies(analysis)


def constituent_dependencies(analysis: Analysis) -> DependencyTree:
    """Dependencies with labels A/B (`head_dependencies`).

    Raises:
        PfsmError: If the analysis has no constituents.
    """
    if not analysis.tokens:
        return DependencyTree((), ())
    if not analysis.constituents:
        raise lacking(analysis, "tree that this metric could use")
    return head_dependencies(analysis.constituents)


def _symbols(analysis: Analysis, tree: DependencyTree, kind: str, lowercase: bool) -> tuple[str, ...]:
    """Words, categories or relations of the nodes of a tree; refuses an analysis without tags where they are needed."""
    if kind == WORDS:
        return words_of(analysis, lowercase)
    if kind == RELATIONS:
        return tree.labels
    if analysis.tokens and not (analysis.xpos or analysis.upos):
        raise lacking(analysis, "tags")
    return analysis.upos or analysis.xpos if kind == UNIVERSAL else analysis.xpos or analysis.upos


def as_trees(
    analyses: Iterable[Analysis], kind: str, lowercase: bool = True, heads: str = AS_PARSED
) -> Trees:
    """The likeliest trees of lines.

    Args:
        analyses: The lines.
        kind: What stands at the nodes: `WORDS`, `CATEGORIES`, `RELATIONS` or `UNIVERSAL`.
        lowercase: Whether words count in lower case.
        heads: Which dependencies, `AS_PARSED` or `COLLINS`.

    Raises:
        PfsmError: If a line has no tree, or no tags where they are needed.
    """
    numbers: dict[str, int] = {}
    symbols: list[int] = []
    places: list[int] = []
    offsets = [0]
    for analysis in analyses:
        if heads == COLLINS and analysis.tokens and not analysis.constituents:
            raise lacking(analysis, "constituents, which heads=collins needs,")
        if heads == COLLINS:
            analysis = collins_analysis(analysis)  # noqa: PLW2901
        tree = tree_of(analysis)
        first = offsets[-1]
        symbols += [
            numbers.setdefault(symbol, len(numbers)) for symbol in _symbols(analysis, tree, kind, lowercase)
        ]
        places += [first + head - 1 if head else -1 for head in tree.heads]
        offsets.append(len(places))
    return Trees(*(np.array(column, dtype=np.int64) for column in (symbols, places, offsets)))


def constituent_trees(lines: Iterable[Sequence[Constituent]]) -> Trees:
    """Constituent trees of lines: their nodes with labels; words are not nodes, nor is `TOP`."""
    numbers: dict[str, int] = {}
    symbols: list[int] = []
    heads: list[int] = []
    offsets = [0]
    for trees in lines:
        waiting = [(tree, -1) for tree in reversed(trees)]
        while waiting:
            node, place = waiting.pop()
            if node.label != TOP:
                symbols.append(numbers.setdefault(node.label, len(numbers)))
                heads.append(place)
                place = len(heads) - 1
            waiting += [(child, place) for child in reversed(node.children)]
        offsets.append(len(heads))
    return Trees(*(np.array(column, dtype=np.int64) for column in (symbols, heads, offsets)))


def wanted_for(heads: str) -> Wanted:
    """What to ask of the analyses."""
    return Wanted(constituents=heads == COLLINS)


def has_heads(analysis: Analysis, kind: str, heads: str) -> bool:
    """Whether there are a tree to take dependencies from and, where they are asked for, tags."""
    has_kind = kind not in {CATEGORIES, UNIVERSAL} or bool(analysis.xpos or analysis.upos)
    return has_tree(analysis) and has_kind and (heads == AS_PARSED or bool(analysis.constituents))


Element = tuple[str, Hashable]
Elements = Callable[[Analysis], Iterable[Element]]

DEPENDENCIES = Wanted()
CONSTITUENTS = Wanted(constituents=True)


@dataclass(frozen=True)
class Layer:
    """One kind of elements.

    Attributes:
        elements: The (type, item) elements of a line that has the layer, repeated as often as they occur.
        is_there: Whether an analysis says what the layer needs; never true of a line without words.
        wanted: What to ask of the analyses.
        of_empty: Score of two empty lines.
    """

    elements: Elements
    is_there: Callable[[Analysis], bool]
    wanted: Wanted
    of_empty: float = 1.0


def _needed(what: str, of: Callable[[Analysis], object]) -> Callable[[Analysis], bool]:
    """Whether a line has something; a parser that gives something else instead is refused as the wrong one."""

    def is_there(analysis: Analysis) -> bool:
        known = bool(of(analysis))
        if not known and analysis.tokens and not analysis.is_failed:
            raise PfsmError(
                f"the parser gives no {what}, which this metric needs; choose another, as in parser=en-ewt"
            )
        return known and bool(analysis.tokens)

    return is_there


has_tags = _needed("tags", lambda line: line.xpos or line.upos)
# A dependency tree follows from constituents, too.
has_dependencies = _needed("dependency trees", lambda line: line.trees or line.constituents)
has_constituents = _needed("constituents", lambda line: line.constituents)


def _chunked(analysis: Analysis) -> Iterable[Element]:
    words = words_of(analysis)
    return [
        (chunk.label, word)
        for chunk in base_chunks(analysis.constituents)
        for word in words[chunk.start : chunk.end]
    ]


def _leaves(analysis: Analysis) -> Iterable[Element]:
    words = words_of(analysis)
    nodes = (node for tree in analysis.constituents for node in tree.nodes())
    return [(node.label, words[node.start]) for node in nodes if node.is_leaf]


def _phrases(analysis: Analysis) -> Iterable[Element]:
    words = words_of(analysis)
    nodes = (node for tree in analysis.constituents for node in tree.nodes())
    return [
        (node.label, word)
        for node in nodes
        if node.children and node.label != TOP
        for word in words[node.start : node.end]
    ]


def _paths(analysis: Analysis) -> list[list[int]]:
    """For every token those from itself to its root, counted from 0; no more than the line has: heads may circle."""
    heads = tree_of(analysis).heads
    paths: list[list[int]] = []
    for token in range(len(heads)):
        path, head = [token], heads[token] - 1
        while head >= 0 and len(path) < len(heads):
            path.append(head)
            head = heads[head] - 1
        paths.append(path)
    return paths


def _levels(analysis: Analysis) -> Iterable[Element]:
    depths = (str(len(path)) for path in _paths(analysis))
    return zip(depths, words_of(analysis), strict=True)


def _ruled(analysis: Analysis) -> Iterable[Element]:
    labels = tree_of(analysis).labels
    words = words_of(analysis)
    # A word is in the subtree of everything on its way to the root.
    return [
        (labels[above], word) for word, path in zip(words, _paths(analysis), strict=True) for above in path
    ]


LAYERS: Mapping[str, Layer] = {
    "pos": Layer(
        lambda line: zip(line.xpos or line.upos, words_of(line), strict=True), has_tags, DEPENDENCIES
    ),
    "chunk": Layer(_chunked, has_constituents, CONSTITUENTS),
    "level": Layer(_levels, has_dependencies, DEPENDENCIES),
    "category": Layer(
        lambda line: zip(line.upos or line.xpos, words_of(line), strict=True), has_tags, DEPENDENCIES
    ),
    "relation": Layer(_ruled, has_dependencies, DEPENDENCIES),
    "leaf": Layer(_leaves, has_constituents, CONSTITUENTS),
    "constituent": Layer(_phrases, has_constituents, CONSTITUENTS),
}
