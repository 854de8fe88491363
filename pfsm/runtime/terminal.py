"""What a terminal shows: how far long work has come, our colours, and no control character of a text or a name.

Progress is told through ``logging``: loggers ``pfsm.*``, silent unless somebody listens.

    with Stage("scoring", "matching", total=8000, unit="pairs") as stage:
        stage.advance(2000)

The begin and the end of a stage are records of level INFO, all between them of level DEBUG. Every record carries the
stage (``record.stage``) and what happened to it (``record.event``). `pfsm.runtime.bars` draws a bar from them on a
terminal, and elsewhere plain lines, if they are asked for. Standard output is never touched.
"""

import logging
import os
import re
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar, Token
from types import TracebackType
from typing import Any, Literal, Protocol, Self, TextIO, cast

LOGGER = "pfsm"
# The logger of kernels, which know no other.
KERNELS = "pfsm.kernels"
BEGIN, ADVANCE, END = "begin", "advance", "end"

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


class Display(Protocol):
    """What shows progress on standard error (`pfsm.runtime.bars`)."""

    def line(self, text: str) -> None:
        """Print a line of its own."""


# Where lines on standard error go, the last one first.
displays: "list[Display]" = []


@contextmanager
def told_to(handler: logging.Handler, name: str, level: int, *, propagate: bool) -> Iterator[None]:
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
        if not displays and sys.stderr is not None:
            with suppress(OSError, ValueError):  # standard error is gone; the work goes on
                error_line(f"pfsm: {record.getMessage()}")


@contextmanager
def shown_compiling(*, quiet: bool = False) -> Iterator[None]:
    """Says that kernels are being compiled, on a terminal or not, before the wait, as long as the block lasts."""
    handler = logging.NullHandler() if quiet else _KernelLines()
    with told_to(handler, KERNELS, logging.INFO, propagate=bool(displays)):
        yield


def silent() -> None:
    """From now on this process, which was forked from one that shows progress, leaves standard error to that one."""
    displays.clear()
    for name in (LOGGER, KERNELS):
        logging.getLogger(name).handlers = [logging.NullHandler()]


def error_line(text: str) -> None:
    """A line on standard error, above the bar if there is one."""
    if displays:
        displays[-1].line(text)
    else:
        print(text, file=sys.stderr)  # noqa: T201 - a message of the command line


AUTO, ALWAYS, NEVER = CHOICES = ("auto", "always", "never")
GOOD, BAD, DOUBTFUL, FAINT, STRONG = "32", "31", "33", "2", "1"
_on: ContextVar[bool] = ContextVar("pfsm_color", default=False)
# What a terminal may act on, but for tabs and line ends.
_CONTROL = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")
# A style stands between two code points that no text has, until it is written: escapes of texts are none of ours.
_STYLE = re.compile("\ufdd0([0-9]+)\ufdd1")


def visible(text: str) -> str:
    """Return the text with control characters and escapes written as Python writes them; tabs and line ends stay."""
    return text if text.isprintable() else _CONTROL.sub(lambda sign: ascii(sign[0])[1:-1], text)


class VisibleText:
    """A stream for people: text is written `visible`, with our colours; ``raw`` takes what is not text."""

    def __init__(self, raw: TextIO) -> None:
        self.raw = raw
        self.closed = False

    def write(self, text: str) -> int:
        """Write the text."""
        self.raw.write(_STYLE.sub("\x1b[\\1m", visible(text)))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write the lines."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.raw, name)


@contextmanager
def visible_errors() -> Iterator[None]:
    """Write everything on standard error as `VisibleText`, as long as the block lasts."""
    before = sys.stderr
    if before is not None:
        sys.stderr = cast("TextIO", VisibleText(before))
    try:
        yield
    finally:
        _end(sys.stderr)
        sys.stderr = before


def _end(stream: TextIO) -> None:
    """Close the stream, but not what it writes to: colorama, which Numba starts, resets open ones at the end."""
    if isinstance(stream, VisibleText):
        stream.closed = True


def painted(text: str, style: str) -> str:
    """The text in a style, where `colored` has switched colours on; pad it before, since the codes have a length."""
    return f"\ufdd0{style}\ufdd1{text}\ufdd00\ufdd1" if text and style and _on.get() else text


def significance(text: str, p_value: float | None, difference: float = 1.0) -> str:
    """What tells a difference: good or bad where p < .05, else faint."""
    if p_value is None or not p_value < 0.05:
        return painted(text, FAINT)
    return painted(text, GOOD if difference > 0.0 else BAD)


@contextmanager
def colored(choice: str = AUTO) -> Iterator[None]:
    """Colours as long as the block lasts: ``auto`` where standard output is a terminal, unless NO_COLOR is set.

    There, and where colours are on, standard output is `VisibleText`; elsewhere data go out as they are.
    """
    before, terminal = sys.stdout, sys.stdout.isatty()
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    token = _on.set(choice == ALWAYS or (choice == AUTO and terminal and not plain))
    if terminal or _on.get():
        sys.stdout = cast("TextIO", VisibleText(before))
    try:
        yield
    finally:
        _end(sys.stdout)
        sys.stdout = before
        _on.reset(token)
