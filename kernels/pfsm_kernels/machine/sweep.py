"""The one recurrence of both machines, in any semiring: what can follow an edit, cell by cell.

A cell (u, v) lies behind u rows and v columns of a frame: of a whole pair, or of a window of it (``pushdown``).
Rows run *along* one side, columns *across* the other; in a whole pair the reference runs along, so that Delete is the
edit along and Insert the one across. What arrives in a cell are its sources, what may be done next its targets:

    across[u, v]   sum over edit sequences that arrive with the edit across         -> across[u, v+1]
    along[u, v]    the same, with the edit along                                    -> along[u+1, v]
    back[u, v]     the same, with the jump that ends a swap                         -> exits[u, v], late[u, v]
    arcs[a]        the same, with arc a, which ends in (u, v)                       -> arcs[b], which begins in (u, v)
    the start      at (0, 0), nothing

    target = sum over sources of source x W[state of source, state of target] x link   (an arc: x its weight)

``late`` is what enters Jump, ``exits`` what does from anything but the edit along. Three functions visit sources and
targets: ``forward_rows`` adds up masses; ``backward_rows`` their adjoints, with expected counts,
each term a probability; ``trace`` follows the best mass back.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pfsm_kernels.cache import njit
from pfsm_kernels.semiring import NONE, plus, share, times

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
        W: float64 [S + 1, S], the table; row S is Start. In linear space it is what an edit across or along counts.
        into_arcs: The same, what an arc counts.
        into_jump: The same, what Jump counts.
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
    into_arcs: Float
    into_jump: Float
    jump: int
    whole: bool


class Masses(NamedTuple):
    """Masses of the sources and targets of a frame, or their adjoints; rows of planes count from a first row.

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


@njit(inner=True)
def make_frame(along, across, arcs, by_end, weight, link, tables, jump):
    """The frame of a whole pair, or of one side's view of it; ``tables`` are W, into_arcs and into_jump."""
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
        along, across, arcs, np.cumsum(starts), columns, by_end, np.cumsum(ends), end_columns, weight, link,
        tables[0], tables[1], tables[2], jump, True,
    )  # fmt: skip


@njit(inner=True, borrows=True)
def is_linked(arcs, a, b, link):
    """Whether arc b carries its link weight right after arc a."""
    return link.size > 0 and arcs[a, 1] + arcs[a, 3] == 2 and arcs[b, 1] + arcs[b, 3] == 2


@njit(inner=True, borrows=True, fastmath={"contract"})
def forward_rows(semiring, frame, inside, left, limit, top, rows):
    """Masses of columns ``left`` to ``limit`` of rows ``rows[0]`` to ``rows[1] - 1``; planes begin at row ``top``."""
    along, across, arcs, jump, by_end = frame.along, frame.across, frame.arcs, frame.jump, frame.by_end
    W, into_arcs, into_jump = frame.W, frame.into_arcs, frame.into_jump
    columns, end_columns, starts, ends = frame.columns, frame.end_columns, frame.starts, frame.ends
    weight, link, none = frame.weight, frame.link, semiring.zero
    I, D, M, V, exits, late = inside.across, inside.along, inside.arcs, inside.back, inside.exits, inside.late
    start, height, resumes = W.shape[0] - 1, along.size, V.size > 0
    for u in range(rows[0], rows[1]):
        r, more = u - top, u < height
        s1, s_last, e1, e_last = starts[u], starts[u + 1], ends[u], ends[u + 1]
        while s1 < s_last and columns[s1] < left:
            s1 += 1
        while e1 < e_last and end_columns[e1] < left:
            e1 += 1
        next_start = columns[s1] if s1 < s_last else limit + 1
        next_end = end_columns[e1] if e1 < e_last else limit + 1
        before, below = np.int64(along[u - 1]) if u else start, np.int64(along[u]) if more else 0
        further, enter = W[before, below], into_jump[before, jump]
        inserted, last = none, np.int64(0)
        for v in range(left, limit + 1):
            k = v - left
            deleted = D[r, k] if u else none
            cur = across[v] if v < limit else 0
            # What enters the edits along and across, and Jump but from the edit along.
            low = plus(semiring, times(semiring, inserted, W[last, below]), times(semiring, deleted, further))
            right = plus(
                semiring, times(semiring, inserted, W[last, cur]), times(semiring, deleted, W[before, cur])
            )
            out = times(semiring, inserted, into_jump[last, jump])
            back = none
            if resumes:
                back = V[r, k]
                low = plus(semiring, low, times(semiring, back, W[jump, below]))
                right = plus(semiring, right, times(semiring, back, W[jump, cur]))
                out = plus(semiring, out, times(semiring, back, into_jump[jump, jump]))
            begins = frame.whole and u + v == 0
            if begins:
                low, right, out = W[start, below], W[start, cur], into_jump[start, jump]
            if v in (next_start, next_end):
                s0, e0 = s1, e1
                while s1 < s_last and columns[s1] == v:
                    s1 += 1
                while e1 < e_last and end_columns[e1] == v:
                    e1 += 1
                next_start = columns[s1] if s1 < s_last else limit + 1
                next_end = end_columns[e1] if e1 < e_last else limit + 1
                for b in range(s0, s1):
                    state = arcs[b, 4]
                    mass = plus(semiring, times(semiring, inserted, into_arcs[last, state]),
                                times(semiring, deleted, into_arcs[before, state]))  # fmt: skip
                    mass = plus(semiring, mass, times(semiring, back, into_arcs[jump, state]))
                    M[b] = into_arcs[start, state] if begins else mass
                for e in range(e0, e1):
                    a = by_end[e]
                    mass, prev = M[a], arcs[a, 4]
                    low = plus(semiring, low, times(semiring, mass, W[prev, below]))
                    right = plus(semiring, right, times(semiring, mass, W[prev, cur]))
                    out = plus(semiring, out, times(semiring, mass, into_jump[prev, jump]))
                    for b in range(s0, s1):
                        # A link first: what it makes likely may be out of range without it.
                        step = into_arcs[prev, arcs[b, 4]]
                        if is_linked(arcs, a, b, link):
                            step = times(semiring, step, link[b])
                        M[b] = plus(semiring, M[b], times(semiring, mass, step))
                for b in range(s0, s1):
                    # One that reaches over the limit cannot be taken.
                    M[b] = times(semiring, M[b], weight[b]) if v + arcs[b, 3] <= limit else none
            if more:
                D[r + 1, k] = low
            if jump >= 0:
                exits[r, k] = out
                late[r, k] = plus(semiring, out, times(semiring, deleted, enter))
            if v < limit:
                I[r, k + 1] = right
            inserted, last = right, np.int64(cur)


@njit(inner=True, borrows=True, inline="always")
def edits_after(semiring, frame, mass, prev, targets, worth, whole, counts):
    """What the edits across and along and Jump are worth after a source, and how often they follow it."""
    (cur, below), (right, low, out), jump = targets, worth, frame.jump
    x = times(semiring, frame.W[prev, cur], right)
    y = times(semiring, frame.W[prev, below], low)
    z = times(semiring, frame.into_jump[prev, jump], out)
    counts[prev, cur] += share(semiring, times(semiring, mass, x), whole)
    counts[prev, below] += share(semiring, times(semiring, mass, y), whole)
    counts[prev, jump] += share(semiring, times(semiring, mass, z), whole)
    return plus(semiring, plus(semiring, x, y), z)


@njit(inner=True, borrows=True)
def arcs_after(semiring, frame, mass, source, span, worth, whole, counts, link_mass):
    """What arcs ``span[0]`` to ``span[1] - 1`` are worth after a source, a state and the arc it is of or -1.

    None that is wider than ``span[2]`` can be taken.
    """
    (prev, a), arcs, total = source, frame.arcs, semiring.zero
    for b in range(span[0], span[1]):
        cur = arcs[b, 4]
        if arcs[b, 3] > span[2]:
            continue
        follow = times(semiring, frame.weight[b], worth[b])
        linked = a >= 0 and is_linked(arcs, a, b, frame.link)
        if linked:
            follow = times(semiring, follow, frame.link[b])
        follow = times(semiring, frame.into_arcs[prev, cur], follow)
        count = share(semiring, times(semiring, mass, follow), whole)
        counts[prev, cur] += count
        if linked:
            link_mass[b] += count
        total = plus(semiring, total, follow)
    return total


@njit(inner=True, borrows=True, fastmath={"contract"})
def backward_rows(semiring, frame, inside, outside, bounds, rows, whole, counts, link_mass):
    """Adjoints of the same rows, last first, and expected counts; ``outside`` has those of what the rows lead to.

    ``bounds`` are the first row of the planes, the first column and the last one; ``whole`` is the total, see
    ``semiring.share``.
    """
    (top, left, limit), none, one = bounds, semiring.zero, semiring.one
    along, across, arcs, by_end, jump = frame.along, frame.across, frame.arcs, frame.by_end, frame.jump
    columns, end_columns = frame.columns, frame.end_columns
    I, D, M, V = inside.across, inside.along, inside.arcs, inside.back
    bI, bD, B, bV = outside.across, outside.along, outside.arcs, outside.back
    m, n, start, none_before = along.size, across.size, frame.W.shape[0] - 1, np.int64(-1)
    # For targets that are not there: entries of a state that is never used may be infinite.
    idle = np.int64(across[0]) if n else np.int64(along[0])
    for u in range(rows[1] - 1, rows[0] - 1, -1):
        r = u - top
        s_first, s0, e_first, e0 = frame.starts[u], frame.starts[u + 1], frame.ends[u], frame.ends[u + 1]
        while s0 > s_first and columns[s0 - 1] > limit:
            s0 -= 1
        while e0 > e_first and end_columns[e0 - 1] > limit:
            e0 -= 1
        before, below = np.int64(along[u - 1]) if u else start, np.int64(along[u]) if u < m else idle
        right = none
        for v in range(limit, left - 1, -1):
            k = v - left
            s1, e1 = s0, e0
            while s0 > s_first and columns[s0 - 1] == v:
                s0 -= 1
            while e0 > e_first and end_columns[e0 - 1] == v:
                e0 -= 1
            span, low, out, late = (s0, s1, limit - v), none, none, none
            if u < m:
                low = bD[r + 1, k]
            if jump >= 0:
                out, late = outside.exits[r, k], outside.late[r, k]
            stop = one if frame.whole and u == m and v == n else none
            targets, worth = (np.int64(across[v]) if v < limit else idle, below), (right, low, out)
            if u:
                own = right, low, late
                total = edits_after(semiring, frame, D[r, k], before, targets, own, whole, counts)
                if s1 > s0:
                    after = arcs_after(
                        semiring, frame, D[r, k], (before, none_before), span, B, whole, counts, link_mass
                    )
                    total = plus(semiring, total, after)
                bD[r, k] = plus(semiring, total, stop)
            if V.size:
                total = edits_after(semiring, frame, V[r, k], jump, targets, worth, whole, counts)
                if s1 > s0:
                    after = arcs_after(
                        semiring, frame, V[r, k], (jump, none_before), span, B, whole, counts, link_mass
                    )
                    total = plus(semiring, total, after)
                bV[r, k] = plus(semiring, total, stop)
            for e in range(e0, e1):
                a = by_end[e]
                prev = np.int64(arcs[a, 4])
                total = edits_after(semiring, frame, M[a], prev, targets, worth, whole, counts)
                if s1 > s0:
                    after = arcs_after(
                        semiring, frame, M[a], (prev, np.int64(a)), span, B, whole, counts, link_mass
                    )
                    total = plus(semiring, total, after)
                B[a] = plus(semiring, total, stop)
            if frame.whole and u + v == 0:
                edits_after(semiring, frame, one, start, targets, worth, whole, counts)
                arcs_after(semiring, frame, one, (start, none_before), span, B, whole, counts, link_mass)
            if k:
                prev = np.int64(across[v - 1])
                total = edits_after(semiring, frame, I[r, k], prev, targets, worth, whole, counts)
                if s1 > s0:
                    after = arcs_after(
                        semiring, frame, I[r, k], (prev, none_before), span, B, whole, counts, link_mass
                    )
                    total = plus(semiring, total, after)
                right = plus(semiring, total, stop)
                bI[r, k] = right


@njit(inner=True, borrows=True)
def total_mass(semiring, frame, inside, top):
    """Sum over all edit sequences of a whole pair, of which ``inside`` has the last row."""
    r, n = frame.along.size - top, frame.across.size
    total = inside.across[r, n] if n else semiring.zero
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


@njit(inner=True, borrows=True)
def trace(frame, inside, walk, left, top, closing, until):
    """Writes the edits before a target, back to row ``top``; returns START, JUMP or arc ``until`` if they come first.

    ``closing``: no edit along may be the last one, as at the end of a gap. Where row ``top`` comes first, the walk goes
    on with the rows before it. Of equal sources the first is taken: the edit across, that along, Jump, then arcs.
    """
    along, across, arcs = frame.along, frame.across, frame.arcs
    link, W, jump = frame.link, frame.W, frame.jump
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
            if target >= 0 and is_linked(arcs, a, target, link):
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


@njit(inner=True)
def turn_round(walk):
    """The edits in order: their first places in ``edits``."""
    length, edits = walk.length[0], walk.edits
    for at in range(length // 2):
        edits[at], edits[length - 1 - at] = edits[length - 1 - at], edits[at]
    return length
