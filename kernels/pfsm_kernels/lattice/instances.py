"""How often a feature can occur in lattices: the places where an edit of a state can begin or end.

A place is a cell (i, j) of one pair's lattice. State x has an instance at every place where an edit of x can
begin; transition x>y at every place where an edit of x can end and one of y begin. No state is both of an Insert and a
Delete, or of an edit and a substitution. So what edits alone have follows from the lengths, and only substitutions need
a look at cells: O((m + n) S + arcs) for a pair with few arcs in one cell.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pfsm_kernels.cache import njit
from pfsm_kernels.lattice.lattices import Lattices


@dataclass(frozen=True, eq=False)
class Instances:
    """Counts over all lattices of a batch.

    Attributes:
        states: int64 [S], places where an edit of the state can be made.
        transitions: int64 [S, S], places where one of ``prev`` can end and one of ``cur`` begin.
    """

    states: NDArray[np.int64]
    transitions: NDArray[np.int64]


@njit(borrows=True)
def _add_edits(own, other, places, present, states, transitions):
    """The edits of one side: each state with itself as neighbour, and before every edit of the other side.

    ``places`` are those where one token's edit can begin, one more than the other side has tokens. ``present`` is room
    for what the other side has of each state.
    """
    for state in other:
        present[state] += 1
    for at in range(own.size):
        states[own[at]] += places
        if at:
            transitions[own[at - 1], own[at]] += places
        for state in range(present.size):
            transitions[own[at], state] += present[state]
    for state in other:
        present[state] = 0


@njit(borrows=True)
def _is_first(arcs, a, first):
    """Whether no arc before this one, of those from ``first`` on, which begin in the same cell, has its state."""
    found = False
    for earlier in range(first, a):
        found = found or arcs[earlier, 4] == arcs[a, 4]
    return not found


@njit(borrows=True)
def _end(arcs, a):
    """The cell where an arc ends."""
    return arcs[a, 0] + arcs[a, 1], arcs[a, 2] + arcs[a, 3]


@njit(borrows=True)
def _add_begins(arcs, deletes, inserts, states, transitions):
    """Substitutions, each state once in a cell, and the edits before them."""
    first = 0
    for a in range(arcs.shape[0]):
        i, j, state = arcs[a, 0], arcs[a, 2], arcs[a, 4]
        if arcs[first, 0] != i or arcs[first, 2] != j:
            first = a
        if _is_first(arcs, a, first):
            states[state] += 1
            if i:
                transitions[deletes[i - 1], state] += 1
            if j:
                transitions[inserts[j - 1], state] += 1


@njit(borrows=True)
def _add_ends(arcs, by_end, deletes, inserts, transitions):
    """What follows substitutions, each state once in a cell."""
    first, following = 0, 0
    for e in range(by_end.size):
        cell = _end(arcs, by_end[e])
        if _end(arcs, by_end[first]) != cell:
            first = e
        state = arcs[by_end[e], 4]
        seen = False
        for earlier in range(first, e):
            seen = seen or arcs[by_end[earlier], 4] == state
        if seen:
            continue
        i, j = cell
        if i < deletes.size:
            transitions[state, deletes[i]] += 1
        if j < inserts.size:
            transitions[state, inserts[j]] += 1
        while following < arcs.shape[0] and (arcs[following, 0], arcs[following, 2]) < cell:
            following += 1
        b = following
        while b < arcs.shape[0] and (arcs[b, 0], arcs[b, 2]) == cell:
            if _is_first(arcs, b, following):
                transitions[state, arcs[b, 4]] += 1
            b += 1


@njit(nogil=True)
def _count(offsets, delete_states, insert_states, arcs, by_end, states, transitions):
    present = np.zeros(states.size, np.int64)
    for k in range(offsets.shape[0] - 1):
        deletes = delete_states[offsets[k, 0] : offsets[k + 1, 0]]
        inserts = insert_states[offsets[k, 1] : offsets[k + 1, 1]]
        own = arcs[offsets[k, 2] : offsets[k + 1, 2]]
        _add_edits(deletes, inserts, inserts.size + 1, present, states, transitions)
        _add_edits(inserts, deletes, deletes.size + 1, present, states, transitions)
        _add_begins(own, deletes, inserts, states, transitions)
        _add_ends(own, by_end[offsets[k, 2] : offsets[k + 1, 2]], deletes, inserts, transitions)


def count_instances(lattices: Lattices) -> Instances:
    """Instances of every state and transition in the batch."""
    S = lattices.n_states
    counts = Instances(np.zeros(S, dtype=np.int64), np.zeros((S, S), dtype=np.int64))
    _count(
        lattices.offsets, lattices.delete_states, lattices.insert_states, lattices.arcs, lattices.by_end,
        counts.states, counts.transitions,
    )  # fmt: skip
    return counts
