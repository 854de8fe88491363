"""What the files of an experiment's output are made from."""

from dataclasses import dataclass

from pfsm_experiments.cells import Finished
from pfsm_experiments.data import DataFolder
from pfsm_experiments.estimates import Contrast, Entry, Prediction
from pfsm_experiments.plan import Plan
from pfsm_experiments.report.mistakes import MistakeTable
from pfsm_experiments.report.worst import WorstSegments
from pfsm_experiments.spec import Experiment


@dataclass(frozen=True, eq=False)
class Results:
    """All that the files of the output are made from."""

    experiment: Experiment
    folder: DataFolder
    plan: Plan
    cells: tuple[Finished, ...]
    predictions: tuple[Prediction, ...]
    entries: tuple[Entry, ...]
    contrasts: tuple[Contrast, ...]
    mistakes: tuple[MistakeTable, ...]
    worst: tuple[WorstSegments, ...]
