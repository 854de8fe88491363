"""The kernels beside the same machines in plain PyTorch, on one core: real WMT16 pairs and text cut to lengths.

    PFSM_DATA=… python scripts/benchmarks/kernels.py

Sums, sums with derivatives, best paths; without jumps (pFSM) and with jumps of up to 5 and 10 words (pPDA). PyTorch
goes from cell to cell, and without jumps also by diagonals of many pairs of like lengths; it must find the same numbers
before it is timed. Last, what the core can multiply and add at best.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import torch
from numba import njit

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from peers import pairs
from plain_torch import Combine, add_up, assert_same, take_best, torch_sums
from report import Report
from stopwatch import cost, one_core
from torch import Tensor
from torch_diagonals import Padded, diagonal_sums, padded
from torch_pushdown import pushdown_sums

from pfsm import Settings
from pfsm.lattice.arrays import LatticeBatch
from pfsm.lattice.names import JUMP
from pfsm.model.builder import LatticeBuilder
from pfsm_kernels.inference import Weights, best_path, expectations, find_jumps, log_sum
from pfsm_kernels.lattice.lattices import Lattices

RUNS = 5
LENGTHS = (10, 25, 50, 100, 200)
LIMITS = (0, 5, 10)
OPERATIONS = SUMS, DERIVATIVES, BEST = "sums", "sums with derivatives", "best paths"
# Words a side that one run goes through, at most; fewer with jumps.
WORDS, WORDS_WITH_JUMPS = 60_000, 20_000
# Real pairs of about one length, so often in one batch that what a call costs does not count.
ABOUT, TIMES = range(23, 28), 10
BEST_PATHS = 300
# PyTorch goes through one lattice of so many words a side, or four of fewer, cell by cell.
MANY_WORDS = 50
# With jumps one is enough; longer ones take minutes.
MOST_WORDS_WITH_JUMPS = 30
# What PyTorch goes through by diagonals, in groups of about one length.
CELLS, GROUPS = 40_000, 4
STEPS = 20_000_000


def main() -> None:
    """Times all operations of all machines on all lengths."""
    one_core()
    torch.set_num_threads(1)
    references, hypotheses = pairs()
    report = Report("Kernels beside PyTorch, one core")
    alike = [
        (one, other)
        for one, other in zip(references, hypotheses, strict=True)
        if len(one.split()) in ABOUT and len(other.split()) in ABOUT
    ] * TIMES
    texts = {
        "WMT16 into English": (references, hypotheses),
        f"those of {ABOUT[0]} to {ABOUT[-1]} words": (
            [one for one, _ in alike],
            [other for _, other in alike],
        ),
    }
    for length in LENGTHS:
        texts[f"{length} x {length} words"] = (pieces(references, length), pieces(hypotheses, length))
    for limit in LIMITS:
        prepared = [prepare(name, batch_of(*sides, limit), limit) for name, sides in texts.items()]
        machine = f"jumps of {limit} (pPDA)" if limit else "no jumps (pFSM)"
        for operation in OPERATIONS:
            for text in prepared:
                text.measure(report, f"{operation}, {machine}", operation)
    report.add(
        "the core's multiply-adds", "independent chains", 32 * STEPS, cost(lambda: multiply_adds(STEPS), 3)
    )
    report.save()


def pieces(lines: list[str], length: int) -> list[str]:
    """The running text of all lines cut into pieces of equal length."""
    tokens = " ".join(lines).split()[:WORDS]
    return [" ".join(tokens[at : at + length]) for at in range(0, len(tokens) - length + 1, length)]


def batch_of(references: list[str], hypotheses: list[str], limit: int) -> LatticeBatch:
    """Lattices of as many pairs as one run goes through, spread over all."""
    number = min(len(references), len(hypotheses))
    step = 1
    if limit:
        words = sum(len(line.split()) for line in references[:number])
        step = max(1, words // WORDS_WITH_JUMPS)
    some = slice(0, number, step)
    return LatticeBuilder(Settings(max_jump=limit)).build(references[some], hypotheses[some])


@dataclass(frozen=True, eq=False)
class Rival:
    """A way to do the same in PyTorch.

    Attributes:
        name: What it is called.
        items: Number of pairs it goes through.
        runs: How often; 1 without a warm-up.
        values: From the weights' table to y of every pair.
    """

    name: str
    items: int
    runs: int
    values: Callable[[Tensor, Combine], Tensor]

    def work(self, operation: str, weights: Weights) -> Callable[[], object]:
        """What is timed."""
        if operation == SUMS:
            fixed = torch.tensor(weights.table)
            return lambda: self.values(fixed, add_up)
        table = torch.tensor(weights.table, requires_grad=True)
        combine = take_best if operation == BEST else add_up
        return lambda: torch.autograd.grad(self.values(table, combine).sum(), table)


@dataclass(frozen=True, eq=False)
class Prepared:
    """Lattices of one text and one machine, and the ways of PyTorch to go through some of them."""

    name: str
    batch: LatticeBatch
    weights: Weights
    rivals: list[Rival]

    def measure(self, report: Report, section: str, operation: str) -> None:
        """Rows of this text in the table of an operation."""
        items = min(len(self.batch), BEST_PATHS) if operation == BEST else len(self.batch)
        report.add(section, self.name, items, cost(self._work(operation, items), RUNS))
        for rival in self.rivals:
            measured = cost(rival.work(operation, self.weights), rival.runs, warm_up=rival.runs > 1)
            row = f"{self.name}, PyTorch {rival.name}"
            report.add(section, row, rival.items, measured, versus=self.name)

    def _work(self, operation: str, items: int) -> Callable[[], object]:
        lattices, weights, jumps = self.batch.lattices, self.weights, self.batch.jumps
        if operation == BEST:
            return lambda: [best_path(lattices, weights, pair, jumps) for pair in range(items)]
        return partial(log_sum if operation == SUMS else expectations, lattices, weights, 1, jumps)


def prepare(name: str, batch: LatticeBatch, limit: int) -> Prepared:
    """Draws weights and sees to it that PyTorch finds the kernels' numbers."""
    rng = np.random.default_rng(1)
    named = {state: float(rng.normal(scale=0.5)) for state in batch.states}
    weights = batch.weights({**named, **({JUMP: -1.0} if limit else {})})
    words = float(np.median(batch.lattices.lengths)) / 2
    few = batch.lattices.select(np.arange(min(len(batch), 1 if limit or words >= MANY_WORDS else 4)))
    if not limit:
        return Prepared(name, batch, weights, _without_jumps(batch.lattices, few, weights))
    if words > MOST_WORDS_WITH_JUMPS:
        return Prepared(name, batch, weights, [])
    jumps = find_jumps(few, batch.states.index(JUMP), limit)
    assert jumps is not None
    values = partial(pushdown_sums, few, jumps)
    assert_same(values, few, weights, jumps)
    return Prepared(name, batch, weights, [Rival("from configuration to configuration", len(few), 1, values)])


def _without_jumps(lattices: Lattices, few: Lattices, weights: Weights) -> list[Rival]:
    """Cell by cell on a few lattices; by diagonals on some of each length."""
    values = partial(torch_sums, few)
    if np.median(few.lengths) <= 2 * MANY_WORDS:  # longer ones take a minute
        assert_same(values, few, weights)
    by_length = np.argsort(lattices.lengths, kind="stable")
    cells = np.median(lattices.lengths) ** 2 / 4
    number = min(len(lattices), max(GROUPS, int(CELLS // cells)))
    chosen = by_length[np.linspace(0, len(lattices) - 1, number).astype(np.int64)]
    groups = [lattices.select(group) for group in np.array_split(chosen, GROUPS)]
    layouts = [padded(group) for group in groups]
    for group, layout in zip(groups, layouts, strict=True):
        assert_same(partial(diagonal_sums, layout), group, weights)
    return [
        Rival("cell by cell", len(few), 1, values),
        Rival("by diagonals", number, RUNS, lambda table, combine: _all_groups(layouts, table, combine)),
    ]


def _all_groups(layouts: list[Padded], table: Tensor, combine: Combine) -> Tensor:
    return torch.cat([diagonal_sums(layout, table, combine) for layout in layouts])


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
