"""The segments that one row overrates and underrates most, with explanations if the row has a model.

They contain text of the test data, which goes only into the report, since that stays with the user.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pfsm.data import Judgments
from pfsm.errors import PfsmError
from pfsm.evaluation.bootstrap import group_members
from pfsm.model.explain.text import explanation_lines
from pfsm.model.metric import Metric
from pfsm_experiments.data import TestSet
from pfsm_experiments.estimates import Prediction, of_largest_size
from pfsm_experiments.plan import Plan
from pfsm_experiments.report.standardised import human_scale
from pfsm_experiments.spec import Experiment

if TYPE_CHECKING:
    from pfsm_experiments.cells import Finished

Float = NDArray[np.float64]
# Columns that help to find a segment again.
SHOWN_COLUMNS = ("segment_id", "system", "document")


@dataclass(frozen=True)
class Mistake:
    """A segment and the error of a metric on it.

    Attributes:
        judgment: Index of the judgment in the test set, from 0.
        group: Its group in the test set.
        labels: Names and values of further columns that identify the segment.
        reference: Text of the reference; of several the one that the model scores highest, without a model the first.
        hypothesis: Text of the hypothesis.
        human: The human score, in the units of the data.
        predicted: The metric's score, in its own units.
        error: Predicted minus human score, both standardised within the group.
        explanation: Lines as printed by `pfsm explain`; empty if the row has no model.
    """

    judgment: int
    group: str
    labels: tuple[tuple[str, str], ...]
    reference: str
    hypothesis: str
    human: float
    predicted: float
    error: float
    explanation: tuple[str, ...]


@dataclass(frozen=True)
class WorstSegments:
    """The segments of a test set that a row overrates and underrates most, the largest errors first."""

    test: str
    row: str
    overrated: tuple[Mistake, ...]
    underrated: tuple[Mistake, ...]


def worst_segments(
    experiment: Experiment, plan: Plan, predictions: Sequence[Prediction], cells: "Sequence[Finished]"
) -> tuple[WorstSegments, ...]:
    """The worst segments of every test set of absolute scores; empty if no row is named and none has a model.

    For a learning curve, these are of the first sample of the largest size.
    """
    row = experiment.mistakes_of or _last_with_model(cells)
    if row is None or not experiment.mistakes:
        return ()
    prediction = of_largest_size(predictions)[row]
    explainer = _Explainer([one for one in cells if _made(one, prediction)])
    labels = tuple(name for name in SHOWN_COLUMNS if name != experiment.group_by)
    found = (
        _of_set(test, test.data, prediction, labels, experiment.mistakes, explainer)
        for test in plan.tests
        if isinstance(test.data, Judgments)
    )
    return tuple(one for one in found if one.overrated or one.underrated)


def _last_with_model(cells: "Sequence[Finished]") -> str | None:
    names = [one.cell.row.name for one in cells if one.outcome.model is not None]
    return names[-1] if names else None


def _made(one: "Finished", prediction: Prediction) -> bool:
    cell = one.cell
    return (cell.row.name, cell.size, cell.sample) == (prediction.row, prediction.size, prediction.sample)


def _of_set(
    test: TestSet,
    data: Judgments,
    prediction: Prediction,
    labels: Sequence[str],
    count: int,
    explainer: "_Explainer",
) -> WorstSegments:
    scores = prediction.scores[test.name]
    errors = human_scale(data.scores, group_members(test.groups, len(data))).errors(scores)

    def mistake(at: int) -> Mistake:
        reference = explainer.reference(test.name, at, data)
        return Mistake(
            at,
            test.groups[at],
            tuple((name, data.columns[name][at]) for name in labels if name in data.columns),
            reference,
            data.hypotheses[at],
            float(data.scores[at]),
            float(scores[at]),
            float(errors[at]),
            explainer.lines(test.name, at, data, reference),
        )

    def largest(signed: Float) -> tuple[Mistake, ...]:
        return tuple(map(mistake, _largest(signed, data, count)))

    return WorstSegments(test.name, prediction.row, largest(errors), largest(-errors))


def _largest(errors: Float, data: Judgments, count: int) -> list[int]:
    """The largest errors above 0; equal ones are in the order of their text, whatever the order of the rows."""
    rows: Iterable[int] = np.flatnonzero(errors > 0.0).tolist()
    return sorted(rows, key=lambda at: (-errors[at], data.references[at], data.hypotheses[at], at))[:count]


@dataclass(frozen=True, eq=False)
class _Explainer:
    """Explains a judgment with the model that scored it: in folds, that of its fold."""

    cells: "Sequence[Finished]"
    metrics: dict[int, Metric] = field(default_factory=dict)

    def reference(self, test: str, judgment: int, data: Judgments) -> str:
        """The reference that counts: of several, the one that the model scores the translation highest against."""
        hypothesis, references = data.hypotheses[judgment], data.all_references[judgment]
        metric = self._metric(test, judgment)
        if metric is None or len(references) == 1:
            return references[0]
        columns = {name: np.full(len(references), data.numbers(name)[judgment]) for name in metric.columns}
        scores = metric.score_pairs([hypothesis] * len(references), references, columns)
        return references[int(np.argmax(scores))]

    def lines(self, test: str, judgment: int, data: Judgments, reference: str) -> tuple[str, ...]:
        metric = self._metric(test, judgment)
        if metric is None:
            return ()
        try:
            explanation = metric.explain(
                data.hypotheses[judgment],
                reference,
                {name: float(data.columns[name][judgment]) for name in metric.columns},
            )
            return tuple(line.rstrip() for line in explanation_lines(explanation))
        except PfsmError as error:
            return (f"no explanation: {error}",)

    def _metric(self, test: str, judgment: int) -> Metric | None:
        for number, one in enumerate(self.cells):
            if test in one.cell.tests and judgment in one.cell.tests[test]:
                model = one.outcome.model
                if model is not None and number not in self.metrics:
                    self.metrics[number] = Metric(model, threads=1)
                return self.metrics.get(number)
        return None
