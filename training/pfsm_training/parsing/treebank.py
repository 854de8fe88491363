"""What a parser is trained on: examples from treebanks, the names in them with their numbers, and word vectors.

Vectors come from plain text: positive pointwise mutual information with neighbours, reduced by a truncated SVD.
Contexts are the neighbours at -2, -1, +1 and +2. Each position counts separately, so that words of similar syntax
have similar vectors (Levy and Goldberg 2014, "Linguistic regularities in sparse and explicit word representations",
with positional contexts). The context distribution is smoothed by the power 0.75, and the vectors are the rows of U
sqrt(S) (Levy, Goldberg and Dagan 2015, section 3.3).
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix
from scipy.sparse.linalg import svds

from pfsm.analysis.conllu import ConlluSentence, read_conllu
from pfsm.analysis.constituents import CHAIN, BracketedSentence, Constituent, labelled_spans, read_brackets
from pfsm.english.parser.network import normal_form
from pfsm.english.parser.weights import END
from pfsm.english.tokens import words_of
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


# Not a constituent: a span that exists only because the tree was made binary.
NO_LABEL = ""


@dataclass(frozen=True)
class Inventory:
    """Names in the order of their numbers.

    Attributes:
        words: Normal forms with a learned vector; their numbers begin at 1, since 0 is the unknown word.
        counts: How often each of them occurs.
        characters: Known characters; their numbers begin after the markers of `character_numbers`.
        upos: Universal tags.
        xpos: Tags of the language.
        labels: Dependency labels, ``root`` first.
        span_labels: Labels of spans; the first is ``NO_LABEL``.
    """

    words: tuple[str, ...]
    counts: tuple[int, ...]
    characters: tuple[str, ...]
    upos: tuple[str, ...]
    xpos: tuple[str, ...]
    labels: tuple[str, ...]
    span_labels: tuple[str, ...]

    @property
    def word_numbers(self) -> dict[str, int]:
        """Number of each known word, from 1."""
        return {word: number for number, word in enumerate(self.words, 1)}

    @property
    def character_numbers(self) -> dict[str, int]:
        """Number of each known character."""
        return {character: number for number, character in enumerate(self.characters, END + 1)}


def take_inventory(
    examples: Sequence[Example], *, min_word: int, min_character: int, min_span_label: int
) -> Inventory:
    """The inventory of the examples; words, characters and span labels must occur at least as often as given."""
    words = Counter(map(normal_form, all_words(examples)))
    characters = Counter("".join(all_words(examples)))
    known = _frequent(words, min_word)
    columns = [example.dependencies for example in examples]
    spans = Counter(
        label
        for example in examples
        if example.constituents
        for label in labelled_spans(example.constituents).values()
    )
    return Inventory(
        known,
        tuple(words[word] for word in known),
        _frequent(characters, min_character),
        tuple(sorted({tag for column in columns for tag in column.upos})),
        tuple(sorted({tag for column in columns for tag in column.xpos})),
        ("root", *sorted({label for column in columns for label in column.labels} - {"root"})),
        (NO_LABEL, *sorted(_frequent(spans, min_span_label))),
    )


def _frequent(counts: Mapping[str, int], least: int) -> tuple[str, ...]:
    return tuple(
        sorted((key for key, count in counts.items() if count >= least), key=lambda key: (-counts[key], key))
    )


def span_label_number(label: str, known: Mapping[str, int]) -> int:
    """Number of a chain of labels; if the chain is unknown, that of its longest known part from the top."""
    parts = label.split(CHAIN)
    for size in range(len(parts), 0, -1):
        number = known.get(CHAIN.join(parts[:size]))
        if number is not None:
            return number
    return 0


def numbered(names: Iterable[str]) -> dict[str, int]:
    """Number of each name, from 0."""
    return {name: number for number, name in enumerate(names)}


_POSITIONS = (-2, -1, 1, 2)
_SMOOTHING = 0.75
_SEED = 20


@dataclass(frozen=True, eq=False)
class WordVectors:
    """Fixed vectors of frequent words.

    Attributes:
        words: Normal forms (`normal_form`), the most frequent first.
        values: float32 [n_words, size], rows of norm 1, up to rounding.
    """

    words: tuple[str, ...]
    values: NDArray[np.float32]


def learn_vectors(lines: Iterable[str], n_words: int, n_contexts: int, size: int) -> WordVectors:
    """Vectors of the ``n_words`` most frequent words of these lines; duplicate lines count once.

    Args:
        lines: Plain text, untokenised.
        n_words: Number of words that get a vector, at least ``size`` + 1.
        n_contexts: Number of the most frequent words that count as neighbours.
        size: Number of entries of a vector.
    """
    sentences = [[normal_form(word.form) for word in words_of(line)] for line in sorted(set(lines))]
    counts = Counter(word for sentence in sentences for word in sentence)
    # By count, then by the word itself, so that the order of the lines does not matter.
    ranked = sorted(counts, key=lambda word: (-counts[word], word))[:n_words]
    numbers = {word: number for number, word in enumerate(ranked)}
    table = _ppmi(*_pairs(sentences, numbers, n_contexts), (len(ranked), n_contexts * len(_POSITIONS)))
    start = np.random.default_rng(_SEED).normal(size=min(table.shape))
    left, singular, _ = svds(table, k=size, v0=start)
    values = left[:, ::-1] * np.sqrt(singular[::-1])
    # The sign of a singular vector is arbitrary; fixing it makes the table repeatable.
    values *= np.sign(values[np.abs(values).argmax(axis=0), np.arange(size)])
    norms = np.linalg.norm(values, axis=1, keepdims=True)
    return WordVectors(tuple(ranked), (values / np.maximum(norms, 1e-9)).astype(np.float32))


def _pairs(
    sentences: Sequence[Sequence[str]], numbers: dict[str, int], n_contexts: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Word and context of every co-occurrence, int64 [n] each."""
    gap = [-1] * max(_POSITIONS)
    flat = np.array(
        [n for s in sentences for n in (*(numbers.get(word, -1) for word in s), *gap)], dtype=np.int64
    )
    words, contexts = [], []
    for place, shift in enumerate(_POSITIONS):
        here, there = (flat[:-shift], flat[shift:]) if shift > 0 else (flat[-shift:], flat[:shift])
        known = (here >= 0) & (there >= 0) & (there < n_contexts)
        words.append(here[known])
        contexts.append(there[known] + place * n_contexts)
    return np.concatenate(words), np.concatenate(contexts)


def _ppmi(words: NDArray[np.int64], contexts: NDArray[np.int64], shape: tuple[int, int]) -> coo_matrix:
    counts = (
        coo_matrix((np.ones(words.size, dtype=np.float32), (words, contexts)), shape=shape).tocsr().tocoo()
    )
    of_word = np.bincount(words, minlength=shape[0]).astype(np.float64)
    of_context = np.bincount(contexts, minlength=shape[1]) ** _SMOOTHING
    expected = of_word[counts.row] / of_word.sum() * of_context[counts.col] / of_context.sum()
    information = np.log(counts.data / of_word.sum() / expected)
    kept = information > 0
    return coo_matrix((information[kept], (counts.row[kept], counts.col[kept])), shape=shape).tocsr()
