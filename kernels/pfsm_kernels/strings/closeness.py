"""Words of two sentences whose vectors are close: every (i, j) with a high enough cosine that is among the nearest.

    cosine(a, b) = <a, b> / sqrt(<a, a> <b, b>)

The components are whole numbers, so their products add up exactly in any order. They are added in 32 bits, where the
processor adds several at once: a sum on the way may wrap around, but the whole is at most the larger of the squared
lengths, and those fit. Most pairs are far from the minimum, which their product says without a root.

Of cosines below the minimum none is offered and none is nearer than one that is, so only those above it are compared.
A row of zeros, that of the words without a vector, is far from all.
"""

import math

import numpy as np
from numpy.typing import NDArray

from pfsm_kernels.cache import njit
from pfsm_kernels.strings.growing import doubled, doubled_values

LARGEST = 2**31 - 1
# More than a product and its square can be rounded by.
ROUNDED = 1.0 - 1e-9


@njit(borrows=True)
def _keep_largest(largest, value):
    """Puts a value in its place among the largest ones, which are in decreasing order, and drops the last."""
    at = largest.size - 1
    if value <= largest[at]:
        return
    while at > 0 and largest[at - 1] < value:
        largest[at] = largest[at - 1]
        at -= 1
    largest[at] = value


@njit(borrows=True)
def _products(row, rows, right, products):
    """The dot products of one row and those of the right words."""
    for j in range(right.size):
        other = rows[right[j]]
        product = np.int32(0)
        for k in range(row.size):
            product = np.int32(product + np.int32(row[k]) * np.int32(other[k]))
        products[j] = product


@njit(borrows=True)
def _square(row):
    square = np.int64(0)
    for component in row:
        square += np.int64(component) * np.int64(component)
    return square


@njit(borrows=True)
def _find_squares(words, rows, squares):
    """Fills in the squared lengths of the words that are negative so far; whether all fit into 32 bits."""
    for word in words:
        if squares[word] < 0:
            squares[word] = _square(rows[word])
            if squares[word] > LARGEST:
                return False
    return True


@njit(borrows=True)
def _widest(offsets):
    widest = 0
    for pair in range(offsets.size - 1):
        widest = max(widest, offsets[pair + 1] - offsets[pair])
    return widest


@njit(nogil=True)
def _fill(left, left_offsets, right, right_offsets, rows, minimum, nearest):
    """The blocks, their cosines, and whether the squared lengths of all words fit into 32 bits; if not, no blocks."""
    squares = np.full(rows.shape[0], -1, dtype=np.int64)
    if not (_find_squares(left, rows, squares) and _find_squares(right, rows, squares)):
        return np.empty((0, 5), dtype=np.int32), np.empty(0), False
    blocks = np.empty((max(left.size, 64), 5), dtype=np.int32)
    values = np.empty(blocks.shape[0])
    products = np.empty(_widest(right_offsets), dtype=np.int32)
    places, theirs = np.empty(products.size, dtype=np.int64), np.empty(products.size, dtype=right.dtype)
    their_squares = np.empty(products.size)
    by_row = np.empty((_widest(left_offsets), max(nearest, 1)))
    by_column = np.empty((products.size, max(nearest, 1)))
    low = minimum * minimum * ROUNDED
    count = 0
    for pair in range(left_offsets.size - 1):
        a, b = left_offsets[pair], right_offsets[pair]
        m, n = left_offsets[pair + 1] - a, right_offsets[pair + 1] - b
        by_row[:m], by_column[:n] = -2.0, -2.0
        known = 0
        for j in range(n):
            if squares[right[b + j]] > 0:
                places[known], theirs[known] = j, right[b + j]
                their_squares[known] = squares[right[b + j]]
                known += 1
        first = count
        for i in range(m):
            square = np.float64(squares[left[a + i]])
            if square == 0.0:
                continue
            _products(rows[left[a + i]], rows, theirs[:known], products)
            least = low * square
            for at in range(known):
                product = np.float64(products[at])
                if product * abs(product) <= least * their_squares[at]:
                    continue
                j = places[at]
                value = min(product / math.sqrt(square * their_squares[at]), 1.0)
                if value < minimum:
                    continue
                if count == values.size:
                    blocks, values = doubled(blocks), doubled_values(values)
                blocks[count, 0], blocks[count, 1], blocks[count, 2] = pair, i, 1
                blocks[count, 3], blocks[count, 4] = j, 1
                values[count] = value
                count += 1
                if nearest > 0:
                    _keep_largest(by_row[i], value)
                    _keep_largest(by_column[j], value)
        end, count = count, first
        for at in range(first, end):
            i, j = blocks[at, 1], blocks[at, 3]
            if values[at] >= by_row[i, -1] and values[at] >= by_column[j, -1]:
                blocks[count, 1], blocks[count, 3], values[count] = i, j, values[at]
                count += 1
    return blocks[:count].copy(), values[:count].copy(), True


def close_words(
    left: NDArray[np.int32],
    left_offsets: NDArray[np.int64],
    right: NDArray[np.int32],
    right_offsets: NDArray[np.int64],
    rows: NDArray[np.int16],
    minimum: float,
    nearest: int,
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Pairs of words with close vectors in every pair of sentences.

    Args:
        left: int32 [left tokens of all pairs], the row of each token's vector.
        left_offsets: int64 [n_pairs + 1], where each pair begins in ``left``.
        right: int32 [right tokens of all pairs].
        right_offsets: int64 [n_pairs + 1].
        rows: int16 [n_words, dimension], the squares of those that are used below 2^31; a row of zeros has cosine 0
            with every row.
        minimum: Least cosine, above 0 and at most 1.
        nearest: A pair is given only if each word is among this many nearest words of the other, words that are as
            near as the last of them included; 0: no limit.

    Returns:
        int32 [n_blocks, 5], rows (pair, i, 1, j, 1) sorted by (pair, i, j); float64 [n_blocks], their cosines.

    Raises:
        ValueError: If offsets do not fit, a word has no row, a row that is used is too long, or the minimum is out of
            bounds.
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
    blocks, values, fits = _fill(left, left_offsets, right, right_offsets, rows, float(minimum), nearest)
    if not fits:
        raise ValueError("a vector is too long")
    return blocks, values
