"""The results of an experiment, from which all files of its output are made."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from pfsm.model.training_record import cautions
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

    @property
    def notes(self) -> tuple[str, ...]:
        """Those of the plan, and what is doubtful about the trainings of a row."""
        return (*self.plan.notes, *_of_trainings(self.cells))


def _of_trainings(cells: Sequence[Finished]) -> list[str]:
    """A line for each row with doubtful trainings: the first one's words, and how many more there are."""
    found: dict[str, list[str]] = {}
    trained: Counter[str] = Counter()
    for one in cells:
        model = one.outcome.model
        if model is None or one.cell.row.training is None:
            continue
        trained[one.cell.row.name] += 1
        if lines := cautions(model.training):
            found.setdefault(one.cell.row.name, []).append("; ".join(lines))
    return [
        f"{row}: {lines[0]}"
        if trained[row] == 1
        else f"{row}: in {len(lines)} of {trained[row]} trainings: {lines[0]}"
        for row, lines in found.items()
    ]
