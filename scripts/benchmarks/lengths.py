"""Time and memory of one pair by its length, on one core: segments of the demonstration in lines of 10 to 10,000 words.

    python scripts/benchmarks/lengths.py [MODEL …]          # without names en-fast and en

An item is a word of the reference. All text is new to the model.
"""

import sys
from functools import partial
from pathlib import Path

from stopwatch import Report, cost, one_core

import pfsm
from pfsm.data import read_table

LENGTHS = (10, 30, 100, 300, 1000, 3000, 10_000)


def main() -> None:
    """Times every model on every length."""
    one_core()
    table = read_table(Path(pfsm.__file__).with_name("resources") / "demo/test.tsv")
    report = Report("Pairs of 10 to 10,000 words")
    rows = list(zip(table.column("hypothesis"), table.column("reference"), strict=True))
    for name in sys.argv[1:] or ("en-fast", "en"):
        metric = pfsm.load(name, threads=1)
        metric.score_pairs([" ".join(one for one, _ in rows)], [" ".join(one for _, one in rows)])
        for length in LENGTHS:
            # A number in every sentence, so that none has been read before.
            told = [[f"{length + k} {side}" for side in rows[k % len(rows)]] for k in range(length)]
            sides = [[" ".join(" ".join(side).split()[:length])] for side in zip(*told, strict=True)]
            once = cost(partial(metric.score_pairs, sides[0], sides[1]), 1, warm_up=False)
            report.add(name, f"{length:,}", length, once)
    report.save()


if __name__ == "__main__":
    main()
