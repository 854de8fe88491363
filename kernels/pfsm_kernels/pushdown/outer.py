"""The outer machine from arc to arc, with its swaps: see ``arc_to_arc``, and ``cell_to_cell`` for F, V, R and J."""

from typing import NamedTuple

import numpy as np

from pfsm_kernels.cache import njit
from pfsm_kernels.lattice.batch import Float
from pfsm_kernels.pushdown.laid_out import (
    COLUMN,
    COLUMN_END,
    CROSSING,
    CROSSINGS,
    FIRST_CROSSING,
    GAP,
    GROUP,
    GROUPS,
    LANDED,
    LANDING,
    ONE,
    OTHER,
    ROW,
    ROW_END,
    STATE,
    is_single,
    padded,
)


class Planes(NamedTuple):
    """Outer masses: of Insert, of Delete, behind a swap, its adjoint; the last two again, columns first."""

    I: Float
    D: Float
    V: Float
    bV: Float  # noqa: N815 - likewise
    turned: Float


@njit(inline="always")
def _opened(part, c):
    """The crossings of the swaps whose gap arc c opens."""
    first, last = part.places[GROUPS, c], part.places[GROUPS, c + ONE]
    return range(part.landings[FIRST_CROSSING, first], part.landings[FIRST_CROSSING, last])


@njit(inline="always")
def _swap(part, c, table, plane):
    """The swaps whose gap arc c opens: F, and what resumes behind them, in ``plane``, columns of this side first."""
    places, landings, crossings, factor = part.places, part.landings, part.crossings, part.factor
    K, F, exits, entering, T2, jump, max_jump = (
        part.K, part.F, part.exits, part.entering, table.T2, table.jump, table.limit
    )  # fmt: skip
    top = places[ROW_END, c]
    bottom = top + padded(part.height + ONE - top)
    for g in range(places[GROUPS, c], places[GROUPS, c + ONE]):
        for crossing in range(landings[FIRST_CROSSING, g], landings[FIRST_CROSSING, g + ONE]):
            b = crossings[LANDED, crossing]
            mass = entering[crossing] * (T2[jump, places[STATE, b]] * factor[b])
            for t in range(max_jump):
                F[g, t] += mass * K[crossing, t]
        first = landings[LANDING, g] + ONE
        for t in range(min(max_jump, np.uintp(plane.shape[0]) - first)):
            mass = F[g, t]
            for u in range(top, bottom):
                plane[first + t, u] += mass * exits[g, u]


@njit(borrows=True, fastmath={"contract"})
def outer_forward(hypothesis, reference, table, order, outer, M, rows):
    """Outer forward pass; fills I, D, V, M, F and what enters every crossing's first jump. Returns the total.

    ``turned`` is the part of V that jumps on s lead to, columns first. ``rows`` is scratch: what goes into Insert, into
    Delete, into Jump.
    """
    T0, T1, T2, insert, delete, jump, _ = table
    starts, ends, by_end = order
    m, n, factor, link = hypothesis.height, reference.height, hypothesis.factor, hypothesis.link
    hyp, ref, (I, D, V, _, turned) = hypothesis.places, reference.places, outer
    start = T1.shape[0] - 1
    II, DI, ID, DD = T1[insert, insert], T1[delete, insert], T1[insert, delete], T1[delete, delete]
    leave_insert, leave_delete = T1[jump, insert], T1[jump, delete]
    insert_jumps, delete_jumps, jumps_again = T0[insert, jump], T0[delete, jump], T0[jump, jump]
    for i in range(m + ONE):
        for j in range(n + ONE):
            V[i, j] += turned[j, i]
        for j in range(n + ONE):
            kept, back = D[i, j], V[i, j]
            rows[0, j] = back * leave_insert + kept * DI
            rows[1, j] = back * leave_delete + kept * DD
            rows[2, j] = kept * delete_jumps + back * jumps_again
        if i == 0:
            rows[0, 0] = T1[start, insert]
            rows[1, 0] = T1[start, delete]
            rows[2, 0] = T0[start, jump]
        for e in range(ends[i], ends[i + ONE]):
            a = by_end[e]
            j, mass, state = hyp[COLUMN_END, a], M[a], hyp[STATE, a]
            rows[0, j] += mass * T1[state, insert]
            rows[1, j] += mass * T1[state, delete]
            rows[2, j] += mass * T0[state, jump]
        mass = 0.0
        I[i, 0] = 0.0
        for j in range(n):
            mass = mass * II + rows[0, j]
            I[i, j + ONE] = mass
        for j in range(n + ONE):
            rows[2, j] += I[i, j] * insert_jumps
        for b in range(starts[i], starts[i + ONE]):
            j, state = hyp[COLUMN, b], hyp[STATE, b]
            mass = V[i, j] * T2[jump, state]
            if j:
                mass += I[i, j] * T2[insert, state]
            if i:
                mass += D[i, j] * T2[delete, state]
            elif j == 0:
                mass += T2[start, state]
            for e in range(ends[i], ends[i + ONE]):
                a = by_end[e]
                if hyp[COLUMN_END, a] != j:
                    continue
                weight = T2[hyp[STATE, a], state]
                if link.size and is_single(hyp, a) and is_single(hyp, b):
                    weight *= link[b]
                mass += M[a] * weight
            M[b] = mass * factor[b]
        if i < m:
            for j in range(n + ONE):
                D[i + ONE, j] = I[i, j] * ID + rows[1, j]
        for a in range(starts[i], starts[i + ONE]):
            for at in range(hyp[CROSSINGS, a], hyp[CROSSINGS, a + ONE]):
                crossing, c = hypothesis.crossings[CROSSING, at], hypothesis.crossings[GAP, at]
                hypothesis.entering[crossing] = rows[2, hyp[COLUMN, c]]
            c = hyp[OTHER, a]
            for crossing in _opened(reference, c):
                reference.entering[crossing] = rows[2, ref[ROW, reference.crossings[LANDED, crossing]]]
            _swap(hypothesis, a, table, turned)
            _swap(reference, c, table, V)
    total = I[m, n] + D[m, n] + V[m, n]
    for e in range(ends[m], ends[m + ONE]):
        a = by_end[e]
        if hyp[COLUMN_END, a] == n:
            total += M[a]
    return total


@njit(borrows=True, fastmath={"contract", "reassoc"})
def _returns(part, c, max_jump, plane):
    """R of the groups of one gap arc, what its closings lead to; ``plane`` is bV, the columns of this side first."""
    places = part.places
    top = places[ROW_END, c]
    bottom = top + padded(part.height + ONE - top)
    for g in range(places[GROUPS, c], places[GROUPS, c + ONE]):
        exits, first = part.exits[g], part.landings[LANDING, g] + ONE
        count = min(max_jump, np.uintp(plane.shape[0]) - first)
        part.R[g, count:max_jump] = 0.0
        for t in range(count):
            mass, row = 0.0, plane[first + t]
            for u in range(top, bottom):
                mass += exits[u] * row[u]
            part.R[g, t] = mass


@njit(borrows=True, fastmath={"contract", "reassoc"})
def _worth(part, crossing, g, b, table, c2):
    """What Jump is worth where landed arc b of a crossing follows; counts how often it does."""
    mass, K, R = 0.0, part.K[crossing], part.R[g]
    state = part.places[STATE, b]
    for t in range(table.limit):
        mass += K[t] * R[t]
    mass *= part.factor[b]
    c2[table.jump, state] += part.entering[crossing] * mass
    return mass * table.T2[table.jump, state]


@njit(borrows=True, fastmath={"contract", "reassoc"})
def outer_backward(hypothesis, reference, table, order, outer, M, B, rows, counts):
    """Outer backward pass: adjoint of ``outer_forward``; fills bV, B and R and adds up unscaled counts.

    ``turned`` becomes bV, columns first. ``rows``: backward Insert and Delete masses, the latter of the row below, what
    goes into Insert, into Delete, into Jump.
    """
    T0, T1, T2, insert, delete, jump, max_jump = table
    starts, ends, by_end = order
    m, n, factor, link = hypothesis.height, reference.height, hypothesis.factor, hypothesis.link
    hyp, ref, (I, D, V, bV, turned) = hypothesis.places, reference.places, outer
    c0, c1, c2, link_mass = counts.c0, counts.c1, counts.c2, counts.links
    start = T1.shape[0] - 1
    II, DI, ID, DD = T1[insert, insert], T1[delete, insert], T1[insert, delete], T1[delete, delete]
    leave_insert, leave_delete = T1[jump, insert], T1[jump, delete]
    insert_jumps, delete_jumps, jumps_again = T0[insert, jump], T0[delete, jump], T0[jump, jump]
    cII, cDI, cID, cDD, cIJ, cDJ, cJI, cJD, cJJ = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for j in range(n + ONE):
        rows[1, j] = 0.0
    for above in range(m + ONE):
        i = m - above
        for j in range(n + ONE):
            rows[4, j] = 0.0
            rows[2, j] = 0.0
            rows[3, j] = 0.0
            bV[i, j] = 0.0
        for a in range(starts[i], starts[i + ONE]):
            c = hyp[OTHER, a]
            _returns(hypothesis, a, max_jump, turned)
            _returns(reference, c, max_jump, bV)
            for g in range(ref[GROUPS, c], ref[GROUPS, c + ONE]):
                landings = reference.landings
                for crossing in range(landings[FIRST_CROSSING, g], landings[FIRST_CROSSING, g + ONE]):
                    b = reference.crossings[LANDED, crossing]
                    rows[4, ref[ROW, b]] += _worth(reference, crossing, g, b, table, c2)
        for a in range(starts[i], starts[i + ONE]):
            for at in range(hyp[CROSSINGS, a], hyp[CROSSINGS, a + ONE]):
                crossing, g = hypothesis.crossings[CROSSING, at], hypothesis.crossings[GROUP, at]
                c = hypothesis.crossings[GAP, at]
                rows[4, hyp[COLUMN, c]] += _worth(hypothesis, crossing, g, a, table, c2)
        if i == m:
            rows[2, n] = 1.0
            rows[3, n] = 1.0
            bV[i, n] = 1.0
        for a in range(starts[i], starts[i + ONE]):
            j, state = hyp[COLUMN, a], hyp[STATE, a]
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
        for j in range(n + ONE):
            cIJ += I[i, j] * rows[4, j]
            cID += I[i, j] * rows[1, j]
            cJD += V[i, j] * rows[1, j]
            cDD += D[i, j] * rows[1, j]
            cDJ += D[i, j] * rows[4, j]
            cJJ += V[i, j] * rows[4, j]
        for j in range(n + ONE):
            rows[2, j] += insert_jumps * rows[4, j] + ID * rows[1, j]
        mass = rows[2, n]
        rows[0, n] = mass
        for left in range(n):
            j = n - ONE - left
            mass = mass * II + rows[2, j]
            rows[0, j] = mass
        rows[0, n + ONE] = 0.0
        for e in range(ends[i], ends[i + ONE]):
            a = by_end[e]
            j, state = hyp[COLUMN_END, a], hyp[STATE, a]
            own = M[a]
            mass = 1.0 if i == m and j == n else 0.0
            inserted, under, jumped = rows[0, j + ONE], rows[1, j], rows[4, j]
            mass += T0[state, jump] * jumped + T1[state, insert] * inserted + T1[state, delete] * under
            c0[state, jump] += own * jumped
            c1[state, insert] += own * inserted
            c1[state, delete] += own * under
            for b in range(starts[i], starts[i + ONE]):
                if hyp[COLUMN, b] != j:
                    continue
                after = hyp[STATE, b]
                follow = factor[b] * B[b]
                linked = link.size and is_single(hyp, a) and is_single(hyp, b)
                if linked:
                    follow *= link[b]
                c2[state, after] += own * follow
                follow *= T2[state, after]
                if linked:
                    link_mass[b] += own * follow
                mass += follow
            B[a] = mass
        if i == 0:
            c0[start, jump] += rows[4, 0]
            c1[start, insert] += rows[0, 1]
            c1[start, delete] += rows[1, 0]
        for j in range(n + ONE):
            cII += I[i, j] * rows[0, j + ONE]
            cJI += V[i, j] * rows[0, j + ONE]
            cDI += D[i, j] * rows[0, j + ONE]
        for j in range(n + ONE):
            bV[i, j] += leave_insert * rows[0, j + ONE] + leave_delete * rows[1, j] + jumps_again * rows[4, j]
        for j in range(n + ONE):
            rows[1, j] = DD * rows[1, j] + rows[3, j] + delete_jumps * rows[4, j] + DI * rows[0, j + ONE]
        for j in range(n + ONE):
            turned[j, i] = bV[i, j]
    c1[insert, insert] += cII
    c1[delete, insert] += cDI
    c1[insert, delete] += cID
    c1[delete, delete] += cDD
    c0[insert, jump] += cIJ
    c0[delete, jump] += cDJ
    c0[jump, jump] += cJJ
    c1[jump, insert] += cJI
    c1[jump, delete] += cJD
