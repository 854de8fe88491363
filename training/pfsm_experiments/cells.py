"""Cells of an experiment's table that have been worked out."""

from dataclasses import dataclass

from pfsm_experiments.plan import Cell
from pfsm_experiments.task import Outcome, Task


@dataclass(frozen=True, eq=False)
class Finished:
    """A cell with what came of it."""

    cell: Cell
    task: Task
    outcome: Outcome
