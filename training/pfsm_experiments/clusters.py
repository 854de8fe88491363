"""Runs the cells of an experiment as tasks on a cluster."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pfsm.distributed.outcomes import Fault
from pfsm.distributed.pools import Pool
from pfsm.distributed.scorers import worker_name
from pfsm.errors import PfsmError
from pfsm_experiments.spec import RowSpec
from pfsm_experiments.task import Outcome, Task, row_identity, row_versions, run_task


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
