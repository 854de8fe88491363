"""The kernels beside the same sums in plain PyTorch: log space, cell by cell, derivatives by autograd.

    PFSM_DATA=… python scripts/benchmarks/plain_torch.py

Both give the same numbers, which is checked. The last row is what the core can multiply and add at best.
"""

import sys
from pathlib import Path

import numpy as np
import torch
from numba import njit

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from peers import pairs
from report import Report
from stopwatch import cost, one_core
from torch import Tensor

from pfsm import Settings
from pfsm.builder import LatticeBuilder
from pfsm_kernels.inference import expectations, log_sum
from pfsm_kernels.lattices import Lattices

PAIRS, TORCH_PAIRS, RUNS = 2000, 4, 5
STEPS = 20_000_000


def main() -> None:
    """Times both on real pairs."""
    one_core()
    torch.set_num_threads(1)
    references, hypotheses = pairs()
    batch = LatticeBuilder(Settings()).build(references[:PAIRS], hypotheses[:PAIRS])
    rng = np.random.default_rng(1)
    weights = batch.weights({name: float(rng.normal(scale=0.5)) for name in batch.states})
    lattices = batch.lattices
    some = lattices.select(np.arange(TORCH_PAIRS))
    table = torch.tensor(weights.table, requires_grad=True)
    check(some, table, expectations(some, weights).table.sum(0), log_sum(some, weights))
    report = Report("Kernels beside PyTorch, one core")
    report.add("sums", "pfsm", len(batch), cost(lambda: log_sum(lattices, weights), RUNS))
    with torch.no_grad():
        report.add("sums", "plain PyTorch", TORCH_PAIRS, cost(lambda: torch_sums(some, table), 1))
    section = "sums with derivatives"
    report.add(section, "pfsm", len(batch), cost(lambda: expectations(lattices, weights), RUNS))
    report.add(
        section,
        "plain PyTorch, autograd",
        TORCH_PAIRS,
        cost(lambda: torch.autograd.backward(torch_sums(some, table).sum()), 1),
    )
    report.add(
        "the core's multiply-adds", "independent chains", 32 * STEPS, cost(lambda: multiply_adds(STEPS), 3)
    )
    report.save()


def check(lattices: Lattices, table: Tensor, counts: np.ndarray, sums: np.ndarray) -> None:
    """Both must agree, or there is nothing to compare."""
    found = torch_sums(lattices, table)
    torch.autograd.backward(found.sum())
    assert table.grad is not None
    np.testing.assert_allclose(found.detach().numpy(), sums, rtol=1e-10)
    np.testing.assert_allclose(table.grad.numpy(), counts, rtol=1e-8, atol=1e-10)
    table.grad = None


def torch_sums(lattices: Lattices, table: Tensor) -> Tensor:
    """y of every lattice, float64 [n_pairs], as one would write it without a kernel."""
    return torch.stack([torch_sum(lattices, pair, table) for pair in range(len(lattices))])


def torch_sum(lattices: Lattices, pair: int, table: Tensor) -> Tensor:
    """y of one lattice: for every cell the masses that reach it, each with its state."""
    (d0, i0, a0), (d1, i1, a1) = lattices.offsets[pair : pair + 2].tolist()
    deletes, inserts = lattices.delete_states[d0:d1].tolist(), lattices.insert_states[i0:i1].tolist()
    arcs: dict[tuple[int, int], list[list[int]]] = {}
    for arc in lattices.arcs[a0:a1].tolist():
        arcs.setdefault((arc[0], arc[2]), []).append(arc)
    start = table.shape[0] - 1
    reached: dict[tuple[int, int], list[tuple[Tensor, int]]] = {(0, 0): [(table.new_zeros(()), start)]}
    for i in range(len(deletes) + 1):
        for j in range(len(inserts) + 1):
            masses = torch.stack([mass for mass, _ in reached[i, j]])
            into = table[[state for _, state in reached[i, j]]] + masses[:, None]
            sums = torch.logsumexp(into, dim=0)
            steps = [(i + p, j + q, state) for _, p, _, q, state in arcs.get((i, j), [])]
            if i < len(deletes):
                steps.append((i + 1, j, deletes[i]))
            if j < len(inserts):
                steps.append((i, j + 1, inserts[j]))
            for row, column, state in steps:
                reached.setdefault((row, column), []).append((sums[state], state))
    return torch.logsumexp(torch.stack([mass for mass, _ in reached[len(deletes), len(inserts)]]), dim=0)


@njit(cache=True, fastmath=True)  # type: ignore[untyped-decorator]
def multiply_adds(steps: int) -> float:
    """32 chains of multiply-adds that do not wait for each other: vector units at their limit."""
    chains = np.arange(32.0)
    for _ in range(steps):
        for chain in range(32):
            chains[chain] = chains[chain] * 0.999999 + 1e-9
    return float(chains.sum())


if __name__ == "__main__":
    main()
