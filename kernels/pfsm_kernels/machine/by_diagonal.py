"""The finite-state machine in linear space, by diagonals: for any arcs, but one Insert and one Delete state.

For one lattice of m reference and n hypothesis tokens, T being exp of the table:

    I[i, j]   sum over edit sequences from (0, 0) to (i, j) that end with an Insert
    D[i, j]   the same, ending with a Delete
    M[a]      the same, ending with substitution arc a; f_a = exp(arc weight)

With one state each, a transition weighs the same in every cell. A cell at row i and column j depends only on cells
whose i + j is smaller. So the cells of one diagonal, of one d = i + j, need not wait for each other, and the processor
does several in one instruction. By diagonal and row:

    I[d+1, i]   = I[d, i] T[I, I] + D[d, i] T[D, I] + sum_{a ends at (i, d-i)} M[a] T[state a, I]
    D[d+1, i+1] = I[d, i] T[I, D] + D[d, i] T[D, D] + sum_{a ends at (i, d-i)} M[a] T[state a, D]

with the start as one more predecessor at (0, 0). The backward masses are U of a cell whose last edit is an Insert and V
of one whose last edit is a Delete; an expected count is (forward mass) x (weight) x (backward mass) / total:

    U[d, i] = T[I, I] U[d+1, i] + T[I, D] V[d+1, i+1] + sum_{b begins at (i, d-i)} T[I, state b] f_b B[b]
    V[d, i] = T[D, I] U[d+1, i] + T[D, D] V[d+1, i+1] + sum_{b begins at (i, d-i)} T[D, state b] f_b B[b]

Diagonals are done in whole ``LANES``, and so are some cells beside the lattice. They change nothing: forward, masses
leave the lattice and never come back; backward, cells from which they would come stay zero; and above the first column,
where backward masses leave it, the forward ones are zero.

**Narrow and wide.** Lattices of at most ``LONGEST`` tokens a side are done at the rate of ``tilt``, at which no mass
exceeds one. For longer ones, and where a total is too small at that rate, a rate is found and masses are looked at
(`wide_machine_batch`): the growth that a diagonal shows when masses leave the range is the next rate.

**Error at a rate that is found.** Let F and B be the largest forward and backward mass. An operation that underflows
loses at most 1e-308. What it loses reaches the total, or a count, times the mass that leads on from it (at most B) or
to it (at most F), and times a tilted factor. So a total of at least ``SMALLEST_SHARE max(1, F, B)`` is exact to
rounding, and log space does the others.

**Cost.** O(m n + arcs) time; 16 ``ROWS`` (m + n + 1) bytes, wide 32 (m + 1) sqrt(m + n), one diagonal of each block of
sqrt(m + n) being kept and a block done again when the backward pass reaches it.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pfsm_kernels.cache import copy, njit
from pfsm_kernels.lattice.lattices import Cells, Factors, Float, Int32, Outputs
from pfsm_kernels.machine.tilt import (
    LARGEST_TILTED_ENTRY,
    SMALLEST_TOTAL,
    column_maxima,
    growth_rate,
    least_log_sum,
    match_rate,
    tilt_arcs,
    will_underflow,
)

# Cells at once: those of an instruction of AVX2.
LANES = 4
# Room for the cells of a diagonal of a narrow lattice.
ROWS = 176
LONGEST = ROWS - 2 * LANES
# Masses of a diagonal at a rate that is found: beyond, another one is tried.
SMALLEST_FRONT, LARGEST_FRONT = 1e-200, 1e250
MOST_RATES = 12
# Below the rate of ``tilt`` by more, tilted factors are large.
LEAST_PART = 0.01
# 1e-308 x 1e10 operations x 1e16 (double precision) x 1e22 (tilted factors of an edit and of its arc).
SMALLEST_SHARE = 1e-260


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
    """Forward masses of cells and arcs; room for the backward ones.

    Numba asks of each signed index whether it is negative, and LLVM then does one cell at a time: hence ``uintp``.

    Attributes:
        cells: float64 [diagonals x 2 x rows], I and D of each diagonal.
        M: float64 [arcs], forward.
        B: float64 [arcs], backward.
        work: float64 [6 x rows], U and V of a diagonal, then by row counts of Insert > Insert, Insert > Delete, Delete
            > Insert and Delete > Delete.
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


@njit(inner=True, borrows=True, fastmath={"reassoc"})
def _front(here, low, high, rows):
    """The sum of the masses of two rows of room, of ``cells`` or ``work``; infinite or NaN where one has overflowed."""
    total = 0.0
    for i in range(low, high):
        total += here[np.uintp(i)] + here[np.uintp(i) + np.uintp(rows)]
    return total


@njit(inner=True, borrows=True)
def _clear(work, rows, m):
    for i in range(_last_lane(m, m) + 1):
        for k in range(6):
            work[np.uintp(k * rows + i)] = 0.0


@njit(inner=True, borrows=True)
def _is_in_range(front):
    return SMALLEST_FRONT < front < LARGEST_FRONT


@njit(inner=True, borrows=True, fastmath={"contract"})
def _begin(d, here, given, step, order, masses, width):
    """Fills the masses of the arcs that begin in a diagonal, whose cells begin at ``here``."""
    _, _, arcs, factor, link = given
    E, insert, delete, _, two = step
    cells, M = masses.cells, masses.M
    rows = ROWS if width is None else width
    start = E.shape[0] - 1
    e, last = order.first_end[d], order.first_end[d + 1]
    for place in range(order.first_begin[d], order.first_begin[d + 1]):
        b = order.begins[place]
        i, state = arcs[b, 0], arcs[b, 4]
        # What edits weigh comes first: of a mass that underflows before, too much would be lost.
        own = two * factor[b]
        mass = cells[here + i] * (E[insert, state] * own) + cells[here + rows + i] * (E[delete, state] * own)
        if d == 0:
            mass += E[start, state] * own
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
            mass += M[a] * (weight * own)
            at += 1
        M[b] = mass


@njit(inner=True, borrows=True, fastmath={"contract"})
def _forward(first, last, given, step, order, masses, width):
    """Fills the masses of diagonals ``first`` + 1 to ``last``, and of arcs that begin before.

    ``cells`` begins at ``first``.
    Returns how far it came, and the largest sum of a diagonal, or 1: wide, it stops where the sum leaves the range, and
    returns that.
    """
    m, n, arcs, _, _ = given
    E, insert, delete, one, _ = step
    cells, M = masses.cells, masses.M
    rows, top = (ROWS, 0) if width is None else (width, first)
    deletes, after, deletes_after = np.uintp(rows), np.uintp(2 * rows), np.uintp(3 * rows + 1)
    t_II, t_ID = E[insert, insert] * one, E[insert, delete] * one
    t_DI, t_DD = E[delete, insert] * one, E[delete, delete] * one
    start, largest = E.shape[0] - 1, 1.0
    if top == 0:
        for i in range(LANES):
            cells[i] = 0.0
            cells[rows + i] = 0.0
    for d in range(top, last):
        here, there = 2 * rows * (d - top), 2 * rows * (d - top + 1)
        low, high = _first_lane(d, n), _last_lane(d, m)
        _begin(d, here, given, step, order, masses, width)
        cells[there + rows + low] = 0.0
        for i in range(low, high):
            at = np.uintp(here + i)
            after_insert, after_delete = cells[at], cells[at + deletes]
            cells[at + after] = after_insert * t_II + after_delete * t_DI
            cells[at + deletes_after] = after_insert * t_ID + after_delete * t_DD
        for i in range(high, _last_lane(d + 1, m)):
            cells[there + i] = 0.0
            cells[there + rows + i + 1] = 0.0
        if d == 0:
            cells[there] += E[start, insert] * one
            cells[there + rows + 1] += E[start, delete] * one
        for place in range(order.first_end[d], order.first_end[d + 1]):
            a = order.ends[place]
            i, mass = _ends_in(arcs, a), M[a] * one
            cells[there + i] += mass * E[arcs[a, 4], insert]
            cells[there + rows + i + 1] += mass * E[arcs[a, 4], delete]
        if width is not None:
            front = _front(cells[there:], low, high, rows)
            if not _is_in_range(front):
                return d + 1, front
            largest = max(largest, front)
    return last, largest


@njit(inner=True, borrows=True)
def _total(given, order, masses, here, rows):
    """The sum over all edit sequences; ``here`` is where the cells of the last diagonal begin."""
    m, n, _, _, _ = given
    total = masses.cells[here + m] + masses.cells[here + rows + m]
    for place in range(order.first_end[m + n], order.first_end[m + n + 1]):
        total += masses.M[order.ends[place]]
    return total


@njit(inner=True, borrows=True, fastmath={"contract"})
def _end(d, given, step, order, masses, counts, links, width):
    """Fills the backward masses of the arcs that end in a diagonal, and counts what follows them."""
    m, n, arcs, factor, link = given
    E, insert, delete, one, two = step
    M, B, work = masses.M, masses.B, masses.work
    rows = ROWS if width is None else width
    first, before = order.first_begin[d], order.first_begin[d + 1]
    for place in range(order.first_end[d + 1] - 1, order.first_end[d] - 1, -1):
        a = order.ends[place]
        i, state = _ends_in(arcs, a), arcs[a, 4]
        to_insert = E[state, insert] * one * work[i]
        to_delete = E[state, delete] * one * work[rows + i + 1]
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
def _backward(first, last, given, step, order, masses, counts, links, width):
    """Adds what diagonals ``last`` to ``first`` + 1 expect, times the total: counts of the table and of links; fills B.

    Returns the sum of backward masses, wide; else 0. ``work`` is zero before the last diagonal.
    """
    m, n, arcs, factor, _ = given
    E, insert, delete, one, two = step
    cells, B, work = masses.cells, masses.B, masses.work
    rows, top = (ROWS, 0) if width is None else (width, first)
    deletes, below = np.uintp(rows), np.uintp(rows + 1)
    c_II, c_ID, c_DI, c_DD = np.uintp(2 * rows), np.uintp(3 * rows), np.uintp(4 * rows), np.uintp(5 * rows)
    t_II, t_ID = E[insert, insert] * one, E[insert, delete] * one
    t_DI, t_DD = E[delete, insert] * one, E[delete, delete] * one
    total = 0.0
    for d in range(last, top, -1):
        here, low, high = 2 * rows * (d - top), _first_lane(d, n), _last_lane(d, m)
        _end(d, given, step, order, masses, counts, links, width)
        for i in range(low, high):
            at, to = np.uintp(here + i), np.uintp(i)
            u, v = work[to], work[to + below]
            after_insert, after_delete = cells[at], cells[at + deletes]
            work[to + c_II] += after_insert * u
            work[to + c_ID] += after_insert * v
            work[to + c_DI] += after_delete * u
            work[to + c_DD] += after_delete * v
            work[to] = t_II * u + t_ID * v
            work[to + deletes] = t_DI * u + t_DD * v
        if d == m + n:
            work[m] = 1.0
            work[rows + m] = 1.0
        for place in range(order.first_begin[d], order.first_begin[d + 1]):
            b = order.begins[place]
            i, state, mass = arcs[b, 0], arcs[b, 4], factor[b] * B[b] * two
            from_insert, from_delete = E[insert, state] * mass, E[delete, state] * mass
            counts[insert, state] += cells[here + i] * from_insert
            counts[delete, state] += cells[here + rows + i] * from_delete
            work[i] += from_insert
            work[rows + i] += from_delete
        if width is not None:
            total += _front(work, low, high, rows)
    return total


@njit(inner=True, borrows=True)
def _finish(given, step, order, masses, counts, links, width):
    """Counts what follows the start, and adds up what is counted by row."""
    m, _, arcs, factor, _ = given
    E, insert, delete, one, two = step
    B, work = masses.B, masses.work
    rows = ROWS if width is None else width
    start = E.shape[0] - 1
    _end(np.int64(0), given, step, order, masses, counts, links, width)
    for place in range(order.first_begin[1]):
        b = order.begins[place]
        counts[start, arcs[b, 4]] += E[start, arcs[b, 4]] * two * factor[b] * B[b]
    counts[start, insert] += E[start, insert] * one * work[0]
    counts[start, delete] += E[start, delete] * one * work[rows + 1]
    c_II, c_ID, c_DI, c_DD = 0.0, 0.0, 0.0, 0.0
    for i in range(m + 1):
        at = np.uintp(i)
        c_II += work[at + np.uintp(2 * rows)]
        c_ID += work[at + np.uintp(3 * rows)]
        c_DI += work[at + np.uintp(4 * rows)]
        c_DD += work[at + np.uintp(5 * rows)]
    counts[insert, insert] += c_II * E[insert, insert] * one
    counts[insert, delete] += c_ID * E[insert, delete] * one
    counts[delete, insert] += c_DI * E[delete, insert] * one
    counts[delete, delete] += c_DD * E[delete, delete] * one


@njit(inner=True, borrows=True)
def _edit_rate(E, insert, delete, arcs):
    """The largest row sum over Insert and Delete, of the states that a lattice has."""
    largest = 0.0
    for prev in (E.shape[0] - 1, insert, delete):
        largest = max(largest, E[prev, insert] + E[prev, delete])
    for a in range(arcs.shape[0]):
        largest = max(largest, E[arcs[a, 4], insert] + E[arcs[a, 4], delete])
    return largest


@njit(inner=True)
def _room(most, diagonals, stored, rows):
    """Masses of ``stored`` diagonals and an order of ``diagonals``, for so many arcs."""
    masses = Masses(np.empty(2 * rows * stored), np.empty(most), np.empty(most), np.empty(6 * rows))
    order = Order(
        np.empty(most, np.int64), np.empty(most, np.int64),
        np.empty(diagonals + 2, np.int64), np.empty(diagonals + 2, np.int64),
    )  # fmt: skip
    return masses, order


@njit(inner=True, borrows=True)
def _divide(total, masses, counts, on_arcs, links):
    """Counts over the total; posteriors of arcs."""
    scale = 1.0 / total
    for prev in range(counts.shape[0]):
        for cur in range(counts.shape[1]):
            counts[prev, cur] *= scale
    for a in range(on_arcs.size):
        on_arcs[a] = masses.M[a] * masses.B[a] * scale
    for a in range(links.size):
        links[a] *= scale


@njit(nogil=True, error_model="numpy")
def diagonal_machine_batch(first, last, wanted, cells, factors, outputs, derivatives):
    """Log-sums of lattices first..last-1; with the derivatives of each unless ``derivatives`` is None, else True.

    None, not False: Numba then compiles the forward pass alone, in half the time.

    ``cells``, ``factors`` and ``outputs`` are those of ``batch``, as plain tuples. ``wanted`` is bool [n_lattices]:
    lattices of 1 to ``LONGEST`` tokens a side, and one state each for Insert and Delete. Those that come in accepted
    stay as they are; where ``accepted`` is False afterwards, another rate is needed.
    """
    cells, factors, outputs = Cells(*cells), Factors(*factors), Outputs(*outputs)
    offsets, E, accepted = cells.offsets, factors.table, outputs.accepted
    n_links, most, diagonals = factors.links.size, 0, 0
    for k in range(first, last):
        if wanted[k] and not accepted[k]:
            m, n = offsets[k + 1, 0] - offsets[k, 0], offsets[k + 1, 1] - offsets[k, 1]
            most, diagonals = max(most, offsets[k + 1, 2] - offsets[k, 2]), max(diagonals, m + n + 1)
    masses, order = _room(most, diagonals, diagonals, ROWS)
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
        if not (rho > 0.0 and tilt_arcs(rho, np.int64(0), a1 - a0, arcs, factor, tilted)):
            continue
        log_scale = (m + n) * math.log(rho)
        if will_underflow(least_log_sum(log_E, insert, delete, m, n) - log_scale):
            continue
        given = Given(m, n, arcs, tilted[: a1 - a0], link)
        step = Step(E, insert, delete, 1.0 / rho, 1.0 / (rho * rho))
        _put_in_order(arcs, cells.by_end[a0:a1], m + n + 1, order)
        _forward(np.int64(0), m + n, given, step, order, masses, None)
        total = _total(given, order, masses, 2 * ROWS * (m + n), ROWS)
        accepted[k] = total >= SMALLEST_TOTAL
        if not accepted[k]:
            continue
        outputs.log_sum[k] = math.log(total) + log_scale
        if derivatives is None:
            continue
        counts, links = outputs.table[k], outputs.links[a0:a1] if n_links else outputs.links
        counts[:] = 0.0
        links[:] = 0.0
        _clear(masses.work, ROWS, m)
        _backward(np.int64(0), m + n, given, step, order, masses, counts, links, None)
        _finish(given, step, order, masses, counts, links, None)
        _divide(total, masses, counts, outputs.arcs[a0:a1], links)


@njit(inner=True)
def _blocks_forward(given, step, order, masses, kept, width):
    """Fills block by block, of which the last remains, and the diagonals kept.

    Returns how far it came, the sum there, which is the total at the end, and the largest one of a diagonal.
    """
    size, height, end = kept.shape[1], masses.cells.size // kept.shape[1] - 1, given.m + given.n
    largest = 1.0
    for block in range(kept.shape[0]):
        first = block * height
        if block:
            copy(kept[block], masses.cells[:size])
        last = min(first + height, end)
        reached, front = _forward(first, last, given, step, order, masses, width)
        if not _is_in_range(front):
            return reached, front, front
        largest = max(largest, front)
        if last < end:
            copy(masses.cells[height * size :], kept[block + 1])
    total = _total(given, order, masses, (end - (kept.shape[0] - 1) * height) * size, width)
    return end, total, largest + masses.M.sum()


@njit(inner=True)
def _blocks_backward(given, step, order, masses, kept, counts, links, width):
    """Fills counts and B, block by block; returns the sum of backward masses."""
    size, height, end = kept.shape[1], masses.cells.size // kept.shape[1] - 1, given.m + given.n
    _clear(masses.work, width, given.m)
    total = 1.0
    for block in range(kept.shape[0] - 1, -1, -1):
        first, last = block * height, min((block + 1) * height, end)
        if last < end:
            if block:
                copy(kept[block], masses.cells[:size])
            _forward(first, last, given, step, order, masses, width)
        total += _backward(first, last, given, step, order, masses, counts, links, width)
    _finish(given, step, order, masses, counts, links, width)
    return total + masses.B.sum()


@njit(inner=True)
def _at_a_rate_found(lattice, by_end, E, insert, delete, counts, on_arcs, links):
    """Log-sum of one lattice, a ``Given``, with its derivatives; NaN where log space is needed.

    Where it is not a number, what is written means nothing.
    """
    m, n, arcs, factor, link = lattice
    end, most = m + n, factor.size
    B, longest, entry = match_rate(column_maxima(E), np.int64(0), most, arcs, factor, link)
    highest = growth_rate(_edit_rate(E, insert, delete, arcs), B, longest, entry)
    width = (m // LANES + 2) * LANES
    height = math.ceil(math.sqrt(end))
    masses, order = _room(most, end + 1, height + 1, width)
    _put_in_order(arcs, by_end, end + 1, order)
    kept, tilted, rate = np.empty(((end + height - 1) // height, 2 * width)), np.empty(most), highest
    given = Given(m, n, arcs, tilted, link)
    for _ in range(MOST_RATES):
        if not rate > LEAST_PART * highest or entry > LARGEST_TILTED_ENTRY * rate * rate:
            return math.nan
        if not tilt_arcs(rate, np.int64(0), most, arcs, factor, tilted):
            return math.nan
        step = Step(E, insert, delete, 1.0 / rate, 1.0 / (rate * rate))
        reached, total, forward = _blocks_forward(given, step, order, masses, kept, width)
        if reached == end and _is_in_range(total):
            backward = _blocks_backward(given, step, order, masses, kept, counts, links, width)
            _divide(total, masses, counts, on_arcs, links)
            exact = total >= SMALLEST_SHARE * forward and total >= SMALLEST_SHARE * backward
            return math.log(total) + end * math.log(rate) if exact else math.nan
        rate *= math.exp(math.log(min(max(total, SMALLEST_TOTAL), 1.0 / SMALLEST_TOTAL)) / reached)
    return math.nan


@njit(nogil=True, error_model="numpy")
def wide_machine_batch(first, last, wanted, cells, factors, outputs):
    """As `diagonal_machine_batch`, for lattices with tokens on both sides, any number, but each at a rate of its own.

    The sums are the same with and without derivatives: what vouches for them needs the backward pass in any case.
    """
    cells, factors, outputs = Cells(*cells), Factors(*factors), Outputs(*outputs)
    offsets, E, accepted = cells.offsets, factors.table, outputs.accepted
    derivatives, n_links = outputs.table.shape[0] > 0, factors.links.size
    for k in range(first, last):
        if accepted[k] or not wanted[k]:
            continue
        a0, a1 = offsets[k, 2], offsets[k + 1, 2]
        m, n = offsets[k + 1, 0] - offsets[k, 0], offsets[k + 1, 1] - offsets[k, 1]
        insert, delete = np.int64(cells.inserts[offsets[k, 1]]), np.int64(cells.deletes[offsets[k, 0]])
        link = factors.links[a0:a1] if n_links else factors.links
        if derivatives:
            table, on_arcs = outputs.table[k], outputs.arcs[a0:a1]
            on_links = outputs.links[a0:a1] if n_links else outputs.links
        else:
            table, on_arcs, on_links = np.empty(E.shape), np.empty(a1 - a0), np.empty(link.size)
        table[:] = 0.0
        on_links[:] = 0.0
        lattice = Given(m, n, cells.arcs[a0:a1], factors.arcs[a0:a1], link)
        by_end = cells.by_end[a0:a1]
        y = _at_a_rate_found(lattice, by_end, E, insert, delete, table, on_arcs, on_links)
        accepted[k] = not math.isnan(y)
        if accepted[k]:
            outputs.log_sum[k] = y
