"""The finite-state machine's best edit sequence (Viterbi): ``machine`` with max in the place of log-add.

Ties are broken in a fixed order (Insert, Delete, then substitutions by position), so that the same lattice
always gives the same path.

Memory: 8 (m + 1) (n + 1) bytes of back-pointers (72 MB at 3,000 x 3,000 tokens).
"""

import math

import numpy as np
from numba import njit

INSERT, DELETE, START = -1, -2, -3


@njit(cache=True, nogil=True, error_model="numpy")
def best_path(delete_states, insert_states, arcs, by_end, arc_weight, link_weight, W, path):
    """Best score of one lattice and the edits that reach it.

    ``path`` int32 [m + n] receives the edits in order: ``INSERT``, ``DELETE`` or an arc's index. Returns the
    score and the number of edits; the score is minus infinity, with no edits, where nothing is possible.
    """
    m, n, A = delete_states.size, insert_states.size, arcs.shape[0]
    if m + n == 0:
        return 0.0, 0
    start = W.shape[0] - 1
    from_insert = np.full((m + 1, n + 1), START, np.int32)
    from_delete = np.full((m + 1, n + 1), START, np.int32)
    from_arc = np.full(A, START, np.int32)
    I, D, D_next = np.empty(n + 1), np.full(n + 1, -math.inf), np.empty(n + 1)
    M = np.empty(A)
    next_start, next_end = 0, 0
    for i in range(m + 1):
        D_next[:] = -math.inf
        I[:] = -math.inf
        row_end = next_end
        while row_end < A and arcs[by_end[row_end], 0] + arcs[by_end[row_end], 1] == i:
            row_end += 1
        ending = next_end
        for j in range(n + 1):
            group_end = ending
            while group_end < row_end and arcs[by_end[group_end], 2] + arcs[by_end[group_end], 3] == j:
                group_end += 1
            # Insert of token j, Delete of token i, and the arcs that begin here: the best way to arrive first.
            if j < n:
                cur = insert_states[j]
                best, back = (W[start, cur], START) if i + j == 0 else (-math.inf, START)
                if j and I[j] + W[insert_states[j - 1], cur] > best:
                    best, back = I[j] + W[insert_states[j - 1], cur], INSERT
                if i and D[j] + W[delete_states[i - 1], cur] > best:
                    best, back = D[j] + W[delete_states[i - 1], cur], DELETE
                for e in range(ending, group_end):
                    a = by_end[e]
                    if M[a] + W[arcs[a, 4], cur] > best:
                        best, back = M[a] + W[arcs[a, 4], cur], a
                I[j + 1] = best
                from_insert[i, j + 1] = back
            if i < m:
                cur = delete_states[i]
                best, back = (W[start, cur], START) if i + j == 0 else (-math.inf, START)
                if j and I[j] + W[insert_states[j - 1], cur] > best:
                    best, back = I[j] + W[insert_states[j - 1], cur], INSERT
                if i and D[j] + W[delete_states[i - 1], cur] > best:
                    best, back = D[j] + W[delete_states[i - 1], cur], DELETE
                for e in range(ending, group_end):
                    a = by_end[e]
                    if M[a] + W[arcs[a, 4], cur] > best:
                        best, back = M[a] + W[arcs[a, 4], cur], a
                D_next[j] = best
                from_delete[i + 1, j] = back
            while next_start < A and arcs[next_start, 0] == i and arcs[next_start, 2] == j:
                b = next_start
                cur = arcs[b, 4]
                best, back = (W[start, cur], START) if i + j == 0 else (-math.inf, START)
                if j and I[j] + W[insert_states[j - 1], cur] > best:
                    best, back = I[j] + W[insert_states[j - 1], cur], INSERT
                if i and D[j] + W[delete_states[i - 1], cur] > best:
                    best, back = D[j] + W[delete_states[i - 1], cur], DELETE
                for e in range(ending, group_end):
                    a = by_end[e]
                    weight = W[arcs[a, 4], cur]
                    if link_weight.size and arcs[a, 1] + arcs[a, 3] == 2 and arcs[b, 1] + arcs[b, 3] == 2:
                        weight += link_weight[b]
                    if M[a] + weight > best:
                        best, back = M[a] + weight, a
                M[b] = best + arc_weight[b]
                from_arc[b] = back
                next_start += 1
            ending = group_end
        next_end = row_end
        if i < m:
            D, D_next = D_next, D
    # Stopping is free: take the best way to have arrived at (m, n).
    best, edit = -math.inf, START
    if n and I[n] > best:
        best, edit = I[n], INSERT
    if m and D[n] > best:
        best, edit = D[n], DELETE
    for a in range(A):
        if arcs[a, 0] + arcs[a, 1] == m and arcs[a, 2] + arcs[a, 3] == n and M[a] > best:
            best, edit = M[a], a
    length = 0
    i, j = m, n
    while edit != START:
        path[length] = edit
        length += 1
        if edit == INSERT:
            edit = from_insert[i, j]
            j -= 1
        elif edit == DELETE:
            edit = from_delete[i, j]
            i -= 1
        else:
            i -= arcs[edit, 1]
            j -= arcs[edit, 3]
            edit = from_arc[edit]
    for k in range(length // 2):
        path[k], path[length - 1 - k] = path[length - 1 - k], path[k]
    return best, length
