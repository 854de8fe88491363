"""Work shared out among processes of this machine, which end with this one, however it ends.

They begin afresh, with the plug-ins and given resources of this process, as workers of a cluster do; or, where
`can_fork`, with all that this process has in memory, compiled kernels included: for text, which Python reads on one
core at a time.
"""

import contextlib
import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from multiprocessing import active_children, connection, get_context, parent_process
from typing import Any, Self, TypeVar

from pfsm.registering import Registered, registered, restore
from pfsm.runtime.process import without_interrupts
from pfsm.runtime.terminal import silent

# What a shell reports of a program that SIGTERM ended.
ORPHANED = 143
# Read when numpy starts: linear algebra on one thread adds in one order.
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
# Seconds between looks at what is done.
LOOK = 0.5
# Packages whose threads do not survive a fork.
THREADED = frozenset({"onnxruntime", "torch"})
# The names of our own threads begin so; they hold no lock that a forked process needs.
OURS = "pfsm-"

Job = TypeVar("Job")
Result = TypeVar("Result")


def can_fork() -> bool:
    """Return whether this process can be forked, on this system and with what is loaded and running."""
    here = threading.current_thread()
    return (
        sys.platform == "linux"
        and THREADED.isdisjoint(sys.modules)
        and here is threading.main_thread()
        and all(one is here or one.name.startswith(OURS) for one in threading.enumerate())
        and parent_process() is None
    )


class Workers:
    """Processes with one thread each. Where the block is left, all of them end.

    Args:
        number: How many at most.
        start: Prepares each, with ``arguments``.
        forked: Whether they are forked (`can_fork`): then ``start`` and ``arguments`` need not be pickled.
    """

    def __init__(
        self,
        number: int,
        start: Callable[..., None] | None = None,
        *arguments: Any,
        forked: bool = False,
    ) -> None:
        self._others = {*active_children()}
        known = None if forked else registered()
        context = get_context("fork" if forked else "spawn")
        self._pool = ProcessPoolExecutor(number, context, _begin, (known, start, arguments))

    def submit(self, work: Callable[..., Result], *arguments: Any) -> "Future[Result]":
        """Have one of them do something; return and raise as `concurrent.futures.Executor.submit`."""
        with _one_thread_each(), without_interrupts(), warnings.catch_warnings():
            # From Python 3.12 on, of threads beside this one: ours draws the progress.
            warnings.simplefilter("ignore", DeprecationWarning)
            return self._pool.submit(work, *arguments)

    @staticmethod
    def first_done(running: "Collection[Future[Result]]") -> "set[Future[Result]]":
        """Return those that are done after `LOOK` seconds at most; Ctrl-C waits so long, or locks would stay behind."""
        with without_interrupts():
            return wait(running, LOOK, FIRST_COMPLETED).done

    def results(self, work: Callable[[Job], Result], jobs: Sequence[Job]) -> Iterator[Result]:
        """Yield the result of every job, in order; raise what a job raises."""
        for future in [self.submit(work, job) for job in jobs]:
            while not self.first_done([future]):
                pass
            yield future.result()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        # Whatever they are at: all they do is to compute.
        own = {*active_children()} - self._others
        for process in own:
            process.kill()
        self._pool.shutdown(cancel_futures=True)
        for process in own:
            process.join()


def forked_results(work: Callable[[Job], Result], jobs: Sequence[Job], processes: int) -> Iterator[Result]:
    """Yield the results of a function that need not be pickled, in order, by forked processes; jobs are pickled."""
    with Workers(processes, _keep, work, forked=True) as workers:
        yield from workers.results(_kept_work, jobs)


# What a forked process does with jobs.
_kept: Callable[[Any], Any] | None = None


def _keep(work: Callable[[Any], Any]) -> None:
    global _kept  # noqa: PLW0603 - of a process that does nothing else
    _kept = work


def _kept_work(job: Any) -> Any:
    assert _kept is not None
    return _kept(job)


def _begin(known: Registered | None, start: Callable[..., None] | None, arguments: tuple[Any, ...]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends this process
    end_with_parent()
    if known is None:
        silent()
        warnings.simplefilter("ignore")  # the parent has warned, or will
    else:
        restore(known)
    if start is not None:
        start(*arguments)


def end_with_parent() -> None:
    """From now on end this process, started by `multiprocessing`, as soon as its parent is gone.

    A parent that is killed can tell nobody. Its children would go on to compute what nobody waits for. They end between
    two instructions of Python; files are written to temporary ones and renamed, so none is left half written.
    """
    parent = parent_process()
    if parent is not None:
        threading.Thread(target=_watch, args=(parent.sentinel,), name="pfsm-parent", daemon=True).start()


def _watch(sentinel: int) -> None:
    connection.wait([sentinel])
    os._exit(ORPHANED)


@contextlib.contextmanager
def _one_thread_each() -> Iterator[None]:
    """Set the environment that workers inherit."""
    before = {name: os.environ[name] for name in ONE_THREAD if name in os.environ}
    os.environ.update(dict.fromkeys(ONE_THREAD, "1"))
    try:
        yield
    finally:
        for name in ONE_THREAD:
            os.environ.pop(name, None)
        os.environ.update(before)
