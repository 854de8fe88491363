"""Progress on standard error: a bar on a terminal; elsewhere plain lines, where they are asked for; otherwise nothing.

Both are handlers of the logger ``pfsm`` (`pfsm.runtime.progress`). Standard output is never touched.
"""

import logging
import os
import signal
import sys
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TextIO

from pfsm.runtime.progress import BEGIN, END, LOGGER, Stage, clock

if TYPE_CHECKING:
    from tqdm import tqdm

# Seconds between two drawings, between two plain lines, and between two looks at the clock.
REDRAW, PAUSE, TICK = 0.05, 3.0, 0.5
# The logger of kernels, which know no other.
KERNELS = "pfsm.kernels"
# Columns of a terminal that does not tell.
WIDTH = 120


class _Display(logging.Handler, ABC):
    """Shows the outermost open stage, with what is going on in those inside it."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__()
        self.stream = stream
        self.stages: list[Stage] = []
        self.shown = -PAUSE
        self._stopped = threading.Event()
        self._ticker: threading.Thread | None = None

    def emit(self, record: logging.LogRecord) -> None:
        stage: Stage | None = getattr(record, "stage", None)
        try:
            if stage is None:
                if record.levelno >= logging.INFO:
                    self.line(f"pfsm: {record.getMessage()}")
            else:
                if self._ticker is None:
                    self._ticker = threading.Thread(target=self._tick, name="pfsm-progress", daemon=True)
                    self._ticker.start()
                self.change(stage, str(getattr(record, "event", "")), record.getMessage())
        except (OSError, ValueError):  # standard error is gone; the work goes on
            logging.getLogger(LOGGER).removeHandler(self)

    @abstractmethod
    def change(self, stage: Stage, event: str, text: str) -> None:
        """Something has happened to a stage."""

    @abstractmethod
    def refresh(self) -> None:
        """Time has passed; shows what is going on, if it is due."""

    def line(self, text: str) -> None:
        """A line of its own."""
        self.stream.write(f"{text}\n")
        self.stream.flush()

    def close(self) -> None:
        """Leaves nothing half drawn."""
        self._stopped.set()
        if self._ticker is not None:
            self._ticker.join()
        super().close()

    def _tick(self) -> None:
        """Keeps the clock going while nothing happens."""
        if hasattr(signal, "pthread_sigmask"):
            # Ctrl-C is for the main thread, which may hold it back.
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        while not self._stopped.wait(TICK):
            with self.lock or threading.Lock():
                try:
                    self.refresh()
                except (OSError, ValueError):
                    return


class Lines(_Display):
    """Plain lines: when a stage begins and ends, and every few seconds between."""

    def change(self, stage: Stage, event: str, text: str) -> None:
        """See `_Display`."""
        now = time.monotonic()
        if event == BEGIN:
            self.stages.append(stage)
            self.line(f"pfsm: {text}")
        elif event == END:
            if stage in self.stages:
                self.stages.remove(stage)
            self.line(f"pfsm: {text}")
        else:
            self.refresh()
            return
        self.shown = now

    def refresh(self) -> None:
        """See `_Display`."""
        now = time.monotonic()
        if self.stages and now - self.shown >= PAUSE:
            self.line(f"pfsm: {'; '.join(map(str, self.stages))}")
            self.shown = now


class Bar(_Display):
    """A bar of tqdm, redrawn in place; a finished one stays, an interrupted one goes."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__(stream)
        self.bar: tqdm[Any] | None = None
        self.drawn: Stage | None = None

    def change(self, stage: Stage, event: str, text: str) -> None:  # noqa: ARG002
        """See `_Display`."""
        if event == BEGIN:
            self.stages.append(stage)
        elif event == END and stage in self.stages:
            self.stages.remove(stage)
            if stage is self.drawn:
                self._finish(stage)
        if self.stages:
            self._draw(self._main(), always=event == BEGIN)

    def refresh(self) -> None:
        """See `_Display`."""
        if self.stages:
            self._draw(self._main())

    def line(self, text: str) -> None:
        """See `_Display`; above the bar."""
        if self.bar is not None:
            self.bar.clear()
        super().line(text)
        if self.bar is not None:
            self.bar.refresh()

    def close(self) -> None:
        """See `_Display`."""
        super().close()
        self._drop()

    def _main(self) -> Stage:
        """The outermost stage whose length is known; if there is none, the outermost."""
        return next((stage for stage in self.stages if stage.total), self.stages[0])

    def _draw(self, main: Stage, *, always: bool = False) -> None:
        now = time.monotonic()
        if main.elapsed < main.patience or (not always and now - self.shown < REDRAW):
            return
        self.shown = now
        if main is not self.drawn:
            self._drop()
        if self.bar is None:
            self.bar, self.drawn = _bar(self.stream, main), main
        inner = [str(stage) for stage in self.stages[self.stages.index(main) + 1 :]]
        left = "" if main.left is None else f"about {clock(main.left)} left"
        _show(self.bar, main, [left, main.details, *inner])

    def _finish(self, stage: Stage) -> None:
        # What had no length and nothing to tell leaves no line.
        if self.bar is not None and stage.finished and (stage.total or stage.details):
            _show(self.bar, stage, [stage.details])
            self.bar.close()
            self.bar = self.drawn = None
        self._drop()

    def _drop(self) -> None:
        """Leaves no trace of a bar."""
        if self.bar is not None:
            self.bar.leave = False
            self.bar.close()
            self.bar = self.drawn = None


def _bar(stream: TextIO, stage: Stage) -> "tqdm[Any]":
    from tqdm import tqdm  # noqa: PLC0415 - most commands need none

    # No thread that watches the bar, no lock shared with other processes.
    tqdm.monitor_interval = 0
    tqdm.set_lock(threading.RLock())
    bar: tqdm[Any] = tqdm(
        desc=stage.name,
        total=stage.total,
        unit=stage.unit,
        file=stream,
        **_size(stream),
        bar_format=_format(stage),
        mininterval=0.0,
    )
    bar.start_t -= stage.elapsed
    return bar


def _size(stream: TextIO) -> dict[str, Any]:
    """The width follows the terminal's; one that does not know its own, as in some containers, gets a usual one."""
    try:
        known = os.get_terminal_size(stream.fileno()).columns > 0
    except (OSError, ValueError):
        known = False
    return {"dynamic_ncols": True} if known else {"ncols": WIDTH, "nrows": 24}


def _format(stage: Stage) -> str:
    """Without a total there is no bar; the time left is ours, tqdm's is a guess from the beginning on."""
    if stage.total is not None:
        return "{desc}: {percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt} {unit} [{elapsed}{postfix}]"
    return "{desc}: {n_fmt} {unit} [{elapsed}{postfix}]" if stage.unit else "{desc} [{elapsed}{postfix}]"


def _show(bar: "tqdm[Any]", stage: Stage, notes: list[str]) -> None:
    bar.total, bar.n = stage.total, stage.done
    bar.set_postfix_str(", ".join(filter(None, notes)), refresh=False)
    bar.refresh()


_displays: list[_Display] = []


@contextmanager
def shown_progress(*, verbose: bool = False, quiet: bool = False) -> Iterator[None]:
    """Shows progress as long as the block lasts: a bar on a terminal, with ``verbose`` plain lines elsewhere."""
    stream = sys.stderr
    terminal = stream is not None and stream.isatty() and not quiet
    if stream is None or not (terminal or verbose):
        yield
        return
    display = Bar(stream) if terminal else Lines(stream)
    logger = logging.getLogger(LOGGER)
    before, passed_on = logger.level, logger.propagate
    logger.setLevel(logging.DEBUG)
    logger.propagate = False  # the user's own handlers are for programs
    logger.addHandler(display)
    _displays.append(display)
    try:
        yield
    finally:
        _displays.remove(display)
        logger.removeHandler(display)
        logger.setLevel(before)
        logger.propagate = passed_on
        display.close()


class _KernelLines(logging.Handler):
    """What kernels have to say, where no progress is shown."""

    def emit(self, record: logging.LogRecord) -> None:
        if not _displays and sys.stderr is not None:
            with suppress(OSError, ValueError):  # standard error is gone; the work goes on
                error_line(f"pfsm: {record.getMessage()}")


@contextmanager
def shown_compiling(*, quiet: bool = False) -> Iterator[None]:
    """Says that kernels are being compiled, on a terminal or not, before the wait, as long as the block lasts."""
    logger = logging.getLogger(KERNELS)
    before, passed_on = logger.level, logger.propagate
    handler = logging.NullHandler() if quiet else _KernelLines()
    logger.setLevel(logging.INFO)
    logger.propagate = bool(_displays)
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before)
        logger.propagate = passed_on


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
