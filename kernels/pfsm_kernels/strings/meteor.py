"""METEOR's alignment: which of all matches of two sentences to keep, by beam search over the reference.

A match joins ``q`` words of the reference from j with ``p`` words of the hypothesis from i. An alignment is a set of
matches in which no word of either side is covered twice. Wanted is the one that, in this order (Denkowski and Lavie
2011, section 2; 2014, section 2),

    1. covers the most words, both sides counted,
    2. has the fewest chunks (series of matches that follow one another on both sides),
    3. has the least sum of |i - j|.

A match that shares no word with another is kept from the start. The rest is searched from left to right in the
reference: at each place a path takes one of the matches that begin there, in the order given, or none; then the best
``beam`` paths go on, by the three criteria, earlier ones first among equals. A chunk counts once it has ended. Where
METEOR 1.5 departs from the papers, so does this search, for the scores are to be the same:

* covered words are ``worth`` what the caller says, whole numbers (METEOR rounds weighted words down, match by match);
* of the matches that begin at one place each path bears the distances of those tried before it, not its own, and the
  path that takes none bears all of them.

A path is its parent and the match it took; which words of the hypothesis it has used is a row of bits. Matches stand
in lists that places share: a word that the reference says a thousand times has one list. Cost per pair: at most
O(reference length * beam * (matches a place + beam)).
"""

import numpy as np
from numpy.typing import NDArray

from pfsm_kernels.cache import copy, njit

Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]
ONE = np.uint64(1)
# Columns of a match.
REF_SIZE, HYP, HYP_SIZE = 0, 1, 2
# Columns of a path: covered words, ended chunks, distance, end of the last match in the hypothesis (-1: none open),
# end of the last match in the reference, parent, match taken (-1: none).
COVERED, CHUNKS, DISTANCE, END, UNTIL, PARENT, TAKEN = 0, 1, 2, 3, 4, 5, 6


@njit(inner=True, nogil=True)
def _is_better(one, covered, chunks, distance):
    """Whether a path comes before, or with, one of these values."""
    if one[COVERED] != covered:
        return one[COVERED] > covered
    if one[CHUNKS] != chunks:
        return one[CHUNKS] < chunks
    return one[DISTANCE] <= distance


@njit(inner=True, nogil=True)
def _insert(paths, count, covered, chunks, distance, end, until, parent, taken):
    """Puts a path behind those that are as good, unless the beam is full of such; the number of paths."""
    beam = paths.shape[0]
    if count == beam and _is_better(paths[beam - 1], covered, chunks, distance):
        return count
    at = min(count, beam - 1)
    while at > 0 and not _is_better(paths[at - 1], covered, chunks, distance):
        for column in range(7):
            paths[at, column] = paths[at - 1, column]
        at -= 1
    paths[at, COVERED], paths[at, CHUNKS], paths[at, DISTANCE] = covered, chunks, distance
    paths[at, END], paths[at, UNTIL], paths[at, PARENT], paths[at, TAKEN] = end, until, parent, taken
    return min(count + 1, beam)


@njit(inner=True, nogil=True)
def _is_free(used, first, size):
    taken = np.uint64(0)
    for word in range(first, first + size):
        taken |= used[word >> 6] >> np.uint64(word & 63)
    return taken & ONE == 0


@njit(inner=True, nogil=True)
def _use(used, first, size):
    for word in range(first, first + size):
        used[word >> 6] |= ONE << np.uint64(word & 63)


@njit(inner=True, nogil=True)
def _keep_definite(matches, offsets, lists, n_hyp, fixed, used):
    """Matches that share no word with another: ``fixed[j]`` is the one that begins at j."""
    n_ref = lists.shape[0]
    ref_cover, hyp_cover = np.zeros(n_ref, np.int64), np.zeros(n_hyp, np.int64)
    for j in range(n_ref):
        for one in lists[j]:
            for at in range(offsets[one], offsets[one + 1]):
                for word in range(j, j + matches[at, REF_SIZE]):
                    ref_cover[word] += 1
                for word in range(matches[at, HYP], matches[at, HYP] + matches[at, HYP_SIZE]):
                    hyp_cover[word] += 1
    for j in range(n_ref):
        if ref_cover[j] != 1:
            continue
        for one in lists[j]:
            for at in range(offsets[one], offsets[one + 1]):
                match = matches[at]
                alone = True
                for word in range(j, j + match[REF_SIZE]):
                    alone &= ref_cover[word] == 1
                for word in range(match[HYP], match[HYP] + match[HYP_SIZE]):
                    alone &= hyp_cover[word] == 1
                if alone:
                    fixed[j] = at
                    _use(used, match[HYP], match[HYP_SIZE])


@njit(inner=True, nogil=True)
def _ended(path, first):
    """Chunks that have ended when the next match begins at ``first`` in the hypothesis (-1: no match)."""
    ends = path[END] >= 0 and path[END] != first
    return path[CHUNKS] + (1 if ends else 0)


@njit(inner=True, nogil=True)
def _go_on(paths, rank, j, used, matches, worth, begins, offsets, lists, most, is_sorted, nexts, n_next):
    """Puts a path's ways through a place, none of whose matches is definite, among the next paths; their number.

    The distances of a path only grow. So what comes after a match that the beam has no room for is refused too, unless
    it is worth more or goes on with a chunk; and all is, once what is worth ``most`` and goes on would be. In the last
    list, if it is in the order of the hypothesis, nothing goes on behind the chunk.
    """
    path = paths[rank]
    beam = nexts.shape[0]
    covered, chunks, distance, end = path[COVERED], path[CHUNKS], path[DISTANCE], path[END]
    more = chunks + 1 if end >= 0 else chunks
    refused = np.int64(-1)
    last = lists[j, 0] if offsets[lists[j, 1]] == offsets[lists[j, 1] + 1] else lists[j, 1]
    for one in lists[j]:
        for at in range(begins[one], offsets[one + 1]):
            i = np.int64(matches[at, HYP])
            if not _is_free(used, i, np.int64(matches[at, HYP_SIZE])):
                continue
            if worth[at] > refused or i == end:
                total, ended = covered + worth[at], chunks if i == end else more
                if n_next < beam or not _is_better(nexts[beam - 1], total, ended, distance):
                    ends = i + matches[at, HYP_SIZE], j + matches[at, REF_SIZE]
                    n_next = _insert(nexts, n_next, total, ended, distance, ends[0], ends[1], rank, at)
                elif i != end:
                    refused = worth[at]
            else:
                least = more if i > end and one == last and is_sorted[one] else chunks
                if _is_better(nexts[beam - 1], covered + most, least, distance):
                    return n_next
            distance += abs(i - j)
    return _insert(nexts, n_next, covered, more, distance, -1, j + 1, rank, -1)


@njit(inner=True, nogil=True)
def _search(matches, worth, begins, offsets, lists, most, is_sorted, n_hyp, beam, chosen):
    """Tells the match of the best alignment that begins at each word of the reference; the number of its chunks."""
    n_ref = lists.shape[0]
    fixed = np.full(n_ref, -1, np.int64)
    used = np.zeros((beam, (n_hyp + 63) // 64), np.uint64)
    _keep_definite(matches, offsets, lists, n_hyp, fixed, used[0])
    history = np.empty((n_ref + 1, beam, 7), np.int64)
    history[0, 0] = 0
    history[0, 0, END] = -1
    count = 1
    following = np.empty_like(used)
    # Words that all paths have used: a list begins behind what no path can take any more.
    taken = used[0].copy()
    for j in range(n_ref):
        paths, nexts = history[j], history[j + 1]
        n_next = 0
        for one in lists[j]:
            while begins[one] < offsets[one + 1] and not _is_free(
                taken, matches[begins[one], HYP], matches[begins[one], HYP_SIZE]
            ):
                begins[one] += 1
        for rank in range(count):
            path = paths[rank]
            if path[UNTIL] > j:
                covered, chunks, distance = path[COVERED], path[CHUNKS], path[DISTANCE]
                end, until, at = path[END], path[UNTIL], np.int64(-1)
            elif fixed[j] >= 0:
                at = fixed[j]
                i = matches[at, HYP]
                covered, chunks, distance = (
                    path[COVERED] + worth[at],
                    _ended(path, i),
                    path[DISTANCE] + abs(i - j),
                )
                end, until = i + matches[at, HYP_SIZE], j + matches[at, REF_SIZE]
            else:
                best = max(most[lists[j, 0]], most[lists[j, 1]])
                n_next = _go_on(
                    paths,
                    rank,
                    j,
                    used[rank],
                    matches,
                    worth,
                    begins,
                    offsets,
                    lists,
                    best,
                    is_sorted,
                    nexts,
                    n_next,
                )
                continue
            n_next = _insert(nexts, n_next, covered, chunks, distance, end, until, rank, at)
        for rank in range(n_next):
            following[rank] = used[nexts[rank, PARENT]]
            if nexts[rank, TAKEN] >= 0:
                _use(following[rank], matches[nexts[rank, TAKEN], HYP], matches[nexts[rank, TAKEN], HYP_SIZE])
        used, following = following, used
        count = n_next
        copy(used[0], taken)
        for rank in range(1, count):
            taken &= used[rank]
    best = 0
    for rank in range(count):
        path = history[n_ref, rank]
        path[CHUNKS] = _ended(path, -1)
        if not _is_better(history[n_ref, best], path[COVERED], path[CHUNKS], path[DISTANCE]):
            best = rank
    chunks = history[n_ref, best, CHUNKS]
    for j in range(n_ref, 0, -1):
        chosen[j - 1] = history[j, best, TAKEN]
        best = history[j, best, PARENT]
    return chunks


@njit(nogil=True)
def _align(matches, worth, offsets, lists, ref_offsets, hyp_sizes, beam, chosen, chunks):
    begins, most = offsets.copy(), np.zeros(offsets.size - 1, np.int64)
    is_sorted = np.ones(most.size, np.bool_)
    for one in range(most.size):
        for at in range(offsets[one], offsets[one + 1]):
            most[one] = max(most[one], worth[at])
            is_sorted[one] &= at == offsets[one] or matches[at - 1, HYP] < matches[at, HYP]
    for pair in range(hyp_sizes.size):
        first, last = ref_offsets[pair], ref_offsets[pair + 1]
        chunks[pair] = _search(
            matches,
            worth,
            begins,
            offsets,
            lists[first:last],
            most,
            is_sorted,
            hyp_sizes[pair],
            beam,
            chosen[first:last],
        )


def best_alignments(
    matches: Int32,
    worth: Int64,
    offsets: Int64,
    lists: Int64,
    ref_offsets: Int64,
    hyp_sizes: Int64,
    beam: int,
) -> tuple[Int64, Int64]:
    """METEOR's alignments of pairs of sentences.

    Args:
        matches: int32 [n_matches, 3], rows (q, i, p): q words of the reference, p words of the hypothesis from i.
        worth: int64 [n_matches], what each counts for in the first criterion.
        offsets: int64 [n_lists + 1], where each list of matches begins in ``matches``.
        lists: int64 [n_ref_words, 2], the lists of the matches that begin at each word of the references, in the order
            in which they are to be tried.
        ref_offsets: int64 [n_pairs + 1], where the words of each pair begin in ``lists``.
        hyp_sizes: int64 [n_pairs], words of the hypotheses.
        beam: Paths that go on from each place, at least 1.

    Returns:
        int64 [n_ref_words], the match that is kept at each word, -1 for none; int64 [n_pairs], the number of chunks.
    """
    chosen = np.full(lists.shape[0], -1, dtype=np.int64)
    chunks = np.zeros(hyp_sizes.size, dtype=np.int64)
    _align(matches, worth, offsets, lists, ref_offsets, hyp_sizes, beam, chosen, chunks)
    return chosen, chunks
