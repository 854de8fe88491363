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
large enough for swaps as well (``tilt``), so all masses stay bounded and a total of at least
``SMALLEST_TOTAL`` is exact to rounding; other pairs are left to ``log_space``. Window rows are followed until their
mass falls under ``NEGLIGIBLE``, which that bound covers.

**Cost.** O(m n + arcs with crossings x window + groups x rows x D) time; 32 (m + 1)(n + 1) bytes, 16 D bytes a crossing
and 8 (m + n) bytes a group and pair.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pfsm_kernels.cache import njit
from pfsm_kernels.lattice.batch import Cells, Factors, Float, Int32, Outputs
from pfsm_kernels.machine.tilt import NEGLIGIBLE, SMALLEST_TOTAL_WITH_JUMPS, tilt_arcs
from pfsm_kernels.pushdown.crossings import Side


class Table(NamedTuple):
    """Transitions over ``rho`` to the power of what is consumed (T0: nothing), the state Jump, and the jump limit."""

    T0: Float
    T1: Float
    T2: Float
    jump: int
    limit: int


class Frame(NamedTuple):
    """One side of one lattice; arcs with their tilted factors.

    Attributes:
        along: int32 [rows], states of the edits of rows.
        across: int32 [columns], states of those of columns.
        arcs: int32 [n_arcs, 5].
        by_end: int32 [n_arcs].
        starts: int64 [rows + 2], where arcs that begin in each row begin.
        ends: int64 [rows + 2], where those that end in it begin in ``by_end``.
        factor: float64 [n_arcs].
        link: float64 [n_arcs] or [0].
        II: float64 [columns + 1], transitions position by position, as in ``machine``.
        DI: float64 [S, columns + 1].
        ID: float64 [S, columns + 1].
        TJ: float64 [columns + 1], into Jump.
    """

    along: Int32
    across: Int32
    arcs: Int32
    by_end: Int32
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    factor: Float
    link: Float
    II: Float
    DI: Float
    ID: Float
    TJ: Float


class Swaps(NamedTuple):
    """The jumps of one side of one lattice.

    Attributes:
        side: The side of the whole batch.
        first: Where the lattice's arcs, groups and crossings begin in it.
        K: float64 [n_crossings, D].
        exits: float64 [n_groups, rows + 1], Z.
        F: float64 [n_groups, D].
        R: float64 [n_groups, D]; without derivatives, nothing.
        entering: float64 [n_crossings], what enters each crossing's first jump.
    """

    side: Side
    first: tuple[int, int, int]
    K: Float
    exits: Float
    F: Float
    R: Float
    entering: Float


class Window(NamedTuple):
    """Scratch for one window, see ``_open_window``."""

    EI: Float
    ED: Float
    EM: Float
    Y: Float
    Z: Float
    H: Float
    X: Float


class Planes(NamedTuple):
    """Outer masses: of Insert, of Delete, behind a swap, its adjoint, and of arcs."""

    I: Float
    D: Float
    V: Float
    bV: Float  # noqa: N815 - likewise
    M: Float


class Counts(NamedTuple):
    """Expected counts while they are added up: by consumed tokens; position by position; of arcs and links."""

    c0: Float
    c1: Float
    c2: Float
    cII: Float  # noqa: N815 - the names of sums
    cDI: Float  # noqa: N815
    cID: Float  # noqa: N815
    cIJ: Float  # noqa: N815
    arcs: Float
    links: Float


@njit(borrows=True)
def _mark(delete_states, insert_states, seen):
    """Marks the states of Insert (1) and Delete (2)."""
    seen[:] = 0
    for state in insert_states:
        seen[state] |= 1
    for state in delete_states:
        seen[state] |= 2


@njit(borrows=True)
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


@njit(borrows=True)
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


@njit(borrows=True, fastmath={"contract"})
def _open_window(x, rows, limit, frame, table, window):
    """Inside masses from arc x up to ``rows`` rows after its end and column ``limit``; exits into Jump in Y and Z.

    Row r of EI, ED, Y, Z is row r of the window, column k its k-th. ``EM`` holds the masses of arcs (all zero before;
    ``_close_window`` makes them zero again); ``EM[x]`` is 1. ``X`` is scratch, zero before and after. Returns
    the number of rows that carry mass.
    """
    T0, T1, T2, jump, _ = table
    along, across, arcs, by_end, starts, ends, factor, link, II, DI, ID, TJ = frame
    EI, ED, EM, Y, Z, _, X = window
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


@njit(borrows=True)
def _close_window(x, rows, limit, arcs, starts, EM):
    """Takes back the arc masses of a window."""
    top, left = arcs[x, 0] + arcs[x, 1], arcs[x, 2] + arcs[x, 3]
    EM[x] = 0.0
    for b in range(starts[top], starts[top + rows]):
        if left <= arcs[b, 2] <= limit:
            EM[b] = 0.0


@njit(borrows=True)
def _lead_rows(x, first_arc, arcs, side):
    """Rows of landed arc x's window down to its last partner: Deletes lead there even where the window has ended."""
    last = side.by_landed[side.landed_first[first_arc + x + 1] - 1]
    return arcs[side.gap_arc[side.group[last]], 0] - arcs[x, 0] - arcs[x, 1] + 1


@njit(borrows=True)
def _window_rows(x, first_arc, height, arcs, side):
    """Rows of arc x's window that are needed: all where it opens gaps, else down to its last partner, or 0."""
    at = first_arc + x
    if side.group_first[at + 1] > side.group_first[at]:
        return height - arcs[x, 0] - arcs[x, 1] + 1
    return _lead_rows(x, first_arc, arcs, side) if side.landed_first[at + 1] > side.landed_first[at] else 0


@njit(borrows=True, fastmath={"contract"})
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


@njit(borrows=True, fastmath={"contract"})
def _inside(frame, swaps, table, window):
    """K of every crossing and Z of every group of one view, which no outer mass changes."""
    _, T1, T2, jump, max_jump = table
    along, across, arcs, starts = frame.along, frame.across, frame.arcs, frame.starts
    (first_arc, first_group, first_crossing), side, K, exits = swaps.first, swaps.side, swaps.K, swaps.exits
    EM, Y, Z, H = window.EM, window.Y, window.Z, window.H
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
            done = _open_window(x, rows, limit, frame, table, window)
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


@njit(borrows=True, fastmath={"contract"})
def _forward(frame, across, hypothesis, reference, table, leave_insert, planes, rows):
    """Outer forward pass; fills I, D, V, M, F and what enters every crossing's first jump. Returns the total.

    ``across`` is the frame of jumps on r.
    """
    T0, T1, T2, jump, max_jump = table
    dels, ins, arcs, by_end, starts, ends, factor, link, II, DI, ID, TJ = frame
    hyp, (first_arc, _, _), hyp_K, hyp_exits, hyp_F, _, hyp_entering = hypothesis
    ref, _, ref_K, ref_exits, ref_F, _, ref_entering = reference
    groups, crossings = (hypothesis.first[1], reference.first[1]), (hypothesis.first[2], reference.first[2])
    ref_arcs, ref_factor = across.arcs, across.factor
    I, D, V, _, M = planes
    m, n = dels.size, ins.size
    start = T1.shape[0] - 1
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


@njit(borrows=True, fastmath={"contract"})
def _backward(frame, across, hypothesis, reference, table, leave_insert, planes, rows, B, counts):
    """Outer backward pass: adjoint of ``_forward``; fills bV, B and R and adds up unscaled counts.

    ``rows``: backward Insert and Delete masses, Delete masses of the row below, YI, YD, dJ, and the counts per column
    of Insert>Insert, Insert>Jump and Jump>Insert.
    """
    T0, T1, T2, jump, max_jump = table
    dels, ins, arcs, by_end, starts, ends, factor, link, II, DI, ID, TJ = frame
    hyp, (first_arc, _, _), hyp_K, hyp_exits, _, hyp_R, hyp_entering = hypothesis
    ref, _, ref_K, ref_exits, _, ref_R, ref_entering = reference
    groups, crossings = (hypothesis.first[1], reference.first[1]), (hypothesis.first[2], reference.first[2])
    ref_arcs, ref_factor = across.arcs, across.factor
    I, D, V, bV, M = planes
    c0, c1, c2, _, cDI, cID, _, _, link_mass = counts
    m, n = dels.size, ins.size
    start = T1.shape[0] - 1
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


@njit(borrows=True, fastmath={"contract"})
def _adjoint_window(x, done, limit, frame, table, window, dY, dZ, LM, rows, counts):
    """Adjoint of ``_open_window``: from derivatives in the exits Y and Z to counts and arc posteriors.

    ``LM[a]`` becomes the backward mass of arc a of the window; ``rows`` is scratch for five rows.
    """
    T0, T1, T2, jump, _ = table
    along, across, arcs, by_end, starts, ends, factor, link, II, DI, ID, TJ = frame
    EI, ED, EM, _, _, _, _ = window
    c0, c1, c2, cII, cDI, cID, cIJ, arc_mass, link_mass = counts
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


@njit(fastmath={"contract"})
def _inside_adjoint(frame, swaps, table, window, bV, transposed, LM, rows, counts):
    """Adjoint of ``_inside`` for one view: the windows are opened again, now with what their exits are worth."""
    _, T1, T2, jump, max_jump = table
    along, across, arcs, starts, factor = frame.along, frame.across, frame.arcs, frame.starts, frame.factor
    (first_arc, first_group, first_crossing), side, F, R = swaps.first, swaps.side, swaps.F, swaps.R
    entering, EM, Y, H, c1, c2 = swaps.entering, window.EM, window.Y, window.H, counts.c1, counts.c2
    height, n_columns = along.size, across.size
    dY, dZ, dH = np.empty((3, height + 1, max_jump + 1))
    for x in range(arcs.shape[0]):
        needed = _window_rows(x, first_arc, height, arcs, side)
        if needed == 0:
            continue
        top, left = arcs[x, 0] + arcs[x, 1], arcs[x, 2] + arcs[x, 3]
        limit = min(n_columns, arcs[x, 2] + max_jump)
        width = limit - left + 1
        if width <= 0:
            continue
        done = _open_window(x, needed, limit, frame, table, window)
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
        _adjoint_window(x, done, limit, frame, table, window, dY, dZ, LM, rows, counts)
        _close_window(x, done, limit, arcs, starts, EM)


@njit(borrows=True)
def _collect(frame, seen, along_bit, table, added, scale, counts):
    """Adds the counts kept position by position, and empties them."""
    across, II, DI, ID, TJ = frame.across, frame.II, frame.DI, frame.ID, frame.TJ
    _, T1, _, jump, _ = table
    _, _, _, cII, cDI, cID, cIJ, _, _ = added
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


@njit
def _room(width, states, arcs):
    """Room for the transitions of one side, its counts position by position, and its arcs."""
    steps = np.empty(width), np.empty((states, width)), np.empty((states, width)), np.empty(width)
    counts = np.zeros(width), np.zeros((states, width)), np.zeros((states, width)), np.zeros(width)
    rows = np.empty(width + 1, np.int64), np.empty(width + 1, np.int64)
    return steps, counts, rows, np.empty((4, arcs))


@njit
def _frame(side, a0, A, along, across, room, seen, along_bit, table, factor, link):
    """One side of a lattice, laid out in its room; factors of arcs and links are in the order of the lattice."""
    (II, DI, ID, TJ), _, (starts, ends), own = room
    arcs, original = side.arcs[a0 : a0 + A], side.original[a0 : a0 + A]
    for x in range(A):
        own[0, x] = factor[original[x]]
        if link.size:
            own[1, x] = link[original[x]]
        own[2, x] = 0.0
        own[3, x] = 0.0
    rows = starts[: along.size + 2], ends[: along.size + 2]
    _lay_out(table.T0, table.T1, table.jump, across, seen, along_bit, II, DI, ID, TJ)
    _row_starts(arcs, rows[0], rows[1])
    return Frame(
        along, across, arcs, side.by_end[a0 : a0 + A], rows[0], rows[1], own[0, :A], own[1, : A if link.size else 0],
        II, DI, ID, TJ,
    )  # fmt: skip


@njit
def _swaps(side, a0, a1, height, max_jump):
    """Room for the swaps of one side of a lattice."""
    first = a0, side.group_first[a0], side.landed_first[a0]
    groups, crossings = side.group_first[a1] - first[1], side.landed_first[a1] - first[2]
    return Swaps(
        side, first, np.empty((crossings, max_jump)), np.empty((groups, height + 1)), np.zeros((groups, max_jump)),
        np.zeros((groups, max_jump)), np.empty(crossings),
    )  # fmt: skip


@njit(borrows=True)
def _add_up(table, counts, scale, result):
    """Counts by consumed tokens, as expected counts."""
    for prev in range(result.shape[0]):
        for cur in range(result.shape[1]):
            count = 0.0
            if counts.c0[prev, cur] > 0.0:
                count += counts.c0[prev, cur] * table.T0[prev, cur]
            if counts.c1[prev, cur] > 0.0:
                count += counts.c1[prev, cur] * table.T1[prev, cur]
            if counts.c2[prev, cur] > 0.0:
                count += counts.c2[prev, cur] * table.T2[prev, cur]
            result[prev, cur] = count * scale


@njit(nogil=True, error_model="numpy")
def pushdown_batch(first, last, cells, factors, jumping, rates, outputs):
    """Log-sums of lattices first..last-1 with jumps; with the derivatives of each where there is room for them.

    The arguments are those of ``batch``, as plain tuples, and ``tilt.rates_with_jumps``. Lattices that come in accepted
    are done; where ``accepted`` is False afterwards, log space is needed.
    """
    cells, factors, outputs = Cells(*cells), Factors(*factors), Outputs(*outputs)
    offsets, E, accepted = cells.offsets, factors.table, outputs.accepted
    derivatives, n_links = outputs.table.shape[0] > 0, factors.links.size
    jump, max_jump, hyp, ref = jumping[0], jumping[1], Side(*jumping[2]), Side(*jumping[3])
    S = E.shape[1]
    longest, most_arcs = 0, 0
    for k in range(first, last):
        longest = max(longest, offsets[k + 1, 0] - offsets[k, 0], offsets[k + 1, 1] - offsets[k, 1])
        most_arcs = max(most_arcs, offsets[k + 1, 2] - offsets[k, 2])
    width = longest + 1
    table = Table(E, np.empty((S + 1, S)), np.empty((S + 1, S)), jump, max_jump)
    c0, c1, c2 = np.empty((S + 1, S)), np.empty((S + 1, S)), np.empty((S + 1, S))
    rooms = _room(width, S, most_arcs), _room(width, S, most_arcs)
    leave, rows, scratch = np.empty(width), np.zeros((9, width)), np.empty((5, max_jump + 2))
    EI, ED, Y, Z, H = np.empty((5, width, max_jump + 1))
    window = Window(EI, ED, np.zeros(most_arcs), Y, Z, H, np.zeros((3, max_jump + 1)))
    M, B, LM, tilted = np.empty((4, most_arcs))
    seen, planes = np.empty(S, np.int64), np.empty(0)
    for k in range(first, last):
        if accepted[k]:
            continue
        a0, a1 = offsets[k, 2], offsets[k + 1, 2]
        dels = cells.deletes[offsets[k, 0] : offsets[k + 1, 0]]
        ins = cells.inserts[offsets[k, 1] : offsets[k + 1, 1]]
        link = factors.links[a0:a1] if n_links else factors.links
        m, n, A = dels.size, ins.size, a1 - a0
        accepted[k] = True
        if derivatives:
            outputs.table[k] = 0.0
        if m + n == 0:
            outputs.log_sum[k] = 0.0
            continue
        rho = rates[k]
        accepted[k] = rho > 0.0 and tilt_arcs(rho, a0, a1, cells.arcs, factors.arcs, tilted)
        if not accepted[k]:
            continue
        _mark(dels, ins, seen)
        for prev in range(S + 1):
            for cur in range(S):
                table.T1[prev, cur] = E[prev, cur] / rho
                table.T2[prev, cur] = E[prev, cur] / (rho * rho)
        frame = _frame(hyp, a0, A, dels, ins, rooms[0], seen, 2, table, tilted, link)
        turned = _frame(ref, a0, A, ins, dels, rooms[1], seen, 1, table, tilted, link)
        for j in range(n):
            leave[j] = table.T1[jump, ins[j]]
        leave[n] = 0.0
        hypothesis, reference = _swaps(hyp, a0, a1, m, max_jump), _swaps(ref, a0, a1, n, max_jump)
        _inside(frame, hypothesis, table, window)
        _inside(turned, reference, table, window)
        size = (m + 1) * (n + 1)
        if planes.size < 4 * size:
            planes = np.empty(4 * size)
        shaped = planes[: 4 * size].reshape(4, m + 1, n + 1)
        shaped[2] = 0.0
        shaped[1, 0] = 0.0
        outer = Planes(shaped[0], shaped[1], shaped[2], shaped[3], M)
        total = _forward(frame, turned, hypothesis, reference, table, leave, outer, rows)
        accepted[k] = total >= SMALLEST_TOTAL_WITH_JUMPS
        if not accepted[k]:
            continue
        outputs.log_sum[k] = math.log(total) + (m + n) * math.log(rho)
        if not derivatives:
            continue
        rows[:] = 0.0
        c0[:] = 0.0
        c1[:] = 0.0
        c2[:] = 0.0
        (_, cDI, cID, _), (rII, rDI, rID, rIJ) = rooms[0][1], rooms[1][1]
        own, other = rooms[0][3], rooms[1][3]
        counts = Counts(c0, c1, c2, rows[6], cDI, cID, rows[7], own[2], own[3])
        counts_turned = Counts(c0, c1, c2, rII, rDI, rID, rIJ, other[2], other[3])
        _backward(frame, turned, hypothesis, reference, table, leave, outer, rows, B, counts)
        for a in range(A):
            own[2, a] = M[a] * B[a]
        _inside_adjoint(frame, hypothesis, table, window, outer.bV, False, LM, scratch, counts)
        _inside_adjoint(turned, reference, table, window, outer.bV, True, LM, scratch, counts_turned)
        for x in range(A):
            a = ref.original[a0 + x]
            outputs.arcs[a0 + a] = (own[2, a] + other[2, x]) / total
            if n_links:
                outputs.links[a0 + a] = (own[3, a] + other[3, x]) / total
        for j in range(n):
            c1[jump, ins[j]] += rows[8, j]
        _add_up(table, counts, 1.0 / total, outputs.table[k])
        _collect(frame, seen, 2, table, counts, 1.0 / total, outputs.table[k])
        _collect(turned, seen, 1, table, counts_turned, 1.0 / total, outputs.table[k])
