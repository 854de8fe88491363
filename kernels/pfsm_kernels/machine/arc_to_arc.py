"""The finite-state machine in linear space, from arc to arc: for sparse arcs, one Insert and one Delete state.

The sums are those of ``cell_to_cell``. Between two substitutions there is nothing but Inserts and Deletes, and with one
state each their sum depends on no more than how many there are of either. It is tabled once for all pairs:

    G[x, y](d, k)   sum over sequences of d Deletes and k Inserts, first edit x, last edit y, entry left out
    G[x, I](d, k) = sum_l G[x, l](d, k-1) T[l, I],   G[x, D](d, k) = sum_l G[x, l](d-1, k) T[l, D]
    N[x, y](d, k)   the same sum, each sequence times the number of its uses of one transition

    L_b[y] = sum_a M[a] sum_x T[a, x] G[x, y](between a and b)       of all a that end where b begins, or before
    M[b]   = f_b (sum_y L_b[y] T[y, b] + sum_a M[a] T[a, b] link)    the second sum over a that end where b begins
    R_a[x] = sum_b sum_y G[x, y](between a and b) T[y, b] f_b B[b]
    B[a]   = sum_x T[a, x] R_a[x] + sum_b T[a, b] link f_b B[b]

with the start as one more a, at (0, 0), and the end as one more b, at (m, n). Expected counts are sums of M T R and of
L T f B; those of transitions between Insert and Delete put N in the place of G.

**Tilt.** As in ``cell_to_cell``, every edit is divided by ``rate`` per consumed token, but by one rate in all pairs:
the largest row sum of the table over Insert and Delete, so that G stays below one. Masses then stay below
``exp(growth)``, what the arcs of a pair can add; pairs in which that is large, or the total small, are left to
``cell_to_cell``. Which pairs these are depends on the weights and the pair alone.

**Cost.** O(arcs^2) time for a pair, O(arcs) memory; 20 numbers for each possible distance.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pfsm_kernels.cache import njit
from pfsm_kernels.lattice.batch import Cells, Factors, Outputs
from pfsm_kernels.machine.tilt import (
    LARGEST_GROWTH,
    LARGEST_RATE,
    LARGEST_TILTED_ENTRY,
    SMALLEST_SPARSE_TOTAL,
    column_maxima,
    match_rate,
    solve,
    tilt_arcs,
)


class Runs(NamedTuple):
    """Sums over runs of Inserts and Deletes, by their numbers: see the head of the module.

    Attributes:
        insert: The state of all Inserts.
        delete: The state of all Deletes.
        rate: What each edit is divided by per consumed token; 0 where the table of weights allows no rate.
        width: Distances on the hypothesis side are below it.
        sums: float64 [distances, 4], G at d * width + k: I to I, I to D, D to I, D to D.
        counts: float64 [distances, 16], G again, N of Insert > Insert, N of Delete > Delete, and N of whole
            alternations: of Delete > Insert where x is I, of Insert > Delete where it is D. [0, 16] without
            derivatives.
    """

    insert: int
    delete: int
    rate: float
    width: int
    sums: NDArray[np.float64]
    counts: NDArray[np.float64]


class Batch(NamedTuple):
    """What all lattices share.

    Attributes:
        arcs: int32, arcs of the batch.
        by_end: int32, likewise.
        factor: float64, tilted factors of the arcs of the lattice at hand.
        link: float64, those of the batch, or [0].
        insert: The state of Insert.
        delete: The state of Delete.
        T1: float64 [S + 1, S], the table over the rate.
        T2: float64 [S + 1, S], over its square.
        width: As in ``Runs``.
    """

    arcs: NDArray[np.int32]
    by_end: NDArray[np.int32]
    factor: NDArray[np.float64]
    link: NDArray[np.float64]
    insert: int
    delete: int
    T1: NDArray[np.float64]
    T2: NDArray[np.float64]
    width: int


class Ends(NamedTuple):
    """Ends of arcs in order, the start first: (row, column, row * width + column); M and what leaves them likewise.

    ``place`` is each arc's place in that order; ``L`` [n_arcs, 2] what arrives where arcs begin.
    """

    place: NDArray[np.int64]
    row: NDArray[np.int64]
    column: NDArray[np.int64]
    key: NDArray[np.int64]
    M: NDArray[np.float64]
    leaving_insert: NDArray[np.float64]
    leaving_delete: NDArray[np.float64]
    L: NDArray[np.float64]


class Begins(NamedTuple):
    """Beginnings of arcs in order, the end of the pair last: column, key, what goes into them; F is factor x B."""

    column: NDArray[np.int64]
    key: NDArray[np.int64]
    into_insert: NDArray[np.float64]
    into_delete: NDArray[np.float64]
    F: NDArray[np.float64]


@njit(nogil=True)
def runs_rate(E, insert, delete):
    """The rate of ``Runs``: largest row sum over Insert and Delete; 0 where it is no good."""
    rate = 0.0
    for prev in range(E.shape[0]):
        rate = max(rate, E[prev, insert] + E[prev, delete])
    return rate if 1.0 / LARGEST_RATE < rate < LARGEST_RATE else 0.0


@njit(nogil=True, fastmath={"contract"})
def fill_runs(E, insert, delete, rate, width, sums, counts):
    """Fills the tables of ``Runs``; ``counts`` may have no rows."""
    II, ID = E[insert, insert] / rate, E[insert, delete] / rate
    DI, DD = E[delete, insert] / rate, E[delete, delete] / rate
    for at in range(sums.shape[0]):
        row, column = at // width, at % width
        for first in range(2):
            after_insert, after_delete = 0.0, 0.0
            left, above = at - 1, at - width
            if column:
                after_insert = sums[left, 2 * first] * II + sums[left, 2 * first + 1] * DI
            if row:
                after_delete = sums[above, 2 * first] * ID + sums[above, 2 * first + 1] * DD
            if first == 0 and row == 0 and column == 1:
                after_insert = 1.0
            if first == 1 and row == 1 and column == 0:
                after_delete = 1.0
            sums[at, 2 * first] = after_insert
            sums[at, 2 * first + 1] = after_delete
    for at in range(counts.shape[0]):
        row, column = at // width, at % width
        left, above = at - 1, at - width
        for x in range(4):
            counts[at, x] = sums[at, x]
        for kind in range(3):
            for first in range(2):
                i = 4 + 4 * kind + 2 * first
                counts[at, i] = 0.0
                counts[at, i + 1] = 0.0
                if column:
                    stay, turn = counts[left, i] * II, counts[left, i + 1] * DI
                    if kind == 0:
                        stay += sums[left, 2 * first] * II
                    if kind == 2 and first == 0:
                        turn += sums[left, 1] * DI
                    counts[at, i] = stay + turn
                if row:
                    turn, stay = counts[above, i] * ID, counts[above, i + 1] * DD
                    if kind == 1:
                        stay += sums[above, 2 * first + 1] * DD
                    if kind == 2 and first == 1:
                        turn += sums[above, 2] * ID
                    counts[at, i + 1] = stay + turn


@njit(borrows=True)
def _growth(tokens, rate, reach, first, last, arcs, arc_factor, link_factor, tilted):
    """Tilts the arc factors; returns the log of a bound of all masses, or infinity where they are out of range."""
    fine = tilt_arcs(rate, first, last, arcs, arc_factor, tilted)
    B, longest, entry = match_rate(reach, first, last, arcs, arc_factor, link_factor)
    rho = solve(rate, B)
    if longest > 2:
        # Longer blocks weigh more where rho < 1.
        rho = max(rho, 1.0)
    if not (rho < LARGEST_RATE) or not fine or entry > LARGEST_TILTED_ENTRY * rate * rate:
        return np.inf
    return tokens * math.log(rho / rate)


@njit(borrows=True, fastmath={"contract"})
def _lay_out(base, A, arcs, by_end, width, place, end_row, end_column, end_key):
    """Ends of arcs in their order behind the start, which is the first; ``place`` of each arc in that order."""
    end_row[0] = 0
    end_column[0] = 0
    end_key[0] = 0
    for e in range(A):
        a = base + by_end[base + e]
        place[by_end[base + e]] = e + 1
        end_row[e + 1] = arcs[a, 0] + arcs[a, 1]
        end_column[e + 1] = arcs[a, 2] + arcs[a, 3]
        end_key[e + 1] = end_row[e + 1] * width + end_column[e + 1]


@njit(borrows=True)
def _single(arcs, a):
    return arcs[a, 1] + arcs[a, 3] == 2


@njit(borrows=True, inline="always")
def _arriving(row, column, last, width, end_column, end_key, leaving_insert, leaving_delete, sums):
    """L[I] and L[D] at a cell, from the first ``last`` ends of arcs."""
    II, ID, DI, DD = 0.0, 0.0, 0.0, 0.0
    key = row * width + column
    for e in range(last):
        # The entry at distance 0 is zero.
        at = np.uintp(key - end_key[e] if end_column[e] <= column else 0)
        u, v = leaving_insert[e], leaving_delete[e]
        II += u * sums[at, 0]
        ID += u * sums[at, 1]
        DI += v * sums[at, 2]
        DD += v * sums[at, 3]
    return II + DI, ID + DD


@njit(borrows=True, fastmath={"contract"})
def _forward(m, n, base, A, batch, sums, ends):
    """Fills M, in order of ends, and L, in order of starts; returns the total. Arcs begin at ``base``, A of them."""
    arcs, by_end, factor, link, insert, delete, T1, T2, width = batch
    place, end_row, end_column, end_key, M, leaving_insert, leaving_delete, L = ends
    start = T1.shape[0] - 1
    M[0] = 1.0
    leaving_insert[0] = T1[start, insert]
    leaving_delete[0] = T1[start, delete]
    last = 1
    for b in range(A):
        row, column, state = arcs[base + b, 0], arcs[base + b, 2], arcs[base + b, 4]
        while last <= A and end_row[last] <= row:
            last += 1
        after_insert, after_delete = _arriving(
            row, column, last, width, end_column, end_key, leaving_insert, leaving_delete, sums
        )
        L[b, 0] = after_insert
        L[b, 1] = after_delete
        mass = after_insert * T2[insert, state] + after_delete * T2[delete, state]
        e = last - 1
        while e >= 0 and end_row[e] == row:
            if end_column[e] == column:
                a = base + by_end[base + e - 1] if e else -1
                weight = T2[arcs[a, 4] if e else start, state]
                if e and link.size and _single(arcs, a) and _single(arcs, base + b):
                    weight *= link[base + b]
                mass += M[e] * weight
            e -= 1
        mass *= factor[b]
        to = place[b]
        M[to] = mass
        leaving_insert[to] = mass * T1[state, insert]
        leaving_delete[to] = mass * T1[state, delete]
    after_insert, after_delete = _arriving(
        m, n, A + 1, width, end_column, end_key, leaving_insert, leaving_delete, sums
    )
    total = after_insert + after_delete
    for e in range(A, -1, -1):
        if end_row[e] != m:
            break
        if end_column[e] == n:
            total += M[e]
    return total


@njit(borrows=True, inline="always")
def _leaving(row, column, first, last, width, begin_column, begin_key, into_insert, into_delete, tables):
    """R[I] and R[D] of a cell, from the beginnings of arcs ``first`` onwards and the end; then what they are made of.

    Returns R by the first and the last edit, and the sums with N in the place of G by the first edit.
    """
    II, ID, DI, DD, I0, D0, I1, D1, I2, D2 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    key = row * width + column
    for b in range(first, last):
        at = np.uintp(begin_key[b] - key if begin_column[b] >= column else 0)
        u, v = into_insert[b], into_delete[b]
        II += u * tables[at, 0]
        ID += v * tables[at, 1]
        DI += u * tables[at, 2]
        DD += v * tables[at, 3]
        I0 += u * tables[at, 4] + v * tables[at, 5]
        D0 += u * tables[at, 6] + v * tables[at, 7]
        I1 += u * tables[at, 8] + v * tables[at, 9]
        D1 += u * tables[at, 10] + v * tables[at, 11]
        I2 += u * tables[at, 12] + v * tables[at, 13]
        D2 += u * tables[at, 14] + v * tables[at, 15]
    return II, ID, DI, DD, I0, D0, I1, D1, I2, D2


@njit(borrows=True, fastmath={"contract"})
def _backward(m, n, base, A, batch, tables, ends, begins, k, outputs):
    """Expected counts of lattice k times the total: added to those of the table and of links, written for arcs."""
    arcs, by_end, factor, link, insert, delete, T1, T2, width = batch
    _, end_row, end_column, _, M, leaving_insert, leaving_delete, L = ends
    begin_column, begin_key, into_insert, into_delete, F = begins
    _, _, counts, arc_mass, link_mass = outputs
    start = T1.shape[0] - 1
    for b in range(A):
        begin_column[b] = arcs[base + b, 2]
        begin_key[b] = arcs[base + b, 0] * width + arcs[base + b, 2]
    begin_column[A] = n
    begin_key[A] = m * width + n
    into_insert[A] = 1.0
    into_delete[A] = 1.0
    stay_insert, stay_delete, alternate, to_insert, to_delete = 0.0, 0.0, 0.0, 0.0, 0.0
    first = A
    for e in range(A, -1, -1):
        row, column = end_row[e], end_column[e]
        a = by_end[base + e - 1] if e else 0
        state = arcs[base + a, 4] if e else start
        while first > 0 and arcs[base + first - 1, 0] >= row:
            first -= 1
        II, ID, DI, DD, I0, D0, I1, D1, I2, D2 = _leaving(
            row, column, first, A + 1, width, begin_column, begin_key, into_insert, into_delete, tables
        )
        u, v = leaving_insert[e], leaving_delete[e]
        to_delete += u * ID
        to_insert += v * DI
        stay_insert += u * I0 + v * D0
        stay_delete += u * I1 + v * D1
        alternate += u * I2 + v * D2
        after_insert, after_delete = II + ID, DI + DD
        counts[k, state, insert] += u * after_insert
        counts[k, state, delete] += v * after_delete
        mass = 1.0 if row == m and column == n else 0.0
        b = first
        while b < A and arcs[base + b, 0] == row:
            if arcs[base + b, 2] == column:
                after = arcs[base + b, 4]
                follow = T2[state, after] * F[b]
                if e and link.size and _single(arcs, base + a) and _single(arcs, base + b):
                    follow *= link[base + b]
                    link_mass[base + b] += M[e] * follow
                counts[k, state, after] += M[e] * follow
                mass += follow
            b += 1
        if e == 0:
            break
        mass += T1[state, insert] * after_insert + T1[state, delete] * after_delete
        arc_mass[base + a] = M[e] * mass
        mass *= factor[a]
        F[a] = mass
        into_insert[a] = mass * T2[insert, state]
        into_delete[a] = mass * T2[delete, state]
        counts[k, insert, state] += L[a, 0] * into_insert[a]
        counts[k, delete, state] += L[a, 1] * into_delete[a]
    counts[k, insert, insert] += stay_insert
    counts[k, delete, delete] += stay_delete
    counts[k, insert, delete] += alternate + to_delete
    counts[k, delete, insert] += alternate + to_insert


@njit(nogil=True, error_model="numpy")
def sparse_machine_batch(first, last, wanted, cells, factors, runs, outputs):
    """Those of lattices first..last-1 that are ``wanted``: as ``machine_batch``.

    ``wanted`` is bool [n_lattices]: lattices with the two states of ``runs`` alone, no longer than its tables. Lattices
    that come out not accepted are to be done by ``cell_to_cell``.
    """
    cells, factors, runs, outputs = Cells(*cells), Factors(*factors), Runs(*runs), Outputs(*outputs)
    offsets, arcs, by_end, accepted = cells.offsets, cells.arcs, cells.by_end, outputs.accepted
    arc_factor, link_factor, E = factors.arcs, factors.links, factors.table
    insert, delete, rate, width, sums, tables = runs
    log_sum, _, counts, arc_counts, link_counts = outputs
    S = E.shape[1]
    most = 0
    for k in range(first, last):
        if wanted[k]:
            most = max(most, offsets[k + 1, 2] - offsets[k, 2])
    T1, T2, reach = E / rate, E / (rate * rate), column_maxima(E)
    whole, tilted = np.empty((6, most + 1), np.int64), np.empty(most + 1)
    masses = np.empty((6, most + 1))
    place, end_row, end_column, end_key = whole[0], whole[1], whole[2], whole[3]
    ends = Ends(place, end_row, end_column, end_key, masses[0], masses[1], masses[2], np.empty((most + 1, 2)))
    batch = Batch(arcs, by_end, tilted, link_factor, insert, delete, T1, T2, width)
    begins = Begins(whole[4], whole[5], masses[3], masses[4], masses[5])
    for k in range(first, last):
        if not wanted[k]:
            continue
        m, n = offsets[k + 1, 0] - offsets[k, 0], offsets[k + 1, 1] - offsets[k, 1]
        base, A = offsets[k, 2], offsets[k + 1, 2] - offsets[k, 2]
        growth = _growth(m + n, rate, reach, base, base + A, arcs, arc_factor, link_factor, tilted)
        accepted[k] = growth <= LARGEST_GROWTH
        if not accepted[k]:
            continue
        _lay_out(base, A, arcs, by_end, width, place, end_row, end_column, end_key)
        total = _forward(m, n, base, A, batch, sums, ends)
        accepted[k] = total >= SMALLEST_SPARSE_TOTAL
        if not accepted[k]:
            continue
        log_sum[k] = math.log(total) + (m + n) * math.log(rate)
        if not counts.shape[0]:
            continue
        counts[k] = 0.0
        if link_factor.size:
            link_counts[base : base + A] = 0.0
        _backward(m, n, base, A, batch, tables, ends, begins, k, outputs)
        scale = 1.0 / total
        for prev in range(S + 1):
            for cur in range(S):
                counts[k, prev, cur] *= scale
        for a in range(base, base + A):
            arc_counts[a] *= scale
            if link_factor.size:
                link_counts[a] *= scale
