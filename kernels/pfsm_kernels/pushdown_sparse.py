"""The restricted pushdown machine in linear space, from arc to arc: for sparse arcs, one Insert and one Delete state.

The swaps are those of ``pushdown``; see there for K, Z, F, V, R and J. Here their windows are not filled cell by cell.
Between two arcs there is nothing but Inserts and Deletes, and with one state each their sum depends on no more than
how many there are, so that it stands in tables that all pairs share: M, X and P of ``windows``. For one side, with
"along" the edit of its rows and "across" that of its columns:

    R[x, b]   = w_b sum_(f, l) T1[x, f] M[d, k][f, l] T2[l, b]   from the end of arc x to the start of arc b
    E[x, b]   = R[x, b] + sum_a R[x, a] E[a, b]                  all edit sequences from x that end with b
    K_bc[e]   = sum_a E[b, a] (sum_f T1[a, f] X[c][d, f] + T0[a, Jump] P[c][d])   at the places that a leaves to c
    Z_c[u]    = sum_a E[c, a] sum_f T1[a, f] M[u - row, L - column][f, across] T0[across, Jump]

(arcs that end where the next one, or the jump, begins enter without M). Arcs a lie within the jump limit of x, which no
part of a sequence between them leaves: the pairs (x, b) within the limit are found once, with the crossings. The outer
machine is that of ``pushdown``, and the backward pass again the plain adjoint of everything.

**Tilt.** As in ``machine_sparse``, all pairs have the same rate, that of their Inserts and Deletes. What arcs and swaps
of a pair can add to a mass is below ``exp(growth)``, from the rate that ``pushdown_tilt`` finds for the pair alone;
where that is large, or the total small, the pair is left to ``pushdown``.

**Cost.** O(m n + (m + n) D + crossings x arcs in a window x D + groups x (m + n)) time: for 23 words a side and 22 arcs
about an eighth of the time of ``pushdown``; worse than it where every window holds many arcs.

Indices of inner loops are unsigned: a signed one might count from the end, which keeps loops from vector registers.
"""

import math

import numpy as np
from numba import njit

# Times exp(growth), what ``pushdown`` asks for at the rate of the pair.
SMALLEST_TOTAL = 1e-230
LARGEST_GROWTH = 300.0
LARGEST_FACTOR = 1e6
LARGEST_TILTED_ENTRY = 1e12
# Loops are unrolled so far; what is left over goes one by one. Rows have so many zeros behind them.
LANES = 16


@njit(cache=True)
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


@njit(cache=True)
def _tilt(base, A, arcs, arc_factor, rate, reach, tilted):
    """Arc factors over the rate per token beyond two; whether all are small enough for the error bound."""
    fine = True
    for a in range(A):
        extra = arcs[base + a, 1] + arcs[base + a, 3] - 2
        factor = arc_factor[base + a]
        if extra:
            factor *= rate ** -float(extra)
        tilted[a] = factor
        fine = fine and factor <= LARGEST_FACTOR
        fine = fine and reach[arcs[base + a, 4]] <= LARGEST_TILTED_ENTRY * rate * rate
    return fine


@njit(cache=True, fastmath={"contract"})
def _between(
    base, A, max_jump, along, across, arcs, follow_first, follow, factor, link, T1, T2, sums, R, E, column
):  # fmt: skip
    """R and E of every pair of arcs within the limit. ``column`` is scratch, one place an arc."""
    first_follow = follow_first[base]
    for x in range(A - 1, -1, -1):
        begin, end = follow_first[base + x], follow_first[base + x + 1]
        if begin == end:
            continue
        own = base + x
        state = arcs[own, 4]
        row, first, limit = arcs[own, 0] + arcs[own, 1], arcs[own, 2] + arcs[own, 3], arcs[own, 2] + max_jump
        into_across, into_along = T1[state, across], T1[state, along]
        for p in range(begin, end):
            b = follow[p]
            d, k, after = arcs[base + b, 0] - row, arcs[base + b, 2] - first, arcs[base + b, 4]
            if d == 0 and k == 0:
                mass = T2[state, after]
                if link.size and _single(arcs, own) and _single(arcs, base + b):
                    mass *= link[b]
            else:
                mass = into_across * (
                    sums[d, 4 * k] * T2[across, after] + sums[d, 4 * k + 1] * T2[along, after]
                )
                mass += into_along * (
                    sums[d, 4 * k + 2] * T2[across, after] + sums[d, 4 * k + 3] * T2[along, after]
                )
            mass *= factor[b]
            R[p - first_follow] = mass
            column[b] = mass
        for p in range(begin, end):
            a, mass = follow[p], R[p - first_follow]
            for q in range(follow_first[base + a], follow_first[base + a + 1]):
                b = follow[q]
                if arcs[base + b, 2] + arcs[base + b, 3] <= limit:
                    column[b] += mass * E[q - first_follow]
        for p in range(begin, end):
            E[p - first_follow] = column[follow[p]]


@njit(cache=True)
def _whole(count):
    return (count + LANES - 1) // LANES * LANES


@njit(cache=True)
def _single(arcs, a):
    return arcs[a, 1] + arcs[a, 3] == 2


@njit(cache=True)
def _gaps(base, begin, end, arcs, by_landed, group, gap_arc, gaps):
    """Crossings of one landed arc with row and state of their gap arcs, in order of rows; returns their number."""
    for at in range(begin, end):
        crossing = by_landed[at]
        c = base + gap_arc[group[crossing]]
        gaps[at - begin, 0] = crossing
        gaps[at - begin, 1] = arcs[c, 0]
        gaps[at - begin, 2] = arcs[c, 4]
    return end - begin


@njit(cache=True, fastmath={"contract"})
def _blocks(
    base, A, max_jump, height, along, across, jump, side, factor, T0, T1, columns, blocks, opens, E, K, exits, gaps
):  # fmt: skip
    """K of every crossing and Z (times the gap arc's weight) of every group."""
    arcs, follow_first, follow = side.arcs, side.follow_first, side.follow
    landed_first, by_landed, group, gap_arc = side.landed_first, side.by_landed, side.group, side.gap_arc
    group_first, landing = side.group_first, side.landing
    first_follow, first_group, first_crossing = follow_first[base], group_first[base], landed_first[base]
    leave_across = T0[across, jump]
    for x in range(A):
        own = base + x
        begin, end = follow_first[own], follow_first[own + 1]
        opened = arcs[own, 2] + 1
        crossings = _gaps(
            base, landed_first[own], landed_first[own + 1], arcs, by_landed, group, gap_arc, gaps
        )
        for at in range(crossings):
            crossing = gaps[at, 0] - first_crossing
            for t in range(max_jump):
                K[crossing, t] = 0.0
        for p in range(begin - 1, end):
            a = own if p < begin else base + follow[p]
            mass = 1.0 if p < begin else E[p - first_follow]
            before, bottom = arcs[a, 4], arcs[a, 0] + arcs[a, 1]
            u, v, w = mass * T1[before, across], mass * T1[before, along], mass * T0[before, jump]
            place = arcs[a, 2] + arcs[a, 3] - opened
            # In order of rows: those of the last ones are below the arc's end.
            for at in range(crossings - 1, -1, -1):
                d, state, crossing = gaps[at, 1] - bottom, gaps[at, 2], gaps[at, 0] - first_crossing
                if d < 0:
                    break
                for k in range(max_jump - place):
                    to, at_along = np.uintp(place + k), np.uintp(max_jump + k)
                    K[crossing, to] += u * blocks[state, d, k] + v * blocks[state, d, at_along]
                K[crossing, place] += w * opens[state, d]
        for g in range(group_first[own], group_first[own + 1]):
            z = g - first_group
            top = arcs[own, 0] + arcs[own, 1]
            for u in range(top, top + _whole(height + 1 - top)):
                exits[z, np.uintp(u)] = 0.0
            for p in range(begin - 1, end):
                a = own if p < begin else base + follow[p]
                k = landing[g] - arcs[a, 2] - arcs[a, 3]
                if k < 0:
                    continue
                mass = factor[x] if p < begin else factor[x] * E[p - first_follow]
                row, before = arcs[a, 0] + arcs[a, 1], arcs[a, 4]
                if k == 0:
                    exits[z, row] += mass * T0[before, jump]
                    continue
                mass *= leave_across
                u, v = mass * T1[before, across], mass * T1[before, along]
                for d in range(height + 1 - row):
                    exits[z, np.uintp(row + d)] += u * columns[k, 0, d] + v * columns[k, 1, d]


@njit(cache=True, fastmath={"contract", "reassoc"})
def _blocks_adjoint(
    base, A, max_jump, height, along, across, jump, side, factor, T0, T1, columns, blocks, opens, E, F, RV, entering,
    T2, plane, dcolumns, dblocks, dopens, marked, touched, dE, dZ, weighted, gaps, c0, c1, arc_mass,
):  # fmt: skip
    """Adjoint of ``_blocks``: derivatives in E and the tables, from F, R and the outer backward masses.

    ``plane`` is bV with the columns of this side first. Rows of ``dblocks`` and ``dopens`` that are written to are
    marked, and listed in ``touched``; their number is returned.
    """
    arcs, follow_first, follow = side.arcs, side.follow_first, side.follow
    landed_first, by_landed, group, gap_arc = side.landed_first, side.by_landed, side.group, side.gap_arc
    group_first, landing = side.group_first, side.landing
    first_follow, first_group, first_crossing = follow_first[base], group_first[base], landed_first[base]
    leave_across = T0[across, jump]
    rows = 0
    for x in range(A):
        own_arc = base + x
        begin, end = follow_first[own_arc], follow_first[own_arc + 1]
        opened = arcs[own_arc, 2] + 1
        opening = T2[jump, arcs[own_arc, 4]] * factor[x]
        own = 0.0
        crossings = _gaps(
            base, landed_first[own_arc], landed_first[own_arc + 1], arcs, by_landed, group, gap_arc, gaps
        )
        for at in range(crossings):
            g = group[gaps[at, 0]] - first_group
            weight = entering[gaps[at, 0] - first_crossing] * opening
            for t in range(max_jump):
                weighted[at, t] = weight * RV[g, t]
        for p in range(begin - 1, end):
            a = own_arc if p < begin else base + follow[p]
            mass = 1.0 if p < begin else E[p - first_follow]
            before, bottom = arcs[a, 4], arcs[a, 0] + arcs[a, 1]
            place = arcs[a, 2] + arcs[a, 3] - opened
            into_across, into_along, out = T1[before, across], T1[before, along], T0[before, jump]
            u, v, w = mass * into_across, mass * into_along, mass * out
            from_across, from_along, from_jump = 0.0, 0.0, 0.0
            for at in range(crossings - 1, -1, -1):
                d, state = gaps[at, 1] - bottom, gaps[at, 2]
                if d < 0:
                    break
                if not marked[state, d]:
                    marked[state, d] = True
                    touched[rows, 0] = state
                    touched[rows, 1] = d
                    rows += 1
                for k in range(max_jump - place):
                    value, at_along = weighted[at, np.uintp(place + k)], np.uintp(max_jump + k)
                    from_across += value * blocks[state, d, k]
                    from_along += value * blocks[state, d, at_along]
                    dblocks[state, d, k] += u * value
                    dblocks[state, d, at_along] += v * value
                value = weighted[at, place]
                dopens[state, d] += w * value
                from_jump += value * opens[state, d]
            slope = into_across * from_across + into_along * from_along + out * from_jump
            c1[before, across] += mass * from_across
            c1[before, along] += mass * from_along
            c0[before, jump] += mass * from_jump
            own += mass * slope
            if p >= begin:
                dE[p - first_follow] = slope
        for g in range(group_first[own_arc], group_first[own_arc + 1]):
            top, first, z = arcs[own_arc, 0] + arcs[own_arc, 1], landing[g] + 1, g - first_group
            bottom = top + _whole(height + 1 - top)
            for u in range(top, bottom):
                dZ[np.uintp(u)] = 0.0
            for t in range(min(max_jump, plane.shape[0] - first)):
                mass = F[z, t] * factor[x]
                for u in range(top, bottom):
                    dZ[np.uintp(u)] += mass * plane[first + t, np.uintp(u)]
            for p in range(begin - 1, end):
                a = own_arc if p < begin else base + follow[p]
                k = landing[g] - arcs[a, 2] - arcs[a, 3]
                if k < 0:
                    continue
                mass = 1.0 if p < begin else E[p - first_follow]
                row, before = arcs[a, 0] + arcs[a, 1], arcs[a, 4]
                if k == 0:
                    slope = dZ[row] * T0[before, jump]
                    c0[before, jump] += mass * dZ[row]
                else:
                    into_across, into_along = T1[before, across], T1[before, along]
                    u, v = mass * into_across * leave_across, mass * into_along * leave_across
                    from_across, from_along = 0.0, 0.0
                    for d in range(height + 1 - row):
                        value = dZ[np.uintp(row + d)]
                        from_across += value * columns[k, 0, d]
                        from_along += value * columns[k, 1, d]
                        dcolumns[k, 0, d] += u * value
                        dcolumns[k, 1, d] += v * value
                    slope = (into_across * from_across + into_along * from_along) * leave_across
                    c1[before, across] += mass * leave_across * from_across
                    c1[before, along] += mass * leave_across * from_along
                    c0[across, jump] += mass * (into_across * from_across + into_along * from_along)
                own += mass * slope
                if p >= begin:
                    dE[p - first_follow] += slope
        arc_mass[x] += own
    return rows


@njit(cache=True, fastmath={"contract"})
def _between_adjoint(
    base, A, max_jump, along, across, arcs, follow_first, follow, factor, link, T1, T2, sums, R, E, dE, dsums, column,
    c1, c2, arc_mass, link_mass,
):  # fmt: skip
    """Adjoint of ``_between``: from derivatives in E to those in M, the weights and the arcs."""
    first_follow = follow_first[base]
    for x in range(A):
        own = base + x
        begin, end = follow_first[own], follow_first[own + 1]
        if begin == end:
            continue
        state = arcs[own, 4]
        row, first, limit = arcs[own, 0] + arcs[own, 1], arcs[own, 2] + arcs[own, 3], arcs[own, 2] + max_jump
        into_across, into_along = T1[state, across], T1[state, along]
        from_across, from_along = 0.0, 0.0
        for p in range(begin, end):
            column[follow[p]] = dE[p - first_follow]
        for p in range(begin, end):
            b, mass = follow[p], R[p - first_follow]
            slope = dE[p - first_follow]
            for q in range(follow_first[base + b], follow_first[base + b + 1]):
                after = follow[q]
                if arcs[base + after, 2] + arcs[base + after, 3] <= limit:
                    slope += column[after] * E[q - first_follow]
                    dE[q - first_follow] += mass * column[after]
            arc_mass[b] += slope * mass
            d, k, after = arcs[base + b, 0] - row, arcs[base + b, 2] - first, arcs[base + b, 4]
            if d == 0 and k == 0:
                linked = link.size and _single(arcs, own) and _single(arcs, base + b)
                if linked:
                    link_mass[b] += slope * mass
                c2[state, after] += slope * factor[b] * (link[b] if linked else 1.0)
                continue
            slope *= factor[b]
            v0, v1 = T2[across, after], T2[along, after]
            m0, m1, m2, m3 = sums[d, 4 * k], sums[d, 4 * k + 1], sums[d, 4 * k + 2], sums[d, 4 * k + 3]
            from_across += slope * (m0 * v0 + m1 * v1)
            from_along += slope * (m2 * v0 + m3 * v1)
            c2[across, after] += slope * (into_across * m0 + into_along * m2)
            c2[along, after] += slope * (into_across * m1 + into_along * m3)
            dsums[d, 4 * k] += slope * into_across * v0
            dsums[d, 4 * k + 1] += slope * into_across * v1
            dsums[d, 4 * k + 2] += slope * into_along * v0
            dsums[d, 4 * k + 3] += slope * into_along * v1
        c1[state, across] += from_across
        c1[state, along] += from_along


@njit(cache=True, fastmath={"contract", "reassoc"})
def _tables_adjoint(
    height, max_jump, along, across, jump, T0, T1, T2, sums, leaves, turns, opens, uses, dcolumns, dsums, dleaves,
    dturns, dblocks, dopens, marked, touched, rows, c0, c1, c2, inner,
):  # fmt: skip
    """From derivatives in the tables, which it empties, to those in the weights and (``inner``) expected counts."""
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


@njit(cache=True, fastmath={"contract"})
def _forward(
    base, max_jump, m, n, insert, delete, jump, starts, ends, factor, ref_factor, link, hyp, ref, T0, T1, T2,
    I, D, V, turned, M, rows, hyp_K, ref_K, hyp_exits, ref_exits, hyp_F, ref_F, hyp_entering, ref_entering,
):  # fmt: skip
    """Outer forward pass; fills I, D, V, M, F and what enters every crossing's first jump. Returns the total.

    ``turned`` is the part of V that jumps on s lead to, columns first. ``rows`` is scratch: what goes into Insert, into
    Delete, into Jump.
    """
    start = T1.shape[0] - 1
    arcs, by_end, ref_arcs, position = hyp.arcs, hyp.by_end, ref.arcs, ref.position
    hyp_group_first, hyp_landed_first, by_landed = hyp.group_first, hyp.landed_first, hyp.by_landed
    hyp_group, hyp_gap_arc, hyp_landing = hyp.group, hyp.gap_arc, hyp.landing
    ref_group_first, ref_crossing_first = ref.group_first, ref.crossing_first
    ref_landed, ref_landing = ref.landed, ref.landing
    hyp_groups, ref_groups = hyp_group_first[base], ref_group_first[base]
    hyp_crossings, ref_crossings = hyp_landed_first[base], ref.landed_first[base]
    II, DI, ID, DD = T1[insert, insert], T1[delete, insert], T1[insert, delete], T1[delete, delete]
    leave_insert, leave_delete = T1[jump, insert], T1[jump, delete]
    insert_jumps, delete_jumps = T0[insert, jump], T0[delete, jump]
    for i in range(m + 1):
        for j in range(n + 1):
            V[i, j] += turned[j, i]
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
            a = by_end[base + e]
            j, mass, state = arcs[base + a, 2] + arcs[base + a, 3], M[a], arcs[base + a, 4]
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
            j, state = arcs[base + b, 2], arcs[base + b, 4]
            mass = V[i, j] * T2[jump, state]
            if j:
                mass += I[i, j] * T2[insert, state]
            if i:
                mass += D[i, j] * T2[delete, state]
            elif j == 0:
                mass += T2[start, state]
            for e in range(ends[i], ends[i + 1]):
                a = by_end[base + e]
                if arcs[base + a, 2] + arcs[base + a, 3] != j:
                    continue
                weight = T2[arcs[base + a, 4], state]
                if link.size and _single(arcs, base + a) and _single(arcs, base + b):
                    weight *= link[b]
                mass += M[a] * weight
            M[b] = mass * factor[b]
        if i < m:
            for j in range(n + 1):
                D[i + 1, j] = I[i, j] * ID + rows[1, j]
        for a in range(starts[i], starts[i + 1]):
            # Jumps on s: as landed arc it takes what enters here, as gap arc it closes what was opened above.
            at = base + a
            opening = T2[jump, arcs[at, 4]] * factor[a]
            for place in range(hyp_landed_first[at], hyp_landed_first[at + 1]):
                crossing = by_landed[place]
                g = hyp_group[crossing]
                mass = rows[2, arcs[base + hyp_gap_arc[g], 2]]
                hyp_entering[crossing - hyp_crossings] = mass
                mass *= opening
                f, c = g - hyp_groups, crossing - hyp_crossings
                for t in range(max_jump):
                    hyp_F[f, t] += mass * hyp_K[c, t]
            for g in range(hyp_group_first[at], hyp_group_first[at + 1]):
                first, f = hyp_landing[g] + 1, g - hyp_groups
                for t in range(min(max_jump, n + 1 - first)):
                    mass = hyp_F[f, t]
                    for u in range(i + arcs[at, 1], i + arcs[at, 1] + _whole(m + 1 - i - arcs[at, 1])):
                        turned[first + t, np.uintp(u)] += mass * hyp_exits[f, np.uintp(u)]
            # Jumps on r: all that its swaps need stands in this row.
            at = base + position[at]
            for g in range(ref_group_first[at], ref_group_first[at + 1]):
                first, f = ref_landing[g] + 1, g - ref_groups
                for crossing in range(ref_crossing_first[g], ref_crossing_first[g + 1]):
                    b = ref_landed[crossing]
                    mass = rows[2, ref_arcs[base + b, 0]]
                    ref_entering[crossing - ref_crossings] = mass
                    mass *= T2[jump, ref_arcs[base + b, 4]] * ref_factor[b]
                    c = crossing - ref_crossings
                    for t in range(max_jump):
                        ref_F[f, t] += mass * ref_K[c, t]
                top = ref_arcs[at, 0] + ref_arcs[at, 1]
                bottom = top + _whole(n + 1 - top)
                for t in range(min(max_jump, m + 1 - first)):
                    mass = ref_F[f, t]
                    for v in range(top, bottom):
                        V[first + t, np.uintp(v)] += mass * ref_exits[f, np.uintp(v)]
    total = I[m, n] + D[m, n] + V[m, n]
    for e in range(ends[m], ends[m + 1]):
        a = by_end[base + e]
        if arcs[base + a, 2] + arcs[base + a, 3] == n:
            total += M[a]
    return total


@njit(cache=True, inline="always")
def _returns(max_jump, height, at, arcs, group_first, landing, first_group, plane, exits, R):
    """R of the groups of one gap arc, what its closings lead to; ``plane`` is bV, the columns of this side first."""
    top = arcs[at, 0] + arcs[at, 1]
    for g in range(group_first[at], group_first[at + 1]):
        r, first = g - first_group, landing[g] + 1
        bottom = top + _whole(height + 1 - top)
        count = min(max_jump, plane.shape[0] - first)
        for t in range(count):
            mass = 0.0
            for u in range(top, bottom):
                mass += exits[r, np.uintp(u)] * plane[first + t, np.uintp(u)]
            R[r, t] = mass
        for t in range(count, max_jump):
            R[r, t] = 0.0


@njit(cache=True, fastmath={"contract", "reassoc"})
def _backward(
    base, max_jump, m, n, insert, delete, jump, starts, ends, factor, ref_factor, link, hyp, ref, T0, T1, T2,
    I, D, V, bV, turned, M, B, rows, hyp_K, ref_K, hyp_exits, ref_exits, hyp_R, ref_R, hyp_entering, ref_entering,
    c0, c1, c2, link_mass,
):  # fmt: skip
    """Outer backward pass: adjoint of ``_forward``; fills bV, B and R and adds up unscaled counts.

    ``turned`` becomes bV, columns first. ``rows``: backward Insert and Delete masses, the latter of the row below, what
    goes into Insert, into Delete, into Jump.
    """
    start = T1.shape[0] - 1
    arcs, by_end, ref_arcs, position = hyp.arcs, hyp.by_end, ref.arcs, ref.position
    hyp_group_first, hyp_landed_first, by_landed = hyp.group_first, hyp.landed_first, hyp.by_landed
    hyp_group, hyp_gap_arc, hyp_landing = hyp.group, hyp.gap_arc, hyp.landing
    ref_group_first, ref_crossing_first = ref.group_first, ref.crossing_first
    ref_landed, ref_landing = ref.landed, ref.landing
    hyp_groups, ref_groups = hyp_group_first[base], ref_group_first[base]
    hyp_crossings, ref_crossings = hyp_landed_first[base], ref.landed_first[base]
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
            at = base + a
            _returns(
                max_jump, m, at, arcs, hyp_group_first, hyp_landing, hyp_groups, turned, hyp_exits, hyp_R
            )
            at = base + position[at]
            _returns(
                max_jump, n, at, ref_arcs, ref_group_first, ref_landing, ref_groups, bV, ref_exits, ref_R
            )
            for g in range(ref_group_first[at], ref_group_first[at + 1]):
                r = g - ref_groups
                for crossing in range(ref_crossing_first[g], ref_crossing_first[g + 1]):
                    b, c = ref_landed[crossing], crossing - ref_crossings
                    mass = 0.0
                    for t in range(max_jump):
                        mass += ref_K[c, t] * ref_R[r, t]
                    mass *= ref_factor[b]
                    state = ref_arcs[base + b, 4]
                    c2[jump, state] += ref_entering[c] * mass
                    rows[4, ref_arcs[base + b, 0]] += mass * T2[jump, state]
        for a in range(starts[i], starts[i + 1]):
            at = base + a
            state = arcs[at, 4]
            for place in range(hyp_landed_first[at], hyp_landed_first[at + 1]):
                crossing = by_landed[place]
                g = hyp_group[crossing]
                c, r = crossing - hyp_crossings, g - hyp_groups
                mass = 0.0
                for t in range(max_jump):
                    mass += hyp_K[c, t] * hyp_R[r, t]
                mass *= factor[a]
                c2[jump, state] += hyp_entering[c] * mass
                rows[4, arcs[base + hyp_gap_arc[g], 2]] += mass * T2[jump, state]
        if i == m:
            rows[2, n] = 1.0
            rows[3, n] = 1.0
            bV[i, n] = 1.0
        for a in range(starts[i], starts[i + 1]):
            j, state = arcs[base + a, 2], arcs[base + a, 4]
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
            cIJ += I[i, j] * rows[4, j]
            cID += I[i, j] * rows[1, j]
            cJD += V[i, j] * rows[1, j]
            cDD += D[i, j] * rows[1, j]
            cDJ += D[i, j] * rows[4, j]
        for j in range(n + 1):
            rows[2, j] += insert_jumps * rows[4, j] + ID * rows[1, j]
        mass = rows[2, n]
        rows[0, n] = mass
        for j in range(n - 1, -1, -1):
            mass = mass * II + rows[2, j]
            rows[0, j] = mass
        rows[0, n + 1] = 0.0
        for e in range(ends[i], ends[i + 1]):
            a = by_end[base + e]
            j, state = arcs[base + a, 2] + arcs[base + a, 3], arcs[base + a, 4]
            own = M[a]
            mass = 1.0 if i == m and j == n else 0.0
            inserted, under, jumped = rows[0, j + 1], rows[1, j], rows[4, j]
            mass += T0[state, jump] * jumped + T1[state, insert] * inserted + T1[state, delete] * under
            c0[state, jump] += own * jumped
            c1[state, insert] += own * inserted
            c1[state, delete] += own * under
            for b in range(starts[i], starts[i + 1]):
                if arcs[base + b, 2] != j:
                    continue
                after = arcs[base + b, 4]
                follow = factor[b] * B[b]
                linked = link.size and _single(arcs, base + a) and _single(arcs, base + b)
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
        for j in range(n + 1):
            cII += I[i, j] * rows[0, j + 1]
            cJI += V[i, j] * rows[0, j + 1]
            cDI += D[i, j] * rows[0, j + 1]
        for j in range(n + 1):
            bV[i, j] += leave_insert * rows[0, j + 1] + leave_delete * rows[1, j]
        for j in range(n + 1):
            rows[1, j] = DD * rows[1, j] + rows[3, j] + delete_jumps * rows[4, j] + DI * rows[0, j + 1]
        for j in range(n + 1):
            turned[j, i] = bV[i, j]
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
    first, last, chosen, offsets, arc_factor, link_factor, E, jump, max_jump, hyp, ref, insert, delete, rates, windows,
    log_sum, accepted, derivatives, counts, arc_counts, link_counts,
):  # fmt: skip
    """Log-sums of lattices first..last-1 with jumps of up to ``max_jump``; with ``derivatives``, expected counts too.

    Arguments as in ``pushdown.pushdown_batch``. Only lattices that are ``chosen`` (bool [n_lattices]) are done: with
    the two states alone, tokens on both sides, and fewer on either than ``windows`` has rows. ``rates`` are those of
    ``pushdown_tilt``. What comes out not ``accepted`` is to be done by ``pushdown``.
    """
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
    T1, T2, reach = E / rate, E / (rate * rate), np.empty(S)
    for state in range(S):
        reach[state] = E[:, state].max()
    c0, c1, c2, inner = np.empty((S + 1, S)), np.empty((S + 1, S)), np.empty((S + 1, S)), np.empty((2, 5))
    rows = np.zeros((5, width))
    dcolumns, dsums = np.zeros((max_jump, 2, width)), np.zeros((width, 4 * max_jump))
    dleaves, dturns = np.zeros((width, 2 * max_jump)), np.zeros((width, 2 * max_jump))
    dblocks, dopens = np.zeros((S, width, 2 * max_jump)), np.zeros((S, width))
    marked, touched = np.zeros((S, width), np.bool_), np.empty((S * width, 2), np.int64)
    R, inside = np.empty((2, most_follow)), np.empty((2, most_follow))
    dE, dZ, weighted = np.empty(most_follow), np.empty(width + LANES), np.empty((most_crossings, max_jump))
    gaps = np.empty((most_crossings, 3), np.int64)
    K, entering = np.empty((2, most_crossings, max_jump)), np.empty((2, most_crossings))
    exits = np.empty((2, most_groups, width + LANES))
    F, back = np.empty((2, most_groups, max_jump)), np.empty((2, most_groups, max_jump))
    column = np.empty(most_arcs)
    M, B = np.empty(most_arcs), np.empty(most_arcs)
    tilted, linked = np.empty((2, most_arcs)), np.empty((2, most_arcs))
    masses, link_masses = np.empty((2, most_arcs)), np.empty((2, most_arcs))
    starts, ends = np.empty(width + 1, np.int64), np.empty(width + 1, np.int64)
    planes = np.empty((5, most_cells))
    sides = (hyp, ref)
    for k in range(first, last):
        if not chosen[k]:
            continue
        m, n = offsets[k + 1, 0] - offsets[k, 0], offsets[k + 1, 1] - offsets[k, 1]
        a0, A = offsets[k, 2], offsets[k + 1, 2] - offsets[k, 2]
        growth = (m + n) * max(0.0, math.log(rates[k] / rate)) if rates[k] > 0.0 else np.inf
        accepted[k] = growth <= LARGEST_GROWTH
        accepted[k] = accepted[k] and _tilt(a0, A, hyp.arcs, arc_factor, rate, reach, tilted[0])
        if not accepted[k]:
            continue
        n_links = A if link_factor.size else 0
        for x in range(A):
            tilted[1, x] = tilted[0, ref.original[a0 + x]]
        for x in range(n_links):
            linked[0, x] = link_factor[a0 + x]
            linked[1, x] = link_factor[a0 + ref.original[a0 + x]]
        _row_starts(a0, A, hyp.arcs, starts[: m + 2], ends[: m + 2])
        for s in range(2):
            side, height = sides[s], n if s else m
            along, across = (insert, delete) if s else (delete, insert)
            _between(
                a0, A, max_jump, along, across, side.arcs, side.follow_first, side.follow, tilted[s],
                linked[s, :n_links], T1, T2, windows.sums[s], R[s], inside[s], column,
            )  # fmt: skip
            _blocks(
                a0, A, max_jump, height, along, across, jump, side, tilted[s], E, T1, windows.columns[s],
                windows.blocks[s], windows.opens[s], inside[s], K[s], exits[s], gaps,
            )  # fmt: skip
        stride, other = n + 1 + LANES, m + 1 + LANES
        size = (m + 1) * stride
        I, D = planes[0, :size].reshape(m + 1, stride), planes[1, :size].reshape(m + 1, stride)
        V, bV = planes[2, :size].reshape(m + 1, stride), planes[3, :size].reshape(m + 1, stride)
        turned = planes[4, : (n + 1) * other].reshape(n + 1, other)
        V[:] = 0.0
        turned[:] = 0.0
        D[0] = 0.0
        F[0, : hyp.group_first[a0 + A] - hyp.group_first[a0]] = 0.0
        F[1, : ref.group_first[a0 + A] - ref.group_first[a0]] = 0.0
        total = _forward(
            a0, max_jump, m, n, insert, delete, jump, starts, ends, tilted[0], tilted[1], linked[0, :n_links], hyp,
            ref, E, T1, T2, I, D, V, turned, M, rows, K[0], K[1], exits[0], exits[1], F[0], F[1], entering[0],
            entering[1],
        )  # fmt: skip
        accepted[k] = total >= SMALLEST_TOTAL * math.exp(growth)
        if not accepted[k]:
            continue
        log_sum[k] = math.log(total) + (m + n) * math.log(rate)
        if not derivatives:
            continue
        c0[:] = 0.0
        c1[:] = 0.0
        c2[:] = 0.0
        inner[:] = 0.0
        link_masses[:, :n_links] = 0.0
        bV[:, n + 1 :] = 0.0
        _backward(
            a0, max_jump, m, n, insert, delete, jump, starts, ends, tilted[0], tilted[1], linked[0, :n_links], hyp,
            ref, E, T1, T2, I, D, V, bV, turned, M, B, rows, K[0], K[1], exits[0], exits[1], back[0], back[1],
            entering[0], entering[1], c0, c1, c2, link_masses[0],
        )  # fmt: skip
        for a in range(A):
            masses[0, a] = M[a] * B[a]
            masses[1, a] = 0.0
        for s in range(2):
            side, height = sides[s], n if s else m
            along, across = (insert, delete) if s else (delete, insert)
            plane = bV if s else turned
            touches = _blocks_adjoint(
                a0, A, max_jump, height, along, across, jump, side, tilted[s], E, T1, windows.columns[s],
                windows.blocks[s], windows.opens[s], inside[s], F[s], back[s], entering[s], T2, plane,
                dcolumns, dblocks, dopens, marked, touched, dE, dZ, weighted, gaps, c0, c1, masses[s],
            )  # fmt: skip
            _between_adjoint(
                a0, A, max_jump, along, across, side.arcs, side.follow_first, side.follow, tilted[s],
                linked[s, :n_links], T1, T2, windows.sums[s], R[s], inside[s], dE, dsums, column, c1, c2, masses[s],
                link_masses[s],
            )  # fmt: skip
            _tables_adjoint(
                height, max_jump, along, across, jump, E, T1, T2, windows.sums[s], windows.leaves[s], windows.turns[s],
                windows.opens[s], windows.counts[s], dcolumns, dsums, dleaves, dturns, dblocks, dopens, marked,
                touched, touches, c0, c1, c2, inner[s],
            )  # fmt: skip
        scale = 1.0 / total
        for x in range(A):
            a = ref.original[a0 + x]
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
