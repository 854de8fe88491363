"""The finite-state machine in linear space, by diagonals: for any arcs, but one Insert and one Delete state.

The sums are those of ``cell_to_cell``, and so is the tilt. With one state each, a transition weighs the same in every
cell. A cell at row i and column j depends only on cells whose i + j is smaller. So the cells of one diagonal, of one
d = i + j, need not wait for each other, and the processor does several in one instruction. By diagonal and row:

    I[d+1, i]   = I[d, i] T[I, I] + D[d, i] T[D, I] + sum_{a ends at (i, d-i)} M[a] T[state a, I]
    D[d+1, i+1] = I[d, i] T[I, D] + D[d, i] T[D, D] + sum_{a ends at (i, d-i)} M[a] T[state a, D]

The backward masses are U of a cell whose last edit is an Insert and V of one whose last edit is a Delete:

    U[d, i] = T[I, I] U[d+1, i] + T[I, D] V[d+1, i+1] + sum_{b begins at (i, d-i)} T[I, state b] f_b B[b]
    V[d, i] = T[D, I] U[d+1, i] + T[D, D] V[d+1, i+1] + sum_{b begins at (i, d-i)} T[D, state b] f_b B[b]

Diagonals are done in whole ``LANES``, and so are some cells beside the lattice. They change nothing: forward, masses
leave the lattice and never come back; backward, cells from which they would come stay zero; and above the first column,
where backward masses leave it, the forward ones are zero.

**Cost.** O(m n + arcs) time, 16 ``ROWS`` (m + n + 1) bytes.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pfsm_kernels.cache import njit
from pfsm_kernels.lattice.batch import Cells, Factors, Float, Int32, Outputs
from pfsm_kernels.machine.tilt import (
    accept,
    column_maxima,
    growth_rate,
    least_uniform_log_sum,
    match_rate,
    tilt_arcs,
    will_underflow,
)

# Cells at once: those of an instruction of AVX2.
LANES = 4
# Room for the cells of a diagonal. As it is a constant, the compiler sees that what is read and what is written are
# apart; of longer lattices the diagonals would leave the processor's cache anyway.
ROWS = 176
LONGEST = ROWS - 2 * LANES
# From I of a diagonal to its D and to those of the next. Numba asks of each signed index whether it is negative, and
# LLVM then does one cell at a time.
DELETES, NEXT, NEXT_DELETES = np.uintp(ROWS), np.uintp(2 * ROWS), np.uintp(3 * ROWS + 1)
# In ``work``: from U to V of the row below, and to the counts of each transition between Insert and Delete.
BELOW = np.uintp(ROWS + 1)
II, ID, DI, DD = np.uintp(2 * ROWS), np.uintp(3 * ROWS), np.uintp(4 * ROWS), np.uintp(5 * ROWS)


class Given(NamedTuple):
    """A lattice with the tilted factors of its arcs."""

    m: int
    n: int
    arcs: Int32
    factor: Float
    link: Float


class Step(NamedTuple):
    """What an edit weighs.

    Attributes:
        E: float64 [S + 1, S], exp of the table.
        insert: The state of Insert.
        delete: The state of Delete.
        one: 1 / rho, by which the weight of an Insert or a Delete is multiplied.
        two: 1 / rho^2, likewise of a substitution.
    """

    E: Float
    insert: np.int64
    delete: np.int64
    one: float
    two: float


class Order(NamedTuple):
    """The arcs of a lattice by the diagonals in which they begin and end, by row within each.

    Attributes:
        begins: int64 [arcs], arcs in the order of their beginnings.
        ends: int64 [arcs], in that of their ends.
        first_begin: int64 [diagonals + 1], where those of each diagonal are in ``begins``.
        first_end: int64 [diagonals + 1], likewise in ``ends``.
    """

    begins: NDArray[np.int64]
    ends: NDArray[np.int64]
    first_begin: NDArray[np.int64]
    first_end: NDArray[np.int64]


class Masses(NamedTuple):
    """Forward masses of all cells and arcs; room for the backward ones.

    Attributes:
        cells: float64 [diagonals x 2 x ROWS], I and D of each diagonal.
        M: float64 [arcs], forward.
        B: float64 [arcs], backward.
        work: float64 [6 x ROWS], U and V of a diagonal, then counts by row: see ``II`` and the others.
    """

    cells: Float
    M: Float
    B: Float
    work: Float


@njit(inner=True, borrows=True)
def _put_in_order(arcs, by_end, diagonals, order):
    """Sorts the arcs by diagonal; those of one stay as they come, by row."""
    begins, ends, first_begin, first_end = order
    first_begin[: diagonals + 2] = 0
    first_end[: diagonals + 2] = 0
    # Counted two places on: the sums are one place on, and as arcs are put in, each first moves on to the next one's.
    for a in range(arcs.shape[0]):
        d = arcs[a, 0] + arcs[a, 2] + 2
        first_begin[d] += 1
        first_end[d + arcs[a, 1] + arcs[a, 3]] += 1
    for d in range(diagonals + 1):
        first_begin[d + 1] += first_begin[d]
        first_end[d + 1] += first_end[d]
    for place in range(arcs.shape[0]):
        d = arcs[place, 0] + arcs[place, 2] + 1
        begins[first_begin[d]] = place
        first_begin[d] += 1
        a = by_end[place]
        d = arcs[a, 0] + arcs[a, 1] + arcs[a, 2] + arcs[a, 3] + 1
        ends[first_end[d]] = a
        first_end[d] += 1


@njit(inner=True, borrows=True)
def _linked(arcs, a, b):
    return arcs[a, 1] + arcs[a, 3] == 2 and arcs[b, 1] + arcs[b, 3] == 2


@njit(inner=True, borrows=True)
def _ends_in(arcs, a):
    return arcs[a, 0] + arcs[a, 1]


@njit(inner=True, borrows=True)
def _first_lane(d, n):
    return max(0, d - n) // LANES * LANES


@njit(inner=True, borrows=True)
def _last_lane(d, m):
    return (min(m, d) // LANES + 1) * LANES


@njit(inner=True, borrows=True, fastmath={"contract"})
def _begin(d, given, step, order, masses):
    """Fills the masses of the arcs that begin in a diagonal."""
    _, _, arcs, factor, link = given
    E, insert, delete, _, two = step
    cells, M, _, _ = masses
    here, start = 2 * ROWS * d, E.shape[0] - 1
    e, last = order.first_end[d], order.first_end[d + 1]
    for place in range(order.first_begin[d], order.first_begin[d + 1]):
        b = order.begins[place]
        i, state = arcs[b, 0], arcs[b, 4]
        mass = cells[here + i] * E[insert, state] + cells[here + ROWS + i] * E[delete, state]
        if d == 0:
            mass += E[start, state]
        while e < last and _ends_in(arcs, order.ends[e]) < i:
            e += 1
        at = e
        while at < last:
            a = order.ends[at]
            if _ends_in(arcs, a) != i:
                break
            weight = E[arcs[a, 4], state]
            if link.size and _linked(arcs, a, b):
                weight *= link[b]
            mass += M[a] * weight
            at += 1
        M[b] = mass * two * factor[b]


@njit(inner=True, borrows=True, fastmath={"contract"})
def _forward(given, step, order, masses):
    """Fills the masses of all cells and arcs; returns the total."""
    m, n, arcs, _, _ = given
    E, insert, delete, one, _ = step
    cells, M, _, _ = masses
    t_II, t_ID = E[insert, insert] * one, E[insert, delete] * one
    t_DI, t_DD = E[delete, insert] * one, E[delete, delete] * one
    start, filled = E.shape[0] - 1, 0
    cells[ROWS] = 0.0
    for d in range(m + n):
        here, there = 2 * ROWS * d, 2 * ROWS * (d + 1)
        low, high = _first_lane(d, n), _last_lane(d, m)
        for i in range(filled, high):
            cells[here + i] = 0.0
            cells[here + ROWS + i + 1] = 0.0
        filled = high
        _begin(d, given, step, order, masses)
        cells[there + ROWS + low] = 0.0
        for i in range(low, high):
            at = np.uintp(here + i)
            after_insert, after_delete = cells[at], cells[at + DELETES]
            cells[at + NEXT] = after_insert * t_II + after_delete * t_DI
            cells[at + NEXT_DELETES] = after_insert * t_ID + after_delete * t_DD
        if d == 0:
            cells[there] += E[start, insert] * one
            cells[there + ROWS + 1] += E[start, delete] * one
        for place in range(order.first_end[d], order.first_end[d + 1]):
            a = order.ends[place]
            i, mass = _ends_in(arcs, a), M[a] * one
            cells[there + i] += mass * E[arcs[a, 4], insert]
            cells[there + ROWS + i + 1] += mass * E[arcs[a, 4], delete]
    here = 2 * ROWS * (m + n)
    total = cells[here + m] + cells[here + ROWS + m]
    for place in range(order.first_end[m + n], order.first_end[m + n + 1]):
        total += M[order.ends[place]]
    return total


@njit(inner=True, borrows=True, fastmath={"contract"})
def _end(d, given, step, order, masses, counts, links):
    """Fills the backward masses of the arcs that end in a diagonal, and counts what follows them."""
    m, n, arcs, factor, link = given
    E, insert, delete, one, two = step
    _, M, B, work = masses
    first, before = order.first_begin[d], order.first_begin[d + 1]
    for place in range(order.first_end[d + 1] - 1, order.first_end[d] - 1, -1):
        a = order.ends[place]
        i, state = _ends_in(arcs, a), arcs[a, 4]
        to_insert = E[state, insert] * one * work[i]
        to_delete = E[state, delete] * one * work[ROWS + i + 1]
        counts[state, insert] += M[a] * to_insert
        counts[state, delete] += M[a] * to_delete
        mass = to_insert + to_delete
        if d == m + n:
            mass += 1.0
        while before > first and arcs[order.begins[before - 1], 0] > i:
            before -= 1
        at = before
        while at > first:
            b = order.begins[at - 1]
            if arcs[b, 0] != i:
                break
            follow = E[state, arcs[b, 4]] * two * factor[b] * B[b]
            if link.size and _linked(arcs, a, b):
                follow *= link[b]
                links[b] += M[a] * follow
            counts[state, arcs[b, 4]] += M[a] * follow
            mass += follow
            at -= 1
        B[a] = mass


@njit(inner=True, borrows=True, fastmath={"contract"})
def _backward(given, step, order, masses, counts, links):
    """Expected counts times the total: those of the table into ``counts``, of links into ``links``; fills B."""
    m, n, arcs, factor, _ = given
    E, insert, delete, one, two = step
    cells, _, B, work = masses
    t_II, t_ID = E[insert, insert] * one, E[insert, delete] * one
    t_DI, t_DD = E[delete, insert] * one, E[delete, delete] * one
    work[:] = 0.0
    for d in range(m + n, 0, -1):
        here = 2 * ROWS * d
        _end(d, given, step, order, masses, counts, links)
        for i in range(_first_lane(d, n), _last_lane(d, m)):
            at, to = np.uintp(here + i), np.uintp(i)
            u, v = work[to], work[to + BELOW]
            after_insert, after_delete = cells[at], cells[at + DELETES]
            work[to + II] += after_insert * u
            work[to + ID] += after_insert * v
            work[to + DI] += after_delete * u
            work[to + DD] += after_delete * v
            work[to] = t_II * u + t_ID * v
            work[to + DELETES] = t_DI * u + t_DD * v
        if d == m + n:
            work[m] = 1.0
            work[ROWS + m] = 1.0
        for place in range(order.first_begin[d], order.first_begin[d + 1]):
            b = order.begins[place]
            i, state, mass = arcs[b, 0], arcs[b, 4], factor[b] * B[b] * two
            from_insert, from_delete = E[insert, state] * mass, E[delete, state] * mass
            counts[insert, state] += cells[here + i] * from_insert
            counts[delete, state] += cells[here + ROWS + i] * from_delete
            work[i] += from_insert
            work[ROWS + i] += from_delete
    _end(np.int64(0), given, step, order, masses, counts, links)
    _count_starts(given, step, order, masses, counts)
    c_II, c_ID, c_DI, c_DD = 0.0, 0.0, 0.0, 0.0
    for i in range(m + 1):
        at = np.uintp(i)
        c_II += work[at + II]
        c_ID += work[at + ID]
        c_DI += work[at + DI]
        c_DD += work[at + DD]
    counts[insert, insert] += c_II * t_II
    counts[insert, delete] += c_ID * t_ID
    counts[delete, insert] += c_DI * t_DI
    counts[delete, delete] += c_DD * t_DD


@njit(inner=True, borrows=True)
def _count_starts(given, step, order, masses, counts):
    """Counts what follows the start."""
    _, _, arcs, factor, _ = given
    E, insert, delete, one, two = step
    _, _, B, work = masses
    start = E.shape[0] - 1
    for place in range(order.first_begin[1]):
        b = order.begins[place]
        counts[start, arcs[b, 4]] += E[start, arcs[b, 4]] * two * factor[b] * B[b]
    counts[start, insert] += E[start, insert] * one * work[0]
    counts[start, delete] += E[start, delete] * one * work[ROWS + 1]


@njit(inner=True, borrows=True)
def _edit_rate(E, insert, delete, arcs):
    """The largest row sum over Insert and Delete, of the states that a lattice has."""
    largest = 0.0
    for prev in (E.shape[0] - 1, insert, delete):
        largest = max(largest, E[prev, insert] + E[prev, delete])
    for a in range(arcs.shape[0]):
        largest = max(largest, E[arcs[a, 4], insert] + E[arcs[a, 4], delete])
    return largest


@njit(nogil=True, error_model="numpy")
def diagonal_machine_batch(first, last, wanted, cells, factors, outputs, derivatives):
    """Those of lattices first..last-1 that are ``wanted`` and not accepted yet: as ``machine_batch``.

    ``wanted`` is bool [n_lattices]: lattices with tokens on both sides, at most ``LONGEST``, and one state each for
    Insert and Delete.
    """
    cells, factors, outputs = Cells(*cells), Factors(*factors), Outputs(*outputs)
    offsets, E, accepted = cells.offsets, factors.table, outputs.accepted
    n_links, most, diagonals = factors.links.size, 0, 0
    for k in range(first, last):
        if wanted[k] and not accepted[k]:
            m, n = offsets[k + 1, 0] - offsets[k, 0], offsets[k + 1, 1] - offsets[k, 1]
            most, diagonals = max(most, offsets[k + 1, 2] - offsets[k, 2]), max(diagonals, m + n + 1)
    masses = Masses(np.empty(2 * ROWS * diagonals), np.empty(most), np.empty(most), np.empty(6 * ROWS))
    order = Order(
        np.empty(most, np.int64), np.empty(most, np.int64),
        np.empty(diagonals + 2, np.int64), np.empty(diagonals + 2, np.int64),
    )  # fmt: skip
    reach, log_E, tilted = column_maxima(E), np.log(E), np.empty(most)
    for k in range(first, last):
        if accepted[k] or not wanted[k]:
            continue
        a0, a1 = offsets[k, 2], offsets[k + 1, 2]
        m, n = offsets[k + 1, 0] - offsets[k, 0], offsets[k + 1, 1] - offsets[k, 1]
        insert, delete = np.int64(cells.inserts[offsets[k, 1]]), np.int64(cells.deletes[offsets[k, 0]])
        arcs, factor = cells.arcs[a0:a1], factors.arcs[a0:a1]
        link = factors.links[a0:a1] if n_links else factors.links
        B, longest, entry = match_rate(reach, np.int64(0), a1 - a0, arcs, factor, link)
        rho = growth_rate(_edit_rate(E, insert, delete, arcs), B, longest, entry)
        fine = rho > 0.0 and tilt_arcs(rho, np.int64(0), a1 - a0, arcs, factor, tilted)
        if not fine or will_underflow(least_uniform_log_sum(log_E, insert, delete, m, n), rho, m, n):
            continue
        given = Given(m, n, arcs, tilted[: a1 - a0], link)
        step = Step(E, insert, delete, 1.0 / rho, 1.0 / (rho * rho))
        _put_in_order(arcs, cells.by_end[a0:a1], m + n + 1, order)
        total = _forward(given, step, order, masses)
        if not accept(k, total, rho, m + n, accepted, outputs.log_sum) or derivatives is None:
            continue
        counts, links = outputs.table[k], outputs.links[a0:a1] if n_links else outputs.links
        counts[:] = 0.0
        links[:] = 0.0
        _backward(given, step, order, masses, counts, links)
        scale = 1.0 / total
        for prev in range(counts.shape[0]):
            for cur in range(counts.shape[1]):
                counts[prev, cur] *= scale
        for a in range(a1 - a0):
            outputs.arcs[a0 + a] = masses.M[a] * masses.B[a] * scale
            if n_links:
                links[a] *= scale
