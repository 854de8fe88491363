"""Log-sums and expected counts by whole states, where parts of a state differ in what a visit weighs alone.

The states of Insert and Delete are often split by word class, with transitions of whole states:
``table[prev, cur] = W[whole(prev), whole(cur)] + v[cur]``. Then an edit sequence does not need to know which part of a
state it is in. Every token is consumed exactly once: deleted, inserted, or by a substitution. So with v of all
positions taken out at first, and of those that a substitution consumes put back,

    Q(e) = sum over positions of v  +  Q'(e),    weight'(arc) = weight(arc) + v[state] - sum over its positions of v,

where Q' is by whole states and W alone. The expected number of edits at a position is one less the posteriors of the
arcs over it.

The tables are smaller, and pairs go by diagonals or from arc to arc, which take one state each of Insert and Delete.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pfsm_kernels.cache import njit
from pfsm_kernels.inference import Expectations, expectations, log_sum
from pfsm_kernels.lattice.lattices import Lattices, Weights
from pfsm_kernels.pushdown.crossings import Crossings, Jumps, Side

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


def weights_apart(lattices: Lattices, visits: Float, arcs: Float | None) -> tuple[Float, Float]:
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


def add_visits(lattices: Lattices, posteriors: Float, places: NDArray[np.int64], counts: Float) -> None:
    """Adds the expected number of visits of each part.

    Args:
        lattices: The batch, with parts of states.
        posteriors: float64 [n_arcs], expected number of uses of each arc.
        places: int64 [S], the column that each state counts in; what is not a column of ``counts`` is left out.
        counts: float64 [n_pairs, n_features], added to.
    """
    cells = lattices.offsets, lattices.delete_states, lattices.insert_states, lattices.arcs
    _add_visits(*cells, posteriors, places, counts)


def are_small(visits: Float) -> bool:
    """Whether what parts weigh is small enough to be taken apart without loss; NaN is not."""
    return bool((np.abs(visits) <= LARGEST_PART).all())


def whole_log_sum(
    lattices: Lattices,
    weights: Weights,
    parts: Parts,
    visits: Float,
    threads: int = 1,
    jumps: Jumps | None = None,
) -> Float:
    """``inference.log_sum`` of ``table[prev, cur] = weights.table[whole(prev), whole(cur)] + visits[cur]``.

    Args:
        lattices: The batch, with parts of states.
        weights: The table is over whole states; weights of arcs and links are as ever.
        parts: Which whole state each state is a part of.
        visits: float64 [S], what a visit of each part weighs in addition.
        threads: Threads over pairs; the result does not depend on it.
        jumps: Where the pushdown machine can jump, as found in ``lattices``.

    Returns:
        float64 [n_pairs], in the log domain.

    Raises:
        ValueError: If a weight is NaN or plus infinity, or a shape does not fit.
    """
    arcs, apart = weights_apart(lattices, visits, weights.arcs)
    whole = _whole_lattices(lattices, parts)
    return log_sum(whole, replace(weights, arcs=arcs), threads, _whole_jumps(jumps, parts)) + apart


def whole_expectations(
    lattices: Lattices,
    weights: Weights,
    parts: Parts,
    visits: Float,
    threads: int = 1,
    jumps: Jumps | None = None,
) -> Expectations:
    """Likewise ``inference.expectations``; the derivatives in ``visits`` are what ``add_visits`` adds.

    Returns:
        Log-sums, and their derivatives in ``weights``: the table is over whole states.

    Raises:
        ValueError: As ``whole_log_sum``.
    """
    arcs, apart = weights_apart(lattices, visits, weights.arcs)
    whole = _whole_lattices(lattices, parts)
    found = expectations(whole, replace(weights, arcs=arcs), threads, _whole_jumps(jumps, parts))
    return replace(found, log_sum=found.log_sum + apart)


def _whole_arcs(arcs: Int32, parts: Parts) -> Int32:
    result = arcs.copy()
    result[:, 4] = parts.whole[arcs[:, 4]]
    return result


def _whole_lattices(lattices: Lattices, parts: Parts) -> Lattices:
    whole = parts.whole
    deletes, inserts = whole[lattices.delete_states], whole[lattices.insert_states]
    return lattices.with_states(parts.n_whole, deletes, inserts, _whole_arcs(lattices.arcs, parts))


def _whole_jumps(jumps: Jumps | None, parts: Parts) -> Jumps | None:
    if jumps is None:
        return None
    found = jumps.crossings
    crossings: Crossings = replace(
        found, hypothesis=_whole_side(found.hypothesis, parts), reference=_whole_side(found.reference, parts)
    )
    return Jumps(int(parts.whole[jumps.state]), crossings)


def _whole_side(side: Side, parts: Parts) -> Side:
    return side._replace(arcs=_whole_arcs(side.arcs, parts))
