"""Timing for the benchmarks: medians of several runs after a warm-up, and tables of them with the machine.

Measured are wall-clock time, processor time, which other processes on the machine hardly change, and peak memory: of
work in this process (``cost``), or of a command in a process of its own (``cost_of_command``).
"""

import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path

from pfsm.io.files import atomic_write

_HEADER = "| what | items/s | ratio | CPU s | wall s | peak MB |\n|---|--:|--:|--:|--:|--:|"


@dataclass(frozen=True)
class Cost:
    """Medians of several runs: seconds, seconds of all processors, peak megabytes (None: not measured)."""

    wall: float
    cpu: float
    peak_mb: float | None = None


def cost(work: Callable[[], object], runs: int, warm_up: bool = True) -> Cost:
    """The cost of ``runs`` runs in this process, after one to warm up; the peak is that of the whole process."""
    if warm_up:
        work()
    walls, cpus = [], []
    watched = _forget_peak()
    for _ in range(runs):
        wall, cpu = time.perf_counter(), time.process_time()
        work()
        walls.append(time.perf_counter() - wall)
        cpus.append(time.process_time() - cpu)
    return Cost(statistics.median(walls), statistics.median(cpus), _peak_mb() if watched else None)


def _forget_peak() -> bool:
    """Resets the peak of resident memory; False if the system does not support that."""
    try:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    except OSError:
        return False
    return True


def _peak_mb() -> float | None:
    for line in Path("/proc/self/status").read_text(encoding="ascii", errors="replace").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024.0
    return None


def cost_of_command(command: Sequence[str], runs: int, warm_up: bool = True) -> Cost:
    """The same for a command, run in a fresh process each time; its output is discarded."""
    samples = [_one_command(command) for _ in range(runs + warm_up)][warm_up:]
    return Cost(
        statistics.median(sample.wall for sample in samples),
        statistics.median(sample.cpu for sample in samples),
        statistics.median(sample.peak_mb or 0.0 for sample in samples),
    )


def _one_command(command: Sequence[str]) -> Cost:
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, list(command))
    return Cost(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024.0)


def machine() -> str:
    """Processor, number of cores that this process may use, and versions."""
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [
            line.partition(":")[2].strip() for line in info.read_text().splitlines() if "model name" in line
        ]
        model = names[0] if names else model
    packages = " ".join(f"{name} {version(name)}" for name in ("pfsm-metric", "numba", "numpy"))
    return f"{model}, {len(os.sched_getaffinity(0))} core(s), Python {platform.python_version()}, {packages}"


def one_core() -> None:
    """Restricts this process and its children to one core."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


@dataclass(frozen=True)
class Row:
    """A measurement in a table, and its items a second beside those of the row it is compared with."""

    section: str
    name: str
    items: int
    cost: Cost
    ratio: float


class Report:
    """The rows in the order measured; each is printed at once."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.rows: list[Row] = []
        self.lines: list[str] = []
        self._print(f"## {title}\n\n{machine()}")

    def add(self, section: str, name: str, items: int, cost: Cost, versus: str | None = None) -> None:
        """Adds a row."""
        known = {row.name: row for row in self.rows if row.section == section}
        if not known:
            self._print(f"\n### {section}\n\n{_HEADER}")
        other = known[versus] if versus is not None else next(iter(known.values()), None)
        ratio = 1.0 if other is None else _rate(items, cost) / _rate(other.items, other.cost)
        self.rows.append(Row(section, name, items, cost, ratio))
        peak = "" if cost.peak_mb is None else f"{cost.peak_mb:,.0f}"
        rate = f"{_rounded(_rate(items, cost))} | {_rounded(ratio)}"
        self._print(f"| {name} | {rate} | {cost.cpu:.3f} | {cost.wall:.3f} | {peak} |")

    def save(self) -> None:
        """Writes JSON and Markdown if the environment variable BENCH_OUT names a folder."""
        folder = os.environ.get("BENCH_OUT")
        if not folder:
            return
        Path(folder).mkdir(parents=True, exist_ok=True)
        path = Path(folder) / Path(sys.argv[0]).stem
        content = {
            "title": self.title,
            "machine": machine(),
            "rows": [
                {**asdict(row), "items_per_cpu_second": _rate(row.items, row.cost)} for row in self.rows
            ],
        }
        with atomic_write(path.with_suffix(".json")) as handle:
            handle.write(json.dumps(content, indent=1, ensure_ascii=False) + "\n")
        with atomic_write(path.with_suffix(".md")) as handle:
            handle.write("\n".join(self.lines) + "\n")

    def _print(self, text: str) -> None:
        self.lines.append(text)
        print(text, flush=True)


def _rate(items: int, cost: Cost) -> float:
    """Items per second of processor time, which other processes on the machine hardly change."""
    return items / max(cost.cpu, 1e-9)


def _rounded(number: float) -> str:
    """The number without decimals from 100 up, otherwise with three digits."""
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"
