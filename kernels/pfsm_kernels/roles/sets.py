"""Scores of candidate spans, and sums and maxima over sets of spans that do not overlap.

    hidden_c = bias + P v_p + H v_h + sum of rows of the candidate's features         v: word vectors of predicate, head
    score(c, l) = out_b[l] + sum_j leaky(hidden_cj) out_w[j, l]                       leaky(x) = x or 0.1 x
    p(S) is proportional to exp(sum of score(c, l) over (c, l) in S), S a set of labelled spans that do not overlap

With total(c) = log sum_l exp score(c, l) the sum over sets follows the boundaries of the sentence,

    alpha[b] = log(exp alpha[b - 1] + sum over c that end at b of exp(alpha[start of c] + total(c)))

and beta the same way from the end. O(n words + n candidates) after the scores.
"""

import math

import numpy as np

from pfsm_kernels.cache import njit


@njit(nogil=True, error_model="numpy")
def by_end(cands, n):
    """Candidates by where they end; the order of equal ones stays."""
    return np.argsort(cands[:n, 1], kind="mergesort")


@njit(nogil=True, error_model="numpy")
def set_sums(cands, order, n_c, n_words, total, alpha, beta):
    """Log of the sum over all sets; writes alpha and beta, float64 [n_words + 1]."""
    size = n_words
    alpha[0] = 0.0
    k = 0
    for b in range(1, size + 1):
        v = alpha[b - 1]
        while k < n_c and cands[order[k], 1] == b:
            c = order[k]
            x = alpha[cands[c, 0]] + total[c]
            if x > v:
                v, x = x, v
            v += math.log1p(math.exp(x - v))
            k += 1
        alpha[b] = v
    for b in range(size + 1):
        beta[b] = -math.inf
    beta[size] = 0.0
    k = n_c - 1
    for b in range(size, 0, -1):
        # all into beta[b] are known: candidates that start at b were added when their ends were visited
        while k >= 0 and cands[order[k], 1] == b:
            c = order[k]
            s = cands[c, 0]
            x = beta[b] + total[c]
            v = beta[s]
            if x > v:
                v, x = x, v
            beta[s] = v + math.log1p(math.exp(x - v)) if v > -math.inf else v
            k -= 1
        x = beta[b]
        v = beta[b - 1]
        if x > v:
            v, x = x, v
        beta[b - 1] = v + math.log1p(math.exp(x - v)) if v > -math.inf else v
    return alpha[size]


@njit(nogil=True, error_model="numpy")
def best_set(cands, order, n_c, n_w, best, chosen):
    """The likeliest set: writes its candidates to ``chosen``, the last first, and returns their number."""
    v = np.zeros(n_w + 1)
    back = np.full(n_w + 1, -1, dtype=np.int64)
    k = 0
    for b in range(1, n_w + 1):
        v[b] = v[b - 1]
        while k < n_c and cands[order[k], 1] == b:
            c = order[k]
            x = v[cands[c, 0]] + best[c]
            if x > v[b]:
                v[b] = x
                back[b] = c
            k += 1
    b = n_w
    n = 0
    while b > 0:
        if back[b] >= 0:
            chosen[n] = back[b]
            n += 1
            b = cands[back[b], 0]
        else:
            b -= 1
    return n


@njit(nogil=True, error_model="numpy")
def forward(rows, hw, p, emb, bias, proj_p, proj_h, out_w, out_b, hidden, scores):
    """Hidden layers, float32 [n, hidden], and scores, float32 [n, n_labels], of the candidates of one predicate."""
    n_c = rows.shape[0]
    H = bias.size
    nl = out_b.size
    for c in range(n_c):
        h = hidden[c]
        for j in range(H):
            h[j] = bias[j] + proj_p[p, j] + proj_h[hw[c], j]
        for k in range(rows.shape[1]):
            r = rows[c, k]
            if r >= 0:
                e = emb[r]
                for j in range(H):
                    h[j] += e[j]
        sc = scores[c]
        for l in range(nl):
            sc[l] = out_b[l]
        for j in range(H):
            x = h[j]
            if x < 0:
                x = 0.1 * x
            for l in range(nl):
                sc[l] += x * out_w[j, l]
