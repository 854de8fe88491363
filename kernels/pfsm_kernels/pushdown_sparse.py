"""The restricted pushdown machine in linear space, from arc to arc: for sparse arcs, one Insert and one Delete state.

The swaps are those of ``pushdown``; see there for K, Z, F, V, R and J. Here their windows are not filled cell by cell.
Between two arcs there is nothing but Inserts and Deletes, and with one state each their sum depends on no more than how
many there are. For one side, with "along" the edit of its rows and "across" that of its columns:

    M[d, k][f, l]  sum over sequences of d along and k across edits, first edit f, last edit l, entry left out
    M[d, k][f, across] = sum_l M[d, k-1][f, l] T[l, across],   M[d, k][f, along] = sum_l M[d-1, k][f, l] T[l, along]
    R[x, b]   = w_b sum_(f, l) T[x, f] M[d, k][f, l] T[l, b]    from the end of arc x to the start of arc b
    E[x, b]   = R[x, b] + sum_a R[x, a] E[a, b]                 all edit sequences from x that end with b
    XE[f][d, k]   = sum_l M[d, k][f, l] T[l, Jump]
    XH[f][d+1, k] = XH[f][d, k] T[along, along] + XE[f][d, k] T[Jump, along]
    K_bc[e]   = sum_a E[b, a] sum_f T[a, f] (XE[f] T[Jump, c] + XH[f] T[along, c])      at the places that a leaves to c
    Z_c[u]    = sum_a E[c, a] sum_f T[a, f] M[u - row, L - column][f, across] T[across, Jump]

(arcs that end where the next one, or the jump, begins enter without M). Arcs a lie within the jump limit of x, which no
part of a sequence between them leaves: the pairs (x, b) within the limit are found once, with the crossings. The outer
machine is that of ``pushdown``, and the backward pass again the plain adjoint of everything. Tilt and error bound are
those of ``pushdown``: M holds the tilted masses of parts of edit sequences, none above one.

**Cost.** O(m n + (m + n) D + crossings x arcs in a window x D + groups x (m + n)) time: for 23 words a side and 22 arcs
about a quarter of the time of ``pushdown``; worse than it where every window holds many arcs.
"""

import math

import numpy as np
from numba import njit

SMALLEST_TOTAL = 1e-230
# Rows of short vectors are this long, or a multiple: one vector register, and loops of known length.
LANES = 8


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


@njit(cache=True, fastmath={"contract", "reassoc"})
def _tables(height, max_jump, lanes, along, across, jump, T0, T1, M, XE, XH, P0):
    """M, XE, XH for d < height, k < max_jump; P0[d]: d along edits after a jump back, the first one from Jump."""
    CC, AC, CA, AA = T1[across, across], T1[along, across], T1[across, along], T1[along, along]
    exit_across, exit_along, leave = T0[across, jump], T0[along, jump], T1[jump, along]
    for f in range(2):
        for k in range(max_jump):
            if k:
                for d in range(height):
                    M[2 * f, k, d] = M[2 * f, k - 1, d] * CC + M[2 * f + 1, k - 1, d] * AC
            else:
                for d in range(height):
                    M[2 * f, k, d] = 0.0
            if k == 1 and f == 0:
                M[2 * f, k, 0] = 1.0
            mass = 0.0
            M[2 * f + 1, k, 0] = 0.0
            for d in range(1, height):
                mass = mass * AA + M[2 * f, k, d - 1] * CA
                if d == 1 and k == 0 and f == 1:
                    mass = 1.0
                M[2 * f + 1, k, d] = mass
        for d in range(height):
            for k in range(max_jump):
                XE[f, d, k] = M[2 * f, k, d] * exit_across + M[2 * f + 1, k, d] * exit_along
            for k in range(max_jump, lanes):
                XE[f, d, k] = 0.0
        for k in range(lanes):
            XH[f, 0, k] = 0.0
        for d in range(height - 1):
            for k in range(lanes):
                XH[f, d + 1, k] = XH[f, d, k] * AA + XE[f, d, k] * leave
    P0[0] = 0.0
    mass = leave
    for d in range(1, height):
        P0[d] = mass
        mass *= AA


@njit(cache=True, fastmath={"contract", "reassoc"})
def _tables_adjoint(
    height, max_jump, lanes, along, across, jump, T0, T1, M, XE, XH, P0, dM, dXE, dXH, dP0, c0, c1
):
    """Adjoint of ``_tables``: from derivatives in the tables, which it empties, to those in the weights."""
    CC, AC, CA, AA = T1[across, across], T1[along, across], T1[across, along], T1[along, along]
    exit_across, exit_along, leave = T0[across, jump], T0[along, jump], T1[jump, along]
    cCC, cAC, cCA, cAA, cleave, cacross, calong = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for d in range(height - 1, 1, -1):
        dP0[d - 1] += dP0[d] * AA
        cAA += dP0[d] * P0[d - 1]
        dP0[d] = 0.0
    if height > 1:
        cleave += dP0[1]
        dP0[1] = 0.0
    dP0[0] = 0.0
    for f in range(2):
        for d in range(height - 2, -1, -1):
            for k in range(lanes):
                mass = dXH[f, d + 1, k]
                dXH[f, d + 1, k] = 0.0
                dXH[f, d, k] += mass * AA
                dXE[f, d, k] += mass * leave
                cAA += mass * XH[f, d, k]
                cleave += mass * XE[f, d, k]
        for k in range(lanes):
            dXH[f, 0, k] = 0.0
        for d in range(height):
            for k in range(max_jump):
                mass = dXE[f, d, k]
                dM[2 * f, k, d] += mass * exit_across
                dM[2 * f + 1, k, d] += mass * exit_along
                cacross += mass * M[2 * f, k, d]
                calong += mass * M[2 * f + 1, k, d]
            for k in range(lanes):
                dXE[f, d, k] = 0.0
        for k in range(max_jump - 1, -1, -1):
            for d in range(height - 1, 0, -1):
                mass = dM[2 * f + 1, k, d]
                dM[2 * f + 1, k, d - 1] += mass * AA
                dM[2 * f, k, d - 1] += mass * CA
                cAA += mass * M[2 * f + 1, k, d - 1]
                cCA += mass * M[2 * f, k, d - 1]
            if k:
                for d in range(height):
                    mass = dM[2 * f, k, d]
                    dM[2 * f, k - 1, d] += mass * CC
                    dM[2 * f + 1, k - 1, d] += mass * AC
                    cCC += mass * M[2 * f, k - 1, d]
                    cAC += mass * M[2 * f + 1, k - 1, d]
            for d in range(height):
                dM[2 * f, k, d] = 0.0
                dM[2 * f + 1, k, d] = 0.0
    c1[across, across] += cCC
    c1[along, across] += cAC
    c1[across, along] += cCA
    c1[along, along] += cAA
    c1[jump, along] += cleave
    c0[across, jump] += cacross
    c0[along, jump] += calong


@njit(cache=True, fastmath={"contract"})
def _between(first_arc, max_jump, along, across, arcs, side, factor, link, T1, T2, M, R, E, column):
    """R and E of every pair of arcs within the limit. ``column`` is scratch, one place an arc."""
    base = side.follow_first[first_arc]
    for x in range(arcs.shape[0] - 1, -1, -1):
        begin, end = side.follow_first[first_arc + x], side.follow_first[first_arc + x + 1]
        if begin == end:
            continue
        state = arcs[x, 4]
        row, first, limit = arcs[x, 0] + arcs[x, 1], arcs[x, 2] + arcs[x, 3], arcs[x, 2] + max_jump
        into_across, into_along = T1[state, across], T1[state, along]
        for p in range(begin, end):
            b = side.follow[p]
            d, k, after = arcs[b, 0] - row, arcs[b, 2] - first, arcs[b, 4]
            if d == 0 and k == 0:
                mass = T2[state, after]
                if link.size and arcs[x, 1] + arcs[x, 3] == 2 and arcs[b, 1] + arcs[b, 3] == 2:
                    mass *= link[b]
            else:
                mass = into_across * (M[0, k, d] * T2[across, after] + M[1, k, d] * T2[along, after])
                mass += into_along * (M[2, k, d] * T2[across, after] + M[3, k, d] * T2[along, after])
            mass *= factor[b]
            R[p - base] = mass
            column[b] = mass
        for p in range(begin, end):
            a, mass = side.follow[p], R[p - base]
            for q in range(side.follow_first[first_arc + a], side.follow_first[first_arc + a + 1]):
                b = side.follow[q]
                if arcs[b, 2] + arcs[b, 3] <= limit:
                    column[b] += mass * E[q - base]
        for p in range(begin, end):
            E[p - base] = column[side.follow[p]]


@njit(cache=True, fastmath={"contract"})
def _blocks(
    first_arc, max_jump, lanes, height, along, across, jump, arcs, side, factor, T0, T1, T2, M, XE, XH, P0, E,
    K, exits, short,
):  # fmt: skip
    """K of every crossing and Z (times the gap arc's weight) of every group."""
    base = side.follow_first[first_arc]
    first_group, first_crossing = side.group_first[first_arc], side.landed_first[first_arc]
    leave_across = T0[across, jump]
    for x in range(arcs.shape[0]):
        begin, end = side.follow_first[first_arc + x], side.follow_first[first_arc + x + 1]
        landed = side.landed_first[first_arc + x]
        landing = arcs[x, 2]
        for at in range(landed, side.landed_first[first_arc + x + 1]):
            c = side.gap_arc[side.group[side.by_landed[at]]]
            row, state = arcs[c, 0], arcs[c, 4]
            after_jump, after_along = T2[jump, state], T2[along, state]
            for t in range(2 * lanes):
                short[t] = 0.0
            for p in range(begin - 1, end):
                a = x if p < begin else side.follow[p]
                d = row - arcs[a, 0] - arcs[a, 1]
                if d < 0:
                    continue
                mass = 1.0 if p < begin else E[p - base]
                before = arcs[a, 4]
                u0, u1 = mass * T1[before, across], mass * T1[before, along]
                e0, e1, h0, h1 = u0 * after_jump, u1 * after_jump, u0 * after_along, u1 * after_along
                place = arcs[a, 2] + arcs[a, 3] - landing - 1
                for block in range(0, lanes, LANES):
                    for k in range(LANES):
                        short[place + block + k] += (
                            e0 * XE[0, d, block + k] + e1 * XE[1, d, block + k]
                            + h0 * XH[0, d, block + k] + h1 * XH[1, d, block + k]
                        )  # fmt: skip
                short[place] += mass * T0[before, jump] * (P0[d] * after_along if d else after_jump)
            crossing = side.by_landed[at] - first_crossing
            for t in range(lanes):
                K[crossing, t] = short[t] if t < max_jump else 0.0
        for g in range(side.group_first[first_arc + x], side.group_first[first_arc + x + 1]):
            z = g - first_group
            for u in range(arcs[x, 0] + arcs[x, 1], height + 1):
                exits[z, u] = 0.0
            for p in range(begin - 1, end):
                a = x if p < begin else side.follow[p]
                k = side.landing[g] - arcs[a, 2] - arcs[a, 3]
                if k < 0:
                    continue
                mass = factor[x] if p < begin else factor[x] * E[p - base]
                row, before = arcs[a, 0] + arcs[a, 1], arcs[a, 4]
                if k == 0:
                    exits[z, row] += mass * T0[before, jump]
                    continue
                mass *= leave_across
                z0, z1 = mass * T1[before, across], mass * T1[before, along]
                for d in range(height + 1 - row):
                    exits[z, row + d] += z0 * M[0, k, d] + z1 * M[2, k, d]


@njit(cache=True, fastmath={"contract", "reassoc"})
def _blocks_adjoint(
    first_arc, max_jump, lanes, height, along, across, jump, arcs, side, factor, T0, T1, T2, M, XE, XH, P0, E, F, RV,
    entering, bV, transposed, dM, dXE, dXH, dP0, dE, dZ, short, c0, c1, c2, arc_mass,
):  # fmt: skip
    """Adjoint of ``_blocks``: derivatives in E and the tables, from F, R and the outer backward masses."""
    base = side.follow_first[first_arc]
    first_group, first_crossing = side.group_first[first_arc], side.landed_first[first_arc]
    leave_across = T0[across, jump]
    for x in range(arcs.shape[0]):
        begin, end = side.follow_first[first_arc + x], side.follow_first[first_arc + x + 1]
        landing = arcs[x, 2]
        opening = T2[jump, arcs[x, 4]] * factor[x]
        own = 0.0
        for p in range(begin, end):
            dE[p - base] = 0.0
        for at in range(side.landed_first[first_arc + x], side.landed_first[first_arc + x + 1]):
            crossing = side.by_landed[at]
            g = side.group[crossing]
            c = side.gap_arc[g]
            row, state = arcs[c, 0], arcs[c, 4]
            after_jump, after_along = T2[jump, state], T2[along, state]
            weight = entering[crossing - first_crossing] * opening
            for t in range(lanes):
                short[t] = weight * RV[g - first_group, t] if t < max_jump else 0.0
            from_jump, from_along = 0.0, 0.0
            for p in range(begin - 1, end):
                a = x if p < begin else side.follow[p]
                d = row - arcs[a, 0] - arcs[a, 1]
                if d < 0:
                    continue
                mass = 1.0 if p < begin else E[p - base]
                before = arcs[a, 4]
                place = arcs[a, 2] + arcs[a, 3] - landing - 1
                u0, u1 = T1[before, across], T1[before, along]
                q0, q1, h0, h1 = 0.0, 0.0, 0.0, 0.0
                e0, e1 = mass * u0 * after_jump, mass * u1 * after_jump
                f0, f1 = mass * u0 * after_along, mass * u1 * after_along
                for block in range(0, lanes, LANES):
                    for k in range(LANES):
                        value = short[place + block + k]
                        q0 += value * XE[0, d, block + k]
                        q1 += value * XE[1, d, block + k]
                        h0 += value * XH[0, d, block + k]
                        h1 += value * XH[1, d, block + k]
                        dXE[0, d, block + k] += e0 * value
                        dXE[1, d, block + k] += e1 * value
                        dXH[0, d, block + k] += f0 * value
                        dXH[1, d, block + k] += f1 * value
                w0, w1 = q0 * after_jump + h0 * after_along, q1 * after_jump + h1 * after_along
                into = P0[d] * after_along if d else after_jump
                value = short[place]
                slope = u0 * w0 + u1 * w1 + value * T0[before, jump] * into
                c1[before, across] += mass * w0
                c1[before, along] += mass * w1
                c0[before, jump] += mass * value * into
                value *= mass * T0[before, jump]
                from_jump += mass * (u0 * q0 + u1 * q1)
                from_along += mass * (u0 * h0 + u1 * h1)
                if d:
                    dP0[d] += value * after_along
                    from_along += value * P0[d]
                else:
                    from_jump += value
                own += mass * slope
                if p >= begin:
                    dE[p - base] += slope
            c2[jump, state] += from_jump
            c2[along, state] += from_along
        for g in range(side.group_first[first_arc + x], side.group_first[first_arc + x + 1]):
            top, first = arcs[x, 0] + arcs[x, 1], side.landing[g] + 1
            z = g - first_group
            if transposed:
                for u in range(top, height + 1):
                    dZ[u] = 0.0
                for t in range(min(max_jump, bV.shape[0] - first)):
                    mass = F[z, t] * factor[x]
                    for u in range(top, height + 1):
                        dZ[u] += mass * bV[first + t, u]
            else:
                for u in range(top, height + 1):
                    mass = 0.0
                    for block in range(0, lanes, LANES):
                        for t in range(LANES):
                            mass += F[z, block + t] * bV[u, first + block + t]
                    dZ[u] = mass * factor[x]
            for p in range(begin - 1, end):
                a = x if p < begin else side.follow[p]
                k = side.landing[g] - arcs[a, 2] - arcs[a, 3]
                if k < 0:
                    continue
                mass = 1.0 if p < begin else E[p - base]
                row, before = arcs[a, 0] + arcs[a, 1], arcs[a, 4]
                if k == 0:
                    slope = dZ[row] * T0[before, jump]
                    c0[before, jump] += mass * dZ[row]
                else:
                    u0, u1 = T1[before, across], T1[before, along]
                    m0, m1 = mass * u0 * leave_across, mass * u1 * leave_across
                    z0, z1 = 0.0, 0.0
                    for d in range(height + 1 - row):
                        value = dZ[row + d]
                        z0 += value * M[0, k, d]
                        z1 += value * M[2, k, d]
                        dM[0, k, d] += m0 * value
                        dM[2, k, d] += m1 * value
                    slope = (u0 * z0 + u1 * z1) * leave_across
                    c1[before, across] += mass * leave_across * z0
                    c1[before, along] += mass * leave_across * z1
                    c0[across, jump] += mass * (u0 * z0 + u1 * z1)
                own += mass * slope
                if p >= begin:
                    dE[p - base] += slope
        arc_mass[x] += own


@njit(cache=True, fastmath={"contract"})
def _between_adjoint(
    first_arc, max_jump, along, across, arcs, side, factor, link, T1, T2, M, R, E, dE, dM, column, c1, c2, arc_mass,
    link_mass,
):  # fmt: skip
    """Adjoint of ``_between``: from derivatives in E to those in M, the weights and the arcs."""
    base = side.follow_first[first_arc]
    for x in range(arcs.shape[0]):
        begin, end = side.follow_first[first_arc + x], side.follow_first[first_arc + x + 1]
        if begin == end:
            continue
        state = arcs[x, 4]
        row, first, limit = arcs[x, 0] + arcs[x, 1], arcs[x, 2] + arcs[x, 3], arcs[x, 2] + max_jump
        into_across, into_along = T1[state, across], T1[state, along]
        c_across, c_along = 0.0, 0.0
        for p in range(begin, end):
            column[side.follow[p]] = dE[p - base]
        for p in range(begin, end):
            b, mass = side.follow[p], R[p - base]
            slope = dE[p - base]
            for q in range(side.follow_first[first_arc + b], side.follow_first[first_arc + b + 1]):
                after = side.follow[q]
                if arcs[after, 2] + arcs[after, 3] <= limit:
                    slope += column[after] * E[q - base]
                    dE[q - base] += mass * column[after]
            arc_mass[b] += slope * mass
            d, k, after = arcs[b, 0] - row, arcs[b, 2] - first, arcs[b, 4]
            if d == 0 and k == 0:
                linked = link.size and arcs[x, 1] + arcs[x, 3] == 2 and arcs[b, 1] + arcs[b, 3] == 2
                if linked:
                    link_mass[b] += slope * mass
                c2[state, after] += slope * factor[b] * (link[b] if linked else 1.0)
                continue
            slope *= factor[b]
            v0, v1 = T2[across, after], T2[along, after]
            m0, m1, m2, m3 = M[0, k, d], M[1, k, d], M[2, k, d], M[3, k, d]
            c_across += slope * (m0 * v0 + m1 * v1)
            c_along += slope * (m2 * v0 + m3 * v1)
            c2[across, after] += slope * (into_across * m0 + into_along * m2)
            c2[along, after] += slope * (into_across * m1 + into_along * m3)
            dM[0, k, d] += slope * into_across * v0
            dM[1, k, d] += slope * into_across * v1
            dM[2, k, d] += slope * into_along * v0
            dM[3, k, d] += slope * into_along * v1
        c1[state, across] += c_across
        c1[state, along] += c_along


@njit(cache=True, fastmath={"contract"})
def _forward(
    first_arc, max_jump, lanes, m, n, insert, delete, jump, arcs, starts, ends, factor, link, hyp, ref, ref_arcs,
    ref_factor, T0, T1, T2, I, D, V, M, rows, hyp_K, ref_K, hyp_exits, ref_exits, hyp_F, ref_F, hyp_entering,
    ref_entering,
):  # fmt: skip
    """Outer forward pass; fills I, D, V, M, F and what enters every crossing's first jump. Returns the total."""
    start = T1.shape[0] - 1
    by_end = hyp.by_end[first_arc:]
    hyp_group, ref_group = hyp.group_first[first_arc], ref.group_first[first_arc]
    hyp_crossing, ref_crossing = hyp.landed_first[first_arc], ref.landed_first[first_arc]
    II, DI, ID, DD = T1[insert, insert], T1[delete, insert], T1[insert, delete], T1[delete, delete]
    leave_insert, leave_delete = T1[jump, insert], T1[jump, delete]
    insert_jumps, delete_jumps = T0[insert, jump], T0[delete, jump]
    for i in range(m + 1):
        for j in range(n + 1):
            kept, back = D[i, j], V[i, j]
            rows[0, j] = back * leave_insert + kept * DI
            rows[1, j] = back * leave_delete + kept * DD
            rows[2, j] = kept * delete_jumps
        if i == 0:
            rows[0, 0] = T1[start, insert]
            rows[1, 0] = T1[start, delete]
            rows[2, 0] = T0[start, jump]
        for e in range(ends[i], ends[i + 1]):
            a = by_end[e]
            j, mass, state = arcs[a, 2] + arcs[a, 3], M[a], arcs[a, 4]
            rows[0, j] += mass * T1[state, insert]
            rows[1, j] += mass * T1[state, delete]
            rows[2, j] += mass * T0[state, jump]
        mass = 0.0
        I[i, 0] = 0.0
        for j in range(n):
            mass = mass * II + rows[0, j]
            I[i, j + 1] = mass
        for j in range(n + 1):
            rows[2, j] += I[i, j] * insert_jumps
        for b in range(starts[i], starts[i + 1]):
            j, state = arcs[b, 2], arcs[b, 4]
            mass = V[i, j] * T2[jump, state]
            if j:
                mass += I[i, j] * T2[insert, state]
            if i:
                mass += D[i, j] * T2[delete, state]
            elif j == 0:
                mass += T2[start, state]
            for e in range(ends[i], ends[i + 1]):
                a = by_end[e]
                if arcs[a, 2] + arcs[a, 3] != j:
                    continue
                weight = T2[arcs[a, 4], state]
                if link.size and arcs[a, 1] + arcs[a, 3] == 2 and arcs[b, 1] + arcs[b, 3] == 2:
                    weight *= link[b]
                mass += M[a] * weight
            M[b] = mass * factor[b]
        if i < m:
            for j in range(n + 1):
                D[i + 1, j] = I[i, j] * ID + rows[1, j]
        for a in range(starts[i], starts[i + 1]):
            # Jumps on s: as landed arc it takes what enters here, as gap arc it closes what was opened above.
            at = first_arc + a
            opening = T2[jump, arcs[a, 4]] * factor[a]
            for place in range(hyp.landed_first[at], hyp.landed_first[at + 1]):
                crossing = hyp.by_landed[place]
                g = hyp.group[crossing]
                mass = rows[2, arcs[hyp.gap_arc[g], 2]]
                hyp_entering[crossing - hyp_crossing] = mass
                mass *= opening
                f, c = g - hyp_group, crossing - hyp_crossing
                for t in range(lanes):
                    hyp_F[f, t] += mass * hyp_K[c, t]
            for g in range(hyp.group_first[at], hyp.group_first[at + 1]):
                first = hyp.landing[g] + 1
                f = g - hyp_group
                for u in range(i + arcs[a, 1], m + 1):
                    mass = hyp_exits[f, u]
                    for block in range(0, lanes, LANES):
                        for t in range(LANES):
                            V[u, first + block + t] += hyp_F[f, block + t] * mass
            # Jumps on r: all that its swaps need stands in this row.
            x = ref.position[at]
            at = first_arc + x
            for g in range(ref.group_first[at], ref.group_first[at + 1]):
                f = g - ref_group
                for crossing in range(ref.crossing_first[g], ref.crossing_first[g + 1]):
                    b = ref.landed[crossing]
                    mass = rows[2, ref_arcs[b, 0]]
                    ref_entering[crossing - ref_crossing] = mass
                    mass *= T2[jump, ref_arcs[b, 4]] * ref_factor[b]
                    c = crossing - ref_crossing
                    for t in range(lanes):
                        ref_F[f, t] += mass * ref_K[c, t]
                first = ref.landing[g] + 1
                for t in range(min(max_jump, m - ref.landing[g])):
                    mass = ref_F[f, t]
                    for v in range(ref_arcs[x, 0] + ref_arcs[x, 1], n + 1):
                        V[first + t, v] += mass * ref_exits[f, v]
    total = I[m, n] + D[m, n] + V[m, n]
    for e in range(ends[m], ends[m + 1]):
        if arcs[by_end[e], 2] + arcs[by_end[e], 3] == n:
            total += M[by_end[e]]
    return total


@njit(cache=True, fastmath={"contract", "reassoc"})
def _backward(
    first_arc, max_jump, lanes, m, n, insert, delete, jump, arcs, starts, ends, factor, link, hyp, ref, ref_arcs,
    ref_factor, T0, T1, T2, I, D, V, bV, M, B, rows, hyp_K, ref_K, hyp_exits, ref_exits, hyp_R, ref_R, hyp_entering,
    ref_entering, c0, c1, c2, link_mass,
):  # fmt: skip
    """Outer backward pass: adjoint of ``_forward``; fills bV, B and R and adds up unscaled counts.

    ``rows``: backward Insert and Delete masses, Delete masses of the row below, YI, YD, dJ.
    """
    start = T1.shape[0] - 1
    by_end = hyp.by_end[first_arc:]
    hyp_group, ref_group = hyp.group_first[first_arc], ref.group_first[first_arc]
    hyp_crossing, ref_crossing = hyp.landed_first[first_arc], ref.landed_first[first_arc]
    II, DI, ID, DD = T1[insert, insert], T1[delete, insert], T1[insert, delete], T1[delete, delete]
    leave_insert, leave_delete = T1[jump, insert], T1[jump, delete]
    insert_jumps, delete_jumps = T0[insert, jump], T0[delete, jump]
    cII, cDI, cID, cDD, cIJ, cDJ, cJI, cJD = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for j in range(n + 1):
        rows[1, j] = 0.0
    for i in range(m, -1, -1):
        for j in range(n + 1):
            rows[4, j] = 0.0
            rows[2, j] = 0.0
            rows[3, j] = 0.0
            bV[i, j] = 0.0
        for a in range(starts[i], starts[i + 1]):
            at = first_arc + a
            for g in range(hyp.group_first[at], hyp.group_first[at + 1]):
                r = g - hyp_group
                first = hyp.landing[g] + 1
                for t in range(lanes):
                    hyp_R[r, t] = 0.0
                for u in range(i + arcs[a, 1], m + 1):
                    mass = hyp_exits[r, u]
                    for block in range(0, lanes, LANES):
                        for t in range(LANES):
                            hyp_R[r, block + t] += mass * bV[u, first + block + t]
            x = ref.position[at]
            at = first_arc + x
            for g in range(ref.group_first[at], ref.group_first[at + 1]):
                r = g - ref_group
                first, count = ref.landing[g] + 1, min(max_jump, m - ref.landing[g])
                for t in range(lanes):
                    ref_R[r, t] = 0.0
                for t in range(count):
                    mass = 0.0
                    for v in range(ref_arcs[x, 0] + ref_arcs[x, 1], n + 1):
                        mass += ref_exits[r, v] * bV[first + t, v]
                    ref_R[r, t] = mass
                for crossing in range(ref.crossing_first[g], ref.crossing_first[g + 1]):
                    b = ref.landed[crossing]
                    c = crossing - ref_crossing
                    mass = 0.0
                    for t in range(lanes):
                        mass += ref_K[c, t] * ref_R[r, t]
                    mass *= ref_factor[b]
                    c2[jump, ref_arcs[b, 4]] += ref_entering[crossing - ref_crossing] * mass
                    rows[4, ref_arcs[b, 0]] += mass * T2[jump, ref_arcs[b, 4]]
        for a in range(starts[i], starts[i + 1]):
            at = first_arc + a
            for place in range(hyp.landed_first[at], hyp.landed_first[at + 1]):
                crossing = hyp.by_landed[place]
                g = hyp.group[crossing]
                c, r = crossing - hyp_crossing, g - hyp_group
                mass = 0.0
                for t in range(lanes):
                    mass += hyp_K[c, t] * hyp_R[r, t]
                mass *= factor[a]
                c2[jump, arcs[a, 4]] += hyp_entering[crossing - hyp_crossing] * mass
                rows[4, arcs[hyp.gap_arc[g], 2]] += mass * T2[jump, arcs[a, 4]]
        if i == m:
            rows[2, n] = 1.0
            rows[3, n] = 1.0
            bV[i, n] = 1.0
        for a in range(starts[i], starts[i + 1]):
            j, state = arcs[a, 2], arcs[a, 4]
            mass = factor[a] * B[a]
            bV[i, j] += T2[jump, state] * mass
            c2[jump, state] += V[i, j] * mass
            if j:
                rows[2, j] += T2[insert, state] * mass
                c2[insert, state] += I[i, j] * mass
            if i:
                rows[3, j] += T2[delete, state] * mass
                c2[delete, state] += D[i, j] * mass
            elif j == 0:
                c2[start, state] += mass
        for j in range(n + 1):
            jumped, under = rows[4, j], rows[1, j]
            rows[2, j] += insert_jumps * jumped + ID * under
            cIJ += I[i, j] * jumped
            cID += I[i, j] * under
            cJD += V[i, j] * under
        mass = rows[2, n]
        rows[0, n] = mass
        for j in range(n - 1, -1, -1):
            mass = mass * II + rows[2, j]
            rows[0, j] = mass
        rows[0, n + 1] = 0.0
        for e in range(ends[i], ends[i + 1]):
            a = by_end[e]
            j, state = arcs[a, 2] + arcs[a, 3], arcs[a, 4]
            own = M[a]
            mass = 1.0 if i == m and j == n else 0.0
            inserted, under, jumped = rows[0, j + 1], rows[1, j], rows[4, j]
            mass += T0[state, jump] * jumped + T1[state, insert] * inserted + T1[state, delete] * under
            c0[state, jump] += own * jumped
            c1[state, insert] += own * inserted
            c1[state, delete] += own * under
            for b in range(starts[i], starts[i + 1]):
                if arcs[b, 2] != j:
                    continue
                follow = factor[b] * B[b]
                linked = link.size and arcs[a, 1] + arcs[a, 3] == 2 and arcs[b, 1] + arcs[b, 3] == 2
                if linked:
                    follow *= link[b]
                c2[state, arcs[b, 4]] += own * follow
                follow *= T2[state, arcs[b, 4]]
                if linked:
                    link_mass[b] += own * follow
                mass += follow
            B[a] = mass
        if i == 0:
            c0[start, jump] += rows[4, 0]
            c1[start, insert] += rows[0, 1]
            c1[start, delete] += rows[1, 0]
        for j in range(n + 1):
            inserted, under, kept = rows[0, j + 1], rows[1, j], D[i, j]
            cII += I[i, j] * inserted
            cJI += V[i, j] * inserted
            cDI += kept * inserted
            cDD += kept * under
            cDJ += kept * rows[4, j]
            bV[i, j] += leave_insert * inserted + leave_delete * under
            rows[1, j] = DD * under + rows[3, j] + delete_jumps * rows[4, j] + DI * inserted
    c1[insert, insert] += cII
    c1[delete, insert] += cDI
    c1[insert, delete] += cID
    c1[delete, delete] += cDD
    c0[insert, jump] += cIJ
    c0[delete, jump] += cDJ
    c1[jump, insert] += cJI
    c1[jump, delete] += cJD


@njit(cache=True, nogil=True, error_model="numpy")
def sparse_batch(
    first, last, offsets, delete_states, insert_states, rates, tilted_arcs, link_factor, E, jump, max_jump, hyp, ref,
    chosen, log_sum, accepted, derivatives, counts, arc_counts, link_counts,
):  # fmt: skip
    """As ``pushdown.pushdown_batch``, of those lattices first..last-1 that are ``chosen``.

    ``chosen`` lattices (bool [n_lattices]) have one state for Insert and one for Delete.
    """
    S = E.shape[1]
    longest, most_arcs, most_crossings, most_groups, most_follow, most_cells = 0, 0, 0, 0, 0, 0
    lanes = (max_jump + LANES - 1) // LANES * LANES
    for k in range(first, last):
        if not chosen[k]:
            continue
        m, n = offsets[k + 1, 0] - offsets[k, 0], offsets[k + 1, 1] - offsets[k, 1]
        a0, a1 = offsets[k, 2], offsets[k + 1, 2]
        longest = max(longest, m, n)
        most_arcs = max(most_arcs, a1 - a0)
        most_cells = max(most_cells, (m + 1) * (n + 1 + lanes))
        for side in (hyp, ref):
            most_crossings = max(most_crossings, side.landed_first[a1] - side.landed_first[a0])
            most_groups = max(most_groups, side.group_first[a1] - side.group_first[a0])
            most_follow = max(most_follow, side.follow_first[a1] - side.follow_first[a0])
    width = longest + 2
    T1, T2 = np.empty((S + 1, S)), np.empty((S + 1, S))
    c0, c1, c2 = np.empty((S + 1, S)), np.empty((S + 1, S)), np.empty((S + 1, S))
    rows = np.zeros((5, width))
    tables = np.empty((2, 4, max_jump, width))
    XE, XH, P0 = np.empty((2, 2, width, lanes)), np.empty((2, 2, width, lanes)), np.empty((2, width))
    dM, dXE, dXH, dP0 = (
        np.zeros((4, max_jump, width)),
        np.zeros((2, width, lanes)),
        np.zeros((2, width, lanes)),
        np.zeros(width),
    )
    R, inside = np.empty((2, most_follow)), np.empty((2, most_follow))
    dE, dZ = np.empty(most_follow), np.empty(width)
    K, entering = np.empty((2, most_crossings, lanes)), np.empty((2, most_crossings))
    exits = np.empty((2, most_groups, width))
    F, back = np.empty((2, most_groups, lanes)), np.empty((2, most_groups, lanes))
    # Of a row that is read from place on, the second half stays zero.
    short = np.zeros(2 * lanes)
    column = np.empty(most_arcs)
    M, B = np.empty(most_arcs), np.empty(most_arcs)
    tilted, linked = np.empty((2, most_arcs)), np.empty((2, most_arcs))
    masses, link_masses = np.empty((2, most_arcs)), np.empty((2, most_arcs))
    starts, ends = np.empty(width + 1, np.int64), np.empty(width + 1, np.int64)
    planes = np.empty((4, most_cells))
    sides = (hyp, ref)
    empty = np.empty(0)
    for k in range(first, last):
        if not chosen[k]:
            continue
        a0, a1 = offsets[k, 2], offsets[k + 1, 2]
        dels = delete_states[offsets[k, 0] : offsets[k + 1, 0]]
        ins = insert_states[offsets[k, 1] : offsets[k + 1, 1]]
        arcs, ref_arcs = hyp.arcs[a0:a1], ref.arcs[a0:a1]
        link = link_factor[a0:a1] if link_factor.size else link_factor
        m, n, A = dels.size, ins.size, a1 - a0
        accepted[k] = True
        if derivatives:
            counts[k] = 0.0
        if m + n == 0:
            log_sum[k] = 0.0
            continue
        rho = rates[k]
        accepted[k] = rho > 0.0
        if not accepted[k]:
            continue
        tilted[0, :A] = tilted_arcs[a0:a1]
        for prev in range(S + 1):
            for cur in range(S):
                T1[prev, cur] = E[prev, cur] / rho
                T2[prev, cur] = T1[prev, cur] / rho
        # A side without tokens has no edit; what the other one's state says of it is multiplied by nothing.
        insert = ins[0] if n else dels[0]
        delete = dels[0] if m else ins[0]
        n_links = A if link.size else 0
        for x in range(A):
            tilted[1, x] = tilted[0, ref.original[a0 + x]]
        for x in range(n_links):
            linked[0, x] = link[x]
            linked[1, x] = link[ref.original[a0 + x]]
        _row_starts(arcs, starts[: m + 2], ends[: m + 2])
        for s in range(2):
            side, height = sides[s], n if s else m
            along, across = (insert, delete) if s else (delete, insert)
            own = side.arcs[a0:a1]
            _tables(height, max_jump, lanes, along, across, jump, E, T1, tables[s], XE[s], XH[s], P0[s])
            _between(
                a0, max_jump, along, across, own, side, tilted[s], linked[s, :n_links], T1, T2, tables[s], R[s],
                inside[s], column,
            )  # fmt: skip
            _blocks(
                a0, max_jump, lanes, height, along, across, jump, own, side, tilted[s], E, T1, T2, tables[s], XE[s],
                XH[s], P0[s], inside[s], K[s], exits[s], short,
            )  # fmt: skip
        stride = n + 1 + lanes
        size = (m + 1) * stride
        I, D = planes[0, :size].reshape(m + 1, stride), planes[1, :size].reshape(m + 1, stride)
        V, bV = planes[2, :size].reshape(m + 1, stride), planes[3, :size].reshape(m + 1, stride)
        V[:] = 0.0
        D[0] = 0.0
        F[0, : hyp.group_first[a1] - hyp.group_first[a0]] = 0.0
        F[1, : ref.group_first[a1] - ref.group_first[a0]] = 0.0
        total = _forward(
            a0, max_jump, lanes, m, n, insert, delete, jump, arcs, starts, ends, tilted[0], link, hyp, ref, ref_arcs,
            tilted[1], E, T1, T2, I, D, V, M, rows, K[0], K[1], exits[0], exits[1], F[0], F[1], entering[0],
            entering[1],
        )  # fmt: skip
        accepted[k] = total >= SMALLEST_TOTAL
        if not accepted[k]:
            continue
        log_sum[k] = math.log(total) + (m + n) * math.log(rho)
        if not derivatives:
            continue
        c0[:] = 0.0
        c1[:] = 0.0
        c2[:] = 0.0
        bV[:, n + 1 :] = 0.0
        link_mass = link_counts[a0:a1] if link.size else empty
        link_mass[:] = 0.0
        _backward(
            a0, max_jump, lanes, m, n, insert, delete, jump, arcs, starts, ends, tilted[0], link, hyp, ref, ref_arcs,
            tilted[1], E, T1, T2, I, D, V, bV, M, B, rows, K[0], K[1], exits[0], exits[1], back[0], back[1],
            entering[0], entering[1], c0, c1, c2, link_mass,
        )  # fmt: skip
        for a in range(A):
            masses[0, a] = M[a] * B[a]
            masses[1, a] = 0.0
            link_masses[0, a] = 0.0
            link_masses[1, a] = 0.0
        short[:] = 0.0
        for s in range(2):
            side, height = sides[s], n if s else m
            along, across = (insert, delete) if s else (delete, insert)
            own = side.arcs[a0:a1]
            _blocks_adjoint(
                a0, max_jump, lanes, height, along, across, jump, own, side, tilted[s], E, T1, T2, tables[s], XE[s],
                XH[s], P0[s], inside[s], F[s], back[s], entering[s], bV, s == 1, dM, dXE, dXH, dP0, dE, dZ, short, c0,
                c1, c2, masses[s],
            )  # fmt: skip
            _between_adjoint(
                a0, max_jump, along, across, own, side, tilted[s], linked[s, :n_links], T1, T2, tables[s], R[s],
                inside[s], dE, dM, column, c1, c2, masses[s], link_masses[s],
            )  # fmt: skip
            _tables_adjoint(
                height, max_jump, lanes, along, across, jump, E, T1, tables[s], XE[s], XH[s], P0[s], dM, dXE, dXH, dP0,
                c0, c1,
            )  # fmt: skip
        for x in range(A):
            a = ref.original[a0 + x]
            masses[0, a] += masses[1, x]
            link_masses[0, a] += link_masses[1, x]
        for a in range(A):
            arc_counts[a0 + a] = masses[0, a] / total
        for a in range(link_mass.size):
            link_mass[a] = (link_mass[a] + link_masses[0, a]) / total
        scale = 1.0 / total
        for prev in range(S + 1):
            for cur in range(S):
                count = 0.0
                if c0[prev, cur] > 0.0:
                    count += c0[prev, cur] * E[prev, cur]
                if c1[prev, cur] > 0.0:
                    count += c1[prev, cur] * T1[prev, cur]
                if c2[prev, cur] > 0.0:
                    count += c2[prev, cur] * T2[prev, cur]
                counts[k, prev, cur] = count * scale
