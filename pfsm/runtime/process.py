"""The running process: what Ctrl-C ends, and when Python looks for unreachable objects.

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
import signal
import sys
import threading
from collections.abc import Iterator, Mapping
from types import FrameType
from typing import Any

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
