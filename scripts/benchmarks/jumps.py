"""Jumps of up to 5 words where they are dear, beside pairs where they are cheap; one core.

    PFSM_DATA=… python scripts/benchmarks/jumps.py

Sums and derivatives of real pairs of 23 to 27 words: simple ones, which go from arc to arc; the same with Insert,
Delete and S_word split by class; pairs of 25 words out of ten, so that many match; and lines of hundreds and thousands
of words, whose cells are counted in pairs of 25 words. Last, the shipped model `en-fast` from text, as it is and with
jumps.
"""

import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))
from peers import pairs
from report import Report
from stopwatch import cost, one_core

from pfsm import Metric, Settings, load
from pfsm.lattice.arrays import LatticeBatch
from pfsm.lattice.names import JUMP
from pfsm.model.builder import LatticeBuilder
from pfsm_training.loss.module import LogLinearMachine

LIMIT, RUNS = 5, 3
SPLIT = ("Insert", "Delete", "S_word")
ABOUT, SIZE = range(23, 28), 25
# Different words in the pairs in which many match.
FORMS = 10
# Words of the long lines, and those of which derivatives are found as well.
LENGTHS, LENGTHS_OF_DERIVATIVES = (200, 750, 3000), (200,)
PAIRS_FROM_TEXT, WARM_UP = 500, 20

Sides = tuple[list[str], list[str]]


def main() -> None:
    """Times sums, derivatives, and scores from text."""
    one_core()
    references, hypotheses = pairs()
    report = Report(f"Jumps of {LIMIT}, one core")
    alike = [
        (one, other)
        for one, other in zip(references, hypotheses, strict=True)
        if len(one.split()) in ABOUT and len(other.split()) in ABOUT
    ]
    simple = [one for one, _ in alike], [other for _, other in alike]
    cases = {
        "simple pairs": (simple, ()),
        "the same, split by class": (simple, SPLIT),
        "pairs with many matches": (_many_matches(len(alike)), ()),
    }
    for name, (sides, split) in cases.items():
        batch, named = _batch(sides, split)
        _measure(report, name, batch, named, len(batch), derivatives=True)
    for length in LENGTHS:
        sides = _line(references, hypotheses, length)
        batch, named = _batch(sides, (), sums_only=length not in LENGTHS_OF_DERIVATIVES)
        cells = int(np.prod(np.diff(batch.lattices.offsets[:, :2], axis=0)))
        pairs_of_25 = max(1, cells // SIZE**2)
        _measure(report, f"a line of {length:,}", batch, named, pairs_of_25, length in LENGTHS_OF_DERIVATIVES)
    _from_text(report, references, hypotheses)
    report.save()


def _many_matches(number: int) -> Sides:
    rng = np.random.default_rng(2)
    forms = [f"word{form}" for form in range(FORMS)]

    def line() -> str:
        return " ".join(rng.choice(forms, SIZE).tolist())

    return [line() for _ in range(number)], [line() for _ in range(number)]


def _line(references: Sequence[str], hypotheses: Sequence[str], length: int) -> Sides:
    """Pairs one after the other as one line."""
    one: list[str] = []
    other: list[str] = []
    for reference, hypothesis in zip(references, hypotheses, strict=True):
        if len(one) >= length:
            break
        one += reference.split()
        other += hypothesis.split()
    return [" ".join(one[:length])], [" ".join(other[:length])]


def _batch(
    sides: Sides, split: tuple[str, ...], sums_only: bool = False
) -> tuple[LatticeBatch, dict[str, float]]:
    settings = Settings(max_jump=LIMIT, split=split)
    builder = LatticeBuilder(settings)
    # A long line has too many crossings to list them, which log-sums do without.
    batch = next(builder.batches(*sides)) if sums_only else builder.build(*sides)
    rng = np.random.default_rng(1)
    named = {state: float(rng.normal(scale=0.5)) for state in batch.states}
    return batch, {**named, JUMP: -1.0}


def _measure(
    report: Report, name: str, batch: LatticeBatch, named: dict[str, float], items: int, derivatives: bool
) -> None:
    work = partial(batch.log_sums, named, batch.weights(named))
    report.add(f"sums, jumps of {LIMIT}", name, items, cost(work, RUNS))
    if derivatives:
        machine = LogLinearMachine(tuple(named), named)
        derive = partial(machine.with_jacobian, batch)
        report.add(f"sums with derivatives, jumps of {LIMIT}", name, items, cost(derive, RUNS))


def _from_text(report: Report, references: list[str], hypotheses: list[str]) -> None:
    """New sentences and known ones; the last pairs are for the warm-up, which loads tables."""
    warm = hypotheses[-WARM_UP:], references[-WARM_UP:]
    references, hypotheses = references[:PAIRS_FROM_TEXT], hypotheses[:PAIRS_FROM_TEXT]
    model = load("en-fast", threads=1).model
    for limit in (0, LIMIT):
        jump = {JUMP: -1.0} if limit else {}
        own = replace(
            model, settings=replace(model.settings, max_jump=limit), weights={**model.weights, **jump}
        )
        name = f"en-fast, jumps of {limit}"
        metric = Metric(own, 1)
        metric.score_pairs(*warm)
        work = partial(metric.score_pairs, hypotheses, references)
        report.add("new sentences", name, len(references), cost(work, 1, warm_up=False))
        report.add("known sentences", name, len(references), cost(work, RUNS))


if __name__ == "__main__":
    main()
