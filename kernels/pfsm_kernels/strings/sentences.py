"""Sentences of two texts aligned in order, in blocks of a few sentences a side.

    best(i, j) = max over blocks (a, b) of  best(i - a, j - b) + gain(i - a, j - b, a, b)

    gain = shared - LENGTH |A - B| - JOINED (A - max A + B - max B)   with sentences on both sides
         = -ALONE (A + B)                                             with none on one side

A and B are the weights of the sentences' types, ``shared`` that of the types which both sides of the block have. The
places (i, j) lie in a band around the diagonal, so that time and memory are linear: O((n + m) HALF) places, of 8 blocks
each.
"""

import numpy as np

from pfsm_kernels.cache import njit

# Largest distance of a place from the diagonal, in sentences of the second text.
HALF = 40
LENGTH, JOINED, ALONE = 0.1, 0.2, 0.05
# In the order in which they are preferred where gains are equal.
BLOCKS = np.array([(1, 1), (1, 2), (2, 1), (2, 2), (1, 3), (3, 1), (1, 0), (0, 1)], np.int64)


@njit(inner=True, borrows=True)
def _shared(ones, first, stop, others, begin, end, weights):
    """The weight of what two sorted runs of types have in common."""
    total = 0.0
    while first < stop and begin < end:
        if ones[first] == others[begin]:
            total += weights[ones[first]]
            first += 1
            begin += 1
        elif ones[first] < others[begin]:
            first += 1
        else:
            begin += 1
    return total


@njit(inner=True, nogil=True)
def _mass(types, offsets, weights):
    masses = np.zeros(offsets.size - 1)
    for sentence in range(masses.size):
        for at in range(offsets[sentence], offsets[sentence + 1]):
            masses[sentence] += weights[types[at]]
    return masses


@njit(inner=True, borrows=True)
def _weight(masses, first, number):
    """The weight of neighbouring sentences, and of those that join the heaviest."""
    total = heaviest = 0.0
    for sentence in range(first, first + number):
        total += masses[sentence]
        heaviest = max(heaviest, masses[sentence])
    return total, total - heaviest


@njit(nogil=True)
def aligned_sentences(types, offsets, other_types, other_offsets, weights, half):
    """The blocks of the best alignment, int64 [n_blocks, 2]: how many sentences of each side, in order.

    Args:
        types: The types of the n sentences of the first text, then of all two neighbours from each sentence on, then of
            all three, one row after the other; each row sorted, each type in it once, int32.
        offsets: Where each row begins, int64 [3n + 1]; n is at least 1. Rows of too few sentences are empty.
        other_types: Those of the m sentences of the second text.
        other_offsets: Int64 [3m + 1]; m is at least 1.
        weights: Of each type, float64, above 0.
        half: Half the width of the band, in sentences of the second text.
    """
    n, m = offsets.size // 3, other_offsets.size // 3
    ones, others = (
        _mass(types, offsets[: n + 1], weights),
        _mass(other_types, other_offsets[: m + 1], weights),
    )
    half = max(half, 2 * m // n + 3)  # neighbouring rows of the band overlap
    width = 2 * half + 1
    best, move = np.full((n + 1, width), -np.inf), np.zeros((n + 1, width), np.int8)
    best[0, half] = 0.0
    for i in range(n + 1):
        low = i * m // n - half
        for j in range(max(low, 0), min(low + width, m + 1)):
            for block in range(BLOCKS.shape[0]):
                a, b = BLOCKS[block]
                if a > i or b > j:
                    continue
                column = j - b - ((i - a) * m // n - half)
                if not 0 <= column < width or best[i - a, column] == -np.inf:
                    continue
                (one, more), (other, further) = _weight(ones, i - a, a), _weight(others, j - b, b)
                if a == 0 or b == 0:
                    gain = -ALONE * (one + other)
                else:
                    row, column_row = (a - 1) * n + i - a, (b - 1) * m + j - b
                    gain = _shared(
                        types, offsets[row], offsets[row + 1],
                        other_types, other_offsets[column_row], other_offsets[column_row + 1], weights,
                    ) - LENGTH * abs(one - other) - JOINED * (more + further)  # fmt: skip
                value = best[i - a, column] + gain
                if value > best[i, j - low]:
                    best[i, j - low], move[i, j - low] = value, block
    blocks = np.empty((n + m, 2), np.int64)
    size, i, j = 0, n, m
    while i or j:
        blocks[size] = BLOCKS[move[i, j - (i * m // n - half)]]
        i, j, size = i - blocks[size, 0], j - blocks[size, 1], size + 1
    return blocks[:size][::-1].copy()
