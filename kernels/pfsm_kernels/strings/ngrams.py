"""N-grams that two sequences share, by order: those of characters up to six, those of words up to two.

An n-gram counts as often as in the sequence that has it less often (Popović 2015, section 2). The n-grams of both sides
are sorted together once, as numbers made of six character numbers and the side: every shorter n-gram is then a run of
equal beginnings. Where a pair has more different characters than fit, each order is sorted by itself.
"""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from pfsm_kernels.cache import copy, njit

Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]
CHARACTER_ORDERS = 6
WORD_ORDERS = 2
# Bits of a character's number in a key of 63 bits, the last of which tells the sides apart.
BITS = 10
# Pairs whose keys are in memory together.
AT_ONCE = 2000


@njit(inner=True, nogil=True)
def _count_keys(keys, counts):
    """Adds what a sorted list of keys, the side in the last bit, holds: of the hypothesis, the reference, shared."""
    start = 0
    while start < keys.size:
        of_ref, of_hyp = 0, 0
        end = start
        while end < keys.size and keys[end] >> 1 == keys[start] >> 1:
            if keys[end] & 1:
                of_hyp += 1
            else:
                of_ref += 1
            end += 1
        counts[0] += of_hyp
        counts[1] += of_ref
        counts[2] += min(of_ref, of_hyp)
        start = end


@njit(inner=True, nogil=True)
def _count_beginnings(keys, bits, begins, before, counts):
    """Adds the n-grams that both sides have, of all orders in one pass over the sorted keys of a pair.

    Of two neighbours ``common`` numbers agree. Where more do than before, a run of equal n-grams begins for each order
    more, at ``begins``, with ``before`` n-grams of the hypothesis before it; where fewer do, the runs of the longer
    orders end. An n-gram that stands alone is shared by nobody and costs nothing.
    """
    mask = (np.int64(1) << bits) - 1
    of_hyp, last = np.int64(0), np.int64(0)
    for place in range(1, keys.size + 1):
        key = keys[place - 1]
        common = np.int64(0)
        if place < keys.size:
            common = np.int64(CHARACTER_ORDERS)
            rest = (keys[place] ^ key) >> 1
            while rest:
                rest >>= bits
                common -= 1
        for n in range(last, common):
            begins[n], before[n] = place - 1, of_hyp
        of_hyp += key & 1
        for n in range(common, last):
            # What ends beyond the line is no n-gram.
            if key >> (1 + bits * (CHARACTER_ORDERS - 1 - n)) & mask:
                theirs = of_hyp - before[n]
                counts[n, 2] += min(theirs, place - begins[n] - theirs)
        last = common


@njit(inner=True, nogil=True)
def _packed(codes, side, bits, keys, first):
    """Six numbers in one, 0 for those beyond the end, then the side."""
    for i in range(codes.size):
        key = np.int64(0)
        for k in range(CHARACTER_ORDERS):
            key <<= bits
            if i + k < codes.size:
                key |= np.int64(codes[i + k])
        keys[first + i] = key << 1 | side


@njit(inner=True, nogil=True)
def _ranked(keys):
    """Number of each key among the different ones, the side in the last bit not counted."""
    order = np.argsort(keys)
    ranks = np.empty(keys.size, np.int64)
    rank = np.int64(0)
    for place in range(keys.size):
        if place and keys[order[place]] >> 1 != keys[order[place - 1]] >> 1:
            rank += 1
        ranks[order[place]] = rank
    return ranks


@njit(inner=True, nogil=True)
def _order_by_order(ref, hyp, orders, counts):
    """Any number of different symbols: an n-gram is the number of its beginning and its last symbol."""
    both = np.concatenate((ref, hyp)).astype(np.int64)
    begins = np.zeros(both.size, np.int64)
    for n in range(1, orders + 1):
        n_ref, n_hyp = max(0, ref.size - n + 1), max(0, hyp.size - n + 1)
        keys = np.empty(n_ref + n_hyp, np.int64)
        for i in range(n_ref):
            keys[i] = begins[i] << 32 | both[i + n - 1] << 1
        for i in range(n_hyp):
            keys[n_ref + i] = begins[ref.size + i] << 32 | both[ref.size + i + n - 1] << 1 | 1
        ranks = _ranked(keys)
        copy(ranks[:n_ref], begins)
        copy(ranks[n_ref:], begins[ref.size :])
        keys.sort()
        _count_keys(keys, counts[n - 1])


@njit(inner=True, nogil=True)
def _numbered(line, table, numbers, used):
    """The line in numbers from 1, given in the order of first use; returns how many there are by now."""
    for i in range(line.size):
        if table[line[i]] == 0:
            used[0] += 1
            table[line[i]] = used[0]
        numbers[i] = table[line[i]]


@njit(nogil=True)
def _keys(left, left_offsets, right, right_offsets, bits, table, numbers, keys, left_over):
    """The keys of all pairs, the reference's before the hypothesis's; zeros for pairs that are left over."""
    used = np.zeros(1, np.int32)
    for pair in range(left_offsets.size - 1):
        ref = left[left_offsets[pair] : left_offsets[pair + 1]]
        hyp = right[right_offsets[pair] : right_offsets[pair + 1]]
        used[0] = 0
        _numbered(ref, table, numbers[: ref.size], used)
        _numbered(hyp, table, numbers[ref.size : ref.size + hyp.size], used)
        first = left_offsets[pair] - left_offsets[0] + right_offsets[pair] - right_offsets[0]
        left_over[pair] = used[0] >= 1 << bits
        if not left_over[pair]:
            _packed(numbers[: ref.size], np.int64(0), bits, keys, first)
            _packed(numbers[ref.size : ref.size + hyp.size], np.int64(1), bits, keys, first + ref.size)
        for code in ref:
            table[code] = 0
        for code in hyp:
            table[code] = 0


@njit(nogil=True)
def _count_all(keys, left_offsets, right_offsets, bits, left_over, counts):
    """Counts the n-grams of all pairs whose keys are sorted."""
    begins, before = np.empty(CHARACTER_ORDERS, np.int64), np.empty(CHARACTER_ORDERS, np.int64)
    for pair in range(left_offsets.size - 1):
        if left_over[pair]:
            continue
        first = left_offsets[pair] - left_offsets[0] + right_offsets[pair] - right_offsets[0]
        n_ref = left_offsets[pair + 1] - left_offsets[pair]
        n_hyp = right_offsets[pair + 1] - right_offsets[pair]
        for n in range(CHARACTER_ORDERS):
            counts[pair, n, 0], counts[pair, n, 1] = max(0, n_hyp - n), max(0, n_ref - n)
        _count_beginnings(keys[first : first + n_ref + n_hyp], bits, begins, before, counts[pair])


@njit(nogil=True)
def _each_order(left, left_offsets, right, right_offsets, orders, wanted, counts):
    for pair in range(left_offsets.size - 1):
        if not wanted[pair]:
            continue
        ref = left[left_offsets[pair] : left_offsets[pair + 1]]
        hyp = right[right_offsets[pair] : right_offsets[pair + 1]]
        _order_by_order(ref, hyp, orders, counts[pair])


def character_ngrams(
    left: Int32, left_offsets: Int64, right: Int32, right_offsets: Int64, bits: int = BITS
) -> Int64:
    """Character n-grams of references (left) and hypotheses (right).

    Args:
        left: int32 [n_left], code points, line after line.
        left_offsets: int64 [n_pairs + 1], where each line begins.
        right: As ``left``.
        right_offsets: As ``left_offsets``.
        bits: Of a character's number, 1 to 10; a pair with more different characters takes the longer way.

    Returns:
        int64 [n_pairs, 6, 3]: n-grams of the hypothesis, of the reference, shared; by order.
    """
    sides = left, left_offsets, right, right_offsets
    counts = np.zeros((left_offsets.size - 1, CHARACTER_ORDERS, 3), dtype=np.int64)
    left_over = np.zeros(left_offsets.size - 1, dtype=np.bool_)
    largest = max(int(left.max(initial=0)), int(right.max(initial=0)))
    table = np.zeros(largest + 1, dtype=np.int32)
    for first in range(0, left_offsets.size - 1, AT_ONCE):
        last = min(first + AT_ONCE, left_offsets.size - 1)
        part = left, left_offsets[first : last + 1], right, right_offsets[first : last + 1]
        _by_one_sort(*part, bits, table, counts[first:last], left_over[first:last])
    if left_over.any():
        _each_order(*sides, CHARACTER_ORDERS, left_over, counts)
    return counts


def _by_one_sort(
    left: Int32,
    left_offsets: Int64,
    right: Int32,
    right_offsets: Int64,
    bits: int,
    table: Int32,
    counts: Int64,
    left_over: NDArray[np.bool_],
) -> None:
    """Counts the n-grams of some pairs; marks those with too many characters. ``table`` is zeros, and is so again."""
    ends = left_offsets + right_offsets
    ends -= ends[0]
    keys = np.zeros(ends[-1], dtype=np.int64)
    numbers = np.empty(int(np.diff(ends).max()), dtype=np.int32)
    _keys(left, left_offsets, right, right_offsets, bits, table, numbers, keys, left_over)
    # Sorted here and not in a kernel: NumPy is faster, and Numba's sort takes a second to compile.
    for first, last in pairwise(ends.tolist()):
        keys[first:last].sort()
    _count_all(keys, left_offsets, right_offsets, bits, left_over, counts)


def word_ngrams(left: Int32, left_offsets: Int64, right: Int32, right_offsets: Int64) -> Int64:
    """Words and pairs of neighbouring words, as `character_ngrams` counts characters: int64 [n_pairs, 2, 3].

    Word ids must be below 2^31.
    """
    counts = np.zeros((left_offsets.size - 1, WORD_ORDERS, 3), dtype=np.int64)
    every = np.ones(left_offsets.size - 1, dtype=np.bool_)
    _each_order(left, left_offsets, right, right_offsets, WORD_ORDERS, every, counts)
    return counts
