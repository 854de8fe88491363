"""One side of a pair as the passes from arc to arc (``arc_to_arc``) take it: arrays from 0 on, without signs.

Indices that have a sign might count from the end, and looking after that takes as long as the work. Chains of arcs are
listed once (``_chains``), so that passes over them, forward and back, are single loops: at the ends of short ones a
processor guesses wrong.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pfsm_kernels.cache import njit
from pfsm_kernels.lattice.batch import Float

Whole = NDArray[np.uintp]
# Loops are unrolled so far; what is left over goes one by one. Rows have so many zeros behind them.
LANES = 16
# Chains of one side that there is room for at first.
STEPS = 1024
# Rows of ``places``, by arc: where it begins and ends along and across, its state, its index in the other side's view,
# and the first of its followers, crossings and groups.
ROW, ROW_END, COLUMN, COLUMN_END, STATE, OTHER, FOLLOWERS, CROSSINGS, GROUPS = range(9)
# Rows of ``crossings``: the crossing, its group and its gap arc, in order of landed arcs; the landed arc, by crossing.
CROSSING, GROUP, GAP, LANDED = range(4)
# Rows of ``landings``, by group: its column, its first crossing.
LANDING, FIRST_CROSSING = range(2)
# For indices: an operation of a number with and one without a sign makes one with a sign.
WHOLE = np.uintp(LANES)
ZERO, ONE, TWO, THREE, FOUR = np.arange(5, dtype=np.uintp)


class Table(NamedTuple):
    """Transitions over the rate to the power of what is consumed (T0: nothing), the states, and the jump limit."""

    T0: Float
    T1: Float
    T2: Float
    insert: np.uintp
    delete: np.uintp
    jump: np.uintp
    limit: np.uintp


class Part(NamedTuple):
    """One side of one lattice, laid out from 0 on and without signs.

    Attributes:
        along: State of the edit along.
        across: State of the edit across.
        height: Number of tokens along.
        A: Number of arcs.
        places: uintp [9, A + 1], see ``ROW`` and the others; ``crossings``, ``follow`` and ``landings`` likewise.
        factor: float64 [A], tilted; ``link`` likewise, or [0].
        leader: uintp [pairs], the arc that each follower follows.
        steps: uintp [3, most], chains of arcs (``_chains``).
        pairs: How many followers there are.
        chains: How many chains.
        between: float64 [pairs], R; ``inside``, E.
        K: float64 [n_crossings, D].
        exits: float64 [n_groups, rows], Z.
        F: float64 [n_groups, D]; ``R`` likewise, what closings lead to.
        entering: float64 [n_crossings].
    """

    along: np.uintp
    across: np.uintp
    height: np.uintp
    A: np.uintp
    places: Whole
    crossings: Whole
    follow: Whole
    landings: Whole
    factor: Float
    link: Float
    leader: Whole
    steps: Whole
    pairs: np.uintp
    chains: np.uintp
    between: Float
    inside: Float
    K: Float
    exits: Float
    F: Float
    R: Float
    entering: Float


class Counts(NamedTuple):
    """Expected counts while they are added up: by consumed tokens, inside of the tables, of arcs and links."""

    c0: Float
    c1: Float
    c2: Float
    inner: Float
    arcs: Float
    links: Float


@njit
def row_starts(base, A, arcs, starts, ends):
    """CSR offsets of arcs by their row, and of ``by_end`` by their end row."""
    starts[:] = 0
    ends[:] = 0
    for a in range(base, base + A):
        starts[arcs[a, 0] + 1] += 1
        ends[arcs[a, 0] + arcs[a, 1] + 1] += 1
    for i in range(1, starts.size):
        starts[i] += starts[i - 1]
        ends[i] += ends[i - 1]


@njit(borrows=True)
def _lay_out(base, A, side, other, places, crossings, follow, landings):
    """One side of a pair, counted from 0 and without signs; ``other`` has the indices in the other side's view."""
    for x in range(A):
        at = base + x
        row, column = np.uintp(side.arcs[at, 0]), np.uintp(side.arcs[at, 2])
        places[ROW, x], places[ROW_END, x] = row, row + np.uintp(side.arcs[at, 1])
        places[COLUMN, x], places[COLUMN_END, x] = column, column + np.uintp(side.arcs[at, 3])
        places[STATE, x], places[OTHER, x] = side.arcs[at, 4], other[at]
    first_follow, first_group = np.uintp(side.follow_first[base]), np.uintp(side.group_first[base])
    first_crossing = np.uintp(side.landed_first[base])
    for x in range(A + ONE):
        places[FOLLOWERS, x] = np.uintp(side.follow_first[base + x]) - first_follow
        places[CROSSINGS, x] = np.uintp(side.landed_first[base + x]) - first_crossing
        places[GROUPS, x] = np.uintp(side.group_first[base + x]) - first_group
    for p in range(places[FOLLOWERS, A]):
        follow[p] = side.follow[first_follow + p]
    for p in range(places[CROSSINGS, A]):
        crossing = np.uintp(side.by_landed[first_crossing + p])
        group = np.uintp(side.group[crossing])
        crossings[CROSSING, p], crossings[GROUP, p] = crossing - first_crossing, group - first_group
        crossings[GAP, p], crossings[LANDED, p] = side.gap_arc[group], side.landed[first_crossing + p]
    for g in range(places[GROUPS, A]):
        landings[LANDING, g] = side.landing[first_group + g]
        landings[FIRST_CROSSING, g] = np.uintp(side.crossing_first[first_group + g]) - first_crossing
    landings[FIRST_CROSSING, places[GROUPS, A]] = places[CROSSINGS, A]


@njit(borrows=True)
def _chains(A, max_jump, places, follow, leader, slot, steps):
    """All arcs a between arcs x and b: where (x, b), (x, a) and (a, b) stand among the followers; their number.

    Those of later arcs x first, as E needs it. ``leader`` becomes x by follower, ``slot`` is scratch, one place an arc.
    Where ``steps`` might be too short for them, what is returned is more than its length.
    """
    count, room = ZERO, np.uintp(steps.shape[1])
    for back in range(A):
        x = np.uintp(A - ONE - back)
        begin, end = places[FOLLOWERS, x], places[FOLLOWERS, x + ONE]
        limit = places[COLUMN, x] + max_jump
        for p in range(begin, end):
            slot[follow[p]] = p
            leader[p] = x
        for p in range(begin, end):
            a = follow[p]
            first, last = places[FOLLOWERS, a], places[FOLLOWERS, a + ONE]
            if count + last - first > room:
                return room + ONE
            for q in range(first, last):
                b = follow[q]
                # Written in any case, and over where it does not count: a branch here would be a coin toss.
                steps[0, count] = slot[b]
                steps[1, count] = p
                steps[2, count] = q
                count += np.uintp(places[COLUMN_END, b] <= limit)
    return count


@njit
def padded(count):
    """The next multiple of ``LANES``."""
    return (count + WHOLE - ONE) // WHOLE * WHOLE


@njit
def is_single(places, x):
    """Whether an arc consumes one token on each side."""
    return places[ROW_END, x] + places[COLUMN_END, x] - places[ROW, x] - places[COLUMN, x] == TWO


@njit
def make_part(along, across, rows, sizes, max_jump, links):
    """Room for one side of a lattice; ``sizes`` are the most arcs, crossings, groups and followers of one."""
    arcs, crossings, groups, follow = sizes
    return Part(
        along, across, ZERO, ZERO, np.empty((9, arcs + 1), np.uintp), np.empty((4, crossings), np.uintp),
        np.empty(follow, np.uintp), np.empty((2, groups + 1), np.uintp), np.empty(arcs), np.empty(arcs if links else 0),
        np.empty(follow, np.uintp), np.empty((3, STEPS), np.uintp), ZERO, ZERO, np.empty(follow), np.empty(follow),
        np.empty((crossings, max_jump)), np.empty((groups, rows + LANES)), np.empty((groups, max_jump)),
        np.empty((groups, max_jump)), np.empty(crossings),
    )  # fmt: skip


@njit
def fill_part(part, side, other, span, height, limit, weights, slot):
    """One side of the lattice whose arcs begin at ``span[0]`` in the batch, ``span[1]`` of them, in its room.

    ``other`` has the indices of arcs in the other side's view; ``weights`` are the factors of arcs and links in the
    lattice's order. Chains may need more room than there is.
    """
    (base, A), (factor, link), arcs, steps = span, weights, np.uintp(span[1]), part.steps
    _lay_out(np.uintp(base), arcs, side, other, part.places, part.crossings, part.follow, part.landings)
    for x in range(A):
        part.factor[x] = factor[side.original[base + x]]
        if link.size:
            part.link[x] = link[side.original[base + x]]
    part.F[: part.places[GROUPS, A]] = 0.0
    chains = _chains(arcs, limit, part.places, part.follow, part.leader, slot, steps)
    while chains > steps.shape[1]:
        steps = np.empty((3, 2 * steps.shape[1]), np.uintp)
        chains = _chains(arcs, limit, part.places, part.follow, part.leader, slot, steps)
    return Part(
        part.along, part.across, np.uintp(height), arcs, part.places, part.crossings, part.follow, part.landings,
        part.factor, part.link, part.leader, steps, part.places[FOLLOWERS, A], chains, part.between, part.inside,
        part.K, part.exits, part.F, part.R, part.entering,
    )  # fmt: skip
