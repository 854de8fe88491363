"""The blocks of all matchers, merged in the order of the arcs that they become."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]


def merged(offers: Sequence[Int32], n_pairs: int, exclusive: bool) -> tuple[Int32, Int32, Int64, Int64]:
    """The blocks of all matchers in the order of arcs.

    Returns:
        int32 [n_arcs, 5], rows (i, p, j, q, 0); int32 [n_arcs], the matcher that offered each; int64 [n_pairs], the
        number of arcs of each pair; int64 [n_offers], the arc of each offer, with offers counted through all matchers,
        or -1 if an earlier matcher offered the block.
    """
    from pfsm_kernels.lattice.arcs import is_sorted, merge  # noqa: PLC0415 - brings numba

    starts = np.zeros(len(offers) + 1, dtype=np.int64)
    np.cumsum([offer.shape[0] for offer in offers], out=starts[1:])
    rows = np.concatenate([*offers, np.zeros((0, 5), dtype=np.int32)])
    order = None
    if not all(map(is_sorted, offers)):
        # Sorted by matcher, pair, i, j, p, q.
        matcher = np.repeat(np.arange(len(offers), dtype=np.int64), np.diff(starts))
        order = sorted_order([matcher, *(rows[:, field] for field in (0, 1, 3, 2, 4))])
        rows = rows[order]
    arcs, rank, per_pair, places = merge(rows, starts, n_pairs, exclusive)
    if order is not None:
        of_offer = np.empty_like(places)
        of_offer[order] = places
        places = of_offer
    return arcs, rank, per_pair, places


def sorted_order(fields: Sequence[Int32 | Int64]) -> Int64:
    """Order of the rows by the fields, first field first; sorts one combined number if it fits, which is far faster."""
    if not fields[0].size:
        return np.zeros(0, dtype=np.int64)
    sizes = [int(column.max()) + 1 for column in fields]
    if np.prod([float(size) for size in sizes]) >= 2.0**62:
        return np.lexsort(tuple(reversed(fields)))
    key = np.zeros(fields[0].size, dtype=np.int64)
    for column, size in zip(fields, sizes, strict=True):
        key = key * size + column
    return np.argsort(key, kind="stable")
