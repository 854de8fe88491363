"""Words of two sentences whose vectors are close: every (i, j) with a high enough cosine that is among the nearest.

    cosine(a, b) = <a, b> / sqrt(<a, a> <b, b>)

The components are whole numbers, so their products add up exactly in any order. They are added in 32 bits, where the
processor adds several at once: a sum on the way may wrap around, but the whole is at most the larger of the squared
lengths, and those fit.
"""

import math

import numpy as np
from numpy.typing import NDArray

from pfsm_kernels.cache import njit
from pfsm_kernels.strings.growing import doubled, doubled_values


@njit
def _keep_largest(largest, value):
    """Puts a value in its place among the largest ones, which are in decreasing order, and drops the last."""
    at = largest.size - 1
    if value <= largest[at]:
        return
    while at > 0 and largest[at - 1] < value:
        largest[at] = largest[at - 1]
        at -= 1
    largest[at] = value


@njit(nogil=True)
def _fill(left, left_offsets, right, right_offsets, rows, squares, minimum, nearest):
    blocks = np.empty((64, 5), dtype=np.int32)
    values = np.empty(64)
    count = 0
    for pair in range(left_offsets.size - 1):
        a, b = left_offsets[pair], right_offsets[pair]
        m, n = left_offsets[pair + 1] - a, right_offsets[pair + 1] - b
        cosines = np.zeros((m, n))
        for i in range(m):
            first = rows[left[a + i]]
            if squares[left[a + i]] == 0:
                continue
            for j in range(n):
                second = rows[right[b + j]]
                product = np.int32(0)
                for k in range(first.size):
                    product = np.int32(product + np.int32(first[k]) * np.int32(second[k]))
                square = np.float64(squares[left[a + i]]) * np.float64(squares[right[b + j]])
                if square > 0.0:
                    cosines[i, j] = min(max(product / math.sqrt(square), -1.0), 1.0)
        by_row, by_column = np.full((m, max(nearest, 1)), -2.0), np.full((n, max(nearest, 1)), -2.0)
        if nearest > 0:
            for i in range(m):
                for j in range(n):
                    _keep_largest(by_row[i], cosines[i, j])
                    _keep_largest(by_column[j], cosines[i, j])
        for i in range(m):
            for j in range(n):
                value = cosines[i, j]
                if value < minimum or value < by_row[i, -1] or value < by_column[j, -1]:
                    continue
                if count == values.size:
                    blocks, values = doubled(blocks), doubled_values(values)
                blocks[count, 0], blocks[count, 1], blocks[count, 2] = pair, i, 1
                blocks[count, 3], blocks[count, 4] = j, 1
                values[count] = value
                count += 1
    return blocks[:count].copy(), values[:count].copy()


def close_words(
    left: NDArray[np.int64],
    left_offsets: NDArray[np.int64],
    right: NDArray[np.int64],
    right_offsets: NDArray[np.int64],
    rows: NDArray[np.int16],
    minimum: float,
    nearest: int,
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Pairs of words with close vectors in every pair of sentences.

    Args:
        left: int64 [left tokens of all pairs], the row of each token's vector.
        left_offsets: int64 [n_pairs + 1], where each pair begins in ``left``.
        right: int64 [right tokens of all pairs].
        right_offsets: int64 [n_pairs + 1].
        rows: int16 [n_words, dimension], their squares below 2^31; a row of zeros has cosine 0 with every row.
        minimum: Least cosine, above 0 and at most 1.
        nearest: A pair is given only if each word is among this many nearest words of the other, words that are as
            near as the last of them included; 0: no limit.

    Returns:
        int32 [n_blocks, 5], rows (pair, i, 1, j, 1) sorted by (pair, i, j); float64 [n_blocks], their cosines.

    Raises:
        ValueError: If offsets do not fit, a word has no row, a row is too long, or the minimum is out of bounds.
    """
    if left_offsets.size != right_offsets.size or not 0.0 < minimum <= 1.0 or nearest < 0:
        raise ValueError(
            "both sides need the same number of sentences, and minimum must be above 0, at most 1"
        )
    if left_offsets[-1] != left.size or right_offsets[-1] != right.size:
        raise ValueError("offsets do not end where the tokens end")
    for side in (left, right):
        if side.size and (side.min() < 0 or side.max() >= len(rows)):
            raise ValueError("a word has no row")
    rows = np.ascontiguousarray(rows)
    squares = (rows.astype(np.int64) ** 2).sum(axis=1)
    if squares.max(initial=0) > np.iinfo(np.int32).max:
        raise ValueError("a vector is too long")
    blocks, values = _fill(left, left_offsets, right, right_offsets, rows, squares, float(minimum), nearest)
    return blocks, values
