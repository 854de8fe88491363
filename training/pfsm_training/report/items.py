"""The loss of a trained model, taken apart: one item for each judgment and each preference.

The loss is a sum over items of a convex function of a number that is nearly linear in the parameters: the prediction
for a judgment, the margin between two predictions for a preference. Around the minimum, an item has the derivatives

    gradient_i = slope_i * row_i,      curvature_i = bend_i * row_i row_i^T,

where ``row_i`` are the derivatives of its number. The parameters are the learned weights, then alpha if it is free.
The bootstrap of the weights is sums of these. What the sum of ``curvature_i`` leaves out, the second derivatives of the
log-sum, is `Local.bending`.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from pfsm.data import Judgments, Preferences
from pfsm.evaluation.bootstrap import default_seed
from pfsm.matchers.bins import is_rising
from pfsm_training.data.moments import mean_and_sd
from pfsm_training.data.training_set import TrainingSet, amount_judged, selected_weights
from pfsm_training.fit.crossval import segment_names
from pfsm_training.fit.fitting import Fitted
from pfsm_training.fit.training import Training
from pfsm_training.loss.module import LogLinearMachine
from pfsm_training.loss.objective import HUBER_THRESHOLD

Float = NDArray[np.float64]
Rows = NDArray[np.int64]

# Evaluations of a pair that second derivatives may take: about five seconds.
MOST_EVALUATIONS = 500_000
# Numbers in the derivatives of all pairs: 400 MB.
MOST_NUMBERS = 50_000_000
STEP = 1e-4


@dataclass(frozen=True, eq=False)
class Local:
    """The objective near the trained weights.

    Attributes:
        names: Of the parameters, [n_parameters]; alpha is ``""``.
        parameters: float64 [n_parameters].
        free: bool [n_parameters]; False for weights that a bound holds.
        lower: float64 [n_parameters], bounds.
        centre: float64 [n_parameters], where the penalty is 0.
        stiffness: float64 [n_parameters], twice lambda; 0 for alpha.
        predictions: float64 [n_translations], in standardised units.
        jacobian: float64 [n_translations, n_parameters].
        rows: float64 [n_items, n_parameters]; judgments come first.
        bending: float64 [n_parameters, n_parameters], the rest of the curvature; zero where it was not worked out.
        data: The training data.
        mean: Of the training scores.
        sd: Of the training scores; 1 where they are not standardised, and the mean is 0.
        scored_weight: Weight of a judgment in the loss.
        vote_weight: Weight of a vote in the loss.
        slope: Log odds of a preference per unit of prediction.
        huber: Whether the loss of the scores is Huber's.
        raw: Whether the scores are not standardised.
    """

    names: tuple[str, ...]
    parameters: Float
    free: NDArray[np.bool_]
    lower: Float
    centre: Float
    stiffness: Float
    predictions: Float
    jacobian: Float
    rows: Float
    bending: Float
    data: TrainingSet
    mean: float
    sd: float
    scored_weight: float
    vote_weight: float
    slope: float
    huber: bool
    raw: bool

    @property
    def targets(self) -> Float:
        """Standardised scores, float64 [n_scored]."""
        return (self.data.scores - self.mean) / self.sd

    @property
    def weights(self) -> Float:
        """How much each judgment counts, float64 [n_scored]."""
        return np.ones(self.data.scores.size) if self.data.weights is None else self.data.weights

    def share(self, items: Rows) -> float:
        """How much of all that people said is in some items, which may stand there repeatedly."""
        counts = np.concatenate([self.weights, np.ones(self.data.votes.size)])
        return float(counts[items].sum() / counts.sum())

    def slopes(self, targets: Float) -> tuple[Float, Float]:
        """First and second derivatives of the loss of each item, float64 [n_items] each, at these targets."""
        errors = self.predictions[: targets.size] - targets
        bends = np.ones(targets.size)
        if self.huber:
            bends = (np.abs(errors) <= HUBER_THRESHOLD).astype(np.float64)
            errors = np.clip(errors, -HUBER_THRESHOLD, HUBER_THRESHOLD)
        margins = self.slope * (self.predictions[self.data.better] - self.predictions[self.data.worse])
        wrong = 0.5 * (1.0 - np.tanh(0.5 * margins))
        weights = self.vote_weight * self.data.votes
        scored = 2.0 * self.scored_weight * self.weights
        return (
            np.concatenate([scored * errors, -weights * self.slope * wrong]),
            np.concatenate([scored * bends, weights * self.slope**2 * wrong * (1.0 - wrong)]),
        )

    def pull(self) -> Float:
        """Gradient of the penalty, float64 [n_parameters]."""
        return self.stiffness * (self.parameters - self.centre)


def local(training: Training) -> Local | None:
    """The objective near the trained weights; None where its derivatives would take too much memory."""
    data, fitted, fitter = training.data, training.fitted, training.fitter
    machine, choice = fitted.machine, training.validated.choice
    free_alpha = data.scores.size > 0
    size = len(machine.learned) + free_alpha
    if len(data) * size > MOST_NUMBERS:
        return None
    predictions, jacobian = _translations(data, machine, size)
    slope = fitted.slope or 0.0
    both = bool(data.scores.size and data.votes.size)
    init = {} if fitter.init is None else fitter.init.weights
    parameters = np.array([*machine.theta.tolist(), *([float(machine.alpha.detach())] * free_alpha)])
    lower = np.array(
        [0.0 if is_rising(name) else -np.inf for name in machine.learned] + [-np.inf] * free_alpha
    )
    result = Local(
        (*machine.learned, *([""] * free_alpha)),
        parameters,
        parameters > lower,
        lower,
        np.array([init.get(name, 0.0) for name in machine.learned] + [0.0] * free_alpha),
        np.array([2.0 * choice.penalty] * len(machine.learned) + [0.0] * free_alpha),
        predictions,
        jacobian,
        _rows(data, jacobian),
        np.zeros((size, size)),
        data,
        fitted.mean,
        fitted.sd,
        1.0 - choice.mixture if both else 1.0,
        choice.mixture * amount_judged(data) / float(data.votes.sum()) if both else 1.0,
        slope,
        fitter.config.objective == "huber",
        not fitter.config.standardise,
    )
    if len(data) * size > MOST_EVALUATIONS or not parameters.size:
        return result
    result.bending[:] = _bending(result, fitted)
    return result


def _bending(at: Local, fitted: Fitted) -> Float:
    """The part of the curvature that is owed to the second derivatives of the predictions, by differences."""
    slopes, _ = at.slopes(at.targets)
    before = product(at.rows.T, slopes)
    columns = []
    for number in range(at.parameters.size):
        moved = at.parameters.copy()
        moved[number] += STEP
        rows = _rows_at(at, fitted, moved)
        # The slopes stay, so that the change is that of the rows alone.
        columns.append((product(rows.T, slopes) - before) / STEP)
    found = np.stack(columns)
    return (found + found.T) / 2.0


def _rows_at(at: Local, fitted: Fitted, parameters: Float) -> Float:
    return _rows(at.data, _translations(at.data, machine_at(fitted, parameters), parameters.size)[1])


def _translations(data: TrainingSet, machine: LogLinearMachine, size: int) -> tuple[Float, Float]:
    """Predictions for translations and their derivatives, of which a translation may have several references.

    Returns:
        float64 [n_translations]; float64 [n_translations, size].
    """
    blocks = list(data.jacobians(machine))
    predictions = np.concatenate([np.zeros(0), *(block[0] for block in blocks)])
    jacobian = np.concatenate([np.zeros((0, size)), *(block[1][:, :size] for block in blocks)])
    if data.items.is_single:
        return predictions, jacobian
    return data.items.over(predictions, predictions), data.items.over(predictions, jacobian)


def _rows(data: TrainingSet, jacobian: Float) -> Float:
    """Derivatives of the number of each item, float64 [n_items, n_parameters]."""
    return np.concatenate([jacobian[: data.scores.size], jacobian[data.better] - jacobian[data.worse]])


def machine_at(fitted: Fitted, parameters: Float) -> LogLinearMachine:
    """The model with other parameters."""
    machine = fitted.machine
    count = len(machine.learned)
    weights = {**machine.initial, **dict(zip(machine.learned, parameters[:count].tolist(), strict=True))}
    alpha = float(parameters[count]) if parameters.size > count else float(machine.alpha.detach())
    return LogLinearMachine(machine.learned, weights, alpha, machine.threads)


def product(left: Float, right: Float) -> Float:
    """A matrix product that adds in the same order on any number of processors; PyTorch must run on one thread."""
    first, second = (torch.from_numpy(np.ascontiguousarray(one)).clone() for one in (left, right))
    return np.asarray((first @ second).numpy())


def solved(curvature: Float, right: Float) -> Float | None:
    """The solution of a symmetric system, float64 as ``right``; None where the curvature is not positive definite."""
    factor, failed = torch.linalg.cholesky_ex(torch.from_numpy(np.ascontiguousarray(curvature)).clone())
    if int(failed):
        return None
    columns = torch.from_numpy(np.ascontiguousarray(right)).clone()
    wide = columns if columns.ndim == 2 else columns[:, None]
    return np.asarray(torch.cholesky_solve(wide, factor).numpy()).reshape(right.shape)


def restandardised(at: Local, scored: Rows) -> Float | None:
    """Scores of some judgments, standardised by their own mean and standard deviation, if at all.

    None where all are the same.
    """
    scores = at.data.scores[scored]
    mean, sd = mean_and_sd(scores, selected_weights(at.data, scored))
    if scores.size and not sd > 1e-12 * abs(mean):
        return None
    return scores if at.raw else (scores - mean) / sd


def segments_of(judgments: Judgments | None, preferences: Preferences | None) -> Rows:
    """Number of the segment of each judgment, then of each preference, int64 [n_items].

    As in cross-validation: rows with the same ``segment_id`` or the same reference are of one segment. Where there are
    scores and preferences it is always the reference.
    """
    parts = [part for part in (judgments, preferences) if part is not None]
    keys: list[str] = []
    for part in parts:
        keys += segment_names(part) if len(parts) == 1 else part.references
    number = {key: at for at, key in enumerate(sorted(set(keys)))}
    return np.array([number[key] for key in keys], dtype=np.int64)


def resamples(segments: Rows, count: int) -> Iterator[Rows]:
    """Items of as many segments, drawn with replacement, ascending; an item stands as often as its segment is drawn.

    Args:
        segments: int64 [n_items].
        count: Number of resamples; the seed is that of PFSM_SEED.

    Raises:
        PfsmError: If PFSM_SEED is no seed.
    """
    random = np.random.default_rng(default_seed())
    n_segments = int(segments.max()) + 1
    for _ in range(count):
        times = np.bincount(random.integers(n_segments, size=n_segments), minlength=n_segments)
        yield np.repeat(np.arange(segments.size, dtype=np.int64), times[segments])
