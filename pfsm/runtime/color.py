"""What people read on a terminal: colours of ours, and no control character or escape of a text, a name or a path."""

import os
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TextIO, cast

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
