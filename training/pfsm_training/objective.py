"""What training minimises: losses of predictions, and the penalty on the weights."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from pfsm.lattice import LatticeBatch
from pfsm_training.module import LogLinearMachine

Float = NDArray[np.float64]

OBJECTIVES = ("squared_error", "huber")
# Of the standardised error: 95% as efficient as squares on normal errors (Huber 1964).
HUBER_THRESHOLD = 1.345


@dataclass(frozen=True, eq=False)
class Quadratic:
    """A convex quadratic model of a loss around predictions.

    Attributes:
        gradient: float64 [n_parameters].
        curvature: float64 [n_parameters, n_parameters], positive semidefinite.
    """

    gradient: Float
    curvature: Float

    def __add__(self, other: "Quadratic") -> "Quadratic":
        return Quadratic(self.gradient + other.gradient, self.curvature + other.curvature)

    def scaled(self, factor: float) -> "Quadratic":
        """The model of the loss times a factor."""
        return Quadratic(factor * self.gradient, factor * self.curvature)


class Loss(Protocol):
    """A loss, convex in the predictions."""

    def value(self, predictions: Tensor) -> Tensor:
        """The loss, a scalar; predictions are float64 [n_pairs], in standardised units."""

    def quadratic(self, predictions: Float, jacobian: Float) -> Quadratic:
        """Its quadratic model in the parameters, from float64 [n_pairs, n_parameters], d prediction / d parameter."""


@dataclass(frozen=True, eq=False)
class SquaredError:
    """``sum_i (t_i - p_i)^2`` over the first predictions, equation (3) of Wang and Manning (2012).

    Attributes:
        targets: float64 [n_scored], standardised scores.
    """

    targets: Float

    def value(self, predictions: Tensor) -> Tensor:
        """The sum of squares."""
        return (torch.from_numpy(self.targets) - predictions[: self.targets.size]).square().sum()

    def quadratic(self, predictions: Float, jacobian: Float) -> Quadratic:
        """The Gauss-Newton model."""
        scored = jacobian[: self.targets.size]
        errors = predictions[: self.targets.size] - self.targets
        return Quadratic(2.0 * _combined(scored, errors), 2.0 * _gram(scored, scored))


@dataclass(frozen=True, eq=False)
class HuberError:
    """``sum_i rho(t_i - p_i)``: ``e^2`` up to a threshold k, beyond it ``2 k |e| - k^2`` (Huber 1964).

    Attributes:
        targets: float64 [n_scored], standardised scores.
        threshold: k, in standard deviations of the scores.
    """

    targets: Float
    threshold: float = HUBER_THRESHOLD

    def value(self, predictions: Tensor) -> Tensor:
        """The sum of losses."""
        errors = (torch.from_numpy(self.targets) - predictions[: self.targets.size]).abs()
        inside = errors.clamp(max=self.threshold)
        return (inside * (2.0 * errors - inside)).sum()

    def quadratic(self, predictions: Float, jacobian: Float) -> Quadratic:
        """The model of iteratively reweighted least squares, nowhere below the loss."""
        scored = jacobian[: self.targets.size]
        errors = predictions[: self.targets.size] - self.targets
        weights = np.minimum(1.0, self.threshold / np.maximum(np.abs(errors), self.threshold))
        return Quadratic(
            2.0 * _combined(scored, weights * errors),
            2.0 * _gram(weights[:, np.newaxis] * scored, scored),
        )


@dataclass(frozen=True, eq=False)
class PairwiseLogistic:
    """``sum_k v_k log(1 + exp(-s (p_better - p_worse)))``: preferences as Bradley and Terry (1952) see them.

    Attributes:
        better: int64 [n_preferences], which prediction is that of the preferred translation.
        worse: int64 [n_preferences], that of the other.
        votes: float64 [n_preferences].
        slope: s, log odds per unit of prediction.
    """

    better: NDArray[np.int64]
    worse: NDArray[np.int64]
    votes: Float
    slope: float = 1.0

    def value(self, predictions: Tensor) -> Tensor:
        """Minus the log-likelihood."""
        margins = predictions[torch.from_numpy(self.better)] - predictions[torch.from_numpy(self.worse)]
        losses: Tensor = torch.nn.functional.softplus(-self.slope * margins)
        return (torch.from_numpy(self.votes) * losses).sum()

    def quadratic(self, predictions: Float, jacobian: Float) -> Quadratic:
        """The generalised Gauss-Newton model."""
        margins = self.slope * (predictions[self.better] - predictions[self.worse])
        # Neither exponential overflows.
        small = np.exp(-np.abs(margins))
        wrong = np.where(margins >= 0.0, small, 1.0) / (1.0 + small)
        differences = self.slope * (jacobian[self.better] - jacobian[self.worse])
        bend = self.votes * small / (1.0 + small) ** 2
        return Quadratic(
            _combined(differences, -self.votes * wrong),
            _gram(bend[:, np.newaxis] * differences, differences),
        )


@dataclass(frozen=True, eq=False)
class WeightedSum:
    """Several losses in one training, each with its weight."""

    parts: Sequence[tuple[float, Loss]]

    def value(self, predictions: Tensor) -> Tensor:
        """The weighted sum."""
        total = torch.zeros((), dtype=torch.float64)
        for weight, loss in self.parts:
            total = total + weight * loss.value(predictions)
        return total

    def quadratic(self, predictions: Float, jacobian: Float) -> Quadratic:
        """The weighted sum of the models."""
        (first_weight, first), *others = self.parts
        result = first.quadratic(predictions, jacobian).scaled(first_weight)
        for weight, loss in others:
            result += loss.quadratic(predictions, jacobian).scaled(weight)
        return result


@dataclass(frozen=True, eq=False)
class Objective:
    """``loss(predictions) + lambda ||theta - theta_0||^2``; alpha is not penalised.

    Attributes:
        batch: Training lattices.
        loss: Of the predictions for them.
        penalty: lambda.
        centre: float64 [n_learned], theta_0: zero unless training starts from another model.
    """

    batch: LatticeBatch
    loss: Loss
    penalty: float
    centre: Tensor

    def __call__(self, machine: LogLinearMachine) -> Tensor:
        """The objective at the machine's current weights, a scalar."""
        return self.of_predictions(machine(self.batch), machine)

    def of_predictions(self, predictions: Tensor, machine: LogLinearMachine) -> Tensor:
        """The objective where the predictions are known."""
        return self.loss.value(predictions) + self.penalty * (machine.theta - self.centre).square().sum()


def _combined(jacobian: Float, weights: Float) -> Float:
    """``J^T w``; PyTorch on one thread, which always adds in the same order."""
    return np.asarray((torch.from_numpy(jacobian).T @ torch.from_numpy(weights)).numpy())


def _gram(left: Float, right: Float) -> Float:
    return np.asarray((torch.from_numpy(left).T @ torch.from_numpy(right)).numpy())
