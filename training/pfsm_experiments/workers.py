"""Cells of an experiment as independent tasks: in processes of their own, or in a pool such as a cluster's.

Every task runs in a fresh interpreter's worker on one thread, also if there is one worker only, so the outcome does not
depend on the number of workers. Ctrl-C reaches the parent alone, which ends the workers.
"""

import contextlib
import hashlib
import json
import logging
import os
import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing import active_children, get_context
from typing import Any

from pfsm.distributed.partitions import Fault
from pfsm.distributed.pools import Pool
from pfsm.distributed.scorers import worker_name
from pfsm.errors import PfsmError
from pfsm.registry import Registered, registered, restore
from pfsm.runtime.forked import end_with_parent
from pfsm.runtime.process import without_interrupts
from pfsm_experiments.spec import RowSpec
from pfsm_experiments.task import Outcome, Task, row_identity, row_versions, run_task

# Read when numpy starts: linear algebra on one thread adds in one order.
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
# Seconds between looks at whether a worker compiles kernels; and until a worker that was asked to end is killed.
LOOK, PATIENCE = 0.5, 5.0


def run_tasks(tasks: Sequence[Task], jobs: int) -> Iterator[tuple[Task, Outcome]]:
    """Runs tasks in up to `jobs` processes; yields each with its outcome, in the order in which they finish.

    Raises:
        PfsmError: If a task fails for a reason in its data, or a process was killed.
        Exception: Whatever else a task raises.
    """
    if not tasks:
        return
    context, others = get_context("spawn"), set(active_children())
    compiling = context.Event()
    workers = min(jobs, len(tasks))
    pool = ProcessPoolExecutor(workers, context, _start, (registered(), compiling))
    running: dict[Future[Outcome], Task] = {}
    waiting = iter(tasks)
    try:
        while True:
            for task in _first(waiting, workers - len(running)):
                with _one_thread(), without_interrupts():
                    running[pool.submit(run_task, task)] = task
            if not running:
                return
            done, _ = wait(running, LOOK, FIRST_COMPLETED)
            if compiling.is_set():
                from pfsm_kernels.cache import the_notice  # noqa: PLC0415 - brings numba

                the_notice.on_start(None)
            for future in done:
                outcome = _outcome(future, running)
                yield running.pop(future), outcome
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        _end(set(active_children()) - others)
        pool.shutdown()


def _first(waiting: Iterator[Task], count: int) -> Iterator[Task]:
    for _, task in zip(range(count), waiting, strict=False):
        yield task


def _outcome(future: "Future[Outcome]", running: dict["Future[Outcome]", Task]) -> Outcome:
    task = running[future]
    try:
        return future.result()
    except PfsmError as error:
        raise PfsmError(f"{task.where}: {error}") from None
    except MemoryError:
        raise PfsmError(f"{task.where}: not enough memory; try --jobs 1") from None
    except BrokenProcessPool:
        names = " or ".join(one.where for one in running.values())
        raise PfsmError(
            f"{names}: its process was killed, perhaps for want of memory; finished cells are kept, so try again with "
            "--jobs 1"
        ) from None


def _end(processes: set[Any]) -> None:
    """Ends workers, whatever they are at: all they do is to compute."""
    for process in processes:
        process.terminate()
    for process in processes:
        process.join(PATIENCE)
        if process.is_alive():
            process.kill()
            process.join()


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
    """Tells the parent that kernels are compiled, which it says once for all workers."""

    def __init__(self, compiling: Any) -> None:
        super().__init__()
        self.compiling = compiling

    def emit(self, record: logging.LogRecord) -> None:  # noqa: ARG002
        """See `logging.Handler`."""
        self.compiling.set()


def _start(known: Registered, compiling: Any) -> None:
    """Prepares a worker."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()
    restore(known)
    kernels = logging.getLogger("pfsm.kernels")
    kernels.setLevel(logging.INFO)
    kernels.propagate = False
    kernels.addHandler(_Teller(compiling))


@dataclass(frozen=True)
class CellTask:
    """A cell's task, and a digest of the sender's resources and versions, which the worker must share."""

    task: Task
    environment: str


def run_on(pool: Pool, tasks: Sequence[Task]) -> Iterator[tuple[Task, Outcome]]:
    """Runs tasks in a pool; yields each with its outcome, in the order in which they finish.

    Raises:
        PfsmError: If a task fails, a worker has other resources or versions, or the cluster is gone.
    """
    known = {task.key: task for task in tasks}
    for key, outcome in pool.run(run_cell, (CellTask(task, _environment(task.row)) for task in tasks)):
        if isinstance(outcome, Fault):
            raise PfsmError(f"{known[key].where}: {outcome.message}")
        yield known[key], outcome


def run_cell(cell: CellTask) -> tuple[str, Outcome | Fault]:
    """Trains and scores on this worker."""
    task = cell.task
    try:
        if _environment(task.row) != cell.environment:
            return task.key, Fault(f"{worker_name()} has other resources, or versions of packages", True)
        return task.key, run_task(task)
    except PfsmError as error:
        return task.key, Fault(f"{worker_name()}: {error}")


def _environment(row: RowSpec) -> str:
    text = json.dumps([row_identity(row), row_versions(row)], sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
