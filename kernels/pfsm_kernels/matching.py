"""Places where two token sequences agree: every (i, j) with equal keys, and every run of them as blocks.

A block of b tokens from (i, j) agrees when ``left[i + k] == right[j + k] >= 0`` for k = 0..b-1.
Cost O(m n + blocks) per pair; two passes, one that counts and one that writes.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray


@njit(cache=True, nogil=True)
def _fill(left, left_offsets, right, right_offsets, max_block, blocks, write):
    count = 0
    for pair in range(left_offsets.size - 1):
        left_first, left_last = left_offsets[pair], left_offsets[pair + 1]
        right_first, right_last = right_offsets[pair], right_offsets[pair + 1]
        for i in range(left_first, left_last):
            key = left[i]
            if key < 0:
                continue
            for j in range(right_first, right_last):
                if right[j] != key:
                    continue
                size = 1
                while True:
                    if write:
                        blocks[count, 0] = pair
                        blocks[count, 1] = i - left_first
                        blocks[count, 2] = size
                        blocks[count, 3] = j - right_first
                        blocks[count, 4] = size
                    count += 1
                    if size == max_block or i + size == left_last or j + size == right_last:
                        break
                    if left[i + size] < 0 or left[i + size] != right[j + size]:
                        break
                    size += 1
    return count


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
    empty = np.empty((0, 5), dtype=np.int32)
    count = _fill(left, left_offsets, right, right_offsets, max_block, empty, False)
    blocks = np.empty((count, 5), dtype=np.int32)
    _fill(left, left_offsets, right, right_offsets, max_block, blocks, True)
    return blocks
