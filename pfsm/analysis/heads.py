"""Head words of constituents, and the labelled dependencies that follow from them.

The rules are those of Magerman (1995) in the version of Collins (1999, appendix A), in place of those of Charniak's
parser, with the three modifications of Kahn, Snover and Ostendorf (2009, "Expected dependency pair match", section
3.1): prepositional phrases are headed by the nominal that follows the preposition, be it a phrase or a bare word,
complementiser phrases by their verb, and auxiliaries are modifiers of main verbs.
"""

from collections.abc import Iterable, Sequence

from pfsm.analysis.collins import COLLINS_RULES, LEFT, PHRASE, RIGHT, place_of_head
from pfsm.analysis.constituents import TOP, Constituent
from pfsm.analysis.sentence import DependencyTree

_NOMINAL_PHRASES = "NP NML NX WHNP QP"
_PREPOSITIONS = "IN TO VBG VBN RP FW"
_COMPLEMENTS = f"{_NOMINAL_PHRASES} ADJP S SBAR SINV VP PP WHPP ADVP WHADVP UCP FRAG"
# The side from which to search the children, and the labels to search for, in order: where they differ from Collins's.
_RULES = COLLINS_RULES | {
    "NX": (PHRASE, ""),
    "PP": (LEFT, f"{_COMPLEMENTS} {_PREPOSITIONS}"),
    "S": (LEFT, "VP S SBAR ADJP UCP NP TO IN"),
    "SBAR": (LEFT, "S SQ SINV SBAR FRAG VP WHNP WHPP WHADVP WHADJP IN DT"),
    "SINV": (LEFT, "VP VBZ VBD VBP VB MD S SINV ADJP NP"),
    "SQ": (LEFT, "VP VBZ VBD VBP VB MD SQ"),
    "VP": (LEFT, "VP VBD VBN VBZ VB VBG VBP AUX AUXG MD TO ADJP NN NNS NP"),
    "WHPP": (LEFT, f"{_COMPLEMENTS} {_PREPOSITIONS}"),
    TOP: (LEFT, ""),
}
_PREPOSITIONAL = frozenset({"PP", "WHPP"})
_NOMINAL_TAGS = frozenset({"NN", "NNS", "NNP", "NNPS", "PRP", "WP", "CD"})
_PUNCTUATION = frozenset({",", ":", "``", "''", ".", "-LRB-", "-RRB-", "HYPH", "NFP"})


def head_child(node: Constituent) -> Constituent:
    """The child of a constituent that contains its head word.

    Raises:
        ValueError: If the node is a leaf.
    """
    if node.is_leaf:
        raise ValueError("a leaf has no parts")
    # Punctuation is the head only of itself.
    children = [child for child in node.children if not _is_punctuation(child)] or list(node.children)
    if node.label in _PREPOSITIONAL:
        children = _complements(children)
        # "Post-war": of bare words the last, as in a noun phrase.
        bare = [child for child in children if child.label in _NOMINAL_TAGS]
        if bare and not any(child.label in _NOMINAL_PHRASES.split() for child in children):
            return bare[-1]
    return children[place_of_head(node.label, [child.label for child in children], _RULES, RIGHT)]


def _complements(children: list[Constituent]) -> list[Constituent]:
    """What follows the first preposition, if it can be the head: not *two days* in "two days after the war"."""
    first = next((k for k, child in enumerate(children) if child.label in _PREPOSITIONS.split()), -1)
    after = children[first + 1 :]
    able = _NOMINAL_TAGS.union(_COMPLEMENTS.split())
    return after if any(child.label in able for child in after) else children


def _is_punctuation(node: Constituent) -> bool:
    return node.is_leaf and node.label in _PUNCTUATION


def head_dependencies(trees: Sequence[Constituent]) -> DependencyTree:
    """Dependencies of a line from the constituent trees of its sentences, with labels A/B.

    A is the label of the lowest constituent that the head word heads and that contains the dependent. B is the label of
    the highest constituent that the dependent heads (Kahn et al. 2009, section 3.1). The root of a sentence has
    ``TOP/B``.
    """
    n_words = trees[-1].end if trees else 0
    heads, labels = [0] * n_words, [""] * n_words
    for tree in trees:
        top = tree if tree.label == TOP or tree.is_leaf else Constituent(TOP, tree.start, tree.end, (tree,))
        root = head_word(top)
        labels[root] = f"{TOP}/{head_child(top).label if top.children else top.label}"
        for node in top.nodes():
            if not node.is_leaf:
                _attach(node, heads, labels)
    return DependencyTree(tuple(heads), tuple(labels))


def head_word(node: Constituent) -> int:
    """The head word of a constituent, counted from 0 through the line."""
    while not node.is_leaf:
        node = head_child(node)
    return node.start


def _attach(node: Constituent, heads: list[int], labels: list[str]) -> None:
    chosen = head_child(node)
    governor = head_word(chosen)
    for child in node.children:
        if child is not chosen:
            dependent = head_word(child)
            heads[dependent] = governor + 1
            labels[dependent] = f"{node.label}/{child.label}"


def projected_labels(trees: Sequence[Constituent], words: Iterable[int], heads: Iterable[int]) -> list[str]:
    """Labels A/B of given arcs, from the constituent trees of a line's sentences.

    A is the label of the lowest constituent with both words, B that of its part with the dependent; the root of a
    sentence has ``TOP/B``. These are the labels of `head_dependencies` where the arc is one of its arcs.

    Args:
        trees: The trees.
        words: Dependents, counted from 0.
        heads: Their heads, counted from 1; 0 for the root.
    """
    return [_projected(trees, word, head - 1) for word, head in zip(words, heads, strict=True)]


def _projected(trees: Sequence[Constituent], word: int, head: int) -> str:
    node = next(tree for tree in trees if tree.start <= word < tree.end)
    if node.label != TOP and not node.is_leaf:
        node = Constituent(TOP, node.start, node.end, (node,))
    if head < 0 or node.is_leaf:
        return f"{TOP}/{_part_with(node, word).label}"
    part = _part_with(node, word)
    while part.start <= head < part.end:
        node, part = part, _part_with(part, word)
    return f"{node.label}/{part.label}"


def _part_with(node: Constituent, word: int) -> Constituent:
    """The child with a word; a leaf itself."""
    return next((child for child in node.children if child.start <= word < child.end), node)
