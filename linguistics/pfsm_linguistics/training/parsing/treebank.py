"""What a parser is trained on: examples from treebanks, the names in them with their numbers, and word vectors.

Vectors come from plain text: positive pointwise mutual information with neighbours, reduced by a truncated SVD.
Contexts are the neighbours at -2, -1, +1 and +2. Each position counts separately, so that words of similar syntax
have similar vectors (Levy and Goldberg 2014, "Linguistic regularities in sparse and explicit word representations",
with positional contexts). The context distribution is smoothed by the power 0.75, and the vectors are the rows of U
sqrt(S) (Levy, Goldberg and Dagan 2015, section 3.3).

Batches of padded tensors. Each pass joins the sentences anew into lines of one to three.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.sparse import coo_matrix
from scipy.sparse.linalg import svds
from torch import Tensor

from pfsm.io.files import StrPath
from pfsm_linguistics.analysis.conllu import ConlluSentence, read_conllu
from pfsm_linguistics.analysis.constituents import (
    CHAIN,
    BracketedSentence,
    Constituent,
    labelled_spans,
    read_brackets,
)
from pfsm_linguistics.analysis.tokens import words_of
from pfsm_linguistics.parser.network import character_numbers, normal_form
from pfsm_linguistics.parser.weights import END


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


# Shares of lines of one, two and three sentences; half of the sentences are then alone on their line.
_LINE_SIZES = (0.7, 0.2, 0.1)
_LONGEST_LINE = 120
# A word is replaced by the unknown word with probability a / (a + count) (Kiperwasser and Goldberg 2016).
_HIDING = 0.25


@dataclass(frozen=True, eq=False)
class Numbers:
    """A sentence in numbers.

    Attributes:
        words: int64 [n], numbers of the learned vectors; 0 is unknown.
        vectors: int64 [n], numbers of the fixed vectors; 0 is none.
        forms: The words.
        upos: int64 [n], universal tags.
        xpos: int64 [n], tags of the language.
        heads: int64 [n]; 0 is the root.
        labels: int64 [n], dependency labels.
        spans: int64 [n - 1, 2], binary bracketing; None without a constituent tree.
        labelled: int64 [m, 3], rows (start, end, label) for the spans of the bracketing and for single words.
    """

    words: NDArray[np.int64]
    vectors: NDArray[np.int64]
    forms: tuple[str, ...]
    upos: NDArray[np.int64]
    xpos: NDArray[np.int64]
    heads: NDArray[np.int64]
    labels: NDArray[np.int64]
    spans: NDArray[np.int64] | None
    labelled: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Batch:
    """Padded lines, and the sentences in them.

    Attributes:
        words: int64 [lines, longest], numbers of the learned vectors.
        vectors: int64 [lines, longest], numbers of the fixed vectors.
        types: int64 [lines, longest], rows of ``characters``.
        characters: int64 [types, characters].
        reversal: int64 [lines, longest], index of the word at each place of the reversed line.
        word_places: int64 [words], index of each word in the padded lines laid end to end.
        sentence_places: int64 [sentences, longest], the same by sentence; 0 for padding.
        lengths: int64 [sentences].
        starts: float [words], 1 where a sentence starts; -1 (not learned) at the first word of a line.
        upos: int64 [words].
        xpos: int64 [words].
        arcs: int64 [words, 3], rows (sentence, word, head).
        labels: int64 [words].
        bracketed: int64 [k], sentences that have a constituent tree.
        spans: int64 [m, 3], rows (sentence, start, end) of their binary bracketings.
        labelled: int64 [m, 4], rows (sentence, start, end, label).
    """

    words: Tensor
    vectors: Tensor
    types: Tensor
    characters: Tensor
    reversal: Tensor
    word_places: Tensor
    sentence_places: Tensor
    lengths: Tensor
    starts: Tensor
    upos: Tensor
    xpos: Tensor
    arcs: Tensor
    labels: Tensor
    bracketed: Tensor
    spans: Tensor
    labelled: Tensor


class Numbering:
    """Turns examples into numbers, and numbers into batches."""

    def __init__(self, inventory: Inventory, vector_words: Sequence[str]) -> None:
        self._words = inventory.word_numbers
        self._counts = np.array([0, *inventory.counts], dtype=np.float64)
        self._characters = inventory.character_numbers
        self._vectors = {word: number for number, word in enumerate(vector_words, 1)}
        self._upos, self._xpos = numbered(inventory.upos), numbered(inventory.xpos)
        self._labels, self._span_labels = numbered(inventory.labels), numbered(inventory.span_labels)

    def numbers(self, example: Example) -> Numbers:
        """One example in numbers; 0 for a tag or label that is not in the inventory."""
        sentence, forms = example.dependencies, example.dependencies.forms
        normal = [normal_form(form) for form in forms]
        spans, labelled = self._brackets(example)
        return Numbers(
            _array([self._words.get(word, 0) for word in normal]),
            _array([self._vectors.get(word, 0) for word in normal]),
            forms,
            _array([self._upos.get(tag, 0) for tag in sentence.upos]),
            _array([self._xpos.get(tag, 0) for tag in sentence.xpos]),
            _array(sentence.heads),
            _array([self._labels.get(label, 0) for label in sentence.labels]),
            spans,
            labelled,
        )

    def _brackets(self, example: Example) -> tuple[NDArray[np.int64] | None, NDArray[np.int64]]:
        if example.constituents is None:
            return None, np.zeros((0, 3), dtype=np.int64)
        labels = labelled_spans(example.constituents)
        spans = binary_spans(example.constituents, len(example))
        singles = [(word, word + 1) for word in range(len(example))]
        rows = [
            (
                start,
                end,
                span_label_number(labels[start, end], self._span_labels) if (start, end) in labels else 0,
            )
            for start, end in [*spans, *singles]
        ]
        if len(example) == 1:
            return np.zeros((0, 2), dtype=np.int64), _array(rows)
        return _array(spans), _array(rows)

    def batch(self, lines: Sequence[Sequence[Numbers]], random: np.random.Generator | None = None) -> Batch:
        """Lines as tensors; if a generator is given, random words are replaced by the unknown word."""
        sentences = [sentence for line in lines for sentence in line]
        sizes = [sum(len(s.forms) for s in line) for line in lines]
        longest = max(sizes)
        rows = [np.concatenate([s.words for s in line]) for line in lines]
        if random is not None:
            rows = [
                np.where(random.random(r.size) < _HIDING / (_HIDING + self._counts[r]), 0, r) for r in rows
            ]
        numbers: dict[str, int] = {}
        types = [
            np.array([numbers.setdefault(form, len(numbers)) for s in line for form in s.forms])
            for line in lines
        ]
        reversal = [np.concatenate([np.arange(n)[::-1], np.arange(n, longest)]) for n in sizes]
        places = np.concatenate([k * longest + np.arange(n) for k, n in enumerate(sizes)])
        lengths = _array([len(s.forms) for s in sentences])
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        inside = np.zeros((len(sentences), int(lengths.max())), dtype=np.int64)
        for k, n in enumerate(lengths):
            inside[k, :n] = places[offsets[k] : offsets[k] + n]
        starts = np.zeros(places.size, dtype=np.float32)
        starts[offsets[:-1]] = 1.0
        starts[np.concatenate([[0], np.cumsum(sizes)[:-1]])] = -1.0
        trees = [(k, s) for k, s in enumerate(sentences) if s.spans is not None]
        return Batch(
            _padded(rows, longest),
            _padded([np.concatenate([s.vectors for s in line]) for line in lines], longest),
            _padded(types, longest),
            _tensor(character_numbers(list(numbers), self._characters)),
            _tensor(np.stack(reversal)),
            _tensor(places),
            _tensor(inside),
            _tensor(lengths),
            torch.from_numpy(starts),
            _tensor(np.concatenate([s.upos for s in sentences])),
            _tensor(np.concatenate([s.xpos for s in sentences])),
            _tensor(
                np.concatenate(
                    [
                        np.column_stack([np.full(n, k), np.arange(n), sentences[k].heads])
                        for k, n in enumerate(lengths)
                    ]
                )
            ),
            _tensor(np.concatenate([s.labels for s in sentences])),
            _tensor(_array([k for k, _ in trees])),
            _tensor(_stacked([(k, s.spans) for k, s in trees if s.spans is not None], 3)),
            _tensor(_stacked([(k, s.labelled) for k, s in trees], 4)),
        )


def _stacked(tables: Sequence[tuple[int, NDArray[np.int64]]], columns: int) -> NDArray[np.int64]:
    rows = [np.column_stack([np.full(len(table), k), table]) for k, table in tables if len(table)]
    return np.concatenate([np.zeros((0, columns), dtype=np.int64), *rows])


def _array(values: Sequence[object]) -> NDArray[np.int64]:
    return np.array(values, dtype=np.int64)


def _tensor(values: NDArray[np.int64] | NDArray[np.int32]) -> Tensor:
    return torch.from_numpy(np.ascontiguousarray(values)).long()


def _padded(rows: Sequence[NDArray[np.int64]], longest: int) -> Tensor:
    table = np.zeros((len(rows), longest), dtype=np.int64)
    for target, row in zip(table, rows, strict=True):
        target[: row.size] = row
    return _tensor(table)


def make_lines(sentences: Sequence[Numbers], random: np.random.Generator) -> list[list[Numbers]]:
    """Joins neighbouring sentences into lines of one to three, at random."""
    lines: list[list[Numbers]] = []
    place = 0
    while place < len(sentences):
        wanted = int(random.choice(len(_LINE_SIZES), p=_LINE_SIZES)) + 1
        line = [sentences[place]]
        place += 1
        while len(line) < wanted and place < len(sentences):
            if sum(len(s.forms) for s in line) + len(sentences[place].forms) > _LONGEST_LINE:
                break
            line.append(sentences[place])
            place += 1
        lines.append(line)
    return lines


def group_lines(
    lines: Sequence[list[Numbers]], words: int, random: np.random.Generator
) -> list[list[list[Numbers]]]:
    """Groups of lines of similar length, in random order; about ``words`` words at most in each group."""
    sizes = np.array([sum(len(s.forms) for s in line) for line in lines])
    order = np.argsort(sizes + random.random(sizes.size), kind="stable")
    groups: list[list[list[Numbers]]] = []
    filled = words
    for k in order:
        if filled + sizes[k] > words:
            groups.append([])
            filled = 0
        groups[-1].append(lines[k])
        filled += int(sizes[k])
    return [groups[k] for k in random.permutation(len(groups))]
