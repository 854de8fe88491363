"""Ctrl-C is for the process that the user started, not for those that it has started itself."""

import contextlib
import signal
from collections.abc import Iterator
from multiprocessing import resource_tracker


@contextlib.contextmanager
def without_interrupts() -> Iterator[None]:
    """Processes that start here never hear Ctrl-C, not even while they start; the parent hears it afterwards.

    A terminal sends Ctrl-C to all of them, and each would print where it was. Threads that start here do not hear it
    either, nor do the processes that they start later on.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    # Python starts a tracker of shared resources with the first process, and unblocks the signal when it does.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
