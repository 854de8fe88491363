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

A path is its parent and the match it took; which words of the hypothesis it has used is a row of bits. Cost per pair:
O(reference length * beam * (matches a place + beam)).
"""

import numpy as np
from numpy.typing import NDArray

from pfsm_kernels.cache import njit

Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]
ONE = np.uint64(1)
# Columns of a match.
REF, REF_SIZE, HYP, HYP_SIZE = 0, 1, 2, 3
# Columns of a path: covered words, ended chunks, distance, end of the last match in the hypothesis (-1: none open),
# end of the last match in the reference, parent, match taken (-1: none).
COVERED, CHUNKS, DISTANCE, END, UNTIL, PARENT, TAKEN = 0, 1, 2, 3, 4, 5, 6


@njit(nogil=True)
def _is_better(one, covered, chunks, distance):
    """Whether a path comes before, or with, one of these values."""
    if one[COVERED] != covered:
        return one[COVERED] > covered
    if one[CHUNKS] != chunks:
        return one[CHUNKS] < chunks
    return one[DISTANCE] <= distance


@njit(nogil=True)
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


@njit(nogil=True)
def _is_free(used, first, size):
    taken = np.uint64(0)
    for word in range(first, first + size):
        taken |= used[word >> 6] >> np.uint64(word & 63)
    return taken & ONE == 0


@njit(nogil=True)
def _use(used, first, size):
    for word in range(first, first + size):
        used[word >> 6] |= ONE << np.uint64(word & 63)


@njit(nogil=True)
def _keep_definite(matches, n_ref, n_hyp, fixed, used):
    """Matches that share no word with another: ``fixed[j]`` is the one that begins at j."""
    ref_cover, hyp_cover = np.zeros(n_ref, np.int64), np.zeros(n_hyp, np.int64)
    for match in matches:
        ref_cover[match[REF] : match[REF] + match[REF_SIZE]] += 1
        hyp_cover[match[HYP] : match[HYP] + match[HYP_SIZE]] += 1
    for at in range(matches.shape[0]):
        match = matches[at]
        alone = True
        for word in range(match[REF], match[REF] + match[REF_SIZE]):
            alone &= ref_cover[word] == 1
        for word in range(match[HYP], match[HYP] + match[HYP_SIZE]):
            alone &= hyp_cover[word] == 1
        if alone:
            fixed[match[REF]] = at
            _use(used, match[HYP], match[HYP_SIZE])


@njit(nogil=True)
def _ended(path, first):
    """Chunks that have ended when the next match begins at ``first`` in the hypothesis (-1: no match)."""
    ends = path[END] >= 0 and path[END] != first
    return path[CHUNKS] + (1 if ends else 0)


@njit(nogil=True)
def _search(matches, worth, n_ref, n_hyp, beam, chosen):
    """Marks the matches of the best alignment; the number of its chunks."""
    fixed = np.full(n_ref, -1, np.int64)
    used = np.zeros((beam, (n_hyp + 63) // 64), np.uint64)
    _keep_definite(matches, n_ref, n_hyp, fixed, used[0])
    history = np.empty((n_ref + 1, beam, 7), np.int64)
    history[0, 0] = 0
    history[0, 0, END] = -1
    count = 1
    following = np.empty_like(used)
    first = 0
    for j in range(n_ref):
        paths, nexts = history[j], history[j + 1]
        last = first
        while last < matches.shape[0] and matches[last, REF] == j:
            last += 1
        n_next = 0
        for rank in range(count):
            path = paths[rank]
            if path[UNTIL] > j:
                n_next = _insert(
                    nexts,
                    n_next,
                    path[COVERED],
                    path[CHUNKS],
                    path[DISTANCE],
                    path[END],
                    path[UNTIL],
                    rank,
                    -1,
                )
                continue
            distance = path[DISTANCE]
            if fixed[j] >= 0:
                low, high = fixed[j], fixed[j] + 1
                distance += abs(matches[low, HYP] - j)
            else:
                low, high = first, last
            for at in range(low, high):
                i, size = matches[at, HYP], matches[at, HYP_SIZE]
                if fixed[j] < 0 and not _is_free(used[rank], i, size):
                    continue
                n_next = _insert(
                    nexts,
                    n_next,
                    path[COVERED] + worth[at],
                    _ended(path, i),
                    distance,
                    i + size,
                    j + matches[at, REF_SIZE],
                    rank,
                    at,
                )
                if fixed[j] < 0:
                    distance += abs(i - j)
            if fixed[j] < 0:
                n_next = _insert(
                    nexts, n_next, path[COVERED], _ended(path, -1), distance, -1, j + 1, rank, -1
                )
        for rank in range(n_next):
            following[rank] = used[nexts[rank, PARENT]]
            if nexts[rank, TAKEN] >= 0:
                _use(following[rank], matches[nexts[rank, TAKEN], HYP], matches[nexts[rank, TAKEN], HYP_SIZE])
        used, following = following, used
        first, count = last, n_next
    best = 0
    for rank in range(count):
        path = history[n_ref, rank]
        path[CHUNKS] = _ended(path, -1)
        if not _is_better(history[n_ref, best], path[COVERED], path[CHUNKS], path[DISTANCE]):
            best = rank
    chunks = history[n_ref, best, CHUNKS]
    for j in range(n_ref, 0, -1):
        if history[j, best, TAKEN] >= 0:
            chosen[history[j, best, TAKEN]] = True
        best = history[j, best, PARENT]
    return chunks


@njit(nogil=True)
def _align(matches, worth, match_offsets, ref_sizes, hyp_sizes, beam, chosen, chunks):
    for pair in range(ref_sizes.size):
        first, last = match_offsets[pair], match_offsets[pair + 1]
        if first < last:
            chunks[pair] = _search(
                matches[first:last],
                worth[first:last],
                ref_sizes[pair],
                hyp_sizes[pair],
                beam,
                chosen[first:last],
            )


def best_alignments(
    matches: Int32, worth: Int64, match_offsets: Int64, ref_sizes: Int64, hyp_sizes: Int64, beam: int
) -> tuple[NDArray[np.bool_], Int64]:
    """METEOR's alignments of pairs of sentences.

    Args:
        matches: int32 [n_matches, 4], rows (j, q, i, p): q words of the reference from j, p words of the hypothesis
            from i; of each pair sorted by j, then in the order in which matches are to be tried.
        worth: int64 [n_matches], what each counts for in the first criterion.
        match_offsets: int64 [n_pairs + 1], where the matches of each pair begin.
        ref_sizes: int64 [n_pairs], words of the references.
        hyp_sizes: int64 [n_pairs], words of the hypotheses.
        beam: Paths that go on from each place, at least 1.

    Returns:
        bool [n_matches], which matches are kept; int64 [n_pairs], the number of chunks.
    """
    chosen = np.zeros(matches.shape[0], dtype=np.bool_)
    chunks = np.zeros(ref_sizes.size, dtype=np.int64)
    _align(np.ascontiguousarray(matches), worth, match_offsets, ref_sizes, hyp_sizes, beam, chosen, chunks)
    return chosen, chunks
