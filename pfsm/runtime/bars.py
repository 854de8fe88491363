"""Displays of how far long work has come (`pfsm.runtime.terminal`): a bar of tqdm on a terminal, else plain lines."""

import logging
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO

from pfsm.runtime.terminal import ADVANCE, BEGIN, END, LOGGER, Stage, VisibleText, displays, told_to, visible

if TYPE_CHECKING:
    from tqdm import tqdm

# Seconds between two drawings, and between two plain lines.
REDRAW, PAUSE = 0.05, 3.0
# Columns of a terminal that does not tell.
WIDTH = 120


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
        self.stream.write(f"{visible(text)}\n")
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
            self.bar.set_postfix_str(", ".join(filter(None, map(visible, notes))), refresh=False)
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
        desc=visible(stage.name),
        total=stage.total,
        unit=stage.unit,
        file=stream,
        bar_format=form,
        mininterval=0.0,
        **size,
    )
    bar.start_t -= stage.elapsed
    return bar


@contextmanager
def shown_progress(*, verbose: bool = False, quiet: bool = False) -> Iterator[None]:
    """Shows progress as long as the block lasts: a bar on a terminal, with ``verbose`` plain lines elsewhere."""
    stream = sys.stderr.raw if isinstance(sys.stderr, VisibleText) else sys.stderr
    terminal = stream is not None and stream.isatty() and not quiet
    if stream is None or not (terminal or verbose):
        yield
        return
    display = Bar(stream) if terminal else Lines(stream)
    displays.append(display)
    try:
        # The user's own handlers are for programs.
        with told_to(display, LOGGER, logging.DEBUG, propagate=False):
            yield
    finally:
        displays.remove(display)
        display.close()
