"""Timing for the benchmarks: medians of several runs after a warm-up, and a description of the machine.

Measured are wall-clock time, processor time, which other processes on the machine hardly change, and peak memory: of
work in this process (``cost``), or of a command in a process of its own (``cost_of_command``).
"""

import os
import platform
import statistics
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path


@dataclass(frozen=True)
class Cost:
    """Medians of several runs.

    Attributes:
        wall: Wall-clock time in seconds.
        cpu: Processor time of all threads and processes in seconds.
        peak_mb: Peak resident memory of the process in megabytes; None if it was not measured.
    """

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
