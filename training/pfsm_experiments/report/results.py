"""The results of an experiment, from which all files of its output are made."""

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
    """An experiment with its data, its plan and everything computed from them."""

    experiment: Experiment
    folder: DataFolder
    plan: Plan
    cells: tuple[Finished, ...]
    predictions: tuple[Prediction, ...]
    entries: tuple[Entry, ...]
    contrasts: tuple[Contrast, ...]
    mistakes: tuple[MistakeTable, ...]
    worst: tuple[WorstSegments, ...]
