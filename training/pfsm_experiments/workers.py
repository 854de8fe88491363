"""Independent tasks in processes of their own: results as they come, and nobody left behind.

Every task runs in a fresh interpreter's worker on one thread, also where there is one worker only, so that the
outcome does not depend on the number of workers. Ctrl-C reaches the parent alone, which ends the workers.
"""

import contextlib
import logging
import os
import signal
import traceback
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from multiprocessing import connection, get_context
from typing import TYPE_CHECKING, Any

from pfsm.errors import PfsmError
from pfsm.registry import Registered, registered, restore
from pfsm.runtime.interrupts import without_interrupts
from pfsm.runtime.parents import end_with_parent
from pfsm_experiments.task import Outcome, Task, run_task

if TYPE_CHECKING:
    from multiprocessing.context import SpawnProcess

# Read when numpy starts: linear algebra on one thread adds in one order.
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
PATIENCE = 5.0


@dataclass(frozen=True)
class _Failure:
    """What went wrong in a worker: one line for the user, or a traceback for us."""

    message: str
    expected: bool


@dataclass(frozen=True)
class _Compiling:
    """Kernels are compiled: the parent says so, once for all workers, where its own progress is shown."""


def run_tasks(tasks: Sequence[Task], jobs: int) -> Iterator[tuple[Task, Outcome]]:
    """Runs tasks in up to `jobs` processes; yields each with its outcome, in the order in which they finish.

    Raises:
        PfsmError: If a task fails for a reason in its data, or its process was killed.
        RuntimeError: If it fails for any other reason.
    """
    waiting = deque(tasks)
    workers: list[_Worker] = []
    try:
        with _one_thread(), without_interrupts():
            workers += [_Worker() for _ in range(min(jobs, len(tasks)))]
        for worker in workers:
            worker.give(waiting)
        while busy := [worker for worker in workers if worker.task is not None]:
            ready = connection.wait([one.connection for one in busy])
            for worker in busy:
                if worker.connection in ready and (done := worker.take()) is not None:
                    worker.give(waiting)
                    yield done
    finally:
        for worker in workers:
            worker.end()


class _Worker:
    """One process and the task that it is at."""

    def __init__(self) -> None:
        context = get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process: SpawnProcess = context.Process(target=_work, args=(theirs, registered()), daemon=True)
        self.process.start()
        theirs.close()
        self.task: Task | None = None

    def give(self, waiting: deque[Task]) -> None:
        """Starts the next task, if there is one."""
        self.task = waiting.popleft() if waiting else None
        if self.task is not None:
            # A worker that is gone already is noticed when its answer is read.
            with contextlib.suppress(BrokenPipeError):
                self.connection.send(self.task)

    def take(self) -> tuple[Task, Outcome] | None:
        """The task that was given last, and what came of it; None if it is still at work."""
        task = self.task
        assert task is not None
        try:
            answer: Any = self.connection.recv()
        except (EOFError, ConnectionResetError):
            raise PfsmError(
                f"{task.where}: its process was killed, perhaps for want of memory; finished cells are kept, "
                "so try again with --jobs 1"
            ) from None
        if isinstance(answer, _Compiling):
            from pfsm_kernels.cache import the_notice  # noqa: PLC0415 - brings numba

            the_notice.on_start(None)
            return None
        self.task = None
        if isinstance(answer, _Failure):
            if answer.expected:
                raise PfsmError(f"{task.where}: {answer.message}")
            raise RuntimeError(f"{task.label}:\n{answer.message}")
        assert isinstance(answer, Outcome)
        return task, answer

    def end(self) -> None:
        """Ends the process, whatever it is at: all it does is to compute."""
        self.connection.close()
        if self.process.is_alive():
            self.process.terminate()
        self.process.join(PATIENCE)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()


@contextlib.contextmanager
def _one_thread() -> Iterator[None]:
    """The environment that workers inherit."""
    before = {name: os.environ.get(name) for name in ONE_THREAD}
    os.environ.update(dict.fromkeys(ONE_THREAD, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


class _Teller(logging.Handler):
    """Passes on to the parent that kernels are compiled."""

    def __init__(self, parent: "connection.Connection[Any, Any]") -> None:
        super().__init__()
        self.parent = parent

    def emit(self, record: logging.LogRecord) -> None:  # noqa: ARG002
        """See `logging.Handler`."""
        with contextlib.suppress(OSError):
            self.parent.send(_Compiling())


def _work(tasks: "connection.Connection[Any, Any]", known: Registered) -> None:
    """A worker: tasks in, outcomes out, until the parent closes its end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()
    restore(known)
    kernels = logging.getLogger("pfsm.kernels")
    kernels.setLevel(logging.INFO)
    kernels.propagate = False
    kernels.addHandler(_Teller(tasks))
    while True:
        try:
            task = tasks.recv()
        except (EOFError, ConnectionResetError):
            return
        answer: Outcome | _Failure
        try:
            answer = run_task(task)
        except PfsmError as error:
            answer = _Failure(str(error), expected=True)
        except MemoryError:
            answer = _Failure("not enough memory; try --jobs 1", expected=True)
        except Exception:  # handed to the parent, which raises it
            answer = _Failure(traceback.format_exc(), expected=False)
        with contextlib.suppress(BrokenPipeError):
            tasks.send(answer)
