"""Words of a text looked up in a long list, together with what they may be inflected forms of.

The list is a hash table with open addressing: ``slots`` holds word numbers, -1 where it is free, and a word stands in
the first slot from that of its hash on that was free. No text is made of a base form, which is the beginning of a word
and an ending: both are hashed and compared where they stand.
"""

import numpy as np
from numpy.typing import NDArray

from pfsm_kernels.cache import njit

Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]

NOWHERE = -1
# The hash is at most 54 bits, so that the next step does not overflow.
FACTOR, BITS = 131, (1 << 54) - 1


@njit(inner=True, borrows=True)
def _hashed(value, codes, first, last):
    """The hash of what has been read so far and of more characters."""
    for at in range(first, last):
        value = (value * FACTOR + codes[at]) & BITS
    return value


@njit(inner=True, borrows=True)
def _is_same(one, first, other, begin, size):
    at = 0
    while at < size and one[first + at] == other[begin + at]:
        at += 1
    return at == size


@njit(inner=True, borrows=True)
def _slot(value, slots):
    return (value ^ (value >> 21)) & (slots.size - 1)


@njit(nogil=True)
def _fill(codes, words, slots):
    for word in range(words.size - 1):
        first, size = words[word], words[word + 1] - words[word] - 1
        slot = _slot(_hashed(np.int64(0), codes, first, first + size), slots)
        while slots[slot] != NOWHERE:
            known = slots[slot]
            if words[known + 1] - words[known] - 1 == size and _is_same(
                codes, words[known], codes, first, size
            ):
                break
            slot = (slot + 1) & (slots.size - 1)
        slots[slot] = word


@njit(inner=True, borrows=True)
def _place(codes, words, slots, value, text, first, size, endings, begin, more):
    """The number of the word of which ``size`` characters stand in a text and ``more`` in the endings."""
    slot = _slot(_hashed(value, endings, begin, begin + more), slots)
    while slots[slot] != NOWHERE:
        at = words[slots[slot]]
        if (
            words[slots[slot] + 1] - at - 1 == size + more
            and _is_same(codes, at, text, first, size)
            and _is_same(codes, at + size, endings, begin, more)
        ):
            return slots[slot]
        slot = (slot + 1) & (slots.size - 1)
    return np.int32(NOWHERE)


@njit(nogil=True)
def _find(codes, words, slots, text, offsets, endings, rules, found):
    zero = np.int64(0)  # of the type of the other numbers: for a literal 0 Numba would compile all once more
    for asked in range(offsets.size - 1):
        first, last = offsets[asked], offsets[asked + 1]
        found[asked, 0] = _place(
            codes,
            words,
            slots,
            _hashed(zero, text, first, last),
            text,
            first,
            last - first,
            endings,
            zero,
            zero,
        )
        for rule in range(rules.shape[0]):
            cut, middle, end = rules[rule, 0], rules[rule, 1], rules[rule, 2]
            size = last - first - (middle - cut)
            if size < 0 or not _is_same(endings, cut, text, first + size, middle - cut):
                continue
            value = _hashed(zero, text, first, first + size)
            found[asked, rule + 1] = _place(
                codes, words, slots, value, text, first, size, endings, middle, end - middle
            )


def slots_of(codes: Int32, words: Int64) -> Int32:
    """The hash table of a list; a word that is listed twice stands in it with its last number.

    Args:
        codes: int32 [characters of all words], code points; behind each word one more, which is not a part of it.
        words: int64 [n_words + 1], where each word begins.
    """
    # At most half full.
    slots = np.full(1 << (2 * words.size).bit_length(), NOWHERE, dtype=np.int32)
    _fill(codes, words, slots)
    return slots


def find_words(
    codes: Int32, words: Int64, slots: Int32, text: Int32, offsets: Int64, endings: Int32, rules: Int64
) -> Int32:
    """Numbers of words and of their base forms in a list.

    Args:
        codes: The list, as in `slots_of`.
        words: Likewise.
        slots: Its hash table.
        text: int32, characters of the words asked for, one word after the other.
        offsets: int64 [n + 1], where each of them begins.
        endings: int32, characters of endings, and of what replaces them.
        rules: int64 [n_rules, 3]: where an ending begins, where what replaces it begins, and where that ends.

    Returns:
        int32 [n, 1 + n_rules], the number of the word itself, and of what it is by each rule; `NOWHERE` if that is not
        in the list, or the word has another ending.
    """
    found = np.full((offsets.size - 1, 1 + len(rules)), NOWHERE, dtype=np.int32)
    _find(codes, words, slots, text, offsets, endings, rules, found)
    return found
