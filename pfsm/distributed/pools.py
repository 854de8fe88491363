"""Where tasks run: in this process, or on a Dask cluster. Results come as they are ready, in any order.

How far a job has come, and what it took in the end, in a line.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from pfsm.distributed import need_packages
from pfsm.runtime.progress import Stage

Item = TypeVar("Item")
Result = TypeVar("Result")


class Pool(Protocol):
    """Runs pure functions of picklable arguments."""

    @property
    def retries(self) -> int:
        """Tasks that had to start again so far because their worker was gone."""

    def run(self, work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """The results of all items as they are ready; of the items few are held at a time."""


class InProcess:
    """Runs one task after the other, here."""

    retries = 0

    def run(self, work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """As `Pool.run`."""
        return map(work, items)


@contextmanager
def open_pool(scheduler: str | None) -> Iterator[Pool]:
    """The cluster at a scheduler's address, one of this machine's own (``local:N``), or this process (None)."""
    if scheduler is None:
        yield InProcess()
        return
    need_packages()
    from pfsm.distributed.cluster import open_cluster  # noqa: PLC0415 - brings Dask

    with open_cluster(scheduler) as cluster:
        yield cluster


@dataclass(eq=False)
class Report:
    """Counts of a job, in partitions or another unit: those done now, and found done by an earlier run.

    Attributes:
        parts: How many there are; None while that is not known.
        seconds: Of processors, on the pairs worked on.
        retries: Attempts after a failure of storage.
    """

    pool: Pool
    unit: str = "partitions"
    parts: int | None = None
    done: int = 0
    found: int = 0
    pairs: int = 0
    seconds: float = 0.0
    bytes_in: int = 0
    bytes_out: int = 0
    retries: int = 0
    _start: float = field(default_factory=time.monotonic)
    _stage: Stage | None = None

    def add(
        self, pairs: int, seconds: float, bytes_in: int = 0, bytes_out: int = 0, retries: int = 0
    ) -> None:
        """Counts a finished partition, and tells how far things are."""
        self.done += 1
        self.pairs += pairs
        self.seconds += seconds
        self.bytes_in += bytes_in
        self.bytes_out += bytes_out
        self.retries += retries
        if self._stage is None:
            self._stage = Stage("distributed", self.unit, unit=self.unit)
            self._stage.begin()
        self._stage.total = self.parts
        self._stage.reach(self.done + self.found, self._rates())

    def summary(self) -> str:
        """All of it in a line; the job has ended."""
        if self._stage is not None:
            self._stage.end()
            self._stage = None
        elapsed = time.monotonic() - self._start
        there = f" ({self.found:,} there already)" if self.found else ""
        retries = self.retries + self.pool.retries
        return (
            f"{self._rates()}; {self.done + self.found:,} {self.unit}{there}, {elapsed:.1f} s; "
            f"{readable(self.bytes_in)} in, {readable(self.bytes_out)} out; "
            f"{retries:,} {'retry' if retries == 1 else 'retries'}"
        )

    def _rates(self) -> str:
        rate = f"{self.pairs / self.seconds:,.0f}" if self.seconds > 0.0 else "no"
        return f"{self.pairs:,} pairs, {rate} pairs a second and core"


def readable(size: float) -> str:
    """A number of bytes: ``512 B``, ``3.4 MB``."""
    for unit in ("B", "kB", "MB", "GB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} TB"
