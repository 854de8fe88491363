"""Timing for the benchmarks: medians of several runs after a warm-up, and tables of them with the machine.

Measured are wall-clock time, processor time, which other processes on the machine hardly change, and peak memory: of
work in this process (``cost``), or of a command in a process of its own (``cost_of_command``).
"""

import json
import os
import platform
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, astuple, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

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
    # Resets the peak of resident memory, where the system supports that.
    clear = Path("/proc/self/clear_refs")
    if clear.exists():
        clear.write_text("5", encoding="ascii")
    for _ in range(runs):
        wall, cpu = time.perf_counter(), time.process_time()
        work()
        walls.append(time.perf_counter() - wall)
        cpus.append(time.process_time() - cpu)
    peak = None
    if clear.exists():
        status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
        peak = int(re.findall(r"VmHWM:\s+(\d+)", status)[0]) / 1024.0
    return Cost(statistics.median(walls), statistics.median(cpus), peak)


def cost_of_command(command: Sequence[str], runs: int, warm_up: bool = True) -> Cost:
    """The same for a command, run in a fresh process each time; its output is discarded."""
    samples = [run_command(command)[0] for _ in range(runs + warm_up)][warm_up:]
    return Cost(*map(statistics.median, zip(*map(astuple, samples), strict=True)))


def run_command(command: Sequence[str], **options: Any) -> tuple[Cost, str]:
    """The cost of one run of a command, and what it prints; ``options`` are those of `subprocess.Popen`.

    Raises:
        subprocess.CalledProcessError: If the command fails.
    """
    start = time.perf_counter()
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.DEVNULL, **options)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise subprocess.CalledProcessError(process.returncode, list(command))
        output.seek(0)
        printed = output.read().decode()
    return Cost(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024.0), printed


def machine() -> str:
    """Processor, number of cores that this process may use, and versions."""
    info = Path("/proc/cpuinfo")
    names = re.findall(r"model name\s*: (.*)", info.read_text(encoding="utf-8") if info.exists() else "")
    model = names[0] if names else platform.processor() or platform.machine()
    packages = " ".join(f"{name} {version(name)}" for name in ("pfsm-metric", "numba", "numpy"))
    return f"{model}, {len(os.sched_getaffinity(0))} core(s), Python {platform.python_version()}, {packages}"


def one_core() -> None:
    """Restricts this process and its children to one core."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


@dataclass(frozen=True)
class Row:
    """A measurement in a table, and its items a second beside those of the first row there."""

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

    def add(self, section: str, name: str, items: int, cost: Cost) -> None:
        """Adds a row."""
        other = next((row for row in self.rows if row.section == section), None)
        if other is None:
            self._print(f"\n### {section}\n\n{_HEADER}")
        ratio = 1.0 if other is None else _rate(items, cost) / _rate(other.items, other.cost)
        self.rows.append(Row(section, name, items, cost, ratio))
        peak = "" if cost.peak_mb is None else f"{cost.peak_mb:,.0f}"
        rate = f"{rounded(_rate(items, cost))} | {rounded(ratio)}"
        self._print(f"| {name} | {rate} | {cost.cpu:.3f} | {cost.wall:.3f} | {peak} |")

    def save(self) -> None:
        """Writes JSON and Markdown if the environment variable BENCH_OUT names a folder."""
        if not os.environ.get("BENCH_OUT"):
            return
        stem = Path(sys.argv[0]).stem
        path = Path(os.environ["BENCH_OUT"]) / (sys.argv[1] if stem == "parts" else stem)
        path.parent.mkdir(parents=True, exist_ok=True)
        rows = [{**asdict(row), "items_per_cpu_second": _rate(row.items, row.cost)} for row in self.rows]
        content = {"title": self.title, "machine": machine(), "rows": rows}
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


def rounded(number: float) -> str:
    """The number without decimals from 100 up, otherwise with three digits."""
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"
