"""The restricted pushdown machine (pPDA) in log space: the twin of ``pushdown`` for what a tilt cannot save.

The same sums (see there for what E, Y, H, K, Z, J, F, V and R are) with (log-add, +) in the place of (+, x).
Windows are
followed to their last row, and every expected count is added up as a probability, exp(forward + weight + backward -
log_sum). Slow and safe; memory as in ``pushdown``.

With max in the place of log-add the same forward pass gives the best edit sequence (Viterbi); it is traced back by
asking at every step which of the sums was the largest, windows being opened again where the trace enters a swap.
"""

import math

import numpy as np
from numba import njit

NONE = -math.inf
# Edits of a best path beside arcs, which are their index; inside a window, by its own directions.
INSERT, DELETE, START, JUMP = -1, -2, -3, -4
ACROSS, ALONG = -1, -2


@njit(cache=True)
def _add(x, y):
    """log(exp x + exp y), exact at minus infinity."""
    if x < y:
        x, y = y, x
    if y == -math.inf:
        return x
    return x + math.log1p(math.exp(y - x))


@njit(cache=True)
def _plus(x, y, best):
    """Log-add, or for the best edit sequence the larger of the two."""
    return max(x, y) if best else _add(x, y)


@njit(cache=True)
def _continues(arcs, a, b, link):
    """Whether arc b carries its link weight right after arc a."""
    return link.size > 0 and arcs[a, 1] + arcs[a, 3] == 2 and arcs[b, 1] + arcs[b, 3] == 2


@njit(cache=True)
def _row_starts(arcs, starts, ends):
    """CSR offsets of arcs by their row, and of ``by_end`` by their end row."""
    starts[:] = 0
    ends[:] = 0
    for a in range(arcs.shape[0]):
        starts[arcs[a, 0] + 1] += 1
        ends[arcs[a, 0] + arcs[a, 1] + 1] += 1
    for i in range(1, starts.size):
        starts[i] += starts[i - 1]
        ends[i] += ends[i - 1]


@njit(cache=True)
def _open_window(
    x, limit, along, across, arcs, by_end, starts, ends, weight, link, W, jump, EI, ED, EM, Y, Z, best
):
    """Inside masses from arc x to the last row and column ``limit``; exits into Jump in Y and, without Delete, Z."""
    top, left = arcs[x, 0] + arcs[x, 1], arcs[x, 2] + arcs[x, 3]
    rows, width = along.size - top + 1, limit - left + 1
    EM[:] = NONE
    EM[x] = 0.0
    for r in range(rows):
        for k in range(width):
            EI[r, k] = NONE
            ED[r, k] = NONE
            Z[r, k] = NONE
    for r in range(rows):
        u = top + r
        for k in range(width):
            v = left + k
            for e in range(ends[u], ends[u + 1]):
                a = by_end[e]
                if arcs[a, 2] + arcs[a, 3] != v or EM[a] == NONE:
                    continue
                state = arcs[a, 4]
                if v < limit:
                    EI[r, k + 1] = _plus(EI[r, k + 1], EM[a] + W[state, across[v]], best)
                if r + 1 < rows:
                    ED[r + 1, k] = _plus(ED[r + 1, k], EM[a] + W[state, along[u]], best)
                Z[r, k] = _plus(Z[r, k], EM[a] + W[state, jump], best)
            inserted, deleted = EI[r, k], ED[r, k]
            if k:
                Z[r, k] = _plus(Z[r, k], inserted + W[across[v - 1], jump], best)
                if v < limit:
                    EI[r, k + 1] = _plus(EI[r, k + 1], inserted + W[across[v - 1], across[v]], best)
                if r + 1 < rows:
                    ED[r + 1, k] = _plus(ED[r + 1, k], inserted + W[across[v - 1], along[u]], best)
            Y[r, k] = Z[r, k]
            if r:
                Y[r, k] = _plus(Y[r, k], deleted + W[along[u - 1], jump], best)
                if v < limit:
                    EI[r, k + 1] = _plus(EI[r, k + 1], deleted + W[along[u - 1], across[v]], best)
                if r + 1 < rows:
                    ED[r + 1, k] = _plus(ED[r + 1, k], deleted + W[along[u - 1], along[u]], best)
            for b in range(starts[u], starts[u + 1]):
                if arcs[b, 2] != v or v + arcs[b, 3] > limit:
                    continue
                state = arcs[b, 4]
                mass = NONE
                if k:
                    mass = _plus(mass, inserted + W[across[v - 1], state], best)
                if r:
                    mass = _plus(mass, deleted + W[along[u - 1], state], best)
                for e in range(ends[u], ends[u + 1]):
                    a = by_end[e]
                    if arcs[a, 2] + arcs[a, 3] == v and EM[a] != NONE:
                        follow = EM[a] + W[arcs[a, 4], state]
                        mass = _plus(mass, follow + link[b] if _continues(arcs, a, b, link) else follow, best)
                EM[b] = mass + weight[b]
    return rows


@njit(cache=True)
def _lead(top, rows, along, W, jump, width, Y, H, best):
    """Deletes that open the gap."""
    for k in range(width):
        H[0, k] = NONE
        for r in range(rows - 1):
            state = along[top + r]
            H[r + 1, k] = _plus(H[r, k] + W[along[top + r - 1], state], Y[r, k] + W[jump, state], best)


@njit(cache=True)
def _inside(
    first_arc, max_jump, along, across, arcs, side, starts, ends, weight, link, W, jump, EI, ED, EM, Y, Z, H,
    K, exits, best,
):  # fmt: skip
    """K of every crossing and Z of every group of one view."""
    first_group, first_crossing = side.group_first[first_arc], side.landed_first[first_arc]
    K[:] = NONE
    exits[:] = NONE
    for x in range(arcs.shape[0]):
        at = first_arc + x
        opens, begin, end = (
            side.group_first[at + 1] - side.group_first[at],
            side.landed_first[at],
            side.landed_first[at + 1],
        )
        if opens == 0 and begin == end:
            continue
        top, left = arcs[x, 0] + arcs[x, 1], arcs[x, 2] + arcs[x, 3]
        limit = min(across.size, arcs[x, 2] + max_jump)
        rows = _open_window(
            x, limit, along, across, arcs, side.by_end[first_arc:], starts, ends, weight, link, W, jump,
            EI, ED, EM, Y, Z, best,
        )  # fmt: skip
        for g in range(side.group_first[at], side.group_first[at + 1]):
            for r in range(rows):
                exits[g - first_group, top + r] = Z[r, side.landing[g] - left]
        _lead(top, rows, along, W, jump, limit - left + 1, Y, H, best)
        for crossing in side.by_landed[begin:end]:
            c = side.gap_arc[side.group[crossing]]
            r, state = arcs[c, 0] - top, arcs[c, 4]
            for k in range(limit - left + 1):
                mass = _plus(Y[r, k] + W[jump, state], H[r, k] + W[along[arcs[c, 0] - 1], state], best)
                K[crossing - first_crossing, arcs[x, 3] - 1 + k] = mass


@njit(cache=True)
def _forward(
    first_arc, max_jump, dels, ins, arcs, starts, ends, weight, link, hyp, ref, ref_arcs, ref_weight, W, jump,
    I, D, V, M, J, hyp_K, ref_K, hyp_exits, ref_exits, hyp_F, ref_F, best,
):  # fmt: skip
    """Outer forward pass; fills I, D, V, M, F and J, the mass that enters Jump at each cell. Returns log_sum."""
    m, n = dels.size, ins.size
    start = W.shape[0] - 1
    by_end = hyp.by_end[first_arc:]
    hyp_group, ref_group = hyp.group_first[first_arc], ref.group_first[first_arc]
    hyp_crossing, ref_crossing = hyp.landed_first[first_arc], ref.landed_first[first_arc]
    for i in range(m + 1):
        for j in range(n + 1):
            # Everything that has arrived at (i, j), by its last edit; pushed to all that can follow.
            J[i, j] = W[start, jump] if i + j == 0 else V[i, j] + W[jump, jump]
            if j < n:
                into = W[start, ins[0]] if i + j == 0 else V[i, j] + W[jump, ins[j]]
                if j:
                    into = _plus(into, I[i, j] + W[ins[j - 1], ins[j]], best)
                if i:
                    into = _plus(into, D[i, j] + W[dels[i - 1], ins[j]], best)
                I[i, j + 1] = into
            if i < m:
                into = W[start, dels[0]] if i + j == 0 else V[i, j] + W[jump, dels[i]]
                if j:
                    into = _plus(into, I[i, j] + W[ins[j - 1], dels[i]], best)
                if i:
                    into = _plus(into, D[i, j] + W[dels[i - 1], dels[i]], best)
                D[i + 1, j] = into
            if j:
                J[i, j] = _plus(J[i, j], I[i, j] + W[ins[j - 1], jump], best)
            if i:
                J[i, j] = _plus(J[i, j], D[i, j] + W[dels[i - 1], jump], best)
            for e in range(ends[i], ends[i + 1]):
                a = by_end[e]
                if arcs[a, 2] + arcs[a, 3] != j:
                    continue
                if j < n:
                    I[i, j + 1] = _plus(I[i, j + 1], M[a] + W[arcs[a, 4], ins[j]], best)
                if i < m:
                    D[i + 1, j] = _plus(D[i + 1, j], M[a] + W[arcs[a, 4], dels[i]], best)
                J[i, j] = _plus(J[i, j], M[a] + W[arcs[a, 4], jump], best)
            for b in range(starts[i], starts[i + 1]):
                if arcs[b, 2] != j:
                    continue
                state = arcs[b, 4]
                mass = W[start, state] if i + j == 0 else V[i, j] + W[jump, state]
                if j:
                    mass = _plus(mass, I[i, j] + W[ins[j - 1], state], best)
                if i:
                    mass = _plus(mass, D[i, j] + W[dels[i - 1], state], best)
                for e in range(ends[i], ends[i + 1]):
                    a = by_end[e]
                    if arcs[a, 2] + arcs[a, 3] == j:
                        follow = M[a] + W[arcs[a, 4], state]
                        mass = _plus(mass, follow + link[b] if _continues(arcs, a, b, link) else follow, best)
                M[b] = mass + weight[b]
        for a in range(starts[i], starts[i + 1]):
            at = first_arc + a
            for crossing in hyp.by_landed[hyp.landed_first[at] : hyp.landed_first[at + 1]]:
                g = hyp.group[crossing]
                mass = J[i, arcs[hyp.gap_arc[g], 2]] + W[jump, arcs[a, 4]] + weight[a]
                for t in range(max_jump):
                    hyp_F[g - hyp_group, t] = _plus(
                        hyp_F[g - hyp_group, t], mass + hyp_K[crossing - hyp_crossing, t], best
                    )
            for g in range(hyp.group_first[at], hyp.group_first[at + 1]):
                for u in range(i + arcs[a, 1], m + 1):
                    for t in range(min(max_jump, n - hyp.landing[g])):
                        v = hyp.landing[g] + 1 + t
                        mass = hyp_F[g - hyp_group, t] + weight[a] + hyp_exits[g - hyp_group, u]
                        V[u, v] = _plus(V[u, v], mass, best)
            x = ref.position[at]
            for g in range(ref.group_first[first_arc + x], ref.group_first[first_arc + x + 1]):
                for crossing in range(ref.crossing_first[g], ref.crossing_first[g + 1]):
                    b = ref.landed[crossing]
                    mass = J[i, ref_arcs[b, 0]] + W[jump, ref_arcs[b, 4]] + ref_weight[b]
                    for t in range(max_jump):
                        ref_F[g - ref_group, t] = _plus(
                            ref_F[g - ref_group, t], mass + ref_K[crossing - ref_crossing, t], best
                        )
                for t in range(min(max_jump, m - ref.landing[g])):
                    for v in range(ref_arcs[x, 0] + ref_arcs[x, 1], n + 1):
                        u = ref.landing[g] + 1 + t
                        mass = ref_F[g - ref_group, t] + weight[a] + ref_exits[g - ref_group, v]
                        V[u, v] = _plus(V[u, v], mass, best)
    log_sum = _plus(_plus(I[m, n], D[m, n], best), V[m, n], best)
    for e in range(ends[m], ends[m + 1]):
        if arcs[by_end[e], 2] + arcs[by_end[e], 3] == n:
            log_sum = _plus(log_sum, M[by_end[e]], best)
    return log_sum


@njit(cache=True)
def _backward(
    first_arc, max_jump, dels, ins, arcs, starts, ends, weight, link, hyp, ref, ref_arcs, ref_weight, W, jump,
    I, D, V, M, J, bI, bD, bV, B, dJ, hyp_K, ref_K, hyp_exits, ref_exits, hyp_R, ref_R, log_sum, counts, link_mass,
):  # fmt: skip
    """Outer backward pass; fills bI, bD, bV, B, R and dJ and adds up expected counts."""
    m, n = dels.size, ins.size
    start = W.shape[0] - 1
    by_end = hyp.by_end[first_arc:]
    hyp_group, ref_group = hyp.group_first[first_arc], ref.group_first[first_arc]
    hyp_crossing, ref_crossing = hyp.landed_first[first_arc], ref.landed_first[first_arc]
    for i in range(m, -1, -1):
        for a in range(starts[i], starts[i + 1]):
            at = first_arc + a
            for g in range(hyp.group_first[at], hyp.group_first[at + 1]):
                for t in range(min(max_jump, n - hyp.landing[g])):
                    mass = NONE
                    for u in range(i + arcs[a, 1], m + 1):
                        mass = _add(mass, hyp_exits[g - hyp_group, u] + bV[u, hyp.landing[g] + 1 + t])
                    hyp_R[g - hyp_group, t] = mass + weight[a]
            x = ref.position[at]
            for g in range(ref.group_first[first_arc + x], ref.group_first[first_arc + x + 1]):
                for t in range(min(max_jump, m - ref.landing[g])):
                    mass = NONE
                    for v in range(ref_arcs[x, 0] + ref_arcs[x, 1], n + 1):
                        mass = _add(mass, ref_exits[g - ref_group, v] + bV[ref.landing[g] + 1 + t, v])
                    ref_R[g - ref_group, t] = mass + weight[a]
                for crossing in range(ref.crossing_first[g], ref.crossing_first[g + 1]):
                    b = ref.landed[crossing]
                    mass = NONE
                    for t in range(max_jump):
                        mass = _add(mass, ref_K[crossing - ref_crossing, t] + ref_R[g - ref_group, t])
                    mass += ref_weight[b] + W[jump, ref_arcs[b, 4]]
                    column = ref_arcs[b, 0]
                    counts[jump, ref_arcs[b, 4]] += math.exp(J[i, column] + mass - log_sum)
                    dJ[i, column] = _add(dJ[i, column], mass)
        for a in range(starts[i], starts[i + 1]):
            at = first_arc + a
            for crossing in hyp.by_landed[hyp.landed_first[at] : hyp.landed_first[at + 1]]:
                g = hyp.group[crossing]
                mass = NONE
                for t in range(max_jump):
                    mass = _add(mass, hyp_K[crossing - hyp_crossing, t] + hyp_R[g - hyp_group, t])
                mass += weight[a] + W[jump, arcs[a, 4]]
                column = arcs[hyp.gap_arc[g], 2]
                counts[jump, arcs[a, 4]] += math.exp(J[i, column] + mass - log_sum)
                dJ[i, column] = _add(dJ[i, column], mass)
        for j in range(n, -1, -1):
            here = 0.0 if i == m and j == n else NONE
            bI[i, j], bD[i, j], bV[i, j] = here, here, here
            for option in range(3 + starts[i + 1] - starts[i]):
                # What can follow at (i, j): Insert, Delete, a jump, an arc; with the mass from there on.
                if option == 0:
                    if j == n:
                        continue
                    state, after = ins[j], bI[i, j + 1]
                elif option == 1:
                    if i == m:
                        continue
                    state, after = dels[i], bD[i + 1, j]
                elif option == 2:
                    state, after = jump, dJ[i, j]
                else:
                    b = starts[i] + option - 3
                    if arcs[b, 2] != j:
                        continue
                    state, after = arcs[b, 4], weight[b] + B[b]
                if after == NONE:
                    continue
                if i + j == 0:
                    counts[start, state] += math.exp(W[start, state] + after - log_sum)
                if j:
                    follow = W[ins[j - 1], state] + after
                    bI[i, j] = _add(bI[i, j], follow)
                    counts[ins[j - 1], state] += math.exp(I[i, j] + follow - log_sum)
                if i:
                    follow = W[dels[i - 1], state] + after
                    bD[i, j] = _add(bD[i, j], follow)
                    counts[dels[i - 1], state] += math.exp(D[i, j] + follow - log_sum)
                follow = W[jump, state] + after
                bV[i, j] = _add(bV[i, j], follow)
                counts[jump, state] += math.exp(V[i, j] + follow - log_sum)
            for e in range(ends[i], ends[i + 1]):
                a = by_end[e]
                if arcs[a, 2] + arcs[a, 3] != j:
                    continue
                prev, mass = arcs[a, 4], here
                for option in range(3 + starts[i + 1] - starts[i]):
                    extra = 0.0
                    linked = False
                    if option == 0:
                        if j == n:
                            continue
                        state, after = ins[j], bI[i, j + 1]
                    elif option == 1:
                        if i == m:
                            continue
                        state, after = dels[i], bD[i + 1, j]
                    elif option == 2:
                        state, after = jump, dJ[i, j]
                    else:
                        b = starts[i] + option - 3
                        if arcs[b, 2] != j:
                            continue
                        state, after = arcs[b, 4], weight[b] + B[b]
                        linked = _continues(arcs, a, b, link)
                        if linked:
                            extra = link[b]
                    if after == NONE:
                        continue
                    follow = W[prev, state] + extra + after
                    mass = _add(mass, follow)
                    count = math.exp(M[a] + follow - log_sum)
                    counts[prev, state] += count
                    if linked:
                        link_mass[b] += count
                B[a] = mass


@njit(cache=True)
def _adjoint_window(
    x, limit, along, across, arcs, by_end, starts, ends, weight, link, W, jump, EI, ED, EM, dY, dZ, LI, LD, LM,
    log_sum, counts, arc_mass, link_mass,
):  # fmt: skip
    """Adjoint of ``_open_window``: from the worth of its exits to counts and arc posteriors."""
    top, left = arcs[x, 0] + arcs[x, 1], arcs[x, 2] + arcs[x, 3]
    rows, width = along.size - top + 1, limit - left + 1
    for r in range(rows - 1, -1, -1):
        u = top + r
        for k in range(width - 1, -1, -1):
            v = left + k
            both = _add(dY[r, k], dZ[r, k])
            into_i, into_d = NONE, NONE
            for option in range(3 + starts[u + 1] - starts[u]):
                if option == 0:
                    if k + 1 == width:
                        continue
                    state, after = across[v], LI[r, k + 1]
                elif option == 1:
                    if r + 1 == rows:
                        continue
                    state, after = along[u], LD[r + 1, k]
                elif option == 2:
                    state, after = jump, both
                else:
                    b = starts[u] + option - 3
                    if arcs[b, 2] != v or v + arcs[b, 3] > limit:
                        continue
                    state, after = arcs[b, 4], weight[b] + LM[b]
                if k and after != NONE:
                    follow = W[across[v - 1], state] + after
                    into_i = _add(into_i, follow)
                    counts[across[v - 1], state] += math.exp(EI[r, k] + follow - log_sum)
                if option == 2:
                    after = dY[r, k]
                if r and after != NONE:
                    follow = W[along[u - 1], state] + after
                    into_d = _add(into_d, follow)
                    counts[along[u - 1], state] += math.exp(ED[r, k] + follow - log_sum)
            LI[r, k], LD[r, k] = into_i, into_d
            for e in range(ends[u], ends[u + 1]):
                a = by_end[e]
                if arcs[a, 2] + arcs[a, 3] != v or EM[a] == NONE:
                    continue
                prev, mass = arcs[a, 4], NONE
                for option in range(3 + starts[u + 1] - starts[u]):
                    extra = 0.0
                    linked = False
                    if option == 0:
                        if k + 1 == width:
                            continue
                        state, after = across[v], LI[r, k + 1]
                    elif option == 1:
                        if r + 1 == rows:
                            continue
                        state, after = along[u], LD[r + 1, k]
                    elif option == 2:
                        state, after = jump, both
                    else:
                        b = starts[u] + option - 3
                        if arcs[b, 2] != v or v + arcs[b, 3] > limit:
                            continue
                        state, after = arcs[b, 4], weight[b] + LM[b]
                        linked = _continues(arcs, a, b, link)
                        if linked:
                            extra = link[b]
                    if after == NONE:
                        continue
                    follow = W[prev, state] + extra + after
                    mass = _add(mass, follow)
                    count = math.exp(EM[a] + follow - log_sum)
                    counts[prev, state] += count
                    if linked:
                        link_mass[b] += count
                LM[a] = mass
                arc_mass[a] += math.exp(EM[a] + mass - log_sum)


@njit(cache=True)
def _inside_adjoint(
    first_arc, max_jump, along, across, arcs, side, starts, ends, weight, link, W, jump, EI, ED, EM, Y, Z, H,
    dY, dZ, dH, LI, LD, LM, bV, J, transposed, F, R, log_sum, counts, arc_mass, link_mass,
):  # fmt: skip
    """Adjoint of ``_inside`` for one view."""
    first_group = side.group_first[first_arc]
    for x in range(arcs.shape[0]):
        at = first_arc + x
        opens, begin, end = (
            side.group_first[at + 1] - side.group_first[at],
            side.landed_first[at],
            side.landed_first[at + 1],
        )
        if opens == 0 and begin == end:
            continue
        top, left = arcs[x, 0] + arcs[x, 1], arcs[x, 2] + arcs[x, 3]
        limit = min(across.size, arcs[x, 2] + max_jump)
        width = limit - left + 1
        rows = _open_window(
            x, limit, along, across, arcs, side.by_end[first_arc:], starts, ends, weight, link, W, jump,
            EI, ED, EM, Y, Z, False,
        )  # fmt: skip
        dY[:rows, :width] = NONE
        dZ[:rows, :width] = NONE
        dH[:rows, :width] = NONE
        LM[:] = NONE
        for g in range(side.group_first[at], side.group_first[at + 1]):
            for r in range(rows):
                mass = NONE
                for t in range(min(max_jump, across.size - side.landing[g])):
                    v = side.landing[g] + 1 + t
                    worth = bV[v, top + r] if transposed else bV[top + r, v]
                    mass = _add(mass, F[g - first_group, t] + worth)
                k = side.landing[g] - left
                dZ[r, k] = _add(dZ[r, k], mass + weight[x])
        _lead(top, rows, along, W, jump, width, Y, H, False)
        for crossing in side.by_landed[begin:end]:
            g = side.group[crossing]
            c = side.gap_arc[g]
            r, state, before = arcs[c, 0] - top, arcs[c, 4], along[arcs[c, 0] - 1]
            entering = J[arcs[c, 2], arcs[x, 0]] if transposed else J[arcs[x, 0], arcs[c, 2]]
            for k in range(width):
                mass = entering + W[jump, arcs[x, 4]] + weight[x] + R[g - first_group, arcs[x, 3] - 1 + k]
                dY[r, k] = _add(dY[r, k], mass + W[jump, state])
                dH[r, k] = _add(dH[r, k], mass + W[before, state])
                counts[jump, state] += math.exp(Y[r, k] + mass + W[jump, state] - log_sum)
                counts[before, state] += math.exp(H[r, k] + mass + W[before, state] - log_sum)
        for r in range(rows - 2, -1, -1):
            state, before = along[top + r], along[top + r - 1]
            for k in range(width):
                mass = dH[r + 1, k]
                if mass == NONE:
                    continue
                dH[r, k] = _add(dH[r, k], mass + W[before, state])
                dY[r, k] = _add(dY[r, k], mass + W[jump, state])
                counts[jump, state] += math.exp(Y[r, k] + mass + W[jump, state] - log_sum)
                counts[before, state] += math.exp(H[r, k] + mass + W[before, state] - log_sum)
        _adjoint_window(
            x, limit, along, across, arcs, side.by_end[first_arc:], starts, ends, weight, link, W, jump,
            EI, ED, EM, dY, dZ, LI, LD, LM, log_sum, counts, arc_mass, link_mass,
        )  # fmt: skip


@njit(cache=True)
def _last_edit(u, v, r, k, state, b, closing, along, across, arcs, by_end, ends, link, W, EI, ED, EM):
    """In a window: the best edit before one of ``state`` (arc b, or -1) at row r, column k; as a code.

    ``closing``: the edit before must not be Delete, as at the end of a gap.
    """
    score, edit = NONE, START
    if k and EI[r, k] + W[across[v - 1], state] > score:
        score, edit = EI[r, k] + W[across[v - 1], state], ACROSS
    if r and not closing and ED[r, k] + W[along[u - 1], state] > score:
        score, edit = ED[r, k] + W[along[u - 1], state], ALONG
    for e in range(ends[u], ends[u + 1]):
        a = by_end[e]
        if arcs[a, 2] + arcs[a, 3] != v or EM[a] == NONE:
            continue
        follow = EM[a] + W[arcs[a, 4], state]
        if b >= 0 and _continues(arcs, a, b, link):
            follow += link[b]
        if follow > score:
            score, edit = follow, a
    return edit


@njit(cache=True)
def _trace_window(
    x,
    r,
    k,
    closing,
    transposed,
    original,
    along,
    across,
    arcs,
    by_end,
    ends,
    link,
    W,
    jump,
    EI,
    ED,
    EM,
    path,
    length,
):
    """Writes the best edits from arc x to the jump out of row r, column k, last one first; returns the new length."""
    top, left = arcs[x, 0] + arcs[x, 1], arcs[x, 2] + arcs[x, 3]
    edit = _last_edit(
        top + r, left + k, r, k, jump, -1, closing, along, across, arcs, by_end, ends, link, W, EI, ED, EM
    )
    while edit != x:
        if edit == ACROSS:
            k -= 1
            state, b = across[left + k], -1
            path[length] = DELETE if transposed else INSERT
        elif edit == ALONG:
            r -= 1
            state, b = along[top + r], -1
            path[length] = INSERT if transposed else DELETE
        else:
            r -= arcs[edit, 1]
            k -= arcs[edit, 3]
            state, b = arcs[edit, 4], edit
            path[length] = original[edit]
        length += 1
        edit = _last_edit(
            top + r, left + k, r, k, state, b, False, along, across, arcs, by_end, ends, link, W, EI, ED, EM
        )
    path[length] = original[x]
    return length + 1


@njit(cache=True)
def _trace_swap(
    g, t, u, transposed, first_arc, max_jump, along, across, arcs, side, starts, ends, weight, link, W, jump,
    EI, ED, EM, Y, Z, H, J, K, path, length,
):  # fmt: skip
    """Writes the best swap of group g that resumes ``t`` columns past the landing in row u, last edit first.

    Returns the new length and the landed arc.
    """
    by_end = side.by_end[first_arc:]
    original = side.original[first_arc:]
    c = side.gap_arc[g]
    path[length] = JUMP
    limit = min(across.size, arcs[c, 2] + max_jump)
    _open_window(
        c, limit, along, across, arcs, by_end, starts, ends, weight, link, W, jump, EI, ED, EM, Y, Z, True
    )
    r, k = u - arcs[c, 0] - arcs[c, 1], side.landing[g] - arcs[c, 2] - arcs[c, 3]
    length = _trace_window(
        c, r, k, True, transposed, original, along, across, arcs, by_end, ends, link, W, jump, EI, ED, EM, path,
        length + 1,
    )  # fmt: skip
    score, b = NONE, -1
    for crossing in range(side.crossing_first[g], side.crossing_first[g + 1]):
        candidate = side.landed[crossing]
        row, start = arcs[candidate, 0], arcs[c, 2]
        entering = J[start, row] if transposed else J[row, start]
        mass = entering + W[jump, arcs[candidate, 4]] + weight[candidate]
        mass += K[crossing - side.crossing_first[side.group_first[first_arc]], t]
        if mass > score:
            score, b = mass, candidate
    limit = min(across.size, arcs[b, 2] + max_jump)
    width = limit - arcs[b, 2] - arcs[b, 3] + 1
    top = arcs[b, 0] + arcs[b, 1]
    rows = _open_window(
        b, limit, along, across, arcs, by_end, starts, ends, weight, link, W, jump, EI, ED, EM, Y, Z, True
    )
    _lead(top, rows, along, W, jump, width, Y, H, True)
    r, k, state = arcs[c, 0] - top, t - arcs[b, 3] + 1, arcs[c, 4]
    while r and H[r, k] + W[along[top + r - 1], state] > Y[r, k] + W[jump, state]:
        r -= 1
        state = along[top + r]
        path[length] = INSERT if transposed else DELETE
        length += 1
    path[length] = JUMP
    length = _trace_window(
        b, r, k, False, transposed, original, along, across, arcs, by_end, ends, link, W, jump, EI, ED, EM, path,
        length + 1,
    )  # fmt: skip
    path[length] = JUMP
    return length + 1, b


@njit(cache=True)
def _outer_edit(i, j, state, b, dels, ins, arcs, by_end, ends, link, W, jump, I, D, V, M):
    """The best edit before one of ``state`` (arc b, or -1) at (i, j) in normal mode."""
    score, edit = NONE, START
    if i + j == 0:
        return START
    if j and I[i, j] + W[ins[j - 1], state] > score:
        score, edit = I[i, j] + W[ins[j - 1], state], INSERT
    if i and D[i, j] + W[dels[i - 1], state] > score:
        score, edit = D[i, j] + W[dels[i - 1], state], DELETE
    if V[i, j] + W[jump, state] > score:
        score, edit = V[i, j] + W[jump, state], JUMP
    for e in range(ends[i], ends[i + 1]):
        a = by_end[e]
        if arcs[a, 2] + arcs[a, 3] != j:
            continue
        follow = M[a] + W[arcs[a, 4], state]
        if b >= 0 and _continues(arcs, a, b, link):
            follow += link[b]
        if follow > score:
            score, edit = follow, a
    return edit


@njit(cache=True)
def _best_swap(position, across, first_arc, arcs, side, weight, F, exits):
    """The group, and the place in F, of the best swap that resumes at column ``across`` of row ``position``."""
    score, best_group, best_t = NONE, -1, 0
    first_group = side.group_first[first_arc]
    for g in range(first_group, side.group_first[first_arc + arcs.shape[0]]):
        t = across - 1 - side.landing[g]
        if t < 0 or t >= F.shape[1]:
            continue
        c = side.gap_arc[g]
        mass = F[g - first_group, t] + weight[c] + exits[g - first_group, position]
        if mass > score:
            score, best_group, best_t = mass, g, t
    return score, best_group, best_t


@njit(cache=True, nogil=True, error_model="numpy")
def log_pushdown(
    first_arc,
    dels,
    ins,
    weight,
    link,
    W,
    jump,
    max_jump,
    hyp,
    ref,
    derivatives,
    counts,
    arc_mass,
    link_mass,
    path,
):
    """Log-sum of the lattice whose arcs begin at ``first_arc``; with ``derivatives``, also its expected counts.

    With a ``path`` (int32 [2 (m + n)], else empty) the best edit sequence instead: returns its score and number of
    edits, which are written in order as ``INSERT``, ``DELETE``, ``JUMP`` or an arc's index; none where nothing is
    possible.

    ``weight`` float64 [n_arcs of the lattice] and ``link`` ([n_arcs] or [0]) are in the log domain, ``W`` is the table;
    ``hyp`` and ``ref`` are the sides of ``crossings.Crossings`` of the whole batch. ``counts`` [S + 1, S],
    ``arc_mass`` [n_arcs] and ``link_mass`` ([n_arcs] or [0]) are written.
    """
    m, n, A = dels.size, ins.size, weight.size
    best = path.size > 0
    if m + n == 0:
        return 0.0, 0
    longest = max(m, n) + 1
    arcs, ref_arcs = hyp.arcs[first_arc : first_arc + A], ref.arcs[first_arc : first_arc + A]
    ref_weight, ref_link = np.empty(A), np.empty(link.size)
    for x in range(A):
        ref_weight[x] = weight[ref.original[first_arc + x]]
        if link.size:
            ref_link[x] = link[ref.original[first_arc + x]]
    starts, ends = np.empty(m + 2, np.int64), np.empty(m + 2, np.int64)
    ref_starts, ref_ends = np.empty(n + 2, np.int64), np.empty(n + 2, np.int64)
    _row_starts(arcs, starts, ends)
    _row_starts(ref_arcs, ref_starts, ref_ends)
    n_hyp = hyp.group_first[first_arc + A] - hyp.group_first[first_arc]
    n_ref = ref.group_first[first_arc + A] - ref.group_first[first_arc]
    hyp_K = np.empty((hyp.landed_first[first_arc + A] - hyp.landed_first[first_arc], max_jump))
    ref_K = np.empty((ref.landed_first[first_arc + A] - ref.landed_first[first_arc], max_jump))
    hyp_exits, ref_exits = np.empty((n_hyp, m + 1)), np.empty((n_ref, n + 1))
    hyp_F, ref_F = np.full((n_hyp, max_jump), NONE), np.full((n_ref, max_jump), NONE)
    EI, ED = np.empty((longest, max_jump + 1)), np.empty((longest, max_jump + 1))
    Y, Z, H = (
        np.empty((longest, max_jump + 1)),
        np.empty((longest, max_jump + 1)),
        np.empty((longest, max_jump + 1)),
    )
    EM = np.empty(A)
    _inside(
        first_arc, max_jump, dels, ins, arcs, hyp, starts, ends, weight, link, W, jump, EI, ED, EM, Y, Z, H,
        hyp_K, hyp_exits, best,
    )  # fmt: skip
    _inside(
        first_arc, max_jump, ins, dels, ref_arcs, ref, ref_starts, ref_ends, ref_weight, ref_link, W, jump,
        EI, ED, EM, Y, Z, H, ref_K, ref_exits, best,
    )  # fmt: skip
    I, D = np.full((m + 1, n + 1), NONE), np.full((m + 1, n + 1), NONE)
    V, J = np.full((m + 1, n + 1), NONE), np.full((m + 1, n + 1), NONE)
    M, B = np.empty(A), np.full(A, NONE)
    log_sum = _forward(
        first_arc, max_jump, dels, ins, arcs, starts, ends, weight, link, hyp, ref, ref_arcs, ref_weight, W, jump,
        I, D, V, M, J, hyp_K, ref_K, hyp_exits, ref_exits, hyp_F, ref_F, best,
    )  # fmt: skip
    if log_sum == NONE or not (derivatives or best):
        return log_sum, 0
    by_end = hyp.by_end[first_arc:]
    if best:
        score, edit = NONE, START
        if n and I[m, n] > score:
            score, edit = I[m, n], INSERT
        if m and D[m, n] > score:
            score, edit = D[m, n], DELETE
        if V[m, n] > score:
            score, edit = V[m, n], JUMP
        for a in range(A):
            if arcs[a, 0] + arcs[a, 1] == m and arcs[a, 2] + arcs[a, 3] == n and M[a] > score:
                score, edit = M[a], a
        length, i, j = 0, m, n
        while edit != START:
            if edit == JUMP:
                on_hyp, g, t = _best_swap(i, j, first_arc, arcs, hyp, weight, hyp_F, hyp_exits)
                on_ref, ref_g, ref_t = _best_swap(
                    j, i, first_arc, ref_arcs, ref, ref_weight, ref_F, ref_exits
                )
                if on_hyp >= on_ref:
                    length, b = _trace_swap(
                        g, t, i, False, first_arc, max_jump, dels, ins, arcs, hyp, starts, ends, weight, link, W, jump,
                        EI, ED, EM, Y, Z, H, J, hyp_K, path, length,
                    )  # fmt: skip
                    i, j = arcs[b, 0], arcs[hyp.gap_arc[g], 2]
                else:
                    length, b = _trace_swap(
                        ref_g, ref_t, j, True, first_arc, max_jump, ins, dels, ref_arcs, ref, ref_starts, ref_ends,
                        ref_weight, ref_link, W, jump, EI, ED, EM, Y, Z, H, J, ref_K, path, length,
                    )  # fmt: skip
                    i, j = ref_arcs[ref.gap_arc[ref_g], 2], ref_arcs[b, 0]
                edit = _outer_edit(i, j, jump, -1, dels, ins, arcs, by_end, ends, link, W, jump, I, D, V, M)
                continue
            path[length] = edit
            length += 1
            if edit == INSERT:
                j -= 1
                state, b = ins[j], -1
            elif edit == DELETE:
                i -= 1
                state, b = dels[i], -1
            else:
                i -= arcs[edit, 1]
                j -= arcs[edit, 3]
                state, b = arcs[edit, 4], edit
            edit = _outer_edit(i, j, state, b, dels, ins, arcs, by_end, ends, link, W, jump, I, D, V, M)
        for k in range(length // 2):
            path[k], path[length - 1 - k] = path[length - 1 - k], path[k]
        return log_sum, length
    bI, bD = np.full((m + 1, n + 1), NONE), np.full((m + 1, n + 1), NONE)
    bV, dJ = np.full((m + 1, n + 1), NONE), np.full((m + 1, n + 1), NONE)
    hyp_R, ref_R = np.full((n_hyp, max_jump), NONE), np.full((n_ref, max_jump), NONE)
    _backward(
        first_arc, max_jump, dels, ins, arcs, starts, ends, weight, link, hyp, ref, ref_arcs, ref_weight, W, jump,
        I, D, V, M, J, bI, bD, bV, B, dJ, hyp_K, ref_K, hyp_exits, ref_exits, hyp_R, ref_R, log_sum, counts, link_mass,
    )  # fmt: skip
    for a in range(A):
        arc_mass[a] = math.exp(M[a] + B[a] - log_sum)
    dY, dZ, dH = np.empty_like(Y), np.empty_like(Z), np.empty_like(H)
    LI, LD, LM = np.empty_like(EI), np.empty_like(ED), np.empty(A)
    ref_mass, ref_link_mass = np.zeros(A), np.zeros(link.size)
    _inside_adjoint(
        first_arc, max_jump, dels, ins, arcs, hyp, starts, ends, weight, link, W, jump, EI, ED, EM, Y, Z, H,
        dY, dZ, dH, LI, LD, LM, bV, J, False, hyp_F, hyp_R, log_sum, counts, arc_mass, link_mass,
    )  # fmt: skip
    _inside_adjoint(
        first_arc, max_jump, ins, dels, ref_arcs, ref, ref_starts, ref_ends, ref_weight, ref_link, W, jump,
        EI, ED, EM, Y, Z, H, dY, dZ, dH, LI, LD, LM, bV, J, True, ref_F, ref_R, log_sum, counts,
        ref_mass, ref_link_mass,
    )  # fmt: skip
    for x in range(A):
        arc_mass[ref.original[first_arc + x]] += ref_mass[x]
        if link.size:
            link_mass[ref.original[first_arc + x]] += ref_link_mass[x]
    return log_sum, 0
