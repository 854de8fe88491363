"""Head words of constituents, and the labelled dependencies that follow from them, by two sets of rules.

`collins_analysis` has the rules of Collins (1999, appendix A). A tree is prepared as Collins's parser has its trees:
quotation marks and marks at the end of a sentence are removed; commas and colons at an edge of a constituent move up,
so that they stand between two constituents, and those at an edge of the sentence are removed too. Then each
constituent has a head child:

* the table says from which side its children are searched, and for which labels, in order; without any of them, the
  first child from that side is the head, from the left for labels that the table lacks;
* noun phrases have rules of their own (`_OF_NOUN_PHRASES`);
* coordination: if the child right before the head is a conjunction (CC), the head is the conjunct before that one.

All other children hang with their head words on the head word of the head child. So prepositions head prepositional
phrases, and auxiliaries head verb phrases. The label ``NML``, which treebanks have had since, is a noun phrase here,
and a noun inside one.

`head_dependencies` has them, in place of those of Charniak's parser, with the three modifications of Kahn, Snover and
Ostendorf (2009, "Expected dependency pair match", section 3.1): prepositional phrases are headed by the nominal that
follows the preposition, be it a phrase or a bare word, complementiser phrases by their verb, and auxiliaries are
modifiers of main verbs. Punctuation stays in the tree, and coordination has no rule.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from pfsm_linguistics.analysis.constituents import TOP, Constituent
from pfsm_linguistics.analysis.sentence import Analysis, DependencyTree

LEFT, RIGHT, PHRASE = "left", "right", "noun phrase"
# The side from which to search the children, and the labels to search for, in order (table A.1).
COLLINS_RULES: dict[str, tuple[str, str]] = {
    "ADJP": (LEFT, "NNS QP NN $ ADVP JJ VBN VBG ADJP JJR NP JJS DT FW RBR RBS SBAR RB"),
    "ADVP": (RIGHT, "RB RBR RBS FW ADVP TO CD JJR JJ IN NP JJS NN"),
    "CONJP": (RIGHT, "CC RB IN"),
    "FRAG": (RIGHT, ""),
    "INTJ": (LEFT, ""),
    "LST": (RIGHT, "LS :"),
    "NAC": (LEFT, "NN NNS NNP NNPS NP NAC EX $ CD QP PRP VBG JJ JJS JJR ADJP FW"),
    "NML": (PHRASE, ""),
    "NP": (PHRASE, ""),
    "PP": (RIGHT, "IN TO VBG VBN RP FW"),
    "PRN": (LEFT, ""),
    "PRT": (RIGHT, "RP"),
    "QP": (LEFT, "$ IN NNS NN JJ RB DT CD NCD QP JJR JJS"),
    "RRC": (RIGHT, "VP NP ADVP ADJP PP"),
    "S": (LEFT, "TO IN VP S SBAR ADJP UCP NP"),
    "SBAR": (LEFT, "WHNP WHPP WHADVP WHADJP IN DT S SQ SINV SBAR FRAG"),
    "SBARQ": (LEFT, "SQ S SINV SBARQ FRAG"),
    "SINV": (LEFT, "VBZ VBD VBP VB MD VP S SINV ADJP NP"),
    "SQ": (LEFT, "VBZ VBD VBP VB MD VP SQ"),
    "UCP": (RIGHT, ""),
    "VP": (LEFT, "TO VBD VBN MD VBZ VB VBG VBP VP ADJP NN NNS NP"),
    "WHADJP": (LEFT, "CC WRB JJ ADJP"),
    "WHADVP": (RIGHT, "CC WRB"),
    "WHNP": (LEFT, "WDT WP WP$ WHADJP WHPP WHNP"),
    "WHPP": (RIGHT, "IN TO FW"),
}
_OF_NOUN_PHRASES: list[tuple[str, set[str]]] = [
    (RIGHT, {"NN", "NNP", "NNPS", "NNS", "NX", "NML", "POS", "JJR"}),
    (LEFT, {"NP"}),
    (RIGHT, {"$", "ADJP", "PRN"}),
    (RIGHT, {"CD"}),
    (RIGHT, {"JJ", "JJS", "RB", "QP"}),
]
_CONJUNCTION = "CC"
_REMOVED = frozenset({"``", "''", "."})
_RAISED = frozenset({",", ":"})


def collins_analysis(analysis: Analysis) -> Analysis:
    """The analysis with the one dependency tree that the head rules give, and without the words that are removed.

    Labels of the tree are A/B: A is the constituent that the head word's child and the dependent's are parts of, B the
    label of the latter, as in `pfsm_linguistics.analysis.heads.head_dependencies`.

    Args:
        analysis: An analysis with constituents; of an empty line, an empty one.
    """
    # Of a sentence of nothing but punctuation, the tree as it is.
    prepared = [_raised(tree)[1] or tree for tree in analysis.constituents]
    arcs: dict[int, tuple[int, str]] = {}
    for root in prepared:
        arcs |= _arcs(root, _collins_head)
        highest = root
        while highest.label == TOP and highest.children:
            highest = _collins_head(highest)
        arcs[_head_word(root, _collins_head)] = (-1, f"{TOP}/{highest.label}")
    words = sorted(arcs)
    place = {word: number for number, word in enumerate(words, 1)}
    heads = tuple(place.get(arcs[word][0], 0) for word in words)
    return replace(
        analysis,
        tokens=tuple(analysis.tokens[word] for word in words),
        sentences=tuple(
            min(place[node.start] for node in root.nodes() if node.is_leaf) - 1 for root in prepared
        ),
        upos=tuple(analysis.upos[word] for word in words) if analysis.upos else (),
        xpos=tuple(analysis.xpos[word] for word in words) if analysis.xpos else (),
        trees=(DependencyTree(heads, tuple(arcs[word][1] for word in words)),) if words else (),
        marginals=None,
        constituents=(),
    )


def _raised(tree: Constituent) -> tuple[list[Constituent], Constituent | None, list[Constituent]]:
    """Commas and colons before a constituent, what is left of it, and those after it."""
    if tree.is_leaf:
        return [], None if tree.label in _REMOVED else tree, []
    row: list[Constituent] = []
    for child in tree.children:
        before, node, after = _raised(child)
        row += [*before, *([] if node is None else [node]), *after]
    first = next((k for k, node in enumerate(row) if not _is_raised(node)), len(row))
    last = next((k for k in range(len(row), first, -1) if not _is_raised(row[k - 1])), first)
    inner = replace(tree, children=tuple(row[first:last])) if last > first else None
    return row[:first], inner, row[last:]


def _is_raised(node: Constituent) -> bool:
    return not node.children and node.label in _RAISED


def _collins_head(node: Constituent) -> Constituent:
    place = _place_of_head(node.label, [child.label for child in node.children], COLLINS_RULES, LEFT)
    if place >= 2 and node.children[place - 1].label == _CONJUNCTION:
        # In "red, and blue" the conjunct is before the comma.
        return next(
            (child for child in reversed(node.children[: place - 1]) if not _is_raised(child)),
            node.children[place],
        )
    return node.children[place]


def _place_of_head(
    label: str, parts: Sequence[str], rules: Mapping[str, tuple[str, str]], otherwise: str
) -> int:
    """Which of the parts of a constituent, by their labels, is its head; labels without a rule search from a side."""
    side, wanted = rules.get(label, (otherwise, ""))
    last = len(parts) - 1
    if side == PHRASE and parts[last] == "POS":
        return last
    # Of noun phrases each step searches from one side for any of its labels.
    steps = _OF_NOUN_PHRASES if side == PHRASE else [(side, {one}) for one in wanted.split()]
    for start, labels in steps:
        for place in range(last + 1) if start == LEFT else range(last, -1, -1):
            if parts[place] in labels:
                return place
    return 0 if side == LEFT else last


def _head_word(node: Constituent, head: Callable[[Constituent], Constituent]) -> int:
    """The head word of a constituent, counted from 0 through the line."""
    while not node.is_leaf:
        node = head(node)
    return node.start


def _arcs(tree: Constituent, head: Callable[[Constituent], Constituent]) -> dict[int, tuple[int, str]]:
    """For the head words of all children but the head children: the word that they hang on, and the label."""
    found: dict[int, tuple[int, str]] = {}
    for node in tree.nodes():
        chosen = node if node.is_leaf else head(node)
        governor = _head_word(chosen, head)
        for child in node.children:
            if child is not chosen:
                found[_head_word(child, head)] = (governor, f"{node.label}/{child.label}")
    return found


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


def _head_child(node: Constituent) -> Constituent:
    """The child of a constituent that contains its head word."""
    # Punctuation is the head only of itself.
    words = [child for child in node.children if not (child.is_leaf and child.label in _PUNCTUATION)]
    children = words or list(node.children)
    if node.label in _PREPOSITIONAL:
        children = _complements(children)
        # "Post-war": of bare words the last, as in a noun phrase.
        bare = [child for child in children if child.label in _NOMINAL_TAGS]
        if bare and not any(child.label in _NOMINAL_PHRASES.split() for child in children):
            return bare[-1]
    return children[_place_of_head(node.label, [child.label for child in children], _RULES, RIGHT)]


def _complements(children: list[Constituent]) -> list[Constituent]:
    """What follows the first preposition, if it can be the head: not *two days* in "two days after the war"."""
    first = next((k for k, child in enumerate(children) if child.label in _PREPOSITIONS.split()), -1)
    after = children[first + 1 :]
    able = _NOMINAL_TAGS.union(_COMPLEMENTS.split())
    return after if any(child.label in able for child in after) else children


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
        root = _head_word(top, _head_child)
        labels[root] = f"{TOP}/{_head_child(top).label if top.children else top.label}"
        for word, (governor, label) in _arcs(top, _head_child).items():
            heads[word], labels[word] = governor + 1, label
    return DependencyTree(tuple(heads), tuple(labels))


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
