"""Scores of candidate spans, and sums and maxima over sets of spans that do not overlap.

    hidden_c = bias + P v_p + H v_h + F v_f + L v_l + rows of the candidate's features     leaky(x) = x or 0.1 x
    pairs_c  = (P' v_p) * (H' v_h + F' v_f + L' v_l)
    score(c, l) = out_b[l] + sum_j (leaky(hidden_c), pairs_c)_j out_w[j, l]

v are states of words: of the predicate, of the span's head, of its first and its last word. The product lets the
predicate choose among spans.

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
def forward(
    rows, heads, spans, p, table, bias, of_predicate, of_head, of_first, of_last, out_w, out_b, scores
):
    """Scores of the candidates of one predicate, float32 [n, n_labels].

    ``rows`` are the rows of their features in ``table``, -1 for none; ``of_…`` what the state of a word adds, float32
    [n_words, hidden + pairs], as the predicate, the head of a span, its first and its last word.
    """
    H = bias.size
    size = of_predicate.shape[1]
    h = np.zeros(size, dtype=np.float32)
    for c in range(rows.shape[0]):
        w, first, last = heads[c], spans[c, 0], spans[c, 1] - 1
        for j in range(H):
            h[j] = bias[j] + of_predicate[p, j] + of_head[w, j] + of_first[first, j] + of_last[last, j]
        for k in range(rows.shape[1]):
            r = rows[c, k]
            if r >= 0:
                e = table[r]
                for j in range(H):
                    h[j] += e[j]
        for j in range(H):
            if h[j] < 0:
                h[j] *= np.float32(0.1)
        for j in range(H, size):
            h[j] = of_predicate[p, j] * (of_head[w, j] + of_first[first, j] + of_last[last, j])
        sc = scores[c]
        for l in range(out_b.size):
            sc[l] = out_b[l]
        for j in range(size):
            x = h[j]
            row = out_w[j]
            for l in range(out_b.size):
                sc[l] += x * row[l]


@njit(nogil=True, error_model="numpy")
def gradients(starts, spans, n_words, gold, scores, out):
    """Loss of several predicates, and its derivatives by the scores, float64 [n, n_labels].

    Args: candidates of predicate q are those from ``starts[q]`` to ``starts[q + 1]``; ``gold`` is the label of every
    candidate, -1 for none. The derivative of a score is the probability of that labelled span, less 1 if it is gold.
    """
    loss = 0.0
    longest = n_words.max() + 1 if n_words.size else 1
    alpha = np.zeros(longest)
    beta = np.zeros(longest)
    n_labels = scores.shape[1]
    total = np.zeros(scores.shape[0])
    for q in range(n_words.size):
        c0, c1 = starts[q], starts[q + 1]
        for c in range(c0, c1):
            m = scores[c].max()
            t = 0.0
            for l in range(n_labels):
                t += math.exp(scores[c, l] - m)
            total[c] = m + math.log(t)
        cands = spans[c0:c1]
        order = by_end(cands, c1 - c0)
        z = set_sums(cands, order, c1 - c0, n_words[q], total[c0:c1], alpha, beta)
        loss += z
        for c in range(c0, c1):
            outside = alpha[spans[c, 0]] + beta[spans[c, 1]] - z
            for l in range(n_labels):
                out[c, l] = math.exp(outside + scores[c, l])
            if gold[c] >= 0:
                out[c, gold[c]] -= 1.0
                loss -= scores[c, gold[c]]
    return loss
