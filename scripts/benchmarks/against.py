"""This tree against another commit: the same work in both, in turns, with ratios; what got slower is flagged.

    PFSM_DATA=… python scripts/benchmarks/against.py COMMIT [--runs N] [--only TEXT]

The commit is unpacked into a temporary folder; both trees run in this Python, each with its own compiled modules and
kernels. Every run is a process of its own on one core. Counted is processor time, of the whole process or of the lines
after ``start``, and a ratio is the median over runs of two processes that followed each other, so that other work on
the machine touches both sides alike. What a commit cannot do yet has no ratio. Exit status 1: something is more than
`TOLERANCE` slower.
"""

import argparse
import io
import json
import os
import re
import statistics
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from real_data import data_folder, distinct_pairs, into_english
from stopwatch import machine, one_core

from pfsm.data import read_judgments

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("pfsm", "pfsm_installation", "kernels", "training")
TOLERANCE = 0.1
JUDGMENTS = 500
HEADER = "| what | items/s | items/s, {other} | ratio | |\n|---|--:|--:|--:|---|"

# Text of the run's folder; the processor time since `start` is the last line that is printed.
_READ = """
import time
lines = [open(name, encoding="utf-8").read().splitlines()[:{number}] for name in ("reference.txt", "hypothesis.txt")]
"""
_PAIRS = (
    _READ
    + """
import pfsm
pfsm.load({model!r}, 1).score_pairs(["The cat sat ."], ["A cat sat down ."])
metric = pfsm.load({model!r}, 1)
for _ in range({passes}):
    start = time.process_time()
    metric.score_pairs(lines[1], lines[0])
    seconds = time.process_time() - start
print(seconds)
"""
)
_METRIC = (
    _READ
    + """
from pfsm.metrics import get_metric
metric = get_metric({metric!r})
metric.score_pairs(["The cat sat ."], ["A cat sat down ."])
start = time.process_time()
metric.score_pairs(lines[1], lines[0])
print(time.process_time() - start)
"""
)


@dataclass(frozen=True)
class Work:
    """What both trees do.

    Attributes:
        name: In the table.
        items: Pairs or judgments of a run; 1 for a start.
        arguments: Of Python.
        is_timed: Whether the process prints its own time; else that of the whole process counts.
    """

    name: str
    items: int
    arguments: tuple[str, ...]
    is_timed: bool = False


def _command(number: int, *arguments: str) -> tuple[str, ...]:
    return ("-m", "pfsm", *(one.replace("{}", str(number)) for one in arguments))


def works() -> list[Work]:
    """All there is to compare, the short ones first."""
    score = ("score", "reference-{}.txt", "-i", "hypothesis-{}.txt", "--threads", "1")
    found = [
        Work("import pfsm", 1, ("-c", "import pfsm")),
        Work("pfsm --help", 1, _command(0, "--help")),
    ]
    found += [
        Work(f"a process, {model}, 1 pair", 1, _command(1, *score, "-m", model))
        for model in ("en-small", "en-fast", "en")
    ]
    for model, number in (("en-small", 10_000), ("en-fast", 1_000), ("en-fast", 10_000)):
        name = f"a process, {model}, {number:,} pairs"
        found.append(Work(name, number, _command(number, *score, "-m", model)))
    for model, number in (("en-small", 10_000), ("en-fast", 10_000), ("en", 200)):
        for kind, passes in (("new", 1), ("known", 2)):
            code = _PAIRS.format(model=model, number=number, passes=passes)
            found.append(Work(f"{model}, {number:,} {kind} pairs", number, ("-c", code), is_timed=True))
    for metric, number in (("chrf", 1_000), ("ter", 1_000), ("meteor-base", 1_000), ("terp-base", 300)):
        code = _METRIC.format(metric=metric, number=number)
        found.append(Work(f"--metric {metric}, {number:,} pairs", number, ("-c", code), is_timed=True))
    train = _command(JUDGMENTS, "train", "judgments-{}.tsv", "--output", "model.json", "--threads", "1")
    found.append(Work(f"pfsm train, {JUDGMENTS} judgments", JUDGMENTS, train))
    return found


@dataclass(frozen=True)
class Tree:
    """A tree that runs.

    Attributes:
        root: Where its packages are.
        folder: Where it runs.
        kernels: Where its compiled kernels are kept.
    """

    root: Path
    folder: Path
    kernels: Path

    def seconds(self, work: Work) -> float | None:
        """Processor time of one run; None if the tree cannot do this work."""
        paths = [self.root, self.root / "kernels", self.root / "training"]
        variables = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(map(str, paths)),
            "NUMBA_CACHE_DIR": str(self.kernels),
            "PFSM_NO_NOTICE": "1",
        }
        with tempfile.TemporaryFile() as output:
            process = subprocess.Popen(
                [sys.executable, *work.arguments],
                cwd=self.folder,
                env=variables,
                stdout=output,
                stderr=subprocess.DEVNULL,
            )
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode:
                return None
            output.seek(0)
            last = output.read().decode().split()[-1:]
        return float(last[0]) if work.is_timed else usage.ru_utime + usage.ru_stime


def unpacked(commit: str, folder: Path) -> Path:
    """The packages of a commit, in a folder."""
    archive = subprocess.run(
        ["git", "archive", "--format=tar", commit, *PACKAGES, "pyproject.toml"],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    if archive.returncode:
        raise SystemExit(f"against.py: {archive.stderr.decode().strip()}")
    with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as files:
        files.extractall(folder, filter="data")
    return folder


def prepared(root: Path, folder: Path) -> Tree:
    """A tree with its modules compiled."""
    modules = [str(root / name) for name in PACKAGES]
    compiling = [sys.executable, "-m", "compileall", "-q", "--invalidation-mode", "checked-hash", *modules]
    subprocess.run(compiling, check=True)
    kernels = folder / f"kernels-{root.name}"
    kernels.mkdir()
    return Tree(root, folder, kernels)


def write_texts(folder: Path) -> None:
    """What the works read: real pairs and judgments."""
    data = data_folder()
    sets = [path for name in ("wmt15-daseg", "wmt16-daseg", "wmt21-da") for path in into_english(data / name)]
    for name, lines in zip(("reference", "hypothesis"), distinct_pairs(sets), strict=True):
        for number in (1, 1_000, 10_000):
            text = "".join(f"{line}\n" for line in lines[:number])
            (folder / f"{name}-{number}.txt").write_text(text, encoding="utf-8")
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")
    judged = read_judgments(sets[0])
    rows = zip(judged.references, judged.hypotheses, judged.scores.tolist(), strict=True)
    lines = [f"{reference}\t{hypothesis}\t{score}\n" for reference, hypothesis, score in rows]
    table = "".join(["reference\thypothesis\tscore\n", *lines[:JUDGMENTS]])
    (folder / f"judgments-{JUDGMENTS}.tsv").write_text(table, encoding="utf-8")


def row(work: Work, ours: Sequence[float], theirs: Sequence[float]) -> tuple[str, float | None]:
    """A line of the table, and how much faster this tree is."""
    rates = [_rate(work.items, seconds) for seconds in (ours, theirs)]
    if not (ours and theirs):
        return f"| {work.name} | {rates[0]} | {rates[1]} | | not in both |", None
    ratio = statistics.median(other / one for one, other in zip(ours, theirs, strict=True))
    flag = "**slower**" if ratio < 1.0 - TOLERANCE else ""
    return f"| {work.name} | {rates[0]} | {rates[1]} | {ratio:.2f} | {flag} |", ratio


def _rate(items: int, seconds: Sequence[float]) -> str:
    if not seconds:
        return ""
    rate = items / max(statistics.median(seconds), 1e-9)
    return f"{rate:,.0f}" if rate >= 100 else f"{rate:.3g}"


def compare(work: Work, ours: Tree, theirs: Tree, runs: int) -> tuple[list[float], list[float]]:
    """Seconds of both trees' runs, after one of each that compiles its kernels."""
    first = (ours.seconds(work), theirs.seconds(work))
    found: tuple[list[float], list[float]] = ([], [])
    for number in range(runs):
        # Neither is always the first.
        for place in (0, 1) if number % 2 == 0 else (1, 0):
            seconds = None if first[place] is None else (ours, theirs)[place].seconds(work)
            if seconds is not None:
                found[place].append(seconds)
    return found


def main() -> None:
    """Prints the table, and saves it as JSON where BENCH_OUT names a folder."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("commit", help="the other side, as git names it")
    parser.add_argument("--runs", type=int, default=5, help="of each work in each tree (default: 5)")
    parser.add_argument("--only", default="", help="works whose name has this in it (a regular expression)")
    options = parser.parse_args()
    one_core()
    slower, numbers = [], {}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        other = folder / "other"
        other.mkdir()
        trees = prepared(ROOT, folder), prepared(unpacked(options.commit, other), folder)
        write_texts(folder)
        print(
            f"## This tree against {options.commit}\n\n{machine()}\n\n{HEADER.format(other=options.commit)}"
        )
        for work in works():
            if re.search(options.only, work.name):
                line, ratio = row(work, *compare(work, *trees, options.runs))
                print(line, flush=True)
                numbers[work.name] = ratio
                slower += [work.name] if ratio is not None and ratio < 1.0 - TOLERANCE else []
    if os.environ.get("BENCH_OUT"):
        path = Path(os.environ["BENCH_OUT"]) / "against.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            json.dumps({"commit": options.commit, "ratios": numbers}, indent=1) + "\n", encoding="utf-8"
        )
    if slower:
        raise SystemExit(f"against.py: more than {TOLERANCE:.0%} slower: {'; '.join(slower)}")


if __name__ == "__main__":
    main()
