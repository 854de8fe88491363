"""Layers: the linguistic elements of a line, each of some type and made of items that two lines can share.

The overlaps of Giménez and Màrquez (2009, appendix A) differ in what they count, not in how: a layer says what a line
has as (type, item) elements, and everything else is common to all of them (`pfsm.metrics.syntax.overlap`). Semantic
roles are further layers (`pfsm.metrics.roles`).

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

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass

from pfsm.analysis.chunks import base_chunks
from pfsm.analysis.constituents import TOP
from pfsm.analysis.sentence import Analysis
from pfsm.analysis.wanted import Wanted
from pfsm.errors import PfsmError
from pfsm.metrics.syntax.trees import tree_of, words_of

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


def has_tags(analysis: Analysis) -> bool:
    """Whether tags are known.

    Raises:
        PfsmError: If the parser gives trees but no tags.
    """
    return _known(bool(analysis.xpos or analysis.upos), analysis, "tags")


def has_dependencies(analysis: Analysis) -> bool:
    """Whether a dependency tree is known, or constituents from which one follows.

    Raises:
        PfsmError: If the parser gives neither, but something else.
    """
    return _known(bool(analysis.trees or analysis.constituents), analysis, "dependency trees")


def has_constituents(analysis: Analysis) -> bool:
    """Whether constituent trees are known.

    Raises:
        PfsmError: If the parser gives dependency trees only.
    """
    return _known(bool(analysis.constituents), analysis, "constituents")


def _known(known: bool, analysis: Analysis, what: str) -> bool:
    """Nothing about a line at all: it could not be parsed. Something else than what is asked for: the wrong parser."""
    if not known and analysis.tokens and not analysis.is_failed:
        raise PfsmError(
            f"the parser gives no {what}, which this metric needs; choose another, as in parser=en-ewt"
        )
    return known and bool(analysis.tokens)


def _tagged(analysis: Analysis) -> Iterable[Element]:
    return zip(analysis.xpos or analysis.upos, words_of(analysis), strict=True)


def _categorised(analysis: Analysis) -> Iterable[Element]:
    return zip(analysis.upos or analysis.xpos, words_of(analysis), strict=True)


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


def paths_from_root(analysis: Analysis) -> list[list[int]]:
    """For every token the tokens from itself, first, to the root of its sentence, last; tokens counted from 0.

    Heads that go in circles, as in no tree, give paths that end when they are as long as the line.
    """
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
    depths = (str(len(path)) for path in paths_from_root(analysis))
    return zip(depths, words_of(analysis), strict=True)


def _ruled(analysis: Analysis) -> Iterable[Element]:
    labels = tree_of(analysis).labels
    words = words_of(analysis)
    # A word is in the subtree of everything on its way to the root.
    return [
        (labels[above], word)
        for word, path in zip(words, paths_from_root(analysis), strict=True)
        for above in path
    ]


LAYERS: Mapping[str, Layer] = {
    "pos": Layer(_tagged, has_tags, DEPENDENCIES),
    "chunk": Layer(_chunked, has_constituents, CONSTITUENTS),
    "level": Layer(_levels, has_dependencies, DEPENDENCIES),
    "category": Layer(_categorised, has_tags, DEPENDENCIES),
    "relation": Layer(_ruled, has_dependencies, DEPENDENCIES),
    "leaf": Layer(_leaves, has_constituents, CONSTITUENTS),
    "constituent": Layer(_phrases, has_constituents, CONSTITUENTS),
}
