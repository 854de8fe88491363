"""The default number of threads, and work shared out among threads."""

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Lock
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def default_threads() -> int:
    """Number of processors this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def each(work: Callable[[Item], Result], items: Iterable[Item], threads: int) -> list[Result]:
    """The results of ``work`` for all items, in their order.

    Items are made one at a time, by whichever thread is free, while the others work: ``items`` may be a generator that
    is not safe for threads. At most one item per thread is in memory. An exception, Ctrl-C included, stops all threads.
    """
    if threads <= 1:
        return [work(item) for item in items]
    numbered, lock, stopped = enumerate(items), Lock(), Event()
    results: dict[int, Result] = {}

    def worker() -> None:
        while not stopped.is_set():
            with lock:
                found = next(numbered, None)
            if found is None:
                return
            results[found[0]] = work(found[1])

    with ThreadPoolExecutor(threads) as pool:
        try:
            for done in [pool.submit(worker) for _ in range(threads)]:
                done.result()
        finally:
            stopped.set()
    return [results[number] for number in range(len(results))]
