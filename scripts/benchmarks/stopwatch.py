"""Timing for the benchmarks: medians of several runs after a warm-up, and what machine it was."""

import os
import platform
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path


@dataclass(frozen=True)
class Timing:
    """Wall seconds of several runs."""

    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        """The one to quote."""
        return statistics.median(self.seconds)

    def __str__(self) -> str:
        return f"median {self.median:.3f} s (min {min(self.seconds):.3f}, max {max(self.seconds):.3f})"


def timed(work: Callable[[], object], runs: int) -> Timing:
    """Runs once to warm up (compiled kernels, file cache), then times ``runs`` runs."""
    work()
    seconds = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return Timing(tuple(seconds))


def machine() -> str:
    """Processor, cores this process may use, and versions."""
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [
            line.partition(":")[2].strip() for line in info.read_text().splitlines() if "model name" in line
        ]
        model = names[0] if names else model
    packages = " ".join(f"{name} {version(name)}" for name in ("pfsm", "numba", "numpy"))
    return f"{model}, {len(os.sched_getaffinity(0))} core(s), Python {platform.python_version()}, {packages}"


def one_core() -> None:
    """Keeps this process, and what it starts, on one core."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
