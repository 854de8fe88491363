"""How long ``pfsm train`` takes on 5,000 real judgments: whole process, reading and writing included.

PFSM_DATA=… python scripts/benchmarks/training.py
"""

import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from real_data import data_folder, into_english
from stopwatch import machine, timed

from pfsm.data import read_table

JUDGMENTS = 5000
RUNS = 3


def main() -> None:
    """Writes one TSV of 5,000 judgments, trains on it with one and two threads."""
    data = data_folder()
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "judgments.tsv"
        tokens = write_table(
            table, [*into_english(data / "wmt15-daseg"), *into_english(data / "wmt16-daseg")]
        )
        print(machine())
        print(
            f"{JUDGMENTS} judgments of {tokens / JUDGMENTS / 2:.1f} words a side, lambda 5, with cross-validation"
        )
        for threads in ("1", "2"):
            command = [
                sys.executable, "-m", "pfsm", "train", str(table),
                "--output", str(Path(folder) / "model.json"), "--threads", threads,
            ]  # fmt: skip
            run = timed(partial(subprocess.run, command, check=True, capture_output=True), RUNS)
            print(f"pfsm train, {threads} thread(s): {run}")


def write_table(path: Path, sources: list[Path]) -> int:
    """The first judgments of the files, language, reference, hypothesis and score; returns their words."""
    lines, words = ["source_lang\treference\thypothesis\tscore"], 0
    for source in sources:
        columns = read_table(source).columns
        for row in zip(*(columns[name] for name in lines[0].split("\t")), strict=True):
            if len(lines) <= JUDGMENTS:
                lines.append("\t".join(row))
                words += len(row[1].split()) + len(row[2].split())
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return words


if __name__ == "__main__":
    main()
