"""Processes that work beside this one, and end with it, however it ends.

Those of `FreshPool` begin with nothing but the plug-ins of this process, as workers of a cluster do. Those of
`ForkedPool` begin with all that this process has in memory, compiled kernels included, and share it until one of them
changes it: for text, which Python reads on one core at a time. Each is given the same kind of work again and again, so
that what it has read stays known to it.
"""

import contextlib
import os
import signal
import sys
import threading
import warnings
from collections import deque
from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from multiprocessing import active_children, connection, get_context, parent_process
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

from pfsm.errors import PfsmError
from pfsm.registry import Registered, registered, restore
from pfsm.runtime.process import without_interrupts
from pfsm.runtime.progress import silent

if TYPE_CHECKING:
    from multiprocessing.connection import Connection


# What a shell reports of a program that SIGTERM ended.
ORPHANED = 143


def end_with_parent() -> None:
    """From now on this process, started by `multiprocessing`, ends as soon as its parent is gone.

    A parent that is killed can tell nobody. Its children would go on to compute what nobody waits for. They end between
    two instructions of Python; files are written to temporary ones and renamed, so none is left half written.
    """
    parent = parent_process()
    if parent is not None:
        threading.Thread(target=_watch, args=(parent.sentinel,), name="pfsm-parent", daemon=True).start()


def _watch(sentinel: int) -> None:
    connection.wait([sentinel])
    os._exit(ORPHANED)


# Read when numpy starts: linear algebra on one thread adds in one order.
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
# Seconds between looks at what is done; and until a worker that was asked to end is killed.
LOOK, PATIENCE = 0.5, 5.0


class FreshPool:
    """Processes that begin afresh, with the plug-ins of this one and one thread each. Where it is left, all end.

    Args:
        workers: How many at most.
        start: Prepares each, with ``arguments``.
    """

    def __init__(self, workers: int, start: Callable[..., None] | None = None, *arguments: Any) -> None:
        self._others = {*active_children()}
        self._pool = ProcessPoolExecutor(
            workers, get_context("spawn"), _begin, (registered(), start, arguments)
        )

    def submit(self, work: "Callable[..., Result]", *arguments: Any) -> "Future[Result]":
        """Has one of them do something; raises and returns as `concurrent.futures.Executor.submit`."""
        with _one_thread_each(), without_interrupts():
            return self._pool.submit(work, *arguments)

    @staticmethod
    def first_done(running: "Collection[Future[Result]]") -> "set[Future[Result]]":
        """Those that are done, after `LOOK` seconds at most. Ctrl-C waits so long: it would leave locks behind."""
        with without_interrupts():
            return wait(running, LOOK, FIRST_COMPLETED).done

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        # Whatever they are at: all they do is to compute.
        self._pool.shutdown(wait=False, cancel_futures=True)
        own = {*active_children()} - self._others
        for process in own:
            process.terminate()
        for process in own:
            process.join(PATIENCE)
            if process.is_alive():
                process.kill()
                process.join()
        self._pool.shutdown()


def _begin(known: Registered, start: Callable[..., None] | None, arguments: tuple[Any, ...]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends this process
    end_with_parent()
    restore(known)
    if start is not None:
        start(*arguments)


@contextlib.contextmanager
def _one_thread_each() -> Iterator[None]:
    """The environment that workers inherit."""
    before = {name: os.environ[name] for name in ONE_THREAD if name in os.environ}
    os.environ.update(dict.fromkeys(ONE_THREAD, "1"))
    try:
        yield
    finally:
        for name in ONE_THREAD:
            os.environ.pop(name, None)
        os.environ.update(before)


Job = TypeVar("Job")
Result = TypeVar("Result")
# Jobs that a process has been given and has not answered: one at work, one that waits for it.
GIVEN_AT_ONCE = 2


class ForkError(PfsmError):
    """A process could not be forked, has ended by itself, or has failed at a job."""


class ForkedPool(Generic[Job, Result]):
    """Processes that each do a function, forked at once. They end with `close`, or with this process.

    Args:
        work: What to do; jobs and results are pickled.
        processes: How many.
    """

    def __init__(self, work: Callable[[Job], Result], processes: int) -> None:
        self._owner = os.getpid()
        self._pipes: list[Connection[Any, Any]] = []
        self._processes: list[Any] = []
        # In a process that is not ready yet, Ctrl-C would end with a traceback.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            for _ in range(processes):
                self._fork(work)
        except OSError as error:
            self.close()
            raise ForkError(f"no process can be forked ({error.strerror})") from None
        except BaseException:
            self.close()
            raise
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def _fork(self, work: Callable[[Job], Result]) -> None:
        context = get_context("fork")
        ours, theirs = context.Pipe()
        self._pipes.append(ours)
        process = context.Process(target=_serve, args=(work, theirs, tuple(self._pipes)), daemon=True)
        with contextlib.ExitStack() as stack:
            stack.callback(theirs.close)
            if sys.version_info >= (3, 12):
                # Of threads beside this one: ours draws the progress, and holds no lock that a child needs.
                stack.enter_context(warnings.catch_warnings())
                warnings.simplefilter("ignore", DeprecationWarning)
            process.start()
        self._processes.append(process)

    def __len__(self) -> int:
        return len(self._processes)

    def results(self, jobs: Sequence[Sequence[Job]]) -> Generator[tuple[Job, Result]]:
        """Each job with its result, as soon as there is one. Where this is left before the end, all processes end.

        Args:
            jobs: For each process those that it should do. One that has done its own takes those of others.
        """
        waiting = [deque(own) for own in jobs]
        given: list[deque[Job]] = [deque() for _ in self._pipes]
        try:
            for _ in range(GIVEN_AT_ONCE):
                for place in range(len(self._pipes)):
                    self._give(place, waiting, given)
            while any(given):
                busy = [place for place, own in enumerate(given) if own]
                ready = connection.wait([self._pipes[place] for place in busy])
                for place in (place for place in busy if self._pipes[place] in ready):
                    result = self._received(place)
                    job = given[place].popleft()
                    self._give(place, waiting, given)
                    yield job, result
        except BaseException:
            self.close()
            raise

    def _give(self, place: int, waiting: Sequence[deque[Job]], given: Sequence[deque[Job]]) -> None:
        source = waiting[place] or max(waiting, key=len)
        if source:
            given[place].append(source.popleft())
            with contextlib.suppress(
                OSError
            ):  # a process that has ended is noticed when its result is awaited
                self._pipes[place].send(given[place][-1])

    def _received(self, place: int) -> Result:
        try:
            done, result = self._pipes[place].recv()
        except (EOFError, OSError):
            raise ForkError("a process has ended by itself, perhaps for want of memory") from None
        if not done:
            raise ForkError("a process has failed at a job")
        value: Result = result
        return value

    def close(self) -> None:
        """Ends all processes. In a process that was forked itself, this does nothing."""
        if os.getpid() != self._owner:
            return
        for process in self._processes:
            process.kill()
        for process in self._processes:
            process.join()
        for pipe in self._pipes:
            pipe.close()
        self._processes, self._pipes = [], []


def _serve(
    work: Callable[[Any], Any], pipe: "Connection[Any, Any]", others: Sequence["Connection[Any, Any]"]
) -> None:
    """Does jobs until there are no more. What goes wrong is for the parent to find out anew: it can say where."""
    # Ctrl-C is for the parent, which ends this process. A function, as programs would inherit that it is ignored.
    signal.signal(signal.SIGINT, lambda *_: None)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    silent()
    warnings.simplefilter("ignore")  # the parent has warned, or will
    end_with_parent()
    for other in others:
        other.close()
    jobs: SimpleQueue[tuple[Any] | None] = SimpleQueue()
    # Jobs are larger than a pipe: the parent should not wait until this process is done with one to send the next.
    threading.Thread(target=_read, args=(pipe, jobs), name="pfsm-jobs", daemon=True).start()
    while (job := jobs.get()) is not None:
        try:
            answer = True, work(*job)
        except Exception:
            answer = False, None
        pipe.send(answer)


def _read(pipe: "Connection[Any, Any]", jobs: "SimpleQueue[tuple[Any] | None]") -> None:
    """Puts the jobs into the queue; None behind the last one, or where one cannot be read."""
    try:
        while True:
            jobs.put((pipe.recv(),))
    except (EOFError, OSError, MemoryError):
        pass
    finally:
        jobs.put(None)
