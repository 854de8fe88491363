"""The rows of a window in linear space: `machine.sweep` where no swap resumes and few cells have an arc.

What it knows more than that one: which rows of a window have no arc, most of them, where it goes from cell to cell
without a look; transitions of Insert and Delete position by position, so that a cell reads a row, not a table; and
expected counts by position, so that no sum waits for the one before it. Other semirings go the general way, as time
does not matter there.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pfsm_kernels.cache import njit
from pfsm_kernels.machine.sweep import arcs_after, backward_rows, edits_after, forward_rows, is_linked
from pfsm_kernels.semiring import Best, Linear, LogSum, by_type

Float = NDArray[np.float64]
Int64 = NDArray[np.int64]

# Columns between the beginnings of two words of bits, and the most columns of a window that one of them knows of.
HALF = 32
ONE = np.uint64(1)


class Steps(NamedTuple):
    """Transitions of a frame position by position; those of edits along by kind, as few states differ.

    Attributes:
        kind: int64 [rows], which kind each edit along is.
        state: int64 [n_kinds], its state.
        II: float64 [columns + 1], across v - 1 > across v; zero at both ends.
        DI: float64 [n_kinds, columns + 1], along > across v; zero at the end.
        ID: float64 [n_kinds, columns + 1], across v - 1 > along; zero at the beginning.
        IJ: float64 [columns + 1], across v - 1 > Jump; likewise.
        busy: uint64 [rows + 1, columns // 32 + 1], a bit for each column where an arc begins or ends, from `HALF` times
            the number of the word on; every word but the last has the bits of half of the next.
    """

    kind: Int64
    state: Int64
    II: Float
    DI: Float
    ID: Float
    IJ: Float
    busy: NDArray[np.uint64]


class Uses(NamedTuple):
    """Of each transition of `Steps`, the sum of mass times worth; the places are the same."""

    II: Float
    DI: Float
    ID: Float
    IJ: Float


@njit
def _steps_of(frame):
    along, across, W, jump = frame.along, frame.across, frame.W, frame.jump
    n, known, count = across.size, np.zeros(W.shape[1], np.int64), 0
    kind, state = np.empty(along.size, np.int64), np.empty(W.shape[1], np.int64)
    for u in range(along.size):
        if not known[along[u]]:
            state[count] = along[u]
            count += 1
            known[along[u]] = count
        kind[u] = known[along[u]] - 1
    II, IJ, DI, ID = np.zeros(n + 1), np.zeros(n + 1), np.zeros((count, n + 1)), np.zeros((count, n + 1))
    for v in range(1, n + 1):
        IJ[v] = frame.into_jump[across[v - 1], jump]
        if v < n:
            II[v] = W[across[v - 1], across[v]]
    for at in range(count):
        for v in range(n):
            DI[at, v] = W[state[at], across[v]]
            ID[at, v + 1] = W[across[v], state[at]]
    return Steps(kind, state[:count], II, DI, ID, IJ, _busy(frame))


@njit
def _busy(frame):
    words = frame.across.size // HALF + 1
    busy = np.zeros((frame.along.size + 1, words), np.uint64)
    for u in range(busy.shape[0]):
        for s in range(frame.starts[u], frame.starts[u + 1]):
            _mark(busy, u, frame.columns[s])
        for e in range(frame.ends[u], frame.ends[u + 1]):
            _mark(busy, u, frame.end_columns[e])
    return busy


@njit(borrows=True)
def _mark(busy, u, column):
    word, bit = column // HALF, column % HALF
    busy[u, word] |= ONE << np.uint64(bit)
    if word:
        busy[u, word - 1] |= ONE << np.uint64(bit + HALF)


@njit(borrows=True, inline="always")
def _is_busy(busy, u, left, columns):
    """Whether an arc begins or ends in row u of a window."""
    bits = busy[u, left // HALF] >> np.uint64(left % HALF)
    return columns > HALF or bits & ((ONE << np.uint64(columns)) - ONE) != 0


def _laid_out(semiring, frame):  # noqa: ARG001
    return _steps_of(frame)


def _nothing(semiring, frame):  # noqa: ARG001
    none, table = np.zeros(0), np.zeros((0, 0))
    return Steps(
        np.zeros(0, np.int64), np.zeros(0, np.int64), none, table, table, none, np.zeros((0, 0), np.uint64)
    )


@njit(borrows=True)
def clear(masses, none):
    """Nothing everywhere; entry by entry, as assignments of slices take Numba seconds to compile."""
    for at in range(masses.size):
        masses[at] = none


@njit(borrows=True)
def clear_rows(plane, first, last, width, none):
    """Nothing in the first columns of rows first..last-1."""
    for r in range(first, last):
        for k in range(width):
            plane[r, k] = none


@njit
def no_uses(steps):
    """Zero everywhere."""
    return Uses(
        np.zeros(steps.II.shape), np.zeros(steps.DI.shape), np.zeros(steps.ID.shape), np.zeros(steps.IJ.shape)
    )


@njit(borrows=True, fastmath={"contract"})
def _forward_rows(frame, steps, inside, bounds, last_row):
    (top, left, limit), (II, IJ) = bounds, (steps.II, steps.IJ)
    arcs, by_end, jump = frame.arcs, frame.by_end, frame.jump
    columns, end_columns, starts, ends = frame.columns, frame.end_columns, frame.starts, frame.ends
    I, D, M, exits, late = inside.across, inside.along, inside.arcs, inside.exits, inside.late
    height, width = frame.along.size, limit - left
    for u in range(top, last_row):
        r, before = u - top, np.uintp(frame.along[u - 1])
        below = min(u, height - 1)
        further, enter = frame.W[before, np.uintp(frame.along[below])], frame.into_jump[before, jump]
        DI, ID = steps.DI[steps.kind[u - 1]], steps.ID[steps.kind[below]]
        I[r, 0] = 0.0
        if not _is_busy(steps.busy, u, left, width + 1):
            inserted = 0.0
            for k in range(np.uintp(width + 1)):
                v, deleted = np.uintp(left) + k, D[r, k]
                out = inserted * IJ[v]
                exits[r, k] = out
                late[r, k] = out + deleted * enter
                D[r + 1, k] = inserted * ID[v] + deleted * further
                inserted = inserted * II[v] + deleted * DI[v]
                I[r, k + np.uintp(1)] = inserted
            continue
        s1, s_last, e1, e_last = starts[u], starts[u + 1], ends[u], ends[u + 1]
        while s1 < s_last and columns[s1] < left:
            s1 += 1
        while e1 < e_last and end_columns[e1] < left:
            e1 += 1
        inserted = 0.0
        for k in range(width + 1):
            v = left + k
            deleted = D[r, k]
            low = inserted * ID[v] + deleted * further
            right = inserted * II[v] + deleted * DI[v]
            out = inserted * IJ[v]
            s0, e0 = s1, e1
            while s1 < s_last and columns[s1] == v:
                s1 += 1
            while e1 < e_last and end_columns[e1] == v:
                e1 += 1
            if s1 > s0 or e1 > e0:
                last = np.uintp(frame.across[v - 1])
                for b in range(s0, s1):
                    state = np.uintp(arcs[b, 4])
                    M[b] = inserted * frame.into_arcs[last, state] + deleted * frame.into_arcs[before, state]
                for e in range(e0, e1):
                    a = by_end[e]
                    mass, prev = M[a], np.uintp(arcs[a, 4])
                    if mass == 0.0:
                        continue
                    low += mass * frame.W[prev, np.uintp(frame.along[below])]
                    if k < width:
                        right += mass * frame.W[prev, np.uintp(frame.across[v])]
                    out += mass * frame.into_jump[prev, jump]
                    for b in range(s0, s1):
                        step = frame.into_arcs[prev, np.uintp(arcs[b, 4])]
                        if is_linked(arcs, a, b, frame.link):
                            step *= frame.link[b]
                        M[b] += mass * step
                for b in range(s0, s1):
                    # One that reaches over the limit cannot be taken.
                    M[b] = M[b] * frame.weight[b] if v + arcs[b, 3] <= limit else 0.0
            D[r + 1, k] = low
            exits[r, k] = out
            late[r, k] = out + deleted * enter
            if k < width:
                I[r, k + 1] = right
            inserted = right


def _forward(semiring, frame, steps, inside, bounds, last_row):  # noqa: ARG001
    _forward_rows(frame, steps, inside, bounds, last_row)


def _forward_generally(semiring, frame, steps, inside, bounds, last_row):  # noqa: ARG001
    top, left, limit = bounds
    forward_rows(semiring, frame, inside, left, limit, top, (top, last_row))


@njit(borrows=True, fastmath={"contract"})
def _backward_rows(semiring, frame, steps, masses, bounds, last_row, whole, counts, uses, link_mass):
    (inside, outside), (top, left, limit) = masses, bounds
    arcs, by_end, jump, II, IJ = frame.arcs, frame.by_end, frame.jump, steps.II, steps.IJ
    columns, end_columns = frame.columns, frame.end_columns
    I, D, M, bD, B = inside.across, inside.along, inside.arcs, outside.along, outside.arcs
    height, idle, cII, cIJ = frame.along.size, np.int64(frame.across[0]), uses.II, uses.IJ
    for u in range(last_row - 1, top - 1, -1):
        r, before = u - top, np.int64(frame.along[u - 1])
        next_row = min(u, height - 1)
        below, next_kind, kind = np.int64(frame.along[next_row]), steps.kind[next_row], steps.kind[u - 1]
        further, enter = frame.W[before, below], frame.into_jump[before, jump]
        DI, ID, cDI, cID = steps.DI[kind], steps.ID[next_kind], uses.DI[kind], uses.ID[next_kind]
        right, along_again, jumps = 0.0, 0.0, 0.0
        if not _is_busy(steps.busy, u, left, limit - left + 1):
            for back in range(np.uintp(limit - left + 1)):
                k = np.uintp(limit - left) - back
                at, low, out, late = np.uintp(left) + k, bD[r + 1, k], outside.exits[r, k], outside.late[r, k]
                inserted, deleted = I[r, k], D[r, k]
                cDI[at] += deleted * right
                cII[at] += inserted * right
                cID[at] += inserted * low
                cIJ[at] += inserted * out
                along_again += deleted * low
                jumps += deleted * late
                bD[r, k] = DI[at] * right + further * low + enter * late
                right = II[at] * right + ID[at] * low + IJ[at] * out
            counts[before, below] += along_again * further * whole
            counts[before, jump] += jumps * enter * whole
            continue
        s_first, s0, e_first, e0 = frame.starts[u], frame.starts[u + 1], frame.ends[u], frame.ends[u + 1]
        while s0 > s_first and columns[s0 - 1] > limit:
            s0 -= 1
        while e0 > e_first and end_columns[e0 - 1] > limit:
            e0 -= 1
        for v in range(limit, left - 1, -1):
            column = v - left
            low, out, late = bD[r + 1, column], outside.exits[r, column], outside.late[r, column]
            inserted, deleted = I[r, column], D[r, column]
            cDI[v] += deleted * right
            along_again += deleted * low
            jumps += deleted * late
            from_along = DI[v] * right + further * low + enter * late
            from_across = II[v] * right + ID[v] * low + IJ[v] * out
            cII[v] += inserted * right
            cID[v] += inserted * low
            cIJ[v] += inserted * out
            s1, e1 = s0, e0
            while s0 > s_first and columns[s0 - 1] == v:
                s0 -= 1
            while e0 > e_first and end_columns[e0 - 1] == v:
                e0 -= 1
            if s1 > s0:
                span = s0, s1, limit - v
                from_along += arcs_after(
                    semiring, frame, deleted, (before, -1), span, B, whole, counts, link_mass
                )
                if column:
                    last = np.int64(frame.across[v - 1])
                    from_across += arcs_after(
                        semiring, frame, inserted, (last, -1), span, B, whole, counts, link_mass
                    )
            for e in range(e0, e1):
                a = by_end[e]
                if M[a] == 0.0:
                    continue
                prev, span = np.int64(arcs[a, 4]), (s0, s1, limit - v)
                targets = np.int64(frame.across[v]) if v < limit else idle, below
                total = edits_after(semiring, frame, M[a], prev, targets, (right, low, out), whole, counts)
                B[a] = total + arcs_after(semiring, frame, M[a], (prev, a), span, B, whole, counts, link_mass)
            bD[r, column] = from_along
            right = from_across
        counts[before, below] += along_again * further * whole
        counts[before, jump] += jumps * enter * whole


def _backward(semiring, frame, steps, masses, bounds, last_row, whole, counts, uses, link_mass):
    _backward_rows(semiring, frame, steps, masses, bounds, last_row, whole, counts, uses, link_mass)


def _backward_generally(
    semiring, frame, steps, masses, bounds, last_row, whole, counts, uses, link_mass  # noqa: ARG001
):  # fmt: skip
    inside, outside = masses
    backward_rows(semiring, frame, inside, outside, bounds, (bounds[0], last_row), whole, counts, link_mass)


@njit(borrows=True)
def add_uses(frame, steps, uses, whole, counts):
    """Turns the uses of transitions into expected counts."""
    across, jump, n = frame.across, frame.jump, frame.across.size
    for v in range(1, steps.II.size):
        last = across[v - 1]
        counts[last, jump] += uses.IJ[v] * steps.IJ[v] * whole
        if v < n:
            counts[last, across[v]] += uses.II[v] * steps.II[v] * whole
    for at in range(steps.state.size):
        state = steps.state[at]
        for v in range(n):
            counts[state, across[v]] += uses.DI[at, v] * steps.DI[at, v] * whole
            counts[across[v], state] += uses.ID[at, v + 1] * steps.ID[at, v + 1] * whole


# By semiring. What they take: `machine.sweep`; ``bounds`` are the first row, the first and the last column.
lay_out = by_type({Linear: _laid_out, LogSum: _nothing, Best: _nothing})
forward_window = by_type({Linear: _forward, LogSum: _forward_generally, Best: _forward_generally})
backward_window = by_type({Linear: _backward, LogSum: _backward_generally})
