"""The finite-state machine in plain PyTorch by anti-diagonals, many pairs at a time: the fastest way without a kernel.

Pairs are padded to the longest, which changes no sum, because no edit leads from the padding back into a pair.
"""

from dataclasses import dataclass

import numpy as np
import torch
from plain_torch import Combine, add_up
from torch import Tensor

from pfsm_kernels.lattice.lattices import Lattices


@dataclass(frozen=True, eq=False)
class Padded:
    """Lattices of 1:1 arcs, with one state for Insert and one for Delete, laid out by anti-diagonals.

    Attributes:
        rows: int64 [n_pairs], number of reference tokens.
        diagonals: int64 [n_pairs], number of tokens of both sides.
        may: For each diagonal d = i + j except the last two, bool [n_pairs, most rows, S]: whether an arc of the state
            begins in the cell (i, d - i).
        insert: State of Insert.
        delete: State of Delete.
    """

    rows: Tensor
    diagonals: Tensor
    may: list[Tensor]
    insert: int
    delete: int


def padded(lattices: Lattices) -> Padded:
    """The layout of lattices.

    Raises:
        ValueError: If an arc is not 1:1, or states are split by class.
    """
    states = [np.unique(side).tolist() for side in (lattices.insert_states, lattices.delete_states)]
    if max(map(len, states)) > 1 or not (lattices.arcs[:, [1, 3]] == 1).all():
        raise ValueError("1:1 arcs and one state each for Insert and Delete are needed")
    rows = np.diff(lattices.offsets[:, 0])
    may = np.zeros((int(lattices.lengths.max()), len(lattices), int(rows.max()), lattices.n_states), np.bool_)
    i, _, j, _, state = lattices.arcs.T
    may[i + j, lattices.pair_of_arc, i, state] = True
    return Padded(
        torch.from_numpy(rows),
        torch.from_numpy(lattices.lengths),
        list(torch.from_numpy(may)),
        *(side[0] for side in states),
    )


def diagonal_sums(pairs: Padded, table: Tensor, combine: Combine = add_up) -> Tensor:
    """y of every pair, float64 [n_pairs], one diagonal of all pairs at a time."""
    n, most, width = pairs.rows.shape[0], pairs.may[0].shape[1] + 1, table.shape[0]
    nothing = table.new_full((n, most, width), -torch.inf)
    start = nothing.clone()
    start[:, 0, width - 1] = 0.0
    before, here = nothing, start
    found = []
    everyone = torch.arange(n)
    for diagonal in range(int(pairs.diagonals.max()) + 1):
        if diagonal:
            before, here = here, _next_diagonal(pairs, diagonal, before, here, table, combine)
        done = everyone[pairs.diagonals == diagonal]
        if done.numel():
            found.append((done, combine(here[done, pairs.rows[done], :, None])[:, 0]))
    order = torch.cat([done for done, _ in found]).argsort()
    return torch.cat([sums for _, sums in found])[order]


def _next_diagonal(
    pairs: Padded, diagonal: int, before: Tensor, here: Tensor, table: Tensor, combine: Combine
) -> Tensor:
    """Masses by row and last state, float64 [n_pairs, most rows + 1, S + 1], from the two diagonals before it."""
    n, most, width = here.shape
    no_row = here.new_full((n, 1), -torch.inf)
    inserted = _into(here, table, pairs.insert, combine)
    deleted = torch.cat([no_row, _into(here[:, :-1], table, pairs.delete, combine)], 1)
    columns = [here.new_full((n, most), -torch.inf)] * width
    if diagonal > 1:
        may = pairs.may[diagonal - 2]
        for state in range(width - 1):
            if state not in {pairs.insert, pairs.delete}:
                matched = _into(before[:, :-1], table, state, combine)
                allowed = torch.where(may[:, :, state], matched, -torch.inf)
                columns[state] = torch.cat([no_row, allowed], 1)
    columns[pairs.insert], columns[pairs.delete] = inserted, deleted
    return torch.stack(columns, -1)


def _into(masses: Tensor, table: Tensor, state: int, combine: Combine) -> Tensor:
    """Mass that continues with one state, float64 [n_pairs, rows]."""
    return combine((masses + table[:, state])[..., None])[..., 0]
