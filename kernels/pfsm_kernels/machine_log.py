"""The finite-state machine (pFSM) in log space: the twin of ``machine`` for what a tilt cannot save.

The recurrences are those of ``machine`` with (log-add, +) in the place of (+, x); nothing can underflow, every
cell costs a few ``exp`` and ``log1p``. Expected counts are added up in linear space, each term
``exp(forward + weight + backward - log_sum)`` being a probability.

Memory as in ``machine``: forward-backward keeps one row per block of sqrt(m + 1) rows.
"""

import math

import numpy as np
from numba import njit


@njit(cache=True)
def _add(x, y):
    """log(exp x + exp y), exact at minus infinity."""
    if x < y:
        x, y = y, x
    if y == -math.inf:
        return x
    return x + math.log1p(math.exp(y - x))


@njit(cache=True)
def _log_forward_rows(
    first,
    last,
    delete_states,
    insert_states,
    arcs,
    by_end,
    arc_weight,
    link_weight,
    W,
    I,
    D,
    X,
    M,
    next_start,
    next_end,
):
    """Fills rows first..last of I and D (row ``first`` at index 0, ``D[0]`` given) and the masses of their arcs."""
    m, n = delete_states.size, insert_states.size
    A = arcs.shape[0]
    start = W.shape[0] - 1
    XI, XD = X[0], X[1]
    for i in range(first, last + 1):
        r = i - first
        XI[: n + 1] = -math.inf
        XD[: n + 1] = -math.inf
        if i == 0 and n:
            XI[0] = W[start, insert_states[0]]
        if i == 0 and m:
            XD[0] = W[start, delete_states[0]]
        row_end = next_end
        while row_end < A and arcs[by_end[row_end], 0] + arcs[by_end[row_end], 1] == i:
            a = by_end[row_end]
            j = arcs[a, 2] + arcs[a, 3]
            if j < n:
                XI[j] = _add(XI[j], M[a] + W[arcs[a, 4], insert_states[j]])
            if i < m:
                XD[j] = _add(XD[j], M[a] + W[arcs[a, 4], delete_states[i]])
            row_end += 1
        I[r, 0] = -math.inf
        for j in range(n):
            mass = XI[j]
            if i:
                mass = _add(mass, D[r, j] + W[delete_states[i - 1], insert_states[j]])
            if j:
                mass = _add(mass, I[r, j] + W[insert_states[j - 1], insert_states[j]])
            I[r, j + 1] = mass
        ending = next_end
        while next_start < A and arcs[next_start, 0] == i:
            b = next_start
            j, state = arcs[b, 2], arcs[b, 4]
            mass = W[start, state] if i == 0 and j == 0 else -math.inf
            if j:
                mass = _add(mass, I[r, j] + W[insert_states[j - 1], state])
            if i:
                mass = _add(mass, D[r, j] + W[delete_states[i - 1], state])
            while ending < row_end and arcs[by_end[ending], 2] + arcs[by_end[ending], 3] < j:
                ending += 1
            e = ending
            while e < row_end and arcs[by_end[e], 2] + arcs[by_end[e], 3] == j:
                a = by_end[e]
                weight = W[arcs[a, 4], state]
                if link_weight.size and arcs[a, 1] + arcs[a, 3] == 2 and arcs[b, 1] + arcs[b, 3] == 2:
                    weight += link_weight[b]
                mass = _add(mass, M[a] + weight)
                e += 1
            M[b] = mass + arc_weight[b]
            next_start += 1
        if i < m:
            state = delete_states[i]
            for j in range(n + 1):
                mass = XD[j]
                if j:
                    mass = _add(mass, I[r, j] + W[insert_states[j - 1], state])
                if i:
                    mass = _add(mass, D[r, j] + W[delete_states[i - 1], state])
                D[r + 1, j] = mass
        next_end = row_end
    return next_start, next_end


@njit(cache=True)
def _log_backward_rows(
    first, last, delete_states, insert_states, arcs, by_end, arc_weight, link_weight, W,
    I, D, rows, M, B, counts, link_mass, log_sum, next_start, next_end,
):  # fmt: skip
    """Sweeps rows last..first backward, adding expected counts; ``rows``: bI, bD, bD of the row below, YI, YD."""
    m, n = delete_states.size, insert_states.size
    start = W.shape[0] - 1
    bI, bD, below, YI, YD = rows[0], rows[1], rows[2], rows[3], rows[4]
    for i in range(last, first - 1, -1):
        r = i - first
        YI[: n + 1] = -math.inf
        YD[: n + 1] = -math.inf
        if i == m:
            YI[n] = 0.0
            YD[n] = 0.0
        row_start = next_start
        while row_start > 0 and arcs[row_start - 1, 0] == i:
            row_start -= 1
            a = row_start
            j, state = arcs[a, 2], arcs[a, 4]
            mass = arc_weight[a] + B[a]
            if j:
                prev = insert_states[j - 1]
                follow = W[prev, state] + mass
                YI[j] = _add(YI[j], follow)
                counts[prev, state] += math.exp(I[r, j] + follow - log_sum)
            if i:
                prev = delete_states[i - 1]
                follow = W[prev, state] + mass
                YD[j] = _add(YD[j], follow)
                counts[prev, state] += math.exp(D[r, j] + follow - log_sum)
            elif j == 0:
                counts[start, state] += math.exp(W[start, state] + mass - log_sum)
        for j in range(n, -1, -1):
            if i < m:
                cur = delete_states[i]
                if j:
                    follow = W[insert_states[j - 1], cur] + below[j]
                    YI[j] = _add(YI[j], follow)
                    counts[insert_states[j - 1], cur] += math.exp(I[r, j] + follow - log_sum)
                if i:
                    follow = W[delete_states[i - 1], cur] + below[j]
                    YD[j] = _add(YD[j], follow)
                    counts[delete_states[i - 1], cur] += math.exp(D[r, j] + follow - log_sum)
                elif j == 0:
                    counts[start, cur] += math.exp(W[start, cur] + below[0] - log_sum)
            if j < n:
                cur = insert_states[j]
                if j:
                    follow = W[insert_states[j - 1], cur] + bI[j + 1]
                    YI[j] = _add(YI[j], follow)
                    counts[insert_states[j - 1], cur] += math.exp(I[r, j] + follow - log_sum)
                if i:
                    follow = W[delete_states[i - 1], cur] + bI[j + 1]
                    YD[j] = _add(YD[j], follow)
                    counts[delete_states[i - 1], cur] += math.exp(D[r, j] + follow - log_sum)
                elif j == 0:
                    counts[start, cur] += math.exp(W[start, cur] + bI[1] - log_sum)
            bI[j] = YI[j]
            bD[j] = YD[j]
        starting = next_start
        while next_end > 0:
            a = by_end[next_end - 1]
            if arcs[a, 0] + arcs[a, 1] != i:
                break
            j, state = arcs[a, 2] + arcs[a, 3], arcs[a, 4]
            mass = 0.0 if i == m and j == n else -math.inf
            if j < n:
                follow = W[state, insert_states[j]] + bI[j + 1]
                mass = _add(mass, follow)
                counts[state, insert_states[j]] += math.exp(M[a] + follow - log_sum)
            if i < m:
                follow = W[state, delete_states[i]] + below[j]
                mass = _add(mass, follow)
                counts[state, delete_states[i]] += math.exp(M[a] + follow - log_sum)
            while starting > row_start and arcs[starting - 1, 2] > j:
                starting -= 1
            b = starting - 1
            while b >= row_start and arcs[b, 2] == j:
                follow = W[state, arcs[b, 4]] + arc_weight[b] + B[b]
                linked = link_weight.size and arcs[a, 1] + arcs[a, 3] == 2 and arcs[b, 1] + arcs[b, 3] == 2
                if linked:
                    follow += link_weight[b]
                count = math.exp(M[a] + follow - log_sum)
                if linked:
                    link_mass[b] += count
                counts[state, arcs[b, 4]] += count
                mass = _add(mass, follow)
                b -= 1
            B[a] = mass
            next_end -= 1
        next_start = row_start
        below[: n + 1] = bD[: n + 1]
    return next_start, next_end


@njit(cache=True, nogil=True, error_model="numpy")
def log_forward_backward(
    delete_states,
    insert_states,
    arcs,
    by_end,
    arc_weight,
    link_weight,
    W,
    counts,
    arc_mass,
    link_mass,
    derivatives,
):
    """Log-sum of one lattice; with ``derivatives``, also its expected counts.

    Arguments as in ``machine.forward_backward_batch`` for a single lattice, with weights in the log domain.
    ``counts`` [S + 1, S], ``arc_mass`` [n_arcs] and ``link_mass`` ([n_arcs] or [0]) are written.
    """
    m, n, A = delete_states.size, insert_states.size, arcs.shape[0]
    block = math.ceil(math.sqrt(m + 1.0))
    n_blocks = (m + block) // block
    I, D = np.empty((block, n + 1)), np.empty((block + 1, n + 1))
    kept = np.full((n_blocks, n + 1), -math.inf)
    rows = np.full((5, n + 1), -math.inf)
    M, B = np.empty(A), np.empty(A)
    if m + n == 0:
        return 0.0
    next_start, next_end = 0, 0
    for b in range(n_blocks):
        D[0] = kept[b]
        first, last = b * block, min((b + 1) * block - 1, m)
        next_start, next_end = _log_forward_rows(
            first, last, delete_states, insert_states, arcs, by_end, arc_weight, link_weight, W,
            I, D, rows, M, next_start, next_end,
        )  # fmt: skip
        if b + 1 < n_blocks:
            kept[b + 1] = D[last - first + 1]
    last_row = m - (n_blocks - 1) * block
    log_sum = _add(I[last_row, n], D[last_row, n])
    for a in range(A):
        if arcs[a, 0] + arcs[a, 1] == m and arcs[a, 2] + arcs[a, 3] == n:
            log_sum = _add(log_sum, M[a])
    # With nothing possible (weights of minus infinity) there is nothing to count either.
    if not derivatives or log_sum == -math.inf:
        return log_sum
    rows[:] = -math.inf
    next_start, next_end = A, A
    for b in range(n_blocks - 1, -1, -1):
        first, last = b * block, min((b + 1) * block - 1, m)
        if b + 1 < n_blocks:
            D[0] = kept[b]
            s, e = next_start, next_end
            while s > 0 and arcs[s - 1, 0] >= first:
                s -= 1
            while e > 0 and arcs[by_end[e - 1], 0] + arcs[by_end[e - 1], 1] >= first:
                e -= 1
            _log_forward_rows(
                first, last, delete_states, insert_states, arcs, by_end, arc_weight, link_weight, W,
                I, D, rows[3:], M, s, e,
            )  # fmt: skip
        next_start, next_end = _log_backward_rows(
            first, last, delete_states, insert_states, arcs, by_end, arc_weight, link_weight, W,
            I, D, rows, M, B, counts, link_mass, log_sum, next_start, next_end,
        )  # fmt: skip
    for a in range(A):
        arc_mass[a] = math.exp(M[a] + B[a] - log_sum)
    return log_sum
