"""Word vectors from plain text: positive pointwise mutual information with neighbours, reduced by a truncated SVD.

Contexts are the neighbours at -2, -1, +1 and +2. Each position counts separately, so that words of similar syntax have
similar vectors (Levy and Goldberg 2014, "Linguistic regularities in sparse and explicit word representations", with
positional contexts). The context distribution is smoothed by the power 0.75, and the vectors are the rows of U sqrt(S)
(Levy, Goldberg and Dagan 2015, section 3.3).
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix
from scipy.sparse.linalg import svds

from pfsm.english.parser.network import normal_form
from pfsm.english.tokens import words_of

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
