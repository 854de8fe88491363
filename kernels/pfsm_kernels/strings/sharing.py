"""Places where two token sequences share knowledge: tokens that have a key in common, phrases that a table links.

**Shared keys.** Every token type has a list of keys (its synsets). Tokens i and j match where the lists have a key in
common. For each pair of sequences the keys of the right side are chained, ``head[key]`` to its last place,
``following`` to the one before; the keys of the left side then find their partners. Cost per pair: the keys of both
sides, plus the matches.

**Linked phrases.** A phrase is a node of a trie over word ids; nodes below ``n_words`` are single words, the k-th entry
of the child lists is node ``n_words + k``. A left phrase matches a right one that is among its targets, which are
sorted. Cost per left phrase: the shorter of a walk through its targets and a binary search for every right phrase.
"""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from pfsm_kernels.cache import njit
from pfsm_kernels.strings.matching import filled, widest

Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]


@njit(inner=True, nogil=True)
def _longest(ids, offsets, list_offsets):
    """The largest number of keys on one line."""
    longest = 0
    for line in range(offsets.size - 1):
        total = 0
        for place in range(offsets[line], offsets[line + 1]):
            total += list_offsets[ids[place] + 1] - list_offsets[ids[place]]
        longest = max(longest, total)
    return longest


@njit(inner=True, borrows=True)
def _in_order(partners, count, seen, n, i):
    """Puts the partners of a token in order: few by insertion, many by a look at every place that was seen."""
    if count * count > n:
        count = 0
        for j in range(n):
            if seen[j] == i:
                partners[count] = j
                count += 1
        return
    for at in range(1, count):
        j, place = partners[at], at
        while place and partners[place - 1] > j:
            partners[place] = partners[place - 1]
            place -= 1
        partners[place] = j


@njit(nogil=True)
def _shared(left, left_offsets, right, right_offsets, list_offsets, keys, n_keys, first_pair, count, rows):
    head = np.full(n_keys, -1, np.int32)
    longest, n_partners = _longest(right, right_offsets, list_offsets), widest(right_offsets)
    following, owner = np.empty(longest, np.int32), np.empty(longest, np.int32)
    seen, partners = np.empty(n_partners, np.int32), np.empty(n_partners, np.int32)
    for pair in range(first_pair, left_offsets.size - 1):
        before = count
        first = right_offsets[pair]
        n = right_offsets[pair + 1] - first
        entries = 0
        for j in range(n):
            seen[j] = -1
            for at in range(list_offsets[right[first + j]], list_offsets[right[first + j] + 1]):
                owner[entries] = j
                following[entries] = head[keys[at]]
                head[keys[at]] = entries
                entries += 1
        for i in range(left_offsets[pair + 1] - left_offsets[pair]):
            token = left[left_offsets[pair] + i]
            found = np.int64(0)
            for at in range(list_offsets[token], list_offsets[token + 1]):
                entry = head[keys[at]]
                while entry >= 0:
                    j = owner[entry]
                    if seen[j] != i:
                        seen[j] = i
                        partners[found] = j
                        found += 1
                    entry = following[entry]
            _in_order(partners, found, seen, n, i)
            for at in range(min(found, rows.shape[0] - count)):
                rows[count + at, 0] = pair
                rows[count + at, 1] = i
                rows[count + at, 2] = 1
                rows[count + at, 3] = partners[at]
                rows[count + at, 4] = 1
            count += found
        if count > rows.shape[0]:
            return pair, before, count
        for j in range(n):
            for at in range(list_offsets[right[first + j]], list_offsets[right[first + j] + 1]):
                head[keys[at]] = -1
    return left_offsets.size - 1, count, count


def tokens_sharing_keys(
    left: Int32,
    left_offsets: Int64,
    right: Int32,
    right_offsets: Int64,
    list_offsets: Int64,
    keys: Int32,
    n_keys: int,
) -> Int32:
    """Pairs of tokens, one of either side of a pair of sequences, whose lists have a key in common.

    Args:
        left: int32 [left tokens of all pairs], types.
        left_offsets: int64 [n_pairs + 1], where each pair begins in ``left``.
        right: int32 [right tokens of all pairs].
        right_offsets: int64 [n_pairs + 1].
        list_offsets: int64 [n_types + 1], where the list of each type begins in ``keys``.
        keys: int32, from 0 to ``n_keys - 1``, each at most once in a list.
        n_keys: Number of keys.

    Returns:
        int32 [n_blocks, 5], rows (pair, i, 1, j, 1), each once, sorted by (pair, i, j).
    """
    fill = partial(_shared, left, left_offsets, right, right_offsets, list_offsets, keys, n_keys)
    (rows,) = filled(fill, left_offsets.size - 1, np.empty((max(left.size, 64), 5), np.int32))
    return rows


@njit(nogil=True)
def _phrases(words, offsets, child_offsets, child_words, n_words, wanted, max_size, rows, row_offsets):
    count = 0
    for line in range(offsets.size - 1):
        first, last = offsets[line], offsets[line + 1]
        for start in range(first, last):
            node = words[start]
            size = 1
            while node >= 0:
                if wanted[node]:
                    rows[count, 0] = node
                    rows[count, 1] = start - first
                    rows[count, 2] = size
                    count += 1
                if size == max_size or start + size == last:
                    break
                word = words[start + size]
                size += 1
                low, high = child_offsets[node], child_offsets[node + 1]
                end = high
                while low < high:
                    middle = (low + high) // 2
                    if child_words[middle] < word:
                        low = middle + 1
                    else:
                        high = middle
                node = n_words + low if low < end and child_words[low] == word else -1
        row_offsets[line + 1] = count
    return count


def find_phrases(
    words: Int32,
    offsets: Int64,
    child_offsets: Int32,
    child_words: Int32,
    wanted: NDArray[np.bool_],
    max_size: int,
) -> tuple[Int32, Int64]:
    """All phrases of up to ``max_size`` words that a trie knows and that are wanted.

    Args:
        words: int32 [tokens of all lines], word ids; negative: a word the trie does not know.
        offsets: int64 [n_lines + 1].
        child_offsets: int32 [n_nodes + 1], where the children of each node begin in ``child_words``.
        child_words: int32 [n_nodes - n_words], the word that leads to each child; rising among siblings.
        wanted: bool [n_nodes].
        max_size: At least 1.

    Returns:
        int32 [n_phrases, 3], rows (node, position in the line, size), line by line, and int64 [n_lines + 1], where
        the phrases of each line begin.
    """
    n_words = child_offsets.size - 1 - child_words.size
    rows = np.empty((words.size * max_size, 3), dtype=np.int32)
    row_offsets = np.zeros(offsets.size, dtype=np.int64)
    count = _phrases(words, offsets, child_offsets, child_words, n_words, wanted, max_size, rows, row_offsets)
    return rows[:count], row_offsets


@njit(nogil=True)
def _linked(left, left_offsets, right, right_offsets, target_offsets, targets, most, first_pair, count, rows):
    head = np.full(target_offsets.size - 1, -1, np.int32)
    following = np.empty(right.shape[0], np.int32)
    for pair in range(first_pair, left_offsets.size - 1):
        before = count
        first, last = right_offsets[pair], right_offsets[pair + 1]
        # Chains of the places of each right phrase.
        for r in range(first, last):
            following[r] = head[right[r, 0]]
            head[right[r, 0]] = r
        for r_left in range(left_offsets[pair], left_offsets[pair + 1]):
            begin, end = target_offsets[left[r_left, 0]], target_offsets[left[r_left, 0] + 1]
            walk = end - begin <= 8 * (last - first)
            for step in range(end - begin if walk else last - first):
                if walk:
                    at = begin + step
                    entry = head[targets[at]]
                else:
                    entry = first + step
                    node = right[entry, 0]
                    if head[node] != entry:
                        continue
                    low, high = begin, end
                    while low < high:
                        middle = (low + high) // 2
                        if targets[middle] < node:
                            low = middle + 1
                        else:
                            high = middle
                    at = low
                    if at == end or targets[at] != node:
                        continue
                while entry >= 0 and count <= before + most:
                    if count < rows.shape[0]:
                        rows[count, 0] = pair
                        rows[count, 1] = left[r_left, 1]
                        rows[count, 2] = left[r_left, 2]
                        rows[count, 3] = right[entry, 1]
                        rows[count, 4] = right[entry, 2]
                        rows[count, 5] = at
                    count += 1
                    entry = following[entry]
        if count > rows.shape[0]:
            return pair, before, count
        for r in range(first, last):
            head[right[r, 0]] = -1
    return left_offsets.size - 1, count, count


def linked_phrases(
    left: Int32,
    left_offsets: Int64,
    right: Int32,
    right_offsets: Int64,
    target_offsets: Int32,
    targets: Int32,
    most: int = 2**31,
) -> tuple[Int32, Int32]:
    """Pairs of phrases, one of either side of a pair of sequences, that a table links.

    Args:
        left: int32 [n_left, 3], rows (node, position, size) as `find_phrases` returns them.
        left_offsets: int64 [n_pairs + 1].
        right: int32 [n_right, 3].
        right_offsets: int64 [n_pairs + 1].
        target_offsets: int32 [n_nodes + 1], where the targets of each node begin.
        targets: int32 [n_links], nodes; rising within the targets of a node.
        most: Of a pair that has more, one more is given.

    Returns:
        int32 [n_blocks, 5], rows (pair, i, p, j, q), each once, and int32 [n_blocks], the place in ``targets`` of the
        link that made each.
    """
    fill = partial(_linked, left, left_offsets, right, right_offsets, target_offsets, targets, most)
    (rows,) = filled(fill, left_offsets.size - 1, np.empty((max(left.shape[0], 64), 6), np.int32))
    return np.ascontiguousarray(rows[:, :5]), np.ascontiguousarray(rows[:, 5])
