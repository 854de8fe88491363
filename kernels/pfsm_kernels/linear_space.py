"""Which kernel of linear space does a pair, and what all pairs share: rates, tables.

From arc to arc go pairs with few arcs and one state each for Insert and Delete (``arc_to_arc`` of ``machine``, with
jumps of ``pushdown``). Without jumps, those with more arcs go by diagonals (``by_diagonal``). The others, and those
whose sum comes out of range that way, go from cell to cell (``cell_to_cell``). What is out of range without jumps, or
likely to be (``machine.hopeless``), is tried at a rate that is looked for (``machine.measured``).
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm_kernels.groups import by_diagonals, few_arcs, find_groups
from pfsm_kernels.lattice.batch import Cells, Factors, Float, Outputs
from pfsm_kernels.lattice.lattices import Lattices
from pfsm_kernels.machine.arc_to_arc import sparse_machine_batch
from pfsm_kernels.machine.by_diagonal import diagonal_machine_batch
from pfsm_kernels.machine.cell_to_cell import machine_batch
from pfsm_kernels.machine.measured import measured_batch
from pfsm_kernels.machine.tilt import rates_with_jumps
from pfsm_kernels.pushdown.arc_to_arc import sparse_pushdown_batch
from pfsm_kernels.pushdown.cell_to_cell import pushdown_batch
from pfsm_kernels.pushdown.crossings import Jumping, Jumps

Task = Callable[[int, int], None]


def linear_task(lattices: Lattices, factors: Factors, jumps: Jumps | None, outputs: Outputs) -> Task:
    """What does lattices first..last-1 in linear space; shared tables are made here, once.

    Args:
        lattices: The batch.
        factors: exp of its weights.
        jumps: Its jumps; None for the finite-state machine.
        outputs: Room for results: ``accepted`` becomes False where log space is needed.
    """
    rates = tilts(lattices, factors, jumps)
    sparse = arc_to_arc(lattices, factors, jumps, rates, outputs)
    dense = cell_to_cell(lattices, factors, jumps, rates, outputs)
    ways = [sparse, dense]
    if jumps is None:
        inputs = lattices, factors, outputs
        ways = [sparse, by_diagonal(*inputs), dense, at_measured_rates(*inputs)]

    def task(first: int, last: int) -> None:
        for kernel in ways:
            kernel(first, last)
            if outputs.accepted[first:last].all():
                return

    return task


def tilts(lattices: Lattices, factors: Factors, jumps: Jumps | None) -> Float:
    """The rates of all pairs with jumps, see ``tilt``; none without."""
    if jumps is None:
        return np.zeros(0)
    inputs = plain(cells_of(lattices)), plain(factors)
    return np.asarray(rates_with_jumps(*inputs, jumps.state, jumps.crossings.max_jump))


def arc_to_arc(
    lattices: Lattices, factors: Factors, jumps: Jumps | None, rates: Float, outputs: Outputs
) -> Task:
    """What does those of lattices first..last-1 that go from arc to arc."""
    derivatives, cells, tasks = outputs.table.shape[0] > 0, cells_of(lattices), []
    if jumps is None:
        for group in find_groups(lattices, few_arcs(lattices)):
            runs = group.tables(factors.table, derivatives)
            if runs is not None:
                tasks.append(_where(group.wanted, sparse_machine_batch, cells, factors, runs, outputs))
    else:
        jumping = jumping_of(jumps)
        for group in find_groups(lattices, jumps.crossings.sparse):
            windows = group.windows(factors.table, jumping.state, jumping.limit, derivatives)
            if windows is not None:
                inputs = cells, factors, jumping, rates, windows, outputs
                tasks.append(_where(group.wanted, sparse_pushdown_batch, *inputs))

    def task(first: int, last: int) -> None:
        for own in tasks:
            own(first, last)

    return task


def by_diagonal(lattices: Lattices, factors: Factors, outputs: Outputs) -> Task:
    """What does those of lattices first..last-1 that go by diagonals and are not accepted yet; without jumps."""
    inputs = cells_of(lattices), factors, outputs, True if outputs.table.shape[0] else None
    return _where(by_diagonals(lattices), diagonal_machine_batch, *inputs)


def cell_to_cell(
    lattices: Lattices, factors: Factors, jumps: Jumps | None, rates: Float, outputs: Outputs
) -> Task:
    """What does those of lattices first..last-1 that are not accepted yet, from cell to cell."""
    cells = cells_of(lattices)
    if jumps is None:
        inputs = (*plain((cells, factors, outputs)), True if outputs.table.shape[0] else None)
        return lambda first, last: machine_batch(first, last, *inputs)
    inputs = plain((cells, factors, jumping_of(jumps), rates, outputs))
    return lambda first, last: pushdown_batch(first, last, *inputs)


def at_measured_rates(lattices: Lattices, factors: Factors, outputs: Outputs) -> Task:
    """What does those of lattices first..last-1 that are not accepted yet, at a rate found for each; without jumps."""
    inputs = plain((cells_of(lattices), factors, outputs))
    return lambda first, last: measured_batch(first, last, *inputs)


def _where(wanted: NDArray[np.bool_], kernel: Callable[..., None], *inputs: Any) -> Task:
    """The kernel on the lattices that are wanted."""
    plain_inputs = plain(inputs)

    def task(first: int, last: int) -> None:
        if wanted[first:last].any():
            kernel(first, last, wanted, *plain_inputs)

    return task


def plain(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Named tuples as plain ones, whose types Numba finds out ten times as fast where a kernel is called."""
    return tuple(plain(value) if isinstance(value, tuple) else value for value in values)


def cells_of(lattices: Lattices) -> Cells:
    """A batch as kernels take it."""
    return Cells(
        lattices.offsets, lattices.delete_states, lattices.insert_states, lattices.arcs, lattices.by_end
    )


def jumping_of(jumps: Jumps) -> Jumping:
    """Jumps as kernels take them."""
    crossings = jumps.crossings
    return Jumping(jumps.state, crossings.max_jump, crossings.hypothesis, crossings.reference)
