"""Scoring 10,000 real pairs end to end on one core, beside sacrebleu's sentence-level chrF++ on the same lines.

Both read two text files in a fresh process and write a score a line. Needs PFSM_DATA and sacrebleu.

    PFSM_DATA=… python scripts/benchmarks/scoring.py
"""

import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from real_data import data_folder, into_english
from stopwatch import machine, one_core, timed

from pfsm.data import read_judgments

PAIRS = 10_000
RUNS = 3

CHRF = """
import sys
from sacrebleu.metrics import CHRF
metric = CHRF(word_order=2)
with open(sys.argv[1], encoding="utf-8") as references, open(sys.argv[2], encoding="utf-8") as hypotheses:
    for reference, hypothesis in zip(references, hypotheses):
        print(metric.sentence_score(hypothesis.rstrip("\\n"), [reference.rstrip("\\n")]).score)
"""


def main() -> None:
    """Writes the lines, times both programs in turn, prints the ratio."""
    data = data_folder()
    one_core()
    with tempfile.TemporaryDirectory() as folder:
        reference, hypothesis = Path(folder) / "reference.txt", Path(folder) / "hypothesis.txt"
        sets = [
            path for name in ("wmt15-daseg", "wmt16-daseg", "wmt21-da") for path in into_english(data / name)
        ]
        words = write_lines(sets, reference, hypothesis)
        print(machine())
        print(f"{PAIRS} pairs of {words / PAIRS / 2:.1f} words a side, whole processes, one core")
        ours = [sys.executable, "-m", "pfsm", "score", str(reference), "-i", str(hypothesis), "-sl"]
        theirs = [sys.executable, "-c", CHRF, str(reference), str(hypothesis)]
        chrf = timed(lambda: subprocess.run(theirs, check=True, capture_output=True), RUNS)
        pfsm = timed(lambda: subprocess.run(ours, check=True, capture_output=True), RUNS)
        print(f"pfsm score -sl:         {pfsm}, {PAIRS / pfsm.median:,.0f} pairs a second")
        print(f"sacrebleu chrF++:       {chrf}, {PAIRS / chrf.median:,.0f} pairs a second")
        print(f"pfsm is {chrf.median / pfsm.median:.1f} times as fast")


def write_lines(sources: list[Path], reference: Path, hypothesis: Path) -> int:
    """The first distinct pairs of the files, one a line; returns their words."""
    pairs: dict[tuple[str, str], None] = {}
    for source in sources:
        judgments = read_judgments(source)
        pairs |= dict.fromkeys(zip(judgments.references, judgments.hypotheses, strict=True))
    chosen = list(pairs)[:PAIRS]
    reference.write_text("".join(f"{left}\n" for left, _ in chosen), encoding="utf-8")
    hypothesis.write_text("".join(f"{right}\n" for _, right in chosen), encoding="utf-8")
    return sum(len(left.split()) + len(right.split()) for left, right in chosen)


if __name__ == "__main__":
    main()
