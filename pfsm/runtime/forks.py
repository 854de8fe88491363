"""Whether this process may be forked (`pfsm.runtime.forked`)."""

import contextlib
import sys
import threading
from collections.abc import Iterator
from contextvars import ContextVar

# Packages whose threads do not survive a fork.
THREADED = frozenset({"onnxruntime", "torch"})
# The names of our own threads begin so; they hold no lock that a forked process needs.
OURS = "pfsm-"

_allowed: ContextVar[bool] = ContextVar("pfsm_forks", default=False)


@contextlib.contextmanager
def forks() -> Iterator[None]:
    """In the block, this thread may fork: it works for a command that scores files."""
    token = _allowed.set(True)
    try:
        yield
    finally:
        _allowed.reset(token)


def may_fork() -> bool:
    """Whether this thread may fork, on this system and with what is loaded and running."""
    if not _allowed.get() or sys.platform != "linux" or not THREADED.isdisjoint(sys.modules):
        return False
    here = threading.current_thread()
    if here is not threading.main_thread():
        return False
    if any(one is not here and not one.name.startswith(OURS) for one in threading.enumerate()):
        return False
    from multiprocessing import parent_process  # noqa: PLC0415 - what starts commands imports this module

    return parent_process() is None
