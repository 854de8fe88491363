"""Times of training: whole ``pfsm train`` processes on real judgments, and the same objective in plain PyTorch.

    PFSM_DATA=… python scripts/benchmarks/training.py [JUDGMENTS …] [--solvers NAME …] [--threads N …] [--subset N …]

Without numbers, processes train on 1,000 and 5,000 judgments, including reading, cross-validation and writing. If more
are wanted than there are, the judgments are repeated, with one more word in the translations each time. L-BFGS is timed
on up to 5,000, unless ``--solvers`` names it. Then a few judgments are trained on in this process, to convergence, and
compared with ``torch.optim.LBFGS``.
"""

import sys
import tempfile
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from itertools import count, islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import torch
from real_data import data_folder, into_english
from refusals import explained
from report import Report
from stopwatch import cost_of_command
from torch_training import compare, subset_of

from pfsm.commands.arguments import positive
from pfsm.data import read_table

JUDGMENTS = (1_000, 5_000)
# PyTorch takes about 15 seconds for this one.
SUBSETS = (50,)
RUNS = 3
SOLVERS = ("gauss-newton", "lbfgs")
# L-BFGS is left out above the first number; from the second on, one run is enough.
MOST_FOR_LBFGS, MANY = 5_000, 20_000
SETS = ("wmt15-daseg", "wmt16-daseg", "wmt21-da", "mlqe-pe")
COLUMNS = ("source_lang", "reference", "hypothesis", "score")
Row = tuple[str, str, str, str]


def main() -> None:
    """Times whole processes of each size, then training on the subset."""
    wanted = arguments()
    data = data_folder()
    sources = [path for name in SETS for path in into_english(data / name)]
    report = Report("Training")
    with tempfile.TemporaryDirectory() as folder:
        for number in wanted.judgments:
            time_processes(report, sources, number, wanted, Path(folder))
    torch.set_num_threads(1)
    for number in wanted.subset:
        rows = list(islice(endless(sources), number))
        subset = subset_of(
            [row[1] for row in rows], [row[2] for row in rows], [float(row[3]) for row in rows]
        )
        compare(report, subset)
    report.save()


def arguments() -> Namespace:
    """The options of the command line."""
    parser = ArgumentParser(description="How long training takes.")
    parser.add_argument("judgments", nargs="*", type=positive, default=JUDGMENTS)
    parser.add_argument("--solvers", nargs="+", choices=SOLVERS)
    parser.add_argument("--threads", nargs="+", type=positive, default=[1, 2])
    parser.add_argument("--subset", nargs="*", type=positive, default=SUBSETS)
    return parser.parse_args()


def time_processes(report: Report, sources: list[Path], number: int, wanted: Namespace, folder: Path) -> None:
    """Times ``pfsm train`` on ``number`` judgments, with each solver and number of threads."""
    table = folder / "judgments.tsv"
    words = write_table(table, sources, number)
    report.note({f"words a side of {number:,} judgments": words / number / 2})
    for solver in wanted.solvers or SOLVERS[: 1 + (number <= MOST_FOR_LBFGS)]:
        config = folder / f"{solver}.yaml"
        config.write_text(f"solver: {solver}\n", encoding="utf-8")
        for threads in wanted.threads if solver == SOLVERS[0] else wanted.threads[:1]:
            command = [
                sys.executable, "-m", "pfsm", "train", str(table), "--config", str(config),
                "--output", str(folder / "model.json"), "--threads", str(threads),
            ]  # fmt: skip
            many = number >= MANY
            measured = cost_of_command(command, 1 if many else RUNS, warm_up=not many)
            report.add(
                f"pfsm train, {number:,} judgments", f"{solver}, {threads} thread(s)", number, measured
            )


def write_table(path: Path, sources: list[Path], wanted: int) -> int:
    """Writes ``wanted`` judgments with the columns `COLUMNS`; returns the number of their words."""
    words = 0
    with path.open("w", encoding="utf-8") as handle:
        handle.write("\t".join(COLUMNS) + "\n")
        for row in islice(endless(sources), wanted):
            handle.write("\t".join(row) + "\n")
            words += len(row[1].split()) + len(row[2].split())
    return words


def endless(sources: list[Path]) -> Iterator[Row]:
    """The judgments of the files, repeated without end."""
    for turn in count():
        for source in sources:
            columns = read_table(source).columns
            for language, reference, hypothesis, score in zip(*(columns[c] for c in COLUMNS), strict=True):
                yield language, reference, f"{hypothesis}{' again' * turn}", score


if __name__ == "__main__":
    explained(main)
