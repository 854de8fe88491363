"""N-grams that two sequences share, by order: those of characters up to six, those of words up to two.

An n-gram counts as often as in the sequence that has it less often (Popović 2015, section 2). The n-grams of both sides
are sorted together once, as numbers made of six character numbers and the side: every shorter n-gram is then a run of
equal beginnings. Where a pair has more different characters than fit, each order is sorted by itself.
"""

import numpy as np
from numpy.typing import NDArray

from pfsm_kernels.cache import njit

Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]
CHARACTER_ORDERS = 6
WORD_ORDERS = 2
# Bits of a character's number in a key of 63 bits, the last of which tells the sides apart.
BITS = 10


@njit(nogil=True)
def _count_keys(keys, shift, counts):
    """Adds what a sorted list of keys, the side in the last bit, holds: of the hypothesis, the reference, shared."""
    start = 0
    while start < keys.size:
        key = keys[start] >> shift
        sides = np.zeros(2, np.int64)
        end = start
        while end < keys.size and keys[end] >> shift == key:
            sides[keys[end] & 1] += 1
            end += 1
        counts[0] += sides[1]
        counts[1] += sides[0]
        counts[2] += min(sides[0], sides[1])
        start = end


@njit(nogil=True)
def _packed(codes, side, bits, keys, first):
    """Six numbers in one, 0 for those beyond the end, then the side."""
    for i in range(codes.size):
        key = np.int64(0)
        for k in range(CHARACTER_ORDERS):
            key <<= bits
            if i + k < codes.size:
                key |= np.int64(codes[i + k])
        keys[first + i] = key << 1 | side


@njit(nogil=True)
def _by_one_sort(ref, hyp, bits, counts):
    keys = np.empty(ref.size + hyp.size, np.int64)
    _packed(ref, 0, bits, keys, 0)
    _packed(hyp, 1, bits, keys, ref.size)
    keys.sort()
    mask = (1 << bits) - 1
    for n in range(1, CHARACTER_ORDERS + 1):
        shift = 1 + bits * (CHARACTER_ORDERS - n)
        whole = keys[(keys >> shift) & mask != 0]
        _count_keys(whole, shift, counts[n - 1])


@njit(nogil=True)
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


@njit(nogil=True)
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
        begins[:n_ref] = ranks[:n_ref]
        begins[ref.size : ref.size + n_hyp] = ranks[n_ref:]
        keys.sort()
        _count_keys(keys, 1, counts[n - 1])


@njit(nogil=True)
def _numbered(line, table, used):
    """The line in numbers from 1, given in the order of first use; how many there are by now."""
    numbers = np.empty(line.size, np.int32)
    for i in range(line.size):
        if table[line[i]] == 0:
            used += 1
            table[line[i]] = used
        numbers[i] = table[line[i]]
    return numbers, used


@njit(nogil=True)
def _largest(line):
    largest = 0
    for symbol in line:
        largest = max(largest, symbol)
    return largest


@njit(nogil=True)
def _characters(left, left_offsets, right, right_offsets, bits, counts, left_over):
    table = np.zeros(max(_largest(left), _largest(right)) + 1, np.int32)
    for pair in range(left_offsets.size - 1):
        ref = left[left_offsets[pair] : left_offsets[pair + 1]]
        hyp = right[right_offsets[pair] : right_offsets[pair + 1]]
        ref_numbers, used = _numbered(ref, table, 0)
        hyp_numbers, used = _numbered(hyp, table, used)
        if used < 1 << bits:
            _by_one_sort(ref_numbers, hyp_numbers, bits, counts[pair])
        else:
            left_over[pair] = True
        for code in ref:
            table[code] = 0
        for code in hyp:
            table[code] = 0


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
    _characters(*sides, bits, counts, left_over)
    if left_over.any():
        _each_order(*sides, CHARACTER_ORDERS, left_over, counts)
    return counts


def word_ngrams(left: Int32, left_offsets: Int64, right: Int32, right_offsets: Int64) -> Int64:
    """Words and pairs of neighbouring words, as `character_ngrams` counts characters: int64 [n_pairs, 2, 3].

    Word ids must be below 2^31.
    """
    counts = np.zeros((left_offsets.size - 1, WORD_ORDERS, 3), dtype=np.int64)
    every = np.ones(left_offsets.size - 1, dtype=np.bool_)
    _each_order(left, left_offsets, right, right_offsets, WORD_ORDERS, every, counts)
    return counts
