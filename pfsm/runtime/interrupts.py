"""Ctrl-C ends the process that the user started, whatever it is doing, but not its child processes."""

import _thread
import contextlib
import signal
import sys
import threading
from collections.abc import Iterator
from types import FrameType

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
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


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
