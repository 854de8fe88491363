"""Times the kernels on one core: real WMT16 pairs and text cut to lengths.

    PFSM_DATA=… python scripts/benchmarks/kernels.py

Sums, sums with derivatives, best paths; without jumps (pFSM) and with jumps of up to 5 and 10 words (pPDA).
`against.py` compares two commits.
"""

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from peers import pairs
from stopwatch import Report, cost, one_core

from pfsm import Settings
from pfsm.lattice.arrays import LatticeBatch
from pfsm.lattice.names import JUMP
from pfsm.model.builder import LatticeBuilder
from pfsm_kernels.inference import Weights, best_path, expectations, log_sum

RUNS = 5
LENGTHS = (10, 25, 50, 100, 200)
LIMITS = (0, 5, 10)
OPERATIONS = SUMS, DERIVATIVES, BEST = "sums", "sums with derivatives", "best paths"
# Words a side that one run goes through, at most; fewer with jumps.
WORDS, WORDS_WITH_JUMPS, BEST_PATHS = 60_000, 20_000, 300


def main() -> None:
    """Times all operations of all machines on all lengths."""
    one_core()
    references, hypotheses = pairs()
    texts = {"WMT16 into English": (references, hypotheses)}
    for length in LENGTHS:
        texts[f"{length} x {length} words"] = (pieces(references, length), pieces(hypotheses, length))
    report = Report("Kernels, one core")
    for limit in LIMITS:
        batches = {name: batch_of(*sides, limit) for name, sides in texts.items()}
        machine = f"jumps of {limit} (pPDA)" if limit else "no jumps (pFSM)"
        for operation in OPERATIONS:
            for name, batch in batches.items():
                items = min(len(batch), BEST_PATHS) if operation == BEST else len(batch)
                work = work_of(operation, batch, drawn_weights(batch, limit), items)
                report.add(f"{operation}, {machine}", name, items, cost(work, RUNS))
    report.save()


def pieces(lines: list[str], length: int) -> list[str]:
    """The running text of all lines cut into pieces of equal length."""
    tokens = " ".join(lines).split()[:WORDS]
    return [" ".join(tokens[at : at + length]) for at in range(0, len(tokens) - length + 1, length)]


def batch_of(references: list[str], hypotheses: list[str], limit: int) -> LatticeBatch:
    """Lattices of as many pairs as one run goes through, spread over all."""
    number = min(len(references), len(hypotheses))
    words = sum(len(line.split()) for line in references[:number])
    some = slice(0, number, max(1, words // WORDS_WITH_JUMPS) if limit else 1)
    return LatticeBuilder(Settings(max_jump=limit)).build(references[some], hypotheses[some])


def drawn_weights(batch: LatticeBatch, limit: int) -> Weights:
    """Random weights of the states, the same in every run."""
    rng = np.random.default_rng(1)
    named = {state: float(rng.normal(scale=0.5)) for state in batch.states}
    return batch.weights({**named, **({JUMP: -1.0} if limit else {})})


def work_of(operation: str, batch: LatticeBatch, weights: Weights, items: int) -> Callable[[], object]:
    """What is timed."""
    lattices, jumps = batch.lattices, batch.jumps
    if operation == BEST:
        return lambda: [best_path(lattices, weights, pair, jumps) for pair in range(items)]
    return partial(log_sum if operation == SUMS else expectations, lattices, weights, 1, jumps)


if __name__ == "__main__":
    main()
