"""The best edit sequence of the restricted pushdown machine, from cell to cell (``cell_to_cell``).

It is traced back by asking at every step which of the sums was the largest; windows are opened again where the trace
enters a swap.
"""

import numpy as np

from pfsm_kernels.cache import njit
from pfsm_kernels.machine.sweep import (
    ACROSS,
    ALONG,
    DELETE,
    INSERT,
    JUMP,
    START,
    STOP,
    Walk,
    trace,
    turn_round,
    write,
)
from pfsm_kernels.pushdown.cell_to_cell import (
    _as_window,
    _bounds,
    _forward,
    _lead,
    _open_window,
    _place,
    _plain,
    _prepare,
)
from pfsm_kernels.semiring import BEST, NONE


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
def _trace_swap(view, g, t, walk, J, window, H):
    """Writes the best swap of group g that resumes t columns past the landing, and goes to where it begins."""
    side, frame = view.side, _as_window(view.frame)
    arcs, along, W, jump = frame.arcs, frame.along, frame.W, frame.jump
    c = np.int64(side.gap_arc[g])
    row, _ = _place(view.turned, walk.place[0], walk.place[1])
    bounds = _bounds(frame, view.limit, c)
    _open_window(BEST, frame, view.steps, bounds, row - bounds[0] + 1, c, window)
    _trace_window(frame, bounds, walk, c, row - bounds[0], side.landing[g] - bounds[1], True, window)
    score, b = NONE, np.int64(-1)
    for crossing in range(side.crossing_first[g], side.crossing_first[g + 1]):
        x = np.int64(side.landed[crossing])
        mass = J[_place(view.turned, arcs[x, 0], arcs[c, 2])] + W[jump, arcs[x, 4]] + frame.weight[x]
        mass += view.K[crossing - view.first[2], t]
        if mass > score:
            score, b = mass, x
    bounds = _bounds(frame, view.limit, b)
    rows = arcs[c, 0] - bounds[0] + 1
    width = _open_window(BEST, frame, view.steps, bounds, rows, b, window)
    _lead(BEST, frame, bounds[0], rows, width, window.late, H)
    r, k, state = arcs[c, 0] - bounds[0], t - arcs[b, 3] + 1, arcs[c, 4]
    while r and H[r, k] + W[along[bounds[0] + r - 1], state] > window.late[r, k] + W[jump, state]:
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
    swaps = _plain(arrays, limits, hyp, ref)
    m, n = swaps.deletes.size, swaps.inserts.size
    if m + n == 0:
        return 0.0, 0
    hypothesis, reference, inside, window, H = _prepare(BEST, swaps)
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
            _trace_swap(hypothesis, g, t, _turned(walk, hypothesis), inside.late, window, H)
        else:
            _trace_swap(reference, other, other_t, _turned(walk, reference), inside.late, window, H)
    return score, turn_round(walk)
