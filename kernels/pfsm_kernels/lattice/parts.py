"""States that differ from a whole state in nothing but what a visit weighs.

With ``table[prev, cur] = W[whole(prev), whole(cur)] + v[cur]`` an edit sequence does not need to know which part of a
state it is in. Every token is consumed exactly once: deleted, inserted, or by a substitution. So with v of all
positions taken out at first, and of those that a substitution consumes put back,

    Q(e) = sum over positions of v  +  Q'(e),    weight'(arc) = weight(arc) + v[state] - sum over its positions of v,

where Q' is by whole states and W alone. The expected number of edits at a position is one less the posteriors of the
arcs over it.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pfsm_kernels.cache import njit

if TYPE_CHECKING:
    from pfsm_kernels.lattice.lattices import Lattices

Float = NDArray[np.float64]
Int32 = NDArray[np.int32]

# In weights of larger size too much would cancel.
LARGEST_PART = 50.0


@dataclass(frozen=True, eq=False)
class Parts:
    """Which states are parts of which whole state.

    Attributes:
        whole: int32 [S], the whole state of each state.
        n_whole: Number of whole states.
    """

    whole: Int32
    n_whole: int


@njit(nogil=True)
def _weights(offsets, deletes, inserts, arcs, visits, arc_weights, apart):
    for k in range(offsets.shape[0] - 1):
        d0, i0 = offsets[k, 0], offsets[k, 1]
        total = 0.0
        for at in range(d0, offsets[k + 1, 0]):
            total += visits[deletes[at]]
        for at in range(i0, offsets[k + 1, 1]):
            total += visits[inserts[at]]
        apart[k] = total
        for a in range(offsets[k, 2], offsets[k + 1, 2]):
            more = visits[arcs[a, 4]]
            for at in range(d0 + arcs[a, 0], d0 + arcs[a, 0] + arcs[a, 1]):
                more -= visits[deletes[at]]
            for at in range(i0 + arcs[a, 2], i0 + arcs[a, 2] + arcs[a, 3]):
                more -= visits[inserts[at]]
            arc_weights[a] += more


@njit(nogil=True)
def _add_visits(offsets, deletes, inserts, arcs, posteriors, places, counts):
    own = np.empty(places.size)
    for k in range(offsets.shape[0] - 1):
        d0, i0 = offsets[k, 0], offsets[k, 1]
        own[:] = 0.0
        for at in range(d0, offsets[k + 1, 0]):
            own[deletes[at]] += 1.0
        for at in range(i0, offsets[k + 1, 1]):
            own[inserts[at]] += 1.0
        for a in range(offsets[k, 2], offsets[k + 1, 2]):
            number = posteriors[a]
            own[arcs[a, 4]] += number
            for at in range(d0 + arcs[a, 0], d0 + arcs[a, 0] + arcs[a, 1]):
                own[deletes[at]] -= number
            for at in range(i0 + arcs[a, 2], i0 + arcs[a, 2] + arcs[a, 3]):
                own[inserts[at]] -= number
        for state in range(places.size):
            if places[state] < counts.shape[1]:
                counts[k, places[state]] += own[state]


def weights_apart(lattices: "Lattices", visits: Float, arcs: Float | None) -> tuple[Float, Float]:
    """What arcs weigh by whole states, and what is added to the log-sum of each pair.

    Args:
        lattices: The batch, with parts of states.
        visits: float64 [S], v: what a visit of each state weighs in addition to its whole state.
        arcs: float64 [n_arcs], weight of each arc; None: zero.

    Returns:
        float64 [n_arcs]; float64 [n_pairs].
    """
    result = np.zeros(lattices.arcs.shape[0]) if arcs is None else arcs.copy()
    apart = np.zeros(len(lattices))
    cells = lattices.offsets, lattices.delete_states, lattices.insert_states, lattices.arcs
    _weights(*cells, visits, result, apart)
    return result, apart


def add_visits(lattices: "Lattices", posteriors: Float, places: NDArray[np.int64], counts: Float) -> None:
    """Adds the expected number of visits of each part.

    Args:
        lattices: The batch, with parts of states.
        posteriors: float64 [n_arcs], expected number of uses of each arc.
        places: int64 [S], the column that each state counts in; what is no column of ``counts`` is left out.
        counts: float64 [n_pairs, n_features], added to.
    """
    cells = lattices.offsets, lattices.delete_states, lattices.insert_states, lattices.arcs
    _add_visits(*cells, posteriors, places, counts)
