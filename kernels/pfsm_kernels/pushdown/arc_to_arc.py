"""The restricted pushdown machine in linear space, from arc to arc: for sparse arcs, one Insert and one Delete state.

The swaps are those of ``cell_to_cell``; see there for K, Z, F, V, R and J. Here windows are not filled cell by cell.
Between two arcs there is nothing but Inserts and Deletes, and with one state each their sum depends on no more than
how many there are, so that it stands in tables that all pairs share: M, X and P of ``windows``. For one side, with
"along" the edit of its rows and "across" that of its columns:

    R[x, b]   = w_b sum_(f, l) T1[x, f] M[d, k][f, l] T2[l, b]   from the end of arc x to the start of arc b
    E[x, b]   = R[x, b] + sum_a R[x, a] E[a, b]                  all edit sequences from x that end with b
    K_bc[e]   = sum_a E[b, a] (sum_f T1[a, f] X[c][d, f] + T0[a, Jump] P[c][d])   at the places that a leaves to c
    Z_c[u]    = sum_a E[c, a] sum_f T1[a, f] M[u - row, L - column][f, across] T0[across, Jump]

(arcs that end where the next one, or the jump, begins enter without M). Arcs a lie within the jump limit of x, which no
part of a sequence between them leaves: the pairs (x, b) within the limit are found once, with the crossings. The outer
machine is that of ``cell_to_cell``, and the backward pass again the plain adjoint of everything.

**Tilt.** As in ``machine``, all pairs have the same rate, that of their Inserts and Deletes. What arcs and swaps
of a pair can add to a mass is below ``exp(growth)``, from the rate that ``rates_with_jumps`` finds for the pair alone;
where that is large, or the total small, the pair is left to ``cell_to_cell``.

**Cost.** O(m n + (m + n) D + crossings x arcs in a window x D + groups x (m + n)) time: for 23 words a side and 22 arcs
a quarter of the time of ``cell_to_cell`` with derivatives; worse than it where every window holds many arcs.

``swap_blocks`` has R, E, K, Z and their adjoint.
"""

import math
from typing import NamedTuple

import numpy as np

from pfsm_kernels.cache import njit
from pfsm_kernels.lattice.lattices import Cells, Factors, Float, Outputs
from pfsm_kernels.machine.tilt import (
    LARGEST_GROWTH,
    LARGEST_TILTED_ENTRY,
    SMALLEST_TOTAL_WITH_JUMPS,
    column_maxima,
    match_rate,
    tilt_arcs,
)
from pfsm_kernels.pushdown.crossings import Side
from pfsm_kernels.pushdown.swap_blocks import (
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
    LANES,
    ONE,
    OTHER,
    ROW,
    ROW_END,
    STATE,
    Counts,
    Slopes,
    Table,
    between_adjoint,
    blocks_adjoint,
    fill_between,
    fill_blocks,
    fill_part,
    is_single,
    make_part,
    padded,
    row_starts,
    tables_adjoint,
)
from pfsm_kernels.pushdown.windows import Windows


class Planes(NamedTuple):
    """Outer masses: of Insert, of Delete, behind a swap, its adjoint; the last two again, columns first."""

    I: Float
    D: Float
    V: Float
    bV: Float  # noqa: N815 - likewise
    turned: Float


@njit(inner=True, inline="always")
def _opened(part, c):
    """The crossings of the swaps whose gap arc c opens."""
    first, last = part.places[GROUPS, c], part.places[GROUPS, c + ONE]
    return range(part.landings[FIRST_CROSSING, first], part.landings[FIRST_CROSSING, last])


@njit(inner=True, inline="always")
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


@njit(inner=True, borrows=True, fastmath={"contract"})
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


@njit(inner=True, borrows=True, fastmath={"contract", "reassoc"})
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


@njit(inner=True, borrows=True, fastmath={"contract", "reassoc"})
def _worth(part, crossing, g, b, table, c2):
    """What Jump is worth where landed arc b of a crossing follows; counts how often it does."""
    mass, K, R = 0.0, part.K[crossing], part.R[g]
    state = part.places[STATE, b]
    for t in range(table.limit):
        mass += K[t] * R[t]
    mass *= part.factor[b]
    c2[table.jump, state] += part.entering[crossing] * mass
    return mass * table.T2[table.jump, state]


@njit(inner=True, borrows=True, fastmath={"contract", "reassoc"})
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


@njit(inner=True, borrows=True, error_model="numpy")
def _one(k, parts, shape, table, windows, order, room, original, growth, derivatives, outputs):
    """One lattice whose parts are filled; returns whether its sum is exact, see ``accepted``.

    ``shape`` is its numbers of tokens, where its arcs begin and how many there are; ``room`` is what is written.
    """
    (hypothesis, reference), (m, n, a0, A) = parts, shape
    planes, M, B, rows, slopes, (c0, c1, c2, inner, masses, link_masses) = room
    log_sum, _, counts, arc_counts, link_counts = outputs
    E, T1, T2, insert, delete, jump, _ = table
    S, n_links = E.shape[1], A if link_counts.size else 0
    for s in range(2):
        part = reference if s else hypothesis
        fill_between(part, table, windows.sums[s])
        fill_blocks(part, table, windows.columns[s], windows.blocks[s], windows.opens[s])
    stride, other = n + 1 + LANES, m + 1 + LANES
    size = (m + 1) * stride
    I, D = planes[0, :size].reshape(m + 1, stride), planes[1, :size].reshape(m + 1, stride)
    V, bV = planes[2, :size].reshape(m + 1, stride), planes[3, :size].reshape(m + 1, stride)
    turned = planes[4, : (n + 1) * other].reshape(n + 1, other)
    V[:] = 0.0
    turned[:] = 0.0
    D[0] = 0.0
    outer = Planes(I, D, V, bV, turned)
    total = outer_forward(hypothesis, reference, table, order, outer, M, rows)
    if not total >= SMALLEST_TOTAL_WITH_JUMPS * math.exp(growth):
        return False
    log_sum[k] = math.log(total) + (m + n) * math.log(windows.rate)
    if not derivatives:
        return True
    c0[:] = 0.0
    c1[:] = 0.0
    c2[:] = 0.0
    inner[:] = 0.0
    link_masses[:] = 0.0
    bV[:, n + 1 :] = 0.0
    counted = Counts(c0, c1, c2, inner[0], masses[0], link_masses[0])
    outer_backward(hypothesis, reference, table, order, outer, M, B, rows, counted)
    for a in range(A):
        masses[0, a] = M[a] * B[a]
        masses[1, a] = 0.0
    for s in range(2):
        part, plane = (reference, bV) if s else (hypothesis, turned)
        counted = Counts(c0, c1, c2, inner[s], masses[s], link_masses[s])
        blocks = windows.blocks[s]
        touches = blocks_adjoint(
            part, table, windows.columns[s], blocks, windows.opens[s], plane, slopes, counted
        )
        between_adjoint(part, table, windows.sums[s], slopes, counted)
        tables_adjoint(part, table, windows, s, slopes, touches, counted)
    scale = 1.0 / total
    for x in range(A):
        a = original[a0 + x]
        masses[0, a] += masses[1, x]
        if n_links:
            link_masses[0, a] += link_masses[1, x]
    for a in range(A):
        arc_counts[a0 + a] = masses[0, a] * scale
    for a in range(n_links):
        link_counts[a0 + a] = link_masses[0, a] * scale
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
    for s in range(2):
        along, across = (insert, delete) if s else (delete, insert)
        counts[k, across, across] += inner[s, 0] * scale
        counts[k, along, across] += inner[s, 1] * scale
        counts[k, across, along] += inner[s, 2] * scale
        counts[k, along, along] += inner[s, 3] * scale
        counts[k, jump, along] += inner[s, 4] * scale
    return True


@njit(nogil=True, error_model="numpy")
def sparse_pushdown_batch(first, last, chosen, cells, factors, jumping, rates, windows, outputs):
    """As ``pushdown_batch``, from arc to arc.

    Only lattices that are ``chosen`` (bool [n_lattices]) are done: with
    the two states alone, tokens on both sides, and fewer on either than ``windows`` has rows. ``rates`` are those of
    ``tilt``. What comes out not accepted is to be done by ``cell_to_cell``.
    """
    cells, factors, windows, outputs = Cells(*cells), Factors(*factors), Windows(*windows), Outputs(*outputs)
    offsets, arc_factor, link_factor, E = cells.offsets, factors.arcs, factors.links, factors.table
    jump, max_jump, hyp, ref = jumping[0], jumping[1], Side(*jumping[2]), Side(*jumping[3])
    accepted, derivatives = outputs.accepted, outputs.table.shape[0] > 0
    insert, delete = windows.insert, windows.delete
    S = E.shape[1]
    longest, most_arcs, most_crossings, most_groups, most_follow, most_cells = 0, 0, 0, 0, 0, 0
    for k in range(first, last):
        if not chosen[k]:
            continue
        m, n = offsets[k + 1, 0] - offsets[k, 0], offsets[k + 1, 1] - offsets[k, 1]
        a0, a1 = offsets[k, 2], offsets[k + 1, 2]
        longest = max(longest, m, n)
        most_arcs = max(most_arcs, a1 - a0)
        most_cells = max(most_cells, (m + 1) * (n + 1 + LANES), (n + 1) * (m + 1 + LANES))
        for side in (hyp, ref):
            most_crossings = max(most_crossings, side.landed_first[a1] - side.landed_first[a0])
            most_groups = max(most_groups, side.group_first[a1] - side.group_first[a0])
            most_follow = max(most_follow, side.follow_first[a1] - side.follow_first[a0])
    width = longest + 2
    rate = windows.rate
    T1, T2, reach = E / rate, E / (rate * rate), column_maxima(E)
    c0, c1, c2, inner = np.empty(E.shape), np.empty(E.shape), np.empty(E.shape), np.empty((2, 5))
    rows = np.zeros((5, width))
    dcolumns, dsums = np.zeros((max_jump, 2, width)), np.zeros((width, 4 * max_jump))
    dleaves, dturns = np.zeros((width, 2 * max_jump)), np.zeros((width, 2 * max_jump))
    dblocks, dopens = np.zeros((S, width, 2 * max_jump)), np.zeros((S, width))
    marked, touched = np.zeros((S, width), np.bool_), np.empty((S * width + 1, 2), np.uintp)
    dE, dR, weighted = np.empty(most_follow), np.empty(most_follow), np.empty((most_crossings, max_jump))
    dZ = np.empty(width + LANES)
    M, B = np.empty(most_arcs), np.empty(most_arcs)
    tilted, slot = np.empty(most_arcs), np.empty(most_arcs, np.uintp)
    masses, link_masses = np.empty((2, most_arcs)), np.empty((2, most_arcs))
    starts, ends = np.empty(width + 1, np.uintp), np.empty(width + 1, np.uintp)
    by_end = np.empty(most_arcs, np.uintp)
    planes = np.empty((5, most_cells))
    insert, delete, limit = np.uintp(insert), np.uintp(delete), np.uintp(max_jump)
    table = Table(E, T1, T2, insert, delete, np.uintp(jump), limit)
    slopes = Slopes(dcolumns, dsums, dleaves, dturns, dblocks, dopens, marked, touched, dE, dR, dZ, weighted)
    sizes, n_links = (most_arcs, most_crossings, most_groups, most_follow), link_factor.size
    hypothesis = make_part(delete, insert, width, sizes, max_jump, n_links > 0)
    reference = make_part(insert, delete, width, sizes, max_jump, n_links > 0)
    order = starts, ends, by_end
    room = planes, M, B, rows, slopes, (c0, c1, c2, inner, masses, link_masses)
    for k in range(first, last):
        if not chosen[k]:
            continue
        m, n = offsets[k + 1, 0] - offsets[k, 0], offsets[k + 1, 1] - offsets[k, 1]
        a0, A = offsets[k, 2], offsets[k + 1, 2] - offsets[k, 2]
        growth = (m + n) * max(0.0, math.log(rates[k] / rate)) if rates[k] > 0.0 else np.inf
        _, _, entry = match_rate(reach, a0, a0 + A, cells.arcs, arc_factor, link_factor)
        accepted[k] = growth <= LARGEST_GROWTH and entry <= LARGEST_TILTED_ENTRY * rate * rate
        accepted[k] = accepted[k] and tilt_arcs(rate, a0, a0 + A, cells.arcs, arc_factor, tilted)
        if not accepted[k]:
            continue
        row_starts(a0, A, hyp.arcs, starts[: m + 2], ends[: m + 2])
        for x in range(A):
            by_end[x] = hyp.by_end[a0 + x]
        link = link_factor[a0 : a0 + A] if n_links else link_factor
        weights = tilted, link
        hypothesis = fill_part(hypothesis, hyp, ref.position, (a0, A), m, limit, weights, slot)
        reference = fill_part(reference, ref, ref.original, (a0, A), n, limit, weights, slot)
        parts, shape = (hypothesis, reference), (m, n, a0, A)
        accepted[k] = _one(
            k, parts, shape, table, windows, order, room, ref.original, growth, derivatives, outputs
        )
