"""Scoring from text on one core: whole processes compared with sacrebleu's, and growth with the number of pairs.

    PFSM_DATA=… python scripts/benchmarks/scoring.py

Whole processes read two text files and write one score per line: 10,000 real pairs for pfsm and chrF++, the first 1,000
for all metrics. One process scores 100 to 10,000 pairs, with all sentences new and with all known. `peers.py` compares
with more metrics.
"""

import sys
import tempfile
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from real_data import data_folder, into_english
from report import Report
from stopwatch import cost, cost_of_command, one_core

import pfsm
from pfsm.data import read_judgments

FEW, MANY = 1_000, 10_000
NUMBERS = (100, 1_000, 10_000)
RUNS = 3
MODEL = "en-small"
ONE_PROCESS = "one process"

SACREBLEU = """
import sys
from sacrebleu.metrics import BLEU, CHRF, TER
metric = {"bleu": BLEU(effective_order=True), "chrf": CHRF(), "chrf++": CHRF(word_order=2), "ter": TER()}[sys.argv[1]]
with open(sys.argv[2], encoding="utf-8") as references, open(sys.argv[3], encoding="utf-8") as hypotheses:
    for reference, hypothesis in zip(references, hypotheses):
        print(metric.sentence_score(hypothesis.rstrip("\\n"), [reference.rstrip("\\n")]).score)
"""


def main() -> None:
    """Times whole processes in turn, then one process."""
    one_core()
    data = data_folder()
    sets = [path for name in ("wmt15-daseg", "wmt16-daseg", "wmt21-da") for path in into_english(data / name)]
    references, hypotheses = distinct_pairs(sets)
    report = Report("Scoring from text, one core")
    words = sum(len(line.split()) for line in references + hypotheses)
    report.note({"pairs": len(references), "words a side": words / len(references) / 2})
    with tempfile.TemporaryDirectory() as folder:
        for number, metrics in ((FEW, ("bleu", "chrf", "chrf++", "ter")), (MANY, ("chrf++",))):
            time_processes(report, references[:number], hypotheses[:number], metrics, Path(folder))
    time_one_process(report, references, hypotheses)
    report.note(
        {
            f"microseconds a pair, {row.section}, {row.name}": round(row.cost.cpu / row.items * 1e6, 1)
            for row in report.rows
            if row.section.startswith(ONE_PROCESS)
        }
    )
    report.save()


def distinct_pairs(sources: list[Path]) -> tuple[list[str], list[str]]:
    """References and hypotheses of the first distinct pairs of the files."""
    pairs: dict[tuple[str, str], None] = {}
    for source in sources:
        judgments = read_judgments(source)
        pairs |= dict.fromkeys(zip(judgments.references, judgments.hypotheses, strict=True))
    chosen = list(pairs)[:MANY]
    return [reference for reference, _ in chosen], [hypothesis for _, hypothesis in chosen]


def time_processes(
    report: Report, references: list[str], hypotheses: list[str], metrics: tuple[str, ...], folder: Path
) -> None:
    """Times pfsm and sacrebleu's metrics, each in processes of its own."""
    paths = [str(folder / name) for name in ("reference.txt", "hypothesis.txt")]
    for path, lines in zip(paths, (references, hypotheses), strict=True):
        Path(path).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    section = f"whole processes, {len(references):,} pairs"
    ours = [sys.executable, "-m", "pfsm", "score", paths[0], "-i", paths[1], "-sl", "-m"]
    for model in (MODEL, "en"):
        report.add(
            section, f"pfsm score -sl -m {model}", len(references), cost_of_command([*ours, model], RUNS)
        )
    for metric in metrics:
        theirs = [sys.executable, "-c", SACREBLEU, metric, *paths]
        report.add(section, f"sacrebleu {metric}", len(references), cost_of_command(theirs, RUNS))


def time_one_process(report: Report, references: list[str], hypotheses: list[str]) -> None:
    """Times growing numbers of pairs, with an empty vocabulary and with one that knows all sentences."""
    warm = pfsm.load(MODEL, 1)
    for kind, score in (("new", _fresh), ("known", warm.score_pairs)):
        for number in NUMBERS:
            measured = cost(partial(score, hypotheses[:number], references[:number]), RUNS)
            report.add(f"{ONE_PROCESS}, {kind} sentences", f"{number:,} pairs", number, measured)


def _fresh(hypotheses: list[str], references: list[str]) -> None:
    """Scores with an empty vocabulary."""
    pfsm.load(MODEL, 1).score_pairs(hypotheses, references)


if __name__ == "__main__":
    main()
