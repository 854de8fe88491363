"""The finite-state machine (pFSM) in linear space: sums over all edit sequences and their derivatives.

Notation for one lattice of m reference and n hypothesis tokens, ``E = exp(W)``:

    I[i, j]   sum over edit sequences from (0, 0) to (i, j) that end with the Insert of token j-1
    D[i, j]   the same, ending with the Delete of token i-1
    M[a]      the same, ending with substitution arc a; f_a = exp(arc weight)

    I[i, j+1] = I[i, j] E[ins j-1, ins j] + D[i, j] E[del i-1, ins j] + sum_{a ends at (i, j)} M[a] E[state a, ins j]
    D[i+1, j] = I[i, j] E[ins j-1, del i] + D[i, j] E[del i-1, del i] + sum_{a ends at (i, j)} M[a] E[state a, del i]
    M[b]      = f_b (I[i, j] E[ins j-1, state b] + D[i, j] E[del i-1, state b] + sum_a M[a] E[state a, state b] link)

with the start as one more predecessor at (0, 0). Only Insert and Delete live in every cell; a substitution
lives only where there is an arc. The backward masses are the adjoint recurrence, and an expected count is
(forward mass) x (weight) x (backward mass) / total.

**Tilt.** Every edit sequence consumes every token exactly once, so dividing each edit by ``rho`` per consumed
token rescales the total by ``rho ** -(m + n)`` exactly. ``rho`` is chosen per lattice such that no row of
the tilted table sums to more than one over the edits that can follow. The tilted machine is then
sub-stochastic: no forward mass, backward mass or product of them exceeds one, so nothing overflows, and the
absolute error that underflow can leave in the total is at most (number of operations) x 1e-308. A total of
at least ``SMALLEST_TOTAL`` is therefore exact to rounding; below it the lattice is reported as not
accepted and the caller takes the log-space twin (``machine_log``). The bound asks for factors that are
normal numbers themselves: the caller keeps tables with entries beyond ``LARGEST_WEIGHT`` away.

**Cost.** O(m n + arcs) time. The forward pass is cut into blocks of rows; forward-backward keeps one row per
block and recomputes a block when the backward sweep reaches it, so memory is 24 (n + 1) sqrt(m + 1) bytes
instead of 16 (m + 1) (n + 1) above ``STORED_CELLS`` cells (0.5 MB).
"""

import math

import numpy as np
from numba import njit

# 1e-308 (smallest normal number) x 1e10 operations x 1e16 (double precision) leaves a wide margin.
SMALLEST_TOTAL = 1e-280
LARGEST_WEIGHT = 600.0
LARGEST_RATE = 1e150
LARGEST_ARC_FACTOR = 1e6
# A tilted entry that only a tiny arc factor keeps below one multiplies what underflow left of that factor.
LARGEST_TILTED_ENTRY = 1e12
STORED_CELLS = 32768


@njit(cache=True)
def _growth(E, delete_states, insert_states, arcs, arc_factor, link_factor, seen, arc_seen):
    """Growth rate ``rho`` per consumed token that no edit sequence of this lattice exceeds.

    Returns ``rho`` and the largest table entry of a substitution that this lattice offers.

    Solves ``A / rho + B / rho^2 = 1``: A the largest row sum over Insert and Delete, B the largest row entry
    over substitutions times the largest number of arcs that start in one cell.
    """
    S = E.shape[1]
    seen[:] = 0
    for state in insert_states:
        seen[state] |= 1
    for state in delete_states:
        seen[state] |= 2
    arc_seen[:] = -1.0
    largest_link = 1.0
    most, run, longest = 0, 0, 2
    for a in range(arcs.shape[0]):
        state = arcs[a, 4]
        arc_seen[state] = max(arc_seen[state], arc_factor[a])
        if link_factor.size:
            largest_link = max(largest_link, link_factor[a])
        longest = max(longest, arcs[a, 1] + arcs[a, 3])
        run = run + 1 if a and arcs[a, 0] == arcs[a - 1, 0] and arcs[a, 2] == arcs[a - 1, 2] else 1
        most = max(most, run)
    A, B, entry = 0.0, 0.0, 0.0
    for prev in range(S + 1):
        insert, delete, match = 0.0, 0.0, 0.0
        for cur in range(S):
            if seen[cur] & 1:
                insert = max(insert, E[prev, cur])
            if seen[cur] & 2:
                delete = max(delete, E[prev, cur])
            if arc_seen[cur] >= 0.0:
                match = max(match, E[prev, cur] * arc_seen[cur])
                entry = max(entry, E[prev, cur])
        A = max(A, insert + delete)
        B = max(B, match)
    B *= most * largest_link
    rho = 0.5 * (A + math.sqrt(A * A + 4.0 * B))
    if longest > 2 and rho < 1.0 and B > 0.0:
        # Longer blocks weigh more where rho < 1: bisect A / rho + B / rho^longest = 1 from above.
        low, high = rho, max(1.0, A + B)
        for _ in range(60):
            middle = 0.5 * (low + high)
            if A / middle + B * middle ** -float(longest) > 1.0:
                low = middle
            else:
                high = middle
        rho = high
    return rho, entry


@njit(cache=True)
def _prepare(rho, E, insert_states, seen, T1, T2, II, DI, ID):
    """Tilts the table and lays out the transitions of Insert and Delete position by position."""
    S = E.shape[1]
    n = insert_states.size
    one, two = 1.0 / rho, 1.0 / (rho * rho)
    for prev in range(S + 1):
        for cur in range(S):
            T1[prev, cur] = E[prev, cur] * one
            T2[prev, cur] = E[prev, cur] * two
    II[0] = 0.0
    for j in range(1, n):
        II[j] = T1[insert_states[j - 1], insert_states[j]]
    for state in range(S):
        if not seen[state] & 2:
            continue
        for j in range(n):
            DI[state, j] = T1[state, insert_states[j]]
        DI[state, n] = 0.0
        ID[state, 0] = 0.0
        for j in range(n):
            ID[state, j + 1] = T1[insert_states[j], state]


@njit(cache=True, fastmath={"contract"})
def _forward_rows(
    first, last, delete_states, insert_states, arcs, by_end, arc_factor, link_factor,
    T1, T2, II, DI, ID, I, D, scratch, M, next_start, next_end,
):  # fmt: skip
    """Fills rows first..last of I and D (row ``first`` at index 0, ``D[0]`` given) and the masses of their arcs.

    ``next_start`` and ``next_end`` are the first arcs, in order of start and of end, not before row ``first``;
    the updated two are returned.
    """
    m, n = delete_states.size, insert_states.size
    A = arcs.shape[0]
    start = T1.shape[0] - 1
    for i in range(first, last + 1):
        r = i - first
        for j in range(n + 1):
            scratch[0, j] = 0.0
            scratch[1, j] = 0.0
        if i == 0:
            if n:
                scratch[0, 0] = T1[start, insert_states[0]]
            if m:
                scratch[1, 0] = T1[start, delete_states[0]]
        row_end = next_end
        while row_end < A:
            a = by_end[row_end]
            if arcs[a, 0] + arcs[a, 1] != i:
                break
            j = arcs[a, 2] + arcs[a, 3]
            if j < n:
                scratch[0, j] += M[a] * T1[arcs[a, 4], insert_states[j]]
            if i < m:
                scratch[1, j] += M[a] * T1[arcs[a, 4], delete_states[i]]
            row_end += 1
        if i:
            state = delete_states[i - 1]
            for j in range(n):
                scratch[0, j] += D[r, j] * DI[state, j]
        mass = 0.0
        I[r, 0] = 0.0
        for j in range(n):
            mass = mass * II[j] + scratch[0, j]
            I[r, j + 1] = mass
        ending = next_end
        while next_start < A and arcs[next_start, 0] == i:
            b = next_start
            j = arcs[b, 2]
            state = arcs[b, 4]
            mass = 0.0
            if j:
                mass += I[r, j] * T2[insert_states[j - 1], state]
            if i:
                mass += D[r, j] * T2[delete_states[i - 1], state]
            if i == 0 and j == 0:
                mass += T2[start, state]
            while ending < row_end and arcs[by_end[ending], 2] + arcs[by_end[ending], 3] < j:
                ending += 1
            e = ending
            while e < row_end:
                a = by_end[e]
                if arcs[a, 2] + arcs[a, 3] != j:
                    break
                weight = T2[arcs[a, 4], state]
                if link_factor.size and arcs[a, 1] + arcs[a, 3] == 2 and arcs[b, 1] + arcs[b, 3] == 2:
                    weight *= link_factor[b]
                mass += M[a] * weight
                e += 1
            M[b] = mass * arc_factor[b]
            next_start += 1
        if i < m:
            state = delete_states[i]
            DD = T1[delete_states[i - 1], state] if i else 0.0
            for j in range(n + 1):
                D[r + 1, j] = I[r, j] * ID[state, j] + D[r, j] * DD + scratch[1, j]
        next_end = row_end
    return next_start, next_end


@njit(cache=True)
def _total(m, n, arcs, by_end, M, I_end, D_end):
    total = 1.0 if m + n == 0 else I_end + D_end
    e = arcs.shape[0] - 1
    while e >= 0:
        a = by_end[e]
        if arcs[a, 0] + arcs[a, 1] != m or arcs[a, 2] + arcs[a, 3] != n:
            break
        total += M[a]
        e -= 1
    return total


@njit(cache=True)
def _tilt_arcs(rho, arcs, arc_factor, tilted):
    """Divides ``arc_factor`` by ``rho`` for every token an arc consumes beyond the two that T2 accounts for.

    Returns whether every result is small enough to leave the error bound of the tilt intact.
    """
    largest = 0.0
    for a in range(arcs.shape[0]):
        extra = arcs[a, 1] + arcs[a, 3] - 2
        tilted[a] = arc_factor[a] if extra == 0 else arc_factor[a] * rho ** -float(extra)
        largest = max(largest, tilted[a])
    return largest <= LARGEST_ARC_FACTOR


@njit(cache=True, nogil=True, error_model="numpy")
def forward_batch(
    first,
    last,
    offsets,
    delete_states,
    insert_states,
    arcs,
    by_end,
    arc_factor,
    link_factor,
    E,
    log_sum,
    accepted,
):
    """Log-sums of lattices first..last-1 into ``log_sum``; ``accepted`` is False where log space is needed.

    Lattices that come in accepted are done already and stay as they are.

    Args:
        first: Index of the first lattice.
        last: One past the index of the last lattice.
        offsets: int64 [n_lattices + 1, 3], where tokens of r, tokens of s and arcs of each lattice begin.
        delete_states: int32 [reference tokens], state of the Delete at each position.
        insert_states: int32 [hypothesis tokens], state of the Insert at each position.
        arcs: int32 [n_arcs, 5], rows (i, p, j, q, state) sorted by (i, j) within a lattice.
        by_end: int32 [n_arcs], arcs of a lattice (counted from 0) in order of (i + p, j + q).
        arc_factor: float64 [n_arcs], exp of the arc weights.
        link_factor: float64 [n_arcs] or [0], exp of the link weights.
        E: float64 [S + 1, S], exp of the table; row S is Start.
        log_sum: float64 [n_lattices], written.
        accepted: bool [n_lattices], read and written.
    """
    widest, most_arcs = 0, 0
    for k in range(first, last):
        widest = max(widest, offsets[k + 1, 1] - offsets[k, 1])
        most_arcs = max(most_arcs, offsets[k + 1, 2] - offsets[k, 2])
    S = E.shape[1]
    block = 32
    T1, T2 = np.empty((S + 1, S)), np.empty((S + 1, S))
    II = np.empty(widest + 1)
    DI, ID = np.empty((S, widest + 1)), np.empty((S, widest + 1))
    I, D = np.empty((block, widest + 1)), np.empty((block + 1, widest + 1))
    scratch = np.empty((2, widest + 1))
    M, tilted = np.empty(most_arcs), np.empty(most_arcs)
    seen, arc_seen = np.empty(S, np.int64), np.empty(S)
    for k in range(first, last):
        if accepted[k]:
            continue
        dels = delete_states[offsets[k, 0] : offsets[k + 1, 0]]
        ins = insert_states[offsets[k, 1] : offsets[k + 1, 1]]
        arc = arcs[offsets[k, 2] : offsets[k + 1, 2]]
        end = by_end[offsets[k, 2] : offsets[k + 1, 2]]
        factor = arc_factor[offsets[k, 2] : offsets[k + 1, 2]]
        link = link_factor[offsets[k, 2] : offsets[k + 1, 2]] if link_factor.size else link_factor
        m, n = dels.size, ins.size
        accepted[k] = True
        if m + n == 0:
            log_sum[k] = 0.0
            continue
        rho, entry = _growth(E, dels, ins, arc, factor, link, seen, arc_seen)
        accepted[k] = 1.0 / LARGEST_RATE < rho < LARGEST_RATE and entry <= LARGEST_TILTED_ENTRY * rho * rho
        accepted[k] = accepted[k] and _tilt_arcs(rho, arc, factor, tilted)
        if not accepted[k]:
            continue
        _prepare(rho, E, ins, seen, T1, T2, II, DI, ID)
        D[0, : n + 1] = 0.0
        next_start, next_end = 0, 0
        row = 0
        while True:
            stop = min(row + block - 1, m)
            next_start, next_end = _forward_rows(
                row, stop, dels, ins, arc, end, tilted, link,
                T1, T2, II, DI, ID, I, D, scratch, M, next_start, next_end,
            )  # fmt: skip
            if stop == m:
                break
            D[0, : n + 1] = D[stop - row + 1, : n + 1]
            row = stop + 1
        total = _total(m, n, arc, end, M, I[m - row, n], D[m - row, n])
        accepted[k] = total >= SMALLEST_TOTAL
        if accepted[k]:
            log_sum[k] = math.log(total) + (m + n) * math.log(rho)


@njit(cache=True, fastmath={"contract"})
def _backward_rows(
    first, last, delete_states, insert_states, arcs, by_end, arc_factor, link_factor,
    T1, T2, II, DI, ID, I, D, rows, M, B, cDI, cID, c1, c2, link_mass, next_start, next_end,
):  # fmt: skip
    """Sweeps rows last..first backward, adding up the unscaled expected counts.

    ``rows`` holds: backward Insert and Delete masses of the row, Delete masses of the row below, two scratch
    rows, the counts of Insert>Insert and of the current Delete>Delete per column. ``B[a]`` becomes the
    backward mass of arc a. ``next_start`` / ``next_end`` are one past the last arcs of row ``last``.
    """
    m, n = delete_states.size, insert_states.size
    start = T1.shape[0] - 1
    for i in range(last, first - 1, -1):
        r = i - first
        for j in range(n + 1):
            rows[3, j] = 0.0
            rows[4, j] = 0.0
        if i == m:
            rows[3, n] = 1.0
            rows[4, n] = 1.0
        row_start = next_start
        while row_start > 0 and arcs[row_start - 1, 0] == i:
            row_start -= 1
            a = row_start
            j = arcs[a, 2]
            mass = arc_factor[a] * B[a]
            if j:
                state = insert_states[j - 1]
                rows[3, j] += T2[state, arcs[a, 4]] * mass
                c2[state, arcs[a, 4]] += I[r, j] * mass
            if i:
                state = delete_states[i - 1]
                rows[4, j] += T2[state, arcs[a, 4]] * mass
                c2[state, arcs[a, 4]] += D[r, j] * mass
            elif j == 0:
                c2[start, arcs[a, 4]] += mass
        if i < m:
            state = delete_states[i]
            for j in range(n + 1):
                rows[3, j] += ID[state, j] * rows[2, j]
                cID[state, j] += I[r, j] * rows[2, j]
        mass = rows[3, n]
        rows[0, n] = mass
        for j in range(n - 1, -1, -1):
            mass = mass * II[j] + rows[3, j]
            rows[0, j] = mass
        for j in range(n):
            rows[5, j] += I[r, j] * rows[0, j + 1]
        if i:
            state = delete_states[i - 1]
            DD = T1[state, delete_states[i]] if i < m else 0.0
            for j in range(n):
                cDI[state, j] += D[r, j] * rows[0, j + 1]
                rows[1, j] = DI[state, j] * rows[0, j + 1] + DD * rows[2, j] + rows[4, j]
            rows[1, n] = DD * rows[2, n] + rows[4, n]
            if i < m:
                for j in range(n + 1):
                    rows[6, j] += D[r, j] * rows[2, j]
                if i == 1 or delete_states[i - 2] != state or delete_states[i] != delete_states[i - 1]:
                    count = 0.0
                    for j in range(n + 1):
                        count += rows[6, j]
                        rows[6, j] = 0.0
                    c1[state, delete_states[i]] += count
        else:
            if n:
                c1[start, insert_states[0]] += rows[0, 1]
            if m:
                c1[start, delete_states[0]] += rows[2, 0]
        starting = next_start
        while next_end > 0:
            a = by_end[next_end - 1]
            if arcs[a, 0] + arcs[a, 1] != i:
                break
            j = arcs[a, 2] + arcs[a, 3]
            state = arcs[a, 4]
            mass = 1.0 if i == m and j == n else 0.0
            if j < n:
                mass += T1[state, insert_states[j]] * rows[0, j + 1]
                c1[state, insert_states[j]] += M[a] * rows[0, j + 1]
            if i < m:
                mass += T1[state, delete_states[i]] * rows[2, j]
                c1[state, delete_states[i]] += M[a] * rows[2, j]
            while starting > row_start and arcs[starting - 1, 2] > j:
                starting -= 1
            b = starting - 1
            while b >= row_start and arcs[b, 2] == j:
                follow = arc_factor[b] * B[b]
                linked = link_factor.size and arcs[a, 1] + arcs[a, 3] == 2 and arcs[b, 1] + arcs[b, 3] == 2
                if linked:
                    follow *= link_factor[b]
                c2[state, arcs[b, 4]] += M[a] * follow
                follow *= T2[state, arcs[b, 4]]
                if linked:
                    link_mass[b] += M[a] * follow
                mass += follow
                b -= 1
            B[a] = mass
            next_end -= 1
        next_start = row_start
        for j in range(n + 1):
            rows[2, j] = rows[1, j]
    return next_start, next_end


@njit(cache=True)
def _collect(insert_states, seen, T1, T2, II, DI, ID, cII, cDI, cID, c1, c2, total, counts):
    """Turns the accumulated masses into expected counts ``d log total / d W[prev, cur]``."""
    S = T1.shape[1]
    n = insert_states.size
    scale = 1.0 / total
    for prev in range(S + 1):
        for cur in range(S):
            # Entries of states this lattice does not use may be infinite once tilted; their counts are zero.
            count = c1[prev, cur] * T1[prev, cur] if c1[prev, cur] > 0.0 else 0.0
            if c2[prev, cur] > 0.0:
                count += c2[prev, cur] * T2[prev, cur]
            counts[prev, cur] = count * scale
    for j in range(1, n):
        counts[insert_states[j - 1], insert_states[j]] += cII[j] * II[j] * scale
    for state in range(S):
        if not seen[state] & 2:
            continue
        for j in range(n):
            counts[state, insert_states[j]] += cDI[state, j] * DI[state, j] * scale
            counts[insert_states[j], state] += cID[state, j + 1] * ID[state, j + 1] * scale
            cDI[state, j] = 0.0
            cID[state, j + 1] = 0.0


@njit(cache=True, nogil=True, error_model="numpy")
def forward_backward_batch(
    first, last, offsets, delete_states, insert_states, arcs, by_end, arc_factor, link_factor, E,
    log_sum, accepted, counts, arc_counts, link_counts,
):  # fmt: skip
    """As ``forward_batch``, with the derivatives of each log-sum.

    ``counts`` float64 [n_lattices, S + 1, S] receives d log_sum / d W, ``arc_counts`` [n_arcs] the derivatives
    in the arc weights (posterior probabilities of the arcs), ``link_counts`` ([n_arcs], or [0] without links)
    those in the link weights.
    """
    widest, tallest, most_cells, most_arcs = 0, 0, 0, 0
    for k in range(first, last):
        m, n = offsets[k + 1, 0] - offsets[k, 0], offsets[k + 1, 1] - offsets[k, 1]
        widest, tallest = max(widest, n), max(tallest, m)
        most_cells = max(most_cells, (m + 1) * (n + 1))
        most_arcs = max(most_arcs, offsets[k + 1, 2] - offsets[k, 2])
    S = E.shape[1]
    T1, T2 = np.empty((S + 1, S)), np.empty((S + 1, S))
    c1, c2 = np.empty((S + 1, S)), np.empty((S + 1, S))
    II = np.empty(widest + 1)
    DI, ID = np.empty((S, widest + 1)), np.empty((S, widest + 1))
    cDI, cID = np.zeros((S, widest + 1)), np.zeros((S, widest + 1))
    rows = np.empty((7, widest + 1))
    M, B, tilted = np.empty(most_arcs), np.empty(most_arcs), np.empty(most_arcs)
    no_links = np.empty(0)
    seen, arc_seen = np.empty(S, np.int64), np.empty(S)
    planes = np.empty(0)
    for k in range(first, last):
        if accepted[k]:
            continue
        dels = delete_states[offsets[k, 0] : offsets[k + 1, 0]]
        ins = insert_states[offsets[k, 1] : offsets[k + 1, 1]]
        arc = arcs[offsets[k, 2] : offsets[k + 1, 2]]
        end = by_end[offsets[k, 2] : offsets[k + 1, 2]]
        factor = arc_factor[offsets[k, 2] : offsets[k + 1, 2]]
        link = link_factor[offsets[k, 2] : offsets[k + 1, 2]] if link_factor.size else link_factor
        link_mass = link_counts[offsets[k, 2] : offsets[k + 1, 2]] if link_factor.size else no_links
        m, n = dels.size, ins.size
        accepted[k] = True
        counts[k] = 0.0
        link_mass[:] = 0.0
        if m + n == 0:
            log_sum[k] = 0.0
            continue
        rho, entry = _growth(E, dels, ins, arc, factor, link, seen, arc_seen)
        accepted[k] = 1.0 / LARGEST_RATE < rho < LARGEST_RATE and entry <= LARGEST_TILTED_ENTRY * rho * rho
        accepted[k] = accepted[k] and _tilt_arcs(rho, arc, factor, tilted)
        if not accepted[k]:
            continue
        _prepare(rho, E, ins, seen, T1, T2, II, DI, ID)
        block = m + 1
        if (m + 1) * (n + 1) > STORED_CELLS:
            block = math.ceil(math.sqrt(m + 1.0))
        n_blocks = (m + block) // block
        width = n + 1
        size = (2 * block + 1 + n_blocks) * width
        if planes.size < size:
            planes = np.empty(size)
        I = planes[: block * width].reshape(block, width)
        D = planes[block * width : (2 * block + 1) * width].reshape(block + 1, width)
        kept = planes[(2 * block + 1) * width : size].reshape(n_blocks, width)
        kept[0] = 0.0
        next_start, next_end = 0, 0
        for b in range(n_blocks):
            D[0] = kept[b]
            row, stop = b * block, min((b + 1) * block - 1, m)
            next_start, next_end = _forward_rows(
                row, stop, dels, ins, arc, end, tilted, link,
                T1, T2, II, DI, ID, I, D, rows, M, next_start, next_end,
            )  # fmt: skip
            if b + 1 < n_blocks:
                kept[b + 1] = D[stop - row + 1]
        row = (n_blocks - 1) * block
        total = _total(m, n, arc, end, M, I[m - row, n], D[m - row, n])
        accepted[k] = total >= SMALLEST_TOTAL
        if not accepted[k]:
            continue
        log_sum[k] = math.log(total) + (m + n) * math.log(rho)
        rows[:, :width] = 0.0
        c1[:] = 0.0
        c2[:] = 0.0
        next_start, next_end = arc.shape[0], arc.shape[0]
        for b in range(n_blocks - 1, -1, -1):
            row, stop = b * block, min((b + 1) * block - 1, m)
            if b + 1 < n_blocks:
                # Not the last block any more: bring its rows back from the row that was kept.
                D[0] = kept[b]
                s, e = next_start, next_end
                while s > 0 and arc[s - 1, 0] >= row:
                    s -= 1
                while e > 0 and arc[end[e - 1], 0] + arc[end[e - 1], 1] >= row:
                    e -= 1
                _forward_rows(
                    row, stop, dels, ins, arc, end, tilted, link, T1, T2, II, DI, ID, I, D, rows[3:5], M, s, e
                )
            next_start, next_end = _backward_rows(
                row, stop, dels, ins, arc, end, tilted, link,
                T1, T2, II, DI, ID, I, D, rows, M, B, cDI, cID, c1, c2, link_mass, next_start, next_end,
            )  # fmt: skip
        _collect(ins, seen, T1, T2, II, DI, ID, rows[5], cDI, cID, c1, c2, total, counts[k])
        first_arc = offsets[k, 2]
        for a in range(arc.shape[0]):
            arc_counts[first_arc + a] = M[a] * B[a] / total
        for a in range(link_mass.size):
            link_mass[a] /= total
