"""The default number of threads, and work shared out among threads."""

import contextlib
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextvars import ContextVar
from threading import Event, Lock
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


_at_most: ContextVar[int | None] = ContextVar("pfsm_threads", default=None)
# What stops the work, by `each`, that this thread is part of, from the outside in.
_stops: ContextVar[tuple[Event, ...]] = ContextVar("pfsm_stops", default=())


@contextlib.contextmanager
def at_most(threads: int | None) -> Iterator[None]:
    """In the block, `default_threads` is this number, for all that is computed in it; None: no change."""
    token = _at_most.set(_at_most.get() if threads is None else threads)
    try:
        yield
    finally:
        _at_most.reset(token)


def default_threads() -> int:
    """Number of processors this process may run on, or what `at_most` allows in this thread."""
    allowed = _at_most.get()
    if allowed is not None:
        return allowed
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def in_order(work: Callable[[Item], Result], items: Iterable[Item], threads: int) -> Iterator[Result]:
    """The results of ``work`` for all items, each as soon as it and all before it are there.

    Few more items than threads are made before their turn, in this thread. An exception, Ctrl-C included, or closing
    the iterator, stops all threads.
    """
    if threads <= 1:
        yield from map(work, items)
        return
    waiting: deque[Future[Result]] = deque()
    pool = ThreadPoolExecutor(threads)
    try:
        for item in items:
            waiting.append(pool.submit(work, item))
            if len(waiting) > threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


def each(work: Callable[[Item], Result], items: Iterable[Item], threads: int) -> list[Result]:
    """The results of ``work`` for all items, in their order.

    Items are made one at a time, by whichever thread is free, while the others work: ``items`` may be a generator that
    is not safe for threads. At most one item per thread is in memory. An exception, Ctrl-C included, stops all threads,
    those of calls of `each` within the work too.
    """
    if threads <= 1:
        return [work(item) for item in items]
    around, numbered, lock, stopped = _stops.get(), enumerate(items), Lock(), Event()
    results: dict[int, Result] = {}

    def worker() -> None:
        _stops.set((*around, stopped))
        while not any(stop.is_set() for stop in (*around, stopped)):
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
    if any(stop.is_set() for stop in around):
        raise CancelledError
    return [results[number] for number in range(len(results))]
