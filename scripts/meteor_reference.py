"""Compares the METEOR 1.5 program with pfsm's METEOR.

Without arguments, the program scores the pairs of ``tests/core/metrics/meteor_pairs.tsv``, with all stages and without
paraphrases, and those of ``meteor_tasks.tsv`` beside it, in their languages and for their tasks. The numbers are
written into these files for the tests. With files of judgments (TSV), the agreement of both is printed.
Needs Java and the package ``pycocoevalcap``.

    python scripts/meteor_reference.py
    python scripts/meteor_reference.py $PFSM_DATA/wmt16-daseg/*-en-test.tsv.gz
"""

import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from real_data import CHECKOUT

from pfsm.data import read_table
from pfsm.io.files import atomic_write
from pfsm.lexicons.meteor import table_path
from pfsm.metrics import get_metric
from pfsm.metrics.meteor.options import check_options

PAIRS = CHECKOUT / "tests" / "core" / "metrics" / "meteor_pairs.tsv"
COLUMNS = ("reference", "hypothesis", "precision", "recall", "penalty", "score", "score_without_paraphrases")
TASKS = PAIRS.with_name("meteor_tasks.tsv")
STAGES = {"exact": "exact", "stem": "stem", "syn": "synonym"}
WITHOUT_PARAPHRASES = ("-m", "exact stem synonym", "-w", "1.0 0.6 0.8")


def main() -> None:
    """Writes the numbers for the tests, or compares on files of judgments."""
    if len(sys.argv) > 1:
        compare(sys.argv[1:])
    else:
        record()
        record_tasks()


def record_tasks() -> None:
    """Writes the program's scores of other languages and tasks, without paraphrases, into the file of their pairs."""
    table = read_table(TASKS)
    names = ("language", "task", "reference", "hypothesis")
    rows = list(zip(*(table.column(name) for name in names), strict=True))
    scores: dict[tuple[str, ...], float] = {}
    for language, task in dict.fromkeys(row[:2] for row in rows):
        chosen = [row for row in rows if row[:2] == (language, task)]
        given = check_options("meteor-base", {"language": language, "task": task}).parameters.weights
        stages = [stage for stage in given if stage in STAGES]
        found = run_program(
            [row[3] for row in chosen],
            [row[2] for row in chosen],
            *("-t", task, "-m", " ".join(STAGES[stage] for stage in stages)),
            *("-w", " ".join(str(given[stage]) for stage in stages)),
            language=language,
        )
        scores |= {row: values[-1] for row, values in zip(chosen, found, strict=True)}
    write_table(TASKS, (*names, "score"), ((*row, f"{scores[row]:.10f}") for row in rows))


def record() -> None:
    """Writes the program's numbers into the file of pairs."""
    table = read_table(PAIRS)
    references, hypotheses = table.column("reference"), table.column("hypothesis")
    whole = run_program(hypotheses, references)
    part = run_program(hypotheses, references, *WITHOUT_PARAPHRASES)
    numbers = (
        [f"{value:.10f}" for value in (*row, other[-1])] for row, other in zip(whole, part, strict=True)
    )
    rows = zip(references, hypotheses, numbers, strict=True)
    write_table(PAIRS, COLUMNS, ((reference, hypothesis, *own) for reference, hypothesis, own in rows))


def write_table(path: Path, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Writes tab-separated values."""
    with atomic_write(path) as handle:
        handle.writelines("\t".join(row) + "\n" for row in (columns, *rows))


def compare(paths: Sequence[str]) -> None:
    """Prints the agreement."""
    tables = [read_table(path) for path in paths]
    references = [line for table in tables for line in table.column("reference")]
    hypotheses = [line for table in tables for line in table.column("hypothesis")]
    theirs = np.array(run_program(hypotheses, references))[:, -1]
    ours = get_metric("meteor").score_pairs(hypotheses, references)
    print(f"{len(ours)} pairs: r = {np.corrcoef(ours, theirs)[0, 1]:.5f}")
    print(f"within .01: {np.mean(np.abs(ours - theirs) <= 0.01):.4f}")


def run_program(
    hypotheses: Sequence[str], references: Sequence[str], *options: str, language: str = "en"
) -> list[tuple[float, ...]]:
    """Precision, recall, penalty and score of each pair from the METEOR program (``-norm``)."""
    table = table_path()
    if table is None:
        sys.exit("the package pycocoevalcap is needed")
    program = table.parent.parent / "meteor-1.5.jar"
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / "hypotheses", Path(folder) / "references"]
        for path, lines in zip(files, (hypotheses, references), strict=True):
            path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
        command = ["java", "-Xmx2G", "-Dfile.encoding=UTF-8", "-jar", str(program), *map(str, files)]
        done = subprocess.run(
            [*command, "-l", language, "-norm", "-vOut", *options], capture_output=True, text=True, check=True
        )
    rows = [line.split("\t")[1:] for line in done.stdout.splitlines() if line.startswith("Segment")]
    return [tuple(map(float, row)) for row in rows]


if __name__ == "__main__":
    main()
