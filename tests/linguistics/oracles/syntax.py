"""All trees of a sentence, one after the other: what the kernels of syntax must agree with."""

import itertools
import math
from collections.abc import Iterator
from functools import cache

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float64]
Heads = tuple[int, ...]
Spans = frozenset[tuple[int, int]]


@cache
def single_root_trees(n: int) -> tuple[Heads, ...]:
    """Heads (0 the root) of every tree over n words with one word under the root."""
    return tuple(
        heads
        for heads in itertools.product(range(n + 1), repeat=n)
        if heads.count(0) == 1 and all(_reaches_root(heads, word) for word in range(1, n + 1))
    )


def _reaches_root(heads: Heads, word: int) -> bool:
    seen = set()
    while word and word not in seen:
        seen.add(word)
        word = heads[word - 1]
    return word == 0


def tree_score(scores: Float, heads: Heads) -> float:
    return float(sum(scores[word, head] for word, head in enumerate(heads)))


def tree_sums(scores: Float) -> tuple[float, Float]:
    """Log of the sum over all trees, and the probability of every arc."""
    trees = single_root_trees(scores.shape[0])
    values = np.array([tree_score(scores, heads) for heads in trees])
    top = values.max()
    weights = np.exp(values - top)
    marginals = np.zeros_like(scores)
    for heads, weight in zip(trees, weights, strict=True):
        marginals[np.arange(len(heads)), heads] += weight / weights.sum()
    return float(top + math.log(weights.sum())), marginals


def bracketings(start: int, end: int) -> Iterator[Spans]:
    """Every binary bracketing of the words from start to end, single words included."""
    whole = (start, end)
    if end - start == 1:
        yield frozenset({whole})
        return
    for cut in range(start + 1, end):
        for left in bracketings(start, cut):
            for right in bracketings(cut, end):
                yield left | right | {whole}


def bracketing_score(scores: Float, spans: Spans) -> float:
    return float(sum(scores[i, j] for i, j in spans if j - i > 1))


def span_sums(scores: Float) -> tuple[float, Float]:
    """Log of the sum over all bracketings, and the probability of every span."""
    found = list(bracketings(0, scores.shape[0] - 1))
    values = np.array([bracketing_score(scores, spans) for spans in found])
    top = values.max()
    weights = np.exp(values - top)
    marginals = np.zeros_like(scores)
    for spans, weight in zip(found, weights, strict=True):
        for i, j in spans:
            marginals[i, j] += weight / weights.sum()
    return float(top + math.log(weights.sum())), marginals
