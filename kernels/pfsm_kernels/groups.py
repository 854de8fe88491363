"""Which pairs go from arc to arc (``arc_to_arc`` of both machines) or by diagonals, and the tables they share."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pfsm_kernels.lattice.lattices import Lattices
from pfsm_kernels.machine.arc_to_arc import Runs, fill_runs, runs_rate
from pfsm_kernels.machine.by_diagonal import LONGEST as LONGEST_BY_DIAGONALS
from pfsm_kernels.pushdown.windows import Windows, make_windows

# What the square of the number of arcs costs, in cells by diagonals.
PAIR_OF_ARCS = 1.5
# Longer sentences seldom have few arcs, and the tables of the machine without jumps would leave the processor's cache.
LONGEST = 160


@dataclass(frozen=True, eq=False)
class Group:
    """Pairs of a batch that go from arc to arc and have the same states of Insert and Delete.

    Attributes:
        insert: State of all Inserts.
        delete: State of all Deletes.
        wanted: bool [n_pairs], which pairs.
        rows: One more than the tokens of the longest reference.
        width: One more than the tokens of the longest hypothesis.
    """

    insert: int
    delete: int
    wanted: NDArray[np.bool_]
    rows: int
    width: int

    def tables(self, E: NDArray[np.float64], derivatives: bool) -> Runs | None:
        """The tables of these pairs for weights ``E = exp(table)``; None where such weights have none."""
        rate = runs_rate(E, self.insert, self.delete)
        if not rate:
            return None
        cells = self.rows * self.width
        sums, counts = np.empty((cells, 4)), np.empty((cells if derivatives else 0, 16))
        fill_runs(E, self.insert, self.delete, rate, self.width, sums, counts)
        return Runs(self.insert, self.delete, rate, self.width, sums, counts)

    def windows(self, E: NDArray[np.float64], jump: int, max_jump: int, derivatives: bool) -> Windows | None:
        """The tables for the machine with jumps; None where such weights have none."""
        rate = runs_rate(E, self.insert, self.delete)
        states = self.insert, self.delete, jump
        rows = max(self.rows, self.width)
        return make_windows(E, states, rate, max_jump, rows, derivatives) if rate else None


def few_arcs(lattices: Lattices) -> NDArray[np.bool_]:
    """Which pairs have so few arcs that, without jumps, going from arc to arc takes less time than by diagonals.

    Returns:
        bool [n_pairs].
    """
    m, n, arcs = np.diff(lattices.offsets, axis=0).T
    return np.asarray((PAIR_OF_ARCS * arcs * arcs <= (m + 1) * (n + 1)) & (np.maximum(m, n) <= LONGEST))


def by_diagonals(lattices: Lattices) -> NDArray[np.bool_]:
    """Which pairs can go by diagonals: those with tokens on both sides and one state each for Insert and Delete.

    Returns:
        bool [n_pairs].
    """
    m, n, _ = np.diff(lattices.offsets, axis=0).T
    short = np.maximum(m, n) <= LONGEST_BY_DIAGONALS
    return np.asarray(lattices.uniform & (np.minimum(m, n) > 0) & short)


def find_groups(lattices: Lattices, few: NDArray[np.bool_]) -> list[Group]:
    """The groups of a batch, of pairs that have ``few`` arcs (bool [n_pairs]).

    Whether a pair is in one depends on that pair alone, not on the others.
    """
    m, n, _ = np.diff(lattices.offsets, axis=0).T
    chosen = np.flatnonzero(few & lattices.uniform & (np.minimum(m, n) > 0))
    if not chosen.size:
        return []
    inserts = lattices.insert_states[lattices.offsets[chosen, 1]].astype(np.int64)
    deletes = lattices.delete_states[lattices.offsets[chosen, 0]]
    kinds = inserts * lattices.n_states + deletes
    groups = []
    for kind in np.unique(kinds).tolist():
        pairs = chosen[kinds == kind]
        wanted = np.zeros(len(lattices), dtype=np.bool_)
        wanted[pairs] = True
        insert, delete = divmod(kind, lattices.n_states)
        groups.append(Group(insert, delete, wanted, int(m[pairs].max()) + 1, int(n[pairs].max()) + 1))
    return groups
