"""Times single parts on one core: the kernels, and pairs by their length.

    PFSM_DATA=… python scripts/benchmarks/parts.py kernels|lengths [NAME …]

``kernels``: sums, sums with derivatives, best paths on real WMT16 pairs and text cut to lengths; without jumps (pFSM)
and with jumps of up to 5 and 10 words (pPDA). ``lengths``: time and memory of one pair by its length, with the models
NAME (en-fast and en); an item is a word of the reference, and all text is new to the model.
"""

import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

# Must be set before numpy is imported.
os.environ["OPENBLAS_NUM_THREADS"] = "1"
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import numpy as np
from peers import pairs
from stopwatch import Report, cost, one_core

import pfsm
from pfsm import Settings
from pfsm.data import read_table
from pfsm.lattice.arrays import LatticeBatch
from pfsm.lattice.names import JUMP
from pfsm.model.builder import LatticeBuilder
from pfsm_kernels.inference import Weights, best_path, expectations, log_sum

RUNS = 5
CUT = (10, 25, 50, 100, 200)
LIMITS = (0, 5, 10)
OPERATIONS = SUMS, DERIVATIVES, BEST = "sums", "sums with derivatives", "best paths"
# Words a side that one run goes through, at most; fewer with jumps.
WORDS, WORDS_WITH_JUMPS, BEST_PATHS = 60_000, 20_000, 300
LENGTHS = (10, 30, 100, 300, 1000, 3000, 10_000)


def kernels(report: Report, _: Sequence[str]) -> None:
    """Times all operations of all machines on all lengths."""
    references, hypotheses = pairs()
    texts = {"WMT16 into English": (references, hypotheses)}
    for length in CUT:
        texts[f"{length} x {length} words"] = (pieces(references, length), pieces(hypotheses, length))
    for limit in LIMITS:
        batches = {name: batch_of(*sides, limit) for name, sides in texts.items()}
        machine = f"jumps of {limit} (pPDA)" if limit else "no jumps (pFSM)"
        for operation in OPERATIONS:
            for name, batch in batches.items():
                items = min(len(batch), BEST_PATHS) if operation == BEST else len(batch)
                # Random weights of the states, the same in every run.
                rng = np.random.default_rng(1)
                named = {state: float(rng.normal(scale=0.5)) for state in batch.states}
                weights = batch.weights({**named, **({JUMP: -1.0} if limit else {})})
                work = work_of(operation, batch, weights, items)
                report.add(f"{operation}, {machine}", name, items, cost(work, RUNS))


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


def work_of(operation: str, batch: LatticeBatch, weights: Weights, items: int) -> Callable[[], object]:
    """What is timed."""
    lattices, jumps = batch.lattices, batch.jumps
    if operation == BEST:
        return lambda: [best_path(lattices, weights, pair, jumps) for pair in range(items)]
    return partial(log_sum if operation == SUMS else expectations, lattices, weights, 1, jumps)


def lengths(report: Report, models: Sequence[str]) -> None:
    """Times every model on segments of the demonstration in lines of 10 to 10,000 words."""
    table = read_table(Path(pfsm.__file__).with_name("resources") / "demo/test.tsv")
    rows = list(zip(table.column("hypothesis"), table.column("reference"), strict=True))
    for name in models or ("en-fast", "en"):
        metric = pfsm.load(name, threads=1)
        metric.score_pairs([" ".join(one for one, _ in rows)], [" ".join(one for _, one in rows)])
        for length in LENGTHS:
            # A number in every sentence, so that none has been read before.
            told = [[f"{length + k} {side}" for side in rows[k % len(rows)]] for k in range(length)]
            sides = [[" ".join(" ".join(side).split()[:length])] for side in zip(*told, strict=True)]
            once = cost(partial(metric.score_pairs, sides[0], sides[1]), 1, warm_up=False)
            report.add(name, f"{length:,}", length, once)


if __name__ == "__main__":
    one_core()
    part, *names = sys.argv[1:]
    made = Report(f"{part}, one core")
    {"kernels": kernels, "lengths": lengths}[part](made, names)
    made.save()
