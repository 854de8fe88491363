"""Constituent trees: Penn-style brackets, labelled spans, and back."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pfsm.errors import PfsmError
from pfsm.io.files import StrPath, display_name, read_lines

TOP = "TOP"
CHAIN = "+"
# Largest depth of a tree; trees are walked by recursion, which Python limits to about a thousand calls.
_DEEPEST = 300
# An opening bracket with its label, a closing one, or a word.
_PIECE = re.compile(r"\(\s*[^\s()]*|\)|[^\s()]+")
_ESCAPES = {"(": "-LRB-", ")": "-RRB-"}
_UNESCAPES = {mark: character for character, mark in _ESCAPES.items()}


@dataclass(frozen=True)
class Constituent:
    """A node of a constituent tree over words ``[start, end)``.

    Attributes:
        label: Category, or the part-of-speech tag of a leaf.
        start: First word, counted from 0.
        end: The word after the last word.
        children: Its parts from left to right; a leaf, which is one word, has none.
    """

    label: str
    start: int
    end: int
    children: tuple["Constituent", ...] = ()

    @property
    def is_leaf(self) -> bool:
        """Whether this is a word with its tag."""
        return not self.children

    def nodes(self) -> Iterator["Constituent"]:
        """This node and all nodes below it, parents before children, left to right."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children))


@dataclass(frozen=True)
class BracketedSentence:
    """A tree and its words.

    Attributes:
        words: The words; brackets are plain characters, not ``-LRB-``.
        tree: The tree over them.
    """

    words: tuple[str, ...]
    tree: Constituent


def read_brackets(path: StrPath) -> list[BracketedSentence]:
    """Every tree of a file of brackets, one tree per line; empty lines are skipped.

    Raises:
        PfsmError: If the file cannot be read or a line is not a tree.
    """
    name = display_name(path)
    return [
        parse_brackets(line, f"{name}:{number}")
        for number, line in enumerate(read_lines(path), 1)
        if line.strip()
    ]


def parse_brackets(line: str, where: str = "tree") -> BracketedSentence:
    """A tree from its brackets, such as ``(TOP (S (NP (PRP It)) (VP (VBZ works))))``.

    ``-LRB-`` and ``-RRB-`` as words become brackets. An outermost pair without a label is called ``TOP``.

    Raises:
        PfsmError: If brackets do not match, a node is empty, or there is more than one tree.
    """
    words: list[str] = []
    # Open nodes: label, first word, children so far. This is iterative because damaged lines can nest deeper than
    # Python's recursion limit.
    opened: list[tuple[str, int, list[Constituent]]] = []
    found: list[Constituent] = []
    pieces = _PIECE.findall(line)
    for place, piece in enumerate(pieces, 1):
        if found:
            raise PfsmError(f"{where}: text after the end of the tree: {piece if piece[0] != '(' else '('!r}")
        if piece[0] == "(":
            if piece[1:].strip() == "" and place == len(pieces):
                raise PfsmError(f"{where}: ends after an opening bracket")
            opened.append((piece[1:].strip() or TOP, len(words), []))
            if len(opened) > _DEEPEST:
                raise PfsmError(f"{where}: brackets are nested deeper than {_DEEPEST}")
        elif not opened:
            raise PfsmError(f"{where}: a tree begins with a bracket, not with {piece!r}")
        elif piece == ")":
            label, start, children = opened.pop()
            if start == len(words):
                raise PfsmError(f"{where}: {label} covers no word")
            node = Constituent(label, start, len(words), tuple(children))
            (opened[-1][2] if opened else found).append(node)
        else:
            _add_word(words, opened[-1], piece, where)
    if not found:
        raise PfsmError(f"{where}: {len(opened)} brackets are not closed" if opened else f"{where}: no tree")
    return BracketedSentence(tuple(words), found[0])


def _add_word(words: list[str], parent: tuple[str, int, list[Constituent]], piece: str, where: str) -> None:
    label, start, children = parent
    if children or len(words) > start:
        raise PfsmError(f"{where}: the word {piece!r} needs a tag and brackets of its own under {label}")
    words.append(_UNESCAPES.get(piece, piece))


def format_brackets(words: Sequence[str], tree: Constituent) -> str:
    """The tree as brackets on one line; brackets among the words become ``-LRB-`` and ``-RRB-``."""
    if tree.is_leaf:
        word = words[tree.start]
        for character, mark in _ESCAPES.items():
            word = word.replace(character, mark)
        return f"({tree.label} {word})"
    return f"({tree.label} {' '.join(format_brackets(words, child) for child in tree.children)})"


def labelled_spans(tree: Constituent) -> dict[tuple[int, int], str]:
    """Category of every span; unary chains are joined by ``+`` from the top; tags of words and ``TOP`` are left out."""
    spans: dict[tuple[int, int], str] = {}
    for node in tree.nodes():
        if node.is_leaf or node.label == TOP:
            continue
        span = (node.start, node.end)
        spans[span] = f"{spans[span]}{CHAIN}{node.label}" if span in spans else node.label
    return spans


def tree_of_spans(spans: Sequence[tuple[int, int, str]], tags: Sequence[str]) -> Constituent:
    """The tree under ``TOP`` with these spans: the inverse of `labelled_spans`.

    Args:
        spans: (start, end, label or labels joined by ``+``), none crossing another; in any order, each once.
        tags: Part-of-speech tag of each word.

    Raises:
        ValueError: If spans cross or reach beyond the words.
    """
    ordered = sorted(spans, key=lambda span: (span[0], -span[1]))
    root, rest = _build(TOP, 0, len(tags), ordered, 0, tags)
    if rest != len(ordered):
        raise ValueError("spans cross each other or reach beyond the words")
    return root


def _build(
    label: str, start: int, end: int, spans: Sequence[tuple[int, int, str]], place: int, tags: Sequence[str]
) -> tuple[Constituent, int]:
    """The node of a span, and the index in ``spans`` after the spans inside it."""
    children: list[Constituent] = []
    word = start
    while word < end:
        if place < len(spans) and spans[place][0] == word:
            first, last, chain = spans[place]
            if last > end:
                raise ValueError("spans cross each other or reach beyond the words")
            child, place = _build(chain.rpartition(CHAIN)[2], first, last, spans, place + 1, tags)
            for above in reversed(chain.split(CHAIN)[:-1]):
                child = Constituent(above, first, last, (child,))
            children.append(child)
            word = last
        else:
            children.append(Constituent(tags[word], word, word + 1))
            word += 1
    return Constituent(label, start, end, tuple(children)), place
