"""The restricted pushdown machine by landing columns: log-sums of long lines in which many matches cross.

The swaps are those of ``cell_to_cell``, which opens a window for every arc. Here all swaps that land at one column L
are swept together, row by row, whichever arcs they are made of. A swap jumps from (i, L - g) to (i, L), 1 <= g <= D,
back from (x, L + t + 1), 0 <= t < D, to (x, L - g), and in the end from (u, L) to (u, L + t + 1). A landed block has
to remember g, but not how it will end; a gap has to remember t, but not where it began, for it ends at L in any case:

    P[k, g]  inside of landed blocks, k columns past L; they begin with arcs b that start at L:
             J[i, L - g] W[Jump, b] f_b is where they come from
    Y[k, g]  = sum over states of P[k, g] W[state, Jump], and H[k, g] after Deletes that open the gap
    Q[j, t]  inside of gaps, j columns before L; arcs c that start there open them:
             (Y[t + 1, j] W[Jump, c] + H[t + 1, j] W[Delete, c]) f_c
    V[u, L + t + 1] += sum over states but Delete of Q[0, t] W[state, Jump]

Jumps on the reference side are the same on the transposed view, swept when the rows of J that they come from are known.
A sweep begins at the first arc b; its landed blocks end with the last arc c that could open a gap.

**Scale.** What can follow a mass inside of a swap can, up to a few transitions, follow the outer masses beside it. So
in linear space masses of the swaps that land at L are divided by a power of two near J[u, L], which is followed down
the rows; outer masses are logarithms. Nothing is lost that would count, as long as a few transitions are worth less
than what is left of the range of numbers (``few_transitions``). Beyond that, ``LOG`` does the same without a scale,
slowly.

**Cost.** O(m n D^2 + arcs D^2) time, whatever number of matches cross; O((m + n) D^2 + arcs in a row) memory.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pfsm_kernels.cache import njit
from pfsm_kernels.machine.log_space import make_masses
from pfsm_kernels.machine.sweep import Frame, forward_rows, make_frame, total_mass
from pfsm_kernels.semiring import LINEAR, LOG, NONE, Linear, LogSum, by_type, log_add, plus, times

Float = NDArray[np.float64]
Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]
Whole = NDArray[np.uintp]

# The range of numbers is exp(+-708); both ends of a scale's drift are well inside.
MOST_OF_A_FEW = 600.0
# Scales are multiples of a power, so that those of neighbours are mostly equal; a mass may drift so far from its own.
STEP, DRIFT = 64, 48.0
POWERS = np.ldexp(1.0, -np.arange(1100))
LOG_2 = math.log(2.0)
# For indices without a sign, which need no look whether they count from the end.
ZERO, ONE, TWO, THREE, FOUR, FIVE, SIX, SEVEN, LANES = np.arange(9, dtype=np.uintp)


class Transitions(NamedTuple):
    """What weighs what where swaps are swept, in their semiring.

    Attributes:
        W: float64 [S + 1, S].
        weight: float64 [n_arcs].
        link: float64 [n_arcs] or [0].
        jump: The state of Jump.
        limit: The jump limit D.
        lanes: Places for D masses: a whole number of registers.
    """

    W: Float
    weight: Float
    link: Float
    jump: np.uintp
    limit: int
    lanes: np.uintp


class View(NamedTuple):
    """One side's view of a pair, and which swaps it can have.

    Attributes:
        frame: The pair with the side that is jumped on across.
        along: uintp [rows + 2], the state of the edit along that leads to each row; 0 where there is none.
        across: uintp [columns + 2], likewise.
        first: int64 [columns], the first row where an arc b lands in a column.
        last: int64 [columns], the last row where an arc c can open a gap before it; -1 where there is none.
        period: The remainder of an arc's index by it is its place among those that are under way.
        longest: The most rows of an arc.
    """

    frame: Frame
    along: Whole
    across: Whole
    first: Int64
    last: Int64
    period: int
    longest: int


class Sweep(NamedTuple):
    """Masses of the swaps that land at some columns, at one row; each is followed by zeros up to a whole register.

    Attributes:
        masses: float64 [columns, 3, D, lanes]. Of edits along: in landed blocks, P by k - 1 and g - 1; those that open
            gaps, H likewise; in gaps, Q by j - 1 and t.
        landed_arcs: float64 [period, D + 1, lanes], of arcs in landed blocks, by how far past L they begin, and g - 1.
        gap_arcs: float64 [period, D + 1, lanes], of arcs in gaps, by how far before L they begin, and t.
        row: float64 [lanes], what the edits across bring.
        exits: float64 [D, lanes], Y.
        closing: float64 [lanes], what leaves gaps.
        opened: int64 [columns], the first row in which a gap opened.
        scale: int64 [columns], the power of two that the masses are divided by; always 0 for logarithms.
    """

    masses: Float
    landed_arcs: Float
    gap_arcs: Float
    row: Float
    exits: Float
    closing: Float
    opened: Int64
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
def _view(frame, D):
    height, width, arcs = frame.along.size, frame.across.size, frame.arcs
    along, across = np.zeros(height + 2, np.uintp), np.zeros(width + 2, np.uintp)
    for u in range(height):
        along[u + 1] = frame.along[u]
    for v in range(width):
        across[v + 1] = frame.across[v]
    first, last = np.full(width + 1, height + 1), np.full(width + 1, -1)
    longest, most = 1, 1
    for a in range(frame.weight.size):
        row, column = np.int64(arcs[a, 0]), np.int64(arcs[a, 2])
        longest = max(longest, arcs[a, 1])
        first[column] = min(first[column], row)
        for L in range(column + arcs[a, 3], min(column + D, width - 1) + 1):
            last[L] = max(last[L], row)
    for u in range(height + 1):
        most = max(most, frame.starts[u + 1] - frame.starts[max(u - longest, 0)])
    return View(frame, along, across, first, last, most, longest)


@njit
def _make_sweep(semiring, columns, table, period):
    none, lanes, D = semiring.zero, np.int64(table.lanes), table.limit
    return Sweep(
        np.full(columns * 3 * D * lanes, none), np.full(period * (D + 1) * lanes, none),
        np.full(period * (D + 1) * lanes, none), np.full(lanes, none), np.full(D * lanes, none), np.full(lanes, none),
        np.full(columns, np.iinfo(np.int64).max), np.zeros(columns, np.int64),
    )  # fmt: skip


def _entering_linear(semiring, mass, scale):  # noqa: ARG001
    return math.exp(mass - scale * LOG_2)


def _itself(semiring, mass, scale):  # noqa: ARG001
    return mass


def _leaving_linear(semiring, mass, scale):  # noqa: ARG001
    return math.log(mass) + scale * LOG_2 if mass > 0.0 else NONE


def _resume_linear(semiring, mass, power, at, more, scale):  # noqa: ARG001
    further = scale - power[at]
    if further == 0:
        mass[at] += more
    elif more == 0.0:
        return
    elif mass[at] == 0.0 or further >= POWERS.size:
        mass[at], power[at] = more, scale
    elif further >= 0:
        mass[at] = mass[at] * POWERS[further] + more
        power[at] = scale
    elif -further < POWERS.size:
        mass[at] += more * POWERS[-further]


def _drifted_linear(semiring, mass, scale):  # noqa: ARG001
    return mass > NONE and abs(mass / LOG_2 - scale) > DRIFT


def _never(semiring, mass, scale):  # noqa: ARG001
    return False


def _yes(semiring):  # noqa: ARG001
    return True


def _no(semiring):  # noqa: ARG001
    return False


def _resume_log(semiring, mass, power, at, more, scale):  # noqa: ARG001
    mass[at] = log_add(mass[at], more)


# An outer mass as one of a sweep; what resumes as an outer mass; and adding to what resumes.
_entering = by_type({Linear: _entering_linear, LogSum: _itself})
_leaving = by_type({Linear: _leaving_linear, LogSum: _itself})
_resume = by_type({Linear: _resume_linear, LogSum: _resume_log})
# Whether a scale has to follow an outer mass.
_drifted = by_type({Linear: _drifted_linear, LogSum: _never})
_is_plain = by_type({Linear: _yes, LogSum: _no})


@njit(borrows=True)
def _change_scale(view, table, sweep, at, place, mass):
    """Divides the masses of the swaps that land at column ``place[1]`` by a power of two near an outer mass."""
    (u, L), D, lanes, arcs = place, table.limit, np.int64(table.lanes), view.frame.arcs
    scale = STEP * round(mass / LOG_2 / STEP)
    power = sweep.scale[at] - scale
    # What would grow beyond all numbers is zero.
    factor = math.ldexp(1.0, int(max(power, -1100))) if power < 1000 else 0.0
    sweep.scale[at] = scale
    size = 3 * D * lanes
    for i in range(at * size, (at + 1) * size):
        sweep.masses[i] *= factor
    for a in range(view.frame.starts[max(u - view.longest, 0)], view.frame.starts[u + 1]):
        past = arcs[a, 2] - L
        if -D <= past <= D:
            slot = (a % view.period * (D + 1) + abs(past)) * lanes
            under_way = sweep.landed_arcs if past >= 0 else sweep.gap_arcs
            for i in range(slot, slot + lanes):
                under_way[i] *= factor


@njit(borrows=True)
def _linked(arcs, a, b, link):
    return link.size > 0 and arcs[a, 1] + arcs[a, 3] == 2 and arcs[b, 1] + arcs[b, 3] == 2


@njit(borrows=True, fastmath={"contract"})
def _step(semiring, target, at, mass, own, lanes, weight):
    """Adds a mass times a weight."""
    for i in range(lanes):
        target[at + i] = plus(semiring, target[at + i], times(semiring, mass[own + i], weight))


@njit(borrows=True, fastmath={"contract"})
def _join(semiring, target, at, one, other, own, lanes, weights):
    """Two masses times their weights; the first stands at the beginning of its array."""
    v, w = weights
    for i in range(lanes):
        target[at + i] = plus(semiring, times(semiring, one[i], v), times(semiring, other[own + i], w))


@njit(borrows=True, fastmath={"contract"})
def _pass_on(semiring, row, kept, own, lanes, down, on):
    """One cell: of the edits across and along that end in it to those that begin there; ``down``, ``on`` weigh both."""
    (v, w), (x, y) = down, on
    for i in range(lanes):
        inserted, deleted = row[i], kept[own + i]
        kept[own + i] = plus(semiring, times(semiring, inserted, v), times(semiring, deleted, w))
        row[i] = plus(semiring, times(semiring, inserted, x), times(semiring, deleted, y))


@njit(borrows=True)
def _clear(semiring, row):
    for i in range(row.size):
        row[i] = semiring.zero


@njit(borrows=True)
def _weigh(semiring, masses, at, lanes, weight):
    for i in range(lanes):
        masses[at + i] = times(semiring, masses[at + i], weight)


@njit(borrows=True, inline="always")
def _load(x, at):
    """As many masses as a register has."""
    return (
        x[at], x[at + ONE], x[at + TWO], x[at + THREE], x[at + FOUR], x[at + FIVE], x[at + SIX], x[at + SEVEN]
    )  # fmt: skip


@njit(borrows=True, inline="always")
def _store(x, at, masses):
    (
        x[at], x[at + ONE], x[at + TWO], x[at + THREE], x[at + FOUR], x[at + FIVE], x[at + SIX], x[at + SEVEN]
    ) = masses  # fmt: skip


@njit(borrows=True, fastmath={"contract"}, inline="always")
def _both(x, v, y, w):
    """x times v plus y times w, lane by lane: all are read before any is written, so that they fit into registers."""
    return (
        x[0] * v + y[0] * w, x[1] * v + y[1] * w, x[2] * v + y[2] * w, x[3] * v + y[3] * w,
        x[4] * v + y[4] * w, x[5] * v + y[5] * w, x[6] * v + y[6] * w, x[7] * v + y[7] * w,
    )  # fmt: skip


@njit(borrows=True, fastmath={"contract"})
def _plain_landed(W, across, masses, at, edits, L, width, D, lanes):
    """One row of landed blocks and of edits that open gaps, where no arc begins or ends, in linear space."""
    before, below, jump = edits
    more, leave, out = W[before, below], W[jump, below], W[before, jump]
    for group in range(ZERO, lanes, LANES):
        row, own, v = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0), at + group, L + ONE
        opening = own + D * lanes
        for _ in range(width):
            last, cur = across[v], across[v + ONE]
            kept = _load(masses, own)
            exits = _both(row, W[last, jump], kept, out)
            _store(masses, opening, _both(_load(masses, opening), more, exits, leave))
            _store(masses, own, _both(row, W[last, below], kept, more))
            row = _both(row, W[last, cur], kept, W[before, cur])
            own, opening, v = own + lanes, opening + lanes, v + ONE


@njit(borrows=True, fastmath={"contract"})
def _plain_gaps(W, across, masses, at, edits, L, width, lanes, closing):
    """One row of gaps, ``width`` columns of them, where no arc begins or ends; and what closes them. Linear."""
    before, below, jump = edits
    more = W[before, below]
    for group in range(ZERO, lanes, LANES):
        row, own, v = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0), at + width * lanes + group, L - width
        for _ in range(width):
            own = own - lanes
            last, cur = across[v], across[v + ONE]
            kept = _load(masses, own)
            _store(masses, own, _both(row, W[last, below], kept, more))
            row = _both(row, W[last, cur], kept, W[before, cur])
            v = v + ONE
        _store(closing, group, _both(row, W[across[L], jump], row, 0.0))


@njit(borrows=True)
def _landed(semiring, view, table, sweep, at, place, spans):
    """One row of landed blocks: Y, and what goes on to the next row. Returns their number of columns."""
    (u, L), (s0, e0), frame, across = place, spans, view.frame, view.across
    arcs, by_end, columns, end_columns = frame.arcs, frame.by_end, frame.columns, frame.end_columns
    W, weight, jump, lanes, D = table.W, table.weight, table.jump, table.lanes, table.limit
    masses, under_way, row, exits = sweep.masses, sweep.landed_arcs, sweep.row, sweep.exits
    s_last, e_last, before, below = frame.starts[u + 1], frame.ends[u + 1], view.along[u], view.along[u + 1]
    limit, began = min(L + D, frame.across.size), view.first[L]
    own, out = np.uintp(at * 3 * D) * lanes, ZERO
    _clear(semiring, row)
    while s0 < s_last and columns[s0] <= L:
        s0 += 1
    while e0 < e_last and end_columns[e0] <= L:
        e0 += 1
    for v in range(L + 1, limit + 1):
        last, cur, s1, e1 = across[v], across[v + 1], s0, e0
        while s1 < s_last and columns[s1] == v:
            s1 += 1
        while e1 < e_last and end_columns[e1] == v:
            e1 += 1
        for b in range(s0, s1):
            if v + arcs[b, 3] <= limit:
                slot, state = np.uintp(b % view.period * (D + 1) + v - L) * lanes, arcs[b, 4]
                _join(semiring, under_way, slot, row, masses, own, lanes, (W[last, state], W[before, state]))
        _join(semiring, exits, out, row, masses, own, lanes, (W[last, jump], W[before, jump]))
        down, on = (W[last, below], W[before, below]), (W[last, cur], W[before, cur])
        _pass_on(semiring, row, masses, own, lanes, down, on)
        for e in range(e0, e1):
            a = by_end[e]
            past, prev = arcs[a, 2] - L, arcs[a, 4]
            # Of arcs that begin elsewhere, those that began before anything had landed were not written.
            if past < 0 or (past > 0 and arcs[a, 0] <= began):
                continue
            mass = np.uintp(a % view.period * (D + 1) + past) * lanes
            _step(semiring, exits, out, under_way, mass, lanes, W[prev, jump])
            _step(semiring, masses, own, under_way, mass, lanes, W[prev, below])
            _step(semiring, row, ZERO, under_way, mass, lanes, W[prev, cur])
            for b in range(s0, s1):
                if v + arcs[b, 3] <= limit:
                    step = W[prev, arcs[b, 4]]
                    if _linked(arcs, a, b, table.link):
                        step = times(semiring, step, table.link[b])
                    slot = np.uintp(b % view.period * (D + 1) + v - L) * lanes
                    _step(semiring, under_way, slot, under_way, mass, lanes, step)
        for b in range(s0, s1):
            slot = np.uintp(b % view.period * (D + 1) + v - L) * lanes
            if v + arcs[b, 3] <= limit:
                _weigh(semiring, under_way, slot, lanes, weight[b])
        s0, e0, own, out = s1, e1, own + lanes, out + lanes


@njit(borrows=True)
def _open(semiring, table, sweep, opening, edits, far, slot, width):
    """What enters an arc that opens gaps ``far`` columns before L, after Jump or an edit along."""
    (before, jump, state), W, lanes, target = edits, table.W, table.lanes, sweep.gap_arcs
    after_jump, after_along, lane = W[jump, state], W[before, state], np.uintp(far - 1)
    for t in range(width):
        come = plus(semiring, times(semiring, sweep.exits[lane], after_jump),
                    times(semiring, sweep.masses[opening + lane], after_along))  # fmt: skip
        target[slot + t] = plus(semiring, target[slot + t], come)
        lane += lanes


@njit(borrows=True)
def _gaps(semiring, view, table, sweep, at, place, spans, opens):
    """One row of gaps: what closes them at this row, and what goes on to the next one."""
    (u, L), (s0, e0), frame, across = place, spans, view.frame, view.across
    arcs, by_end, columns, end_columns = frame.arcs, frame.by_end, frame.columns, frame.end_columns
    W, weight, jump, lanes, D = table.W, table.weight, table.jump, table.lanes, table.limit
    masses, under_way, row, closing = sweep.masses, sweep.gap_arcs, sweep.row, sweep.closing
    s_last, e_last, before, below = frame.starts[u + 1], frame.ends[u + 1], view.along[u], view.along[u + 1]
    first, width = max(L - D, 0), min(D, frame.across.size - L)
    opening, own = np.uintp((at * 3 + 1) * D) * lanes, np.uintp((at * 3 + 2) * D + L - first) * lanes
    _clear(semiring, row)
    for v in range(first, L):
        last, cur, s1, e1 = across[v], across[v + 1], s0, e0
        own -= lanes
        while s1 < s_last and columns[s1] == v:
            s1 += 1
        while e1 < e_last and end_columns[e1] == v:
            e1 += 1
        for b in range(s0, s1):
            slot, state = np.uintp(b % view.period * (D + 1) + L - v) * lanes, np.uintp(arcs[b, 4])
            if v + arcs[b, 3] <= L:
                _join(semiring, under_way, slot, row, masses, own, lanes, (W[last, state], W[before, state]))
                if opens:
                    _open(semiring, table, sweep, opening, (before, jump, state), L - v, slot, width)
                    sweep.opened[at] = min(sweep.opened[at], u)
        down, on = (W[last, below], W[before, below]), (W[last, cur], W[before, cur])
        _pass_on(semiring, row, masses, own, lanes, down, on)
        for e in range(e0, e1):
            a = by_end[e]
            prev = arcs[a, 4]
            # Arcs that began before the first gap opened were not written.
            if L - arcs[a, 2] > D or arcs[a, 0] < sweep.opened[at]:
                continue
            mass = np.uintp(a % view.period * (D + 1) + L - arcs[a, 2]) * lanes
            _step(semiring, masses, own, under_way, mass, lanes, W[prev, below])
            _step(semiring, row, ZERO, under_way, mass, lanes, W[prev, cur])
            for b in range(s0, s1):
                if v + arcs[b, 3] <= L:
                    step = W[prev, arcs[b, 4]]
                    if _linked(arcs, a, b, table.link):
                        step = times(semiring, step, table.link[b])
                    slot = np.uintp(b % view.period * (D + 1) + L - v) * lanes
                    _step(semiring, under_way, slot, under_way, mass, lanes, step)
        for b in range(s0, s1):
            slot = np.uintp(b % view.period * (D + 1) + L - v) * lanes
            if v + arcs[b, 3] <= L:
                _weigh(semiring, under_way, slot, lanes, weight[b])
        s0, e0 = s1, e1
    # The last edit of a gap is not one along.
    _join(semiring, closing, ZERO, row, row, ZERO, lanes, (W[across[L], jump], semiring.zero))
    while e0 < e_last and end_columns[e0] == L:
        a = by_end[e0]
        if L - arcs[a, 2] <= D and arcs[a, 2] < L and arcs[a, 0] >= sweep.opened[at]:
            mass = np.uintp(a % view.period * (D + 1) + L - arcs[a, 2]) * lanes
            _step(semiring, closing, ZERO, under_way, mass, lanes, W[arcs[a, 4], jump])
        e0 += 1


@njit(borrows=True, fastmath={"contract"})
def _join_at(semiring, target, at, kept, mass, own, weight, lanes):
    for i in range(lanes):
        target[at + i] = plus(
            semiring, times(semiring, target[at + i], kept), times(semiring, mass[own + i], weight)
        )


@njit(borrows=True)
def _lead(semiring, table, sweep, at, edits, width):
    """The edits along that may come before the arcs that open gaps at the next row."""
    (before, below), W, lanes, D = edits, table.W, table.lanes, table.limit
    own, out, more, leave = np.uintp((at * 3 + 1) * D) * lanes, ZERO, W[before, below], W[table.jump, below]
    for _ in range(width):
        _join_at(semiring, sweep.masses, own, more, sweep.exits, out, leave, lanes)
        own, out = own + lanes, out + lanes


@njit(borrows=True)
def _one_row(semiring, view, table, sweep, at, place, spans):
    """All swaps that land at one column, at one row, but for those that begin there. Returns whether any can end."""
    (u, L), (s0, e0), frame, D, lanes = place, spans, view.frame, table.limit, table.lanes
    landed = view.first[L] < u <= view.last[L]
    if not landed and sweep.opened[at] >= u:
        return False
    width = min(D, frame.across.size - L)
    none_starts = s0 == frame.starts[u + 1] or frame.columns[s0] > L + D
    if _is_plain(semiring) and none_starts and (e0 == frame.ends[u + 1] or frame.end_columns[e0] > L + D):
        edits, own = (view.along[u], view.along[u + 1], table.jump), np.uintp(at * 3 * D) * lanes
        column, limit = np.uintp(L), np.uintp(D)
        if landed:
            _plain_landed(table.W, view.across, sweep.masses, own, edits, column, width, limit, lanes)
        if sweep.opened[at] >= u:
            return False
        gap, columns = own + TWO * limit * lanes, np.uintp(min(D, L) - 1)
        _plain_gaps(table.W, view.across, sweep.masses, gap, edits, column, columns, lanes, sweep.closing)
        return True
    if landed:
        _landed(semiring, view, table, sweep, at, place, spans)
    _gaps(semiring, view, table, sweep, at, place, spans, landed)
    if landed:
        _lead(semiring, table, sweep, at, (view.along[u], view.along[u + 1]), width)
    return sweep.opened[at] < u


@njit(borrows=True)
def _enter(semiring, view, table, sweep, at, place, s0, J):
    """The arcs that begin landed blocks at this row; ``J`` [g - 1] is what enters Jump g columns before."""
    (u, L), frame, D, W, lanes = place, view.frame, table.limit, table.W, np.int64(table.lanes)
    s_last, scale = frame.starts[u + 1], sweep.scale[at]
    for g in range(D):
        sweep.row[g] = _entering(semiring, J[g], scale)
    while s0 < s_last and frame.columns[s0] == L:
        into, slot = W[table.jump, frame.arcs[s0, 4]], s0 % view.period * (D + 1) * lanes
        for g in range(D):
            mass = times(semiring, times(semiring, sweep.row[g], into), table.weight[s0])
            sweep.landed_arcs[slot + g] = mass
        s0 += 1


@njit(borrows=True)
def _hypothesis_row(semiring, view, table, sweep, u, row, V):
    """Swaps on the hypothesis side at row u, but for those that begin there; V has it as its row ``row``."""
    frame, D, mass, power = view.frame, table.limit, V.mass[row], V.power[row]
    s0, e0, s_last, e_last = frame.starts[u], frame.ends[u], frame.starts[u + 1], frame.ends[u + 1]
    n = frame.across.size
    for L in range(1, n):
        while s0 < s_last and frame.columns[s0] < L - D:
            s0 += 1
        while e0 < e_last and frame.end_columns[e0] <= L - D:
            e0 += 1
        if _one_row(semiring, view, table, sweep, L, (u, L), (s0, e0)):
            for t in range(min(D, n - L)):
                _resume(semiring, mass, power, L + 1 + t, sweep.closing[t], sweep.scale[L])


@njit(borrows=True)
def _hypothesis_entries(semiring, view, table, sweep, u, J, room):
    """Swaps that begin at row u."""
    frame, D = view.frame, table.limit
    s0, s_last = frame.starts[u], frame.starts[u + 1]
    for L in range(1, frame.across.size):
        while s0 < s_last and frame.columns[s0] < L:
            s0 += 1
        if u < view.first[L]:
            continue
        if _drifted(semiring, J[L], sweep.scale[L]):
            _change_scale(view, table, sweep, L, (u, L), J[L])
        if u < view.last[L] and s0 < s_last and frame.columns[s0] == L:
            for g in range(D):
                room[g] = J[L - 1 - g] if g < L else NONE
            _enter(semiring, view, table, sweep, L, (u, L), s0, room)


@njit(borrows=True)
def _reference_column(semiring, view, table, sweep, L, pointers, J, V, room):
    """All swaps on the reference side that land at column L of its view; J and V are rings of rows of the pair."""
    frame, D, ring = view.frame, table.limit, J.shape[0]
    if view.last[L] <= view.first[L]:
        return
    _clear(semiring, sweep.masses)
    sweep.opened[0] = np.iinfo(np.int64).max
    for u in range(view.first[L], frame.along.size + 1):
        s0, e0, s_last, e_last = pointers[0, u], pointers[1, u], frame.starts[u + 1], frame.ends[u + 1]
        while s0 < s_last and frame.columns[s0] < L - D:
            s0 += 1
        while e0 < e_last and frame.end_columns[e0] <= L - D:
            e0 += 1
        pointers[0, u], pointers[1, u] = s0, e0
        beside = J[(L - 1) % ring, u]
        if _drifted(semiring, beside, sweep.scale[0]):
            _change_scale(view, table, sweep, 0, (u, L), beside)
        if _one_row(semiring, view, table, sweep, 0, (u, L), (s0, e0)):
            for t in range(min(D, frame.across.size - L)):
                row = (L + 1 + t) % ring
                _resume(semiring, V.mass[row], V.power[row], u, sweep.closing[t], sweep.scale[0])
        if u >= view.last[L]:
            continue
        while s0 < s_last and frame.columns[s0] < L:
            s0 += 1
        if s0 < s_last and frame.columns[s0] == L:
            for g in range(D):
                room[g] = J[(L - 1 - g) % ring, u] if g < L else NONE
            _enter(semiring, view, table, sweep, 0, (u, L), s0, room)


@njit
def _log_sum(semiring, outer, views, tables):
    """Log-sum; ``outer`` is the pair's frame, of logarithms, ``views`` are those of both sides."""
    none, m, n, (hyp, ref), (own, other) = NONE, outer.along.size, outer.across.size, views, tables
    D = own.limit
    # Rows of the reference side: those that jumps begin in, and D + 1 that they end in.
    ring = 2 * D + 2
    own_sweep, other_sweep = (
        _make_sweep(semiring, n, own, hyp.period),
        _make_sweep(semiring, 1, other, ref.period),
    )
    J = np.full((ring, n + 1), none)
    V = Resumed(np.full((ring, n + 1), semiring.zero), np.zeros((ring, n + 1), np.int64))
    pointers = np.empty((2, n + 1), np.int64)
    pointers[0], pointers[1] = ref.frame.starts[:-1], ref.frame.ends[:-1]
    room = np.empty(D)
    inside = make_masses(NONE, 1, n + 1, outer.weight.size, 1, True)
    for u in range(m + 1):
        row = u % ring
        if 1 <= u < m:
            _reference_column(semiring, ref, other, other_sweep, u, pointers, J, V, room)
        _hypothesis_row(semiring, hyp, own, own_sweep, u, row, V)
        for v in range(n + 1):
            inside.back[0, v] = _leaving(semiring, V.mass[row, v], V.power[row, v])
        V.mass[row] = semiring.zero
        forward_rows(LOG, outer, inside, 0, n, u, (u, u + 1))
        J[row] = inside.late[0]
        if u < m:
            inside.along[0] = inside.along[1]
            _hypothesis_entries(semiring, hyp, own, own_sweep, u, J[row], room)
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
    views = _view(outer, D), _view(across, D)
    lanes = (np.uintp(D) + LANES - ONE) // LANES * LANES
    own = Transitions(W, outer.weight, outer.link, np.uintp(jump), D, lanes)
    other = Transitions(W, across.weight, across.link, np.uintp(jump), D, lanes)
    if few_transitions(W, arcs, weight, link, D) <= MOST_OF_A_FEW:
        return _log_sum(LINEAR, outer, views, (_linear(own), _linear(other)))
    return _log_sum(LOG, outer, views, (own, other))


@njit
def _linear(table):
    return Transitions(
        np.exp(table.W), np.exp(table.weight), np.exp(table.link), table.jump, table.limit, table.lanes
    )
