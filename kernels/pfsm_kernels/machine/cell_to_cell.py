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

**Tilt.** Every edit is divided by ``rho`` per consumed token (``tilt``). A total of at least ``SMALLEST_TOTAL`` is then
exact to rounding; below it the lattice is reported as not accepted and the caller goes to log space (``log_space``).

**Cost.** O(m n + arcs) time. The forward pass is cut into blocks of rows; forward-backward keeps one row per
block and recomputes a block when the backward sweep reaches it, so memory is 24 (n + 1) sqrt(m + 1) bytes
instead of 16 (m + 1) (n + 1) above ``STORED_CELLS`` cells (0.5 MB).
"""

import math
from typing import NamedTuple

import numpy as np

from pfsm_kernels.cache import copy, njit
from pfsm_kernels.lattice.batch import Cells, Factors, Float, Int32, Outputs
from pfsm_kernels.machine.tilt import (
    DELETED,
    accept,
    column_maxima,
    edit_rate,
    find_states,
    growth_rate,
    likely_underflow,
    match_rate,
    tilt_arcs,
)

STORED_CELLS = 32768
# Rows at a time where no derivatives are wanted.
ROWS = 32


class Lattice(NamedTuple):
    """One lattice with the tilted factors of its arcs."""

    deletes: Int32
    inserts: Int32
    arcs: Int32
    by_end: Int32
    factor: Float
    link: Float


class Steps(NamedTuple):
    """Tilted transitions: ``T1 = E / rho``, ``T2 = E / rho^2``, and those of Insert and Delete position by position.

    Attributes:
        T1: float64 [S + 1, S], into Insert and Delete.
        T2: float64 [S + 1, S], into substitutions.
        II: float64 [n + 1], Insert j - 1 > Insert j.
        DI: float64 [S, n + 1], state > Insert j.
        ID: float64 [S, n + 1], Insert j - 1 > state.
    """

    T1: Float
    T2: Float
    II: Float
    DI: Float
    ID: Float


class Counts(NamedTuple):
    """Expected counts while they are added up: c1 and c2 by state, the others position by position (see ``Steps``)."""

    c1: Float
    c2: Float
    cDI: Float  # noqa: N815 - the names of sums
    cID: Float  # noqa: N815
    links: Float


@njit(inner=True, borrows=True)
def _prepare(rho, E, insert_states, seen, present, steps):
    """Tilts the table and lays out the transitions of Insert and Delete position by position.

    Only states that the lattice has are written and read (``tilt.find_states``): most have few of those that there are.
    """
    T1, T2, II, DI, ID = steps
    n = insert_states.size
    one, two = 1.0 / rho, 1.0 / (rho * rho)
    for prev in present:
        for cur in present[:-1]:
            T1[prev, cur] = E[prev, cur] * one
            T2[prev, cur] = E[prev, cur] * two
    II[0] = 0.0
    for j in range(1, n):
        II[j] = T1[insert_states[j - 1], insert_states[j]]
    for state in present[:-1]:
        if not seen[state] & DELETED:
            continue
        for j in range(n):
            DI[state, j] = T1[state, insert_states[j]]
        DI[state, n] = 0.0
        ID[state, 0] = 0.0
        for j in range(n):
            ID[state, j + 1] = T1[insert_states[j], state]


@njit(inner=True, borrows=True, fastmath={"contract"})
def _forward_rows(rows, lattice, steps, I, D, scratch, M, next_start, next_end):
    """Fills rows first..last of I and D (row ``first`` at index 0, ``D[0]`` given) and the masses of their arcs.

    ``next_start`` and ``next_end`` are the first arcs, in order of start and of end, not before row ``first``;
    the updated two are returned.
    """
    (first, last), (delete_states, insert_states, arcs, by_end, arc_factor, link_factor) = rows, lattice
    T1, T2, II, DI, ID = steps
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


@njit(inner=True, borrows=True)
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


@njit(inner=True, borrows=True, fastmath={"contract"})
def _backward_rows(block, lattice, steps, I, D, rows, M, B, counts, next_start, next_end):
    """Sweeps rows last..first of a ``block`` backward, adding up the unscaled expected counts.

    ``rows`` holds: backward Insert and Delete masses of the row, Delete masses of the row below, two scratch
    rows, the counts of Insert>Insert and of the current Delete>Delete per column. ``B[a]`` becomes the
    backward mass of arc a. ``next_start`` / ``next_end`` are one past the last arcs of row ``last``.
    """
    (first, last), (delete_states, insert_states, arcs, by_end, arc_factor, link_factor) = block, lattice
    T1, T2, II, DI, ID = steps
    c1, c2, cDI, cID, link_mass = counts
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


@njit(inner=True, borrows=True)
def _collect(insert_states, seen, present, steps, cII, added, total, counts):
    """Turns the accumulated masses into expected counts ``d log total / d W[prev, cur]``."""
    T1, T2, II, DI, ID = steps
    c1, c2, cDI, cID, _ = added
    n = insert_states.size
    scale = 1.0 / total
    counts[:] = 0.0
    for prev in present:
        for cur in present[:-1]:
            # Entries of transitions this lattice does not use may be infinite once tilted; their counts are zero.
            count = c1[prev, cur] * T1[prev, cur] if c1[prev, cur] > 0.0 else 0.0
            if c2[prev, cur] > 0.0:
                count += c2[prev, cur] * T2[prev, cur]
            counts[prev, cur] = count * scale
    for j in range(1, n):
        counts[insert_states[j - 1], insert_states[j]] += cII[j] * II[j] * scale
    for state in present[:-1]:
        if not seen[state] & DELETED:
            continue
        for j in range(n):
            counts[state, insert_states[j]] += cDI[state, j] * DI[state, j] * scale
            counts[insert_states[j], state] += cID[state, j + 1] * ID[state, j + 1] * scale
            cDI[state, j] = 0.0
            cID[state, j + 1] = 0.0


@njit(inner=True, borrows=True)
def _rate(E, reach, lattice, seen, present, tilted):
    """The tilt of a lattice, 0 where log space is needed; ``tilted`` becomes its arc factors over it."""
    A = lattice.factor.size
    B, longest, entry = match_rate(reach, np.int64(0), A, lattice.arcs, lattice.factor, lattice.link)
    rho = growth_rate(edit_rate(E, seen, present), B, longest, entry)
    fine = rho > 0.0 and tilt_arcs(rho, np.int64(0), A, lattice.arcs, lattice.factor, tilted)
    return rho if fine else 0.0


@njit(inner=True)
def _block_height(m, n, derivatives):
    """How many rows are filled at a time."""
    if not derivatives:
        return min(ROWS, m + 1)
    return m + 1 if (m + 1) * (n + 1) <= STORED_CELLS else math.ceil(math.sqrt(m + 1.0))


@njit(inner=True, borrows=True)
def _arcs_before(lattice, row, next_start, next_end):
    """The first arcs, in order of start and of end, not before a row."""
    arcs, by_end = lattice.arcs, lattice.by_end
    while next_start > 0 and arcs[next_start - 1, 0] >= row:
        next_start -= 1
    while next_end > 0 and arcs[by_end[next_end - 1], 0] + arcs[by_end[next_end - 1], 1] >= row:
        next_end -= 1
    return next_start, next_end


@njit(inner=True, borrows=True)
def _clear(present, c1, c2):
    """Zero between the states that a lattice has."""
    for prev in present:
        for cur in present[:-1]:
            c1[prev, cur] = 0.0
            c2[prev, cur] = 0.0


@njit(nogil=True, error_model="numpy")
def machine_batch(first, last, cells, factors, outputs, derivatives):
    """Log-sums of lattices first..last-1; with the derivatives of each unless ``derivatives`` is None, else True.

    None, not False: Numba then compiles the forward pass alone, in half the time.

    ``cells``, ``factors`` and ``outputs`` are those of ``batch``, as plain tuples. Lattices that come in accepted stay
    as they are; where ``accepted`` is False afterwards, a rate of its own or log space is needed.
    """
    cells, factors, outputs = Cells(*cells), Factors(*factors), Outputs(*outputs)
    offsets, E, accepted = cells.offsets, factors.table, outputs.accepted
    widest, most_arcs = 0, 0
    for k in range(first, last):
        widest = max(widest, offsets[k + 1, 1] - offsets[k, 1])
        most_arcs = max(most_arcs, offsets[k + 1, 2] - offsets[k, 2])
    S, n_links = E.shape[1], factors.links.size
    steps = Steps(
        np.empty((S + 1, S)), np.empty((S + 1, S)), np.empty(widest + 1), np.empty((S, widest + 1)),
        np.empty((S, widest + 1)),
    )  # fmt: skip
    c1, c2 = np.empty((S + 1, S)), np.empty((S + 1, S))
    cDI, cID = np.zeros((S, widest + 1)), np.zeros((S, widest + 1))
    rows = np.empty((7, widest + 1))
    M, B, tilted = np.empty(most_arcs), np.empty(most_arcs), np.empty(most_arcs)
    seen, listed, reach, log_E = np.empty(S, np.int64), np.empty(S + 1, np.int64), column_maxima(E), np.log(E)
    planes = np.empty(0)
    for k in range(first, last):
        if accepted[k]:
            continue
        a0, a1 = offsets[k, 2], offsets[k + 1, 2]
        deletes = cells.deletes[offsets[k, 0] : offsets[k + 1, 0]]
        inserts = cells.inserts[offsets[k, 1] : offsets[k + 1, 1]]
        arcs, by_end = cells.arcs[a0:a1], cells.by_end[a0:a1]
        link = factors.links[a0:a1] if n_links else factors.links
        given = Lattice(deletes, inserts, arcs, by_end, factors.arcs[a0:a1], link)
        m, n = deletes.size, inserts.size
        accepted[k] = True
        if m + n == 0:
            outputs.log_sum[k] = 0.0
            if derivatives is not None:
                outputs.table[k] = 0.0
            continue
        present = listed[: find_states(deletes, inserts, arcs, np.int64(-1), seen, listed)]
        rho = _rate(E, reach, given, seen, present, tilted)
        accepted[k] = rho > 0.0 and not likely_underflow(rho, log_E, deletes, inserts)
        if not accepted[k]:
            continue
        lattice = Lattice(deletes, inserts, arcs, by_end, tilted[: a1 - a0], link)
        _prepare(rho, E, inserts, seen, present, steps)
        height, width = _block_height(m, n, derivatives is not None), n + 1
        n_blocks = (m + height) // height
        n_kept = n_blocks if derivatives is not None else 1
        size = (2 * height + 1 + n_kept) * width
        if planes.size < size:
            planes = np.empty(size)
        I = planes[: height * width].reshape(height, width)
        D = planes[height * width : (2 * height + 1) * width].reshape(height + 1, width)
        kept = planes[(2 * height + 1) * width : size].reshape(n_kept, width)
        kept[0] = 0.0
        # Not plain zeros: as constants they have a type of their own, for which Numba compiles all of it again.
        next_start, next_end = np.int64(0), np.int64(0)
        for b in range(n_blocks):
            copy(kept[b % n_kept], D[0])
            row, stop = b * height, min((b + 1) * height - 1, m)
            next_start, next_end = _forward_rows(
                (row, stop), lattice, steps, I, D, rows[:2], M, next_start, next_end
            )
            if b + 1 < n_blocks:
                copy(D[stop - row + 1], kept[(b + 1) % n_kept])
        row = (n_blocks - 1) * height
        total = _total(m, n, arcs, by_end, M, I[m - row, n], D[m - row, n])
        if not accept(k, total, rho, m + n, accepted, outputs.log_sum) or derivatives is None:
            continue
        rows[:, :width] = 0.0
        _clear(present, c1, c2)
        counts = Counts(c1, c2, cDI, cID, outputs.links[a0:a1] if n_links else outputs.links)
        counts.links[:] = 0.0
        next_start, next_end = arcs.shape[0], arcs.shape[0]
        for b in range(n_blocks - 1, -1, -1):
            row, stop = b * height, min((b + 1) * height - 1, m)
            if b + 1 < n_blocks:
                # Not the last block any more: bring its rows back from the row that was kept.
                copy(kept[b], D[0])
                s, e = _arcs_before(lattice, row, next_start, next_end)
                _forward_rows((row, stop), lattice, steps, I, D, rows[3:5], M, s, e)
            next_start, next_end = _backward_rows(
                (row, stop), lattice, steps, I, D, rows, M, B, counts, next_start, next_end
            )
        _collect(inserts, seen, present, steps, rows[5], counts, total, outputs.table[k])
        for a in range(a1 - a0):
            outputs.arcs[a0 + a] = M[a] * B[a] / total
        for a in range(counts.links.size):
            counts.links[a] /= total
