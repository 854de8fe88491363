"""chrF (Popović 2015) and chrF++ (Popović 2017) of many pairs at once, the same numbers as sacrebleu's.

With P and R the shares of the n-grams of hypothesis and reference that the other has, averaged over the orders that
both have: ``100 (1 + beta^2) P R / (beta^2 P + R)``, beta = 2. Orders are characters 1 to 6, spaces left out, and for
chrF++ words 1 and 2, where a sign at the end of a word, or else at its beginning, is a word of its own.
"""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from pfsm.text.scripts import spaceless

Float = NDArray[np.float64]
Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]

BETA = 2
_SIGNS = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


def ngram_counts(
    hypotheses: Sequence[str], references: Sequence[str], *, words: bool, lowercase: bool
) -> Int64:
    """By order the n-grams of hypothesis and reference and those shared, int64 [n_pairs, n_orders, 3].

    Args:
        hypotheses: Translations.
        references: As many.
        words: Whether words are counted after the characters, as chrF++ does.
        lowercase: Whether case is ignored.
    """
    from pfsm_kernels.strings.ngrams import character_ngrams, word_ngrams  # noqa: PLC0415 - brings numba

    ours, theirs = (
        [line.lower() for line in side] if lowercase else side for side in (references, hypotheses)
    )
    counts = character_ngrams(*_code_points(ours), *_code_points(theirs))
    if words:
        numbers: dict[str, int] = {}
        left, right = (_word_ids(side, numbers) for side in (ours, theirs))
        counts = np.concatenate([counts, word_ngrams(*left, *right)], axis=1)
    return counts


def f_scores(counts: Int64 | Float) -> Float:
    """From n-grams of hypothesis and reference and those shared, [n_pairs, n_orders, 3], to scores, 0 to 100."""
    of_hypothesis, of_reference, shared = (counts[:, :, k].astype(np.float64) for k in range(3))
    asked = (of_hypothesis > 0) & (of_reference > 0)
    orders = np.maximum(asked.sum(axis=1), 1)
    # Added order by order, as sacrebleu does.
    precision, recall = np.zeros(len(counts)), np.zeros(len(counts))
    for order in range(counts.shape[1]):
        here = asked[:, order]
        precision[here] += shared[here, order] / of_hypothesis[here, order]
        recall[here] += shared[here, order] / of_reference[here, order]
    precision, recall = precision / orders, recall / orders
    factor = BETA**2
    scores = np.zeros(len(counts))
    found = precision + recall > 0
    p, r = precision[found], recall[found]
    scores[found] = 100 * ((1 + factor) * p * r / (factor * p + r))
    return scores


def _offsets(sizes: Iterable[int]) -> Int64:
    return np.cumsum([0, *sizes], dtype=np.int64)


def _code_points(lines: Sequence[str]) -> tuple[Int32, Int64]:
    text, sizes = spaceless(lines)
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<i4")
    return points.astype(np.int32, copy=False), _offsets(sizes)


def _word_ids(lines: Sequence[str], numbers: dict[str, int]) -> tuple[Int32, Int64]:
    cut = [_words(line) for line in lines]
    ids = [numbers.setdefault(word, len(numbers)) for words in cut for word in words]
    return np.array(ids, dtype=np.int32), _offsets(map(len, cut))


def _words(line: str) -> list[str]:
    words = []
    for word in line.split():
        if len(word) == 1:
            words.append(word)
        elif word[-1] in _SIGNS:
            words += [word[:-1], word[-1]]
        elif word[0] in _SIGNS:
            words += [word[0], word[1:]]
        else:
            words.append(word)
    return words
