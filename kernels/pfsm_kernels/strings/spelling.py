"""Words of two sentences that are spelled alike: every (i, j) whose normalised Levenshtein similarity is high enough.

    similarity(a, b) = (L - d(a, b)) / L,     L = max(|a|, |b|),     d the Levenshtein distance

A column of the table of distances between the beginnings of a and of b differs from one entry to the next by -1, 0 or
1, so two 64-bit numbers hold it, ``up`` where it rises and ``down`` where it falls, and a character of b turns one
column into the next with a dozen operations, for any a of at most 64 characters (Myers 1999 in the form of Hyyrö 2003,
*A bit-vector algorithm for computing Levenshtein and Damerau edit distances*). Which characters of a are a given one
is worked out once for a token of the left sentence. Cost O(|b|) for two words. Those whose lengths alone are too far
apart are not compared, nor those of which one has too many characters that the other lacks: each of these takes an
edit. They are counted by the last five bits of characters, of each up to two, so that some may be missed, but none is
counted in vain.
"""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from pfsm_kernels.cache import njit
from pfsm_kernels.strings.matching import filled, widest

LONGEST = 64
ONE = np.uint64(1)
# Rounding of the largest distance allowed; the similarity itself is compared exactly.
SLACK = 1e-9


@njit(inner=True, borrows=True)
def _distance(places, size, codes, first, last):
    """Levenshtein distance of a word, given as the places of each character in it, and another."""
    up, down = ~np.uint64(0), np.uint64(0)
    bottom = ONE << np.uint64(size - 1)
    distance = size
    for at in range(first, last):
        same = places[codes[at]]
        kept = (((same & up) + up) ^ up) | same | down
        rises, falls = down | ~(kept | up), kept & up
        if rises & bottom:
            distance += 1
        elif falls & bottom:
            distance -= 1
        rises, falls = (rises << ONE) | ONE, falls << ONE
        up, down = falls | ~(kept | rises), rises & kept
    return distance


@njit(inner=True)
def _characters(codes, words):
    """uint64 [n_words], for each word the bits that its characters set: one below, from the second on one above."""
    found = np.zeros(words.size - 1, dtype=np.uint64)
    for word in range(words.size - 1):
        for at in range(words[word], words[word + 1]):
            bit = ONE << np.uint64(codes[at] & 31)
            found[word] |= bit << np.uint64(32) if found[word] & bit else bit
    return found


@njit(inner=True, borrows=True)
def _n_bits(bits):
    """The number of bits that are set."""
    bits -= (bits >> ONE) & np.uint64(0x5555555555555555)
    bits = (bits & np.uint64(0x3333333333333333)) + ((bits >> np.uint64(2)) & np.uint64(0x3333333333333333))
    bits = (bits + (bits >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((bits * np.uint64(0x0101010101010101)) >> np.uint64(56))


@njit(inner=True, borrows=True)
def _with_spelling(first, last, right, words, characters, places, sizes, sets):
    """Fills in place, size and characters of the words of a right sentence that have a spelling; how many there are."""
    count = 0
    for j in range(first, last):
        word = right[j]
        if word >= 0:
            places[count], sizes[count], sets[count] = j, words[word + 1] - words[word], characters[word]
            count += 1
    return count


@njit(nogil=True)
def _fill(
    left, left_offsets, right, right_offsets, codes, words, minimum, starts, first_pair, count, rows, values
):
    characters = _characters(codes, words)
    # By the length of the longer word, the most edits that leave two words similar enough.
    most = np.empty(LONGEST + 1, dtype=np.int64)
    for length in range(LONGEST + 1):
        most[length] = int((1.0 - minimum) * length + SLACK)
    n = widest(right_offsets)
    # Of the right sentence, side by side for the inner loop.
    places, sizes, sets = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.uint64)
    for pair in range(first_pair, left_offsets.size - 1):
        before = count
        n = _with_spelling(
            right_offsets[pair], right_offsets[pair + 1], right, words, characters, places, sizes, sets
        )
        for i in range(left_offsets[pair], left_offsets[pair + 1]):
            word = left[i]
            if word < 0:
                continue
            size, ours = words[word + 1] - words[word], characters[word]
            for at in range(size):
                starts[codes[words[word] + at]] |= ONE << np.uint64(at)
            for k in range(n):
                length = max(size, sizes[k])
                limit = most[length]
                if abs(size - sizes[k]) > limit:
                    continue
                if _n_bits(ours & ~sets[k]) > limit or _n_bits(sets[k] & ~ours) > limit:
                    continue
                other = right[places[k]]
                similarity = 1.0
                if other != word:
                    distance = _distance(starts, size, codes, words[other], words[other + 1])
                    similarity = (length - distance) / length
                if similarity < minimum:
                    continue
                if count < values.size:
                    rows[count, 0], rows[count, 1], rows[count, 2] = pair, i - left_offsets[pair], 1
                    rows[count, 3], rows[count, 4] = places[k] - right_offsets[pair], 1
                    values[count] = similarity
                count += 1
            for at in range(size):
                starts[codes[words[word] + at]] = np.uint64(0)
        if count > values.size:
            return pair, before, count
    return left_offsets.size - 1, count, count


def similar_words(
    left: NDArray[np.int32],
    left_offsets: NDArray[np.int64],
    right: NDArray[np.int32],
    right_offsets: NDArray[np.int64],
    codes: NDArray[np.int32],
    words: NDArray[np.int64],
    minimum: float,
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Pairs of words spelled alike in every pair of sentences.

    Args:
        left: int32 [left tokens of all pairs], the word each token is; a negative one is like no other.
        left_offsets: int64 [n_pairs + 1], where each pair begins in ``left``.
        right: int32 [right tokens of all pairs].
        right_offsets: int64 [n_pairs + 1].
        codes: int32 [characters of all words], code points.
        words: int64 [n_words + 1], where each word begins in ``codes``; 1 to ``LONGEST`` characters each.
        minimum: Least similarity, above 0 and at most 1.

    Returns:
        int32 [n_blocks, 5], rows (pair, i, 1, j, 1) sorted by (pair, i, j); float64 [n_blocks], their similarities.
    """
    # Most of it is never touched, and so takes no memory.
    places = np.zeros(int(codes.max(initial=0)) + 1, dtype=np.uint64)
    given = left, left_offsets, right, right_offsets, codes, words, minimum, places
    room = max(left.size, 64)
    blocks, values = filled(
        partial(_fill, *given), left_offsets.size - 1, np.empty((room, 5), np.int32), np.empty(room)
    )
    return blocks.copy(), values.copy()
