"""How far long work has come, told through ``logging``: loggers ``pfsm.*``, silent unless somebody listens.

    with Stage("scoring", "matching", total=8000, unit="pairs") as stage:
        stage.advance(2000)

The begin and the end of a stage are records of level INFO, all between them of level DEBUG. Every record carries the
stage (``record.stage``) and what happened to it (``record.event``). `shown_progress` draws a bar of tqdm from them on a
terminal, and elsewhere plain lines, if they are asked for. Standard output is never touched.
"""

import logging
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar, Token
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self, TextIO

if TYPE_CHECKING:
    from tqdm import tqdm

LOGGER = "pfsm"
# The logger of kernels, which know no other.
KERNELS = "pfsm.kernels"
BEGIN, ADVANCE, END = "begin", "advance", "end"
# Seconds between two drawings, and between two plain lines.
REDRAW, PAUSE = 0.05, 3.0
# Columns of a terminal that does not tell.
WIDTH = 120

logging.getLogger(LOGGER).addHandler(logging.NullHandler())
_open: ContextVar[tuple["Stage", ...]] = ContextVar("pfsm_stages", default=())


class Stage:
    """A part of long work.

    Args:
        area: Last part of the name of the logger.
        name: What is done, such as ``matching``.
        total: How many units there are; None: nobody knows.
        unit: What is counted, in the plural; empty if nothing is.
        patience: Seconds before it is worth a bar.

    Attributes:
        done: Units that are done.
        place: Which part of the stage it is at, for people.
        note: What is going on there.
        finished: Whether it has ended as it should.
    """

    def __init__(
        self, area: str, name: str, total: int | None = None, unit: str = "", patience: float = 0.0
    ) -> None:
        self.name, self.total, self.unit, self.patience = name, total, unit, patience
        self.done = 0
        self.place = self.note = ""
        self.finished = False
        self._logger = logging.getLogger(f"{LOGGER}.{area}")
        self._lock = threading.Lock()
        self._start = time.monotonic()
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
        self._start = time.monotonic()
        self._tell(logging.INFO, BEGIN)

    def advance(self, units: int = 1, note: str | None = None) -> None:
        """So many more units are done; from any thread."""
        with self._lock:
            self.done += units
        self._moved(note)

    def reach(self, done: int, note: str | None = None) -> None:
        """So many units are done in all."""
        self.done = done
        self._moved(note)

    def _moved(self, note: str | None) -> None:
        self.note = self.note if note is None else note
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
    def details(self) -> str:
        """Place and note."""
        return ", ".join(filter(None, (self.place, self.note)))

    def __str__(self) -> str:
        """All of it in a line: ``matching: 2,000 of 8,000 pairs``."""
        count = f"{self.done:,} {self.unit}" if self.unit and self.done else ""
        if self.total is not None:
            count = f"{self.done:,} of {self.total:,} {self.unit}"
        return f"{self.name}: {', '.join(filter(None, (count, self.details)))}".removesuffix(": ")

    def _tell(self, level: int, event: str) -> None:
        if self._logger.isEnabledFor(level):
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


class Lines(logging.Handler):
    """Plain lines: when a stage begins and ends, and every few seconds between."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__()
        self.stream = stream
        self.stages: list[Stage] = []
        self.shown = -PAUSE

    def emit(self, record: logging.LogRecord) -> None:
        """As in `logging.Handler`."""
        stage: Stage | None = getattr(record, "stage", None)
        event = str(getattr(record, "event", ""))
        try:
            if stage is None:
                if record.levelno >= logging.INFO:
                    self.line(f"pfsm: {record.getMessage()}")
                return
            if event == BEGIN:
                self.stages.append(stage)
            elif event == END and stage in self.stages:
                self.stages.remove(stage)
            self.change(stage, event, record.getMessage())
        except (OSError, ValueError):  # standard error is gone; the work goes on
            logging.getLogger(LOGGER).removeHandler(self)

    def change(self, stage: Stage, event: str, text: str) -> None:  # noqa: ARG002 - for bars
        """Something has happened to a stage."""
        now = time.monotonic()
        if event == ADVANCE:
            if now - self.shown < PAUSE:
                return
            text = "; ".join(map(str, self.stages))
        self.line(f"pfsm: {text}")
        self.shown = now

    def line(self, text: str) -> None:
        """A line of its own."""
        self.stream.write(f"{text}\n")
        self.stream.flush()


class Bar(Lines):
    """A bar for the outermost open stage that counts and moves; a finished one stays, an interrupted one goes."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__(stream)
        self.bar: tqdm[Any] | None = None
        self.drawn: Stage | None = None

    def change(self, stage: Stage, event: str, text: str) -> None:  # noqa: ARG002
        """See `Lines`."""
        if event == END and stage is self.drawn:
            # What had no length and nothing to tell leaves no line.
            self._drop(stays=stage.finished and bool(stage.total or stage.details))
        # One that has not moved yet cannot tell the time left; what is inside it can.
        counted = [one for one in self.stages if one.total]
        main = next((one for one in counted if one.done), next(iter(counted[-1:] or self.stages), None))
        now = time.monotonic()
        if main is None or main.elapsed < main.patience or (event != BEGIN and now - self.shown < REDRAW):
            return
        self.shown = now
        if main is not self.drawn:
            self._drop()
        if self.bar is None:
            self.bar, self.drawn = _bar(self.stream, main), main
        self._show(main, [main.details, *map(str, self.stages[self.stages.index(main) + 1 :])])

    def line(self, text: str) -> None:
        """See `Lines`; above the bar."""
        if self.bar is not None:
            self.bar.clear()
        super().line(text)
        if self.bar is not None:
            self.bar.refresh()

    def close(self) -> None:
        """Leaves nothing half drawn."""
        super().close()
        self._drop()

    def _show(self, stage: Stage, notes: list[str]) -> None:
        if self.bar is not None:
            self.bar.total, self.bar.n = stage.total, stage.done
            self.bar.set_postfix_str(", ".join(filter(None, notes)), refresh=False)
            self.bar.refresh()

    def _drop(self, *, stays: bool = False) -> None:
        """Ends the bar, which leaves no trace unless it stays."""
        if self.bar is not None and self.drawn is not None:
            if stays:
                self._show(self.drawn, [self.drawn.details])
            self.bar.leave = stays
            self.bar.close()
            self.bar = self.drawn = None


def _bar(stream: TextIO, stage: Stage) -> "tqdm[Any]":
    from tqdm import tqdm  # noqa: PLC0415 - most commands need none

    # No thread that watches the bar, no lock shared with other processes.
    tqdm.monitor_interval = 0
    tqdm.set_lock(threading.RLock())
    form = "{desc}: {n_fmt} {unit} [{elapsed}{postfix}]" if stage.unit else "{desc} [{elapsed}{postfix}]"
    if stage.total is not None:
        form = "{desc}: {percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt} {unit} [{elapsed}<{remaining}{postfix}]"
    try:  # some containers' terminals do not know their width
        known = os.get_terminal_size(stream.fileno()).columns > 0
    except (OSError, ValueError):
        known = False
    size: dict[str, Any] = {"dynamic_ncols": True} if known else {"ncols": WIDTH, "nrows": 24}
    bar: tqdm[Any] = tqdm(
        desc=stage.name,
        total=stage.total,
        unit=stage.unit,
        file=stream,
        bar_format=form,
        mininterval=0.0,
        **size,
    )
    bar.start_t -= stage.elapsed
    return bar


_displays: list[Lines] = []


@contextmanager
def shown_progress(*, verbose: bool = False, quiet: bool = False) -> Iterator[None]:
    """Shows progress as long as the block lasts: a bar on a terminal, with ``verbose`` plain lines elsewhere."""
    stream = sys.stderr
    terminal = stream is not None and stream.isatty() and not quiet
    if stream is None or not (terminal or verbose):
        yield
        return
    display = Bar(stream) if terminal else Lines(stream)
    _displays.append(display)
    try:
        # The user's own handlers are for programs.
        with _told_to(display, LOGGER, logging.DEBUG, propagate=False):
            yield
    finally:
        _displays.remove(display)
        display.close()


@contextmanager
def _told_to(handler: logging.Handler, name: str, level: int, *, propagate: bool) -> Iterator[None]:
    """A handler of a logger as long as the block lasts."""
    logger = logging.getLogger(name)
    before, passed_on = logger.level, logger.propagate
    logger.setLevel(level)
    logger.propagate = propagate
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before)
        logger.propagate = passed_on


class _KernelLines(logging.Handler):
    """What kernels have to say, where no progress is shown."""

    def emit(self, record: logging.LogRecord) -> None:
        if not _displays and sys.stderr is not None:
            with suppress(OSError, ValueError):  # standard error is gone; the work goes on
                error_line(f"pfsm: {record.getMessage()}")


@contextmanager
def shown_compiling(*, quiet: bool = False) -> Iterator[None]:
    """Says that kernels are being compiled, on a terminal or not, before the wait, as long as the block lasts."""
    handler = logging.NullHandler() if quiet else _KernelLines()
    with _told_to(handler, KERNELS, logging.INFO, propagate=bool(_displays)):
        yield


def silent() -> None:
    """From now on this process, which was forked from one that shows progress, leaves standard error to that one."""
    _displays.clear()
    for name in (LOGGER, KERNELS):
        logging.getLogger(name).handlers = [logging.NullHandler()]


def error_line(text: str) -> None:
    """A line on standard error, above the bar if there is one."""
    if _displays:
        _displays[-1].line(text)
    else:
        print(text, file=sys.stderr)  # noqa: T201 - a message of the command line
