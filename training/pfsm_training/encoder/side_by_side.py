"""Fits that run side by side on threads. If one fails, or training is interrupted, all of them end."""

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from threading import Event
from typing import TypeVar

import torch

Result = TypeVar("Result")
Check = Callable[[], None]
# Seconds. Where the system does not end a wait for Ctrl-C, Python notices it when the wait is over.
LONGEST_WAIT = 0.5


class AbandonedError(Exception):
    """Ends a fit whose result nobody waits for any more; never reaches the caller."""


def never() -> None:
    """The check of a fit that nothing can end but itself."""


def side_by_side(
    fits: Sequence[Callable[[Check], Result]], threads: int, keep: Callable[[int, Result], None]
) -> None:
    """Runs fits, and hands over the result of each as soon as it has ended.

    The first exception, of a fit or of ``keep``, Ctrl-C included, ends all other fits and is raised.

    Args:
        fits: Each is given a function to call every second or so, which raises once its result is not wanted any more.
        threads: How many fits run at once, each with PyTorch on one thread; 1: one after the other in the caller's
            thread.
        keep: Called with the number of a fit and its result, in the caller's thread; in the order in which fits end.
    """
    if min(threads, len(fits)) <= 1:
        for number, fit in enumerate(fits):
            keep(number, fit(never))
        return
    abandoned = Event()

    def check() -> None:
        if abandoned.is_set():
            raise AbandonedError

    # PyTorch has a number of threads for every thread that calls it.
    pool = ThreadPoolExecutor(threads, "pfsm-fit", torch.set_num_threads, (1,))
    try:
        numbers = {pool.submit(fit, check): number for number, fit in enumerate(fits)}
        running = set(numbers)
        while running:
            ended, running = wait(running, LONGEST_WAIT, FIRST_COMPLETED)
            for one in ended:
                keep(numbers[one], one.result())
    finally:
        abandoned.set()
        pool.shutdown(cancel_futures=True)
