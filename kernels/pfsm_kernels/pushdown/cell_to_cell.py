"""The restricted pushdown machine (pPDA) from cell to cell: sums and their derivatives, and best edits.

A swap on the hypothesis side jumps from (i, start) to (i, L), edits a landed block that begins with an arc b and ends
at column e <= L + D, jumps back to ``start``, edits the gap [start, L), which begins with Deletes and an arc c, and
jumps to e. Landed block and gap meet the rest of the sentence only through b and c, so they are summed up
apart from it (products and sums are those of a semiring):

    E_a[u, v, state]   inside mass of edits that begin with arc a (its own weight left out) and reach row u, column v,
                       v <= column of a + D: ``machine.sweep`` in a window
    Y_b[u, e]  = sum_state E_b[u, e, state] W[state, Jump]           the landed block ends, jump back
    H_b[u+1, e] = H_b[u, e] W[del, del] + Y_b[u, e] W[Jump, del]     Deletes that open the gap
    K_bc[e]    = Y_b[row c, e] W[Jump, c] + H_b[row c, e] W[del, c]  the gap's first arc
    Z_c[u]     = sum_(state != Del) E_c[u, L, state] W[state, Jump]  the gap is closed: its last edit consumes s
    J[i, j]    = outer mass that enters Jump at (i, j), from V too: one swap may follow another at once
    F_cL[e]    = sum_b J[row b, start] W[Jump, b] f_b K_bc[e]        over the arcs b that land at L
    V[u, e]   += F_cL[e] f_c Z_c[u]                                  outer mass in state Jump after the swap

and V joins Insert, Delete and arcs in the sweep over the whole pair. Jumps on the reference side are the same on the
transposed view. Every sum above is bilinear, so the backward pass is its plain adjoint, with

    R_cL[e] = f_c sum_u Z_c[u] bV[u, e],   dJ[row b, start] = W[Jump, b] f_b sum_e K_bc[e] R_cL[e].

**Tilt.** In linear space every edit is divided by ``rho`` per consumed token; jumps consume nothing. ``rho`` is large
enough for swaps as well (``tilt``), so all masses stay bounded and a total of at least ``SMALLEST_TOTAL_WITH_JUMPS`` is
exact to rounding; other pairs are left to log space, which is slow and safe.

**Cost.** O(m n + arcs with crossings x window + groups x rows x D) time; 64 (m + 1)(n + 1) bytes, 16 D bytes a crossing
and 8 (m + n) bytes a group and pair.

The best edit sequence is traced back by asking at every step which of the sums was the largest; windows are opened
again where the trace enters a swap.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pfsm_kernels.cache import copy, njit
from pfsm_kernels.lattice.lattices import Cells, Factors, Outputs
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
from pfsm_kernels.machine.tilt import SMALLEST_TOTAL_WITH_JUMPS, tilt_arcs
from pfsm_kernels.pushdown.crossings import Side
from pfsm_kernels.semiring import BEST, LINEAR, LOG, NONE, plus, share, times, whole_of

# Not literals, for each of which Numba would compile what is given them.
YES, NO = np.bool_(True), np.bool_(False)

Float = NDArray[np.float64]
Int32 = NDArray[np.int32]


class Swaps(NamedTuple):
    """What is known of one lattice to make jumps.

    Attributes:
        deletes: int32 [m], state of each Delete.
        inserts: int32 [n], state of each Insert.
        weight: float64 [n_arcs], of its arcs; in linear space tilted, as the tables are.
        link: float64 [n_arcs] or [0].
        tables: float64 [S + 1, S] each, what an edit across or along, an arc and Jump count (``sweep.Frame``).
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
    tables: tuple[Float, Float, Float]
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


@njit(inner=True, borrows=True)
def _clear(masses, none):
    """Nothing everywhere; entry by entry, as assignments of slices take Numba seconds to compile."""
    for at in range(masses.size):
        masses[at] = none


@njit(inner=True, borrows=True)
def _clear_rows(plane, first, last, width, none):
    """Nothing in the first columns of rows first..last-1."""
    for r in range(first, last):
        for k in range(width):
            plane[r, k] = none


@njit(inner=True)
def _view(semiring, swaps, side, turned):
    none = semiring.zero
    a0, A, D = swaps.first_arc, swaps.weight.size, swaps.max_jump
    along, across = (swaps.inserts, swaps.deletes) if turned else (swaps.deletes, swaps.inserts)
    original = side.original[a0 : a0 + A]
    link = swaps.link[original] if swaps.link.size else swaps.link
    arcs, by_end = side.arcs[a0 : a0 + A], side.by_end[a0 : a0 + A]
    frame = make_frame(along, across, arcs, by_end, swaps.weight[original], link, swaps.tables, swaps.jump)
    groups = side.group_first[a0 + A] - side.group_first[a0]
    crossings = side.landed_first[a0 + A] - side.landed_first[a0]
    first = a0, side.group_first[a0], side.landed_first[a0]
    return View(
        frame, side, first, D, turned, np.full((crossings, D), none),
        np.full((groups, along.size + 1), none), np.full((groups, D), none), np.full((groups, D), none),
    )  # fmt: skip


# In line, as functions that count no references can neither hand out arrays nor give back what they are handed.
@njit(inner=True, inline="always")
def _as_window(frame):
    """The frame as its windows see it: without the corners of the whole."""
    return Frame(
        frame.along, frame.across, frame.arcs, frame.starts, frame.columns, frame.by_end, frame.ends, frame.end_columns,
        frame.weight, frame.link, frame.W, frame.into_arcs, frame.into_jump, frame.jump, False,
    )  # fmt: skip


@njit(inner=True, borrows=True)
def _bounds(frame, max_jump, x):
    """Row and column where the window of arc x begins, and the last column of it."""
    left = frame.arcs[x, 2] + frame.arcs[x, 3]
    return frame.arcs[x, 0] + frame.arcs[x, 1], left, min(frame.across.size, frame.arcs[x, 2] + max_jump)


@njit(inner=True, borrows=True)
def _window_rows(view, x):
    """Rows of arc x's window that are needed: all where it opens gaps, else down to its last partner, or none."""
    side, arcs, at = view.side, view.frame.arcs, view.first[0] + x
    end = side.landed_first[at + 1]
    top = arcs[x, 0] + arcs[x, 1]
    if side.group_first[at + 1] > side.group_first[at]:
        return view.frame.along.size - top + 1
    return (
        arcs[side.gap_arc[side.group[side.by_landed[end - 1]]], 0] - top + 1
        if end > side.landed_first[at]
        else 0
    )


@njit(inner=True, borrows=True)
def _open_window(semiring, frame, bounds, rows, x, window):
    """Inside masses of some rows from arc x on; ``exits`` are Z, ``late`` Y. Returns how many columns it has."""
    top, left, limit = bounds
    _clear(window.arcs, semiring.zero)
    window.arcs[x] = semiring.one
    _clear_rows(window.along, 0, 1, limit - left + 1, semiring.zero)
    forward_rows(semiring, frame, window, left, limit, top, (top, top + rows))
    return limit - left + 1


@njit(inner=True, borrows=True, fastmath={"contract"})
def _lead(semiring, frame, top, rows, width, Y, H):
    """Edits along that open the gap."""
    W, along, jump = frame.W, frame.along, frame.jump
    _clear_rows(H, 0, 1, width, semiring.zero)
    for r in range(rows - 1):
        state = along[top + r]
        more, leave = W[along[top + r - 1], state], W[jump, state]
        for k in range(width):
            H[r + 1, k] = plus(semiring, times(semiring, H[r, k], more), times(semiring, Y[r, k], leave))


@njit(inner=True, borrows=True)
def _place(turned, row, column):
    """Reference and hypothesis position of a place in a view."""
    return (column, row) if turned else (row, column)


@njit(inner=True, borrows=True, fastmath={"contract"})
def _inside(semiring, view, window, H):
    """K of every crossing and Z of every group of one view."""
    side, frame, K, exits = view.side, _as_window(view.frame), view.K, view.exits
    arcs, along, Z, Y = frame.arcs, frame.along, window.exits, window.late
    into_arcs, jump = frame.into_arcs, frame.jump
    a0, first_group, first_crossing = view.first
    for x in range(arcs.shape[0]):
        begin, end = side.landed_first[a0 + x], side.landed_first[a0 + x + 1]
        g0, g1 = side.group_first[a0 + x], side.group_first[a0 + x + 1]
        rows = _window_rows(view, x)
        if rows == 0:
            continue
        bounds = _bounds(frame, view.limit, x)
        width = _open_window(semiring, frame, bounds, rows, x, window)
        top, left = bounds[0], bounds[1]
        for g in range(g0, g1):
            for r in range(rows):
                exits[g - first_group, top + r] = Z[r, side.landing[g] - left]
        if begin < end:
            _lead(semiring, frame, top, rows, width, Y, H)
        for at in range(begin, end):
            crossing = side.by_landed[at]
            c = side.gap_arc[side.group[crossing]]
            r, state = arcs[c, 0] - top, arcs[c, 4]
            after_jump, after_along = into_arcs[jump, state], into_arcs[along[arcs[c, 0] - 1], state]
            for k in range(width):
                mass = plus(
                    semiring, times(semiring, Y[r, k], after_jump), times(semiring, H[r, k], after_along)
                )
                K[crossing - first_crossing, arcs[x, 3] - 1 + k] = mass


@njit(inner=True, borrows=True, fastmath={"contract"})
def _swap(semiring, view, c, J, V):
    """The swaps whose gap arc c opens: F, and what resumes behind them."""
    side, arcs, weight = view.side, view.frame.arcs, view.frame.weight
    into_arcs, jump = view.frame.into_arcs, view.frame.jump
    height, width, D, turned = view.frame.along.size, view.frame.across.size, view.limit, view.turned
    a0, first_group, first_crossing = view.first
    for g in range(side.group_first[a0 + c], side.group_first[a0 + c + 1]):
        F, exits, landing = view.F[g - first_group], view.exits[g - first_group], side.landing[g]
        for crossing in range(side.crossing_first[g], side.crossing_first[g + 1]):
            b, K = side.landed[crossing], view.K[crossing - first_crossing]
            mass = times(semiring, J[_place(turned, arcs[b, 0], arcs[c, 2])], into_arcs[jump, arcs[b, 4]])
            mass = times(semiring, mass, weight[b])
            for t in range(D):
                F[t] = plus(semiring, F[t], times(semiring, mass, K[t]))
        first, count = landing + 1, min(D, width - landing)
        for row in range(arcs[c, 0] + arcs[c, 1], height + 1):
            leave = times(semiring, weight[c], exits[row])
            if turned:
                for t in range(count):
                    V[first + t, row] = plus(semiring, V[first + t, row], times(semiring, F[t], leave))
            else:
                for t in range(count):
                    V[row, first + t] = plus(semiring, V[row, first + t], times(semiring, F[t], leave))


@njit(inner=True, borrows=True, fastmath={"contract"})
def _swap_adjoint(semiring, view, c, J, dJ, bV, whole, counts):
    """Adjoint of ``_swap``: R, what enters Jump is worth, and how often a first jump is made."""
    side, arcs, weight = view.side, view.frame.arcs, view.frame.weight
    into_arcs, jump = view.frame.into_arcs, view.frame.jump
    height, width, D, turned = view.frame.along.size, view.frame.across.size, view.limit, view.turned
    a0, first_group, first_crossing = view.first
    for g in range(side.group_first[a0 + c], side.group_first[a0 + c + 1]):
        R, exits, landing = view.R[g - first_group], view.exits[g - first_group], side.landing[g]
        for t in range(min(D, width - landing)):
            mass = semiring.zero
            for row in range(arcs[c, 0] + arcs[c, 1], height + 1):
                mass = plus(
                    semiring, mass, times(semiring, exits[row], bV[_place(turned, row, landing + 1 + t)])
                )
            R[t] = times(semiring, mass, weight[c])
        for crossing in range(side.crossing_first[g], side.crossing_first[g + 1]):
            b, K = side.landed[crossing], view.K[crossing - first_crossing]
            place = _place(turned, arcs[b, 0], arcs[c, 2])
            mass = semiring.zero
            for t in range(D):
                mass = plus(semiring, mass, times(semiring, K[t], R[t]))
            mass = times(semiring, mass, times(semiring, into_arcs[jump, arcs[b, 4]], weight[b]))
            counts[jump, arcs[b, 4]] += share(semiring, times(semiring, J[place], mass), whole)
            dJ[place] = plus(semiring, dJ[place], mass)


@njit(inner=True, borrows=True, fastmath={"contract"})
def _inside_adjoint(semiring, view, planes, windows, scratch, whole, counts, masses):
    """Adjoint of ``_inside`` for one view: windows are opened again, with what their exits are worth.

    ``planes`` are J and bV, ``windows`` the masses inside of a window and their adjoints, ``scratch`` H and its own.
    ``masses`` are posteriors of arcs and of links, to which those inside of windows are added.
    """
    (J, bV), (window, outside) = planes, windows
    side, frame, turned, D = view.side, _as_window(view.frame), view.turned, view.limit
    arcs, along, weight, into_arcs, jump = frame.arcs, frame.along, frame.weight, frame.into_arcs, frame.jump
    a0, first_group, _ = view.first
    (H, dH), Y, dZ, dY, none = scratch, window.late, outside.exits, outside.late, semiring.zero
    for x in range(arcs.shape[0]):
        begin, end = side.landed_first[a0 + x], side.landed_first[a0 + x + 1]
        g0, g1 = side.group_first[a0 + x], side.group_first[a0 + x + 1]
        rows = _window_rows(view, x)
        if rows == 0:
            continue
        bounds = _bounds(frame, D, x)
        width = _open_window(semiring, frame, bounds, rows, x, window)
        top, left, _ = bounds
        _clear(outside.arcs, none)
        _clear_rows(outside.along, rows, rows + 1, width, none)
        for plane in (dY, dZ, dH):
            _clear_rows(plane, 0, rows, width, none)
        for g in range(g0, g1):
            F, k, landing = view.F[g - first_group], side.landing[g] - left, side.landing[g]
            for r in range(rows):
                mass = none
                for t in range(min(D, frame.across.size - landing)):
                    mass = plus(
                        semiring, mass, times(semiring, F[t], bV[_place(turned, top + r, landing + 1 + t)])
                    )
                dZ[r, k] = plus(semiring, dZ[r, k], times(semiring, mass, weight[x]))
        if begin < end:
            _lead(semiring, frame, top, rows, width, Y, H)
        for at in range(begin, end):
            g = side.group[side.by_landed[at]]
            c, R = side.gap_arc[g], view.R[g - first_group]
            entering = times(semiring, J[_place(turned, arcs[x, 0], arcs[c, 2])], into_arcs[jump, arcs[x, 4]])
            entering = times(semiring, entering, weight[x])
            states, r = (jump, along[arcs[c, 0] - 1], arcs[c, 4]), arcs[c, 0] - top
            for k in range(width):
                mass = times(semiring, entering, R[arcs[x, 3] - 1 + k])
                _reach(semiring, (Y[r], H[r], dY[r], dH[r]), k, mass, states, into_arcs, whole, counts)
        for r in range(rows - 2 if begin < end else -1, -1, -1):
            opened, lasted = 0.0, 0.0
            before, below = along[top + r - 1], along[top + r]
            leave, more = frame.W[jump, below], frame.W[before, below]
            for k in range(width):
                mass = dH[r + 1, k]
                from_jump, from_along = times(semiring, mass, leave), times(semiring, mass, more)
                dY[r, k], dH[r, k] = (
                    plus(semiring, dY[r, k], from_jump), plus(semiring, dH[r, k], from_along)
                )  # fmt: skip
                opened += share(semiring, times(semiring, Y[r, k], from_jump), whole)
                lasted += share(semiring, times(semiring, H[r, k], from_along), whole)
            counts[jump, below] += opened
            counts[before, below] += lasted
        for r in range(rows):
            for k in range(width):
                dZ[r, k] = plus(semiring, dZ[r, k], dY[r, k])
        backward_rows(semiring, frame, window, outside, bounds, (top, top + rows), whole, counts, masses[1])
        for a in range(arcs.shape[0]):
            if window.arcs[a] > none:
                masses[0, a] += share(semiring, times(semiring, window.arcs[a], outside.arcs[a]), whole)


@njit(inner=True, borrows=True)
def _reach(semiring, rows, k, mass, states, table, whole, counts):
    """What an exit and a lead are worth where the gap's next edit, worth ``mass``, follows; and how often it does."""
    if not mass > semiring.zero:
        return
    (jump, before, state), (Y, H, dY, dH) = states, rows
    from_jump = times(semiring, mass, table[jump, state])
    from_along = times(semiring, mass, table[before, state])
    dY[k], dH[k] = plus(semiring, dY[k], from_jump), plus(semiring, dH[k], from_along)
    counts[jump, state] += share(semiring, times(semiring, Y[k], from_jump), whole)
    counts[before, state] += share(semiring, times(semiring, H[k], from_along), whole)


@njit(inner=True, borrows=True)
def _forward(semiring, swaps, hyp, ref, inside):
    """Outer forward pass; ``late`` of ``inside`` is J. Returns the total."""
    frame, J, V, position = hyp.frame, inside.late, inside.back, ref.side.position
    for u in range(frame.along.size + 1):
        forward_rows(semiring, frame, inside, np.int64(0), frame.across.size, np.int64(0), (u, u + 1))
        for a in range(frame.starts[u], frame.starts[u + 1]):
            _swap(semiring, hyp, a, J, V)
            _swap(semiring, ref, np.int64(position[swaps.first_arc + a]), J, V)
    return total_mass(semiring, frame, inside, np.int64(0))


@njit(inner=True, inline="always")
def _prepare(semiring, swaps):
    """Both views with their K and Z, the outer masses, a window and three planes of its size."""
    hyp, ref = _view(semiring, swaps, swaps.hypothesis, NO), _view(semiring, swaps, swaps.reference, YES)
    m, n, A = swaps.deletes.size, swaps.inserts.size, swaps.weight.size
    rows, width = max(m, n) + 1, swaps.max_jump + 1
    window = make_masses(semiring.zero, rows, width, A, rows, False)
    H = np.empty((rows, width))
    _inside(semiring, hyp, window, H)
    _inside(semiring, ref, window, H)
    return hyp, ref, make_masses(semiring.zero, m + 1, n + 1, A, m + 1, True), window, H


@njit(inner=True, inline="always")
def _sums(semiring, swaps, derivatives, counts, arc_mass, link_mass):
    """Total of one lattice; with ``derivatives``, also its expected counts.

    ``counts`` [S + 1, S], ``arc_mass`` [n_arcs] and ``link_mass`` ([n_arcs] or [0]), all zero, are written.
    """
    none = semiring.zero
    hypothesis, reference, inside, window, H = _prepare(semiring, swaps)
    total = _forward(semiring, swaps, hypothesis, reference, inside)
    if not derivatives or total == none:
        return total
    m, n, A = swaps.deletes.size, swaps.inserts.size, swaps.weight.size
    bV, dJ = np.full((m + 1, n + 1), none), np.full((m + 1, n + 1), none)
    outer = make_masses(none, m + 1, n + 1, A, 0, False)
    outer = Masses(outer.across, outer.along, outer.arcs, dJ, dJ, bV)
    rows = window.across.shape[0]
    outside = make_masses(none, rows, window.across.shape[1], A, rows, False)
    masses, turned = np.zeros((2, A)), np.zeros((2, A))
    _adjoints(
        semiring, swaps, hypothesis, reference, (inside, outer), (window, outside), (H, np.empty_like(H)),
        whole_of(semiring, total), counts, masses, turned,
    )  # fmt: skip
    copy(masses[0], arc_mass)
    copy(masses[1, : link_mass.size], link_mass)
    return total


@njit(inner=True, borrows=True)
def _adjoints(
    semiring, swaps, hypothesis, reference, planes, windows, scratch, whole, counts, masses, turned
):
    """What follows on the forward pass: expected counts, and ``masses`` of arcs and links in the order of arcs.

    ``planes`` are the outer masses and their adjoints, ``windows`` those of a window, ``scratch`` H and its own.
    """
    (inside, outer), m, n, A = planes, swaps.deletes.size, swaps.inserts.size, swaps.weight.size
    J, bV, dJ, first = inside.late, outer.back, outer.late, np.int64(0)
    for u in range(m, -1, -1):
        for a in range(hypothesis.frame.starts[u], hypothesis.frame.starts[u + 1]):
            _swap_adjoint(semiring, hypothesis, a, J, dJ, bV, whole, counts)
            other = np.int64(reference.side.position[swaps.first_arc + a])
            _swap_adjoint(semiring, reference, other, J, dJ, bV, whole, counts)
        bounds = first, first, n
        backward_rows(semiring, hypothesis.frame, inside, outer, bounds, (u, u + 1), whole, counts, masses[1])
    for x in range(A):
        masses[0, x] = share(semiring, times(semiring, inside.arcs[x], outer.arcs[x]), whole)
    _inside_adjoint(semiring, hypothesis, (J, bV), windows, scratch, whole, counts, masses)
    _inside_adjoint(semiring, reference, (J, bV), windows, scratch, whole, counts, turned)
    for x in range(A):
        a = reference.side.original[swaps.first_arc + x]
        masses[0, a] += turned[0, x]
        masses[1, a] += turned[1, x]


@njit(nogil=True, error_model="numpy")
def log_pushdown(arrays, limits, hyp, ref, derivatives, counts, arc_mass, link_mass):
    """Log-sum of one lattice; with ``derivatives``, also its expected counts (see ``_sums``).

    ``Swaps`` as plain tuples: its arrays, its three numbers, both sides.
    """
    swaps = _plain(arrays, limits, hyp, ref)
    if swaps.deletes.size + swaps.inserts.size == 0:
        return 0.0
    return _sums(LOG, swaps, derivatives, counts, arc_mass, link_mass)


@njit(inner=True, inline="always")
def _plain(arrays, limits, hyp, ref):
    """``Swaps`` in the log domain from plain tuples."""
    deletes, inserts, weight, link, W = arrays
    jump, max_jump, first_arc = limits
    return Swaps(deletes, inserts, weight, link, (W, W, W), jump, max_jump, first_arc, Side(*hyp), Side(*ref))


@njit(nogil=True, error_model="numpy")
def pushdown_batch(first, last, cells, factors, jumping, rates, outputs):
    """Log-sums of lattices first..last-1 with jumps; with the derivatives of each where there is room for them.

    The arguments are those of ``batch``, as plain tuples, and ``tilt.rates_with_jumps``. Lattices that come in accepted
    are done; where ``accepted`` is False afterwards, log space is needed.
    """
    cells, factors, outputs = Cells(*cells), Factors(*factors), Outputs(*outputs)
    offsets, E, accepted = cells.offsets, factors.table, outputs.accepted
    derivatives, n_links = outputs.table.shape[0] > 0, factors.links.size
    jump, max_jump, hyp, ref = jumping[0], jumping[1], Side(*jumping[2]), Side(*jumping[3])
    for k in range(first, last):
        if accepted[k]:
            continue
        a0, a1 = offsets[k, 2], offsets[k + 1, 2]
        deletes = cells.deletes[offsets[k, 0] : offsets[k + 1, 0]]
        inserts = cells.inserts[offsets[k, 1] : offsets[k + 1, 1]]
        link = factors.links[a0:a1] if n_links else factors.links
        table, rho, tilted = np.zeros(E.shape if derivatives else (0, 0)), rates[k], np.empty(a1 - a0)
        on_arcs, on_links = np.empty(a1 - a0), np.empty(link.size)
        total, empty = 1.0, deletes.size + inserts.size == 0
        accepted[k] = empty or (rho > 0.0 and tilt_arcs(rho, a0, a1, cells.arcs, factors.arcs, tilted))
        if accepted[k] and not empty:
            tables = E / rho, E / (rho * rho), E
            swaps = Swaps(deletes, inserts, tilted, link, tables, jump, max_jump, a0, hyp, ref)
            total = _sums(LINEAR, swaps, derivatives, table, on_arcs, on_links)
            accepted[k] = total >= SMALLEST_TOTAL_WITH_JUMPS
        if accepted[k]:
            outputs.log_sum[k] = (
                0.0 if empty else math.log(total) + (deletes.size + inserts.size) * math.log(rho)
            )
            if derivatives:
                for prev in range(table.shape[0]):
                    copy(table[prev], outputs.table[k, prev])
                copy(on_arcs, outputs.arcs[a0:a1])
                if n_links:
                    copy(on_links, outputs.links[a0:a1])


@njit(inner=True)
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


@njit(inner=True)
def _trace_window(frame, bounds, walk, x, r, k, closing, window):
    """Writes the jump out of row r, column k of arc x's window, and the edits before it as far as x."""
    top, left, _ = bounds
    write(walk, JUMP)
    walk.place[0], walk.place[1], walk.place[2] = top + r, left + k, JUMP
    trace(frame, window, walk, left, top, closing, x)
    write(walk, x)


@njit(inner=True)
def _trace_swap(view, g, t, walk, J, window, H):
    """Writes the best swap of group g that resumes t columns past the landing, and goes to where it begins."""
    side, frame = view.side, _as_window(view.frame)
    arcs, along, W, jump = frame.arcs, frame.along, frame.W, frame.jump
    c = np.int64(side.gap_arc[g])
    row, _ = _place(view.turned, walk.place[0], walk.place[1])
    bounds = _bounds(frame, view.limit, c)
    _open_window(BEST, frame, bounds, row - bounds[0] + 1, c, window)
    _trace_window(frame, bounds, walk, c, row - bounds[0], side.landing[g] - bounds[1], YES, window)
    score, b = NONE, np.int64(-1)
    for crossing in range(side.crossing_first[g], side.crossing_first[g + 1]):
        x = np.int64(side.landed[crossing])
        mass = J[_place(view.turned, arcs[x, 0], arcs[c, 2])] + W[jump, arcs[x, 4]] + frame.weight[x]
        mass += view.K[crossing - view.first[2], t]
        if mass > score:
            score, b = mass, x
    bounds = _bounds(frame, view.limit, b)
    rows = arcs[c, 0] - bounds[0] + 1
    width = _open_window(BEST, frame, bounds, rows, b, window)
    _lead(BEST, frame, bounds[0], rows, width, window.late, H)
    r, k, state = arcs[c, 0] - bounds[0], t - arcs[b, 3] + 1, arcs[c, 4]
    while r and H[r, k] + W[along[bounds[0] + r - 1], state] > window.late[r, k] + W[jump, state]:
        r -= 1
        state = along[bounds[0] + r]
        write(walk, ALONG)
    _trace_window(frame, bounds, walk, b, r, k, NO, window)
    write(walk, JUMP)
    walk.place[0], walk.place[1] = _place(view.turned, arcs[b, 0], arcs[c, 2])
    walk.place[2] = JUMP


@njit(inner=True)
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
    first = np.int64(0)
    while trace(hypothesis.frame, inside, walk, first, first, NO, np.int64(STOP)) != START:
        place = walk.place[0], walk.place[1]
        g, t, best = _best_swap(hypothesis, place, NONE)
        other, other_t, _ = _best_swap(reference, place, best)
        if other < 0:
            _trace_swap(hypothesis, g, t, _turned(walk, hypothesis), inside.late, window, H)
        else:
            _trace_swap(reference, other, other_t, _turned(walk, reference), inside.late, window, H)
    return score, turn_round(walk)
