"""What two token sequences have in common, in the ways of the classic metrics; tokens are ids, equal where >= equal.

* Edit distance: d[i, j] = min(d[i-1, j] + 1, d[i, j-1] + 1, d[i-1, j-1] + [r_i != h_j]).
* Common words: every word as often as in the sequence that has it less often.
* Longest common subsequence, plain, and weighted by f(k) = k^1.2 for k consecutive matches (Lin 2004, section 4).
* Skip-bigrams: ordered pairs of tokens with at most so many tokens between them, each as often as in the sequence that
  has it less often (Lin 2004, section 5).
* Weights of bags: sum_k min(L(k), R(k)), L(k) and R(k) being the sums of the weights of all items of key k on either
  side, in the order of the left items.
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
EDITS, WORDS, SUBSEQUENCE, RUNS = range(4)


@njit(inner=True, nogil=True)
def _edits(ref, hyp):
    row = np.arange(hyp.size + 1)
    for i in range(ref.size):
        corner, row[0] = row[0], i + 1
        for j in range(hyp.size):
            above = row[j + 1]
            row[j + 1] = min(above + 1, row[j] + 1, corner + (ref[i] != hyp[j]))
            corner = above
    return row[hyp.size]


@njit(inner=True, nogil=True)
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


@njit(inner=True, nogil=True)
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


@njit(inner=True, nogil=True)
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


@njit(inner=True, nogil=True)
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
def _measure(kind, left, left_offsets, right, right_offsets, power, result):
    for pair in range(result.size):
        one = left[left_offsets[pair] : left_offsets[pair + 1]]
        other = right[right_offsets[pair] : right_offsets[pair + 1]]
        if kind == EDITS:
            result[pair] = _edits(one, other)
        elif kind == WORDS:
            result[pair] = _in_common(one, other)
        elif kind == SUBSEQUENCE:
            result[pair] = _subsequence(one, other, power)
        else:
            result[pair] = _runs(one, other)


@njit(nogil=True)
def _skips(left, left_offsets, right, right_offsets, gap, result):
    for pair in range(result.shape[0]):
        one = _skip_bigrams(left[left_offsets[pair] : left_offsets[pair + 1]], gap)
        other = _skip_bigrams(right[right_offsets[pair] : right_offsets[pair + 1]], gap)
        result[pair, 0] = _in_common(one, other)
        result[pair, 1], result[pair, 2] = one.size, other.size


def _measured(
    kind: int, left: Int32, left_offsets: Int64, right: Int32, right_offsets: Int64, power: float = 1.0
) -> Float:
    result = np.zeros(left_offsets.size - 1)
    _measure(kind, left, left_offsets, right, right_offsets, power, result)
    return result


def edit_distances(left: Int32, left_offsets: Int64, right: Int32, right_offsets: Int64) -> Float:
    """Levenshtein distances of pairs of sequences, float64 [n_pairs].

    Args:
        left: int32 [left tokens of all pairs].
        left_offsets: int64 [n_pairs + 1], where each pair begins in ``left``.
        right: int32 [right tokens of all pairs].
        right_offsets: int64 [n_pairs + 1].
    """
    return _measured(EDITS, left, left_offsets, right, right_offsets)


def common_words(left: Int32, left_offsets: Int64, right: Int32, right_offsets: Int64) -> Float:
    """Number of tokens in common regardless of order, float64 [n_pairs]; arguments as of `edit_distances`."""
    return _measured(WORDS, left, left_offsets, right, right_offsets)


def common_subsequences(
    left: Int32, left_offsets: Int64, right: Int32, right_offsets: Int64, power: float
) -> Float:
    """Longest common subsequences where k consecutive matches are worth ``k ** power``, float64 [n_pairs].

    Where tokens are equal they are matched, as in the published recurrence. Other arguments as of `edit_distances`.
    """
    return _measured(SUBSEQUENCE, left, left_offsets, right, right_offsets, power)


def squared_runs(left: Int32, left_offsets: Int64, right: Int32, right_offsets: Int64) -> Float:
    """Sums of the squares of the lengths of matching runs, float64 [n_pairs]; arguments as of `edit_distances`."""
    return _measured(RUNS, left, left_offsets, right, right_offsets)


def common_skip_bigrams(
    left: Int32, left_offsets: Int64, right: Int32, right_offsets: Int64, gap: int
) -> Float:
    """Skip-bigrams in common, of the left and of the right sequence, float64 [n_pairs, 3].

    Arguments as of `edit_distances`, tokens not negative; ``gap`` is the most tokens between the two of a bigram.
    """
    result = np.zeros((left_offsets.size - 1, 3))
    _skips(left, left_offsets, right, right_offsets, gap, result)
    return result


@njit(inner=True, nogil=True)
def _place(keys, key, mask):
    """Where a key stands in the table, or would stand: the first slot from its own that is empty or holds it."""
    mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    slot = np.int64((mixed >> np.uint64(32)) & np.uint64(mask))
    while keys[slot] != key and keys[slot] != -1:
        slot = (slot + 1) & mask
    return slot


@njit(nogil=True)
def _shared(left, left_weights, left_offsets, right, right_weights, right_offsets, result):
    n_pairs = result.shape[0]
    longest = 0
    for pair in range(n_pairs):
        longest = max(longest, left_offsets[pair + 1] - left_offsets[pair])
    capacity = 4
    while capacity < 2 * longest:
        capacity *= 2
    keys = np.full(capacity, -1, np.int64)
    ours, theirs = np.zeros(capacity), np.zeros(capacity)
    used = np.empty(capacity, np.int64)
    for pair in range(n_pairs):
        size = left_offsets[pair + 1] - left_offsets[pair]
        mask = 3
        while mask + 1 < 2 * size:
            mask = 2 * mask + 1
        count = 0
        for item in range(left_offsets[pair], left_offsets[pair + 1]):
            slot = _place(keys, left[item], mask)
            if keys[slot] == -1:
                keys[slot] = left[item]
                ours[slot] = theirs[slot] = 0.0
                used[count] = slot
                count += 1
            ours[slot] += left_weights[item]
            result[pair, 1] += left_weights[item]
        for item in range(right_offsets[pair], right_offsets[pair + 1]):
            slot = _place(keys, right[item], mask)
            if keys[slot] != -1:
                theirs[slot] += right_weights[item]
            result[pair, 2] += right_weights[item]
        for k in range(count):
            slot = used[k]
            result[pair, 0] += min(ours[slot], theirs[slot])
            keys[slot] = -1


def shared_weights(
    left: Int64,
    left_weights: Float,
    left_offsets: Int64,
    right: Int64,
    right_weights: Float,
    right_offsets: Int64,
) -> Float:
    """Weight that pairs of bags share, and of the left and of the right bag as a whole: float64 [n_pairs, 3].

    Args:
        left: int64 [left items of all pairs], keys from 0.
        left_weights: float64, as many, at least 0; a key may stand in several items.
        left_offsets: int64 [n_pairs + 1], where each pair begins in ``left``.
        right: int64 [right items of all pairs].
        right_weights: float64, as many.
        right_offsets: int64 [n_pairs + 1].
    """
    result = np.zeros((left_offsets.size - 1, 3))
    _shared(left, left_weights, left_offsets, right, right_weights, right_offsets, result)
    return result
