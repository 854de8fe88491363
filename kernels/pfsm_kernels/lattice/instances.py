"""How often a feature can occur in lattices: the places where an edit of a state can begin or end.

A place is a cell (i, j) of one pair's lattice. State x has an instance at every place where an edit of x can
begin; transition x>y at every place where an edit of x can end and one of y begin. Cost O(cells x S^2) at worst.
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


@njit(nogil=True)
def _count(offsets, delete_states, insert_states, arcs, by_end, states, transitions):
    S = states.size
    widest = 0
    for k in range(offsets.shape[0] - 1):
        widest = max(widest, offsets[k + 1, 1] - offsets[k, 1])
    begins = np.empty((widest + 1, S), np.bool_)
    ends = np.empty((widest + 1, S), np.bool_)
    for k in range(offsets.shape[0] - 1):
        dels = delete_states[offsets[k, 0] : offsets[k + 1, 0]]
        ins = insert_states[offsets[k, 1] : offsets[k + 1, 1]]
        arc = arcs[offsets[k, 2] : offsets[k + 1, 2]]
        end = by_end[offsets[k, 2] : offsets[k + 1, 2]]
        m, n = dels.size, ins.size
        next_start, next_end = 0, 0
        for i in range(m + 1):
            begins[: n + 1] = False
            ends[: n + 1] = False
            for j in range(n + 1):
                if j < n:
                    begins[j, ins[j]] = True
                    ends[j + 1, ins[j]] = True
                if i < m:
                    begins[j, dels[i]] = True
                if i:
                    ends[j, dels[i - 1]] = True
            while next_start < arc.shape[0] and arc[next_start, 0] == i:
                begins[arc[next_start, 2], arc[next_start, 4]] = True
                next_start += 1
            while next_end < arc.shape[0] and arc[end[next_end], 0] + arc[end[next_end], 1] == i:
                a = end[next_end]
                ends[arc[a, 2] + arc[a, 3], arc[a, 4]] = True
                next_end += 1
            for j in range(n + 1):
                for cur in range(S):
                    if not begins[j, cur]:
                        continue
                    states[cur] += 1
                    for prev in range(S):
                        if ends[j, prev]:
                            transitions[prev, cur] += 1


def count_instances(lattices: Lattices) -> Instances:
    """Instances of every state and transition in the batch."""
    S = lattices.n_states
    counts = Instances(np.zeros(S, dtype=np.int64), np.zeros((S, S), dtype=np.int64))
    _count(
        lattices.offsets, lattices.delete_states, lattices.insert_states, lattices.arcs, lattices.by_end,
        counts.states, counts.transitions,
    )  # fmt: skip
    return counts
