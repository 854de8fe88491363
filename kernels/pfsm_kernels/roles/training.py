"""One pass of training the network of `pfsm_kernels.roles.sets`: AdaGrad on the likelihood of the sets of arguments.

The gradient of a score is the probability of that labelled span minus 1 if it is in the gold standard.
"""

import math

import numpy as np

from pfsm_kernels.cache import njit
from pfsm_kernels.roles.features import N_SLOTS, mix
from pfsm_kernels.roles.sets import by_end, forward, set_sums

MOST_CANDIDATES = 1200


@njit(nogil=True, error_model="numpy")
def epoch(
    order,
    cand_start,
    pred_word,
    pred_base,
    n_words_of,
    all_cands,
    all_rows,
    all_hw,
    gold,
    vec_id,
    vectors,
    emb,
    emb_g,
    bias,
    bias_g,
    A,
    A_g,
    B,
    B_g,
    out_w,
    out_wg,
    out_b,
    out_bg,
    lr0,
    lr1,
    drop,
    seed,
):
    """Makes a pass over predicates in the given order; returns the sum of the losses.

    ``gold`` is the label of every candidate, -1 for none; ``rows`` the rows of its features, -1 for none. The rate
    falls from ``lr0`` to ``lr1``; a feature is left out with probability ``drop``.
    """
    H = bias.size
    nl = out_b.size
    V = vectors.shape[1]
    loss = 0.0
    limit = np.uint64(drop * 18446744073709549568.0)
    M = MOST_CANDIDATES
    hidden = np.zeros((M, H), dtype=np.float32)
    scores = np.zeros((M, nl), dtype=np.float32)
    dscore = np.zeros(nl, dtype=np.float32)
    dh = np.zeros(H, dtype=np.float32)
    dp = np.zeros(H, dtype=np.float32)
    d_outw = np.zeros((H, nl), dtype=np.float32)
    d_outb = np.zeros(nl, dtype=np.float32)
    total = np.zeros(M)
    longest = n_words_of.max() + 1
    alpha = np.zeros(longest)
    beta = np.zeros(longest)
    eps = np.float32(1e-6)
    for it in range(order.size):
        q = order[it]
        lr = np.float32(lr0 + (lr1 - lr0) * it / order.size)
        c0, c1 = cand_start[q], cand_start[q + 1]
        n_c = c1 - c0
        if n_c == 0:
            continue
        base = pred_base[q]
        n_w = n_words_of[q]
        p = pred_word[q]
        cands = all_cands[c0:c1]
        rows = all_rows[c0:c1].copy()
        hw = all_hw[c0:c1]
        if drop > 0:
            for c in range(n_c):
                for k in range(rows.shape[1]):
                    if mix(mix(seed, it), c * N_SLOTS + k) < limit:
                        rows[c, k] = -1
        proj_p = np.zeros((n_w, H), dtype=np.float32)
        proj_h = np.zeros((n_w, H), dtype=np.float32)
        vp = vectors[vec_id[base + p]]
        for v in range(V):
            x = vp[v]
            if x != 0:
                for j in range(H):
                    proj_p[p, j] += x * A[v, j]
        done = np.zeros(n_w, dtype=np.bool_)
        for c in range(n_c):
            w = hw[c]
            if not done[w]:
                done[w] = True
                vh = vectors[vec_id[base + w]]
                for v in range(V):
                    x = vh[v]
                    if x != 0:
                        for j in range(H):
                            proj_h[w, j] += x * B[v, j]
        forward(rows, hw, p, emb, bias, proj_p, proj_h, out_w, out_b, hidden, scores)
        gold_score = 0.0
        for c in range(n_c):
            m = scores[c, 0]
            for l in range(1, nl):
                m = max(m, scores[c, l])
            t = 0.0
            for l in range(nl):
                t += math.exp(scores[c, l] - m)
            total[c] = m + math.log(t)
            if gold[c0 + c] >= 0:
                gold_score += scores[c, gold[c0 + c]]
        ends = by_end(cands, n_c)
        z = set_sums(cands, ends, n_c, n_w, total, alpha, beta)
        loss += z - gold_score
        d_outw[:] = 0
        d_outb[:] = 0
        dp[:] = 0
        dhw = np.zeros((n_w, H), dtype=np.float32)
        for c in range(n_c):
            pm = math.exp(alpha[cands[c, 0]] + total[c] + beta[cands[c, 1]] - z)
            g = gold[c0 + c]
            if pm < 1e-4 and g < 0:
                continue
            for l in range(nl):
                dscore[l] = pm * math.exp(scores[c, l] - total[c])
            if g >= 0:
                dscore[g] -= 1.0
            for j in range(H):
                x = hidden[c, j]
                slope = np.float32(1.0)
                if x < 0:
                    slope = np.float32(0.1)
                x = x * slope
                a = np.float32(0.0)
                for l in range(nl):
                    a += out_w[j, l] * dscore[l]
                for l in range(nl):
                    d_outw[j, l] += x * dscore[l]
                dh[j] = a * slope
            for l in range(nl):
                d_outb[l] += dscore[l]
            for j in range(H):
                dp[j] += dh[j]
                dhw[hw[c], j] += dh[j]
            for k in range(rows.shape[1]):
                r = rows[c, k]
                if r >= 0:
                    e = emb[r]
                    eg = emb_g[r]
                    for j in range(H):
                        eg[j] += dh[j] * dh[j]
                        e[j] -= lr * dh[j] / (math.sqrt(eg[j]) + eps)
        for j in range(H):
            bias_g[j] += dp[j] * dp[j]
            bias[j] -= lr * dp[j] / (math.sqrt(bias_g[j]) + eps)
            for l in range(nl):
                g2 = d_outw[j, l]
                out_wg[j, l] += g2 * g2
                out_w[j, l] -= lr * g2 / (math.sqrt(out_wg[j, l]) + eps)
        for l in range(nl):
            out_bg[l] += d_outb[l] * d_outb[l]
            out_b[l] -= lr * d_outb[l] / (math.sqrt(out_bg[l]) + eps)
        for v in range(V):
            x = vp[v]
            if x != 0:
                for j in range(H):
                    g2 = x * dp[j]
                    A_g[v, j] += g2 * g2
                    A[v, j] -= lr * g2 / (math.sqrt(A_g[v, j]) + eps)
        for w in range(n_w):
            if done[w]:
                vh = vectors[vec_id[base + w]]
                for v in range(V):
                    x = vh[v]
                    if x != 0:
                        for j in range(H):
                            g2 = x * dhw[w, j]
                            if g2 != 0:
                                B_g[v, j] += g2 * g2
                                B[v, j] -= lr * g2 / (math.sqrt(B_g[v, j]) + eps)
    return loss
