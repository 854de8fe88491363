"""Losses against plain loops over their definitions; their quadratic models against finite differences."""

import math
from collections.abc import Callable

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from pfsm_training.loss.objective import (
    HuberError,
    Loss,
    PairwiseLogistic,
    SquaredError,
    WeightedSum,
)

Float = NDArray[np.float64]
PREDICTIONS, SCORED, WEIGHTS = 14, 9, 4


def targets(seed: int) -> Float:
    return np.asarray(np.random.default_rng(seed).normal(0.0, 2.0, SCORED))


def better_and_worse(seed: int, n: int = 12) -> tuple[NDArray[np.int64], NDArray[np.int64], Float]:
    """Pairs of predictions, some contradictory, some twice, with votes of which one is zero."""
    rng = np.random.default_rng(seed)
    better = rng.integers(0, PREDICTIONS, n)
    worse = (better + rng.integers(1, PREDICTIONS, n)) % PREDICTIONS
    better[1], worse[1] = worse[0], better[0]
    better[3], worse[3] = better[2], worse[2]
    votes = rng.uniform(0.5, 3.0, n)
    votes[4] = 0.0
    return better.astype(np.int64), worse.astype(np.int64), votes


def weights_of(seed: int) -> Float:
    return np.asarray(np.random.default_rng(seed + 7).uniform(0.1, 4.0, SCORED))


def margins(seed: int) -> Float:
    return np.asarray(np.random.default_rng(seed + 8).uniform(0.0, 1.0, 12))


def squared(seed: int) -> SquaredError:
    return SquaredError(targets(seed))


def huber(seed: int) -> HuberError:
    return HuberError(targets(seed), 0.8)


def logistic(seed: int) -> PairwiseLogistic:
    return PairwiseLogistic(*better_and_worse(seed), slope=1.7)


def mixed(seed: int) -> WeightedSum:
    return WeightedSum([(0.3, squared(seed)), (1.9, logistic(seed)), (0.0, huber(seed))])


def squared_by_hand(seed: int, predictions: Float, weights: Float | None = None) -> float:
    wanted, counts = targets(seed), np.ones(SCORED) if weights is None else weights
    return math.fsum(counts[k] * (wanted[k] - predictions[k]) ** 2 for k in range(SCORED))


def huber_by_hand(seed: int, predictions: Float, weights: Float | None = None) -> float:
    total, wanted, counts = 0.0, targets(seed), np.ones(SCORED) if weights is None else weights
    for k in range(SCORED):
        error = abs(wanted[k] - predictions[k])
        total += counts[k] * (error**2 if error <= 0.8 else 2 * 0.8 * error - 0.8**2)
    return total


def logistic_by_hand(seed: int, predictions: Float, asked: Float | None = None) -> float:
    total, least = 0.0, np.zeros(12) if asked is None else asked
    for margin, better, worse, votes in zip(least, *better_and_worse(seed), strict=True):
        apart = predictions[better] - predictions[worse] - margin
        total += votes * math.log(1.0 + math.exp(-1.7 * apart))
    return total


def mixed_by_hand(seed: int, predictions: Float) -> float:
    return 0.3 * squared_by_hand(seed, predictions) + 1.9 * logistic_by_hand(seed, predictions)


Case = tuple[Callable[[int], Loss], Callable[[int, Float], float]]
CASES: dict[str, Case] = {
    "squared": (squared, squared_by_hand),
    "huber": (huber, huber_by_hand),
    "logistic": (logistic, logistic_by_hand),
    "mixed": (mixed, mixed_by_hand),
    "weighted squared": (
        lambda seed: SquaredError(targets(seed), weights_of(seed)),
        lambda seed, predictions: squared_by_hand(seed, predictions, weights_of(seed)),
    ),
    "weighted huber": (
        lambda seed: HuberError(targets(seed), 0.8, weights_of(seed)),
        lambda seed, predictions: huber_by_hand(seed, predictions, weights_of(seed)),
    ),
    "margins": (
        lambda seed: PairwiseLogistic(*better_and_worse(seed), 1.7, margins(seed)),
        lambda seed, predictions: logistic_by_hand(seed, predictions, margins(seed)),
    ),
}
every_loss = pytest.mark.parametrize("name", CASES)


def linear(seed: int) -> tuple[Float, Float, Float]:
    """Predictions that are linear in a few weights: the weights, the Jacobian, the predictions."""
    rng = np.random.default_rng(seed + 100)
    weights, jacobian = rng.normal(size=WEIGHTS), rng.normal(size=(PREDICTIONS, WEIGHTS))
    return weights, jacobian, jacobian @ weights


def value_of(loss: Loss, predictions: Float) -> float:
    return float(loss.value(torch.from_numpy(predictions)))


@every_loss
def test_values_and_gradients_are_those_of_the_definition(name: str) -> None:
    """The model's gradient, and that of the value by PyTorch, against central differences by hand."""
    seed = 0
    make, by_hand = CASES[name]
    weights, jacobian, predictions = linear(seed)
    assert value_of(make(seed), predictions) == pytest.approx(by_hand(seed, predictions), rel=1e-12)
    found = make(seed).quadratic(predictions, jacobian).gradient
    step = 1e-5
    wanted = [
        (by_hand(seed, jacobian @ (weights + nudge)) - by_hand(seed, jacobian @ (weights - nudge)))
        / (2 * step)
        for nudge in step * np.eye(WEIGHTS)
    ]
    assert found == pytest.approx(wanted, abs=1e-6)
    theta = torch.tensor(weights, requires_grad=True)
    (theirs,) = torch.autograd.grad(make(seed).value(torch.from_numpy(jacobian) @ theta), theta)
    assert found == pytest.approx(theirs.numpy(), abs=1e-12)


@pytest.mark.parametrize("name", ["squared", "weighted squared", "logistic", "margins", "mixed"])
def test_curvatures_are_the_hessians_of_linear_predictions(name: str) -> None:
    seed = 0
    loss = CASES[name][0](seed)
    weights, jacobian, predictions = linear(seed)
    step = 1e-5
    columns = [
        (
            loss.quadratic(jacobian @ (weights + nudge), jacobian).gradient
            - loss.quadratic(jacobian @ (weights - nudge), jacobian).gradient
        )
        / (2 * step)
        for nudge in step * np.eye(WEIGHTS)
    ]
    assert loss.quadratic(predictions, jacobian).curvature == pytest.approx(np.array(columns), abs=1e-7)


def test_hubers_model_touches_the_loss_and_is_nowhere_below_it() -> None:
    seed = 0
    loss = huber(seed)
    weights, jacobian, predictions = linear(seed)
    model = loss.quadratic(predictions, jacobian)
    here = value_of(loss, predictions)
    rng = np.random.default_rng(seed)
    gaps = []
    for size in np.geomspace(1e-3, 30.0, 40):
        step = size * rng.normal(size=WEIGHTS)
        quadratic = here + model.gradient @ step + 0.5 * step @ model.curvature @ step
        there = value_of(loss, jacobian @ (weights + step))
        assert quadratic >= there - 1e-12 * max(1.0, there)
        gaps.append(quadratic - there)
    # Not by a margin that would make every step tiny: it is tangent.
    assert gaps[0] < 1e-4 < gaps[-1]


@pytest.mark.parametrize("margin", [-2000.0, 30.0])
def test_logistic_losses_of_extreme_margins_neither_overflow_nor_vanish(margin: float) -> None:
    ones = np.ones(1)
    loss = PairwiseLogistic(np.array([0]), np.array([1]), ones, slope=1.0)
    predictions = np.array([margin, 0.0])
    found = value_of(loss, predictions)
    # log(1 + exp(-x)) is -x for x very negative, exp(-x) for x very positive.
    assert found == pytest.approx(-margin if margin < 0 else math.exp(-margin), rel=1e-9)
    model = loss.quadratic(predictions, np.array([[1.0], [0.0]]))
    wrong = 1.0 if margin < 0 else math.exp(-margin)
    assert model.gradient == pytest.approx([-wrong], rel=1e-9)
    assert model.curvature[0, 0] == pytest.approx(math.exp(-abs(margin)), rel=1e-9)
