"""How long ``pfsm train`` takes on so many real judgments: whole process, reading and writing included, and its memory.

PFSM_DATA=… python scripts/benchmarks/training.py [JUDGMENTS]

5,000 unless told. More than there are: the judgments over again, the translations with one word more each time.
"""

import sys
import tempfile
from collections.abc import Iterator
from itertools import count
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from real_data import data_folder, into_english
from stopwatch import cost_of_command, machine

from pfsm.data import read_table

JUDGMENTS = 5000
RUNS = 3
# From here on once is enough.
MANY = 50_000
SETS = ("wmt15-daseg", "wmt16-daseg", "wmt21-da", "mlqe-pe")
COLUMNS = ("source_lang", "reference", "hypothesis", "score")


def main() -> None:
    """Writes one TSV of judgments, trains on it with one and two threads."""
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else JUDGMENTS
    data = data_folder()
    sources = [path for name in SETS for path in into_english(data / name)]
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "judgments.tsv"
        words = write_table(table, sources, wanted)
        print(machine())
        print(
            f"{wanted:,} judgments of {words / wanted / 2:.1f} words a side, lambda 5, with cross-validation"
        )
        for threads in ("1", "2"):
            command = [
                sys.executable, "-m", "pfsm", "train", str(table),
                "--output", str(Path(folder) / "model.json"), "--threads", threads,
            ]  # fmt: skip
            runs = 1 if wanted >= MANY else RUNS
            cost = cost_of_command(command, runs, warm_up=wanted < MANY)
            print(
                f"pfsm train, {threads} thread(s): {cost.wall:.1f} s, {cost.cpu:.1f} s of processor time, "
                f"{cost.peak_mb or 0:.0f} MB"
            )


def write_table(path: Path, sources: list[Path], wanted: int) -> int:
    """So many judgments, language, reference, hypothesis and score; returns their words."""
    words = 0
    with path.open("w", encoding="utf-8") as handle:
        handle.write("\t".join(COLUMNS) + "\n")
        for _, row in zip(range(wanted), endless(sources), strict=False):
            handle.write("\t".join(row) + "\n")
            words += len(row[1].split()) + len(row[2].split())
    return words


def endless(sources: list[Path]) -> Iterator[tuple[str, str, str, str]]:
    """The judgments of the files, again and again."""
    for turn in count():
        for source in sources:
            columns = read_table(source).columns
            for language, reference, hypothesis, score in zip(*(columns[c] for c in COLUMNS), strict=True):
                yield language, reference, f"{hypothesis}{' again' * turn}", score


if __name__ == "__main__":
    main()
