"""The restricted pushdown machine (pPDA) in the log domain: for what a tilt cannot save, and for best edit sequences.

The sums are those of ``cell_to_cell`` (see there for what E, Y, H, K, Z, J, F, V and R are), made by ``machine.sweep``
over whole pairs and over windows, in either semiring. Windows are followed to their last row. Expected counts are added
up as probabilities, exp(forward + weight + backward - log_sum). Slow and safe; memory as in ``cell_to_cell``.

A best edit sequence is traced back by asking at every step which of the sums was the largest; windows are opened again
where the trace enters a swap.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pfsm_kernels.cache import njit
from pfsm_kernels.machine.log_space import make_masses
from pfsm_kernels.machine.sweep import (
    ACROSS,
    ALONG,
    DELETE,
    INSERT,
    JUMP,
    START,
    STOP,
    Frame,
    Masses,
    Walk,
    backward_rows,
    forward_rows,
    make_frame,
    total_mass,
    trace,
    turn_round,
    write,
)
from pfsm_kernels.pushdown.crossings import Side
from pfsm_kernels.semiring import BEST, LOG, NONE, log_add, plus

Float = NDArray[np.float64]
Int32 = NDArray[np.int32]


class Swaps(NamedTuple):
    """What is known of one lattice to make jumps.

    Attributes:
        deletes: int32 [m], state of each Delete.
        inserts: int32 [n], state of each Insert.
        weight: float64 [n_arcs], log weights of its arcs.
        link: float64 [n_arcs] or [0].
        W: float64 [S + 1, S], the table.
        jump: The state of Jump.
        max_jump: The jump limit D.
        first_arc: Where its arcs begin in the batch.
        hypothesis: The side of jumps on s, of the whole batch (``crossings``).
        reference: That of jumps on r.
    """

    deletes: Int32
    inserts: Int32
    weight: Float
    link: Float
    W: Float
    jump: int
    max_jump: int
    first_arc: int
    hypothesis: Side
    reference: Side


class View(NamedTuple):
    """One side of one lattice: its frame, its crossings and groups, and their masses.

    Attributes:
        frame: The lattice with the side that is jumped on across.
        side: The side of the whole batch.
        first: Where the lattice's arcs, groups and crossings begin in it.
        limit: The jump limit D.
        turned: Whether the reference runs across.
        K: float64 [n_crossings, D].
        exits: float64 [n_groups, rows + 1], Z.
        F: float64 [n_groups, D].
        R: float64 [n_groups, D].
    """

    frame: Frame
    side: Side
    first: tuple[int, int, int]
    limit: int
    turned: bool
    K: Float
    exits: Float
    F: Float
    R: Float


@njit
def _view(swaps, side, turned):
    a0, A, D = swaps.first_arc, swaps.weight.size, swaps.max_jump
    along, across = (swaps.inserts, swaps.deletes) if turned else (swaps.deletes, swaps.inserts)
    original = side.original[a0 : a0 + A]
    link = swaps.link[original] if swaps.link.size else swaps.link
    arcs, by_end = side.arcs[a0 : a0 + A], side.by_end[a0 : a0 + A]
    frame = make_frame(along, across, arcs, by_end, swaps.weight[original], link, swaps.W, swaps.jump)
    groups, crossings = (
        side.group_first[a0 + A] - side.group_first[a0],
        side.landed_first[a0 + A] - side.landed_first[a0],
    )
    first = a0, side.group_first[a0], side.landed_first[a0]
    return View(
        frame, side, first, D, turned, np.full((crossings, D), NONE), np.full((groups, along.size + 1), NONE),
        np.full((groups, D), NONE), np.full((groups, D), NONE),
    )  # fmt: skip


@njit
def _as_window(frame):
    """The frame as its windows see it: without the corners of the whole."""
    return Frame(
        frame.along, frame.across, frame.arcs, frame.starts, frame.columns, frame.by_end, frame.ends, frame.end_columns,
        frame.weight, frame.link, frame.W, frame.jump, False,
    )  # fmt: skip


@njit
def _bounds(frame, max_jump, x):
    """Row and column where the window of arc x begins, and the last column of it."""
    left = frame.arcs[x, 2] + frame.arcs[x, 3]
    return frame.arcs[x, 0] + frame.arcs[x, 1], left, min(frame.across.size, frame.arcs[x, 2] + max_jump)


@njit
def _open_window(semiring, frame, bounds, x, window, Y):
    """Inside masses from arc x to the last row; its exits are Z, with those from the edit along Y. Returns its size."""
    top, left, limit = bounds
    rows, width = frame.along.size - top + 1, limit - left + 1
    window.arcs[:] = NONE
    window.arcs[x] = 0.0
    window.along[0] = NONE
    forward_rows(semiring, frame, window, left, limit, top, (top, top + rows))
    exits, late = window.exits, window.late
    for r in range(rows):
        for k in range(width):
            Y[r, k] = plus(semiring, exits[r, k], late[r, k])
    return rows, width


@njit
def _lead(semiring, frame, top, rows, width, Y, H):
    """Edits along that open the gap."""
    W, along, jump = frame.W, frame.along, frame.jump
    for k in range(width):
        H[0, k] = NONE
        for r in range(rows - 1):
            state = along[top + r]
            H[r + 1, k] = plus(semiring, H[r, k] + W[along[top + r - 1], state], Y[r, k] + W[jump, state])


@njit
def _place(turned, row, column):
    """Reference and hypothesis position of a place in a view."""
    return (column, row) if turned else (row, column)


@njit
def _inside(semiring, view, window, Y, H):
    """K of every crossing and Z of every group of one view."""
    side, frame, K, exits = view.side, _as_window(view.frame), view.K, view.exits
    arcs, along, W, jump, Z = frame.arcs, frame.along, frame.W, frame.jump, window.exits
    a0, first_group, first_crossing = view.first
    for x in range(arcs.shape[0]):
        begin, end = side.landed_first[a0 + x], side.landed_first[a0 + x + 1]
        g0, g1 = side.group_first[a0 + x], side.group_first[a0 + x + 1]
        if begin == end and g0 == g1:
            continue
        bounds = _bounds(frame, view.limit, x)
        rows, width = _open_window(semiring, frame, bounds, x, window, Y)
        top, left = bounds[0], bounds[1]
        for g in range(g0, g1):
            for r in range(rows):
                exits[g - first_group, top + r] = Z[r, side.landing[g] - left]
        if begin < end:
            _lead(semiring, frame, top, rows, width, Y, H)
        for at in range(begin, end):
            crossing = side.by_landed[at]
            c = side.gap_arc[side.group[crossing]]
            r, state, before = arcs[c, 0] - top, arcs[c, 4], along[arcs[c, 0] - 1]
            for k in range(width):
                mass = plus(semiring, Y[r, k] + W[jump, state], H[r, k] + W[before, state])
                K[crossing - first_crossing, arcs[x, 3] - 1 + k] = mass


@njit
def _swap(semiring, view, c, J, V):
    """The swaps whose gap arc c opens: F, and what resumes behind them."""
    side, arcs, weight, W, jump = view.side, view.frame.arcs, view.frame.weight, view.frame.W, view.frame.jump
    height, width, D, turned = view.frame.along.size, view.frame.across.size, view.limit, view.turned
    a0, first_group, first_crossing = view.first
    for g in range(side.group_first[a0 + c], side.group_first[a0 + c + 1]):
        F, exits, landing = view.F[g - first_group], view.exits[g - first_group], side.landing[g]
        for crossing in range(side.crossing_first[g], side.crossing_first[g + 1]):
            b, K = side.landed[crossing], view.K[crossing - first_crossing]
            mass = J[_place(turned, arcs[b, 0], arcs[c, 2])] + W[jump, arcs[b, 4]] + weight[b]
            for t in range(D):
                F[t] = plus(semiring, F[t], mass + K[t])
        for row in range(arcs[c, 0] + arcs[c, 1], height + 1):
            for t in range(min(D, width - landing)):
                place = _place(turned, row, landing + 1 + t)
                V[place] = plus(semiring, V[place], F[t] + weight[c] + exits[row])


@njit
def _swap_adjoint(view, c, J, dJ, bV, log_sum, counts):
    """Adjoint of ``_swap``: R, what enters Jump is worth, and how often a first jump is made."""
    side, arcs, weight, W, jump = view.side, view.frame.arcs, view.frame.weight, view.frame.W, view.frame.jump
    height, width, D, turned = view.frame.along.size, view.frame.across.size, view.limit, view.turned
    a0, first_group, first_crossing = view.first
    for g in range(side.group_first[a0 + c], side.group_first[a0 + c + 1]):
        R, exits, landing = view.R[g - first_group], view.exits[g - first_group], side.landing[g]
        for t in range(min(D, width - landing)):
            mass = NONE
            for row in range(arcs[c, 0] + arcs[c, 1], height + 1):
                mass = log_add(mass, exits[row] + bV[_place(turned, row, landing + 1 + t)])
            R[t] = mass + weight[c]
        for crossing in range(side.crossing_first[g], side.crossing_first[g + 1]):
            b, K = side.landed[crossing], view.K[crossing - first_crossing]
            place = _place(turned, arcs[b, 0], arcs[c, 2])
            mass = NONE
            for t in range(D):
                mass = log_add(mass, K[t] + R[t])
            mass += W[jump, arcs[b, 4]] + weight[b]
            counts[jump, arcs[b, 4]] += math.exp(J[place] + mass - log_sum)
            dJ[place] = log_add(dJ[place], mass)


@njit
def _inside_adjoint(view, J, bV, window, outside, Y, H, log_sum, counts, masses):
    """Adjoint of ``_inside`` for one view: windows are opened again, with what their exits are worth.

    ``masses`` are posteriors of arcs and of links, to which those inside of windows are added.
    """
    side, frame, turned, D = view.side, _as_window(view.frame), view.turned, view.limit
    arcs, along, weight, W, jump = frame.arcs, frame.along, frame.weight, frame.W, frame.jump
    a0, first_group, _ = view.first
    dZ, dY, dH = outside.exits, outside.late, np.empty_like(H)
    for x in range(arcs.shape[0]):
        begin, end = side.landed_first[a0 + x], side.landed_first[a0 + x + 1]
        g0, g1 = side.group_first[a0 + x], side.group_first[a0 + x + 1]
        if begin == end and g0 == g1:
            continue
        bounds = _bounds(frame, D, x)
        rows, width = _open_window(LOG, frame, bounds, x, window, Y)
        top, left, limit = bounds
        dY[:rows, :width] = NONE
        dZ[:rows, :width] = NONE
        dH[:rows, :width] = NONE
        for g in range(g0, g1):
            F, k, landing = view.F[g - first_group], side.landing[g] - left, side.landing[g]
            for r in range(rows):
                for t in range(min(D, frame.across.size - landing)):
                    worth = bV[_place(turned, top + r, landing + 1 + t)]
                    dZ[r, k] = log_add(dZ[r, k], F[t] + worth + weight[x])
        if begin < end:
            _lead(LOG, frame, top, rows, width, Y, H)
        for at in range(begin, end):
            g = side.group[side.by_landed[at]]
            c, R = side.gap_arc[g], view.R[g - first_group]
            entering = J[_place(turned, arcs[x, 0], arcs[c, 2])] + W[jump, arcs[x, 4]] + weight[x]
            states = jump, along[arcs[c, 0] - 1], arcs[c, 4]
            for k in range(width):
                mass = entering + R[arcs[x, 3] - 1 + k]
                _reach(Y, H, dY, dH, arcs[c, 0] - top, k, mass, states, W, log_sum, counts)
        for r in range(rows - 2 if begin < end else -1, -1, -1):
            states = jump, along[top + r - 1], along[top + r]
            for k in range(width):
                _reach(Y, H, dY, dH, r, k, dH[r + 1, k], states, W, log_sum, counts)
        for r in range(rows):
            for k in range(width):
                dZ[r, k] = log_add(dZ[r, k], dY[r, k])
        backward_rows(frame, window, outside, left, limit, top, (top, top + rows), log_sum, counts, masses[1])
        for a in range(arcs.shape[0]):
            if window.arcs[a] > NONE:
                masses[0, a] += math.exp(window.arcs[a] + outside.arcs[a] - log_sum)


@njit
def _reach(Y, H, dY, dH, r, k, mass, states, W, log_sum, counts):
    """What an exit and a lead are worth where the gap's next edit, worth ``mass``, follows; and how often it does."""
    if mass == NONE:
        return
    jump, before, state = states
    from_jump, from_along = mass + W[jump, state], mass + W[before, state]
    dY[r, k], dH[r, k] = log_add(dY[r, k], from_jump), log_add(dH[r, k], from_along)
    counts[jump, state] += math.exp(Y[r, k] + from_jump - log_sum)
    counts[before, state] += math.exp(H[r, k] + from_along - log_sum)


@njit
def _forward(semiring, swaps, hyp, ref, inside):
    """Outer forward pass; ``exits`` of ``inside`` becomes J. Returns the total."""
    frame, J, late, V, position = hyp.frame, inside.exits, inside.late, inside.back, ref.side.position
    for u in range(frame.along.size + 1):
        forward_rows(semiring, frame, inside, 0, frame.across.size, 0, (u, u + 1))
        for v in range(frame.across.size + 1):
            J[u, v] = plus(semiring, J[u, v], late[u, v])
        for a in range(frame.starts[u], frame.starts[u + 1]):
            _swap(semiring, hyp, a, J, V)
            _swap(semiring, ref, position[swaps.first_arc + a], J, V)
    return total_mass(semiring, frame, inside, 0)


@njit
def _prepare(semiring, swaps):
    """Both views with their K and Z, the outer masses, a window and three planes of its size."""
    hyp, ref = _view(swaps, swaps.hypothesis, False), _view(swaps, swaps.reference, True)
    m, n, A = swaps.deletes.size, swaps.inserts.size, swaps.weight.size
    rows, width = max(m, n) + 1, swaps.max_jump + 1
    window = make_masses(rows, width, A, rows, False)
    Y, H = np.empty((rows, width)), np.empty((rows, width))
    _inside(semiring, hyp, window, Y, H)
    _inside(semiring, ref, window, Y, H)
    return hyp, ref, make_masses(m + 1, n + 1, A, m + 1, True), window, Y, H


@njit(nogil=True, error_model="numpy")
def log_pushdown(arrays, limits, hyp, ref, derivatives, counts, arc_mass, link_mass):
    """Log-sum of one lattice; with ``derivatives``, also its expected counts.

    ``Swaps`` as plain tuples: its arrays, its three numbers, both sides.

    ``counts`` [S + 1, S], ``arc_mass`` [n_arcs] and ``link_mass`` ([n_arcs] or [0]), all zero, are written.
    """
    deletes, inserts, weight, link, W = arrays
    jump, max_jump, first_arc = limits
    sides = Side(*hyp), Side(*ref)
    swaps = Swaps(deletes, inserts, weight, link, W, jump, max_jump, first_arc, sides[0], sides[1])
    if swaps.deletes.size + swaps.inserts.size == 0:
        return 0.0
    hypothesis, reference, inside, window, Y, H = _prepare(LOG, swaps)
    log_sum = _forward(LOG, swaps, hypothesis, reference, inside)
    if not derivatives or log_sum == NONE:
        return log_sum
    m, n, A = swaps.deletes.size, swaps.inserts.size, swaps.weight.size
    J, bV, dJ = inside.exits, np.full((m + 1, n + 1), NONE), np.full((m + 1, n + 1), NONE)
    outer = make_masses(m + 1, n + 1, A, 0, False)
    outer = Masses(outer.across, outer.along, outer.arcs, dJ, dJ, bV)
    masses = np.zeros((2, A))
    for u in range(m, -1, -1):
        for a in range(hypothesis.frame.starts[u], hypothesis.frame.starts[u + 1]):
            _swap_adjoint(hypothesis, a, J, dJ, bV, log_sum, counts)
            _swap_adjoint(reference, reference.side.position[swaps.first_arc + a], J, dJ, bV, log_sum, counts)
        backward_rows(hypothesis.frame, inside, outer, 0, n, 0, (u, u + 1), log_sum, counts, masses[1])
    for a in range(A):
        masses[0, a] = math.exp(inside.arcs[a] + outer.arcs[a] - log_sum)
    outside = make_masses(window.across.shape[0], window.across.shape[1], A, window.across.shape[0], False)
    turned = np.zeros((2, A))
    _inside_adjoint(hypothesis, J, bV, window, outside, Y, H, log_sum, counts, masses)
    _inside_adjoint(reference, J, bV, window, outside, Y, H, log_sum, counts, turned)
    original = reference.side.original[swaps.first_arc : swaps.first_arc + A]
    for x in range(A):
        masses[:, original[x]] += turned[:, x]
    arc_mass[:] = masses[0]
    link_mass[:] = masses[1, : link_mass.size]
    return log_sum


@njit
def _best_swap(view, place, score):
    """The group, and the place in F, of the best swap that resumes at a place, better than ``score``; and its score."""
    side, weight, F, exits = view.side, view.frame.weight, view.F, view.exits
    row, column = _place(view.turned, place[0], place[1])
    best_group, best_t = -1, 0
    for at in range(F.shape[0]):
        g = at + view.first[1]
        t = column - 1 - side.landing[g]
        if 0 <= t < view.limit:
            mass = F[at, t] + weight[side.gap_arc[g]] + exits[at, row]
            if mass > score:
                score, best_group, best_t = mass, g, t
    return best_group, best_t, score


@njit
def _trace_window(frame, bounds, walk, x, r, k, closing, window):
    """Writes the jump out of row r, column k of arc x's window, and the edits before it as far as x."""
    top, left, _ = bounds
    write(walk, JUMP)
    walk.place[0], walk.place[1], walk.place[2] = top + r, left + k, JUMP
    trace(frame, window, walk, left, top, closing, x)
    write(walk, x)


@njit
def _trace_swap(view, g, t, walk, J, window, Y, H):
    """Writes the best swap of group g that resumes t columns past the landing, and goes to where it begins."""
    side, frame = view.side, _as_window(view.frame)
    arcs, along, W, jump = frame.arcs, frame.along, frame.W, frame.jump
    c = np.int64(side.gap_arc[g])
    row, _ = _place(view.turned, walk.place[0], walk.place[1])
    bounds = _bounds(frame, view.limit, c)
    _open_window(BEST, frame, bounds, c, window, Y)
    _trace_window(frame, bounds, walk, c, row - bounds[0], side.landing[g] - bounds[1], True, window)
    score, b = NONE, np.int64(-1)
    for crossing in range(side.crossing_first[g], side.crossing_first[g + 1]):
        x = np.int64(side.landed[crossing])
        mass = J[_place(view.turned, arcs[x, 0], arcs[c, 2])] + W[jump, arcs[x, 4]] + frame.weight[x]
        mass += view.K[crossing - view.first[2], t]
        if mass > score:
            score, b = mass, x
    bounds = _bounds(frame, view.limit, b)
    rows, width = _open_window(BEST, frame, bounds, b, window, Y)
    _lead(BEST, frame, bounds[0], rows, width, Y, H)
    r, k, state = arcs[c, 0] - bounds[0], t - arcs[b, 3] + 1, arcs[c, 4]
    while r and H[r, k] + W[along[bounds[0] + r - 1], state] > Y[r, k] + W[jump, state]:
        r -= 1
        state = along[bounds[0] + r]
        write(walk, ALONG)
    _trace_window(frame, bounds, walk, b, r, k, False, window)
    write(walk, JUMP)
    walk.place[0], walk.place[1] = _place(view.turned, arcs[b, 0], arcs[c, 2])
    walk.place[2] = JUMP


@njit
def _turned(walk, view):
    """The same walk with the names that edits have in a view."""
    a0, A = view.first[0], view.frame.weight.size
    across, along = (DELETE, INSERT) if view.turned else (INSERT, DELETE)
    return Walk(walk.place, walk.edits, walk.length, view.side.original[a0 : a0 + A], across, along)


@njit(nogil=True, error_model="numpy")
def best_pushdown(arrays, limits, hyp, ref, path):
    """Best score of one lattice, and the edits that reach it; the first arguments as of ``log_pushdown``.

    ``path`` int32 [2 (m + n)] receives them in order: ``sweep.INSERT``, ``sweep.DELETE``, ``sweep.JUMP`` or an arc's
    index. Returns the score and the number of edits; none where nothing is possible.
    """
    deletes, inserts, weight, link, W = arrays
    jump, max_jump, first_arc = limits
    sides = Side(*hyp), Side(*ref)
    swaps = Swaps(deletes, inserts, weight, link, W, jump, max_jump, first_arc, sides[0], sides[1])
    m, n = swaps.deletes.size, swaps.inserts.size
    if m + n == 0:
        return 0.0, 0
    hypothesis, reference, inside, window, Y, H = _prepare(BEST, swaps)
    score = _forward(BEST, swaps, hypothesis, reference, inside)
    if score == NONE:
        return score, 0
    original = hypothesis.side.original[swaps.first_arc : swaps.first_arc + swaps.weight.size]
    walk = Walk(np.array([m, n, STOP]), path, np.zeros(1, np.int64), original, ACROSS, ALONG)
    while trace(hypothesis.frame, inside, walk, 0, 0, False, STOP) != START:
        place = walk.place[0], walk.place[1]
        g, t, best = _best_swap(hypothesis, place, NONE)
        other, other_t, _ = _best_swap(reference, place, best)
        if other < 0:
            _trace_swap(hypothesis, g, t, _turned(walk, hypothesis), inside.exits, window, Y, H)
        else:
            _trace_swap(reference, other, other_t, _turned(walk, reference), inside.exits, window, Y, H)
    return score, turn_round(walk)
