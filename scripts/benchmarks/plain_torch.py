"""The finite-state machine in plain PyTorch: the recurrence cell by cell, in log space, with autograd.

`assert_same` checks that an implementation to be compared with the kernels gives their numbers.
"""

from collections.abc import Callable

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from pfsm_kernels.inference import Jumps, Weights, best_path, expectations
from pfsm_kernels.lattice.lattices import Lattices

# Sums over the last dimension but one, or takes its maximum.
Combine = Callable[[Tensor], Tensor]


def add_up(scores: Tensor) -> Tensor:
    """Log of the sum of exponentials over the last dimension but one; minus infinity, not NaN, if all are."""
    top = scores.detach().amax(-2, keepdim=True)
    top = torch.where(top > -torch.inf, top, torch.zeros_like(top))
    total = (scores - top).exp().sum(-2)
    safe = torch.where(total > 0.0, total, torch.ones_like(total))
    return torch.where(total > 0.0, safe.log() + top.squeeze(-2), -torch.inf)


def take_best(scores: Tensor) -> Tensor:
    """The maximum over the last dimension but one; its derivatives are 1 along the best path and 0 elsewhere."""
    return scores.max(-2).values


def torch_sums(lattices: Lattices, table: Tensor, combine: Combine = add_up) -> Tensor:
    """y of every lattice, float64 [n_pairs], cell by cell."""
    return torch.stack([_torch_sum(lattices, pair, table, combine) for pair in range(len(lattices))])


def arcs_of(lattices: Lattices, pair: int) -> dict[tuple[int, int], list[list[int]]]:
    """The arcs (i, p, j, q, state) of one pair, by the cell in which they begin."""
    arcs: dict[tuple[int, int], list[list[int]]] = {}
    first, last = lattices.offsets[pair : pair + 2, 2].tolist()
    for arc in lattices.arcs[first:last].tolist():
        arcs.setdefault((arc[0], arc[2]), []).append(arc)
    return arcs


def _torch_sum(lattices: Lattices, pair: int, table: Tensor, combine: Combine) -> Tensor:
    """y of one lattice; for every cell, all masses that reach it are collected with their states."""
    (d0, i0, _), (d1, i1, _) = lattices.offsets[pair : pair + 2].tolist()
    deletes, inserts = lattices.delete_states[d0:d1].tolist(), lattices.insert_states[i0:i1].tolist()
    arcs = arcs_of(lattices, pair)
    start = table.shape[0] - 1
    reached: dict[tuple[int, int], list[tuple[Tensor, int]]] = {(0, 0): [(table.new_zeros(()), start)]}
    for i in range(len(deletes) + 1):
        for j in range(len(inserts) + 1):
            sums = onward(reached[i, j], table, combine)
            steps = [(i + p, j + q, state) for _, p, _, q, state in arcs.get((i, j), [])]
            if i < len(deletes):
                steps.append((i + 1, j, deletes[i]))
            if j < len(inserts):
                steps.append((i, j + 1, inserts[j]))
            for row, column, state in steps:
                reached.setdefault((row, column), []).append((sums[state], state))
    return combine(torch.stack([mass for mass, _ in reached[len(deletes), len(inserts)]])[:, None])[0]


def onward(reached: list[tuple[Tensor, int]], table: Tensor, combine: Combine) -> Tensor:
    """Mass of every next state, float64 [S], from masses with the states by which they arrived."""
    masses = torch.stack([mass for mass, _ in reached])
    return combine(table[[state for _, state in reached]] + masses[:, None])


def expected_sums(
    lattices: Lattices, weights: Weights, jumps: Jumps | None
) -> dict[Combine, tuple[NDArray[np.float64], NDArray[np.float64] | None]]:
    """Expected values, float64 [n_pairs], and for sums also their derivatives, summed over pairs."""
    found = expectations(lattices, weights, 1, jumps)
    best = [best_path(lattices, weights, pair, jumps).score for pair in range(len(lattices))]
    return {add_up: (found.log_sum, found.table.sum(0)), take_best: (np.array(best), None)}


def assert_same(
    work: Callable[[Tensor, Combine], Tensor],
    lattices: Lattices,
    weights: Weights,
    jumps: Jumps | None = None,
) -> None:
    """Checks that an implementation agrees with the kernels.

    Raises:
        AssertionError: If it does not.
    """
    for combine, (values, counts) in expected_sums(lattices, weights, jumps).items():
        table = torch.tensor(weights.table, requires_grad=True)
        found = work(table, combine)
        np.testing.assert_allclose(found.detach().numpy(), values, rtol=1e-10)
        torch.autograd.backward(found.sum())
        if counts is not None and table.grad is not None:
            np.testing.assert_allclose(table.grad.numpy(), counts, rtol=1e-8, atol=1e-10)
