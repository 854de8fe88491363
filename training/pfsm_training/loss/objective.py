"""The objectives of training: losses of predictions plus the penalty on the weights."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from pfsm.lattice.arrays import LatticeBatch
from pfsm.runtime.threads import in_order
from pfsm_training.lattices.store import HeldLattices, Release, with_release
from pfsm_training.loss.hinges import Hinges
from pfsm_training.loss.module import LogLinearMachine

Float = NDArray[np.float64]

# In standardised units; 95% as efficient as the squared error if errors are normal (Huber 1964).
HUBER_THRESHOLD = 1.345
# Blocks for each thread: with no more of them threads would wait long for the last one.
FEW_BLOCKS = 4


@dataclass(frozen=True, eq=False)
class Quadratic:
    """A convex model of a loss around predictions: quadratic but for squared hinges.

    Attributes:
        gradient: float64 [n_parameters], without that of the hinges.
        curvature: float64 [n_parameters, n_parameters], likewise; positive semidefinite.
        hinges: What has no quadratic model; mostly nothing.
    """

    gradient: Float
    curvature: Float
    hinges: tuple[Hinges, ...] = ()

    def __add__(self, other: "Quadratic") -> "Quadratic":
        return Quadratic(
            self.gradient + other.gradient, self.curvature + other.curvature, self.hinges + other.hinges
        )

    def scaled(self, factor: float) -> "Quadratic":
        """The model of the loss times a factor."""
        hinges = tuple(one.scaled(factor) for one in self.hinges)
        return Quadratic(factor * self.gradient, factor * self.curvature, hinges)


class Loss(Protocol):
    """A loss, convex in the predictions."""

    def value(self, predictions: Tensor) -> Tensor:
        """The loss, a scalar; predictions are float64 [n_pairs], in standardised units."""

    def quadratic(self, predictions: Float, jacobian: Float) -> Quadratic:
        """Its quadratic model in the parameters; the Jacobian d prediction / d parameter is [n_pairs, n_parameters]."""

    def part(self, first: int, stop: int) -> "Loss":
        """The loss of the predictions ``[first:stop]`` alone; no term may combine one of them with another."""


@dataclass(frozen=True, eq=False)
class SquaredError:
    """``sum_i w_i (t_i - p_i)^2`` over the first predictions, equation (3) of Wang and Manning (2012) with weights.

    Attributes:
        targets: float64 [n_scored], standardised scores.
        weights: float64 [n_scored], w; None: 1 each.
    """

    targets: Float
    weights: Float | None = None

    def value(self, predictions: Tensor) -> Tensor:
        """The sum of squares."""
        squares = (torch.from_numpy(self.targets) - predictions[: self.targets.size]).square()
        return _weighted(squares, self.weights).sum()

    def quadratic(self, predictions: Float, jacobian: Float) -> Quadratic:
        """The Gauss-Newton model."""
        scored = jacobian[: self.targets.size]
        errors = predictions[: self.targets.size] - self.targets
        if self.weights is None:
            return Quadratic(2.0 * _combined(scored, errors), 2.0 * _gram(scored, scored))
        return _weighted_model(scored, errors, self.weights)

    def part(self, first: int, stop: int) -> "SquaredError":
        """The loss of the predictions ``[first:stop]``."""
        return SquaredError(self.targets[first:stop], _part(self.weights, first, stop))


@dataclass(frozen=True, eq=False)
class HuberError:
    """``sum_i w_i rho(t_i - p_i)``: ``e^2`` up to a threshold k, beyond it ``2 k |e| - k^2`` (Huber 1964).

    Attributes:
        targets: float64 [n_scored], standardised scores.
        threshold: k, in standard deviations of the scores.
        weights: float64 [n_scored], w; None: 1 each.
    """

    targets: Float
    threshold: float = HUBER_THRESHOLD
    weights: Float | None = None

    def value(self, predictions: Tensor) -> Tensor:
        """The sum of losses."""
        errors = (torch.from_numpy(self.targets) - predictions[: self.targets.size]).abs()
        inside = errors.clamp(max=self.threshold)
        return _weighted(inside * (2.0 * errors - inside), self.weights).sum()

    def quadratic(self, predictions: Float, jacobian: Float) -> Quadratic:
        """The model of iteratively reweighted least squares, which is nowhere below the loss."""
        scored = jacobian[: self.targets.size]
        errors = predictions[: self.targets.size] - self.targets
        weights = np.minimum(1.0, self.threshold / np.maximum(np.abs(errors), self.threshold))
        return _weighted_model(scored, errors, weights if self.weights is None else self.weights * weights)

    def part(self, first: int, stop: int) -> "HuberError":
        """The loss of the predictions ``[first:stop]``."""
        return HuberError(self.targets[first:stop], self.threshold, _part(self.weights, first, stop))


@dataclass(frozen=True, eq=False)
class PairwiseLogistic:
    """``sum_k v_k log(1 + exp(-s (p_better - p_worse - m_k)))``: the preference model of Bradley and Terry (1952).

    Attributes:
        better: int64 [n_preferences], index of the prediction for the preferred translation.
        worse: int64 [n_preferences], index of the prediction for the other.
        votes: float64 [n_preferences], weight of each preference.
        slope: s, log odds per unit of prediction.
        asked: float64 [n_preferences], m_k, in the units of predictions: how far the two should be apart; None: 0.
    """

    better: NDArray[np.int64]
    worse: NDArray[np.int64]
    votes: Float
    slope: float = 1.0
    asked: Float | None = None

    def value(self, predictions: Tensor) -> Tensor:
        """Minus the log-likelihood."""
        margins = predictions[torch.from_numpy(self.better)] - predictions[torch.from_numpy(self.worse)]
        if self.asked is not None:
            margins = margins - torch.from_numpy(self.asked)
        losses: Tensor = torch.nn.functional.softplus(-self.slope * margins)
        return (torch.from_numpy(self.votes) * losses).sum()

    def quadratic(self, predictions: Float, jacobian: Float) -> Quadratic:
        """The generalised Gauss-Newton model."""
        apart = predictions[self.better] - predictions[self.worse]
        margins = self.slope * (apart if self.asked is None else apart - self.asked)
        # Neither exponential overflows.
        small = np.exp(-np.abs(margins))
        wrong = np.where(margins >= 0.0, small, 1.0) / (1.0 + small)
        differences = self.slope * (jacobian[self.better] - jacobian[self.worse])
        bend = self.votes * small / (1.0 + small) ** 2
        return Quadratic(
            _combined(differences, -self.votes * wrong),
            _gram(bend[:, np.newaxis] * differences, differences),
        )

    def part(self, first: int, stop: int) -> "PairwiseLogistic":
        """The loss of the preferences between the predictions ``[first:stop]``.

        Raises:
            ValueError: If only one translation of a preference is among them.
        """
        inside = (self.better >= first) & (self.better < stop)
        if (inside != ((self.worse >= first) & (self.worse < stop))).any():
            raise ValueError("a part must contain both translations of a preference or neither")
        return PairwiseLogistic(
            self.better[inside] - first,
            self.worse[inside] - first,
            self.votes[inside],
            self.slope,
            None if self.asked is None else self.asked[inside],
        )


@dataclass(frozen=True, eq=False)
class WeightedSum:
    """A weighted sum of losses."""

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

    def part(self, first: int, stop: int) -> "WeightedSum":
        """The loss of the predictions ``[first:stop]``."""
        return WeightedSum([(weight, loss.part(first, stop)) for weight, loss in self.parts])


class Minimised(Protocol):
    """An objective for Gauss-Newton: a loss, whose lattices may lie on other machines, and the penalty.

    Attributes:
        penalty: lambda.
        centre: float64 [n_learned], theta_0.
    """

    @property
    def penalty(self) -> float:
        """As in `Objective`."""

    @property
    def centre(self) -> Tensor:
        """As in `Objective`."""

    def quadratic(self, machine: LogLinearMachine, *, free_alpha: bool) -> tuple[float, Quadratic]:
        """The objective at the machine's weights, and the quadratic model of its loss alone."""


@dataclass(frozen=True, eq=False)
class Objective:
    """``loss(predictions) + lambda ||theta - theta_0||^2``; alpha is not penalised.

    Attributes:
        blocks: Training lattices; every evaluation reads them all and sums each block by itself.
        loss: Loss of the predictions for all of them.
        penalty: lambda.
        centre: float64 [n_learned], theta_0: zero unless training starts from another model.
    """

    blocks: Collection[LatticeBatch] | HeldLattices
    loss: Loss
    penalty: float
    centre: Tensor

    def __call__(self, machine: LogLinearMachine) -> Tensor:
        """The objective at the machine's current weights, a scalar."""
        predictions = (torch.zeros(0, dtype=torch.float64), *(machine(batch) for batch in self.blocks))
        return self.of_predictions(torch.cat(predictions), machine)

    def of_predictions(self, predictions: Tensor, machine: LogLinearMachine) -> Tensor:
        """The objective, given the predictions."""
        return self.loss.value(predictions) + penalty_of(self, machine)

    def quadratic(self, machine: LogLinearMachine, *, free_alpha: bool) -> tuple[float, Quadratic]:
        """As `Minimised.quadratic`; the sums of the blocks are added in the order of the blocks, as on a cluster."""
        value, model = added(self._models(machine, free_alpha=free_alpha), machine.theta.numel() + free_alpha)
        with torch.no_grad():
            return value + float(penalty_of(self, machine)), model

    def _models(self, machine: LogLinearMachine, *, free_alpha: bool) -> Iterator[tuple[float, Quadratic]]:
        """The losses of the blocks with their models. Threads share out the blocks, and each block if there are few."""
        count = max(1, len(self.blocks))
        at_once = min(machine.threads, count)
        few = count <= FEW_BLOCKS * at_once
        alone = machine.on(max(-(-machine.threads // at_once), min(2, machine.threads) if few else 1))

        def model(block: tuple[LatticeBatch, Release, Loss]) -> tuple[float, Quadratic]:
            if at_once > 1:
                torch.set_num_threads(1)  # of this thread: every one has a number of its own
            batch, release, loss = block
            found = loss_model(*alone.with_jacobian(batch), loss, free_alpha=free_alpha)
            release()
            return found

        return in_order(model, self._parts(), at_once)

    def _parts(self) -> Iterator[tuple[LatticeBatch, Release, Loss]]:
        first = 0
        for batch, release in with_release(self.blocks):
            yield batch, release, self.loss.part(first, first + len(batch))
            first += len(batch)


def penalty_of(objective: Minimised, machine: LogLinearMachine) -> Tensor:
    """``lambda ||theta - theta_0||^2``, a scalar."""
    return objective.penalty * (machine.theta - objective.centre).square().sum()


def loss_model(
    predictions: Float, jacobian: Float, loss: Loss, *, free_alpha: bool
) -> tuple[float, Quadratic]:
    """A loss and its quadratic model, from the results of `LogLinearMachine.with_jacobian`.

    The model has an entry for alpha only if alpha is free.
    """
    value = float(loss.value(torch.from_numpy(predictions)))
    return value, loss.quadratic(predictions, jacobian if free_alpha else jacobian[:, :-1])


def added(parts: Iterable[tuple[float, Quadratic]], n_parameters: int) -> tuple[float, Quadratic]:
    """The sums of losses and of their models, added in the order given; zero without any."""
    nothing = 0.0, Quadratic(np.zeros(n_parameters), np.zeros((n_parameters, n_parameters)))
    rest = iter(parts)
    first = next(rest, nothing)
    return reduce(lambda one, other: (one[0] + other[0], one[1] + other[1]), rest, first)


def _weighted(losses: Tensor, weights: Float | None) -> Tensor:
    return losses if weights is None else torch.from_numpy(weights) * losses


def _part(weights: Float | None, first: int, stop: int) -> Float | None:
    return None if weights is None else weights[first:stop]


def _weighted_model(jacobian: Float, errors: Float, weights: Float) -> Quadratic:
    """The Gauss-Newton model of a weighted sum of squared errors."""
    return Quadratic(
        2.0 * _combined(jacobian, weights * errors),
        2.0 * _gram(weights[:, np.newaxis] * jacobian, jacobian),
    )


def _combined(jacobian: Float, weights: Float) -> Float:
    """``J^T w``. PyTorch on one thread always adds in the same order."""
    return np.asarray((_aligned(jacobian).T @ _aligned(weights)).numpy())


def _gram(left: Float, right: Float) -> Float:
    return np.asarray((_aligned(left).T @ _aligned(right)).numpy())


def _aligned(array: Float) -> Tensor:
    """A copy at the alignment of PyTorch's own memory; at another, linear algebra may add in another order."""
    return torch.from_numpy(np.ascontiguousarray(array)).clone()


@dataclass(frozen=True, eq=False)
class WithPairs:
    """The objective of training plus the loss of such pairs; a `pfsm_training.loss.objective.Minimised`.

    Attributes:
        objective: Of what people said, with the penalty.
        pairs: Of the pairs, without a penalty.
    """

    objective: Minimised
    pairs: Minimised

    @property
    def penalty(self) -> float:
        """As in `pfsm_training.loss.objective.Objective`."""
        return self.objective.penalty

    @property
    def centre(self) -> Tensor:
        """As in `pfsm_training.loss.objective.Objective`."""
        return self.objective.centre

    def quadratic(self, machine: LogLinearMachine, *, free_alpha: bool) -> tuple[float, Quadratic]:
        """As `pfsm_training.loss.objective.Minimised.quadratic`."""
        value, model = self.objective.quadratic(machine, free_alpha=free_alpha)
        more, added = self.pairs.quadratic(machine, free_alpha=free_alpha)
        return value + more, model + added
