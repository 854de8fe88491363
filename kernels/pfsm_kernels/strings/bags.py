"""What two bags of items have in common, items being keys with weights.

With ``L(k)`` the sum of the weights of all items of key k on the left, ``R(k)`` on the right:

    shared = sum_k min(L(k), R(k))

Keys of the left bag go into an open hash table, weights of the right bag are added where their key is found; sums are
taken in the order of the left items, so that they depend on nothing but the pair. Cost linear in the items.
"""

import numpy as np
from numpy.typing import NDArray

from pfsm_kernels.cache import njit

Int64 = NDArray[np.int64]
Float = NDArray[np.float64]


@njit(nogil=True)
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

    Raises:
        ValueError: If offsets or weights do not fit, or a key is negative.
    """
    if left_offsets.size != right_offsets.size:
        raise ValueError("both sides need the same number of bags")
    for keys, weights, offsets in (
        (left, left_weights, left_offsets),
        (right, right_weights, right_offsets),
    ):
        if not keys.size == weights.size == offsets[-1]:
            raise ValueError("the last offset must be the number of items, and of weights")
        if keys.size and keys.min() < 0:
            raise ValueError("a key is negative")
    result = np.zeros((left_offsets.size - 1, 3))
    _shared(left, left_weights, left_offsets, right, right_weights, right_offsets, result)
    return result
