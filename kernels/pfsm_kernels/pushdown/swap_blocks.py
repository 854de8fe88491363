"""What lies inside the blocks of a swap, of one side of a pair: R, E, K and Z of ``arc_to_arc``, and their adjoint.

A side is laid out as arrays from 0 on, without signs. Indices that have a sign might count from the end, and looking
after that takes as long as the work. Chains of arcs are listed once (``_chains``), so that passes over them, forward
and back, are single loops: at the ends of short ones a processor guesses wrong.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pfsm_kernels.cache import njit
from pfsm_kernels.lattice.lattices import Float

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


class Counts(NamedTuple):
    """Expected counts while they are added up: by consumed tokens, inside of the tables, of arcs and links."""

    c0: Float
    c1: Float
    c2: Float
    inner: Float
    arcs: Float
    links: Float


@njit(inner=True)
def row_starts(base, A, arcs, starts, ends):
    """CSR offsets of arcs by their row, and of ``by_end`` by their end row."""
    starts[:] = 0
    ends[:] = 0
    for a in range(base, base + A):
        starts[arcs[a, 0] + 1] += 1
        ends[arcs[a, 0] + arcs[a, 1] + 1] += 1
    for i in range(1, starts.size):
        starts[i] += starts[i - 1]
        ends[i] += ends[i - 1]


@njit(inner=True, borrows=True)
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


@njit(inner=True, borrows=True)
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


@njit(inner=True)
def padded(count):
    """The next multiple of ``LANES``."""
    return (count + WHOLE - ONE) // WHOLE * WHOLE


@njit(inner=True)
def is_single(places, x):
    """Whether an arc consumes one token on each side."""
    return places[ROW_END, x] + places[COLUMN_END, x] - places[ROW, x] - places[COLUMN, x] == TWO


@njit(inner=True)
def make_part(along, across, rows, sizes, max_jump, links):
    """Room for one side of a lattice; ``sizes`` are the most arcs, crossings, groups and followers of one."""
    arcs, crossings, groups, follow = sizes
    return Part(
        along, across, ZERO, ZERO, np.empty((9, arcs + 1), np.uintp), np.empty((4, crossings), np.uintp),
        np.empty(follow, np.uintp), np.empty((2, groups + 1), np.uintp), np.empty(arcs), np.empty(arcs if links else 0),
        np.empty(follow, np.uintp), np.empty((3, STEPS), np.uintp), ZERO, ZERO, np.empty(follow), np.empty(follow),
        np.empty((crossings, max_jump)), np.empty((groups, rows + LANES)), np.empty((groups, max_jump)),
        np.empty((groups, max_jump)), np.empty(crossings),
    )  # fmt: skip


@njit(inner=True)
def fill_part(part, side, other, span, height, limit, weights, slot):
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


@njit(inner=True, borrows=True, fastmath={"contract"})
def fill_between(part, table, sums):
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
            if link.size and is_single(places, x) and is_single(places, b):
                mass *= link[b]
        mass *= factor[b]
        R[p] = mass
        E[p] = mass
    for at in range(count):
        E[steps[0, at]] += R[steps[1, at]] * E[steps[2, at]]


@njit(inner=True, borrows=True, fastmath={"contract"})
def fill_blocks(part, table, columns, blocks, opens):
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
            for u in range(top, top + padded(height + ONE - top)):
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


@njit(inner=True, borrows=True, fastmath={"contract", "reassoc"})
def blocks_adjoint(part, table, columns, blocks, opens, plane, slopes, counts):
    """Adjoint of ``fill_blocks``: derivatives in E and the tables, from F, R and the outer backward masses.

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
            bottom = top + padded(height + ONE - top)
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


@njit(inner=True, borrows=True, fastmath={"contract"})
def between_adjoint(part, table, sums, slopes, counts):
    """Adjoint of ``fill_between``: from derivatives in E to those in M, the weights and the arcs."""
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
            linked = link.size and is_single(places, x) and is_single(places, b)
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


@njit(inner=True, borrows=True, fastmath={"contract", "reassoc"})
def tables_adjoint(part, table, windows, s, slopes, rows, counts):
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
