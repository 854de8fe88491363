"""How far long work has come, told through ``logging``: loggers ``pfsm.*``, silent unless somebody listens.

    with Stage("scoring", "matching", total=8000, unit="pairs") as stage:
        stage.advance(2000)

The begin and the end of a stage are records of level INFO, all between them of level DEBUG. Every record carries the
stage (``record.stage``) and what happened to it (``record.event``), from which the command line draws a bar
(`pfsm.runtime.progress_display`).
"""

import logging
import threading
import time
from contextvars import ContextVar, Token
from types import TracebackType
from typing import Literal, Self

LOGGER = "pfsm"
BEGIN, ADVANCE, END = "begin", "advance", "end"
# Seconds that a stage must have taken before the time left is more than a guess.
FIRST_GUESS = 1.0

logging.getLogger(LOGGER).addHandler(logging.NullHandler())
_open: ContextVar[tuple["Stage", ...]] = ContextVar("pfsm_stages", default=())


class Stage:
    """A part of long work.

    Args:
        area: Last part of the name of the logger.
        name: What is done, such as ``matching``.
        total: How many units there are; None: nobody knows.
        unit: What is counted, in the plural; empty if nothing is.
        typical: So many units together take a time that is typical for all. The time left is told from whole groups of
            them, the first of which does not count: kernels are compiled in it, and caches filled.
        patience: Seconds before it is worth a bar.

    Attributes:
        done: Units that are done.
        place: Which part of the stage it is at, for people.
        note: What is going on there.
        finished: Whether it has ended as it should.
    """

    def __init__(
        self,
        area: str,
        name: str,
        total: int | None = None,
        unit: str = "",
        typical: int = 1,
        patience: float = 0.0,
    ) -> None:
        self.name = name
        self.total = total
        self.unit = unit
        self.patience = patience
        self.done = 0
        self.place = self.note = ""
        self.finished = False
        self._typical = typical
        self._groups = self._groups_first = 0
        self._logger = logging.getLogger(f"{LOGGER}.{area}")
        self._lock = threading.Lock()
        self._start = self._first = self._last = time.monotonic()
        self._token: Token[tuple[Stage, ...]] | None = None

    def __enter__(self) -> Self:
        self.begin()
        self._token = _open.set((*_open.get(), self))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> Literal[False]:
        if self._token is not None:
            _open.reset(self._token)
        self.end(finished=kind is None)
        return False

    def begin(self) -> None:
        """Starts the clock; ``with`` does it."""
        self._start = self._first = self._last = time.monotonic()
        self._tell(logging.INFO, BEGIN)

    def advance(self, units: int = 1, note: str | None = None) -> None:
        """So many more units are done; from any thread."""
        self.reach(self.done + units, note, more=units)

    def reach(self, done: int, note: str | None = None, *, more: int | None = None) -> None:
        """So many units are done in all."""
        with self._lock:
            self.done = done if more is None else self.done + more
            if note is not None:
                self.note = note
            groups = self.done // self._typical
            if groups > self._groups:
                self._last = time.monotonic()
                if not self._groups:
                    self._first, self._groups_first = self._last, groups
                self._groups = groups
        self._tell(logging.DEBUG, ADVANCE)

    def end(self, *, finished: bool = True) -> None:
        """Stops the clock; ``with`` does it. An unfinished stage was interrupted, or failed."""
        self.finished = finished
        if finished and self.total is not None:
            self.done = self.total
        self._tell(logging.INFO if finished else logging.DEBUG, END)

    @property
    def elapsed(self) -> float:
        """Seconds since the stage began."""
        return time.monotonic() - self._start

    @property
    def left(self) -> float | None:
        """Seconds that are probably left; None while nobody knows."""
        groups = self._groups - self._groups_first
        if not self.total or not groups or self.done >= self.total or self.elapsed < FIRST_GUESS:
            return None
        each = (self._last - self._first) / groups
        there = self._last + each * (self.total / self._typical - self._groups)
        return max(0.0, there - time.monotonic())

    @property
    def count(self) -> str:
        """``2,000 of 8,000 pairs``; empty if nothing is counted."""
        if self.total is None:
            return f"{self.done:,} {self.unit}" if self.unit and self.done else ""
        return f"{self.done:,} of {self.total:,} {self.unit}"

    @property
    def details(self) -> str:
        """Place and note."""
        return ", ".join(filter(None, (self.place, self.note)))

    def __str__(self) -> str:
        """All of it in a line."""
        left = self.left
        parts = [
            self.count,
            self.details,
            f"{clock(self.elapsed)} so far" if left is not None else "",
            f"about {clock(left)} left" if left is not None else "",
        ]
        return f"{self.name}: {', '.join(filter(None, parts))}".removesuffix(": ")

    def _tell(self, level: int, event: str) -> None:
        if not self._logger.isEnabledFor(level):
            return
        text = str(self) if event != END else f"{self}, {clock(self.elapsed)}"
        self._logger.log(level, "%s", text, extra={"stage": self, "event": event})


def note(text: str) -> None:
    """Says what is going on in the innermost stage that is open; without one, nothing."""
    stages = _open.get()
    if stages:
        stages[-1].advance(0, text)


def clock(seconds: float) -> str:
    """A time for people: ``0.4 s``, ``12 s``, ``3:05 min``, ``1:02:03 h``."""
    if seconds < 10.0:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d} h" if hours else f"{minutes}:{rest:02d} min"
