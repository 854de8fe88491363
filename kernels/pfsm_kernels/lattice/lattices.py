"""The arrays a kernel needs to know about a batch of sentence pairs. Nothing linguistic, no weights."""

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Lattices:
    """A batch of lattices: for every sentence pair its positions, states and substitution arcs.

    Attributes:
        n_states: Number of states S; ids are 0..S-1. Row S of a weight table is Start.
        delete_states: int32 [reference tokens of all pairs], state of the Delete at each position of r.
        insert_states: int32 [hypothesis tokens of all pairs], state of the Insert at each position of s.
        arcs: int32 [n_arcs, 5], rows (i, p, j, q, state): a substitution that consumes the block of p >= 1
            tokens of r from i and q >= 1 tokens of s from j. Sorted by (i, j) within a pair.
        offsets: int64 [n_pairs + 1, 3], where each pair begins in the three arrays above.

    Raises:
        ValueError: If shapes, ids, blocks or the order of arcs are wrong.
    """

    n_states: int
    delete_states: Int32
    insert_states: Int32
    arcs: Int32
    offsets: Int64

    def __post_init__(self) -> None:
        _check_shapes(self)
        _check_arcs(self)

    def __len__(self) -> int:
        """Number of sentence pairs."""
        return int(self.offsets.shape[0]) - 1

    @property
    def lengths(self) -> Int64:
        """m + n of every pair, int64 [n_pairs]."""
        steps = np.diff(self.offsets, axis=0)
        return np.asarray(steps[:, 0] + steps[:, 1], dtype=np.int64)

    @cached_property
    def pair_of_arc(self) -> Int64:
        """Index of the pair each arc belongs to, int64 [n_arcs]."""
        return np.repeat(np.arange(len(self), dtype=np.int64), np.diff(self.offsets[:, 2]))

    @cached_property
    def by_end(self) -> Int32:
        """Arcs of each pair, counted from 0, in order of their ends (i + p, j + q): int32 [n_arcs]."""
        return order_of_ends(self.arcs, self.pair_of_arc, self.offsets[:, 2])

    @cached_property
    def uniform(self) -> NDArray[np.bool_]:
        """Whether a pair has one state of all Inserts and one of all Deletes, and some of both: bool [n_pairs]."""
        result = np.asarray((np.diff(self.offsets[:, :2], axis=0) > 0).all(1))
        for column, states in enumerate((self.delete_states, self.insert_states)):
            # A run of one state ends where the state changes, or the pair.
            changes = np.flatnonzero(np.diff(states)) + 1
            first = np.searchsorted(changes, self.offsets[:-1, column], side="right")
            result &= first == np.searchsorted(changes, self.offsets[1:, column], side="left")
        return result

    def with_states(
        self, n_states: int, delete_states: Int32, insert_states: Int32, arcs: Int32
    ) -> "Lattices":
        """The same lattices with other states, which are not checked again; arcs differ in their last column alone."""
        result = copy.copy(self)
        own = vars(result)
        own.pop("uniform", None)
        own.update(n_states=n_states, delete_states=delete_states, insert_states=insert_states, arcs=arcs)
        own["by_end"] = self.by_end
        return result

    def select(self, pairs: Int64) -> "Lattices":
        """The lattices of the given pairs, in that order."""
        rows = [np.arange(0)] * 3
        offsets = np.zeros((pairs.size + 1, 3), dtype=np.int64)
        for column in range(3):
            sizes = np.diff(self.offsets[:, column])[pairs]
            offsets[1:, column] = np.cumsum(sizes)
            starts = self.offsets[pairs, column] - offsets[:-1, column]
            rows[column] = np.arange(offsets[-1, column]) + np.repeat(starts, sizes)
        return Lattices(
            self.n_states,
            self.delete_states[rows[0]],
            self.insert_states[rows[1]],
            self.arcs[rows[2]],
            offsets,
        )


def single(
    n_states: int, delete_states: Sequence[int], insert_states: Sequence[int], arcs: Sequence[Sequence[int]]
) -> Lattices:
    """A batch of one pair; ``arcs`` rows (i, p, j, q, state) must be sorted by (i, j)."""
    return Lattices(
        n_states,
        np.asarray(delete_states, dtype=np.int32),
        np.asarray(insert_states, dtype=np.int32),
        np.asarray(arcs, dtype=np.int32).reshape(-1, 5),
        np.array([[0, 0, 0], [len(delete_states), len(insert_states), len(arcs)]], dtype=np.int64),
    )


def _check_shapes(lattices: Lattices) -> None:
    offsets = lattices.offsets
    sizes = (lattices.delete_states.size, lattices.insert_states.size, lattices.arcs.shape[0])
    if offsets.ndim != 2 or offsets.shape[0] < 1 or offsets.shape[1] != 3:
        raise ValueError(f"offsets must have shape [n_pairs + 1, 3], not {offsets.shape}")
    if offsets.dtype != np.int64:
        raise ValueError(f"offsets must be int64, not {offsets.dtype}")
    if offsets[0].any() or (np.diff(offsets, axis=0) < 0).any() or tuple(offsets[-1]) != sizes:
        raise ValueError("offsets must rise from 0 to the sizes of delete_states, insert_states and arcs")
    if lattices.arcs.ndim != 2 or lattices.arcs.shape[1] != 5:
        raise ValueError(f"arcs must have shape [n_arcs, 5], not {lattices.arcs.shape}")
    for name, array in (
        ("delete_states", lattices.delete_states),
        ("insert_states", lattices.insert_states),
        ("arcs", lattices.arcs),
    ):
        if array.dtype != np.int32 or array.ndim != (2 if name == "arcs" else 1):
            raise ValueError(
                f"{name} must be int32 in one dimension (arcs: two), not {array.dtype} {array.shape}"
            )
    for name, states in (
        ("delete_states", lattices.delete_states),
        ("insert_states", lattices.insert_states),
        ("arcs", lattices.arcs[:, 4]),
    ):
        if states.size and (states.min() < 0 or states.max() >= lattices.n_states):
            raise ValueError(f"{name} holds a state outside 0..{lattices.n_states - 1}")


def _check_arcs(lattices: Lattices) -> None:
    pair, arcs = lattices.pair_of_arc, lattices.arcs
    if not pair.size:
        return
    for side, (begin, size) in enumerate(((arcs[:, 0], arcs[:, 1]), (arcs[:, 2], arcs[:, 3]))):
        left = np.diff(lattices.offsets[:, side]).take(pair) - begin - size
        if size.min() < 1 or min(begin.min(), left.min()) < 0:
            raise ValueError("an arc must consume at least one token on each side and stay inside its pair")
    rows, columns = np.diff(arcs[:, 0]), np.diff(arcs[:, 2])
    if ((pair[1:] == pair[:-1]) & ((rows < 0) | ((rows == 0) & (columns < 0)))).any():
        raise ValueError("arcs must be sorted by (i, j) within a pair")


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


Float = NDArray[np.float64]


def table_shape(n_states: int) -> tuple[int, int]:
    """Return the shape of a table of transitions: a row for each state, then Start; a column for each state."""
    return n_states + 1, n_states


@dataclass(frozen=True, eq=False)
class Weights:
    """Weights of one machine, in the log domain.

    Attributes:
        table: float64 [S + 1, S], ``table[prev, cur] = u[cur] + t[prev > cur]``; row S, Start: ``u[cur]``.
        arcs: float64 [n_arcs], added whenever an arc is taken; None: zero.
        links: float64 [n_arcs], added when a 1:1 arc follows a 1:1 arc that ends where it begins; None: zero.
    """

    table: Float
    arcs: Float | None = None
    links: Float | None = None


class Cells(NamedTuple):
    """The lattices, as ``Lattices`` has them.

    Attributes:
        offsets: int64 [n_lattices + 1, 3], where tokens of r, tokens of s and arcs of each lattice begin.
        deletes: int32 [reference tokens], state of the Delete at each position.
        inserts: int32 [hypothesis tokens], state of the Insert at each position.
        arcs: int32 [n_arcs, 5], rows (i, p, j, q, state) sorted by (i, j) within a lattice.
        by_end: int32 [n_arcs], arcs of a lattice (counted from 0) in order of (i + p, j + q).
    """

    offsets: NDArray[np.int64]
    deletes: Int32
    inserts: Int32
    arcs: Int32
    by_end: Int32


class Factors(NamedTuple):
    """exp of the weights.

    Attributes:
        arcs: float64 [n_arcs].
        links: float64 [n_arcs] or [0].
        table: float64 [S + 1, S]; row S is Start.
    """

    arcs: Float
    links: Float
    table: Float


class Outputs(NamedTuple):
    """Room for results; lattices that come in accepted are done already and stay as they are.

    Attributes:
        log_sum: float64 [n_lattices].
        accepted: bool [n_lattices], False where another kernel is needed.
        table: float64 [n_lattices, S + 1, S], d log_sum / d W; no lattices where no derivatives are wanted.
        arcs: float64 [n_arcs], derivatives in the arc weights: posterior probabilities.
        links: float64 [n_arcs] or [0], those in the link weights.
    """

    log_sum: Float
    accepted: NDArray[np.bool_]
    table: Float
    arcs: Float
    links: Float
