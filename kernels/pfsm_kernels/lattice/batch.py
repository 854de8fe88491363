"""What kernels of linear space take and give, for a whole batch."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float64]
Int32 = NDArray[np.int32]


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
