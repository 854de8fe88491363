"""Single-root dependency trees of one sentence: sums by the matrix-tree theorem, the best by Chu-Liu and Edmonds.

A tree gives every word one head, exactly one of them the root, without cycles; its weight is the product of
``exp(score[m, h])`` over its arcs. With ``A[h, m] = exp(score[m, h])`` the Laplacian ``L[m, m] = sum_h A[h, m]``,
``L[h, m] = -A[h, m]``, first row replaced by the weights of the arcs from the root, has the sum of all trees as its
determinant, and derivatives of its logarithm are the arcs' probabilities (Koo, Globerson, Carreras, Collins 2007,
"Structured prediction models via the matrix-tree theorem", section 3.2). Cost O(n^3).

Scores of each word are shifted by their largest first: every tree has one arc into each word, so that the shift is
exact. What a shift cannot cure, words that strongly prefer each other to every way out of their cycle, shows in a
determinant close to zero; it is returned for the caller to see.

The best tree, some arcs required or forbidden: every node takes its best head; a cycle is contracted to one node, whose
arcs in are worth what breaking the cycle there gains, ``W[u, c] = max_v (W[u, v] - W[head(v), v])``; this repeats until
no cycle is left, and contracted nodes are opened again in reverse (Edmonds 1967). Arcs from the root are lowered by
more than any tree can make up for, so that one is taken where one can be (Stanojevic and Cohen 2021, "A root of a
problem: optimizing single-root dependency parsing", section 3). Dense matrices, cost O(n^3) at worst. Of equal heads
the first is taken.
"""

import math

import numpy as np

from pfsm_kernels.cache import njit

FREE, FORBIDDEN = 0, 1


@njit(nogil=True, error_model="numpy")
def tree_marginals(scores, marginals):
    """Log of the sum over all trees, and every arc's probability.

    ``scores`` float64 [n, n + 1]: word m (from 0) under head h, 0 the root and h the h-th word; entry [m, m + 1] is
    not read. ``marginals`` of the same shape is filled. Returns the log-sum and the determinant after shifting, at
    most n! and at least 0 but for rounding; NaN and an unfilled ``marginals`` where elimination met a zero.
    """
    n = scores.shape[0]
    if n == 0:
        return 0.0, 1.0
    A = np.zeros((n + 1, n))
    shift = 0.0
    for m in range(n):
        top = -math.inf
        for h in range(n + 1):
            if h != m + 1 and scores[m, h] > top:
                top = scores[m, h]
        shift += top
        for h in range(n + 1):
            if h != m + 1:
                A[h, m] = math.exp(scores[m, h] - top)
    # Rows [L | I], reduced in place to [I | inverse].
    W = np.zeros((n, 2 * n))
    for m in range(n):
        for h in range(n):
            if h != m:
                W[m, m] += A[h + 1, m]
                W[h, m] -= A[h + 1, m]
        W[m, n + m] = 1.0
    for m in range(n):
        W[0, m] = A[0, m]
    det = 1.0
    log_det = 0.0
    for k in range(n):
        pivot = k
        for i in range(k + 1, n):
            if abs(W[i, k]) > abs(W[pivot, k]):
                pivot = i
        p = W[pivot, k]
        if p == 0.0 or math.isnan(p):
            return math.nan, math.nan
        if pivot != k:
            for j in range(2 * n):
                W[k, j], W[pivot, j] = W[pivot, j], W[k, j]
            det = -det
        det *= 1.0 if p > 0 else -1.0
        log_det += math.log(abs(p))
        for j in range(k, 2 * n):
            W[k, j] /= p
        for i in range(n):
            f = W[i, k]
            if i != k and f != 0.0:
                for j in range(k, 2 * n):
                    W[i, j] -= f * W[k, j]
    # inverse[a, b] = W[a, n + b]; d log det / d L[a, b] = inverse[b, a].
    for m in range(n):
        marginals[m, m + 1] = 0.0
        marginals[m, 0] = A[0, m] * W[m, n]
        for h in range(n):
            if h != m:
                p = 0.0
                if m != 0:
                    p += W[m, n + m]
                if h != 0:
                    p -= W[m, n + h]
                marginals[m, h + 1] = A[h + 1, m] * p
    return log_det + shift, det * math.exp(log_det)


@njit(nogil=True, error_model="numpy")
def tree_marginals_batch(scores, lengths, log_sums, determinants, marginals):
    """`tree_marginals` of every sentence of a batch padded at the end.

    ``scores`` and ``marginals`` float64 [batch, longest, longest + 1], ``lengths`` int64 [batch], ``log_sums`` and
    ``determinants`` float64 [batch]. Padding is neither read nor written.
    """
    for b in range(scores.shape[0]):
        n = lengths[b]
        log_sums[b], determinants[b] = tree_marginals(scores[b, :n, : n + 1], marginals[b, :n, : n + 1])


@njit(nogil=True, error_model="numpy")
def best_tree(scores, forbidden, heads):
    """The tree of the largest sum of scores.

    ``scores`` float64 [n, n + 1]: word m (from 0) under head h, 0 the root, h the h-th word; minus infinity and
    [m, m + 1] are not arcs, nor are those where ``forbidden``, of the same shape, is not `FREE`. ``heads`` int32 [n]
    is filled. Returns the sum; minus infinity where there is no single-root tree.
    """
    n = scores.shape[0]
    if n == 0:
        return 0.0
    size = 2 * n + 1
    W = np.full((size, size), -math.inf)
    low, high = math.inf, -math.inf
    for m in range(n):
        for h in range(n + 1):
            if h != m + 1 and forbidden[m, h] == 0 and scores[m, h] > -math.inf:
                W[h, m + 1] = scores[m, h]
                low, high = min(low, scores[m, h]), max(high, scores[m, h])
    if high < low:
        return -math.inf
    penalty = 1.0 + n * (high - low)
    for m in range(n):
        W[0, m + 1] -= penalty
    active = np.zeros(size, np.bool_)
    active[: n + 1] = True
    head = np.full(size, -1, np.int32)
    enter = np.zeros((size, size), np.int32)
    leave = np.zeros((size, size), np.int32)
    owner = np.full(size, -1, np.int32)
    mark = np.zeros(size, np.int32)
    total = n + 1
    stale = np.ones(size, np.bool_)
    while True:
        for v in range(1, total):
            if not (active[v] and stale[v]):
                continue
            best, where = -math.inf, -1
            for u in range(total):
                if active[u] and u != v and W[u, v] > best:
                    best, where = W[u, v], u
            if where < 0:
                return -math.inf
            head[v] = where
            stale[v] = False
        # Walk up from every node; a node met again on the same walk is on a cycle.
        mark[:] = 0
        on_cycle = -1
        for v in range(1, total):
            if not active[v]:
                continue
            u = v
            while u > 0 and mark[u] == 0:
                mark[u] = v
                u = head[u]
            if u > 0 and mark[u] == v:
                on_cycle = u
                break
        if on_cycle < 0:
            break
        c = total
        total += 1
        u = on_cycle
        while True:
            active[u] = False
            owner[u] = c
            u = head[u]
            if u == on_cycle:
                break
        for x in range(c):
            if not active[x]:
                continue
            into, out = -math.inf, -math.inf
            v = on_cycle
            while True:
                if W[x, v] > -math.inf and W[x, v] - W[head[v], v] > into:
                    into = W[x, v] - W[head[v], v]
                    enter[x, c] = v
                if W[v, x] > out:
                    out = W[v, x]
                    leave[c, x] = v
                v = head[v]
                if v == on_cycle:
                    break
            W[x, c] = into
            W[c, x] = out
            if x > 0 and owner[head[x]] == c:
                # The same arc, from the node that its head is part of now.
                head[x] = c
                W[c, x] = out
        active[c] = True
    for c in range(total - 1, n, -1):
        broken = enter[head[c], c]
        for x in range(1, c):
            # Nodes outside the cycle that hang on the contracted node hang on one of its parts.
            if owner[x] != c and head[x] == c:
                head[x] = leave[c, x]
        head[broken] = head[c]
    roots = 0
    value = 0.0
    for m in range(n):
        heads[m] = head[m + 1]
        if head[m + 1] == 0:
            roots += 1
        value += scores[m, heads[m]]
    return value if roots == 1 else -math.inf
