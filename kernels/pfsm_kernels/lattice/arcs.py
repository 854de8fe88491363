"""The order of offered blocks and of arcs: sorted by where they begin, by where they end, each once.

Blocks are rows (pair, i, p, j, q), and stand in the order (pair, i, j, p, q).
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]
Float32 = NDArray[np.float32]
# The fields of a block in the order by which blocks are sorted.
IN_ORDER = (0, 1, 3, 2, 4)


def in_order(fields: Sequence[Int32 | Int64]) -> tuple[Int64, NDArray[np.bool_]]:
    """Order of rows by fields, the first one first; equal rows stay as they come.

    Where the fields fit into one number, such numbers are sorted, which is far faster.

    Returns:
        int64 [n], the order; bool [n], which rows in that order differ from the one before.
    """
    n, first = fields[0].size, np.ones(fields[0].size, dtype=np.bool_)
    if not n:
        return np.zeros(0, dtype=np.int64), first
    sizes = [int(column.max()) + 1 for column in fields]
    if np.prod([float(size) for size in sizes]) >= 2.0**62 or any(column.min() < 0 for column in fields):
        order = np.lexsort(tuple(reversed(fields)))
        table = np.stack([column[order] for column in fields])
        first[1:] = (table[:, 1:] != table[:, :-1]).any(axis=0)
        return order, first
    key = fields[0].astype(np.int64)
    for column, size in zip(fields[1:], sizes[1:], strict=True):
        key *= size
        key += column
    # Long runs of rows are in order as they come, which this kind of sorting takes advantage of.
    order = np.argsort(key, kind="stable")
    key = key.take(order)
    first[1:] = key[1:] != key[:-1]
    return order, first


def each_once(rows: Int32, values: Float32) -> tuple[Int32, Float32]:
    """Every block once, with the largest of its values, in order.

    Args:
        rows: int32 [n, 5], rows (pair, i, p, j, q).
        values: float32 [n].

    Returns:
        int32 [n_distinct, 5] and float32 [n_distinct].
    """
    order, is_first = in_order([rows[:, field] for field in IN_ORDER])
    first = np.flatnonzero(is_first)
    return rows.take(order[first], axis=0), np.maximum.reduceat(
        values[order], first
    ) if first.size else values


def order_of_ends(arcs: Int32, pair_of_arc: Int64, first: Int64) -> Int32:
    """Arcs of each pair, counted from 0, in order of their ends (i + p, j + q), ties in their own order: int32 [n].

    Args:
        arcs: int32 [n, 5], rows (i, p, j, q, state).
        pair_of_arc: int64 [n], ascending.
        first: int64 [n_pairs + 1], where the arcs of each pair begin.
    """
    order, _ = in_order([pair_of_arc, arcs[:, 0] + arcs[:, 1], arcs[:, 2] + arcs[:, 3]])
    order -= first.take(pair_of_arc)
    return order.astype(np.int32)
