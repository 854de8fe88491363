"""How far a job has come, and what it took in the end, in a line."""

import time
from dataclasses import dataclass, field

from pfsm.distributed.pools import Pool
from pfsm.runtime.progress import Stage


@dataclass(eq=False)
class Report:
    """Counts of a job.

    Attributes:
        pool: Where it runs.
        unit: What is counted, in the plural.
        parts: Partitions there are; None while that is not known.
        done: Partitions that are finished now.
        found: Partitions that an earlier run had finished.
        pairs: Pairs worked on.
        seconds: Of processors, on them.
        bytes_in: Bytes of content read.
        bytes_out: Bytes written.
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
        self._told()

    def _told(self) -> None:
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
