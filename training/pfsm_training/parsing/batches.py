"""Batches of padded tensors. Each pass joins the sentences anew into lines of one to three."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from pfsm.analysis.constituents import labelled_spans
from pfsm.english.parser.network import character_numbers, normal_form
from pfsm_training.parsing.treebank import Example, Inventory, binary_spans, numbered, span_label_number

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
