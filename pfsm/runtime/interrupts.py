"""Ctrl-C ends the process that the user started, whatever it is at, and not those that it has started itself."""

import _thread
import contextlib
import signal
import sys
import threading
from collections.abc import Iterator
from types import FrameType

# Seconds until an interrupt that was lost comes again.
_AGAIN = 0.02


@contextlib.contextmanager
def without_interrupts() -> Iterator[None]:
    """Processes that start here never hear Ctrl-C, not even while they start; the parent hears it afterwards.

    A terminal sends Ctrl-C to all of them, and each would print where it was. Threads that start here do not hear it
    either, nor do the processes that they start later on.
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
    """Ctrl-C once more, from a thread; what the system makes the main thread wait for ends too, where that can be."""
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
    else:
        _thread.interrupt_main()


@contextlib.contextmanager
def kept_interrupts() -> Iterator[None]:
    """Within it Ctrl-C is not lost: what fails after it fails because of it.

    Packages that import their parts when they are needed turn an interrupted import into an ImportError; and where
    Python calls back (a `__del__`, the end of a weak reference) it prints the interrupt and goes on.

    Raises:
        KeyboardInterrupt: In place of any error after Ctrl-C.
    """
    main = threading.current_thread() is threading.main_thread()
    if not main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield  # whoever has another handler knows what to do
        return
    pressed, timers = False, list[threading.Timer]()

    def press(number: int, frame: FrameType | None) -> None:
        nonlocal pressed
        pressed = True
        signal.default_int_handler(number, frame)

    def unraisable(lost: "sys.UnraisableHookArgs") -> None:
        if issubclass(lost.exc_type, KeyboardInterrupt):
            # Once more, when Python is back from where nothing can be raised.
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
