"""How often a feature can occur in lattices: the places where an edit of a state can begin or end.

A place is a cell (i, j) of one pair's lattice. State x has an instance at every place where an edit of x can
begin; transition x>y at every place where an edit of x can end and one of y begin. No state is both of an Insert and a
Delete, or of an edit and a substitution. So what edits alone have follows from the lengths, and only substitutions need
a look at cells.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pfsm_kernels.lattice.lattices import Lattices

Int64 = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Instances:
    """Counts over all lattices of a batch.

    Attributes:
        states: int64 [S], places where an edit of the state can be made.
        transitions: int64 [S, S], places where one of ``prev`` can end and one of ``cur`` begin.
    """

    states: Int64
    transitions: Int64


def count_instances(lattices: Lattices) -> Instances:
    """Instances of every state and transition in the batch."""
    S, offsets, arcs = lattices.n_states, lattices.offsets, lattices.arcs.astype(np.int64)
    states, transitions = np.zeros(S, dtype=np.int64), np.zeros((S, S), dtype=np.int64)
    sizes = np.diff(offsets, axis=0)
    sides, present = (lattices.delete_states, lattices.insert_states), []
    for side, own in enumerate(sides):
        pair = np.repeat(np.arange(len(lattices)), sizes[:, side])
        # Where one token's edit can begin: at every place beside the other side's tokens.
        places = sizes[pair, 1 - side] + 1
        np.add.at(states, own, places)
        again = np.flatnonzero(pair[1:] == pair[:-1])
        np.add.at(transitions, (own[again], own[again + 1]), places[again])
        found = np.zeros((len(lattices), S), dtype=np.int64)
        np.add.at(found, (pair, own), 1)
        present.append(found)
    transitions += present[0].T @ present[1] + present[1].T @ present[0]
    shape = np.append(len(lattices), sizes[:, :2].max(axis=0, initial=0) + 1)
    corners = arcs[:, [0, 2]], arcs[:, [0, 2]] + arcs[:, [1, 3]]
    begins, ends = (
        # Each state once in a cell: numbers of cells, in order, and states.
        np.divmod(_once(np.ravel_multi_index((lattices.pair_of_arc, *cells.T), shape) * S + arcs[:, 4]), S)
        for cells in corners
    )
    np.add.at(states, begins[1], 1)
    for side, own in enumerate(sides):
        pair, *places = np.unravel_index(begins[0], shape)
        after = places[side] > 0
        np.add.at(transitions, (own[(offsets[pair, side] + places[side] - 1)[after]], begins[1][after]), 1)
        pair, *places = np.unravel_index(ends[0], shape)
        before = places[side] < sizes[pair, side]
        np.add.at(transitions, (ends[1][before], own[(offsets[pair, side] + places[side])[before]]), 1)
    # What begins where a substitution ends.
    low, high = (np.searchsorted(begins[0], ends[0], side=side) for side in ("left", "right"))
    number = high - low
    which = np.arange(number.sum()) + np.repeat(high - np.cumsum(number), number)
    np.add.at(transitions, (np.repeat(ends[1], number), begins[1][which]), 1)
    return Instances(states, transitions)


def _once(numbers: Int64) -> Int64:
    """Each number once, in order; NumPy's own hashes them, which takes three times as long."""
    numbers = np.sort(numbers)
    return np.asarray(
        numbers[np.append(np.ones(1, dtype=np.bool_), numbers[1:] != numbers[:-1])[: numbers.size]]
    )
