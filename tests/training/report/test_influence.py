"""Influence against models that are really trained without the judgment or preference."""

from dataclasses import replace
from typing import Literal

import numpy as np
import pytest
from scipy import stats

from pfsm.model.settings import Settings
from pfsm_training.config import TrainingConfig
from pfsm_training.fit.fitting import Fitted
from pfsm_training.fit.training import Training
from pfsm_training.report.influence import influence
from pfsm_training.report.items import Local, local
from tests.training.report.report_cases import kept, training_of
from tests.training.small_data import invented, judgments_of

CASES = [
    ("scores", "squared_error"),
    ("scores", "huber"),
    ("preferences", "squared_error"),
    ("both", "squared_error"),
]


@pytest.mark.parametrize(("kind", "objective"), CASES)
def test_as_if_it_had_been_left_out(kind: str, objective: str) -> None:
    check(training_of(kind, 40 if kind == "preferences" else 14, objective))


@pytest.mark.parametrize("use", ["best", "mean"])
def test_with_several_references_and_scores_as_they_are(use: Literal["best", "mean"]) -> None:
    """The second reference of every other judgment is another translation of its segment."""
    judgments = invented(3, 14)
    second = tuple(
        line if at % 2 else "" for at, line in enumerate(np.roll(judgments.hypotheses, 1).tolist())
    )
    several = replace(
        judgments, columns={**judgments.columns, "reference_2": second}, scores=judgments.scores / 40.0
    )
    config = TrainingConfig(Settings(references=use), penalty=2.0, start="matches", standardise=False)
    check(kept(several, config=config))


@pytest.mark.parametrize(("kind", "objective"), [*CASES[:2], CASES[3]])
def test_with_weights_of_judgments(kind: str, objective: str) -> None:
    check(training_of(kind, 14, objective, weighted=True))


def check(training: Training) -> None:
    at = local(training)
    assert at is not None
    found = influence(at)
    assert found is not None
    order = found.order()
    assert (np.diff(found.movement[order]) <= 0.0).all()
    chosen = np.unique([*order[:4], *range(0, at.n_items, 7)])
    moved, without = [], []
    for item in chosen.tolist():
        change, said = left_out(training, at, item)
        moved.append(change)
        without.append(said)
    # What is left is of the third order: in the changes, in the norm, and in the prediction for the item itself.
    assert found.movement[chosen] == pytest.approx(moved, rel=0.15, abs=0.03 * max(moved))
    assert stats.spearmanr(found.movement[chosen], moved)[0] > 0.95
    spread = at.sd * float(np.std(at.predictions))
    assert found.without[chosen] == pytest.approx(without, abs=0.05 * spread)


def left_out(training: Training, at: Local, item: int) -> tuple[float, float]:
    """Root mean square change of all predictions in standard deviations, and the prediction for the item itself."""
    data = training.data
    n_scored = data.scores.size
    scored = np.delete(np.arange(n_scored), item) if item < n_scored else np.arange(n_scored)
    votes = np.arange(data.votes.size)
    if item >= n_scored:
        votes = np.delete(votes, item - n_scored)
    part = data.select(scored, votes)
    other = training.fitter.fit(part, training.validated.choice, "without", training.fitted)
    assert isinstance(other, Fitted)
    assert other.machine.learned == training.fitted.machine.learned
    before, after = training.fitted.predict(data), other.predict(data)
    counted = np.ones(after.size)
    if data.weights is not None:
        counted[:n_scored] = data.weights
    change = float(np.sqrt(np.average((after - before) ** 2, weights=counted))) / (at.sd * at.spread)
    if item < n_scored:
        return change, float(after[item])
    pair = item - n_scored
    return change, float(after[data.better[pair]] - after[data.worse[pair]])


def test_leverage_of_a_plain_regression() -> None:
    """Without edits the model is linear: leverage is the diagonal of the hat matrix of ridge regression."""

    settings = Settings(edits=False, matchers=(), features={"chrf": None, "length_ratio": None})
    training = kept(invented(5, 12), config=TrainingConfig(settings=settings, penalty=3.0, start="zero"))
    at = local(training)
    assert at is not None
    found = influence(at)
    assert found is not None
    design = at.jacobian
    ridge = np.diag([3.0, 3.0, 0.0])
    hat = design @ np.linalg.inv(design.T @ design + ridge) @ design.T
    assert found.leverage == pytest.approx(np.diag(hat), abs=1e-9)
    assert np.abs(at.bending).max() < 1e-6


def test_nothing_is_said_of_a_single_judgment_or_a_model_without_weights() -> None:
    """Two judgments: without one of them, the standard deviation of the scores is 0."""

    two = judgments_of(["lamp", "lamp"], ["lamp", ""], [1.0, 2.0])
    at = local(kept(two, config=TrainingConfig()))
    assert at is not None
    assert influence(at) is None
