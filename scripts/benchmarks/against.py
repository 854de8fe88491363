"""This tree against another commit: the same work in both, in turns, with ratios; what got slower is flagged.

    PFSM_DATA=… python scripts/benchmarks/against.py COMMIT [--runs N]

The commit is unpacked into a temporary folder; both trees run in this Python, each with its own compiled modules and
kernels. Every run is a process of its own on one core. Counted is processor time, of the whole process or of the lines
after ``start``, and a ratio is the median over runs of two processes that followed each other, so that other work on
the machine touches both sides alike. What a commit cannot do yet has no ratio. Exit status 1: something is more than
`TOLERANCE` slower.
"""

import argparse
import io
import os
import statistics
import subprocess
import sys
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from real_data import CHECKOUT, data_folder, distinct_pairs, into_english, refuse
from stopwatch import machine, one_core, rounded, run_command

from pfsm.data import read_judgments

FOLDERS = ("", "kernels", "training", "linguistics", "studio")
TOLERANCE = 0.1
JUDGMENTS = 500

# What a process runs that prints its own time: `score_pairs` of a model or metric, after the kernels are compiled.
_PAIRS = """
import time
{code}
lines = [open(name, encoding="utf-8").read().splitlines()[:{number}] for name in ("hypothesis.txt", "reference.txt")]
load().score_pairs(["The cat sat ."], ["A cat sat down ."])
metric = load()
for _ in range({passes}):
    start = time.process_time()
    metric.score_pairs(*lines)
    seconds = time.process_time() - start
print(seconds)
"""


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


def works() -> list[Work]:
    """All there is to compare, the short ones first."""
    command = ("-m", "pfsm")
    found = [Work("import pfsm", 1, ("-c", "import pfsm")), Work("pfsm --help", 1, (*command, "--help"))]
    for model, number in (
        ("en-small", 1), ("en-fast", 1), ("en", 1), ("en-small", 10_000), ("en-fast", 1_000), ("en-fast", 10_000),
    ):  # fmt: skip
        score = ("score", f"reference-{number}.txt", "-i", f"hypothesis-{number}.txt", "--threads", "1")
        name = f"a process, {model}, {number:,} pair{'s' if number > 1 else ''}"
        found.append(Work(name, number, (*command, *score, "-m", model)))
    for model, number in (("en-small", 10_000), ("en-fast", 10_000), ("en", 200)):
        load = f"import pfsm\ndef load(): return pfsm.load({model!r}, 1)"
        for kind, passes in (("new", 1), ("known", 2)):
            code = _PAIRS.format(code=load, number=number, passes=passes)
            found.append(Work(f"{model}, {number:,} {kind} pairs", number, ("-c", code), is_timed=True))
    for metric, number in (("chrf", 1_000), ("ter", 1_000), ("meteor-base", 1_000), ("terp-base", 300)):
        load = f"from pfsm.metrics import get_metric\ndef load(): return get_metric({metric!r})"
        code = _PAIRS.format(code=load, number=number, passes=1)
        found.append(Work(f"--metric {metric}, {number:,} pairs", number, ("-c", code), is_timed=True))
    train = ("train", f"judgments-{JUDGMENTS}.tsv", "--output", "model.json", "--threads", "1")
    found.append(Work(f"pfsm train, {JUDGMENTS} judgments", JUDGMENTS, (*command, *train)))
    return found


def unpacked(commit: str, folder: Path) -> Path:
    """A commit, in a folder."""
    command = ["git", "archive", "--format=tar", commit]
    archive = subprocess.run(command, cwd=CHECKOUT, capture_output=True, check=False)
    if archive.returncode:
        refuse(archive.stderr.decode().strip())
    with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as files:
        files.extractall(folder, filter="data")
    return folder


def environment(root: Path, kernels: Path) -> dict[str, str]:
    """What a process needs to run a tree, whose modules are compiled here; its kernels are kept in ``kernels``."""
    paths = os.pathsep.join(str(root / name) for name in FOLDERS)
    modules = [str(path) for path in root.glob("*/pfsm_*")] + [str(root / "pfsm")]
    compiling = [sys.executable, "-m", "compileall", "-q", "--invalidation-mode", "checked-hash", *modules]
    subprocess.run(compiling, check=True)
    return {**os.environ, "PYTHONPATH": paths, "NUMBA_CACHE_DIR": str(kernels), "PFSM_NO_NOTICE": "1"}


def write_texts(folder: Path) -> None:
    """What the works read: real pairs and judgments."""
    data = data_folder()
    sets = [path for name in ("wmt15-daseg", "wmt16-daseg", "wmt21-da") for path in into_english(data / name)]
    for name, lines in zip(("reference", "hypothesis"), distinct_pairs(sets), strict=True):
        for number, ending in ((1, "-1"), (1_000, "-1000"), (10_000, "-10000"), (10_000, "")):
            text = "".join(f"{line}\n" for line in lines[:number])
            (folder / f"{name}{ending}.txt").write_text(text, encoding="utf-8")
    judged = read_judgments(sets[0])
    rows = zip(judged.references, judged.hypotheses, judged.scores.tolist(), strict=True)
    table = ["reference\thypothesis\tscore", *("\t".join(map(str, row)) for row in rows)][: JUDGMENTS + 1]
    (folder / f"judgments-{JUDGMENTS}.tsv").write_text("\n".join(table) + "\n", encoding="utf-8")


def seconds_of(work: Work, folder: Path, variables: dict[str, str]) -> float | None:
    """Processor time of one run; None if the tree cannot do this work."""
    try:
        cost, printed = run_command([sys.executable, *work.arguments], cwd=folder, env=variables)
    except subprocess.CalledProcessError:
        return None
    return float(printed.split()[-1]) if work.is_timed else cost.cpu


def compare(work: Work, folder: Path, trees: list[dict[str, str]], runs: int) -> list[list[float]]:
    """Seconds of both trees' runs, after one of each that compiles its kernels; of one that cannot do it, none."""
    able = [seconds_of(work, folder, tree) is not None for tree in trees]
    found: list[list[float]] = [[], []]
    for number in range(runs):
        # Neither is always the first.
        for place in (0, 1) if number % 2 == 0 else (1, 0):
            seconds = seconds_of(work, folder, trees[place]) if able[place] else None
            if seconds is not None:
                found[place].append(seconds)
    return found


def row(work: Work, seconds: list[list[float]]) -> tuple[str, float | None]:
    """A line of the table, and how much faster this tree is."""
    rates = [rounded(work.items / max(statistics.median(one), 1e-9)) if one else "" for one in seconds]
    if not all(seconds):
        return f"| {work.name} | {rates[0]} | {rates[1]} | | not in both |", None
    ratio = statistics.median(other / one for one, other in zip(*seconds, strict=True))
    flag = "**slower**" if ratio < 1.0 - TOLERANCE else ""
    return f"| {work.name} | {rates[0]} | {rates[1]} | {ratio:.2f} | {flag} |", ratio


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("commit", help="the other side, as git names it")
    parser.add_argument("--runs", type=int, default=5, help="of each work in each tree (default: 5)")
    options = parser.parse_args()
    one_core()
    ratios: dict[str, float | None] = {}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        other = unpacked(options.commit, folder / "other")
        trees = [environment(root, folder / f"kernels-{root.name}") for root in (CHECKOUT, other)]
        write_texts(folder)
        print(f"## This tree against {options.commit}\n\n{machine()}\n")
        print(f"| what | items/s | items/s, {options.commit} | ratio | |\n|---|--:|--:|--:|---|")
        for work in works():
            line, ratios[work.name] = row(work, compare(work, folder, trees, options.runs))
            print(line, flush=True)
    slower = [name for name, ratio in ratios.items() if ratio is not None and ratio < 1.0 - TOLERANCE]
    if slower:
        raise SystemExit(f"against.py: more than {TOLERANCE:.0%} slower: {'; '.join(slower)}")


if __name__ == "__main__":
    main()
