"""Scores millions of pairs on a cluster of this machine, and from what that took works out larger clusters on paper.

    PFSM_DATA=… python scripts/benchmarks/scale.py run en-fast 10000000
    PFSM_DATA=… python scripts/benchmarks/scale.py run en 200000
    python scripts/benchmarks/scale.py plan

``run`` draws real pairs into English at random and replaces a word on each side by another word of the texts, so that
hardly a line occurs twice; two workers score them. It writes what every partition took to measured/scale-MODEL.json.
``plan`` draws partitions from these, simulates clusters (simulation.py) and prints the tables of docs/distributed.md.
"""

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from cluster import Item, Result, Watched, distinct_pairs, memory
from simulation import Course, Fleet, drawn, simulate
from stopwatch import machine

from pfsm.distributed.cluster import Cluster, open_cluster
from pfsm.distributed.job import Job, score_job
from pfsm.distributed.report import Report
from pfsm.distributed.scorers import spec_of
from pfsm.distributed.scoring import PieceOutcome
from pfsm.io.files import atomic_write
from pfsm.model.shipped import load

MEASURED = Path(__file__).resolve().parent / "measured"
WORKERS, FILES, SEED = 2, 20, 20
BILLION = 10**9
# What a plan asks for: a scheduler hands out a task in a few milliseconds; a disk or object store reads 1 GB a second.
DISPATCH, BANDWIDTH, PAUSE = 0.005, 1e9, 60.0
MEGABYTE = 1 << 20
HEADER = """
| workers | partitions | usual | a tenth at a third of the speed | one death in 10 h each | both |
|--:|--:|--:|--:|--:|--:|"""


class Recorded(Watched):
    """A cluster that also keeps the seconds and bytes of every partition."""

    def __init__(self, cluster: Cluster, results: int) -> None:
        super().__init__(cluster, results)
        self.seconds: list[float] = []
        self.sizes: list[int] = []

    def run(self, work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """As `Pool.run`."""
        for result in super().run(work, items):
            if isinstance(result, PieceOutcome) and result.is_new:
                self.seconds.append(result.seconds)
                self.sizes.append(result.bytes_read)
            yield result


def main() -> None:
    """Runs, or plans."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parts = parser.add_subparsers(dest="part", required=True)
    runs = parts.add_parser("run")
    runs.add_argument("model")
    runs.add_argument("pairs", type=int)
    runs.add_argument("--partition-size", type=int, default=8 * MEGABYTE, metavar="BYTES")
    parts.add_parser("plan")
    given = parser.parse_args()
    if given.part == "run":
        run(given.model, given.pairs, given.partition_size)
    else:
        for path in sorted(MEASURED.glob("scale-*.json")):
            plan(json.loads(path.read_text(encoding="utf-8")))


def run(model: str, count: int, partition: int) -> None:
    """Scores the pairs and writes down what it took."""
    with tempfile.TemporaryDirectory() as name, open_cluster(f"local:{WORKERS}") as cluster:
        folder = Path(name)
        write_text(folder / "first", 100, 1)
        started = time.perf_counter()
        score(model, folder / "first", folder / "begin", Recorded(cluster, 1), partition)
        start = time.perf_counter() - started
        write_text(folder / "all", count, FILES)
        size = sum(path.stat().st_size for path in (folder / "all").iterdir())
        pool = Recorded(cluster, FILES + size // partition)
        report, wall = score(model, folder / "all", folder / "scores", pool, partition)
        print(report.summary())
        memory(pool)
    found: dict[str, Any] = {
        "machine": machine(),
        "model": load(model, threads=1).get_signature().format(),
        "name": model,
        "pairs": report.pairs,
        "workers": WORKERS,
        "wall_seconds": round(wall, 1),
        "processor_seconds": round(report.seconds, 1),
        "start_seconds": round(start, 1),
        "bytes_in": report.bytes_in,
        "bytes_out": report.bytes_out,
        "partitions": {"bytes": pool.sizes, "seconds": [round(one, 2) for one in pool.seconds]},
    }
    MEASURED.mkdir(exist_ok=True)
    with atomic_write(MEASURED / f"scale-{model}.json") as handle:
        handle.write(json.dumps(found) + "\n")


def score(model: str, source: Path, target: Path, pool: Recorded, partition: int) -> tuple[Report, float]:
    """Scores a folder; the counts, and the seconds it took."""
    report = Report(pool)
    started = time.perf_counter()
    job = Job(str(source), str(target), spec_of(load(model, threads=1)), partition_bytes=partition)
    scored = score_job(job, pool, report)
    if scored.faults:
        raise SystemExit("\n".join(scored.faults))
    return report, time.perf_counter() - started


def write_text(folder: Path, count: int, files: int) -> None:
    """Writes pairs into files; the same ones at every call with the same numbers."""
    folder.mkdir()
    pairs = [(left.split(), right.split()) for left, right in distinct_pairs()]
    pairs = [pair for pair in pairs if all(pair)]
    vocabulary = [word for pair in pairs for side in pair for word in side]
    random = np.random.default_rng(SEED)
    for number in range(files):
        rows = len(range(number, count, files))
        chosen = random.integers(len(pairs), size=rows).tolist()
        words = random.integers(len(vocabulary), size=(rows, 2)).tolist()
        places = random.random((rows, 2)).tolist()
        with (folder / f"{number:02}.tsv").open("w", encoding="utf-8") as handle:
            handle.write("reference\thypothesis\n")
            for pair, new, place in zip(chosen, words, places, strict=True):
                sides = [
                    replaced(side, at, vocabulary[word])
                    for side, at, word in zip(pairs[pair], place, new, strict=True)
                ]
                handle.write("\t".join(sides) + "\n")


def replaced(words: Sequence[str], place: float, word: str) -> str:
    """A line with another word at a place between 0, the first, and 1."""
    at = int(place * len(words))
    return " ".join([*words[:at], word, *words[at + 1 :]])


def plan(found: dict[str, Any]) -> None:
    """Prints what was measured, how clusters would grow, and what a billion pairs would take."""
    sizes, seconds = (np.array(found["partitions"][key], dtype=np.float64) for key in ("bytes", "seconds"))
    rates = seconds / sizes
    wall, spent = found["wall_seconds"], found["processor_seconds"]
    slowest = ", ".join(f"{value * MEGABYTE:.2f}" for value in np.quantile(rates, [0, 0.5, 1]))
    print(
        f"{found['pairs'] / spent:,.0f} pairs a second of processor time, {found['pairs'] / wall:,.0f} in all by "
        f"{found['workers']} workers; {found['bytes_in'] / 1e9:.2f} GB in, {found['bytes_out'] / 1e6:.1f} MB out; "
        f"seconds a megabyte of the fastest partition, the median and the slowest: {slowest}"
    )
    total = BILLION * found["bytes_in"] / found["pairs"]
    start = found["start_seconds"]
    print(HEADER)
    for workers in (16, 128, 1024):
        for size in (8 * MEGABYTE, 64 * MEGABYTE):
            print(row(rates, total, size, workers, start))


def row(rates: np.ndarray[Any, Any], total: float, size: int, workers: int, start: float) -> str:
    """A line of the table: hours (share of the workers' time that is useful, partitions begun again)."""
    parts = round(total / size)
    work, sizes = drawn(rates, np.full(parts, float(size)), SEED), np.full(parts, float(size))
    usual = {"start": start, "dispatch": DISPATCH, "bandwidth": BANDWIDTH}
    slow = {"slow_share": 0.1, "slow_factor": 3.0}
    deaths = {"deaths_per_hour": 0.1, "pause": PAUSE}
    fleets = (usual, usual | slow, usual | deaths, usual | slow | deaths)
    courses = [simulate(work, sizes, Fleet(workers, **fleet), SEED) for fleet in fleets]
    return f"| {workers:,} | {parts:,} of {size // MEGABYTE} MB | " + " | ".join(map(told, courses)) + " |"


def told(course: Course) -> str:
    """A cell of the table."""
    if course.given_up:
        return "given up"
    again = f", {course.retries:,} again" if course.retries else ""
    return f"{course.seconds / 3600:.2f} h ({course.useful:.0%}{again})"


if __name__ == "__main__":
    main()
