r"""Times of training: whole ``pfsm train`` processes on real judgments.

    PFSM_DATA=… python scripts/benchmarks/training.py [JUDGMENTS …] [--threads N …]
    PFSM_DATA=… python scripts/benchmarks/training.py 1000000 --drawn --folds 2 --config configs/models/en-small.yaml \
        --lambda 0.5 --threads 1

Without numbers, processes train on 1,000 and 5,000 judgments, including reading, cross-validation and writing. If more
are wanted than there are, the judgments are repeated, with one more word in the translations each time, or with
``--drawn`` with a tenth of their words exchanged on both sides, so that no line is there twice.
"""

import random
import sys
import tempfile
import zlib
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Iterator
from itertools import count, islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import yaml
from real_data import data_folder, explained, into_english
from stopwatch import Report, cost_of_command

from pfsm.commands.options import positive
from pfsm.data import read_table

JUDGMENTS = (1_000, 5_000)
RUNS = 3
MANY = 20_000  # one run is enough
SETS = ("wmt15-daseg", "wmt16-daseg", "wmt21-da", "mlqe-pe")
COLUMNS = ("source_lang", "reference", "hypothesis", "score")
Row = tuple[str, str, str, str]


def main() -> None:
    """Times whole processes of each size."""
    wanted = arguments()
    data = data_folder()
    sources = [path for name in SETS for path in into_english(data / name)]
    report = Report("Training")
    with tempfile.TemporaryDirectory() as folder:
        for number in wanted.judgments:
            time_processes(report, sources, number, wanted, Path(folder))
    report.save()


def arguments() -> Namespace:
    """The options of the command line."""
    parser = ArgumentParser(description="How long training takes.")
    parser.add_argument("judgments", nargs="*", type=positive, default=JUDGMENTS)
    parser.add_argument("--threads", nargs="+", type=positive, default=[1, 2])
    parser.add_argument("--drawn", action="store_true", help="exchange words where judgments are repeated")
    parser.add_argument(
        "--config", metavar="FILE", type=Path, help="settings (default: words and stems, lambda 5)"
    )
    parser.add_argument("--lambda", dest="penalty", type=float, help="in place of the settings' own")
    parser.add_argument("--folds", type=positive, help="of cross-validation (default: as many as languages)")
    return parser.parse_args()


def time_processes(report: Report, sources: list[Path], number: int, wanted: Namespace, folder: Path) -> None:
    """Times ``pfsm train`` on ``number`` judgments, with each number of threads."""
    table, config = folder / "judgments.tsv", folder / "settings.yaml"
    words = write_table(table, islice(endless(sources, wanted.drawn), number), wanted.folds)
    print(f"\n* words a side of {number:,} judgments: {words / number / 2:,.9g}")
    settings = yaml.safe_load(wanted.config.read_text(encoding="utf-8")) if wanted.config else {"lambda": 5}
    given = {} if wanted.penalty is None else {"lambda": wanted.penalty}
    config.write_text(yaml.safe_dump({**settings, **given}), encoding="utf-8")
    many, title = number >= MANY, f"pfsm train, {number:,} judgments"
    for threads in wanted.threads:
        command = [
            sys.executable, "-m", "pfsm", "train", str(table), "--config", str(config),
            "--output", str(folder / "model.json"), "--threads", str(threads),
        ]  # fmt: skip
        measured = cost_of_command(command, 1 if many else RUNS, warm_up=not many)
        report.add(title, f"{threads} thread(s)", number, measured)


def write_table(path: Path, rows: Iterable[Row], folds: int | None = None) -> int:
    """Writes judgments with the columns `COLUMNS`; returns the number of their words."""
    words = 0
    with path.open("w", encoding="utf-8") as handle:
        handle.write("\t".join(COLUMNS) + "\n")
        for row in rows:
            language, reference, hypothesis, score = row
            if folds is not None:
                language = f"language{zlib.crc32(reference.encode()) % folds}"
            handle.write("\t".join((language, reference, hypothesis, score)) + "\n")
            words += len(reference.split()) + len(hypothesis.split())
    return words


def endless(sources: list[Path], drawn: bool = False) -> Iterator[Row]:
    """The judgments of the files, repeated without end."""
    draw = random.Random(0)
    for turn in count():
        for source in sources:
            columns = read_table(source).columns
            pool = [word for line in columns["reference"] for word in line.split()]
            for language, reference, hypothesis, score in zip(*(columns[c] for c in COLUMNS), strict=True):
                if drawn and turn:
                    yield language, *exchanged(reference, hypothesis, pool, draw), score
                else:
                    yield language, reference, f"{hypothesis}{' again' * turn}", score


def exchanged(reference: str, hypothesis: str, pool: list[str], draw: random.Random) -> tuple[str, str]:
    """Both lines with a tenth of their words, at least one, as others; what was the same word still is."""
    words = sorted({*reference.split(), *hypothesis.split()})
    new = {word: draw.choice(pool) for word in draw.sample(words, min(len(words), 1 + len(words) // 10))}
    first, second = (
        " ".join(new.get(word, word) for word in line.split()) for line in (reference, hypothesis)
    )
    return first, second


if __name__ == "__main__":
    explained(main)
