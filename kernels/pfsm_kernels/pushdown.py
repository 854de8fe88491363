"""The restricted pushdown machine (pPDA) in linear space: sums over edit sequences with swaps, and derivatives.

A swap on the hypothesis side jumps from (i, start) to (i, L), edits a landed block that begins with an arc b and ends
at column e <= L + D, jumps back to ``start``, edits the gap [start, L), which begins with Deletes and an arc c, and
jumps to e. Landed block and gap meet the rest of the sentence only through b and c, so they are summed up
apart from it:

    E_a[u, v, state]   inside mass of edits that begin with arc a (its own weight left out) and reach row u, column v,
                       v <= column of a + D; the recurrence of ``machine`` in a window
    Y_b[u, e]  = sum_state E_b[u, e, state] W[state, Jump]           the landed block ends, jump back
    H_b[u+1, e] = H_b[u, e] W[del, del] + Y_b[u, e] W[Jump, del]     Deletes that open the gap
    K_bc[e]    = Y_b[row c, e] W[Jump, c] + H_b[row c, e] W[del, c]  the gap's first arc
    Z_c[u]     = sum_(state != Del) E_c[u, L, state] W[state, Jump]  the gap is closed: its last edit consumes s
    J[i, j]    = outer mass that enters Jump at (i, j), from V too: one swap may follow another at once
    F_cL[e]    = sum_b J[row b, start] W[Jump, b] f_b K_bc[e]        over the arcs b that land at L
    V[u, e]   += F_cL[e] f_c Z_c[u]                                  outer mass in state Jump after the swap

and V joins Insert, Delete and arcs in the outer recurrence of ``machine``. Jumps on the reference side are the same on
the transposed view. Every sum above is bilinear, so the backward pass is its plain adjoint, with

    R_cL[e] = f_c sum_u Z_c[u] bV[u, e],   dJ[row b, start] = W[Jump, b] f_b sum_e K_bc[e] R_cL[e].

**Tilt.** As in ``machine``: every edit is divided by ``rho`` per consumed token; jumps consume nothing. ``rho`` is
large enough for swaps as well (``pushdown_tilt``), so all masses stay bounded and a total of at least
``SMALLEST_TOTAL`` is exact to rounding; other pairs are left to ``pushdown_log``. Window rows are followed until their
mass falls under ``NEGLIGIBLE``, which that bound covers.

**Cost.** O(m n + arcs with crossings x window + groups x rows x D) time; 32 (m + 1)(n + 1) bytes, 16 D bytes a crossing
and 8 (m + n) bytes a group and pair.
"""

import math

import numpy as np
from numba import njit

SMALLEST_TOTAL = 1e-230
NEGLIGIBLE = 1e-290


@njit(cache=True)
def _mark(delete_states, insert_states, seen):
    """Marks the states of Insert (1) and Delete (2)."""
    seen[:] = 0
    for state in insert_states:
        seen[state] |= 1
    for state in delete_states:
        seen[state] |= 2


@njit(cache=True)
def _lay_out(T0, T1, jump, across, seen, along_bit, II, DI, ID, TJ):
    """Transitions of the two edits position by position, and from the across edit into Jump."""
    n = across.size
    II[0] = 0.0
    II[n] = 0.0
    TJ[0] = 0.0
    for j in range(1, n):
        II[j] = T1[across[j - 1], across[j]]
    for j in range(n):
        TJ[j + 1] = T0[across[j], jump]
    for state in range(T1.shape[1]):
        if not seen[state] & along_bit:
            continue
        ID[state, 0] = 0.0
        DI[state, n] = 0.0
        for j in range(n):
            DI[state, j] = T1[state, across[j]]
            ID[state, j + 1] = T1[across[j], state]


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


@njit(cache=True, fastmath={"contract"})
def _open_window(
    x, rows, limit, along, across, arcs, by_end, starts, ends, factor, link, T0, T1, T2, II, DI, ID, TJ, jump,
    EI, ED, EM, Y, Z, X,
):  # fmt: skip
    """Inside masses from arc x up to ``rows`` rows after its end and column ``limit``; exits into Jump in Y and Z.

    Row r of EI, ED, Y, Z is row r of the window, column k its k-th. ``EM`` holds the masses of arcs (all zero before;
    ``_close_window`` makes them zero again); ``EM[x]`` is 1. ``X`` is scratch, zero before and after. Returns
    the number of rows that carry mass.
    """
    top, left = arcs[x, 0] + arcs[x, 1], arcs[x, 2] + arcs[x, 3]
    width = limit - left + 1
    XI, XD, XJ = X[0], X[1], X[2]
    EM[x] = 1.0
    for k in range(width):
        ED[0, k] = 0.0
    pending = 0
    done = 0
    for r in range(rows):
        u = top + r
        row_start, row_end = ends[u], ends[u + 1]
        for e in range(row_start, row_end):
            a = by_end[e]
            mass = EM[a]
            if mass == 0.0:
                continue
            v = arcs[a, 2] + arcs[a, 3]
            state = arcs[a, 4]
            if v < limit:
                XI[v - left] += mass * T1[state, across[v]]
            if r + 1 < rows:
                XD[v - left] += mass * T1[state, along[u]]
            XJ[v - left] += mass * T0[state, jump]
        # One short loop: everything about a cell at once is faster here than a vector operation each.
        before = along[u - 1]
        enter = T0[before, jump]
        DIr = DI[before]
        more = r + 1 < rows
        after = along[u] if more else before
        IDr = ID[after]
        DD = T1[before, after]
        largest = 0.0
        mass = 0.0
        for k in range(width):
            kept = ED[r, k]
            EI[r, k] = mass
            exit_mass = mass * TJ[left + k] + XJ[k]
            Z[r, k] = exit_mass
            Y[r, k] = exit_mass + kept * enter
            if more:
                below = mass * IDr[left + k] + kept * DD + XD[k]
                ED[r + 1, k] = below
                largest = max(largest, below)
            if k + 1 < width:
                mass = mass * II[left + k] + kept * DIr[left + k] + XI[k]
        for e in range(row_start, row_end):
            k = arcs[by_end[e], 2] + arcs[by_end[e], 3] - left
            if EM[by_end[e]] != 0.0:
                XI[k] = 0.0
                XD[k] = 0.0
                XJ[k] = 0.0
        for b in range(starts[u], starts[u + 1]):
            column = arcs[b, 2]
            if column < left or column + arcs[b, 3] > limit or r + arcs[b, 1] >= rows:
                continue
            k = column - left
            state = arcs[b, 4]
            mass = 0.0
            if k:
                mass += EI[r, k] * T2[across[column - 1], state]
            if r:
                mass += ED[r, k] * T2[along[u - 1], state]
            for e in range(row_start, row_end):
                a = by_end[e]
                if EM[a] == 0.0 or arcs[a, 2] + arcs[a, 3] != column:
                    continue
                weight = T2[arcs[a, 4], state]
                if link.size and arcs[a, 1] + arcs[a, 3] == 2 and arcs[b, 1] + arcs[b, 3] == 2:
                    weight *= link[b]
                mass += EM[a] * weight
            mass *= factor[b]
            if mass > NEGLIGIBLE:
                EM[b] = mass
                pending = max(pending, r + arcs[b, 1])
        done = r + 1
        if largest < NEGLIGIBLE and pending < done:
            break
    return done


@njit(cache=True)
def _close_window(x, rows, limit, arcs, starts, EM):
    """Takes back the arc masses of a window."""
    top, left = arcs[x, 0] + arcs[x, 1], arcs[x, 2] + arcs[x, 3]
    EM[x] = 0.0
    for b in range(starts[top], starts[top + rows]):
        if left <= arcs[b, 2] <= limit:
            EM[b] = 0.0


@njit(cache=True)
def _lead_rows(x, first_arc, arcs, side):
    """Rows of landed arc x's window down to its last partner: Deletes lead there even where the window has ended."""
    last = side.by_landed[side.landed_first[first_arc + x + 1] - 1]
    return arcs[side.gap_arc[side.group[last]], 0] - arcs[x, 0] - arcs[x, 1] + 1


@njit(cache=True)
def _window_rows(x, first_arc, height, arcs, side):
    """Rows of arc x's window that are needed: all where it opens gaps, else down to its last partner, or 0."""
    at = first_arc + x
    if side.group_first[at + 1] > side.group_first[at]:
        return height - arcs[x, 0] - arcs[x, 1] + 1
    return _lead_rows(x, first_arc, arcs, side) if side.landed_first[at + 1] > side.landed_first[at] else 0


@njit(cache=True, fastmath={"contract"})
def _lead(top, done, rows, along, T1, jump, width, Y, H):
    """Deletes that open the gap: H[r] for ``rows`` rows, from the exits Y, which are zero from row ``done`` on."""
    for k in range(width):
        H[0, k] = 0.0
        for r in range(done, rows):
            Y[r, k] = 0.0
    for r in range(rows - 1):
        state = along[top + r]
        leave = T1[jump, state]
        more = T1[along[top + r - 1], state]
        for k in range(width):
            H[r + 1, k] = H[r, k] * more + Y[r, k] * leave


@njit(cache=True, fastmath={"contract"})
def _inside(
    first_arc, max_jump, along, across, arcs, side, starts, ends, factor, link,
    T0, T1, T2, II, DI, ID, TJ, jump, EI, ED, EM, Y, Z, H, X, K, exits, first_group, first_crossing,
):  # fmt: skip
    """K of every crossing and Z of every group of one view, which no outer mass changes."""
    height, n_columns = along.size, across.size
    for x in range(arcs.shape[0]):
        rows = _window_rows(x, first_arc, height, arcs, side)
        if rows == 0:
            continue
        top, left = arcs[x, 0] + arcs[x, 1], arcs[x, 2] + arcs[x, 3]
        limit = min(n_columns, arcs[x, 2] + max_jump)
        width = limit - left + 1
        done = 0
        if width > 0:
            done = _open_window(
                x, rows, limit, along, across, arcs, side.by_end[first_arc:], starts, ends, factor, link,
                T0, T1, T2, II, DI, ID, TJ, jump, EI, ED, EM, Y, Z, X,
            )  # fmt: skip
            _close_window(x, done, limit, arcs, starts, EM)
        for g in range(side.group_first[first_arc + x], side.group_first[first_arc + x + 1]):
            k = side.landing[g] - left
            for r in range(rows):
                exits[g - first_group, top + r] = Z[r, k] if r < done else 0.0
        begin, end = side.landed_first[first_arc + x], side.landed_first[first_arc + x + 1]
        if begin == end:
            continue
        _lead(top, done, _lead_rows(x, first_arc, arcs, side), along, T1, jump, width, Y, H)
        skipped = arcs[x, 3] - 1
        for crossing in side.by_landed[begin:end]:
            c = side.gap_arc[side.group[crossing]]
            r = arcs[c, 0] - top
            row = K[crossing - first_crossing]
            for k in range(max_jump):
                row[k] = 0.0
            state = arcs[c, 4]
            after_jump, after_delete = T2[jump, state], T2[along[arcs[c, 0] - 1], state]
            for k in range(width):
                row[skipped + k] = Y[r, k] * after_jump + H[r, k] * after_delete


@njit(cache=True, fastmath={"contract"})
def _forward(
    first_arc, max_jump, dels, ins, arcs, starts, ends, factor, link, hyp, ref, ref_arcs, ref_factor,
    T0, T1, T2, II, DI, ID, TJ, leave_insert, jump, I, D, V, M, rows, hyp_K, ref_K, hyp_exits, ref_exits,
    hyp_F, ref_F, hyp_entering, ref_entering, groups, crossings,
):  # fmt: skip
    """Outer forward pass; fills I, D, V, M, F and what enters every crossing's first jump. Returns the total."""
    m, n = dels.size, ins.size
    start = T1.shape[0] - 1
    by_end = hyp.by_end[first_arc:]
    XI, XD, Jr = rows[0], rows[1], rows[2]
    for i in range(m + 1):
        for j in range(n + 1):
            XI[j] = V[i, j] * leave_insert[j]
            XD[j] = 0.0
            Jr[j] = V[i, j] * T0[jump, jump]
        if i < m:
            leave = T1[jump, dels[i]]
            for j in range(n + 1):
                XD[j] = V[i, j] * leave
        if i == 0:
            if n:
                XI[0] = T1[start, ins[0]]
            if m:
                XD[0] = T1[start, dels[0]]
            Jr[0] = T0[start, jump]
        for e in range(ends[i], ends[i + 1]):
            a = by_end[e]
            j = arcs[a, 2] + arcs[a, 3]
            if j < n:
                XI[j] += M[a] * T1[arcs[a, 4], ins[j]]
            if i < m:
                XD[j] += M[a] * T1[arcs[a, 4], dels[i]]
            Jr[j] += M[a] * T0[arcs[a, 4], jump]
        if i:
            DIr = DI[dels[i - 1]]
            enter = T0[dels[i - 1], jump]
            for j in range(n + 1):
                XI[j] += D[i, j] * DIr[j]
                Jr[j] += D[i, j] * enter
        mass = 0.0
        I[i, 0] = 0.0
        for j in range(n):
            mass = mass * II[j] + XI[j]
            I[i, j + 1] = mass
        for j in range(n + 1):
            Jr[j] += I[i, j] * TJ[j]
        for b in range(starts[i], starts[i + 1]):
            j, state = arcs[b, 2], arcs[b, 4]
            mass = V[i, j] * T2[jump, state]
            if j:
                mass += I[i, j] * T2[ins[j - 1], state]
            if i:
                mass += D[i, j] * T2[dels[i - 1], state]
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
            IDr = ID[dels[i]]
            DD = T1[dels[i - 1], dels[i]] if i else 0.0
            for j in range(n + 1):
                D[i + 1, j] = I[i, j] * IDr[j] + D[i, j] * DD + XD[j]
        for a in range(starts[i], starts[i + 1]):
            # Jumps on s: as landed arc it takes what enters here, as gap arc it closes what was opened above.
            at = first_arc + a
            open_weight = T2[jump, arcs[a, 4]] * factor[a]
            for crossing in hyp.by_landed[hyp.landed_first[at] : hyp.landed_first[at + 1]]:
                g = hyp.group[crossing]
                mass = Jr[arcs[hyp.gap_arc[g], 2]]
                hyp_entering[crossing - crossings[0]] = mass
                for t in range(max_jump):
                    hyp_F[g - groups[0], t] += mass * open_weight * hyp_K[crossing - crossings[0], t]
            for g in range(hyp.group_first[at], hyp.group_first[at + 1]):
                first, count = hyp.landing[g] + 1, min(max_jump, n - hyp.landing[g])
                for u in range(i + arcs[a, 1], m + 1):
                    mass = hyp_exits[g - groups[0], u] * factor[a]
                    if mass > 0.0:
                        for t in range(count):
                            V[u, first + t] += hyp_F[g - groups[0], t] * mass
            # Jumps on r: all that its swaps need stands in this row.
            x = ref.position[at]
            at = first_arc + x
            for g in range(ref.group_first[at], ref.group_first[at + 1]):
                row = ref_F[g - groups[1]]
                for crossing in range(ref.crossing_first[g], ref.crossing_first[g + 1]):
                    b = ref.landed[crossing]
                    mass = Jr[ref_arcs[b, 0]]
                    ref_entering[crossing - crossings[1]] = mass
                    mass *= T2[jump, ref_arcs[b, 4]] * ref_factor[b]
                    for t in range(max_jump):
                        row[t] += mass * ref_K[crossing - crossings[1], t]
                first, count = ref.landing[g] + 1, min(max_jump, m - ref.landing[g])
                for t in range(count):
                    mass = row[t] * factor[a]
                    if mass > 0.0:
                        for v in range(ref_arcs[x, 0] + ref_arcs[x, 1], n + 1):
                            V[first + t, v] += mass * ref_exits[g - groups[1], v]
    total = I[m, n] + D[m, n] + V[m, n]
    for e in range(ends[m], ends[m + 1]):
        if arcs[by_end[e], 2] + arcs[by_end[e], 3] == n:
            total += M[by_end[e]]
    return total


@njit(cache=True, fastmath={"contract"})
def _backward(
    first_arc, max_jump, dels, ins, arcs, starts, ends, factor, link, hyp, ref, ref_arcs, ref_factor,
    T0, T1, T2, II, DI, ID, TJ, leave_insert, jump, I, D, V, bV, M, B, rows, hyp_K, ref_K, hyp_exits, ref_exits,
    hyp_R, ref_R, hyp_entering, ref_entering, groups, crossings, c0, c1, c2, cDI, cID, link_mass,
):  # fmt: skip
    """Outer backward pass: adjoint of ``_forward``; fills bV, B and R and adds up unscaled counts.

    ``rows``: backward Insert and Delete masses, Delete masses of the row below, YI, YD, dJ, and the counts per column
    of Insert>Insert, Insert>Jump and Jump>Insert.
    """
    m, n = dels.size, ins.size
    start = T1.shape[0] - 1
    by_end = hyp.by_end[first_arc:]
    bI, bD, below, YI, YD, dJ = rows[0], rows[1], rows[2], rows[3], rows[4], rows[5]
    cII, cIJ, cJI = rows[6], rows[7], rows[8]
    for i in range(m, -1, -1):
        for j in range(n + 1):
            dJ[j] = 0.0
            YI[j] = 0.0
            YD[j] = 0.0
            bV[i, j] = 0.0
        for a in range(starts[i], starts[i + 1]):
            at = first_arc + a
            for g in range(hyp.group_first[at], hyp.group_first[at + 1]):
                row = hyp_R[g - groups[0]]
                first, count = hyp.landing[g] + 1, min(max_jump, n - hyp.landing[g])
                for u in range(i + arcs[a, 1], m + 1):
                    mass = hyp_exits[g - groups[0], u] * factor[a]
                    if mass > 0.0:
                        for t in range(count):
                            row[t] += mass * bV[u, first + t]
            x = ref.position[at]
            for g in range(ref.group_first[first_arc + x], ref.group_first[first_arc + x + 1]):
                row = ref_R[g - groups[1]]
                first, count = ref.landing[g] + 1, min(max_jump, m - ref.landing[g])
                for t in range(count):
                    mass = 0.0
                    for v in range(ref_arcs[x, 0] + ref_arcs[x, 1], n + 1):
                        mass += ref_exits[g - groups[1], v] * bV[first + t, v]
                    row[t] = mass * factor[a]
                for crossing in range(ref.crossing_first[g], ref.crossing_first[g + 1]):
                    b = ref.landed[crossing]
                    mass = 0.0
                    for t in range(count):
                        mass += ref_K[crossing - crossings[1], t] * row[t]
                    mass *= ref_factor[b]
                    c2[jump, ref_arcs[b, 4]] += ref_entering[crossing - crossings[1]] * mass
                    dJ[ref_arcs[b, 0]] += mass * T2[jump, ref_arcs[b, 4]]
        for a in range(starts[i], starts[i + 1]):
            at = first_arc + a
            for crossing in hyp.by_landed[hyp.landed_first[at] : hyp.landed_first[at + 1]]:
                g = hyp.group[crossing]
                mass = 0.0
                for t in range(max_jump):
                    mass += hyp_K[crossing - crossings[0], t] * hyp_R[g - groups[0], t]
                mass *= factor[a]
                c2[jump, arcs[a, 4]] += hyp_entering[crossing - crossings[0]] * mass
                dJ[arcs[hyp.gap_arc[g], 2]] += mass * T2[jump, arcs[a, 4]]
        if i == m:
            YI[n] = 1.0
            YD[n] = 1.0
            bV[m, n] = 1.0
        for a in range(starts[i], starts[i + 1]):
            j, state = arcs[a, 2], arcs[a, 4]
            mass = factor[a] * B[a]
            bV[i, j] += T2[jump, state] * mass
            c2[jump, state] += V[i, j] * mass
            if j:
                YI[j] += T2[ins[j - 1], state] * mass
                c2[ins[j - 1], state] += I[i, j] * mass
            if i:
                YD[j] += T2[dels[i - 1], state] * mass
                c2[dels[i - 1], state] += D[i, j] * mass
            elif j == 0:
                c2[start, state] += mass
        again, count = T0[jump, jump], 0.0
        for j in range(n + 1):
            YI[j] += TJ[j] * dJ[j]
            cIJ[j] += I[i, j] * dJ[j]
            bV[i, j] += again * dJ[j]
            count += V[i, j] * dJ[j]
        c0[jump, jump] += count
        if i < m:
            IDr, cIDr = ID[dels[i]], cID[dels[i]]
            leave = T1[jump, dels[i]]
            count = 0.0
            for j in range(n + 1):
                YI[j] += IDr[j] * below[j]
                cIDr[j] += I[i, j] * below[j]
                bV[i, j] += leave * below[j]
                count += V[i, j] * below[j]
            c1[jump, dels[i]] += count
        mass = YI[n]
        bI[n] = mass
        for j in range(n - 1, -1, -1):
            mass = mass * II[j] + YI[j]
            bI[j] = mass
        for j in range(n):
            cII[j] += I[i, j] * bI[j + 1]
            cJI[j] += V[i, j] * bI[j + 1]
            bV[i, j] += leave_insert[j] * bI[j + 1]
        if i:
            state = dels[i - 1]
            DIr, cDIr = DI[state], cDI[state]
            DD = T1[state, dels[i]] if i < m else 0.0
            enter = T0[state, jump]
            count, into = 0.0, 0.0
            for j in range(n + 1):
                bD[j] = DD * below[j] + YD[j] + enter * dJ[j]
                count += D[i, j] * below[j]
                into += D[i, j] * dJ[j]
            for j in range(n):
                bD[j] += DIr[j] * bI[j + 1]
                cDIr[j] += D[i, j] * bI[j + 1]
            c0[state, jump] += into
            if i < m:
                c1[state, dels[i]] += count
        else:
            c0[start, jump] += dJ[0]
            if n:
                c1[start, ins[0]] += bI[1]
            if m:
                c1[start, dels[0]] += below[0]
        for e in range(ends[i], ends[i + 1]):
            a = by_end[e]
            j, state = arcs[a, 2] + arcs[a, 3], arcs[a, 4]
            mass = 1.0 if i == m and j == n else 0.0
            mass += T0[state, jump] * dJ[j]
            c0[state, jump] += M[a] * dJ[j]
            if j < n:
                mass += T1[state, ins[j]] * bI[j + 1]
                c1[state, ins[j]] += M[a] * bI[j + 1]
            if i < m:
                mass += T1[state, dels[i]] * below[j]
                c1[state, dels[i]] += M[a] * below[j]
            for b in range(starts[i], starts[i + 1]):
                if arcs[b, 2] != j:
                    continue
                follow = factor[b] * B[b]
                linked = link.size and arcs[a, 1] + arcs[a, 3] == 2 and arcs[b, 1] + arcs[b, 3] == 2
                if linked:
                    follow *= link[b]
                c2[state, arcs[b, 4]] += M[a] * follow
                follow *= T2[state, arcs[b, 4]]
                if linked:
                    link_mass[b] += M[a] * follow
                mass += follow
            B[a] = mass
        for j in range(n + 1):
            below[j] = bD[j]


@njit(cache=True, fastmath={"contract"})
def _adjoint_window(
    x, done, limit, along, across, arcs, by_end, starts, ends, factor, link, T0, T1, T2, II, DI, ID, TJ, jump,
    EI, ED, EM, dY, dZ, LM, rows, c0, c1, c2, cII, cDI, cID, cIJ, arc_mass, link_mass,
):  # fmt: skip
    """Adjoint of ``_open_window``: from derivatives in the exits Y and Z to counts and arc posteriors.

    ``LM[a]`` becomes the backward mass of arc a of the window; ``rows`` is scratch for five rows.
    """
    top, left = arcs[x, 0] + arcs[x, 1], arcs[x, 2] + arcs[x, 3]
    width = limit - left + 1
    LI, LD, below, AI, AD = rows[0], rows[1], rows[2], rows[3], rows[4]
    for k in range(width):
        below[k] = 0.0
        AI[k] = 0.0
        AD[k] = 0.0
    LI[width] = 0.0
    for r in range(done - 1, -1, -1):
        u = top + r
        before = along[u - 1]
        enter = T0[before, jump]
        for b in range(starts[u], starts[u + 1]):
            if EM[b] == 0.0 or arcs[b, 2] < left or arcs[b, 2] > limit:
                continue
            k, state = arcs[b, 2] - left, arcs[b, 4]
            mass = factor[b] * LM[b]
            if k:
                prev = across[arcs[b, 2] - 1]
                AI[k] += T2[prev, state] * mass
                c2[prev, state] += EI[r, k] * mass
            if r:
                AD[k] += T2[before, state] * mass
                c2[before, state] += ED[r, k] * mass
        last = r + 1 == done
        # Without a row below all of its masses are zero, and which transitions lead there does not matter.
        after = before if last else along[u]
        IDr, cIDr = ID[after], cID[after]
        DIr, cDIr = DI[before], cDI[before]
        DD = T1[before, after]
        into, count, mass = 0.0, 0.0, 0.0
        for k in range(width - 1, -1, -1):
            v = left + k
            inserted, deleted = EI[r, k], ED[r, k]
            exit_y = dY[r, k]
            both = exit_y + dZ[r, k]
            under = below[k]
            LD[k] = exit_y * enter + DD * under + DIr[v] * mass + AD[k]
            cDIr[v] += deleted * mass
            cII[v] += inserted * mass
            mass = both * TJ[v] + IDr[v] * under + II[v] * mass + AI[k]
            LI[k] = mass
            cIJ[v] += inserted * both
            cIDr[v] += inserted * under
            into += deleted * exit_y
            count += deleted * under
            AI[k] = 0.0
            AD[k] = 0.0
        if r:
            c0[before, jump] += into
            c1[before, after] += count
        for e in range(ends[u], ends[u + 1]):
            a = by_end[e]
            if EM[a] == 0.0:
                continue
            v, state = arcs[a, 2] + arcs[a, 3], arcs[a, 4]
            k = v - left
            both = dY[r, k] + dZ[r, k]
            mass = T0[state, jump] * both
            c0[state, jump] += EM[a] * both
            if v < limit:
                mass += T1[state, across[v]] * LI[k + 1]
                c1[state, across[v]] += EM[a] * LI[k + 1]
            if not last:
                mass += T1[state, along[u]] * below[k]
                c1[state, along[u]] += EM[a] * below[k]
            for b in range(starts[u], starts[u + 1]):
                if arcs[b, 2] != v or EM[b] == 0.0:
                    continue
                follow = factor[b] * LM[b]
                linked = link.size and arcs[a, 1] + arcs[a, 3] == 2 and arcs[b, 1] + arcs[b, 3] == 2
                if linked:
                    follow *= link[b]
                c2[state, arcs[b, 4]] += EM[a] * follow
                follow *= T2[state, arcs[b, 4]]
                if linked:
                    link_mass[b] += EM[a] * follow
                mass += follow
            LM[a] = mass
            arc_mass[a] += EM[a] * mass
        for k in range(width):
            below[k] = LD[k]


@njit(cache=True, fastmath={"contract"})
def _inside_adjoint(
    first_arc, max_jump, along, across, arcs, side, starts, ends, factor, link, T0, T1, T2, II, DI, ID, TJ, jump,
    EI, ED, EM, Y, Z, H, dH, X, LM, rows, bV, transposed, F, R, entering, first_group, first_crossing,
    c0, c1, c2, cII, cDI, cID, cIJ, arc_mass, link_mass,
):  # fmt: skip
    """Adjoint of ``_inside`` for one view: the windows are opened again, now with what their exits are worth."""
    height, n_columns = along.size, across.size
    dY, dZ = np.empty((height + 1, max_jump + 1)), np.empty((height + 1, max_jump + 1))
    for x in range(arcs.shape[0]):
        needed = _window_rows(x, first_arc, height, arcs, side)
        if needed == 0:
            continue
        top, left = arcs[x, 0] + arcs[x, 1], arcs[x, 2] + arcs[x, 3]
        limit = min(n_columns, arcs[x, 2] + max_jump)
        width = limit - left + 1
        if width <= 0:
            continue
        done = _open_window(
            x, needed, limit, along, across, arcs, side.by_end[first_arc:], starts, ends, factor, link,
            T0, T1, T2, II, DI, ID, TJ, jump, EI, ED, EM, Y, Z, X,
        )  # fmt: skip
        begin, end = side.landed_first[first_arc + x], side.landed_first[first_arc + x + 1]
        lead = _lead_rows(x, first_arc, arcs, side) if begin < end else 0
        for r in range(max(done, lead)):
            for k in range(width):
                dY[r, k] = 0.0
                dZ[r, k] = 0.0
                dH[r, k] = 0.0
        for g in range(side.group_first[first_arc + x], side.group_first[first_arc + x + 1]):
            first, count = side.landing[g] + 1, min(max_jump, n_columns - side.landing[g])
            k = side.landing[g] - left
            for r in range(done):
                mass = 0.0
                if transposed:
                    for t in range(count):
                        mass += F[g - first_group, t] * bV[first + t, top + r]
                else:
                    for t in range(count):
                        mass += F[g - first_group, t] * bV[top + r, first + t]
                dZ[r, k] += mass * factor[x]
        if begin < end:
            _lead(top, done, lead, along, T1, jump, width, Y, H)
            skipped = arcs[x, 3] - 1
            opening = T2[jump, arcs[x, 4]] * factor[x]
            for crossing in side.by_landed[begin:end]:
                g = side.group[crossing]
                c = side.gap_arc[g]
                r = arcs[c, 0] - top
                state, before = arcs[c, 4], along[arcs[c, 0] - 1]
                after_jump, after_delete = T2[jump, state], T2[before, state]
                weight = entering[crossing - first_crossing] * opening
                direct, through = 0.0, 0.0
                for k in range(width):
                    mass = weight * R[g - first_group, skipped + k]
                    dY[r, k] += mass * after_jump
                    dH[r, k] += mass * after_delete
                    direct += mass * Y[r, k]
                    through += mass * H[r, k]
                c2[jump, state] += direct
                c2[before, state] += through
            for r in range(lead - 2, -1, -1):
                state, before = along[top + r], along[top + r - 1]
                leave, more = T1[jump, state], T1[before, state]
                direct, through = 0.0, 0.0
                for k in range(width):
                    mass = dH[r + 1, k]
                    dH[r, k] += mass * more
                    dY[r, k] += mass * leave
                    direct += mass * Y[r, k]
                    through += mass * H[r, k]
                c1[jump, state] += direct
                if r:
                    c1[before, state] += through
        _adjoint_window(
            x, done, limit, along, across, arcs, side.by_end[first_arc:], starts, ends, factor, link,
            T0, T1, T2, II, DI, ID, TJ, jump, EI, ED, EM, dY, dZ, LM, rows, c0, c1, c2, cII, cDI, cID, cIJ,
            arc_mass, link_mass,
        )  # fmt: skip
        _close_window(x, done, limit, arcs, starts, EM)


@njit(cache=True)
def _collect(across, seen, along_bit, T1, jump, II, DI, ID, TJ, cII, cDI, cID, cIJ, scale, counts):
    """Adds the counts kept position by position, and empties them."""
    n = across.size
    for j in range(n + 1):
        if j:
            counts[across[j - 1], jump] += cIJ[j] * TJ[j] * scale
            if j < n:
                counts[across[j - 1], across[j]] += cII[j] * II[j] * scale
        cIJ[j] = 0.0
        cII[j] = 0.0
    for state in range(T1.shape[1]):
        if not seen[state] & along_bit:
            continue
        for j in range(n):
            counts[state, across[j]] += cDI[state, j] * DI[state, j] * scale
            counts[across[j], state] += cID[state, j + 1] * ID[state, j + 1] * scale
        for j in range(n + 1):
            cDI[state, j] = 0.0
            cID[state, j] = 0.0


@njit(cache=True, nogil=True, error_model="numpy")
def pushdown_batch(
    first, last, offsets, delete_states, insert_states, rates, tilted_arcs, link_factor, E, jump, max_jump, hyp, ref,
    log_sum, accepted, derivatives, counts, arc_counts, link_counts,
):  # fmt: skip
    """Log-sums of lattices first..last-1 with jumps of up to ``max_jump``; with ``derivatives``, expected counts too.

    Arguments as in ``machine.forward_backward_batch``; ``rates`` and ``tilted_arcs`` are those of
    ``pushdown_tilt.tilt_batch``, ``jump`` is the id of the state Jump, ``hyp`` and ``ref`` are the two sides of
    ``crossings.Crossings``. ``accepted`` is False where log space is needed; lattices that come in accepted are done.
    """
    S = E.shape[1]
    longest = 0
    most_arcs = 0
    for k in range(first, last):
        longest = max(longest, offsets[k + 1, 0] - offsets[k, 0], offsets[k + 1, 1] - offsets[k, 1])
        most_arcs = max(most_arcs, offsets[k + 1, 2] - offsets[k, 2])
    width = longest + 1
    T1, T2 = np.empty((S + 1, S)), np.empty((S + 1, S))
    c0, c1, c2 = np.empty((S + 1, S)), np.empty((S + 1, S)), np.empty((S + 1, S))
    hII, hTJ, rII, rTJ, leave = (
        np.empty(width),
        np.empty(width),
        np.empty(width),
        np.empty(width),
        np.empty(width),
    )
    hDI, hID = np.empty((S, width)), np.empty((S, width))
    rDI, rID = np.empty((S, width)), np.empty((S, width))
    hcDI, hcID, rcDI, rcID = (
        np.zeros((S, width)),
        np.zeros((S, width)),
        np.zeros((S, width)),
        np.zeros((S, width)),
    )
    rcII, rcIJ = np.zeros(width), np.zeros(width)
    rows = np.zeros((9, width))
    scratch = np.empty((5, max_jump + 2))
    EI, ED = np.empty((width, max_jump + 1)), np.empty((width, max_jump + 1))
    Y, Z = np.empty((width, max_jump + 1)), np.empty((width, max_jump + 1))
    H, dH = np.empty((width, max_jump + 1)), np.empty((width, max_jump + 1))
    X = np.zeros((3, max_jump + 1))
    M, B, LM = np.empty(most_arcs), np.empty(most_arcs), np.empty(most_arcs)
    EM = np.zeros(most_arcs)
    ref_tilted, ref_link = np.empty(most_arcs), np.empty(most_arcs)
    ref_mass, ref_link_mass = np.empty(most_arcs), np.empty(most_arcs)
    starts, ends = np.empty(width + 1, np.int64), np.empty(width + 1, np.int64)
    ref_starts, ref_ends = np.empty(width + 1, np.int64), np.empty(width + 1, np.int64)
    seen = np.empty(S, np.int64)
    planes = np.empty(0)
    empty = np.empty(0)
    for k in range(first, last):
        if accepted[k]:
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
        tilted = tilted_arcs[a0:a1]
        _mark(dels, ins, seen)
        for prev in range(S + 1):
            for cur in range(S):
                T1[prev, cur] = E[prev, cur] / rho
                T2[prev, cur] = E[prev, cur] / (rho * rho)
        _lay_out(E, T1, jump, ins, seen, 2, hII, hDI, hID, hTJ)
        _lay_out(E, T1, jump, dels, seen, 1, rII, rDI, rID, rTJ)
        for j in range(n):
            leave[j] = T1[jump, ins[j]]
        leave[n] = 0.0
        for x in range(A):
            ref_tilted[x] = tilted[ref.original[a0 + x]]
            if link.size:
                ref_link[x] = link[ref.original[a0 + x]]
        rlink = ref_link[:A] if link.size else empty
        _row_starts(arcs, starts[: m + 2], ends[: m + 2])
        _row_starts(ref_arcs, ref_starts[: n + 2], ref_ends[: n + 2])
        groups = (hyp.group_first[a0], ref.group_first[a0])
        crossings = (hyp.landed_first[a0], ref.landed_first[a0])
        n_hyp, n_ref = hyp.group_first[a1] - groups[0], ref.group_first[a1] - groups[1]
        x_hyp, x_ref = hyp.landed_first[a1] - crossings[0], ref.landed_first[a1] - crossings[1]
        hyp_K, ref_K = np.empty((x_hyp, max_jump)), np.empty((x_ref, max_jump))
        hyp_exits, ref_exits = np.empty((n_hyp, m + 1)), np.empty((n_ref, n + 1))
        hyp_F, ref_F = np.zeros((n_hyp, max_jump)), np.zeros((n_ref, max_jump))
        hyp_in, ref_in = np.empty(x_hyp), np.empty(x_ref)
        _inside(
            a0, max_jump, dels, ins, arcs, hyp, starts, ends, tilted, link, E, T1, T2, hII, hDI, hID, hTJ, jump,
            EI, ED, EM, Y, Z, H, X, hyp_K, hyp_exits, groups[0], crossings[0],
        )  # fmt: skip
        _inside(
            a0, max_jump, ins, dels, ref_arcs, ref, ref_starts, ref_ends, ref_tilted, rlink, E, T1, T2,
            rII, rDI, rID, rTJ, jump, EI, ED, EM, Y, Z, H, X, ref_K, ref_exits, groups[1], crossings[1],
        )  # fmt: skip
        size = (m + 1) * (n + 1)
        wanted = 4 * size if derivatives else 3 * size
        if planes.size < wanted:
            planes = np.empty(wanted)
        I, D = planes[:size].reshape(m + 1, n + 1), planes[size : 2 * size].reshape(m + 1, n + 1)
        V = planes[2 * size : 3 * size].reshape(m + 1, n + 1)
        V[:] = 0.0
        D[0] = 0.0
        total = _forward(
            a0, max_jump, dels, ins, arcs, starts, ends, tilted, link, hyp, ref, ref_arcs, ref_tilted,
            E, T1, T2, hII, hDI, hID, hTJ, leave, jump, I, D, V, M, rows, hyp_K, ref_K, hyp_exits, ref_exits,
            hyp_F, ref_F, hyp_in, ref_in, groups, crossings,
        )  # fmt: skip
        accepted[k] = total >= SMALLEST_TOTAL
        if not accepted[k]:
            continue
        log_sum[k] = math.log(total) + (m + n) * math.log(rho)
        if not derivatives:
            continue
        bV = planes[3 * size : 4 * size].reshape(m + 1, n + 1)
        hyp_R, ref_R = np.zeros((n_hyp, max_jump)), np.zeros((n_ref, max_jump))
        rows[:] = 0.0
        c0[:] = 0.0
        c1[:] = 0.0
        c2[:] = 0.0
        link_mass = link_counts[a0:a1] if link.size else empty
        link_mass[:] = 0.0
        _backward(
            a0, max_jump, dels, ins, arcs, starts, ends, tilted, link, hyp, ref, ref_arcs, ref_tilted,
            E, T1, T2, hII, hDI, hID, hTJ, leave, jump, I, D, V, bV, M, B, rows, hyp_K, ref_K, hyp_exits, ref_exits,
            hyp_R, ref_R, hyp_in, ref_in, groups, crossings, c0, c1, c2, hcDI, hcID, link_mass,
        )  # fmt: skip
        mass = arc_counts[a0:a1]
        for a in range(A):
            mass[a] = M[a] * B[a]
            ref_mass[a] = 0.0
            ref_link_mass[a] = 0.0
        _inside_adjoint(
            a0, max_jump, dels, ins, arcs, hyp, starts, ends, tilted, link, E, T1, T2, hII, hDI, hID, hTJ, jump,
            EI, ED, EM, Y, Z, H, dH, X, LM, scratch, bV, False, hyp_F, hyp_R, hyp_in, groups[0], crossings[0],
            c0, c1, c2, rows[6], hcDI, hcID, rows[7], mass, link_mass,
        )  # fmt: skip
        _inside_adjoint(
            a0, max_jump, ins, dels, ref_arcs, ref, ref_starts, ref_ends, ref_tilted, rlink, E, T1, T2,
            rII, rDI, rID, rTJ, jump, EI, ED, EM, Y, Z, H, dH, X, LM, scratch, bV, True, ref_F, ref_R, ref_in,
            groups[1], crossings[1], c0, c1, c2, rcII, rcDI, rcID, rcIJ, ref_mass, ref_link_mass,
        )  # fmt: skip
        for x in range(A):
            a = ref.original[a0 + x]
            mass[a] = (mass[a] + ref_mass[x]) / total
            if link.size:
                link_mass[a] += ref_link_mass[x]
        for a in range(link_mass.size):
            link_mass[a] /= total
        scale = 1.0 / total
        for j in range(n):
            c1[jump, ins[j]] += rows[8, j]
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
        _collect(ins, seen, 2, T1, jump, hII, hDI, hID, hTJ, rows[6], hcDI, hcID, rows[7], scale, counts[k])
        _collect(dels, seen, 1, T1, jump, rII, rDI, rID, rTJ, rcII, rcDI, rcID, rcIJ, scale, counts[k])
