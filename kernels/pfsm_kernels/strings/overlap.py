"""What two token sequences have in common, in the ways of the classic metrics; tokens are ids, equal where >= equal.

* Edit distance: d[i, j] = min(d[i-1, j] + 1, d[i, j-1] + 1, d[i-1, j-1] + [r_i != h_j]).
* Common words: every word as often as in the sequence that has it less often.
* Longest common subsequence, plain, and weighted by f(k) = k^1.2 for k consecutive matches (Lin 2004, section 4).
* Skip-bigrams: ordered pairs of tokens with at most so many tokens between them, each as often as in the sequence that
  has it less often (Lin 2004, section 5).
* Matching runs: the longest run of equal tokens, free on both sides, is taken again and again until none is left
  (Melamed, Green and Turian 2003); the sum of the squares of their lengths.

Cost per pair: lengths multiplied, but for skip-bigrams (sorting) and runs (times the number of distinct run lengths).
"""

import numpy as np
from numpy.typing import NDArray

from pfsm_kernels.cache import njit

Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]
Float = NDArray[np.float64]


@njit(nogil=True)
def _edits(ref, hyp):
    row = np.arange(hyp.size + 1)
    for i in range(ref.size):
        corner, row[0] = row[0], i + 1
        for j in range(hyp.size):
            above = row[j + 1]
            row[j + 1] = min(above + 1, row[j] + 1, corner + (ref[i] != hyp[j]))
            corner = above
    return row[hyp.size]


@njit(nogil=True)
def _in_common(one, other):
    """Size of the intersection of two bags."""
    one, other = np.sort(one), np.sort(other)
    i, j, count = 0, 0, 0
    while i < one.size and j < other.size:
        if one[i] == other[j]:
            count += 1
        smaller = one[i] <= other[j]
        j += one[i] >= other[j]
        i += smaller
    return count


@njit(nogil=True)
def _subsequence(ref, hyp, power):
    """Weighted longest common subsequence; with power 1 its length."""
    value, run = np.zeros(hyp.size + 1), np.zeros(hyp.size + 1, np.int64)
    for i in range(ref.size):
        corner_value, corner_run = 0.0, 0
        for j in range(hyp.size):
            above_value, above_run = value[j + 1], run[j + 1]
            if ref[i] == hyp[j]:
                value[j + 1] = corner_value + (corner_run + 1.0) ** power - float(corner_run) ** power
                run[j + 1] = corner_run + 1
            else:
                value[j + 1] = max(above_value, value[j])
                run[j + 1] = 0
            corner_value, corner_run = above_value, above_run
    return value[hyp.size]


@njit(nogil=True)
def _skip_bigrams(tokens, gap):
    size = 0
    for i in range(tokens.size):
        size += min(gap + 1, tokens.size - 1 - i)
    pairs = np.empty(size, np.int64)
    count = 0
    for i in range(tokens.size):
        for j in range(i + 1, min(i + gap + 2, tokens.size)):
            pairs[count] = (np.int64(tokens[i]) << 32) | np.int64(tokens[j])
            count += 1
    return pairs


@njit(nogil=True)
def _runs(ref, hyp):
    """Sum of the squares of the lengths of the matching runs, longest first; earlier ones first among equals."""
    free_ref, free_hyp = np.ones(ref.size, np.bool_), np.ones(hyp.size, np.bool_)
    left = _in_common(ref, hyp)
    longest, squares = min(ref.size, hyp.size), 0.0
    while left > 0 and longest > 0:
        shorter = 0
        for i in range(ref.size):
            for j in range(hyp.size):
                size = 0
                while (
                    i + size < ref.size
                    and j + size < hyp.size
                    and ref[i + size] == hyp[j + size]
                    and free_ref[i + size]
                    and free_hyp[j + size]
                ):
                    size += 1
                if size < longest:
                    shorter = max(shorter, size)
                    continue
                free_ref[i : i + longest] = False
                free_hyp[j : j + longest] = False
                squares += float(longest) ** 2
                left -= longest
                # What is longer than expected cannot be: `longest` bounds all runs that are left.
        longest = shorter
    return squares


@njit(nogil=True)
def _edit_counts(left, left_offsets, right, right_offsets, result):
    for pair in range(result.size):
        result[pair] = _edits(
            left[left_offsets[pair] : left_offsets[pair + 1]],
            right[right_offsets[pair] : right_offsets[pair + 1]],
        )


@njit(nogil=True)
def _common_counts(left, left_offsets, right, right_offsets, result):
    for pair in range(result.size):
        result[pair] = _in_common(
            left[left_offsets[pair] : left_offsets[pair + 1]],
            right[right_offsets[pair] : right_offsets[pair + 1]],
        )


@njit(nogil=True)
def _subsequences(left, left_offsets, right, right_offsets, power, result):
    for pair in range(result.size):
        result[pair] = _subsequence(
            left[left_offsets[pair] : left_offsets[pair + 1]],
            right[right_offsets[pair] : right_offsets[pair + 1]],
            power,
        )


@njit(nogil=True)
def _skips(left, left_offsets, right, right_offsets, gap, result):
    for pair in range(result.shape[0]):
        one = _skip_bigrams(left[left_offsets[pair] : left_offsets[pair + 1]], gap)
        other = _skip_bigrams(right[right_offsets[pair] : right_offsets[pair + 1]], gap)
        result[pair, 0] = _in_common(one, other)
        result[pair, 1], result[pair, 2] = one.size, other.size


@njit(nogil=True)
def _squares(left, left_offsets, right, right_offsets, result):
    for pair in range(result.size):
        result[pair] = _runs(
            left[left_offsets[pair] : left_offsets[pair + 1]],
            right[right_offsets[pair] : right_offsets[pair + 1]],
        )


def edit_distances(left: Int32, left_offsets: Int64, right: Int32, right_offsets: Int64) -> Float:
    """Levenshtein distances of pairs of sequences, float64 [n_pairs].

    Args:
        left: int32 [left tokens of all pairs].
        left_offsets: int64 [n_pairs + 1], where each pair begins in ``left``.
        right: int32 [right tokens of all pairs].
        right_offsets: int64 [n_pairs + 1].

    Raises:
        ValueError: If offsets do not fit.
    """
    result = _empty(left, left_offsets, right, right_offsets)
    _edit_counts(left, left_offsets, right, right_offsets, result)
    return result


def common_words(left: Int32, left_offsets: Int64, right: Int32, right_offsets: Int64) -> Float:
    """Number of tokens in common regardless of order, float64 [n_pairs]; arguments as of `edit_distances`.

    Raises:
        ValueError: If offsets do not fit.
    """
    result = _empty(left, left_offsets, right, right_offsets)
    _common_counts(left, left_offsets, right, right_offsets, result)
    return result


def common_subsequences(
    left: Int32, left_offsets: Int64, right: Int32, right_offsets: Int64, power: float
) -> Float:
    """Longest common subsequences where k consecutive matches are worth ``k ** power``, float64 [n_pairs].

    Where tokens are equal they are matched, as in the published recurrence. Other arguments as of `edit_distances`.

    Raises:
        ValueError: If offsets do not fit.
    """
    result = _empty(left, left_offsets, right, right_offsets)
    _subsequences(left, left_offsets, right, right_offsets, power, result)
    return result


def common_skip_bigrams(
    left: Int32, left_offsets: Int64, right: Int32, right_offsets: Int64, gap: int
) -> Float:
    """Skip-bigrams in common, of the left and of the right sequence, float64 [n_pairs, 3].

    Args:
        left: As of `edit_distances`; tokens are not negative.
        left_offsets: Likewise.
        right: Likewise.
        right_offsets: Likewise.
        gap: Most tokens between the two of a bigram.

    Raises:
        ValueError: If offsets do not fit.
    """
    result = np.stack([_empty(left, left_offsets, right, right_offsets)] * 3, axis=1)
    _skips(left, left_offsets, right, right_offsets, gap, result)
    return result


def squared_runs(left: Int32, left_offsets: Int64, right: Int32, right_offsets: Int64) -> Float:
    """Sums of the squares of the lengths of matching runs, float64 [n_pairs]; arguments as of `edit_distances`.

    Raises:
        ValueError: If offsets do not fit.
    """
    result = _empty(left, left_offsets, right, right_offsets)
    _squares(left, left_offsets, right, right_offsets, result)
    return result


def _empty(left: Int32, left_offsets: Int64, right: Int32, right_offsets: Int64) -> Float:
    if left_offsets.size != right_offsets.size:
        raise ValueError("both sides need the same number of sequences")
    if left_offsets[-1] != left.size or right_offsets[-1] != right.size:
        raise ValueError("the last offset must be the number of tokens")
    return np.zeros(left_offsets.size - 1)
