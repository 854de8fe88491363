"""Places where two token sequences agree: every (i, j) with equal keys, and every run of them as blocks.

A block of b tokens from (i, j) agrees when ``left[i + k] == right[j + k] >= 0`` for k = 0..b-1.
The places of each key on the right are chained, so the cost per pair is O(m + n + blocks), and O(keys) once.
"""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from pfsm_kernels.cache import njit
from pfsm_kernels.strings.growing import filled, widest


@njit(nogil=True)
def _fill(left, left_offsets, right, right_offsets, max_block, n_keys, first_pair, count, rows):
    # Chains of the right side's places: head[key] is the first, following[j] the next one.
    head, following = np.full(n_keys, -1, np.int32), np.empty(widest(right_offsets), np.int32)
    for pair in range(first_pair, left_offsets.size - 1):
        before = count
        left_first, m = left_offsets[pair], left_offsets[pair + 1] - left_offsets[pair]
        right_first, n = right_offsets[pair], right_offsets[pair + 1] - right_offsets[pair]
        for j in range(n - 1, -1, -1):
            key = right[right_first + j]
            if key >= 0:
                following[j] = head[key]
                head[key] = j
        for i in range(m):
            key = left[left_first + i]
            if key < 0 or key >= n_keys:
                continue
            j = int(head[key])
            while j >= 0:
                size = 1
                while True:
                    if count < rows.shape[0]:
                        rows[count, 0] = pair
                        rows[count, 1] = i
                        rows[count, 2] = size
                        rows[count, 3] = j
                        rows[count, 4] = size
                    count += 1
                    if size == max_block or i + size == m or j + size == n:
                        break
                    key = left[left_first + i + size]
                    if key < 0 or key != right[right_first + j + size]:
                        break
                    size += 1
                j = int(following[j])
        if count > rows.shape[0]:
            return pair, before, count
        for j in range(n):
            if right[right_first + j] >= 0:
                head[right[right_first + j]] = -1
    return left_offsets.size - 1, count, count


def agreeing_blocks(
    left: NDArray[np.int32],
    left_offsets: NDArray[np.int64],
    right: NDArray[np.int32],
    right_offsets: NDArray[np.int64],
    max_block: int,
) -> NDArray[np.int32]:
    """Blocks of 1 to ``max_block`` tokens that agree in every pair of sequences.

    Args:
        left: int32 [left tokens of all pairs], keys; a negative key agrees with nothing.
        left_offsets: int64 [n_pairs + 1], where each pair begins in ``left``.
        right: int32 [right tokens of all pairs].
        right_offsets: int64 [n_pairs + 1].
        max_block: Largest block, at least 1.

    Returns:
        int32 [n_blocks, 5], rows (pair, i, size, j, size) sorted by (pair, i, j, size).

    Raises:
        ValueError: If offsets do not fit or ``max_block`` is below 1.
    """
    if left_offsets.size != right_offsets.size or max_block < 1:
        raise ValueError("both sides need the same number of sequences, and max_block must be at least 1")
    if left_offsets[-1] != left.size or right_offsets[-1] != right.size:
        raise ValueError("the last offset must be the number of tokens")
    n_keys = int(right.max(initial=-1)) + 1
    fill = partial(_fill, left, left_offsets, right, right_offsets, max_block, n_keys)
    (rows,) = filled(fill, left_offsets.size - 1, np.empty((max(left.size, 16), 5), np.int32))
    return rows
