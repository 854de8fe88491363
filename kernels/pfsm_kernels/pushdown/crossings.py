"""Where matches cross: the only places where the pushdown machine can swap.

A jump on the hypothesis side opens with an arc b that lands at column L, goes back to column ``start < L``, and
fills the gap beginning (after some Deletes) with an arc c at column ``start``. Both arcs are known in advance:

    start = column of c,  L = column of b,  q_c <= L - start <= D,  q_b <= D,  row of c >= end row of b

so the candidates are the crossing pairs of arcs at most D columns apart, and they do not depend on weights. They
are found once per batch. A jump on the reference side is the same on the transposed lattice.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pfsm_kernels.cache import njit
from pfsm_kernels.lattice.lattices import Lattices, in_order, order_of_ends

Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]
_View = tuple[Int32, Int32, Int32, Int32]
_Columns = tuple[Int32, Int32, Int64]
_Room = tuple[Int64, Int32, Int32, Int64, Int32, Int64, Int64]


class Side(NamedTuple):
    """One side's view of a batch: arcs sorted along the other side, and their crossings within the jump limit.

    Rows run *along* the side that is not jumped on, columns *across* the one that is. For jumps on the hypothesis
    side rows are reference tokens. Indices of arcs count from the first arc of their pair, in this view's order.

    Attributes:
        arcs: int32 [n_arcs, 5], (row, rows, column, columns, state), sorted by (row, column).
        by_end: int32 [n_arcs], arcs in order of (end row, end column).
        original: int32 [n_arcs], the arc's index in the lattice.
        position: int32 [n_arcs], by index in the lattice: the arc's index in this view.
        group_first: int64 [n_arcs + 1], groups of gap arc c: one for every column L at which some b lands.
        gap_arc: int32 [n_groups], the arc c.
        landing: int32 [n_groups], the column L.
        crossing_first: int64 [n_groups + 1], crossings of a group.
        landed: int32 [n_crossings], the arc b.
        group: int64 [n_crossings], the crossing's group.
        landed_first: int64 [n_arcs + 1], crossings of landed arc b in ``by_landed``.
        by_landed: int64 [n_crossings], crossings in order of b, then of the row of c.
        follow_first: int64 [n_arcs + 1], where the followers of each arc x begin.
        follow: int32 [n_followers], arcs that begin, on both sides, where x ends or later, and end at most the jump
            limit from the column of x. Pairs that are not ``Crossings.sparse`` have none.
    """

    arcs: Int32
    by_end: Int32
    original: Int32
    position: Int32
    group_first: Int64
    gap_arc: Int32
    landing: Int32
    crossing_first: Int64
    landed: Int32
    group: Int64
    landed_first: Int64
    by_landed: Int64
    follow_first: Int64
    follow: Int32


class TooManyCrossingsError(ValueError):
    """A pair has more crossing matches than memory should be spent on; ``pair`` is its index in the batch."""

    def __init__(self, pair: int) -> None:
        super().__init__(f"pair {pair} has more than {MOST_CROSSINGS} crossing matches")
        self.pair = pair


@dataclass(frozen=True, eq=False)
class Crossings:
    """Both views of a batch for one jump limit.

    Attributes:
        max_jump: The limit.
        hypothesis: For jumps on s.
        reference: For jumps on r.
        sparse: bool [n_pairs], whether arcs are so few that going from arc to arc (``arc_to_arc``), where Insert and
            Delete have one state each, takes less time than going from cell to cell (``cell_to_cell``).
    """

    max_jump: int
    hypothesis: Side
    reference: Side
    sparse: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Jumps:
    """What makes the finite-state machine a pushdown machine.

    Attributes:
        state: Id of the state Jump, whose weights stand in the table like any other's.
        crossings: Where jumps can be made, for the jump limit and the lattices at hand.
    """

    state: int
    crossings: Crossings


class Jumping(NamedTuple):
    """Jumps as kernels take them.

    Attributes:
        state: Id of the state Jump.
        limit: The jump limit D.
        hypothesis: For jumps on s.
        reference: For jumps on r.
    """

    state: int
    limit: int
    hypothesis: Side
    reference: Side


# The column of ``Lattices.offsets`` that counts what is across, for jumps on the hypothesis and on the reference side.
ACROSS = 1, 0
# What a pair of arcs in a window costs, in cells.
PAIR_OF_ARCS = 0.2
# Of one pair: the most crossings for which followers are listed.
FOLLOWED = 500_000
# Of one pair, on both sides. 750 tokens of running text a side have 320,000 within 5 columns where words and stems
# match, and take half a gigabyte; 1,200 tokens have two million, and take two.
MOST_CROSSINGS = 2_000_000


@njit(nogil=True)
def _find(offsets, across, arcs, columns, max_jump, sizes, room, write):
    """Counts, then writes, groups and crossings; returns the numbers of both.

    Without ``write``, the crossings of each pair are added to ``sizes``; there counting ends beyond ``MOST_CROSSINGS``.
    """
    column_arcs, column_view, column_first = columns
    group_first, gap_arc, landing, crossing_first, landed, group, landed_first = room
    groups, crossings = 0, 0
    for k in range(offsets.shape[0] - 1):
        before = crossings
        base, A = offsets[k, 2], offsets[k + 1, 2] - offsets[k, 2]
        at, n = offsets[k, across] + 2 * k, offsets[k + 1, across] - offsets[k, across]
        for c in range(A):
            if crossings - before > MOST_CROSSINGS:
                break
            if write:
                group_first[base + c] = groups
            row, column = arcs[base + c, 0], arcs[base + c, 2]
            for L in range(column + arcs[base + c, 3], min(column + max_jump, n) + 1):
                begin = crossings
                for b in range(base + column_first[at + L], base + column_first[at + L + 1]):
                    if column_arcs[b, 2] >= row:
                        break
                    if column_arcs[b, 2] + column_arcs[b, 3] > row or column_arcs[b, 1] > max_jump:
                        continue
                    if write:
                        landed[crossings], group[crossings] = column_view[b], groups
                        landed_first[base + column_view[b] + 1] += 1
                    crossings += 1
                if crossings > begin:
                    if write:
                        gap_arc[groups], landing[groups], crossing_first[groups] = c, L, begin
                    groups += 1
        if not write:
            sizes[k] += crossings - before
    if write:
        group_first[offsets[-1, 2]] = groups
        crossing_first[groups] = crossings
    return groups, crossings


@njit(nogil=True)
def _order_by_landed(offsets, group_first, crossing_first, landed, landed_first, by_landed):
    """Crossings in order of their landed arcs, from how many there are of each in ``landed_first[b + 1]``."""
    for b in range(1, landed_first.size):
        landed_first[b] += landed_first[b - 1]
    place = landed_first.copy()
    for k in range(offsets.shape[0] - 1):
        base = offsets[k, 2]
        first, last = group_first[base], group_first[offsets[k + 1, 2]]
        for crossing in range(crossing_first[first], crossing_first[last]):
            by_landed[place[base + landed[crossing]]] = crossing
            place[base + landed[crossing]] += 1


@njit(nogil=True)
def _followers(offsets, across, arcs, columns, max_jump, chosen, follow_first, follow, write):
    """Counts the followers of every arc (``follow_first[x + 1]``), or writes those of the chosen pairs."""
    column_arcs, column_view, column_first = columns
    for k in range(offsets.shape[0] - 1):
        if not chosen[k]:
            continue
        base, at = offsets[k, 2], offsets[k, across] + 2 * k
        n = offsets[k + 1, across] - offsets[k, across]
        for x in range(base, offsets[k + 1, 2]):
            row, column = arcs[x, 0] + arcs[x, 1], arcs[x, 2] + arcs[x, 3]
            limit = arcs[x, 2] + max_jump
            count = 0
            for b in range(base + column_first[at + column], base + column_first[at + min(limit, n)]):
                if column_arcs[b, 2] < row or column_arcs[b, 0] + column_arcs[b, 1] > limit:
                    continue
                if write:
                    follow[follow_first[x] + count] = column_view[b]
                count += 1
            if not write:
                follow_first[x + 1] = count


def _sparse(
    lattices: Lattices, views: Sequence[tuple[Int32, Int32]], degrees: Sequence[Int64], max_jump: int
) -> NDArray[np.bool_]:
    """Which pairs are ``Crossings.sparse``; ``degrees`` are the followers of each arc."""
    sizes = np.diff(lattices.offsets, axis=0)
    cost = np.zeros(len(lattices))
    for side, ((arcs, _), degree) in enumerate(zip(views, degrees, strict=True)):
        rows = sizes[lattices.pair_of_arc, side] - arcs[:, 0] - arcs[:, 1] + 1
        excess = PAIR_OF_ARCS * (degree + 1.0) ** 2 - rows * max_jump
        cost += np.bincount(lattices.pair_of_arc, excess, minlength=len(lattices))
    return np.asarray(cost <= 0.0)


def _views(lattices: Lattices) -> tuple[_View, _View]:
    """Arcs, order of ends, index in the lattice and index in the view: rows along r, and rows along s."""
    offsets, arcs, pair = lattices.offsets, lattices.arcs, lattices.pair_of_arc
    first = offsets[:, 2].take(pair)
    own = (np.arange(arcs.shape[0]) - first).astype(np.int32)
    order, _ = in_order([pair, arcs[:, 2]])
    turned, position = np.ascontiguousarray(arcs[order][:, [2, 3, 0, 1, 4]]), np.empty_like(own)
    position[order] = own
    views = (arcs, lattices.by_end, own, own)
    return views, (turned, order_of_ends(turned, pair, offsets[:, 2]), own[order], position)


def _columns(lattices: Lattices, views: Sequence[_View]) -> list[_Columns]:
    """For either view its arcs in order of columns, which is that of the other, and their index in it.

    Also, of each column the first arc in that order that begins there or later; one more column for the end.
    """
    offsets, pair, found = lattices.offsets, lattices.pair_of_arc, []
    base = offsets[:, 2].take(pair)
    for across, (one, other) in zip(ACROSS, (views, views[::-1]), strict=True):
        starts = offsets[:, across] + 2 * np.arange(offsets.shape[0])
        ahead = np.bincount(starts.take(pair) + other[0][:, 0] + 1, minlength=starts[-1] + 1)
        first = np.cumsum(ahead)[: starts[-1]] - np.repeat(offsets[:-1, 2], np.diff(starts))
        # From the other view's order to this view's index: via the lattice's own index.
        found.append((other[0], np.ascontiguousarray(one[3][base + other[2]]), first))
    return found


def find_crossings(lattices: Lattices, max_jump: int) -> Crossings:
    """Both views of a batch with their crossings at most ``max_jump`` columns apart.

    Memory: about 24 bytes a crossing. A pair of m x n tokens with A arcs spread evenly has about A^2 D / (2 n) on
    each side.

    Args:
        lattices: The batch.
        max_jump: The jump limit.

    Raises:
        ValueError: If ``max_jump`` is negative.
        TooManyCrossingsError: If a pair has more than ``MOST_CROSSINGS``, as where one word fills both of its lines.
    """
    if max_jump < 0:
        raise ValueError(f"max_jump is {max_jump}, it must not be negative")
    views = _views(lattices)
    columns = _columns(lattices, views)
    sizes, nothing = np.zeros(len(lattices), dtype=np.int64), _room(0, 0, 0)
    numbers = [
        _find(lattices.offsets, across, view[0], column, max_jump, sizes, nothing, False)
        for across, view, column in zip(ACROSS, views, columns, strict=True)
    ]
    if (sizes > MOST_CROSSINGS).any():
        raise TooManyCrossingsError(int(np.argmax(sizes > MOST_CROSSINGS)))
    followers = _all_followers(lattices, views, columns, max_jump, sizes <= FOLLOWED)
    hypothesis, reference = (
        _side(lattices, at, view, column, max_jump, numbers[at], *followers[at])
        for at, (view, column) in enumerate(zip(views, columns, strict=True))
    )
    return Crossings(max_jump, hypothesis, reference, followers[2])


def _room(n_arcs: int, groups: int, crossings: int) -> _Room:
    """What `_find` writes."""
    of_arcs, of_groups, of_crossings = n_arcs + 1, groups, crossings
    return (
        np.zeros(of_arcs, dtype=np.int64), np.empty(of_groups, dtype=np.int32), np.empty(of_groups, dtype=np.int32),
        np.zeros(of_groups + 1, dtype=np.int64), np.empty(of_crossings, dtype=np.int32),
        np.empty(of_crossings, dtype=np.int64), np.zeros(of_arcs, dtype=np.int64),
    )  # fmt: skip


def _all_followers(
    lattices: Lattices,
    views: Sequence[_View],
    columns: Sequence[_Columns],
    max_jump: int,
    asked: NDArray[np.bool_],
) -> tuple[tuple[Int64, Int32], tuple[Int64, Int32], NDArray[np.bool_]]:
    """``follow_first`` and ``follow`` of both sides, and which of the pairs ``asked`` for are sparse."""
    inputs = [
        (lattices.offsets, across, view[0], column, max_jump)
        for across, view, column in zip(ACROSS, views, columns, strict=True)
    ]
    none = np.zeros(0, dtype=np.int32)
    counts = [np.zeros(lattices.arcs.shape[0] + 1, dtype=np.int64) for _ in views]
    for arguments, count in zip(inputs, counts, strict=True):
        _followers(*arguments, asked, count, none, False)
    chosen = (
        _sparse(lattices, [view[:2] for view in views], [count[1:] for count in counts], max_jump) & asked
    )
    results = []
    for arguments, count in zip(inputs, counts, strict=True):
        count[1:] *= chosen[lattices.pair_of_arc]
        np.cumsum(count, out=count)
        follow = np.empty(int(count[-1]), dtype=np.int32)
        _followers(*arguments, chosen, count, follow, True)
        results.append((count, follow))
    return results[0], results[1], chosen


def _side(
    lattices: Lattices,
    at: int,
    view: _View,
    column: _Columns,
    max_jump: int,
    numbers: tuple[int, int],
    follow_first: Int64,
    follow: Int32,
) -> Side:
    arcs, by_end, original, position = view
    sizes, room = np.zeros(0, dtype=np.int64), _room(arcs.shape[0], *numbers)
    _find(lattices.offsets, ACROSS[at], arcs, column, max_jump, sizes, room, True)
    group_first, gap_arc, landing, crossing_first, landed, group, landed_first = room
    by_landed = np.empty(landed.size, dtype=np.int64)
    _order_by_landed(lattices.offsets, group_first, crossing_first, landed, landed_first, by_landed)
    return Side(
        arcs, by_end, original, position, group_first, gap_arc, landing, crossing_first, landed, group, landed_first,
        by_landed, follow_first, follow,
    )  # fmt: skip
