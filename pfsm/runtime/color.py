"""Colours of text on a terminal; elsewhere text stays as it is."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

AUTO, ALWAYS, NEVER = CHOICES = ("auto", "always", "never")
GOOD, BAD, DOUBTFUL, FAINT, STRONG = "32", "31", "33", "2", "1"
_on: ContextVar[bool] = ContextVar("pfsm_color", default=False)


def painted(text: str, style: str) -> str:
    """The text in a style, where `colored` has switched colours on; pad it before, since the codes have a length."""
    return f"\x1b[{style}m{text}\x1b[0m" if text and style and _on.get() else text


def significance(text: str, p_value: float | None, difference: float = 1.0) -> str:
    """What tells a difference: good or bad where p < .05, else faint."""
    if p_value is None or not p_value < 0.05:
        return painted(text, FAINT)
    return painted(text, GOOD if difference > 0.0 else BAD)


@contextmanager
def colored(choice: str = AUTO) -> Iterator[None]:
    """Colours as long as the block lasts: ``auto`` where standard output is a terminal, unless NO_COLOR is set."""
    terminal = sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    token = _on.set(choice == ALWAYS or (choice == AUTO and terminal))
    try:
        yield
    finally:
        _on.reset(token)
