"""Losses against plain loops over their definitions; their quadratic models against finite differences."""

import math
from collections.abc import Callable

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from pfsm_training.loss.objective import (
    HUBER_THRESHOLD,
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


def squared(seed: int) -> SquaredError:
    return SquaredError(targets(seed))


def huber(seed: int) -> HuberError:
    return HuberError(targets(seed), 0.8)


def logistic(seed: int) -> PairwiseLogistic:
    return PairwiseLogistic(*better_and_worse(seed), slope=1.7)


def mixed(seed: int) -> WeightedSum:
    return WeightedSum([(0.3, squared(seed)), (1.9, logistic(seed)), (0.0, huber(seed))])


def squared_by_hand(seed: int, predictions: Float) -> float:
    wanted = targets(seed)
    return math.fsum((wanted[k] - predictions[k]) ** 2 for k in range(SCORED))


def huber_by_hand(seed: int, predictions: Float) -> float:
    total, wanted = 0.0, targets(seed)
    for k in range(SCORED):
        error = abs(wanted[k] - predictions[k])
        total += error**2 if error <= 0.8 else 2 * 0.8 * error - 0.8**2
    return total


def logistic_by_hand(seed: int, predictions: Float) -> float:
    total = 0.0
    for better, worse, votes in zip(*better_and_worse(seed), strict=True):
        total += votes * math.log(1.0 + math.exp(-1.7 * (predictions[better] - predictions[worse])))
    return total


def mixed_by_hand(seed: int, predictions: Float) -> float:
    return 0.3 * squared_by_hand(seed, predictions) + 1.9 * logistic_by_hand(seed, predictions)


Case = tuple[Callable[[int], Loss], Callable[[int, Float], float]]
CASES: dict[str, Case] = {
    "squared": (squared, squared_by_hand),
    "huber": (huber, huber_by_hand),
    "logistic": (logistic, logistic_by_hand),
    "mixed": (mixed, mixed_by_hand),
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
@pytest.mark.parametrize("seed", range(5))
def test_values_are_those_of_the_definition(name: str, seed: int) -> None:
    make, by_hand = CASES[name]
    predictions = np.random.default_rng(seed).normal(0.0, 2.0, PREDICTIONS)
    assert value_of(make(seed), predictions) == pytest.approx(by_hand(seed, predictions), rel=1e-12)


@every_loss
@pytest.mark.parametrize("seed", range(5))
def test_gradients_are_those_of_the_definition(name: str, seed: int) -> None:
    """The model's gradient, and that of the value by PyTorch, against central differences by hand."""
    make, by_hand = CASES[name]
    weights, jacobian, predictions = linear(seed)
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


@every_loss
@pytest.mark.parametrize("seed", range(5))
def test_curvatures_are_symmetric_and_never_negative(name: str, seed: int) -> None:
    _, jacobian, predictions = linear(seed)
    curvature = CASES[name][0](seed).quadratic(predictions, jacobian).curvature
    np.testing.assert_allclose(curvature, curvature.T, rtol=0.0, atol=1e-12)
    assert np.linalg.eigvalsh(curvature).min() > -1e-12
    assert np.linalg.eigvalsh(curvature).max() > 0.1


@pytest.mark.parametrize("name", ["squared", "logistic", "mixed"])
@pytest.mark.parametrize("seed", range(5))
def test_curvatures_are_the_hessians_of_linear_predictions(name: str, seed: int) -> None:
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


@pytest.mark.parametrize("seed", range(5))
def test_hubers_model_touches_the_loss_and_is_nowhere_below_it(seed: int) -> None:
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


def test_hubers_loss_is_the_squared_error_inside_and_grows_by_lines_outside() -> None:
    loss = HuberError(np.zeros(1))
    assert loss.threshold == HUBER_THRESHOLD

    def at(error: float) -> float:
        return value_of(loss, np.array([error]))

    assert at(1.3) == pytest.approx(1.69)
    assert at(-1.3) == pytest.approx(1.69)
    k = HUBER_THRESHOLD
    assert at(k) == pytest.approx(k**2)
    assert at(5.0) - at(4.0) == pytest.approx(2 * k)
    assert at(-4.0) == at(4.0)


@pytest.mark.parametrize("margin", [-2000.0, -30.0, 30.0, 2000.0])
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


def test_votes_count_as_rows() -> None:
    better, worse, votes = np.array([0, 2]), np.array([1, 3]), np.array([3.0, 0.0])
    predictions = np.array([0.3, 1.0, -2.0, 0.4])
    weighted = PairwiseLogistic(better, worse, votes, 1.0)
    repeated = PairwiseLogistic(np.zeros(3, np.int64), np.ones(3, np.int64), np.ones(3), 1.0)
    assert value_of(weighted, predictions) == pytest.approx(value_of(repeated, predictions), rel=1e-14)


def test_a_pair_preferred_either_way_alike_is_best_tied() -> None:
    """Two votes against one: the margin of the smallest loss is log 2."""
    loss = PairwiseLogistic(np.array([0, 1]), np.array([1, 0]), np.array([2.0, 1.0]), 1.0)
    jacobian = np.array([[1.0], [0.0]])
    at_best = loss.quadratic(np.array([math.log(2.0), 0.0]), jacobian)
    assert at_best.gradient == pytest.approx([0.0], abs=1e-15)
    tied = PairwiseLogistic(loss.better, loss.worse, np.ones(2), 1.0)
    assert tied.quadratic(np.zeros(2), jacobian).gradient == pytest.approx([0.0], abs=1e-15)


def test_only_the_scored_predictions_count_in_losses_of_scores() -> None:
    predictions = np.random.default_rng(1).normal(size=PREDICTIONS)
    changed = predictions.copy()
    changed[SCORED:] += 10.0
    for make in (squared, huber):
        assert value_of(make(0), changed) == value_of(make(0), predictions)
        jacobian = np.ones((PREDICTIONS, 1))
        found = make(0).quadratic(predictions, jacobian)
        jacobian[SCORED:] = 5.0
        assert make(0).quadratic(predictions, jacobian).gradient == pytest.approx(found.gradient)
