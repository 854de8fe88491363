"""Which kernel of linear space does a pair, and what all pairs share: rates, tables.

With one state each for Insert and Delete, pairs go by diagonals (``machine.by_diagonal``), long ones and those whose
sum comes out of range at a rate that is found. With jumps they go from arc to arc where arcs are few
(``pushdown.arc_to_arc``), else from cell to cell (``pushdown.cell_to_cell``).
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm_kernels.lattice.lattices import Cells, Factors, Float, Lattices, Outputs
from pfsm_kernels.machine.by_diagonal import LONGEST, diagonal_machine_batch, wide_machine_batch
from pfsm_kernels.machine.tilt import rates_with_jumps
from pfsm_kernels.pushdown.arc_to_arc import sparse_pushdown_batch
from pfsm_kernels.pushdown.cell_to_cell import pushdown_batch
from pfsm_kernels.pushdown.crossings import Jumping, Jumps
from pfsm_kernels.pushdown.windows import make_windows

Task = Callable[[int, int], None]


def linear_task(lattices: Lattices, factors: Factors, jumps: Jumps | None, outputs: Outputs) -> Task:
    """What does lattices first..last-1 in linear space; shared tables are made here, once.

    Args:
        lattices: The batch.
        factors: exp of its weights.
        jumps: Its jumps; None for the finite-state machine.
        outputs: Room for results: ``accepted`` becomes False where log space is needed.
    """
    if jumps is None:
        ways = [way(lattices, factors, outputs) for way in (by_diagonal, by_wide_diagonal)]
    else:
        ways = [way(lattices, factors, jumps, outputs) for way in (arc_to_arc, cell_to_cell)]

    def task(first: int, last: int) -> None:
        for kernel in ways:
            kernel(first, last)
            if outputs.accepted[first:last].all():
                return

    return task


def arc_to_arc(lattices: Lattices, factors: Factors, jumps: Jumps, outputs: Outputs) -> Task:
    """What does those of lattices first..last-1 that go from arc to arc, with jumps."""
    cells, jumping, tasks = cells_of(lattices), jumping_of(jumps), []
    rates = _rates(lattices, factors, jumps)
    for insert, delete, wanted, rows in groups(lattices, jumps.crossings.sparse):
        states, derivatives = (insert, delete, jumping.state), outputs.table.shape[0] > 0
        windows = make_windows(factors.table, states, jumping.limit, rows, derivatives)
        if windows is not None:
            inputs = cells, factors, jumping, rates, windows, outputs
            tasks.append(_where(wanted, sparse_pushdown_batch, *inputs))

    def task(first: int, last: int) -> None:
        for own in tasks:
            own(first, last)

    return task


def by_diagonal(lattices: Lattices, factors: Factors, outputs: Outputs) -> Task:
    """What does those of lattices first..last-1 that are short and not accepted yet, by diagonals; without jumps."""
    inputs = cells_of(lattices), factors, outputs, True if outputs.table.shape[0] else None
    return _where(lattices.uniform & (_sides(lattices).max(0) <= LONGEST), diagonal_machine_batch, *inputs)


def by_wide_diagonal(lattices: Lattices, factors: Factors, outputs: Outputs) -> Task:
    """What does those of any length that are not accepted yet, at a rate found for each; without jumps."""
    return _where(lattices.uniform, wide_machine_batch, cells_of(lattices), factors, outputs)


def cell_to_cell(lattices: Lattices, factors: Factors, jumps: Jumps, outputs: Outputs) -> Task:
    """What does those of lattices first..last-1 that are not accepted yet, from cell to cell, with jumps."""
    rates = _rates(lattices, factors, jumps)
    inputs = plain((cells_of(lattices), factors, jumping_of(jumps), rates, outputs))
    return lambda first, last: pushdown_batch(first, last, *inputs)


def groups(lattices: Lattices, few: NDArray[np.bool_]) -> Iterator[tuple[int, int, NDArray[np.bool_], int]]:
    """Pairs of a batch that go from arc to arc, by their states of Insert and Delete.

    Whether a pair is in a group depends on that pair alone, not on the others.

    Args:
        lattices: The batch.
        few: bool [n_pairs], which have few arcs.

    Yields:
        The state of all Inserts, that of all Deletes, which pairs (bool [n_pairs]), one more than the tokens of their
        longest side.
    """
    chosen = np.flatnonzero(few & lattices.uniform)
    inserts = lattices.insert_states[lattices.offsets[chosen, 1]].astype(np.int64)
    kinds = inserts * lattices.n_states + lattices.delete_states[lattices.offsets[chosen, 0]]
    for kind in np.unique(kinds).tolist():
        pairs = chosen[kinds == kind]
        wanted = np.zeros(len(lattices), dtype=np.bool_)
        wanted[pairs] = True
        yield *divmod(kind, lattices.n_states), wanted, int(_sides(lattices)[:, pairs].max()) + 1


def _sides(lattices: Lattices) -> NDArray[np.int64]:
    """Tokens of the reference and of the hypothesis of each pair, int64 [2, n_pairs]."""
    return np.asarray(np.diff(lattices.offsets[:, :2], axis=0).T, dtype=np.int64)


def _rates(lattices: Lattices, factors: Factors, jumps: Jumps) -> Float:
    """The rates of all pairs with jumps, see ``tilt``."""
    inputs = plain(cells_of(lattices)), plain(factors)
    return np.asarray(rates_with_jumps(*inputs, jumps.state, jumps.crossings.max_jump))


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
