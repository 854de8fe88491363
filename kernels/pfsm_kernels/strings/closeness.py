"""Words of two sentences whose vectors are close: every (i, j) with a high enough cosine that is among the nearest.

    cosine(a, b) = <a, b> / sqrt(<a, a> <b, b>)

The components are whole numbers, so their products add up exactly in any order. They are added in 32 bits, where the
processor adds several at once: a sum on the way may wrap around, but the whole is at most the larger of the squared
lengths, and those fit. Most pairs are far from the minimum, which their product says without a root.

Of cosines below the minimum none is offered and none is nearer than one that is, so only those above it are compared.
A row of zeros, that of the words without a vector, is far from all.
"""

import math
from functools import partial

import numpy as np
from numpy.typing import NDArray

from pfsm_kernels.cache import njit
from pfsm_kernels.strings.matching import filled, widest

LARGEST = 2**31 - 1
# More than a product and its square can be rounded by.
ROUNDED = 1.0 - 1e-9


@njit(inner=True, borrows=True)
def _keep_largest(largest, value):
    """Puts a value in its place among the largest ones, which are in decreasing order, and drops the last."""
    at = largest.size - 1
    if value <= largest[at]:
        return
    while at > 0 and largest[at - 1] < value:
        largest[at] = largest[at - 1]
        at -= 1
    largest[at] = value


@njit(inner=True, borrows=True)
def _products(row, rows, right, n, products):
    """The dot products of one row and those of the first ``n`` right words."""
    for j in range(n):
        other = rows[right[j]]
        product = np.int32(0)
        for k in range(row.size):
            product = np.int32(product + np.int32(row[k]) * np.int32(other[k]))
        products[j] = product


@njit(inner=True, borrows=True)
def _square(row):
    square = np.int64(0)
    for component in row:
        square += np.int64(component) * np.int64(component)
    return square


@njit(inner=True, borrows=True)
def _find_squares(words, rows, squares):
    """Fills in the squared lengths of the words that are negative so far; whether all fit into 32 bits."""
    for word in words:
        if squares[word] < 0:
            squares[word] = _square(rows[word])
            if squares[word] > LARGEST:
                return False
    return True


@njit(inner=True, borrows=True)
def _above_in(pair, i, word, rows, squares, theirs, n, products, minimum, blocks, values, count):
    """Writes a left word's blocks from ``count`` on, as many as there is room for; where all of them end."""
    places, others, their_squares = theirs
    square = np.float64(squares[word])
    if square == 0.0:
        return count
    _products(rows[word], rows, others, n, products)
    least = minimum * minimum * ROUNDED * square
    for at in range(n):
        product = np.float64(products[at])
        if product * abs(product) <= least * their_squares[at]:
            continue
        value = min(product / math.sqrt(square * their_squares[at]), 1.0)
        if value < minimum:
            continue
        if count < values.size:
            blocks[count, 0], blocks[count, 1], blocks[count, 2] = pair, i, 1
            blocks[count, 3], blocks[count, 4] = places[at], 1
            values[count] = value
        count += 1
    return count


@njit(inner=True, borrows=True)
def _keep_nearest(blocks, values, first, end, by_row, by_column):
    """Moves a pair's blocks among the nearest of both of their words to the front, in order; where they end."""
    for at in range(first, end):
        for place in range(by_row.shape[1]):
            by_row[blocks[at, 1], place], by_column[blocks[at, 3], place] = -2.0, -2.0
    for at in range(first, end):
        _keep_largest(by_row[blocks[at, 1]], values[at])
        _keep_largest(by_column[blocks[at, 3]], values[at])
    count = first
    for at in range(first, end):
        i, j = blocks[at, 1], blocks[at, 3]
        if values[at] >= by_row[i, -1] and values[at] >= by_column[j, -1]:
            blocks[count, 1], blocks[count, 3], values[count] = i, j, values[at]
            count += 1
    return count


@njit(inner=True, borrows=True)
def _with_vector(first, end, right, squares, theirs):
    """Fills in place, word and squared length of a sentence's words that have a vector; how many there are."""
    places, found, their_squares = theirs
    known = 0
    for at in range(first, end):
        word = right[at]
        if squares[word] > 0:
            places[known], found[known], their_squares[known] = at - first, word, squares[word]
            known += 1
    return known


@njit(nogil=True)
def _squares(left, right, rows):
    """The squared lengths of all words that are used, and whether they fit into 32 bits."""
    squares = np.full(rows.shape[0], -1, dtype=np.int64)
    return squares, _find_squares(left, rows, squares) and _find_squares(right, rows, squares)


@njit(nogil=True)
def _fill(
    left,
    left_offsets,
    right,
    right_offsets,
    rows,
    squares,
    minimum,
    nearest,
    first_pair,
    count,
    blocks,
    values,
):
    m, n = widest(left_offsets), widest(right_offsets)
    products = np.empty(n, dtype=np.int32)
    theirs = (np.empty(n, np.int64), np.empty(n, right.dtype), np.empty(n))
    by_row, by_column = np.empty((m, max(nearest, 1))), np.empty((n, max(nearest, 1)))
    for pair in range(first_pair, left_offsets.size - 1):
        before = count
        known = _with_vector(right_offsets[pair], right_offsets[pair + 1], right, squares, theirs)
        for at in range(left_offsets[pair], left_offsets[pair + 1]):
            i, word = at - left_offsets[pair], left[at]
            count = _above_in(
                pair, i, word, rows, squares, theirs, known, products, minimum, blocks, values, count
            )
        if count > values.size:
            return pair, before, count
        if nearest > 0:
            count = _keep_nearest(blocks, values, before, count, by_row, by_column)
    return left_offsets.size - 1, count, count


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
        ValueError: If a row that is used is too long.
    """
    rows = np.ascontiguousarray(rows)
    squares, fits = _squares(left, right, rows)
    if not fits:
        raise ValueError("a vector is too long")
    given = left, left_offsets, right, right_offsets, rows, squares, float(minimum), nearest
    room = max(left.size, 64)
    blocks, values = filled(
        partial(_fill, *given), left_offsets.size - 1, np.empty((room, 5), np.int32), np.empty(room)
    )
    return blocks.copy(), values.copy()
