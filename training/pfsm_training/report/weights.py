"""Bootstrap intervals of the weights: the model fitted anew to resamples of the segments.

Each fit starts from the trained model. Its first step is Newton's, with the derivatives that the model's own data give;
it costs no evaluation of a lattice. With few pairs that step may not be short enough to trust, and there Gauss-Newton
goes on from it.
"""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from pfsm.runtime.progress import Stage
from pfsm_training.data.training_set import amount_of_pairs, selected_weights
from pfsm_training.fit import gauss_newton
from pfsm_training.fit.training import AREA, PATIENCE, Training
from pfsm_training.loss.objective import (
    HuberError,
    Loss,
    PairwiseLogistic,
    Quadratic,
    SquaredError,
    WeightedSum,
)
from pfsm_training.report.items import (
    MOST_EVALUATIONS,
    Local,
    machine_at,
    product,
    resamples,
    restandardised,
    solved,
)

Float = NDArray[np.float64]
Rows = NDArray[np.int64]

RESAMPLES = 200
REFITS = 100
# Iterations of a refit, and what it may leave of the gradient per training pair.
MOST_STEPS = 4
TOLERANCE = 1e-4
FEWEST_SEGMENTS = 20
LEVELS = (0.025, 0.975)


@dataclass(frozen=True, eq=False)
class Intervals:
    """Intervals of the weights, 95%, by percentiles over resamples.

    Attributes:
        names: [n_parameters], as of `Local`.
        low: float64 [n_parameters].
        high: float64 [n_parameters].
        resamples: Number of them.
        refitted: Whether Gauss-Newton went on from the first step.
    """

    names: tuple[str, ...]
    low: Float
    high: Float
    resamples: int
    refitted: bool


def weight_intervals(training: Training, at: Local, segments: Rows) -> Intervals | None:
    """The intervals; None where there are fewer than ``FEWEST_SEGMENTS`` segments."""
    if not segments.size or int(segments.max()) + 1 < FEWEST_SEGMENTS or not at.parameters.size:
        return None
    refit = REFITS * MOST_STEPS * len(training.data) <= MOST_EVALUATIONS
    count = REFITS if refit else RESAMPLES
    found = []
    with Stage(AREA, "report: intervals of weights", count, "resamples", patience=PATIENCE) as stage:
        for items in resamples(segments, count):
            parameters = _fitted(training, at, items, refit=refit)
            if parameters is not None:
                found.append(parameters)
            stage.advance()
    if len(found) < 2:
        return None
    low, high = np.quantile(np.stack(found), LEVELS, axis=0)
    return Intervals(at.names, low, high, len(found), refit)


def _fitted(training: Training, at: Local, items: Rows, *, refit: bool) -> Float | None:
    """The parameters of a resample; None where all its scores are the same."""
    n_scored = at.data.scores.size
    scored, preferences = items[items < n_scored], items[items >= n_scored] - n_scored
    targets = restandardised(at, scored)
    if targets is None or (n_scored and not scored.size) or not items.size:
        return None
    start = _first_step(at, items, scored, targets)
    if not refit:
        return start
    machine = machine_at(training.fitted, start)
    loss = _loss(at, targets, scored, preferences)
    count = len(machine.learned)
    objective = training.data.objective(
        loss, training.validated.choice.penalty, torch.from_numpy(at.centre[:count])
    )
    gauss_newton.minimise(
        machine,
        objective,
        amount_of_pairs(training.data),
        free_alpha=n_scored > 0,
        tolerance=TOLERANCE,
        secant=training.fitted.fit.secant,
        most_iterations=MOST_STEPS,
    )
    return np.array([*machine.theta.tolist(), *([float(machine.alpha.detach())] * (n_scored > 0))])


def _first_step(at: Local, items: Rows, scored: Rows, targets: Float) -> Float:
    """Newton's step from the trained weights, within their bounds."""
    shifted = at.targets.copy()
    shifted[scored] = targets
    slopes, bends = at.slopes(shifted)
    free = at.free
    rows = at.rows[items][:, free]
    gradient = product(rows.T, slopes[items]) + at.pull()[free]
    gram = product(rows.T * bends[items], rows) + np.diag(at.stiffness[free])
    rest = at.bending[np.ix_(free, free)] * at.share(items)
    step = solved(gram + rest, gradient)
    if step is None:
        step = solved(gram, gradient)
    parameters = at.parameters.copy()
    if step is not None:
        parameters[free] -= step
    return np.maximum(parameters, at.lower)


def _loss(at: Local, targets: Float, scored: Rows, preferences: Rows) -> Loss:
    """The loss of a resample, as a loss of the predictions for all pairs."""
    data = at.data
    weights = selected_weights(data, scored)
    loss = HuberError(targets, weights=weights) if at.huber else SquaredError(targets, weights)
    repeated = Repeated(loss, scored)
    preferred = PairwiseLogistic(
        data.better[preferences], data.worse[preferences], data.votes[preferences], at.slope
    )
    if not data.votes.size:
        return repeated
    if not data.scores.size:
        return preferred
    return WeightedSum([(at.scored_weight, repeated), (at.vote_weight, preferred)])


@dataclass(frozen=True, eq=False)
class Repeated:
    """A loss of judgments that are drawn again and again; a `pfsm_training.loss.objective.Loss`.

    Attributes:
        loss: Of the drawn ones.
        rows: int64 [n_drawn], which predictions these are; ascending.
    """

    loss: SquaredError | HuberError
    rows: Rows

    def value(self, predictions: Tensor) -> Tensor:
        """The sum over the drawn ones."""
        return self.loss.value(predictions[torch.from_numpy(self.rows)])

    def quadratic(self, predictions: Float, jacobian: Float) -> Quadratic:
        """The model of the loss of the drawn ones."""
        return self.loss.quadratic(predictions[self.rows], jacobian[self.rows])

    def part(self, first: int, stop: int) -> "Repeated":
        """The loss of the predictions ``[first:stop]``."""
        begin, end = np.searchsorted(self.rows, [first, stop]).tolist()
        return Repeated(self.loss.part(begin, end), self.rows[begin:end] - first)
