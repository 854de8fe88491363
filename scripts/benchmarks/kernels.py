"""Lattices a second through the kernels, on one core: real WMT16 pairs without and with jumps, and by length.

PFSM_DATA=… python scripts/benchmarks/kernels.py
"""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from real_data import data_folder, into_english
from stopwatch import machine, one_core, timed

from pfsm import Settings
from pfsm.builder import LatticeBuilder
from pfsm.data import read_judgments
from pfsm.lattice import LatticeBatch
from pfsm_kernels.inference import best_path, expectations, log_sum

RUNS = 5
LENGTHS = (10, 25, 50, 100, 200)


def main() -> None:
    """Times the three operations on the real pairs, with jumps too, then on pieces of growing length."""
    one_core()
    print(machine())
    references: list[str] = []
    hypotheses: list[str] = []
    for path in into_english(data_folder() / "wmt16-daseg"):
        judgments = read_judgments(path)
        references += judgments.references
        hypotheses += judgments.hypotheses
    batch = LatticeBuilder(Settings()).build(references, hypotheses)
    rng = np.random.default_rng(1)
    weights = {name: float(rng.normal(scale=0.5)) for name in batch.states}
    print(
        f"{'pairs':>24} {'tokens':>7} {'arcs':>6} {'log-sum/s':>11} {'forward-backward/s':>19} {'best path/s':>12}"
    )
    report("WMT16 into English", batch, weights)
    for max_jump in (5, 10):
        jumping = LatticeBuilder(Settings(max_jump=max_jump)).build(references, hypotheses)
        report(f"the same, max_jump {max_jump}", jumping, {**weights, "Jump": -1.0})
    for length in LENGTHS:
        words = [" ".join(tokens) for tokens in windows(references, length)]
        others = [" ".join(tokens) for tokens in windows(hypotheses, length)]
        report(f"{length} x {length} words", LatticeBuilder(Settings()).build(words, others), weights)


def windows(lines: list[str], length: int) -> list[list[str]]:
    """The running text of all lines cut into pieces of equal length."""
    tokens = " ".join(lines).split()
    return [tokens[first : first + length] for first in range(0, min(len(tokens), 60_000) - length, length)]


def report(name: str, batch: LatticeBatch, named: dict[str, float]) -> None:
    """One line of the table."""
    lattices, weights = batch.lattices, batch.weights(named)
    pairs = len(batch)
    some = range(min(pairs, 300))
    seconds = (
        timed(lambda: log_sum(lattices, weights, 1, batch.jumps), RUNS).median / pairs,
        timed(lambda: expectations(lattices, weights, 1, batch.jumps), RUNS).median / pairs,
        timed(lambda: [best_path(lattices, weights, pair, batch.jumps) for pair in some], RUNS).median
        / len(some),
    )
    rates = [f"{1 / each:,.0f}" for each in seconds]
    tokens, arcs = lattices.lengths.mean() / 2, lattices.arcs.shape[0] / pairs
    print(f"{name:>24} {tokens:7.1f} {arcs:6.1f} {rates[0]:>11} {rates[1]:>19} {rates[2]:>12}")


if __name__ == "__main__":
    main()
