"""Scores a million real pairs on a cluster of two processes, and part of them in one process, to compare their rates.

Also measures the memory of scheduler, manifest and lattices. Rates are pairs per second of processor time, which other
work on the machine hardly changes. Needs PFSM_DATA.

    PFSM_DATA=… python scripts/benchmarks/cluster.py [PAIRS]
"""

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TypeVar

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from real_data import data_folder, into_english
from stopwatch import machine

from pfsm.data import read_judgments
from pfsm.distributed.cluster import Cluster, open_cluster
from pfsm.distributed.job import Job, Scored, score_job
from pfsm.distributed.manifest import Manifest
from pfsm.distributed.pools import InProcess, Pool
from pfsm.distributed.report import Report, readable
from pfsm.distributed.scorers import spec_of
from pfsm.model.builder import LatticeBuilder
from pfsm.model.settings import Settings
from pfsm.model.shipped import load
from pfsm_training import LogLinearMachine
from pfsm_training.data.blocks import Block, Weights, model_of
from pfsm_training.lattices.features import frequent, instances
from pfsm_training.loss.objective import SquaredError

PAIRS, FILES, LOCAL_FILES = 1_000_000, 20, 1
WORKERS = 2
MANY_TASKS = 20_000
TRAINING_PAIRS = 5_000
Item = TypeVar("Item")
Result = TypeVar("Result")
Pairs = list[tuple[str, str]]


class Watched:
    """A cluster that records the memory of its workers after every twentieth of the results."""

    def __init__(self, cluster: Cluster, results: int) -> None:
        self.cluster = cluster
        self.every = max(1, results // 20)
        self.recorded: list[dict[str, int]] = []

    @property
    def cores(self) -> int:
        """As `Pool.cores`."""
        return self.cluster.cores

    @property
    def retries(self) -> int:
        """As `Pool.retries`."""
        return self.cluster.retries

    def run(self, work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """As `Pool.run`."""
        for number, result in enumerate(self.cluster.run(work, items), start=1):
            if number % self.every == 0:
                self.recorded.append(self.cluster.client.run(resident))
            yield result


def resident() -> int:
    """Resident memory of this process in bytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def nothing(number: int) -> int:
    """A task without work."""
    return number


def main() -> None:
    """Writes the pairs, scores them both ways, and measures the memory of scheduler, manifest and training."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else PAIRS
    pairs = distinct_pairs()
    print(machine())
    words = sum(len(left.split()) + len(right.split()) for left, right in pairs) / len(pairs) / 2
    print(f"{count:,} pairs, {len(pairs):,} distinct, {words:.1f} words a side")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_files(folder, pairs, count)
        alone, _ = score(folder / "one", folder / "alone", InProcess(), "one process")
        with open_cluster(f"local:{WORKERS}") as cluster:
            # Every worker compiles and loads what it needs before it is timed, as the one process has done.
            score(folder / "one", folder / "warm", cluster, "to warm up")
            size = sum(path.stat().st_size for path in (folder / "all").iterdir())
            watched = Watched(cluster, FILES + size // (8 << 20))
            shared, scored = score(folder / "all", folder / "shared", watched, f"{WORKERS} processes")
            print(f"rate per core: {shared / alone:.3f} of that of one process")
            memory(watched)
            scheduler(cluster)
        manifest(folder / "shared", scored)
    training(pairs[:TRAINING_PAIRS])


def distinct_pairs() -> Pairs:
    """The distinct pairs of the sets into English."""
    data = data_folder()
    found: dict[tuple[str, str], None] = {}
    for name in ("wmt15-daseg", "wmt16-daseg", "wmt21-da"):
        for path in into_english(data / name):
            judgments = read_judgments(path)
            found |= dict.fromkeys(zip(judgments.references, judgments.hypotheses, strict=True))
    return list(found)


def write_files(folder: Path, pairs: Pairs, count: int) -> None:
    """Writes the pairs, repeated, into several files, and a second folder with one of these files."""
    (folder / "all").mkdir()
    (folder / "one").mkdir()
    for number in range(FILES):
        with (folder / "all" / f"{number:02}.tsv").open("w", encoding="utf-8") as handle:
            handle.write("reference\thypothesis\n")
            for row in range(number, count, FILES):
                handle.write("\t".join(pairs[row % len(pairs)]) + "\n")
    for number in range(LOCAL_FILES):
        os.link(folder / "all" / f"{number:02}.tsv", folder / "one" / f"{number:02}.tsv")


def score(source: Path, target: Path, pool: Pool, name: str) -> tuple[float, Scored]:
    """Scores a folder; returns the pairs per second of processor time, and what was scored."""
    report = Report(pool)
    start = time.perf_counter()
    scored = score_job(Job(str(source), str(target), spec_of(load(threads=1))), pool, report)
    print(
        f"{name}: {report.summary()}; {scored.rows / (time.perf_counter() - start):,.0f} pairs a second in all"
    )
    return report.pairs / report.seconds, scored


def memory(watched: Watched) -> None:
    """Prints the memory of the larger worker in the course of the job."""
    largest = [max(sizes.values()) for sizes in watched.recorded]
    print(f"memory of the larger worker, by twentieths: {', '.join(map(readable, largest))}")


def scheduler(cluster: Cluster) -> None:
    """Prints the memory that the scheduler, in this process, takes for many tasks at once and for a few at a time."""
    before = resident()
    futures = [cluster.submit(nothing, number) for number in range(MANY_TASKS)]
    cluster.results(futures)
    at_once = resident() - before
    del futures
    before = resident()
    for _ in cluster.run(nothing, range(MANY_TASKS)):
        pass
    print(
        f"scheduler and client: {at_once / MANY_TASKS:,.0f} B for each of {MANY_TASKS:,} tasks given out at once, "
        f"{max(0, resident() - before) / MANY_TASKS:,.0f} B for each given out as we do"
    )


def manifest(folder: Path, scored: Scored) -> None:
    """Prints the size of a partition in the manifest."""
    content = json.loads((folder / "_manifest.json").read_text(encoding="utf-8"))
    found = Manifest(str(folder), {key: content[key] for key in ("signature",)})
    size = sum(len(json.dumps(asdict(entry))) for entry in found.entries.values())
    print(f"manifest: {size / scored.partitions:,.0f} B for each of {scored.partitions:,} partitions")


def training(pairs: Pairs) -> None:
    """Prints the memory of a lattice, and the speed of building lattices and of evaluating the objective."""
    start = time.process_time()
    batch = LatticeBuilder(Settings()).build([left for left, _ in pairs], [right for _, right in pairs])
    built = time.process_time() - start
    names = frequent(instances(batch))
    block = Block(batch, SquaredError(batch.lattices.lengths.astype(float) / 100.0))
    weights = Weights.of(LogLinearMachine(names, {}))
    model_of(block, weights, True)  # compiles
    seconds = min(model_of(block, weights, True).seconds for _ in range(3))
    print(
        f"training: {block.__sizeof__() / len(pairs):,.0f} B a lattice, {len(pairs) / built:,.0f} lattices and "
        f"{len(pairs) / seconds:,.0f} evaluations a second and core, {len(names)} weights"
    )


if __name__ == "__main__":
    main()
