"""Whether this process may be forked (`pfsm.runtime.forked`), and locks that a fork leaves in order."""

import contextlib
import os
import sys
import threading
from collections.abc import Iterator
from contextvars import ContextVar
from functools import cached_property
from typing import Any, Protocol, TypeVar
from weakref import WeakSet

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


# A thread that holds one waits for this long at most for the next.
_PATIENCE = 10.0
_Lock = TypeVar("_Lock", bound="_HasLock")
_locks: "dict[int, WeakSet[Any]]" = {}
_held: list[Any] = []


class _HasLock(Protocol):
    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool: ...

    def release(self) -> None: ...


def fork_safe(lock: _Lock, level: int = 0) -> _Lock:
    """The lock, which is taken before this process forks and given back in both processes.

    So no child has what another thread of its parent was changing, or a lock that nobody gives back.

    Args:
        lock: A new lock.
        level: Locks that are taken while others are held have a higher one.
    """
    _locks.setdefault(level, WeakSet()).add(lock)
    return lock


def _take_all() -> None:
    for level in sorted(_locks):
        _held.extend(lock for lock in list(_locks[level]) if lock.acquire(timeout=_PATIENCE))


def _give_back() -> None:
    while _held:
        _held.pop().release()


def _in_child() -> None:
    _give_back()
    if sys.version_info >= (3, 12):
        return
    # Until Python 3.12 every cached property has a lock of its own, which another thread may have held.
    for name, module in list(sys.modules.items()):
        if name.startswith("pfsm"):
            classes = [one for one in vars(module).values() if isinstance(one, type)]
            for found in (value for one in classes for value in vars(one).values()):
                if isinstance(found, cached_property):
                    vars(found)["lock"] = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_take_all, after_in_parent=_give_back, after_in_child=_in_child)
