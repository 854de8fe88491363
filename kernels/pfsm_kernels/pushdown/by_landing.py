"""The restricted pushdown machine by landing columns: log-sums of long lines in which many matches cross.

The swaps are those of ``cell_to_cell``, which opens a window for every arc. Here all swaps that land at one column L
are swept together, row by row, whichever arcs they are made of. A swap jumps from (i, L - g) to (i, L), 1 <= g <= D,
and in the end from (u, L) to (u, L + t + 1), 0 <= t < D; only g and t have to be remembered:

    P[k, g]     inside of the landed block, k columns past L; it begins with arcs b that start at L:
                J[i, L - g] W[Jump, b] f_b is where it comes from
    Y[k, g]   = sum over states of P[k, g] W[state, Jump], and H[k, g] after Deletes that open the gap
    Q[g, k, t]  inside of the gap, k columns past L - g; it begins with arcs c that start at L - g:
                (Y[t + 1, g] W[Jump, c] + H[t + 1, g] W[Delete, c]) f_c
    V[u, L + t + 1] += sum over g and states but Delete of Q[g, g, t] W[state, Jump]

Jumps on the reference side are the same on the transposed view, swept when the rows of J that they come from are known.

**Scale.** What can follow a mass inside of a swap can, up to a few transitions, follow the outer masses beside it. So
in linear space masses of the swaps that land at L are divided by a power of two near J[u, L], which is followed down
the rows; outer masses are logarithms. Nothing is lost that would count, as long as a few transitions are worth less
than what is left of the range of numbers (``few_transitions``). Beyond that, ``LOG`` does the same without a scale,
slowly.

**Cost.** O(m n D^3 + arcs D^3) time, whatever number of matches cross; O((m + n) D^3 + arcs in a row) memory.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pfsm_kernels.cache import njit
from pfsm_kernels.machine.log_space import make_masses
from pfsm_kernels.machine.sweep import forward_rows, make_frame, total_mass
from pfsm_kernels.semiring import LINEAR, LOG, NONE, Linear, LogSum, by_type, log_add, plus, times

Float = NDArray[np.float64]
Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]

# The range of numbers is exp(+-708); both ends of a scale's drift are well inside.
MOST_OF_A_FEW = 600.0
DRIFT = 32
LANES = 8
POWERS = np.ldexp(1.0, -np.arange(1100))
LOG_2 = math.log(2.0)


class Transitions(NamedTuple):
    """What weighs what where swaps are swept, in their semiring.

    Attributes:
        W: float64 [S + 1, S].
        weight: float64 [n_arcs].
        link: float64 [n_arcs] or [0].
        jump: The state of Jump.
        limit: The jump limit D.
        period: What the place of an arc among those that are under way is the remainder of its index by.
    """

    W: Float
    weight: Float
    link: Float
    jump: int
    limit: int
    period: int


class Sweep(NamedTuple):
    """Masses of the swaps that land at some columns, at one row.

    Lanes are g in landed blocks, and g and t in gaps, both counted from 0 and followed by zeros up to a whole number of
    registers: ``padded(D)`` places for each.

    Attributes:
        landed: float64 [columns, D + 1, lanes], of edits along in landed blocks: P by k.
        opening: float64 [columns, D + 1, lanes], H by k.
        gaps: float64 [columns, D + 1, D lanes], of edits along in gaps: Q by how far before L.
        landed_arcs: float64 [period, D + 1, lanes], of arcs in landed blocks, by how far past L they begin.
        gap_arcs: float64 [period, D + 1, D lanes], of arcs in gaps, by how far before L they begin.
        row: float64 [D lanes], what the edits across bring; ``exits`` [D + 1, lanes], Y; ``closing`` [D lanes], what
            leaves gaps.
        scale: int64 [columns], the power of two that the masses are divided by; always 0 for logarithms.
    """

    landed: Float
    opening: Float
    gaps: Float
    landed_arcs: Float
    gap_arcs: Float
    row: Float
    exits: Float
    closing: Float
    scale: Int64


class Resumed(NamedTuple):
    """What resumes behind swaps: masses, and the powers of two that they are divided by."""

    mass: Float
    power: Int64


@njit
def few_transitions(W, arcs, weight, link, max_jump):
    """At most how much, in logarithms, masses side by side can differ by; infinity where something is impossible."""
    largest, on_arcs, longest = 0.0, 0.0, 2
    for prev in range(W.shape[0]):
        for cur in range(W.shape[1]):
            largest = max(largest, abs(W[prev, cur]))
    for a in range(weight.size):
        on_arcs = max(on_arcs, abs(weight[a]))
        longest = max(longest, arcs[a, 1] + arcs[a, 3])
    for a in range(link.size):
        on_arcs = max(on_arcs, abs(link[a]) + abs(weight[a]))
    return (2.0 * max_jump + 2.0) * (on_arcs + (longest + 2.0) * largest)


@njit
def padded(D):
    """Places for D lanes."""
    return (D + LANES - 1) // LANES * LANES


@njit
def _make_sweep(semiring, columns, D, period):
    none, lanes = semiring.zero, padded(D)
    return Sweep(
        np.full((columns, D + 1, lanes), none), np.full((columns, D + 1, lanes), none),
        np.full((columns, D + 1, D * lanes), none), np.full((period, D + 1, lanes), none),
        np.full((period, D + 1, D * lanes), none), np.full(D * lanes, none), np.full((D + 1, lanes), none),
        np.full(D * lanes, none), np.zeros(columns, np.int64),
    )  # fmt: skip


@njit
def _period(frame):
    """The most arcs that are under way at once, from the row where they begin to that where they end; the most rows."""
    longest, most = 1, 1
    for a in range(frame.weight.size):
        longest = max(longest, frame.arcs[a, 1])
    for u in range(frame.along.size + 1):
        most = max(most, frame.starts[u + 1] - frame.starts[max(u - longest, 0)])
    return most, longest


def _entering_linear(semiring, mass, scale):  # noqa: ARG001
    return math.exp(mass - scale * LOG_2)


def _itself(semiring, mass, scale):  # noqa: ARG001
    return mass


def _leaving_linear(semiring, mass, scale):  # noqa: ARG001
    return math.log(mass) + scale * LOG_2 if mass > 0.0 else NONE


def _resume_linear(semiring, mass, power, at, more, scale):  # noqa: ARG001
    if more == 0.0:
        return
    further = scale - power[at]
    if mass[at] == 0.0 or further >= POWERS.size:
        mass[at], power[at] = more, scale
    elif further >= 0:
        mass[at] = mass[at] * POWERS[further] + more
        power[at] = scale
    elif -further < POWERS.size:
        mass[at] += more * POWERS[-further]


def _resume_log(semiring, mass, power, at, more, scale):  # noqa: ARG001
    mass[at] = log_add(mass[at], more)


# An outer mass as one of a sweep; what resumes as an outer mass; and adding to what resumes.
_entering = by_type({Linear: _entering_linear, LogSum: _itself})
_leaving = by_type({Linear: _leaving_linear, LogSum: _itself})
_resume = by_type({Linear: _resume_linear, LogSum: _resume_log})


@njit
def _change_scale(frame, table, sweep, at, place, longest, scale):
    """Divides the masses of the swaps that land at column ``place[1]`` by another power of two."""
    (u, L), D, arcs, power = place, table.limit, frame.arcs, sweep.scale[at] - scale
    # What would grow beyond all numbers is zero.
    factor = math.ldexp(1.0, int(max(power, -1100))) if power < 1000 else 0.0
    sweep.scale[at] = scale
    sweep.landed[at] *= factor
    sweep.opening[at] *= factor
    sweep.gaps[at] *= factor
    for a in range(frame.starts[max(u - longest, 0)], frame.starts[u + 1]):
        column = arcs[a, 2]
        if L <= column <= L + D:
            sweep.landed_arcs[a % table.period, column - L] *= factor
        elif L - D <= column < L:
            sweep.gap_arcs[a % table.period, L - column] *= factor


@njit(borrows=True)
def _linked(arcs, a, b, link):
    return link.size > 0 and arcs[a, 1] + arcs[a, 3] == 2 and arcs[b, 1] + arcs[b, 3] == 2


@njit(borrows=True)
def _clear(semiring, target):
    for i in range(target.size):
        target[i] = semiring.zero


@njit(borrows=True, inline="always")
def _load(lanes):
    """As many lanes as a register has."""
    return lanes[0], lanes[1], lanes[2], lanes[3], lanes[4], lanes[5], lanes[6], lanes[7]


@njit(borrows=True, inline="always")
def _store(lanes, x):
    lanes[0], lanes[1], lanes[2], lanes[3], lanes[4], lanes[5], lanes[6], lanes[7] = x


@njit(borrows=True, fastmath={"contract"})
def _both(semiring, x, v, y, w):
    """x times v plus y times w, lane by lane: all are read before any is written, so that they fit into registers."""
    return (
        plus(semiring, times(semiring, x[0], v), times(semiring, y[0], w)),
        plus(semiring, times(semiring, x[1], v), times(semiring, y[1], w)),
        plus(semiring, times(semiring, x[2], v), times(semiring, y[2], w)),
        plus(semiring, times(semiring, x[3], v), times(semiring, y[3], w)),
        plus(semiring, times(semiring, x[4], v), times(semiring, y[4], w)),
        plus(semiring, times(semiring, x[5], v), times(semiring, y[5], w)),
        plus(semiring, times(semiring, x[6], v), times(semiring, y[6], w)),
        plus(semiring, times(semiring, x[7], v), times(semiring, y[7], w)),
    )


@njit(borrows=True, fastmath={"contract"})
def _step(semiring, target, mass, weight):
    """Adds a mass times a weight."""
    for first in range(0, target.size, LANES):
        own = target[first : first + LANES]
        _store(own, _both(semiring, _load(own), semiring.one, _load(mass[first : first + LANES]), weight))


@njit(borrows=True, fastmath={"contract"})
def _join(semiring, target, one, one_weight, other, other_weight):
    """Two masses times their weights."""
    for first in range(0, target.size, LANES):
        x, y = _load(one[first : first + LANES]), _load(other[first : first + LANES])
        _store(target[first : first + LANES], _both(semiring, x, one_weight, y, other_weight))


@njit(borrows=True, fastmath={"contract"})
def _pass_on(semiring, row, kept, down, on):
    """One cell: of the edits across and along that end in it to those that begin there; ``down``, ``on`` weigh both."""
    for first in range(0, row.size, LANES):
        own_row, own_kept = row[first : first + LANES], kept[first : first + LANES]
        inserted, deleted = _load(own_row), _load(own_kept)
        _store(own_kept, _both(semiring, inserted, down[0], deleted, down[1]))
        _store(own_row, _both(semiring, inserted, on[0], deleted, on[1]))


@njit(borrows=True)
def _weigh(semiring, mass, weight):
    for i in range(mass.size):
        mass[i] = times(semiring, mass[i], weight)


@njit(borrows=True, fastmath={"contract"})
def _sweep_landed(semiring, frame, table, sweep, at, place, spans):
    """One row of landed blocks: Y, and what goes on to the next row. Returns their number of columns."""
    (u, L), (s0, e0) = place, spans
    along, across, arcs, by_end, W, D, jump = (
        frame.along, frame.across, frame.arcs, frame.by_end, table.W, table.limit, table.jump
    )  # fmt: skip
    columns, end_columns, weight, period = frame.columns, frame.end_columns, table.weight, table.period
    under_way, row = sweep.landed_arcs, sweep.row[: sweep.exits.shape[1]]
    s_last, e_last = frame.starts[u + 1], frame.ends[u + 1]
    before, below = np.int64(along[u - 1]) if u else 0, np.int64(along[u]) if u < along.size else 0
    _clear(semiring, row)
    while s0 < s_last and columns[s0] <= L:
        s0 += 1
    while e0 < e_last and end_columns[e0] <= L:
        e0 += 1
    limit = min(L + D, across.size)
    for v in range(L + 1, limit + 1):
        k = v - L
        last, cur = np.int64(across[v - 1]), np.int64(across[v]) if v < limit else 0
        kept, exits, s1, e1 = sweep.landed[at, k], sweep.exits[k], s0, e0
        while s1 < s_last and columns[s1] == v:
            s1 += 1
        while e1 < e_last and end_columns[e1] == v:
            e1 += 1
        for b in range(s0, s1):
            if v + arcs[b, 3] <= limit:
                state = arcs[b, 4]
                _join(semiring, under_way[b % period, k], row, W[last, state], kept, W[before, state])
        _join(semiring, exits, row, W[last, jump], kept, W[before, jump])
        _pass_on(semiring, row, kept, (W[last, below], W[before, below]), (W[last, cur], W[before, cur]))
        for e in range(e0, e1):
            a = by_end[e]
            if arcs[a, 2] < L:
                continue
            mass, prev = under_way[a % period, arcs[a, 2] - L], arcs[a, 4]
            _step(semiring, exits, mass, W[prev, jump])
            _step(semiring, kept, mass, W[prev, below])
            _step(semiring, row, mass, W[prev, cur])
            for b in range(s0, s1):
                if v + arcs[b, 3] <= limit:
                    step = W[prev, arcs[b, 4]]
                    if _linked(arcs, a, b, table.link):
                        step = times(semiring, step, table.link[b])
                    _step(semiring, under_way[b % period, k], mass, step)
        for b in range(s0, s1):
            if v + arcs[b, 3] <= limit:
                _weigh(semiring, under_way[b % period, k], weight[b])
        s0, e0 = s1, e1
    return limit - L


@njit(borrows=True, fastmath={"contract"})
def _open_gaps(semiring, frame, table, sweep, at, place, s0, width):
    """The arcs that open gaps at this row, and the edits along that may come before those of the next row."""
    u, L = place
    along, arcs, W, jump, lanes = frame.along, frame.arcs, table.W, table.jump, sweep.exits.shape[1]
    opening, exits, none = sweep.opening[at], sweep.exits, semiring.zero
    s_last = frame.starts[u + 1]
    before = np.int64(along[u - 1]) if u else 0
    while s0 < s_last and frame.columns[s0] < L:
        g = L - frame.columns[s0]
        if arcs[s0, 3] <= g:
            state, mass = arcs[s0, 4], sweep.gap_arcs[s0 % table.period, g, (g - 1) * lanes : g * lanes]
            after_jump, after_along, weight = W[jump, state], W[before, state], table.weight[s0]
            for t in range(lanes):
                mass[t] = none
            for t in range(width):
                come = plus(semiring, times(semiring, exits[t + 1, g - 1], after_jump),
                            times(semiring, opening[t + 1, g - 1], after_along))  # fmt: skip
                mass[t] = times(semiring, come, weight)
        s0 += 1
    if u < along.size:
        more, leave = W[before, along[u]], W[jump, along[u]]
        for k in range(1, width + 1):
            _join(semiring, opening[k], opening[k], more, exits[k], leave)


@njit(borrows=True, fastmath={"contract"})
def _sweep_gaps(semiring, frame, table, sweep, at, place, spans):
    """One row of gaps, of all widths at once: what closes them at this row, and what goes on to the next one."""
    (u, L), (s0, e0) = place, spans
    along, across, arcs, by_end, W, D, jump = (
        frame.along, frame.across, frame.arcs, frame.by_end, table.W, table.limit, table.jump
    )  # fmt: skip
    columns, end_columns, weight, period = frame.columns, frame.end_columns, table.weight, table.period
    under_way, whole_row, closing, lanes = sweep.gap_arcs, sweep.row, sweep.closing, sweep.exits.shape[1]
    s_last, e_last = frame.starts[u + 1], frame.ends[u + 1]
    before, below = np.int64(along[u - 1]) if u else 0, np.int64(along[u]) if u < along.size else 0
    _clear(semiring, whole_row)
    first, end = max(L - D, 0) + 1, min(D, L) * lanes
    while s0 < s_last and columns[s0] < first:
        s0 += 1
    while e0 < e_last and end_columns[e0] < first:
        e0 += 1
    for v in range(first, L):
        # Gaps that begin before this column are wider than it is far from L: all lanes from these on.
        left, s1, e1 = (L - v) * lanes, s0, e0
        last, cur = np.int64(across[v - 1]), np.int64(across[v])
        row, kept = whole_row[left:end], sweep.gaps[at, L - v, left:end]
        while s1 < s_last and columns[s1] == v:
            s1 += 1
        while e1 < e_last and end_columns[e1] == v:
            e1 += 1
        for b in range(s0, s1):
            if v + arcs[b, 3] <= L:
                state = arcs[b, 4]
                _join(
                    semiring,
                    under_way[b % period, L - v, left:end],
                    row,
                    W[last, state],
                    kept,
                    W[before, state],
                )
        _pass_on(semiring, row, kept, (W[last, below], W[before, below]), (W[last, cur], W[before, cur]))
        for e in range(e0, e1):
            a = by_end[e]
            wide = L - arcs[a, 2]
            if wide > D:
                continue
            from_lane, prev = (wide - 1) * lanes, arcs[a, 4]
            mass = under_way[a % period, wide, from_lane:end]
            _step(semiring, sweep.gaps[at, L - v, from_lane:end], mass, W[prev, below])
            _step(semiring, whole_row[from_lane:end], mass, W[prev, cur])
            for b in range(s0, s1):
                if v + arcs[b, 3] <= L:
                    step = W[prev, arcs[b, 4]]
                    if _linked(arcs, a, b, table.link):
                        step = times(semiring, step, table.link[b])
                    _step(semiring, under_way[b % period, L - v, from_lane:end], mass, step)
        for b in range(s0, s1):
            if v + arcs[b, 3] <= L:
                _weigh(semiring, under_way[b % period, L - v, left:end], weight[b])
        s0, e0 = s1, e1
    # The last edit of a gap is not one along.
    out = W[across[L - 1], jump]
    for i in range(closing.size):
        closing[i] = times(semiring, whole_row[i], out)
    while e0 < e_last and end_columns[e0] == L:
        a = by_end[e0]
        wide = L - arcs[a, 2]
        if wide <= D:
            from_lane = (wide - 1) * lanes
            _step(
                semiring,
                closing[from_lane:end],
                under_way[a % period, wide, from_lane:end],
                W[arcs[a, 4], jump],
            )
        e0 += 1
    for g in range(1, D):
        for t in range(lanes):
            closing[t] = plus(semiring, closing[t], closing[g * lanes + t])


@njit(borrows=True)
def _enter(semiring, frame, table, sweep, at, place, s0, J):
    """The arcs that begin landed blocks at this row; ``J`` [g - 1] is what enters Jump g columns before."""
    (u, L), D, W = place, table.limit, table.W
    s_last = frame.starts[u + 1]
    while s0 < s_last and frame.columns[s0] < L:
        s0 += 1
    if s0 == s_last or frame.columns[s0] > L:
        return
    row, scale = sweep.row, sweep.scale[at]
    for g in range(D):
        row[g] = _entering(semiring, J[g], scale)
    while s0 < s_last and frame.columns[s0] == L:
        into, mass = W[table.jump, frame.arcs[s0, 4]], sweep.landed_arcs[s0 % table.period, 0]
        for g in range(D):
            mass[g] = times(semiring, times(semiring, row[g], into), table.weight[s0])
        s0 += 1


@njit(borrows=True)
def _one_row(semiring, frame, table, sweep, at, place, spans):
    width = _sweep_landed(semiring, frame, table, sweep, at, place, spans)
    _open_gaps(semiring, frame, table, sweep, at, place, spans[0], width)
    _sweep_gaps(semiring, frame, table, sweep, at, place, spans)
    return width


@njit
def _follow(frame, table, sweep, at, place, longest, mass):
    """Keeps the scale near an outer mass."""
    scale = round(mass / LOG_2) if mass > NONE else sweep.scale[at]
    if abs(scale - sweep.scale[at]) > DRIFT:
        _change_scale(frame, table, sweep, at, place, longest, scale)


def _follow_linear(semiring, frame, table, sweep, at, place, longest, mass):  # noqa: ARG001
    _follow(frame, table, sweep, at, place, longest, mass)


def _follow_nothing(semiring, frame, table, sweep, at, place, longest, mass):
    pass


_keep_scale = by_type({Linear: _follow_linear, LogSum: _follow_nothing})


@njit
def _hypothesis_row(semiring, frame, table, sweep, u, row, V):
    """Swaps on the hypothesis side at row u, but for those that begin there; V has it as its row ``row``."""
    s0, e0, n, D = frame.starts[u], frame.ends[u], frame.across.size, table.limit
    for L in range(1, n):
        while s0 < frame.starts[u + 1] and frame.columns[s0] < L - D:
            s0 += 1
        while e0 < frame.ends[u + 1] and frame.end_columns[e0] <= L - D:
            e0 += 1
        width = _one_row(semiring, frame, table, sweep, L, (u, L), (s0, e0))
        for t in range(width):
            _resume(semiring, V.mass[row], V.power[row], L + 1 + t, sweep.closing[t], sweep.scale[L])


@njit
def _hypothesis_entries(semiring, frame, table, sweep, u, longest, J, room):
    """Swaps that begin at row u."""
    s0, n, D = frame.starts[u], frame.across.size, table.limit
    for L in range(1, n):
        for g in range(D):
            room[g] = J[L - 1 - g] if g < L else NONE
        while s0 < frame.starts[u + 1] and frame.columns[s0] < L:
            s0 += 1
        _keep_scale(semiring, frame, table, sweep, L, (u, L), longest, J[L])
        _enter(semiring, frame, table, sweep, L, (u, L), s0, room)


@njit
def _reference_column(semiring, frame, table, sweep, L, longest, pointers, J, V, room):
    """All swaps on the reference side that land at column L of its view; J and V are rings of rows of the pair."""
    D, ring = table.limit, J.shape[0]
    sweep.landed[0] = semiring.zero
    sweep.opening[0] = semiring.zero
    sweep.gaps[0] = semiring.zero
    for u in range(frame.along.size + 1):
        s0, e0 = pointers[0, u], pointers[1, u]
        while s0 < frame.starts[u + 1] and frame.columns[s0] < L - D:
            s0 += 1
        while e0 < frame.ends[u + 1] and frame.end_columns[e0] <= L - D:
            e0 += 1
        pointers[0, u], pointers[1, u] = s0, e0
        _keep_scale(semiring, frame, table, sweep, 0, (u, L), longest, J[(L - 1) % ring, u])
        width = _one_row(semiring, frame, table, sweep, 0, (u, L), (s0, e0))
        for t in range(width):
            row = (L + 1 + t) % ring
            _resume(semiring, V.mass[row], V.power[row], u, sweep.closing[t], sweep.scale[0])
        for g in range(D):
            room[g] = J[(L - 1 - g) % ring, u] if g < L else NONE
        _enter(semiring, frame, table, sweep, 0, (u, L), s0, room)


@njit
def _log_sum(semiring, outer, hyp, ref, tables):
    """Log-sum; ``outer`` and ``hyp`` are frames of the pair, the first of logarithms, ``ref`` of its transpose."""
    none, m, n, D = NONE, hyp.along.size, hyp.across.size, tables[0].limit
    # Rows of the reference side: those that jumps begin in, and D + 1 that they end in.
    ring = 2 * D + 2
    (most, longest), (ref_most, ref_longest) = _period(hyp), _period(ref)
    own, other = tables
    own_sweep, other_sweep = _make_sweep(semiring, n, D, most), _make_sweep(semiring, 1, D, ref_most)
    J = np.full((ring, n + 1), none)
    V = Resumed(np.full((ring, n + 1), semiring.zero), np.zeros((ring, n + 1), np.int64))
    pointers = np.empty((2, n + 1), np.int64)
    pointers[0], pointers[1] = ref.starts[:-1], ref.ends[:-1]
    room = np.empty(D)
    inside = make_masses(NONE, 1, n + 1, hyp.weight.size, 1, True)
    for u in range(m + 1):
        row = u % ring
        if 1 <= u < m:
            _reference_column(semiring, ref, other, other_sweep, u, ref_longest, pointers, J, V, room)
        _hypothesis_row(semiring, hyp, own, own_sweep, u, row, V)
        for v in range(n + 1):
            inside.back[0, v] = _leaving(semiring, V.mass[row, v], V.power[row, v])
        V.mass[row] = semiring.zero
        forward_rows(LOG, outer, inside, 0, n, u, (u, u + 1))
        J[row] = inside.late[0]
        if u < m:
            inside.along[0] = inside.along[1]
            _hypothesis_entries(semiring, hyp, own, own_sweep, u, longest, J[row], room)
    return total_mass(LOG, outer, inside, m)


@njit(nogil=True, error_model="numpy")
def log_sum_by_landing(arrays, limits, hyp, ref):
    """Log-sum of one lattice with jumps.

    Args:
        arrays: States of Deletes and of Inserts, weights of arcs and of links, the table: logarithms.
        limits: The state of Jump, the jump limit.
        hyp: Arcs and their order of ends in the view of jumps on the hypothesis side.
        ref: The same for those on the reference side, and the index of each arc in the lattice.
    """
    deletes, inserts, weight, link, W = arrays
    jump, D = limits
    arcs, by_end = hyp
    turned, turned_by_end, original = ref
    if deletes.size + inserts.size == 0:
        return 0.0
    outer = make_frame(deletes, inserts, arcs, by_end, weight, link, (W, W, W), jump)
    own_link = link[original] if link.size else link
    across = make_frame(inserts, deletes, turned, turned_by_end, weight[original], own_link, (W, W, W), jump)
    own = Transitions(W, outer.weight, outer.link, jump, D, _period(outer)[0])
    other = Transitions(W, across.weight, across.link, jump, D, _period(across)[0])
    if few_transitions(W, arcs, weight, link, D) <= MOST_OF_A_FEW:
        return _log_sum(LINEAR, outer, outer, across, (_linear(own), _linear(other)))
    return _log_sum(LOG, outer, outer, across, (own, other))


@njit
def _linear(table):
    return Transitions(
        np.exp(table.W), np.exp(table.weight), np.exp(table.link), table.jump, table.limit, table.period
    )
