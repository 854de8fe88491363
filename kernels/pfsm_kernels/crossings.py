"""Where matches cross: the only places where the pushdown machine can swap.

A jump on the hypothesis side opens with an arc b that lands at column L, goes back to column ``start < L``, and
fills the gap beginning (after some Deletes) with an arc c at column ``start``. Both arcs are known in advance:

    start = column of c,  L = column of b,  q_c <= L - start <= D,  q_b <= D,  row of c >= end row of b

so the candidates are the crossing pairs of arcs at most D columns apart, and they do not depend on weights. They
are found once per batch. A jump on the reference side is the same on the transposed lattice.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from pfsm_kernels.lattices import Lattices

Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]


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


class TooManyCrossingsError(ValueError):
    """A pair has more crossing matches than memory should be spent on; ``pair`` is its index in the batch."""

    def __init__(self, pair: int) -> None:
        super().__init__(f"pair {pair} has more than {MOST_CROSSINGS} crossing matches")
        self.pair = pair


@dataclass(frozen=True, eq=False)
class Crossings:
    """Both views of a batch for one jump limit: ``hypothesis`` for jumps on s, ``reference`` for jumps on r."""

    max_jump: int
    hypothesis: Side
    reference: Side


# Of one pair: about 3,000 tokens of running text a side have 2 million within 5 columns.
MOST_CROSSINGS = 10_000_000


@njit(cache=True, nogil=True)
def _find(
    arc_offsets, arcs, column_arcs, column_view, max_jump, group_first, landing, crossing_first, landed, write
):
    """Counts, then writes, groups and crossings; columns are searched through the transposed order.

    Returns the numbers of both, or -1 and a pair that has more than ``MOST_CROSSINGS``.
    """
    groups, crossings = 0, 0
    for k in range(arc_offsets.size - 1):
        before = crossings
        base, A = arc_offsets[k], arc_offsets[k + 1] - arc_offsets[k]
        for c in range(A):
            if crossings - before > MOST_CROSSINGS:
                return -1, k
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
    if write:
        group_first[arc_offsets[-1]] = groups
        crossing_first[groups] = crossings
    return groups, crossings


def _view(lattices: Lattices, swapped: bool) -> tuple[Int32, Int32, Int32, Int32]:
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


def find_crossings(lattices: Lattices, max_jump: int) -> Crossings:
    """Both views of a batch with their crossings at most ``max_jump`` columns apart.

    Memory: about 24 bytes a crossing. A pair of m x n tokens with A arcs spread evenly has about A^2 D / (2 n) on
    each side.

    Raises:
        ValueError: If ``max_jump`` is negative.
        TooManyCrossingsError: If a pair has more than ``MOST_CROSSINGS``, as where one word fills both of its lines.
    """
    if max_jump < 0:
        raise ValueError(f"max_jump is {max_jump}, it must not be negative")
    views = _view(lattices, swapped=False), _view(lattices, swapped=True)
    sides = []
    for one, other in (views, views[::-1]):
        arcs, by_end, original, view = one
        # From the other view's order to this view's index: via the lattice's own index.
        base = lattices.offsets[lattices.pair_of_arc, 2]
        column_view = np.ascontiguousarray(view[base + other[2]])
        offsets = np.ascontiguousarray(lattices.offsets[:, 2])
        none = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int64)
        no_landed = np.zeros(0, dtype=np.int32)
        groups, crossings = _find(offsets, arcs, other[0], column_view, max_jump, *none, no_landed, False)
        if groups < 0:
            raise TooManyCrossingsError(crossings)
        group_first = np.zeros(arcs.shape[0] + 1, dtype=np.int64)
        landing, landed = np.zeros(groups, dtype=np.int32), np.zeros(crossings, dtype=np.int32)
        crossing_first = np.zeros(groups + 1, dtype=np.int64)
        _find(
            offsets, arcs, other[0], column_view, max_jump, group_first, landing, crossing_first, landed, True
        )
        group = np.repeat(np.arange(groups, dtype=np.int64), np.diff(crossing_first))
        gap_arc = np.repeat(np.arange(arcs.shape[0], dtype=np.int64), np.diff(group_first))
        landed_arc = landed + base[gap_arc[group]]
        own_gap_arc = np.asarray(gap_arc - base[gap_arc], dtype=np.int32)
        landed_first = np.zeros(arcs.shape[0] + 1, dtype=np.int64)
        landed_first[1:] = np.cumsum(np.bincount(landed_arc, minlength=arcs.shape[0]))
        by_landed = np.argsort(landed_arc, kind="stable")
        sides.append(
            Side(
                arcs,
                by_end,
                original,
                view,
                group_first,
                own_gap_arc,
                landing,
                crossing_first,
                landed,
                group,
                landed_first,
                np.asarray(by_landed, dtype=np.int64),
            )
        )
    return Crossings(max_jump, *sides)
