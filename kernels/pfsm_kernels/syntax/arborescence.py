"""Sums over single-root dependency trees of one sentence: the matrix-tree theorem.

A tree gives every word one head, exactly one of them the root, without cycles; its weight is the product of
``exp(score[m, h])`` over its arcs. With ``A[h, m] = exp(score[m, h])`` the Laplacian ``L[m, m] = sum_h A[h, m]``,
``L[h, m] = -A[h, m]``, first row replaced by the weights of the arcs from the root, has the sum of all trees as its
determinant, and derivatives of its logarithm are the arcs' probabilities (Koo, Globerson, Carreras, Collins 2007,
"Structured prediction models via the matrix-tree theorem", section 3.2). Cost O(n^3).

Scores of each word are shifted by their largest first: every tree has one arc into each word, so that the shift is
exact. What a shift cannot cure, words that strongly prefer each other to every way out of their cycle, shows in a
determinant close to zero; it is returned for the caller to see.
"""

import math

import numpy as np

from pfsm_kernels.cache import njit


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
