"""The best single-root dependency tree of one sentence, some arcs required or forbidden: Chu-Liu and Edmonds.

Every node takes its best head; a cycle is contracted to one node, whose arcs in are worth what breaking the cycle
there gains, ``W[u, c] = max_v (W[u, v] - W[head(v), v])``; this repeats until no cycle is left, and contracted nodes
are opened again in reverse (Edmonds 1967). Arcs from the root are lowered by more than any tree can make up for, so
that one is taken where one can be (Stanojevic and Cohen 2021, "A root of a problem: optimizing single-root dependency
parsing", section 3). Dense matrices, cost O(n^3) at worst. Of equal heads the first is taken.
"""

import math

import numpy as np

from pfsm_kernels.cache import njit

FREE, FORBIDDEN = 0, 1


@njit(nogil=True, error_model="numpy")
def best_tree(scores, forbidden, heads):
    """The tree of the largest sum of scores.

    ``scores`` float64 [n, n + 1]: word m (from 0) under head h, 0 the root, h the h-th word; minus infinity and
    [m, m + 1] are no arcs, nor are those where ``forbidden``, of the same shape, is not `FREE`. ``heads`` int32 [n]
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
