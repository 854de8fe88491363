"""Log-sums and expected counts by whole states, where parts of a state differ in what a visit weighs alone.

The states of Insert and Delete are often split by word class, with transitions of whole states. Then one state of
each is enough (``lattice.parts``): the tables are smaller, and pairs go from arc to arc that would otherwise go from
cell to cell, which with jumps takes three times as long.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pfsm_kernels.inference import Expectations, expectations, log_sum
from pfsm_kernels.lattice.batch import Weights
from pfsm_kernels.lattice.lattices import Lattices
from pfsm_kernels.lattice.parts import LARGEST_PART, Parts, add_visits, weights_apart
from pfsm_kernels.pushdown.crossings import Crossings, Jumps, Side

__all__ = ["Parts", "add_visits", "are_small", "whole_expectations", "whole_log_sum"]

Float = NDArray[np.float64]
Int32 = NDArray[np.int32]


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
