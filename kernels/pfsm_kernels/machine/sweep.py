"""The one recurrence of both machines in the log domain: what can follow an edit, cell by cell.

A cell (u, v) lies behind u rows and v columns of a frame: of a whole pair, or of a window of it (``pushdown``).
Rows run *along* one side, columns *across* the other; in a whole pair the reference runs along, so that Delete is the
edit along and Insert the one across. What arrives in a cell are its sources, what may be done next its targets:

    across[u, v]   sum over edit sequences that arrive with the edit across         -> across[u, v+1]
    along[u, v]    the same, with the edit along                                    -> along[u+1, v]
    back[u, v]     the same, with the jump that ends a swap                         -> exits[u, v], late[u, v]
    arcs[a]        the same, with arc a, which ends in (u, v)                       -> arcs[b], which begins in (u, v)
    the start      at (0, 0), nothing

    target = sum over sources of source x exp(W[state of source, state of target] + link)   (an arc: x exp(its weight))

``late`` is what enters Jump from the edit along, ``exits`` from anything else. Three functions visit sources and
targets: ``forward_rows`` adds up masses, in either semiring; ``backward_rows`` their adjoints, with expected counts,
each term a probability; ``trace`` follows the best mass back.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pfsm_kernels.cache import njit
from pfsm_kernels.semiring import NONE, log_add, plus

Float = NDArray[np.float64]
Int32 = NDArray[np.int32]

# Sources and targets beside arcs, which are their index.
ACROSS, ALONG, START, JUMP, STOP = -1, -2, -3, -4, -5
# As they are written where the reference runs along.
INSERT, DELETE = ACROSS, ALONG


class Frame(NamedTuple):
    """Where edits can be made, and what they weigh.

    Attributes:
        along: int32 [rows], states of the edits along.
        across: int32 [columns], states of the edits across.
        arcs: int32 [n_arcs, 5], (row, rows, column, columns, state), sorted by (row, column).
        starts: int64 [rows + 2], where the arcs that begin in each row begin.
        columns: int64 [n_arcs], where they begin.
        by_end: int32 [n_arcs], arcs in order of (end row, end column).
        ends: int64 [rows + 2], where the arcs that end in each row begin in ``by_end``.
        end_columns: int64 [n_arcs], where they end, in that order.
        weight: float64 [n_arcs].
        link: float64 [n_arcs] or [0].
        W: float64 [S + 1, S], the table; row S is Start.
        jump: The state of Jump; -1 without jumps.
        whole: Whether the machine starts and stops in the corners, as in a pair, but not in a window.
    """

    along: Int32
    across: Int32
    arcs: Int32
    starts: NDArray[np.int64]
    columns: NDArray[np.int64]
    by_end: Int32
    ends: NDArray[np.int64]
    end_columns: NDArray[np.int64]
    weight: Float
    link: Float
    W: Float
    jump: int
    whole: bool


class Masses(NamedTuple):
    """Log masses of the sources and targets of a frame, or their adjoints; rows of planes count from a first row.

    Attributes:
        across: float64 [rows, width].
        along: float64 [rows + 1, width].
        arcs: float64 [n_arcs].
        exits: float64 [rows, width]; [0, 0] without jumps.
        late: As ``exits``.
        back: float64 [rows, width]; [0, 0] where no swap can end.
    """

    across: Float
    along: Float
    arcs: Float
    exits: Float
    late: Float
    back: Float


@njit
def make_frame(along, across, arcs, by_end, weight, link, W, jump):
    """The frame of a whole pair, or of one side's view of it."""
    A = weight.size
    starts, ends = np.zeros(along.size + 2, np.int64), np.zeros(along.size + 2, np.int64)
    columns, end_columns = np.empty(A, np.int64), np.empty(A, np.int64)
    for e in range(A):
        a = by_end[e]
        starts[arcs[e, 0] + 1] += 1
        ends[arcs[a, 0] + arcs[a, 1] + 1] += 1
        columns[e] = arcs[e, 2]
        end_columns[e] = arcs[a, 2] + arcs[a, 3]
    return Frame(
        along, across, arcs, np.cumsum(starts), columns, by_end, np.cumsum(ends), end_columns, weight, link, W, jump,
        True,
    )  # fmt: skip


@njit(borrows=True)
def _linked(arcs, a, b, link):
    """Whether arc b carries its link weight right after arc a."""
    return link.size > 0 and arcs[a, 1] + arcs[a, 3] == 2 and arcs[b, 1] + arcs[b, 3] == 2


@njit
def _arrivals(semiring, begin, across, along, back):
    """Sum over all sources but arcs."""
    return plus(semiring, plus(semiring, begin, across), plus(semiring, along, back))


@njit(borrows=True)
def forward_rows(semiring, frame, inside, left, limit, top, rows):
    """Masses of columns ``left`` to ``limit`` of rows ``rows[0]`` to ``rows[1] - 1``; planes begin at row ``top``."""
    along, across, arcs, W, jump = frame.along, frame.across, frame.arcs, frame.W, frame.jump
    columns, end_columns, starts, ends = frame.columns, frame.end_columns, frame.starts, frame.ends
    by_end, weight, link = frame.by_end, frame.weight, frame.link
    I, D, M, V, exits, late = inside.across, inside.along, inside.arcs, inside.back, inside.exits, inside.late
    start, height = W.shape[0] - 1, along.size
    for u in range(rows[0], rows[1]):
        r = u - top
        s1, s_last, e1, e_last = starts[u], starts[u + 1], ends[u], ends[u + 1]
        while s1 < s_last and columns[s1] < left:
            s1 += 1
        while e1 < e_last and end_columns[e1] < left:
            e1 += 1
        before, below = along[u - 1] if u else 0, along[u] if u < height else 0
        inserted, last = NONE, 0
        for v in range(left, limit + 1):
            k = v - left
            s0, e0 = s1, e1
            while s1 < s_last and columns[s1] == v:
                s1 += 1
            while e1 < e_last and end_columns[e1] == v:
                e1 += 1
            begin = 0.0 if frame.whole and u + v == 0 else NONE
            deleted = D[r, k] if u else NONE
            back = V[r, k] if V.size else NONE
            if u < height:
                D[r + 1, k] = _arrivals(
                    semiring, begin + W[start, below], inserted + W[last, below], deleted + W[before, below],
                    back + W[jump, below],
                )  # fmt: skip
            if jump >= 0:
                exits[r, k] = _arrivals(
                    semiring, begin + W[start, jump], inserted + W[last, jump], NONE, back + W[jump, jump]
                )
                late[r, k] = deleted + W[before, jump]
            for b in range(s0, s1):
                cur = arcs[b, 4]
                M[b] = _arrivals(
                    semiring, begin + W[start, cur], inserted + W[last, cur], deleted + W[before, cur],
                    back + W[jump, cur],
                )  # fmt: skip
            cur = across[v] if v < limit else 0
            inserted = _arrivals(
                semiring,
                begin + W[start, cur],
                inserted + W[last, cur],
                deleted + W[before, cur],
                back + W[jump, cur],
            )
            last = cur
            for e in range(e0, e1):
                a = by_end[e]
                mass, prev = M[a], arcs[a, 4]
                inserted = plus(semiring, inserted, mass + W[prev, cur])
                if u < height:
                    D[r + 1, k] = plus(semiring, D[r + 1, k], mass + W[prev, below])
                if jump >= 0:
                    exits[r, k] = plus(semiring, exits[r, k], mass + W[prev, jump])
                for b in range(s0, s1):
                    follow = mass + W[prev, arcs[b, 4]]
                    if _linked(arcs, a, b, link):
                        follow += link[b]
                    M[b] = plus(semiring, M[b], follow)
            if v < limit:
                I[r, k + 1] = inserted
            for b in range(s0, s1):
                # One that reaches over the limit cannot be taken.
                M[b] = M[b] + weight[b] if v + arcs[b, 3] <= limit else NONE


@njit
def backward_rows(frame, inside, outside, left, limit, top, rows, log_sum, counts, link_mass):
    """Adjoints of the same rows, last first, and expected counts; ``outside`` has those of what the rows lead to."""
    along, across, arcs, by_end, link = frame.along, frame.across, frame.arcs, frame.by_end, frame.link
    columns, end_columns, weight, W, jump = (
        frame.columns,
        frame.end_columns,
        frame.weight,
        frame.W,
        frame.jump,
    )
    I, D, M, V = inside.across, inside.along, inside.arcs, inside.back
    bI, bD, B, bV, exits, late = (
        outside.across, outside.along, outside.arcs, outside.back, outside.exits, outside.late
    )  # fmt: skip
    m, n = along.size, across.size
    states = np.empty(3 + M.size, np.int64)
    states[2] = jump
    for u in range(rows[1] - 1, rows[0] - 1, -1):
        r = u - top
        s_first, s0, e_first, e0 = frame.starts[u], frame.starts[u + 1], frame.ends[u], frame.ends[u + 1]
        while s0 > s_first and columns[s0 - 1] > limit:
            s0 -= 1
        while e0 > e_first and end_columns[e0 - 1] > limit:
            e0 -= 1
        for v in range(limit, left - 1, -1):
            k = v - left
            s1, e1 = s0, e0
            while s0 > s_first and columns[s0 - 1] == v:
                s0 -= 1
            while e0 > e_first and end_columns[e0 - 1] == v:
                e0 -= 1
            # States of what can be done here: the edit across, along, Jump, arcs; -1 where it cannot.
            states[0] = across[v] if v < limit else -1
            states[1] = along[u] if u < along.size else -1
            for b in range(s0, s1):
                states[3 + b - s0] = arcs[b, 4] if v + arcs[b, 3] <= limit else -1
            stops = frame.whole and u == m and v == n
            for source in range(4 + e1 - e0):
                a = 0
                if source == 0:
                    if not frame.whole or u + v > 0:
                        continue
                    mass, prev = 0.0, W.shape[0] - 1
                elif source == 1:
                    if k == 0:
                        continue
                    mass, prev = I[r, k], np.int64(across[v - 1])
                elif source == 2:
                    if u == 0:
                        continue
                    mass, prev = D[r, k], np.int64(along[u - 1])
                elif source == 3:
                    if V.size == 0:
                        continue
                    mass, prev = V[r, k], jump
                else:
                    a = by_end[e0 + source - 4]
                    mass, prev = M[a], np.int64(arcs[a, 4])
                total = 0.0 if stops else NONE
                if mass > NONE:
                    for t in range(3 + s1 - s0):
                        b = s0 + t - 3
                        cur = states[t]
                        if cur < 0:
                            continue
                        follow = W[prev, cur]
                        linked = t > 2 and source > 3 and _linked(arcs, a, b, link)
                        if t == 0:
                            follow += bI[r, k + 1]
                        elif t == 1:
                            follow += bD[r + 1, k]
                        elif t == 2:
                            follow += late[r, k] if source == 2 else exits[r, k]
                        else:
                            follow += weight[b] + B[b]
                            if linked:
                                follow += link[b]
                        if follow == NONE:
                            continue
                        total = log_add(total, follow)
                        count = math.exp(mass + follow - log_sum)
                        counts[prev, cur] += count
                        if linked:
                            link_mass[b] += count
                if source == 1:
                    bI[r, k] = total
                elif source == 2:
                    bD[r, k] = total
                elif source == 3:
                    bV[r, k] = total
                elif source > 3:
                    B[a] = total


@njit(borrows=True)
def total_mass(semiring, frame, inside, top):
    """Sum over all edit sequences of a whole pair, of which ``inside`` has the last row."""
    r, n = frame.along.size - top, frame.across.size
    total = inside.across[r, n] if n else NONE
    if frame.along.size:
        total = plus(semiring, total, inside.along[r, n])
    if inside.back.size:
        total = plus(semiring, total, inside.back[r, n])
    for e in range(frame.ends[-2], frame.ends[-1]):
        if frame.end_columns[e] == n:
            total = plus(semiring, total, inside.arcs[frame.by_end[e]])
    return total


class Walk(NamedTuple):
    """A best edit sequence on the way back through it.

    Attributes:
        place: int64 [3], row, column, and what is done there next (the target).
        edits: int32 [most edits], last first; the machine's name of each.
        length: int64 [1], number of edits.
        original: int32 [n_arcs], the name of each arc.
        across: Name of the edit across.
        along: Name of the edit along.
    """

    place: NDArray[np.int64]
    edits: Int32
    length: NDArray[np.int64]
    original: Int32
    across: int
    along: int


@njit
def write(walk, code):
    """Adds an edit."""
    name = code
    if code >= 0:
        name = walk.original[code]
    elif code == ACROSS:
        name = walk.across
    elif code == ALONG:
        name = walk.along
    walk.edits[walk.length[0]] = name
    walk.length[0] += 1


@njit(borrows=True)
def trace(frame, inside, walk, left, top, closing, until):
    """Writes the edits before a target, back to row ``top``; returns START, JUMP or arc ``until`` if they come first.

    ``closing``: no edit along may be the last one, as at the end of a gap. Where row ``top`` comes first, the walk goes
    on with the rows before it. Of equal sources the first is taken: the edit across, that along, Jump, then arcs.
    """
    along, across, arcs, link, W, jump = (
        frame.along,
        frame.across,
        frame.arcs,
        frame.link,
        frame.W,
        frame.jump,
    )
    by_end, ends, end_columns = frame.by_end, frame.ends, frame.end_columns
    I, D, M, V, place = inside.across, inside.along, inside.arcs, inside.back, walk.place
    edits, original, length = walk.edits, walk.original, walk.length[0]
    u, v, target = place[0], place[1], place[2]
    edit = STOP
    while u >= top and not (frame.whole and u + v == 0):
        r, k = u - top, v - left
        # At the stop nothing more is weighed.
        cur = -1
        if target == ACROSS:
            cur = across[v]
        elif target == ALONG:
            cur = along[u]
        elif target == JUMP:
            cur = jump
        elif target >= 0:
            cur = arcs[target, 4]
        score, edit = NONE, START
        if k:
            mass = I[r, k] + (W[across[v - 1], cur] if cur >= 0 else 0.0)
            if mass > score:
                score, edit = mass, ACROSS
        if u and not closing:
            mass = D[r, k] + (W[along[u - 1], cur] if cur >= 0 else 0.0)
            if mass > score:
                score, edit = mass, ALONG
        if V.size:
            mass = V[r, k] + (W[jump, cur] if cur >= 0 else 0.0)
            if mass > score:
                score, edit = mass, JUMP
        for e in range(ends[u], ends[u + 1]):
            a = by_end[e]
            if end_columns[e] != v:
                continue
            mass = M[a] + (W[arcs[a, 4], cur] if cur >= 0 else 0.0)
            if target >= 0 and _linked(arcs, a, target, link):
                mass += link[target]
            if mass > score:
                score, edit = mass, int(a)
        closing = False
        if edit in (START, JUMP, until):
            break
        if edit == ACROSS:
            edits[length] = walk.across
            v -= 1
        elif edit == ALONG:
            edits[length] = walk.along
            u -= 1
        else:
            edits[length] = original[edit]
            u, v = np.int64(arcs[edit, 0]), np.int64(arcs[edit, 2])
        length += 1
        target = edit
    else:
        edit = START if u >= top else STOP
    place[0], place[1], place[2] = u, v, target
    walk.length[0] = length
    return edit


@njit
def turn_round(walk):
    """The edits in order: their first places in ``edits``."""
    length = walk.length[0]
    walk.edits[:length] = walk.edits[:length][::-1].copy()
    return length
