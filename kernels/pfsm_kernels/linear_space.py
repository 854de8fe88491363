"""Which kernel of linear space does a pair, and what all pairs share: rates, tables.

From arc to arc go pairs with few arcs and one state each for Insert and Delete (``machine_sparse``, with jumps
``pushdown_sparse``); the others, and those whose sum comes out of range that way, from cell to cell (``machine``,
``pushdown``). What is still out of range without jumps is tried at a rate that is looked for (``machine_measured``).
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pfsm_kernels import (
    machine,
    machine_measured,
    machine_sparse,
    pushdown,
    pushdown_sparse,
    pushdown_tilt,
)
from pfsm_kernels.lattices import Lattices
from pfsm_kernels.runs import few_arcs, find_groups

if TYPE_CHECKING:
    from pfsm_kernels.inference import Jumps

Float = NDArray[np.float64]
# exp of the weights of arcs, of links and of the table.
Factors = tuple[Float, Float, Float]


def linear_task(
    lattices: Lattices, factors: Factors, jumps: "Jumps | None", outputs: tuple[Any, ...]
) -> Callable[[int, int], None]:
    """What does lattices first..last-1 in linear space; shared tables are made here, once.

    Args:
        lattices: The batch.
        factors: exp of its weights.
        jumps: Its jumps; None for the finite-state machine.
        outputs: As ``machine_sparse.sparse_batch`` takes them, from ``log_sum`` on: ``accepted`` is False where log
            space is needed.
    """
    if jumps is None:
        return _machine_task(lattices, factors, outputs)
    return _pushdown_task(lattices, factors, jumps, outputs)


def _machine_task(
    lattices: Lattices, factors: Factors, outputs: tuple[Any, ...]
) -> Callable[[int, int], None]:
    result, accepted, derivatives, *counts = outputs
    arrays = machine_arrays(lattices)
    groups = [
        (group.wanted, tables)
        for group in find_groups(lattices, few_arcs(lattices))
        if (tables := group.tables(factors[-1], derivatives)) is not None
    ]

    def task(first: int, last: int) -> None:
        for wanted, tables in groups:
            if wanted[first:last].any():
                inputs = wanted, lattices.offsets, lattices.arcs, lattices.by_end, *factors, *tables
                machine_sparse.sparse_batch(first, last, *inputs, *outputs)
        if accepted[first:last].all():
            return
        if derivatives:
            machine.forward_backward_batch(first, last, *arrays, *factors, result, accepted, *counts)
        else:
            machine.forward_batch(first, last, *arrays, *factors, result, accepted)
        if not accepted[first:last].all():
            machine_measured.measured_batch(first, last, *arrays, *factors, *outputs)

    return task


def _pushdown_task(
    lattices: Lattices, factors: Factors, jumps: "Jumps", outputs: tuple[Any, ...]
) -> Callable[[int, int], None]:
    _, accepted, derivatives, *_ = outputs
    rates, tilted = tilts(lattices, factors, jumps)
    inputs = pushdown_inputs(lattices, factors, jumps, rates, tilted)
    crossings, E = jumps.crossings, factors[-1]
    limits = jumps.state, crossings.max_jump
    sides = crossings.hypothesis, crossings.reference
    groups = [
        (group.wanted, (group.insert, group.delete, rates, windows))
        for group in find_groups(lattices, crossings.sparse)
        if (windows := group.windows(E, *limits, derivatives)) is not None
    ]

    def task(first: int, last: int) -> None:
        for wanted, own in groups:
            if wanted[first:last].any():
                shared = wanted, lattices.offsets, *factors, *limits, *sides
                pushdown_sparse.sparse_batch(first, last, *shared, *own, *outputs)
        if not accepted[first:last].all():
            pushdown.pushdown_batch(first, last, *inputs, *outputs)

    return task


def machine_arrays(
    lattices: Lattices,
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """A batch as ``machine.forward_batch`` takes it."""
    return lattices.offsets, lattices.delete_states, lattices.insert_states, lattices.arcs, lattices.by_end


def tilts(lattices: Lattices, factors: Factors, jumps: "Jumps") -> tuple[Float, Float]:
    """Rates and tilted arc factors of all pairs, see ``pushdown_tilt.tilt_batch``."""
    arc_factors, link_factors, E = factors
    rates, tilted = np.zeros(len(lattices)), np.empty(lattices.arcs.shape[0])
    arrays = lattices.offsets, lattices.delete_states, lattices.insert_states, lattices.arcs
    limits = jumps.state, jumps.crossings.max_jump
    pushdown_tilt.tilt_batch(*arrays, arc_factors, link_factors, E, *limits, rates, tilted)
    return rates, tilted


def pushdown_inputs(
    lattices: Lattices, factors: Factors, jumps: "Jumps", rates: Float, tilted: Float
) -> tuple[Any, ...]:
    """Arguments of ``pushdown.pushdown_batch`` between the range of pairs and the outputs."""
    arrays = lattices.offsets, lattices.delete_states, lattices.insert_states
    crossings = jumps.crossings
    limits = jumps.state, crossings.max_jump
    return *arrays, rates, tilted, *factors[1:], *limits, crossings.hypothesis, crossings.reference
