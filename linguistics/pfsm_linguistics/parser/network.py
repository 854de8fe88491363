"""The parser's network in NumPy: words of lines in, scores of tags, sentence starts, arcs, labels and spans out.

This is the twin of ``pfsm_linguistics.training.parsing.network``, which describes the architecture; a test checks that
the two agree. The input for a word is its normal form and its characters, as numbers.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.arrays import Int64
from pfsm_linguistics.parser.weights import BEGIN, END, PADDING, UNKNOWN_CHARACTER, Matrix, ParserWeights

# A longer word keeps its first and last characters.
LONGEST = 20
_DIGIT = re.compile(r"\d")


# The parser and the labeller of roles ask for it several times for each word.
@lru_cache(maxsize=20_000)
def normal_form(word: str) -> str:
    """Lower case, digits as 0: the key of the word tables."""
    return _DIGIT.sub("0", word.lower())


def character_numbers(words: Sequence[str], known: Mapping[str, int]) -> NDArray[np.int32]:
    """Characters of each word between `BEGIN` and `END`, int32 [n_words, longest + 3], padded with `PADDING`.

    Every row ends in padding, so that the input for a word does not depend on the longest of its neighbours.

    Args:
        words: The words as written.
        known: Number of each known character, from 4.
    """
    shortened = [
        word if len(word) <= LONGEST else word[: LONGEST // 2] + word[-LONGEST // 2 :] for word in words
    ]
    table = np.full((len(words), max(map(len, shortened), default=0) + 3), PADDING, dtype=np.int32)
    for row, word in zip(table, shortened, strict=True):
        row[0] = BEGIN
        row[1 : len(word) + 1] = [known.get(character, UNKNOWN_CHARACTER) for character in word]
        row[len(word) + 1] = END
    return table


_LEAK = 0.1
_PAIRS = (
    ("arc_dependent", "arc_head"),
    ("label_dependent", "label_head"),
    ("span_left", "span_right"),
    ("span_label_left", "span_label_right"),
)
_BATCH_WORDS = 2048
# Number of words whose character encoding is cached, about half a kilobyte each.
_REMEMBERED = 50_000


@dataclass(frozen=True, eq=False)
class LineScores:
    """The network's scores for a line before its sentences are known.

    Attributes:
        encoded: float32 [n_words, 2 * hidden], the forward direction first.
        upos: float32 [n_words, n_upos], log-odds up to a constant.
        xpos: float32 [n_words, n_xpos].
        starts: float32 [n_words], log-odds that a sentence starts there.
    """

    encoded: Matrix
    upos: Matrix
    xpos: Matrix
    starts: Matrix


class Network:
    """The network with the weights of a file.

    Not thread-safe, because it caches words.
    """

    def __init__(self, weights: ParserWeights) -> None:
        arrays = weights.arrays
        self._arrays = arrays
        self._words = {word: k for k, word in enumerate(weights.inventories["words"], 1)}
        self._vectors = {word: k for k, word in enumerate(weights.inventories["vector_words"], 1)}
        self._characters = {c: k for k, c in enumerate(weights.inventories["characters"], END + 1)}
        self._lstms = [
            (_Lstm(arrays, f"lstm.{layer}.forward"), _Lstm(arrays, f"lstm.{layer}.backward"))
            for layer in range(weights.layers)
        ]
        self._label_forms = _by_output(arrays["labels"], arrays["root_label"].size + 1)
        self._span_forms = _by_output(arrays["span_labels"], arrays["span_label_left.bias"].size + 1)
        # Weights of two layers side by side, their biases, and the size of the first.
        self._pairs = {
            pair: (
                np.ascontiguousarray(np.concatenate([arrays[f"{name}.weight"] for name in pair]).T),
                np.concatenate([arrays[f"{name}.bias"] for name in pair]),
                len(arrays[f"{pair[0]}.weight"]),
            )
            for pair in _PAIRS
        }
        self._temperatures = weights.temperatures
        self._spellings: dict[str, int] = {}
        self._spelled: Matrix = np.zeros((0, arrays["filters.bias"].size), dtype=np.float32)

    def lines(self, lines: Sequence[Sequence[str]]) -> list[LineScores]:
        """Scores of lines of words, in order; an empty line has empty scores."""
        order = sorted(range(len(lines)), key=lambda k: -len(lines[k]))
        found: list[LineScores | None] = [None] * len(lines)
        for batch in _batches(order, [len(line) for line in lines]):
            encoded = self._encode([lines[k] for k in batch])
            words = np.concatenate(encoded)
            linear = _linear(self._arrays, "tag_layer", words)
            tags = np.where(linear > 0, linear, _LEAK * linear)
            columns = [_linear(self._arrays, "upos", tags), _linear(self._arrays, "xpos", tags)]
            starts = _linear(self._arrays, "starts", words)[:, 0]
            ends = np.cumsum([len(line) for line in encoded])[:-1]
            parts = zip(encoded, *(np.split(column, ends) for column in (*columns, starts)), strict=True)
            for k, part in zip(batch, parts, strict=True):
                found[k] = LineScores(*part)
        return [scores for scores in found if scores is not None]

    def arcs(self, encoded: Matrix) -> Matrix:
        """Scores of every head for every word of a sentence, float32 [n, n + 1]; the root comes first."""
        dependents, heads = self._pair("arc_dependent", "arc_head", encoded)
        heads = _with_one(np.concatenate([self._arrays["root_arc"][None], heads]))
        return self._tempered(_with_one(dependents) @ self._arrays["arcs"] @ heads.T, "arcs")

    def labels(self, encoded: Matrix, dependents: Int64, heads: Int64) -> Matrix:
        """Log-probabilities of the labels of given arcs of a sentence, float32 [n_arcs, n_labels].

        Label 0, the label of roots, is certain for arcs from the root and impossible for all others.

        Args:
            encoded: float32 [n, 2 * hidden].
            dependents: int64 [n_arcs], words counted from 0, in increasing order.
            heads: int64 [n_arcs]; 0 is the root.
        """
        left, right = self._pair("label_dependent", "label_head", encoded)
        left = _with_one(left) @ self._label_forms
        right = _with_one(np.concatenate([self._arrays["root_label"][None], right]))
        scores = self._tempered(_of_pairs(left, right, dependents, heads), "labels")
        scores[:, 0] = -np.inf
        scores = _log_softmax(scores)
        scores[heads == 0] = -np.inf
        scores[heads == 0, 0] = 0.0
        return scores

    def spans(self, encoded: Matrix) -> Matrix:
        """Scores of every span between two boundaries of a sentence, float32 [n + 1, n + 1]."""
        lefts, rights = self._pair("span_left", "span_right", _boundaries(encoded))
        return self._tempered(_with_one(lefts) @ self._arrays["spans"] @ _with_one(rights).T, "spans")

    def span_labels(self, encoded: Matrix, starts: Sequence[int], ends: Sequence[int]) -> Matrix:
        """Log-probabilities of the labels of given spans, float32 [n_spans, n_labels]."""
        lefts, rights = self._pair("span_label_left", "span_label_right", _boundaries(encoded))
        forms = _with_one(lefts) @ self._span_forms
        return _log_softmax(_of_pairs(forms, _with_one(rights), np.asarray(starts), np.asarray(ends)))

    def _pair(self, first: str, second: str, values: Matrix) -> tuple[Matrix, Matrix]:
        """Two hidden layers over the same values, by one product of matrices."""
        weights, bias, size = self._pairs[first, second]
        linear = values @ weights + bias
        # As in `lines`: the leak is below 1.
        hidden = np.maximum(linear, _LEAK * linear)
        return hidden[:, :size], hidden[:, size:]

    def _tempered(self, scores: NDArray[Any], kind: str) -> Matrix:
        """Scores divided by their temperature, so that the probabilities are calibrated."""
        result: Matrix = np.divide(scores, self._temperatures[kind], dtype=np.float32)
        return result

    def _encode(self, lines: Sequence[Sequence[str]]) -> list[Matrix]:
        """Encodes lines, the longest first, each as [n_words, 2 * hidden]."""
        sizes = np.array([len(line) for line in lines], dtype=np.int64)
        width = int(sizes[0])
        active = [int((sizes > place).sum()) for place in range(width)]
        words = self._inputs([word for line in lines for word in line])
        values = np.zeros((width, len(lines), words.shape[1]), dtype=np.float32)
        first = 0
        for k, size in enumerate(sizes):
            values[:size, k] = words[first : first + size]
            first += size
        for onward, backward in self._lstms:
            back = _turned(backward.run(_turned(values, sizes), active), sizes)
            values = np.concatenate([onward.run(values, active), back], axis=2)
        return [np.ascontiguousarray(values[:size, k]) for k, size in enumerate(sizes)]

    def _inputs(self, words: Sequence[str]) -> Matrix:
        normal = [normal_form(word) for word in words]
        known = self._arrays["words"][[self._words.get(word, 0) for word in normal]]
        fixed = self._arrays["vectors"][[self._vectors.get(word, 0) for word in normal]]
        return np.concatenate([known, fixed, self._spelling(words)], axis=1)

    def _spelling(self, words: Sequence[str]) -> Matrix:
        """Convolution over each word's characters, [n_words, filters]; computed once per form."""
        if len(self._spellings) > _REMEMBERED:
            self._spellings, self._spelled = {}, self._spelled[:0]
        new = [word for word in dict.fromkeys(words) if word not in self._spellings]
        if new:
            self._spellings |= {word: k for k, word in enumerate(new, len(self._spellings))}
            self._spelled = np.concatenate([self._spelled, self._convolved(new)])
        return self._spelled[[self._spellings[word] for word in words]]

    def _convolved(self, words: Sequence[str]) -> Matrix:
        numbers = character_numbers(words, self._characters)
        vectors = self._arrays["characters"][numbers]
        windows = np.concatenate([vectors[:, :-2], vectors[:, 1:-1], vectors[:, 2:]], axis=2)
        values = _linear(self._arrays, "filters", windows)
        values[numbers[:, 1:-1] == PADDING] = -np.inf
        highest: Matrix = values.max(axis=1)
        return np.maximum(highest, np.float32(0))


class _Lstm:
    """One direction; sigmoid(x) = (tanh(x / 2) + 1) / 2, so that one tanh serves the three gates and the cell."""

    def __init__(self, arrays: Mapping[str, Matrix], name: str) -> None:
        self._size = arrays[f"{name}.recurrent"].shape[1]
        halves = np.full(4 * self._size, 0.5, dtype=np.float32)
        halves[2 * self._size : 3 * self._size] = 1.0
        self._input = np.ascontiguousarray(arrays[f"{name}.input"].T) * halves
        self._recurrent = np.ascontiguousarray(arrays[f"{name}.recurrent"].T) * halves
        self._bias = arrays[f"{name}.bias"] * halves

    def run(self, values: Matrix, active: Sequence[int]) -> Matrix:
        """[places, lines, size] from [places, lines, inputs]; at each place the first ``active`` lines continue."""
        size = self._size
        width, lines, inputs = values.shape
        given = (values.reshape(-1, inputs) @ self._input + self._bias).reshape(width, lines, 4 * size)
        outputs = np.zeros((width, lines, size), dtype=np.float32)
        state = np.zeros((lines, size), dtype=np.float32)
        cell = np.zeros((lines, size), dtype=np.float32)
        for place, n in enumerate(active):
            gates = np.tanh(state[:n] @ self._recurrent + given[place, :n])
            gates[:, : 2 * size] = gates[:, : 2 * size] * 0.5 + 0.5
            gates[:, 3 * size :] = gates[:, 3 * size :] * 0.5 + 0.5
            cell = gates[:, size : 2 * size] * cell[:n] + gates[:, :size] * gates[:, 2 * size : 3 * size]
            state = gates[:, 3 * size :] * np.tanh(cell)
            outputs[place, :n] = state
        return outputs


def _batches(order: Sequence[int], sizes: Sequence[int]) -> list[list[int]]:
    """Batches of lines of similar length, with a limited number of words per batch."""
    batches: list[list[int]] = []
    for k in order:
        if batches and (len(batches[-1]) + 1) * max(1, sizes[batches[-1][0]]) <= _BATCH_WORDS:
            batches[-1].append(k)
        else:
            batches.append([k])
    return batches


def _turned(values: Matrix, sizes: Int64) -> Matrix:
    """Each line's words in reverse order; the padding stays at the end."""
    turned = np.zeros_like(values)
    for k, size in enumerate(sizes):
        turned[:size, k] = values[:size, k][::-1]
    return turned


def _of_pairs(forms: Matrix, right: Matrix, firsts: Int64, seconds: Int64) -> Matrix:
    """Scores of every output for pairs of rows, [n_pairs, outputs]; all pairs with one first row at once."""
    own = forms.reshape(len(forms), -1, right.shape[1])
    scores = np.empty((len(firsts), own.shape[1]), dtype=np.float32)
    order = np.argsort(firsts, kind="stable")
    bounds = np.searchsorted(firsts[order], np.arange(len(forms) + 1)).tolist()
    for row, (start, end) in enumerate(pairwise(bounds)):
        places = order[start:end]
        scores[places] = right[seconds[places]] @ own[row].T
    return scores


def _by_output(forms: Matrix, size: int) -> Matrix:
    """Biaffine forms [outputs * size, size] as one matrix [size, outputs * size]."""
    return np.ascontiguousarray(forms.reshape(-1, size, size).transpose(1, 0, 2)).reshape(size, -1)


def _linear(arrays: Mapping[str, Matrix], name: str, values: Matrix) -> Matrix:
    result: Matrix = values @ arrays[f"{name}.weight"].T + arrays[f"{name}.bias"]
    return result


def _with_one(values: Matrix) -> Matrix:
    return np.concatenate([values, np.ones((*values.shape[:-1], 1), dtype=np.float32)], axis=-1)


def _boundaries(encoded: Matrix) -> Matrix:
    """The vector between two words: the forward state before it and the backward state after it."""
    half = encoded.shape[1] // 2
    nothing = np.zeros((1, half), dtype=np.float32)
    before = np.concatenate([nothing, encoded[:, :half]])
    after = np.concatenate([encoded[:, half:], nothing])
    return np.concatenate([before, after], axis=1)


def _log_softmax(scores: Matrix) -> Matrix:
    shifted: Matrix = scores - scores.max(axis=-1, keepdims=True)
    total: Matrix = np.exp(shifted).sum(axis=-1, keepdims=True)
    return shifted - np.log(total)
