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

**Indices** have no sign: one that has might count from the end, and looking after that takes as long as the work. For
each pair both sides are laid out anew, from 0 on (``_lay_out``). Chains of arcs are listed once (``_chains``), so that
passes over them, forward and back, are single loops: at the ends of short ones a processor guesses wrong.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pfsm_kernels.cache import njit
from pfsm_kernels.lattice.batch import Cells, Factors, Float, Outputs
from pfsm_kernels.machine.tilt import (
    LARGEST_GROWTH,
    LARGEST_TILTED_ENTRY,
    SMALLEST_TOTAL_WITH_JUMPS,
    column_maxima,
    match_rate,
    tilt_arcs,
)
from pfsm_kernels.pushdown.crossings import Side
from pfsm_kernels.pushdown.windows import Windows

Whole = NDArray[np.uintp]
# Loops are unrolled so far; what is left over goes one by one. Rows have so many zeros behind them.
LANES = 16
# Chains of one side that there is room for at first.
STEPS = 1024
# Rows of ``places``, by arc: where it begins and ends along and across, its state, its index in the other side's view,
# and the first of its followers, crossings and groups.
ROW, ROW_END, COLUMN, COLUMN_END, STATE, OTHER, FOLLOWERS, CROSSINGS, GROUPS = range(9)
# Rows of ``crossings``: the crossing, its group and its gap arc, in order of landed arcs; the landed arc, by crossing.
CROSSING, GROUP, GAP, LANDED = range(4)
# Rows of ``landings``, by group: its column, its first crossing.
LANDING, FIRST_CROSSING = range(2)
# For indices: an operation of a number with and one without a sign makes one with a sign.
WHOLE = np.uintp(LANES)
ZERO, ONE, TWO, THREE, FOUR = np.arange(5, dtype=np.uintp)


class Table(NamedTuple):
    """Transitions over the rate to the power of what is consumed (T0: nothing), the states, and the jump limit."""

    T0: Float
    T1: Float
    T2: Float
    insert: np.uintp
    delete: np.uintp
    jump: np.uintp
    limit: np.uintp


class Part(NamedTuple):
    """One side of one lattice, laid out from 0 on and without signs.

    Attributes:
        along: State of the edit along.
        across: State of the edit across.
        height: Number of tokens along.
        A: Number of arcs.
        places: uintp [9, A + 1], see ``ROW`` and the others; ``crossings``, ``follow`` and ``landings`` likewise.
        factor: float64 [A], tilted; ``link`` likewise, or [0].
        leader: uintp [pairs], the arc that each follower follows.
        steps: uintp [3, most], chains of arcs (``_chains``).
        pairs: How many followers there are.
        chains: How many chains.
        between: float64 [pairs], R; ``inside``, E.
        K: float64 [n_crossings, D].
        exits: float64 [n_groups, rows], Z.
        F: float64 [n_groups, D]; ``R`` likewise, what closings lead to.
        entering: float64 [n_crossings].
    """

    along: np.uintp
    across: np.uintp
    height: np.uintp
    A: np.uintp
    places: Whole
    crossings: Whole
    follow: Whole
    landings: Whole
    factor: Float
    link: Float
    leader: Whole
    steps: Whole
    pairs: np.uintp
    chains: np.uintp
    between: Float
    inside: Float
    K: Float
    exits: Float
    F: Float
    R: Float
    entering: Float


class Slopes(NamedTuple):
    """Derivatives in the tables (``windows``) and in the masses of a ``Part``, all of them scratch."""

    columns: Float
    sums: Float
    leaves: Float
    turns: Float
    blocks: Float
    opens: Float
    marked: NDArray[np.bool_]
    touched: Whole
    inside: Float
    between: Float
    exits: Float
    weighted: Float


class Planes(NamedTuple):
    """Outer masses: of Insert, of Delete, behind a swap, its adjoint; the last two again, columns first."""

    I: Float
    D: Float
    V: Float
    bV: Float  # noqa: N815 - likewise
    turned: Float


class Counts(NamedTuple):
    """Expected counts while they are added up: by consumed tokens, inside of the tables, of arcs and links."""

    c0: Float
    c1: Float
    c2: Float
    inner: Float
    arcs: Float
    links: Float


@njit
def _row_starts(base, A, arcs, starts, ends):
    """CSR offsets of arcs by their row, and of ``by_end`` by their end row."""
    starts[:] = 0
    ends[:] = 0
    for a in range(base, base + A):
        starts[arcs[a, 0] + 1] += 1
        ends[arcs[a, 0] + arcs[a, 1] + 1] += 1
    for i in range(1, starts.size):
        starts[i] += starts[i - 1]
        ends[i] += ends[i - 1]


@njit(borrows=True)
def _lay_out(base, A, side, other, places, crossings, follow, landings):
    """One side of a pair, counted from 0 and without signs; ``other`` has the indices in the other side's view."""
    for x in range(A):
        at = base + x
        row, column = np.uintp(side.arcs[at, 0]), np.uintp(side.arcs[at, 2])
        places[ROW, x], places[ROW_END, x] = row, row + np.uintp(side.arcs[at, 1])
        places[COLUMN, x], places[COLUMN_END, x] = column, column + np.uintp(side.arcs[at, 3])
        places[STATE, x], places[OTHER, x] = side.arcs[at, 4], other[at]
    first_follow, first_group = np.uintp(side.follow_first[base]), np.uintp(side.group_first[base])
    first_crossing = np.uintp(side.landed_first[base])
    for x in range(A + ONE):
        places[FOLLOWERS, x] = np.uintp(side.follow_first[base + x]) - first_follow
        places[CROSSINGS, x] = np.uintp(side.landed_first[base + x]) - first_crossing
        places[GROUPS, x] = np.uintp(side.group_first[base + x]) - first_group
    for p in range(places[FOLLOWERS, A]):
        follow[p] = side.follow[first_follow + p]
    for p in range(places[CROSSINGS, A]):
        crossing = np.uintp(side.by_landed[first_crossing + p])
        group = np.uintp(side.group[crossing])
        crossings[CROSSING, p], crossings[GROUP, p] = crossing - first_crossing, group - first_group
        crossings[GAP, p], crossings[LANDED, p] = side.gap_arc[group], side.landed[first_crossing + p]
    for g in range(places[GROUPS, A]):
        landings[LANDING, g] = side.landing[first_group + g]
        landings[FIRST_CROSSING, g] = np.uintp(side.crossing_first[first_group + g]) - first_crossing
    landings[FIRST_CROSSING, places[GROUPS, A]] = places[CROSSINGS, A]


@njit(borrows=True)
def _chains(A, max_jump, places, follow, leader, slot, steps):
    """All arcs a between arcs x and b: where (x, b), (x, a) and (a, b) stand among the followers; their number.

    Those of later arcs x first, as E needs it. ``leader`` becomes x by follower, ``slot`` is scratch, one place an arc.
    Where ``steps`` might be too short for them, what is returned is more than its length.
    """
    count, room = ZERO, np.uintp(steps.shape[1])
    for back in range(A):
        x = np.uintp(A - ONE - back)
        begin, end = places[FOLLOWERS, x], places[FOLLOWERS, x + ONE]
        limit = places[COLUMN, x] + max_jump
        for p in range(begin, end):
            slot[follow[p]] = p
            leader[p] = x
        for p in range(begin, end):
            a = follow[p]
            first, last = places[FOLLOWERS, a], places[FOLLOWERS, a + ONE]
            if count + last - first > room:
                return room + ONE
            for q in range(first, last):
                b = follow[q]
                # Written in any case, and over where it does not count: a branch here would be a coin toss.
                steps[0, count] = slot[b]
                steps[1, count] = p
                steps[2, count] = q
                count += np.uintp(places[COLUMN_END, b] <= limit)
    return count


@njit(borrows=True, fastmath={"contract"})
def _between(part, table, sums):
    """R and E of every pair of arcs within the limit."""
    T1, T2, along, across = table.T1, table.T2, part.along, part.across
    places, follow, leader, steps, factor, link = (
        part.places, part.follow, part.leader, part.steps, part.factor, part.link
    )  # fmt: skip
    pairs, count, R, E = part.pairs, part.chains, part.between, part.inside
    for p in range(pairs):
        x, b = leader[p], follow[p]
        state, after = places[STATE, x], places[STATE, b]
        d, k = places[ROW, b] - places[ROW_END, x], FOUR * (places[COLUMN, b] - places[COLUMN_END, x])
        mass = T1[state, across] * (sums[d, k] * T2[across, after] + sums[d, k + ONE] * T2[along, after])
        mass += T1[state, along] * (
            sums[d, k + TWO] * T2[across, after] + sums[d, k + THREE] * T2[along, after]
        )
        if d + k == ZERO:
            mass = T2[state, after]
            if link.size and _single(places, x) and _single(places, b):
                mass *= link[b]
        mass *= factor[b]
        R[p] = mass
        E[p] = mass
    for at in range(count):
        E[steps[0, at]] += R[steps[1, at]] * E[steps[2, at]]


@njit
def _whole(count):
    return (count + WHOLE - ONE) // WHOLE * WHOLE


@njit
def _single(places, x):
    return places[ROW_END, x] + places[COLUMN_END, x] - places[ROW, x] - places[COLUMN, x] == TWO


@njit(borrows=True, fastmath={"contract"})
def _blocks(part, table, columns, blocks, opens):
    """K of every crossing and Z (times the gap arc's weight) of every group."""
    T0, T1, max_jump, jump, along, across = (
        table.T0, table.T1, table.limit, table.jump, part.along, part.across
    )  # fmt: skip
    A, height, places, crossings, follow = part.A, part.height, part.places, part.crossings, part.follow
    landings, factor, E = part.landings, part.factor, part.inside
    K, exits = part.K, part.exits
    leave_across = T0[across, jump]
    for x in range(A):
        begin, end = places[FOLLOWERS, x], places[FOLLOWERS, x + ONE]
        low, high = places[CROSSINGS, x], places[CROSSINGS, x + ONE]
        opened, top = places[COLUMN, x] + ONE, places[ROW_END, x]
        if low == high and places[GROUPS, x] == places[GROUPS, x + ONE]:
            continue
        for at in range(low, high):
            crossing = crossings[CROSSING, at]
            for t in range(max_jump):
                K[crossing, t] = 0.0
        for g in range(places[GROUPS, x], places[GROUPS, x + ONE]):
            for u in range(top, top + _whole(height + ONE - top)):
                exits[g, u] = 0.0
        for p in range(begin, end + ONE):
            a = x if p == end else follow[p]
            mass = 1.0 if p == end else E[p]
            before, bottom, over = places[STATE, a], places[ROW_END, a], places[COLUMN_END, a]
            u, v, w = mass * T1[before, across], mass * T1[before, along], mass * T0[before, jump]
            place = over - opened
            # In order of rows: those of the last ones are below the arc's end.
            at = high
            while at > low:
                at -= ONE
                c, crossing = crossings[GAP, at], crossings[CROSSING, at]
                row, state = places[ROW, c], places[STATE, c]
                if row < bottom:
                    break
                d = row - bottom
                for k in range(max_jump - place):
                    K[crossing, place + k] += u * blocks[state, d, k] + v * blocks[state, d, max_jump + k]
                K[crossing, place] += w * opens[state, d]
            u, v, w = factor[x] * leave_across * u, factor[x] * leave_across * v, factor[x] * w
            for g in range(places[GROUPS, x], places[GROUPS, x + ONE]):
                if landings[LANDING, g] < over:
                    continue
                k = landings[LANDING, g] - over
                if k == 0:
                    exits[g, bottom] += w
                    continue
                for d in range(height + ONE - bottom):
                    exits[g, bottom + d] += u * columns[k, 0, d] + v * columns[k, 1, d]


@njit(borrows=True, fastmath={"contract", "reassoc"})
def _blocks_adjoint(part, table, columns, blocks, opens, plane, slopes, counts):
    """Adjoint of ``_blocks``: derivatives in E and the tables, from F, R and the outer backward masses.

    ``plane`` is bV with the columns of this side first. Rows of ``dblocks`` and ``dopens`` that are written to are
    marked, and listed in ``touched``; their number is returned.
    """
    T0, T1, max_jump, jump, along, across = (
        table.T0, table.T1, table.limit, table.jump, part.along, part.across
    )  # fmt: skip
    A, height, places, crossings, follow = part.A, part.height, part.places, part.crossings, part.follow
    landings, factor, E = part.landings, part.factor, part.inside
    T2, F, RV, entering = table.T2, part.F, part.R, part.entering
    dcolumns, dblocks, dopens, marked, touched, dE, dZ, weighted = (
        slopes.columns, slopes.blocks, slopes.opens, slopes.marked, slopes.touched, slopes.inside, slopes.exits,
        slopes.weighted,
    )  # fmt: skip
    c0, c1, arc_mass = counts.c0, counts.c1, counts.arcs
    leave_across = T0[across, jump]
    rows = ZERO
    for x in range(A):
        begin, end = places[FOLLOWERS, x], places[FOLLOWERS, x + ONE]
        low, high = places[CROSSINGS, x], places[CROSSINGS, x + ONE]
        opened, top = places[COLUMN, x] + ONE, places[ROW_END, x]
        opening = T2[jump, places[STATE, x]] * factor[x]
        own = 0.0
        if low == high:
            for p in range(begin, end):
                dE[p] = 0.0
            if places[GROUPS, x] == places[GROUPS, x + ONE]:
                continue
        for at in range(low, high):
            g = crossings[GROUP, at]
            weight = entering[crossings[CROSSING, at]] * opening
            for t in range(max_jump):
                weighted[at - low, t] = weight * RV[g, t]
        for p in range(begin, end + ONE if high > low else begin):
            a = x if p == end else follow[p]
            mass = 1.0 if p == end else E[p]
            before, bottom, over = places[STATE, a], places[ROW_END, a], places[COLUMN_END, a]
            place = over - opened
            into_across, into_along, out = T1[before, across], T1[before, along], T0[before, jump]
            u, v, w = mass * into_across, mass * into_along, mass * out
            from_across, from_along, from_jump = 0.0, 0.0, 0.0
            at = high
            while at > low:
                at -= ONE
                c = crossings[GAP, at]
                row, state = places[ROW, c], places[STATE, c]
                if row < bottom:
                    break
                d, z = row - bottom, at - low
                touched[rows, 0], touched[rows, 1] = state, d
                rows += np.uintp(not marked[state, d])
                marked[state, d] = True
                for k in range(max_jump - place):
                    value = weighted[z, place + k]
                    from_across += value * blocks[state, d, k]
                    from_along += value * blocks[state, d, max_jump + k]
                    dblocks[state, d, k] += u * value
                    dblocks[state, d, max_jump + k] += v * value
                value = weighted[z, place]
                dopens[state, d] += w * value
                from_jump += value * opens[state, d]
            slope = into_across * from_across + into_along * from_along + out * from_jump
            c1[before, across] += mass * from_across
            c1[before, along] += mass * from_along
            c0[before, jump] += mass * from_jump
            own += mass * slope
            if p != end:
                dE[p] = slope
        for g in range(places[GROUPS, x], places[GROUPS, x + ONE]):
            first = landings[LANDING, g] + ONE
            bottom = top + _whole(height + ONE - top)
            for u in range(top, bottom):
                dZ[u] = 0.0
            for t in range(min(max_jump, np.uintp(plane.shape[0]) - first)):
                mass = F[g, t] * factor[x]
                for u in range(top, bottom):
                    dZ[u] += mass * plane[first + t, u]
            for p in range(begin, end + ONE):
                a = x if p == end else follow[p]
                if landings[LANDING, g] < places[COLUMN_END, a]:
                    continue
                k = landings[LANDING, g] - places[COLUMN_END, a]
                mass = 1.0 if p == end else E[p]
                row, before = places[ROW_END, a], places[STATE, a]
                if k == 0:
                    slope = dZ[row] * T0[before, jump]
                    c0[before, jump] += mass * dZ[row]
                else:
                    into_across, into_along = T1[before, across], T1[before, along]
                    u, v = mass * into_across * leave_across, mass * into_along * leave_across
                    from_across, from_along = 0.0, 0.0
                    for d in range(height + ONE - row):
                        value = dZ[row + d]
                        from_across += value * columns[k, 0, d]
                        from_along += value * columns[k, 1, d]
                        dcolumns[k, 0, d] += u * value
                        dcolumns[k, 1, d] += v * value
                    slope = (into_across * from_across + into_along * from_along) * leave_across
                    c1[before, across] += mass * leave_across * from_across
                    c1[before, along] += mass * leave_across * from_along
                    c0[across, jump] += mass * (into_across * from_across + into_along * from_along)
                own += mass * slope
                if p != end:
                    dE[p] += slope
        arc_mass[x] += own
    return rows


@njit(borrows=True, fastmath={"contract"})
def _between_adjoint(part, table, sums, slopes, counts):
    """Adjoint of ``_between``: from derivatives in E to those in M, the weights and the arcs."""
    T1, T2, along, across = table.T1, table.T2, part.along, part.across
    places, follow, leader, steps, factor, link = (
        part.places, part.follow, part.leader, part.steps, part.factor, part.link
    )  # fmt: skip
    pairs, count, R, E = part.pairs, part.chains, part.between, part.inside
    dE, dR, dsums, c1, c2 = slopes.inside, slopes.between, slopes.sums, counts.c1, counts.c2
    arc_mass, link_mass = counts.arcs, counts.links
    for p in range(pairs):
        dR[p] = 0.0
    for back in range(count):
        at = np.uintp(count - ONE - back)
        mass, p, q = dE[steps[0, at]], steps[1, at], steps[2, at]
        dR[p] += mass * E[q]
        dE[q] += mass * R[p]
    for p in range(pairs):
        x, b = leader[p], follow[p]
        state, after = places[STATE, x], places[STATE, b]
        d, k = places[ROW, b] - places[ROW_END, x], FOUR * (places[COLUMN, b] - places[COLUMN_END, x])
        slope = dR[p] + dE[p]
        arc_mass[b] += slope * R[p]
        if d + k == ZERO:
            linked = link.size and _single(places, x) and _single(places, b)
            if linked:
                link_mass[b] += slope * R[p]
            c2[state, after] += slope * factor[b] * (link[b] if linked else 1.0)
            continue
        slope *= factor[b]
        into_across, into_along = T1[state, across], T1[state, along]
        v0, v1 = T2[across, after], T2[along, after]
        m0, m1, m2, m3 = sums[d, k], sums[d, k + ONE], sums[d, k + TWO], sums[d, k + THREE]
        c1[state, across] += slope * (m0 * v0 + m1 * v1)
        c1[state, along] += slope * (m2 * v0 + m3 * v1)
        c2[across, after] += slope * (into_across * m0 + into_along * m2)
        c2[along, after] += slope * (into_across * m1 + into_along * m3)
        dsums[d, k] += slope * into_across * v0
        dsums[d, k + ONE] += slope * into_across * v1
        dsums[d, k + TWO] += slope * into_along * v0
        dsums[d, k + THREE] += slope * into_along * v1


@njit(borrows=True, fastmath={"contract", "reassoc"})
def _tables_adjoint(part, table, windows, s, slopes, rows, counts):
    """From derivatives in the tables, which it empties, to those in the weights and (``inner``) expected counts."""
    T0, T1, T2, max_jump, jump, along, across = (
        table.T0, table.T1, table.T2, np.int64(table.limit), table.jump, part.along, part.across
    )  # fmt: skip
    height, sums, leaves, turns = np.int64(part.height), windows.sums[s], windows.leaves[s], windows.turns[s]
    opens, uses, inner = windows.opens[s], windows.counts[s], counts.inner
    dcolumns, dsums, dleaves, dturns, dblocks, dopens, marked, touched = (
        slopes.columns, slopes.sums, slopes.leaves, slopes.turns, slopes.blocks, slopes.opens, slopes.marked,
        slopes.touched,
    )  # fmt: skip
    c0, c1, c2 = counts.c0, counts.c1, counts.c2
    stay, leave = T1[along, along], T1[jump, along]
    for at in range(rows):
        state, d = touched[at, 0], touched[at, 1]
        marked[state, d] = False
        after_jump, after_along = T2[jump, state], T2[along, state]
        from_jump, from_along = 0.0, 0.0
        for t in range(2 * max_jump):
            value = dblocks[state, d, t]
            dblocks[state, d, t] = 0.0
            from_jump += value * leaves[d, t]
            from_along += value * turns[d, t]
            dleaves[d, t] += value * after_jump
            dturns[d, t] += value * after_along
        value = dopens[state, d]
        dopens[state, d] = 0.0
        if d:
            opened = opens[state, d] / after_along if after_along > 0.0 else 0.0
            from_along += value * opened
            inner[4] += value * opens[state, d]
            inner[3] += value * opens[state, d] * (d - 1)
        else:
            from_jump += value
        c2[jump, state] += from_jump
        c2[along, state] += from_along
    from_stay, from_leave = 0.0, 0.0
    for d in range(height - 1, 0, -1):
        for t in range(2 * max_jump):
            mass = dturns[d, t]
            dturns[d, t] = 0.0
            dturns[d - 1, t] += mass * stay
            dleaves[d - 1, t] += mass * leave
            from_stay += mass * turns[d - 1, t]
            from_leave += mass * leaves[d - 1, t]
    c1[along, along] += from_stay
    c1[jump, along] += from_leave
    exit_across, exit_along = T0[across, jump], T0[along, jump]
    from_across, from_along = 0.0, 0.0
    for d in range(height):
        for f in range(2):
            for k in range(max_jump):
                value = dleaves[d, f * max_jump + k]
                dleaves[d, f * max_jump + k] = 0.0
                dturns[d, f * max_jump + k] = 0.0
                from_across += value * sums[d, 4 * k + 2 * f]
                from_along += value * sums[d, 4 * k + 2 * f + 1]
                dsums[d, 4 * k + 2 * f] += value * exit_across + dcolumns[k, f, d]
                dsums[d, 4 * k + 2 * f + 1] += value * exit_along
                dcolumns[k, f, d] = 0.0
    c0[across, jump] += from_across
    c0[along, jump] += from_along
    for kind in range(4):
        total = 0.0
        for d in range(height):
            for at in range(4 * max_jump):
                total += dsums[d, at] * uses[kind, d, at]
        inner[kind] += total
    for d in range(height):
        for at in range(4 * max_jump):
            dsums[d, at] = 0.0


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
    bottom = top + _whole(part.height + ONE - top)
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
def _forward(hypothesis, reference, table, order, outer, M, rows):
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
                if link.size and _single(hyp, a) and _single(hyp, b):
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
    bottom = top + _whole(part.height + ONE - top)
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
def _backward(hypothesis, reference, table, order, outer, M, B, rows, counts):
    """Outer backward pass: adjoint of ``_forward``; fills bV, B and R and adds up unscaled counts.

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
                linked = link.size and _single(hyp, a) and _single(hyp, b)
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


@njit
def _make_part(along, across, rows, sizes, max_jump, links):
    """Room for one side of a lattice; ``sizes`` are the most arcs, crossings, groups and followers of one."""
    arcs, crossings, groups, follow = sizes
    return Part(
        along, across, ZERO, ZERO, np.empty((9, arcs + 1), np.uintp), np.empty((4, crossings), np.uintp),
        np.empty(follow, np.uintp), np.empty((2, groups + 1), np.uintp), np.empty(arcs), np.empty(arcs if links else 0),
        np.empty(follow, np.uintp), np.empty((3, STEPS), np.uintp), ZERO, ZERO, np.empty(follow), np.empty(follow),
        np.empty((crossings, max_jump)), np.empty((groups, rows + LANES)), np.empty((groups, max_jump)),
        np.empty((groups, max_jump)), np.empty(crossings),
    )  # fmt: skip


@njit
def _fill_part(part, side, other, span, height, limit, weights, slot):
    """One side of the lattice whose arcs begin at ``span[0]`` in the batch, ``span[1]`` of them, in its room.

    ``other`` has the indices of arcs in the other side's view; ``weights`` are the factors of arcs and links in the
    lattice's order. Chains may need more room than there is.
    """
    (base, A), (factor, link), arcs, steps = span, weights, np.uintp(span[1]), part.steps
    _lay_out(np.uintp(base), arcs, side, other, part.places, part.crossings, part.follow, part.landings)
    for x in range(A):
        part.factor[x] = factor[side.original[base + x]]
        if link.size:
            part.link[x] = link[side.original[base + x]]
    part.F[: part.places[GROUPS, A]] = 0.0
    chains = _chains(arcs, limit, part.places, part.follow, part.leader, slot, steps)
    while chains > steps.shape[1]:
        steps = np.empty((3, 2 * steps.shape[1]), np.uintp)
        chains = _chains(arcs, limit, part.places, part.follow, part.leader, slot, steps)
    return Part(
        part.along, part.across, np.uintp(height), arcs, part.places, part.crossings, part.follow, part.landings,
        part.factor, part.link, part.leader, steps, part.places[FOLLOWERS, A], chains, part.between, part.inside,
        part.K, part.exits, part.F, part.R, part.entering,
    )  # fmt: skip


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
    log_sum, accepted, counts, arc_counts, link_counts = outputs
    insert, delete, derivatives = windows.insert, windows.delete, counts.shape[0] > 0
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
    c0, c1, c2, inner = np.empty((S + 1, S)), np.empty((S + 1, S)), np.empty((S + 1, S)), np.empty((2, 5))
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
    hypothesis = _make_part(delete, insert, width, sizes, max_jump, n_links > 0)
    reference = _make_part(insert, delete, width, sizes, max_jump, n_links > 0)
    order = starts, ends, by_end
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
        _row_starts(a0, A, hyp.arcs, starts[: m + 2], ends[: m + 2])
        for x in range(A):
            by_end[x] = hyp.by_end[a0 + x]
        link = link_factor[a0 : a0 + A] if n_links else link_factor
        weights = tilted, link
        hypothesis = _fill_part(hypothesis, hyp, ref.position, (a0, A), m, limit, weights, slot)
        reference = _fill_part(reference, ref, ref.original, (a0, A), n, limit, weights, slot)
        for s in range(2):
            part = reference if s else hypothesis
            _between(part, table, windows.sums[s])
            _blocks(part, table, windows.columns[s], windows.blocks[s], windows.opens[s])
        stride, other = n + 1 + LANES, m + 1 + LANES
        size = (m + 1) * stride
        I, D = planes[0, :size].reshape(m + 1, stride), planes[1, :size].reshape(m + 1, stride)
        V, bV = planes[2, :size].reshape(m + 1, stride), planes[3, :size].reshape(m + 1, stride)
        turned = planes[4, : (n + 1) * other].reshape(n + 1, other)
        V[:] = 0.0
        turned[:] = 0.0
        D[0] = 0.0
        outer = Planes(I, D, V, bV, turned)
        total = _forward(hypothesis, reference, table, order, outer, M, rows)
        accepted[k] = total >= SMALLEST_TOTAL_WITH_JUMPS * math.exp(growth)
        if not accepted[k]:
            continue
        log_sum[k] = math.log(total) + (m + n) * math.log(rate)
        if not derivatives:
            continue
        c0[:] = 0.0
        c1[:] = 0.0
        c2[:] = 0.0
        inner[:] = 0.0
        link_masses[:] = 0.0
        bV[:, n + 1 :] = 0.0
        counted = Counts(c0, c1, c2, inner[0], masses[0], link_masses[0])
        _backward(hypothesis, reference, table, order, outer, M, B, rows, counted)
        for a in range(A):
            masses[0, a] = M[a] * B[a]
            masses[1, a] = 0.0
        for s in range(2):
            part, plane = (reference, bV) if s else (hypothesis, turned)
            counted = Counts(c0, c1, c2, inner[s], masses[s], link_masses[s])
            blocks = windows.blocks[s]
            touches = _blocks_adjoint(
                part, table, windows.columns[s], blocks, windows.opens[s], plane, slopes, counted
            )
            _between_adjoint(part, table, windows.sums[s], slopes, counted)
            _tables_adjoint(part, table, windows, s, slopes, touches, counted)
        scale = 1.0 / total
        for x in range(A):
            a = ref.original[a0 + x]
            masses[0, a] += masses[1, x]
            if n_links:
                link_masses[0, a] += link_masses[1, x]
        for a in range(A):
            arc_counts[a0 + a] = masses[0, a] * scale
        for a in range(link.size):
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
