"""Reads treebanks as training examples: words, tags, dependency tree and, if there is one, constituent tree."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pfsm.analysis.conllu import ConlluSentence, read_conllu
from pfsm.analysis.constituents import BracketedSentence, Constituent, read_brackets
from pfsm.io.files import StrPath


@dataclass(frozen=True)
class Example:
    """A training example.

    Attributes:
        dependencies: The sentence with tags, heads and labels.
        constituents: Its constituent tree; None if the treebank has none.
    """

    dependencies: ConlluSentence
    constituents: Constituent | None

    def __len__(self) -> int:
        """Number of words."""
        return len(self.dependencies.forms)


def read_examples(dependencies: StrPath, constituents: StrPath | None = None) -> list[Example]:
    """The sentences of a CoNLL-U file, each with the tree over the same words if the bracket file has one.

    Raises:
        PfsmError: If a file cannot be read or does not follow its format.
    """
    trees = read_brackets(constituents) if constituents is not None else []
    return join_trees(read_conllu(dependencies), trees)


def join_trees(sentences: Iterable[ConlluSentence], trees: Iterable[BracketedSentence]) -> list[Example]:
    """Pairs every sentence with the tree over its words; of several trees, with the first not yet used."""
    by_words: dict[tuple[str, ...], list[Constituent]] = defaultdict(list)
    for bracketed in trees:
        by_words[bracketed.words].append(bracketed.tree)
    examples = []
    for sentence in sentences:
        known = by_words.get(sentence.forms, [])
        tree = known.pop(0) if len(known) > 1 else (known[0] if known else None)
        examples.append(Example(sentence, tree))
    return examples


def binary_spans(tree: Constituent, n_words: int) -> list[tuple[int, int]]:
    """Spans of two or more words of the tree, made binary from the left: ``(a b c)`` has a span ``(a b)``.

    Returns:
        ``n_words - 1`` spans.
    """
    spans: list[tuple[int, int]] = []
    for node in tree.nodes():
        # A node with one child spans the same words as the child, and adds no span.
        if len(node.children) > 1:
            spans.extend((node.start, child.end) for child in node.children[1:])
    whole = (0, n_words)
    if n_words > 1 and whole not in spans:
        raise ValueError("the tree does not cover the words")
    return spans


def all_words(examples: Sequence[Example]) -> Iterable[str]:
    """Every word of the examples, in order."""
    for example in examples:
        yield from example.dependencies.forms
