"""Losses against plain loops over their definitions; their quadratic models against finite differences."""

import math
from collections.abc import Callable

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from pfsm_training.loss.objective import Loss, PairwiseLogistic, SquaredError, WeightedSum

Float = NDArray[np.float64]
PREDICTIONS, SCORED, WEIGHTS, PAIRS = 14, 9, 4, 12
RNG = np.random.default_rng(0)
TARGETS, COUNTS, MARGINS = (
    RNG.normal(0.0, 2.0, SCORED),
    RNG.uniform(0.1, 4.0, SCORED),
    RNG.uniform(0.0, 1.0, PAIRS),
)
# Pairs of predictions, some contradictory, some twice, with votes of which one is zero.
BETTER = RNG.integers(0, PREDICTIONS, PAIRS)
WORSE = (BETTER + RNG.integers(1, PREDICTIONS, PAIRS)) % PREDICTIONS
BETTER[1], WORSE[1] = WORSE[0], BETTER[0]
BETTER[3], WORSE[3] = BETTER[2], WORSE[2]
VOTES = RNG.uniform(0.5, 3.0, PAIRS)
VOTES[4] = 0.0
# Predictions that are linear in a few weights.
THETA, JACOBIAN = RNG.normal(size=WEIGHTS), RNG.normal(size=(PREDICTIONS, WEIGHTS))
LINEAR = JACOBIAN @ THETA
ONES, NO_MARGINS = np.ones(SCORED), np.zeros(PAIRS)
NUDGES = 1e-5 * np.eye(WEIGHTS)


def squared(predictions: Float, counts: Float = ONES) -> float:
    return math.fsum(counts[k] * (TARGETS[k] - predictions[k]) ** 2 for k in range(SCORED))


def huber(predictions: Float, counts: Float = ONES) -> float:
    total = 0.0
    for k in range(SCORED):
        error = abs(TARGETS[k] - predictions[k])
        total += counts[k] * (error**2 if error <= 0.8 else 2 * 0.8 * error - 0.8**2)
    return total


def logistic(predictions: Float, least: Float = NO_MARGINS) -> float:
    total = 0.0
    for margin, better, worse, votes in zip(least, BETTER, WORSE, VOTES, strict=True):
        apart = predictions[better] - predictions[worse] - margin
        total += votes * math.log(1.0 + math.exp(-1.7 * apart))
    return total


PREFERRED = PairwiseLogistic(BETTER, WORSE, VOTES, slope=1.7)
MIXED = WeightedSum(
    [(0.3, SquaredError(TARGETS)), (1.9, PREFERRED), (0.0, SquaredError(TARGETS, threshold=0.8))]
)
CASES: dict[str, tuple[Loss, Callable[[Float], float]]] = {
    "squared": (SquaredError(TARGETS), squared),
    "huber": (SquaredError(TARGETS, threshold=0.8), huber),
    "mixed": (MIXED, lambda given: 0.3 * squared(given) + 1.9 * logistic(given)),
    "weighted squared": (SquaredError(TARGETS, COUNTS), lambda given: squared(given, COUNTS)),
    "weighted huber": (SquaredError(TARGETS, COUNTS, 0.8), lambda given: huber(given, COUNTS)),
    "margins": (PairwiseLogistic(BETTER, WORSE, VOTES, 1.7, MARGINS), lambda given: logistic(given, MARGINS)),
}


def value_of(loss: Loss, predictions: Float) -> float:
    return float(loss.value(torch.from_numpy(predictions)))


@pytest.mark.parametrize("name", CASES)
def test_values_and_gradients_are_those_of_the_definition(name: str) -> None:
    """The model's gradient, and that of the value by PyTorch, against central differences by hand."""
    loss, by_hand = CASES[name]
    assert value_of(loss, LINEAR) == pytest.approx(by_hand(LINEAR), rel=1e-12)
    found = loss.quadratic(LINEAR, JACOBIAN).gradient
    ends = [[by_hand(JACOBIAN @ (THETA + way * nudge)) for way in (1, -1)] for nudge in NUDGES]
    assert found == pytest.approx([(ahead - behind) / 2e-5 for ahead, behind in ends], abs=1e-6)
    theta = torch.tensor(THETA, requires_grad=True)
    (theirs,) = torch.autograd.grad(loss.value(torch.from_numpy(JACOBIAN) @ theta), theta)
    assert found == pytest.approx(theirs.numpy(), abs=1e-12)


@pytest.mark.parametrize("name", ["weighted squared", "margins", "mixed"])
def test_curvatures_are_the_hessians_of_linear_predictions(name: str) -> None:
    loss, _ = CASES[name]

    def gradient(theta: Float) -> Float:
        return loss.quadratic(JACOBIAN @ theta, JACOBIAN).gradient

    wanted = [(gradient(THETA + nudge) - gradient(THETA - nudge)) / 2e-5 for nudge in NUDGES]
    assert loss.quadratic(LINEAR, JACOBIAN).curvature == pytest.approx(np.array(wanted), abs=1e-7)


def test_hubers_model_touches_the_loss_and_is_nowhere_below_it() -> None:
    loss, rng, gaps = SquaredError(TARGETS, threshold=0.8), np.random.default_rng(0), []
    model, here = loss.quadratic(LINEAR, JACOBIAN), value_of(loss, LINEAR)
    for size in np.geomspace(1e-3, 30.0, 40):
        step = size * rng.normal(size=WEIGHTS)
        quadratic = here + model.gradient @ step + 0.5 * step @ model.curvature @ step
        there = value_of(loss, JACOBIAN @ (THETA + step))
        assert quadratic >= there - 1e-12 * max(1.0, there)
        gaps.append(quadratic - there)
    # Not by a margin that would make every step tiny: it is tangent.
    assert gaps[0] < 1e-4 < gaps[-1]


@pytest.mark.parametrize("margin", [-2000.0, 30.0])
def test_logistic_losses_of_extreme_margins_neither_overflow_nor_vanish(margin: float) -> None:
    loss = PairwiseLogistic(np.array([0]), np.array([1]), np.ones(1), slope=1.0)
    predictions = np.array([margin, 0.0])
    # log(1 + exp(-x)) is -x for x very negative, exp(-x) for x very positive.
    assert value_of(loss, predictions) == pytest.approx(
        -margin if margin < 0 else math.exp(-margin), rel=1e-9
    )
    model = loss.quadratic(predictions, np.array([[1.0], [0.0]]))
    wrong = 1.0 if margin < 0 else math.exp(-margin)
    assert model.gradient == pytest.approx([-wrong], rel=1e-9)
    assert model.curvature[0, 0] == pytest.approx(math.exp(-abs(margin)), rel=1e-9)
