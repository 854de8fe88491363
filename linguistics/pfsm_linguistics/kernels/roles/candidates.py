"""Spans that are offered as arguments of a predicate, from a dependency tree and a constituent tree of one sentence.

A row of candidates is (first word, word after the last, kinds); kinds are bits that say where the span comes from: the
subtree of a word, such a subtree cut at the predicate or without its branch, a constituent, a single word; 16 times the
bit where marks of punctuation at the edges were left out. No span holds the predicate, and none is offered twice.

Rows of constituents are (first word, word after the last, the same of the constituent around it, the same of the one
around that, number of its label); heads are counted from 0, -1 for the root.
"""

import numpy as np

from pfsm_kernels.cache import njit

# Numbers of one type: Numba compiles what is given a plain constant for that constant alone.
SUBTREE, CUT, CONSTITUENT, WORD = np.int64(1), np.int64(2), np.int64(4), np.int64(8)
WITHOUT_MARKS = 4


@njit(nogil=True, error_model="numpy")
def tree_numbers(heads, first, last, depth):
    """First word, the word after the last, and depth of the subtree of every word, int64 [n] each; O(n depth)."""
    n = heads.size
    for w in range(n):
        first[w] = w
        last[w] = w + 1
        d = 0
        h = heads[w]
        while h >= 0 and d < n:
            d += 1
            h = heads[h]
        depth[w] = d
    for w in range(n):
        h = heads[w]
        d = 0
        while h >= 0 and d < n:
            first[h] = min(first[h], w)
            last[h] = max(last[h], w + 1)
            h = heads[h]
            d += 1


@njit(inner=True, nogil=True, error_model="numpy")
def _add(cands, n, s, e, kind, p):
    """Adds a span with its kind; returns the number of spans."""
    if s >= e or (s <= p < e):
        return n
    for k in range(n):
        if cands[k, 0] == s and cands[k, 1] == e:
            cands[k, 2] |= kind
            return n
    if n >= cands.shape[0]:
        return n
    cands[n, 0] = s
    cands[n, 1] = e
    cands[n, 2] = kind
    return n + 1


@njit(inner=True, nogil=True, error_model="numpy")
def _add_both(cands, n, s, e, kind, p, punct):
    """Adds a span as it is, and without the marks of punctuation at its edges."""
    n = _add(cands, n, s, e, kind, p)
    while s < e and punct[s]:
        s += 1
    while s < e and punct[e - 1]:
        e -= 1
    return _add(cands, n, s, e, kind << WITHOUT_MARKS, p)


@njit(nogil=True, error_model="numpy")
def candidates(heads, first, last, punct, spans, p, cands):
    """Writes the spans offered for the predicate ``p`` to ``cands``, int64 [most, 3]; returns their number."""
    n = np.int64(0)
    size = heads.size
    a = p
    below = -1
    steps = 0
    while a >= 0 and steps < size:
        for d in range(size):
            if heads[d] == a and d != below:
                n = _add_both(cands, n, first[d], last[d], SUBTREE, p, punct)
                if steps == 0:
                    n = _add(cands, n, d, d + 1, WORD, p)
        if a != p:
            # The word above without the branch that holds the predicate, as in relative clauses.
            if a < p:
                n = _add_both(cands, n, first[a], first[below], CUT, p, punct)
            else:
                n = _add_both(cands, n, last[below], last[a], CUT, p, punct)
            n = _add(cands, n, a, a + 1, WORD, p)
        below = a
        a = heads[a]
        steps += 1
    for k in range(spans.shape[0]):
        n = _add_both(cands, n, spans[k, 0], spans[k, 1], CONSTITUENT, p, punct)
    for d in range(size):
        if first[d] <= p < last[d]:
            n = _add_both(cands, n, first[d], p, CUT, p, punct)
            n = _add_both(cands, n, p + 1, last[d], CUT, p, punct)
        else:
            n = _add_both(cands, n, first[d], last[d], SUBTREE, p, punct)
    return n
