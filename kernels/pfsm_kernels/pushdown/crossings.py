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
from pfsm_kernels.lattice.lattices import Lattices

Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]
_View = tuple[Int32, Int32, Int32, Int32]


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
        sparse: bool [n_pairs], whether Insert and Delete have one state each and arcs are so few that going from arc to
            arc (``arc_to_arc``) takes less time than going from cell to cell (``cell_to_cell``).
        wide: bool [n_pairs], whether there are more than ``WIDE`` crossings: log-sums are found ``by_landing``.
        listed: Whether crossings of such pairs are listed; if not, nothing but log-sums can be found.
    """

    max_jump: int
    hypothesis: Side
    reference: Side
    sparse: NDArray[np.bool_]
    wide: NDArray[np.bool_]
    listed: bool = True


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


# What a pair of arcs in a window costs, in cells.
PAIR_OF_ARCS = 0.2
# Of one pair, on both sides. About 350 tokens of running text a side have 30,000 within 5 columns where words and stems
# match; beyond that, opening a window for each takes longer than sweeping all columns.
WIDE = 30_000
# Of one pair of which derivatives are wanted: the most for which followers are listed.
FOLLOWED = 500_000
MOST_CROSSINGS = 20_000_000


@njit(nogil=True)
def _find(
    arc_offsets, arcs, column_arcs, column_view, max_jump, left_out, sizes, group_first, landing, crossing_first,
    landed, write
):  # fmt: skip
    """Counts, then writes, groups and crossings; columns are searched through the transposed order.

    Pairs that are ``left_out`` have none. Without ``write``, the crossings of each pair are added to ``sizes``; there
    counting ends beyond ``MOST_CROSSINGS``. Returns the numbers of both.
    """
    groups, crossings = 0, 0
    for k in range(arc_offsets.size - 1):
        before = crossings
        base, A = arc_offsets[k], arc_offsets[k + 1] - arc_offsets[k]
        if left_out[k]:
            if write:
                group_first[base : base + A] = groups
            continue
        for c in range(A):
            if crossings - before > MOST_CROSSINGS:
                break
            if write:
                group_first[base + c] = groups
            row, column = arcs[base + c, 0], arcs[base + c, 2]
            # The first arc, in column order, that starts where the gap may end.
            low, high = 0, A
            while low < high:
                middle = (low + high) // 2
                if column_arcs[base + middle, 0] < column + arcs[base + c, 3]:
                    low = middle + 1
                else:
                    high = middle
            last_landing = -1
            while low < A and column_arcs[base + low, 0] <= column + max_jump:
                b = base + low
                low += 1
                if column_arcs[b, 2] + column_arcs[b, 3] > row or column_arcs[b, 1] > max_jump:
                    continue
                if column_arcs[b, 0] != last_landing:
                    last_landing = column_arcs[b, 0]
                    if write:
                        landing[groups] = last_landing
                        crossing_first[groups] = crossings
                    groups += 1
                if write:
                    landed[crossings] = column_view[b]
                crossings += 1
        if not write:
            sizes[k] += crossings - before
    if write:
        group_first[arc_offsets[-1]] = groups
        crossing_first[groups] = crossings
    return groups, crossings


@njit(nogil=True)
def _followers(arc_offsets, arcs, column_arcs, column_view, max_jump, chosen, follow_first, follow, write):
    """Counts the followers of every arc (``follow_first[x + 1]``), or writes those of the chosen pairs."""
    for k in range(arc_offsets.size - 1):
        base, A = arc_offsets[k], arc_offsets[k + 1] - arc_offsets[k]
        if not chosen[k]:
            continue
        for x in range(base, base + A):
            row, column = arcs[x, 0] + arcs[x, 1], arcs[x, 2] + arcs[x, 3]
            limit = arcs[x, 2] + max_jump
            low, high = 0, A
            while low < high:
                middle = (low + high) // 2
                if column_arcs[base + middle, 0] < column:
                    low = middle + 1
                else:
                    high = middle
            count = 0
            while low < A and column_arcs[base + low, 0] < limit:
                b = base + low
                low += 1
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
    return lattices.uniform & (cost <= 0.0)


def _view(lattices: Lattices, swapped: bool) -> _View:
    """Arcs, order of ends, index in the lattice and index in the view, rows along r (or along s if swapped)."""
    pair, offsets = lattices.pair_of_arc, lattices.offsets[:, 2]
    own = np.asarray(np.arange(pair.size) - offsets[pair], dtype=np.int32)
    if not swapped:
        return lattices.arcs, lattices.by_end, own, own
    order = np.lexsort((lattices.arcs[:, 0], lattices.arcs[:, 2], pair))
    arcs = np.ascontiguousarray(lattices.arcs[order][:, [2, 3, 0, 1, 4]])
    ends = np.lexsort((arcs[:, 2] + arcs[:, 3], arcs[:, 0] + arcs[:, 1], pair))
    first = offsets[pair]
    view = np.empty(pair.size, dtype=np.int32)
    view[order] = own
    return arcs, np.asarray(ends - first, dtype=np.int32), np.asarray(order - first, dtype=np.int32), view


def find_crossings(lattices: Lattices, max_jump: int, *, sums_only: bool = False) -> Crossings:
    """Both views of a batch with their crossings at most ``max_jump`` columns apart.

    Memory: about 24 bytes a crossing. A pair of m x n tokens with A arcs spread evenly has about A^2 D / (2 n) on
    each side.

    Args:
        lattices: The batch.
        max_jump: The jump limit.
        sums_only: Whether nothing but log-sums is wanted: crossings of wide pairs are not listed then.

    Raises:
        ValueError: If ``max_jump`` is negative.
        TooManyCrossingsError: If crossings are to be listed and a pair has more than ``MOST_CROSSINGS``, as where one
            word fills both of its lines.
    """
    if max_jump < 0:
        raise ValueError(f"max_jump is {max_jump}, it must not be negative")
    views = _view(lattices, swapped=False), _view(lattices, swapped=True)
    base = lattices.offsets[lattices.pair_of_arc, 2]
    # From the other view's order to this view's index: via the lattice's own index.
    columns = [
        (other[0], np.ascontiguousarray(one[3][base + other[2]])) for one, other in (views, views[::-1])
    ]
    wide, followed, left_out, numbers = _count(lattices, views, columns, max_jump, sums_only)
    followers = _all_followers(lattices, views, columns, max_jump, followed)
    hypothesis, reference = (
        _side(lattices, view, column, max_jump, left_out, numbers[at], *followers[at])
        for at, (view, column) in enumerate(zip(views, columns, strict=True))
    )
    return Crossings(max_jump, hypothesis, reference, followers[2], wide, not sums_only)


def _count(
    lattices: Lattices,
    views: Sequence[_View],
    columns: Sequence[tuple[Int32, Int32]],
    max_jump: int,
    sums_only: bool,
) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.bool_], list[tuple[int, int]]]:
    """Which pairs are wide, may be sparse, and are left out; groups and crossings of both sides of the others."""
    offsets = np.ascontiguousarray(lattices.offsets[:, 2])
    none, sizes = np.zeros(0, dtype=np.int64), np.zeros(len(lattices), dtype=np.int64)
    left_out = np.zeros(len(lattices), dtype=np.bool_)

    def count() -> list[tuple[int, int]]:
        room = none, none.astype(np.int32), none, none.astype(np.int32)
        return [
            _find(offsets, view[0], *column, max_jump, left_out, sizes, *room, False)
            for view, column in zip(views, columns, strict=True)
        ]

    numbers = count()
    wide, followed = sizes > WIDE, sizes <= (WIDE if sums_only else FOLLOWED)
    if sums_only and wide.any():
        left_out = wide
        numbers = count()
    elif (sizes > MOST_CROSSINGS).any():
        raise TooManyCrossingsError(int(np.argmax(sizes > MOST_CROSSINGS)))
    return wide, followed, left_out, numbers


def _all_followers(
    lattices: Lattices,
    views: Sequence[_View],
    columns: Sequence[tuple[Int32, Int32]],
    max_jump: int,
    asked: NDArray[np.bool_],
) -> tuple[tuple[Int64, Int32], tuple[Int64, Int32], NDArray[np.bool_]]:
    """``follow_first`` and ``follow`` of both sides, and which of the pairs ``asked`` for are sparse."""
    offsets = np.ascontiguousarray(lattices.offsets[:, 2])
    inputs = [(offsets, view[0], *column, max_jump) for view, column in zip(views, columns, strict=True)]
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
    view: _View,
    column: tuple[Int32, Int32],
    max_jump: int,
    left_out: NDArray[np.bool_],
    numbers: tuple[int, int],
    follow_first: Int64,
    follow: Int32,
) -> Side:
    arcs, by_end, original, position = view
    base = lattices.offsets[lattices.pair_of_arc, 2]
    offsets = np.ascontiguousarray(lattices.offsets[:, 2])
    groups, crossings = numbers
    group_first = np.zeros(arcs.shape[0] + 1, dtype=np.int64)
    landing, landed = np.zeros(groups, dtype=np.int32), np.zeros(crossings, dtype=np.int32)
    crossing_first = np.zeros(groups + 1, dtype=np.int64)
    room = group_first, landing, crossing_first, landed
    _find(offsets, arcs, *column, max_jump, left_out, np.zeros(0, dtype=np.int64), *room, True)
    group = np.repeat(np.arange(groups, dtype=np.int64), np.diff(crossing_first))
    gap_arc = np.repeat(np.arange(arcs.shape[0], dtype=np.int64), np.diff(group_first))
    landed_arc = landed + base[gap_arc[group]]
    own_gap_arc = np.asarray(gap_arc - base[gap_arc], dtype=np.int32)
    landed_first = np.zeros(arcs.shape[0] + 1, dtype=np.int64)
    landed_first[1:] = np.cumsum(np.bincount(landed_arc, minlength=arcs.shape[0]))
    by_landed = np.asarray(np.argsort(landed_arc, kind="stable"), dtype=np.int64)
    return Side(
        arcs,
        by_end,
        original,
        position,
        group_first,
        own_gap_arc,
        landing,
        crossing_first,
        landed,
        group,
        landed_first,
        by_landed,
        follow_first,
        follow,
    )
