"""The running process: what Ctrl-C ends, whether it may be forked, and when Python looks for unreachable objects.

Ctrl-C ends the process that the user started, whatever it is doing, but not its child processes.

Python looks through its objects after every few hundred new ones, now and then through all of them, and once more when
the process ends. What a command imports are some hundred thousand objects that stay until the end, when their memory
goes back at once. Of the processor time of a command on few lines these searches are a fifth. Where text is read,
nearly all that is made is remembered or goes by itself; there they are a sixth of the time and more.
"""

import _thread
import atexit
import contextlib
import gc
import os
import signal
import sys
import threading
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from functools import cached_property
from types import FrameType
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


# Seconds until a lost interrupt is sent again.
_AGAIN = 0.02


@contextlib.contextmanager
def without_interrupts() -> Iterator[None]:
    """Processes started in this block never receive Ctrl-C; the parent receives it when the block ends.

    A terminal sends Ctrl-C to all processes, and each would print a traceback. The block holds Ctrl-C back even while
    processes start. Threads started in it do not receive Ctrl-C either, nor do processes that those threads start
    later.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    from multiprocessing import resource_tracker  # noqa: PLC0415 - `pfsm --help` starts no processes

    # Python starts a tracker of shared resources with the first process, and unblocks the signal when it does.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    handler = signal.getsignal(signal.SIGINT)
    is_held = callable(handler) and threading.current_thread() is threading.main_thread()
    pressed: list[tuple[int, FrameType | None]] = []
    # Where another thread receives it, such as one that draws progress, Python still has this one handle it.
    if is_held:
        signal.signal(signal.SIGINT, lambda *arguments: pressed.append(arguments))
    try:
        yield
    finally:
        if is_held:
            signal.signal(signal.SIGINT, handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        if pressed and callable(handler):
            handler(*pressed[0])


def _interrupt() -> None:
    """Sends Ctrl-C again, from a thread; where possible, this also ends a system call of the main thread."""
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
    else:
        _thread.interrupt_main()


@contextlib.contextmanager
def kept_interrupts() -> Iterator[None]:
    """Within this block Ctrl-C is not lost: any error after it becomes a KeyboardInterrupt.

    Ctrl-C can be lost in two ways. A package that imports its parts lazily turns an interrupted import into an
    ImportError. In a callback (a `__del__`, the end of a weak reference) Python prints the interrupt and continues.
    """
    main = threading.current_thread() is threading.main_thread()
    if not main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield  # whoever set another handler knows what to do
        return
    pressed, timers = False, list[threading.Timer]()

    def press(number: int, frame: FrameType | None) -> None:
        nonlocal pressed
        pressed = True
        signal.default_int_handler(number, frame)

    def unraisable(lost: "sys.UnraisableHookArgs") -> None:
        if issubclass(lost.exc_type, KeyboardInterrupt):
            # Send it again once Python has left the callback, in which nothing can be raised.
            timers.append(threading.Timer(_AGAIN, _interrupt))
            timers[-1].daemon = True
            timers[-1].start()
        else:
            hook(lost)

    hook, sys.unraisablehook = sys.unraisablehook, unraisable
    signal.signal(signal.SIGINT, press)
    try:
        yield
    except Exception:
        if pressed:
            raise KeyboardInterrupt from None
        raise
    finally:
        for timer in timers:
            timer.cancel()
        signal.signal(signal.SIGINT, signal.default_int_handler)
        sys.unraisablehook = hook


# More than a command makes while it starts, numba's included.
OBJECTS_OF_A_START = 300_000


def defer_gc() -> None:
    """Puts off the first search until a command has started, and leaves out the one at the end of the process.

    Later searches come as usual, but pass over what was there at the first one.
    """
    usual = gc.get_threshold()

    def as_usual(phase: str, info: Mapping[str, Any]) -> None:  # noqa: ARG001 - as Python calls it
        if phase == "stop":
            gc.callbacks.remove(as_usual)
            gc.set_threshold(*usual)
            gc.freeze()

    gc.set_threshold(OBJECTS_OF_A_START, *usual[1:])
    gc.callbacks.append(as_usual)
    # The search at the end passes over what is frozen.
    atexit.register(gc.freeze)


@contextlib.contextmanager
def gc_paused() -> Iterator[None]:
    """Puts off searches while a bounded amount of objects is made.

    With several threads at work, the first that is done may allow them early.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
