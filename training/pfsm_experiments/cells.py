"""Finished cells of an experiment's table."""

from dataclasses import dataclass

from pfsm_experiments.plan import Cell
from pfsm_experiments.task import Outcome, Task


@dataclass(frozen=True, eq=False)
class Finished:
    """A cell with its task and outcome."""

    cell: Cell
    task: Task
    outcome: Outcome
