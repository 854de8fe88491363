"""The objectives of training: losses of predictions plus the penalty on the weights.

With several references, predictions of pairs become predictions of judged translations, as in scoring. With p_k the
prediction against reference k of a translation:

    best: p = max_k p_k        d p = d p_b, b the first k whose p_k is the largest
    mean: p = 1/K sum_k p_k    d p = 1/K sum_k d p_k
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from typing import Protocol

import numpy as np
import torch
from torch import Tensor

from pfsm.arrays import Float, Int64
from pfsm.lattice.arrays import LatticeBatch
from pfsm.model.settings import BEST, MEAN, UseOfReferences
from pfsm.runtime.threads import in_order
from pfsm_training.lattices.store import HeldBlock, HeldLattices
from pfsm_training.loss.hinges import Hinges
from pfsm_training.loss.module import LogLinearMachine

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

    With a threshold k ``sum_i w_i rho(t_i - p_i)``: ``e^2`` up to k, beyond it ``2 k |e| - k^2`` (Huber 1964).

    Attributes:
        targets: float64 [n_scored], standardised scores.
        weights: float64 [n_scored], w; None: 1 each.
        threshold: k, in standard deviations of the scores.
    """

    targets: Float
    weights: Float | None = None
    threshold: float = math.inf

    def value(self, predictions: Tensor) -> Tensor:
        """The sum of losses."""
        errors = (torch.from_numpy(self.targets) - predictions[: self.targets.size]).abs()
        inside = errors.clamp(max=self.threshold)
        losses = inside * (2.0 * errors - inside)
        return (losses if self.weights is None else torch.from_numpy(self.weights) * losses).sum()

    def quadratic(self, predictions: Float, jacobian: Float) -> Quadratic:
        """The Gauss-Newton model; beyond a threshold that of reweighted least squares, nowhere below the loss."""
        scored = jacobian[: self.targets.size]
        errors = predictions[: self.targets.size] - self.targets
        sizes, weights = np.abs(errors), np.ones(errors.size)
        np.divide(self.threshold, sizes, out=weights, where=sizes > self.threshold)
        if self.weights is not None:
            weights *= self.weights
        return Quadratic(
            2.0 * _combined(scored, weights * errors),
            2.0 * _gram(weights[:, np.newaxis] * scored, scored),
        )

    def part(self, first: int, stop: int) -> "SquaredError":
        """The loss of the predictions ``[first:stop]``."""
        weights = None if self.weights is None else self.weights[first:stop]
        return SquaredError(self.targets[first:stop], weights, self.threshold)


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

    better: Int64
    worse: Int64
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


class Term(Protocol):
    """A part of an objective; what it is the sum over may lie on other machines."""

    def quadratic(self, machine: LogLinearMachine, *, free_alpha: bool) -> tuple[float, Quadratic]:
        """Its value at the machine's weights, and its quadratic model, with an entry for alpha if alpha is free."""


@dataclass(frozen=True, eq=False)
class BlocksLoss:
    """A loss of the predictions for lattices in this process; a `Term`.

    Attributes:
        blocks: The lattices; every evaluation reads them all and sums each block by itself.
        loss: Loss of the predictions for all of them.
    """

    blocks: HeldLattices
    loss: Loss

    def value(self, machine: LogLinearMachine) -> Tensor:
        """The loss at the machine's current weights, a scalar."""
        predictions = (torch.zeros(0, dtype=torch.float64), *(machine(batch) for batch in self.blocks))
        return self.loss.value(torch.cat(predictions))

    def quadratic(self, machine: LogLinearMachine, *, free_alpha: bool) -> tuple[float, Quadratic]:
        """As `Term.quadratic`; the sums of the blocks are added in the order of the blocks, as on a cluster.

        Threads share out the blocks, and each block if there are few.
        """
        count = max(1, len(self.blocks))
        at_once = min(machine.threads, count)
        few = count <= FEW_BLOCKS * at_once
        alone = machine.on(max(-(-machine.threads // at_once), min(2, machine.threads) if few else 1))

        def model(part: tuple[HeldBlock, Loss]) -> tuple[float, Quadratic]:
            if at_once > 1:
                torch.set_num_threads(1)  # of this thread: every one has a number of its own
            block, loss = part
            found = loss_model(alone, block.batch, loss, free_alpha=free_alpha)
            block.release()
            return found

        return added(in_order(model, self._parts(), at_once), machine.theta.numel() + free_alpha)

    def _parts(self) -> Iterator[tuple[HeldBlock, Loss]]:
        for block, (first, stop) in zip(
            self.blocks.blocks, pairwise(self.blocks.offsets.tolist()), strict=True
        ):
            yield block, self.loss.part(first, stop)


@dataclass(frozen=True, eq=False)
class Objective:
    """``term + lambda ||theta - theta_0||^2 + others``; alpha is not penalised.

    Attributes:
        term: The loss of what people said.
        penalty: lambda.
        centre: float64 [n_learned], theta_0: zero unless training starts from another model.
        others: What the model should keep to besides.
    """

    term: Term
    penalty: float
    centre: Tensor
    others: tuple[Term, ...] = ()

    def quadratic(self, machine: LogLinearMachine, *, free_alpha: bool) -> tuple[float, Quadratic]:
        """The objective at the machine's weights, and the quadratic model of all of it but the penalty."""
        value, model = self.term.quadratic(machine, free_alpha=free_alpha)
        with torch.no_grad():
            value += float(self.penalty_at(machine))
        for other in self.others:
            more, further = other.quadratic(machine, free_alpha=free_alpha)
            value, model = value + more, model + further
        return value, model

    def value(self, machine: LogLinearMachine) -> Tensor:
        """A scalar that PyTorch can differentiate: the objective, whose lattices are here, without other terms."""
        assert isinstance(self.term, BlocksLoss)
        return self.term.value(machine) + self.penalty_at(machine)

    def penalty_at(self, machine: LogLinearMachine) -> Tensor:
        """``lambda ||theta - theta_0||^2``, a scalar."""
        return self.penalty * (machine.theta - self.centre).square().sum()


def loss_model(
    machine: LogLinearMachine, batch: LatticeBatch, loss: Loss, *, free_alpha: bool
) -> tuple[float, Quadratic]:
    """The loss of a block and its quadratic model."""
    predictions, jacobian = machine.with_jacobian(batch)
    value = float(loss.value(torch.from_numpy(predictions)))
    return value, loss.quadratic(predictions, jacobian if free_alpha else jacobian[:, :-1])


def added(parts: Iterable[tuple[float, Quadratic]], n_parameters: int) -> tuple[float, Quadratic]:
    """The sums of losses and of their models, added in the order given; zero without any."""
    nothing = 0.0, Quadratic(np.zeros(n_parameters), np.zeros((n_parameters, n_parameters)))
    rest = iter(parts)
    first = next(rest, nothing)
    return reduce(lambda one, other: (one[0] + other[0], one[1] + other[1]), rest, first)


def _combined(jacobian: Float, weights: Float) -> Float:
    """``J^T w``. PyTorch on one thread always adds in the same order."""
    return np.asarray((_aligned(jacobian).T @ _aligned(weights)).numpy())


def _gram(left: Float, right: Float) -> Float:
    return np.asarray((_aligned(left).T @ _aligned(right)).numpy())


def _aligned(array: Float) -> Tensor:
    """A copy at the alignment of PyTorch's own memory; at another, linear algebra may add in another order."""
    return torch.from_numpy(np.ascontiguousarray(array)).clone()


@dataclass(frozen=True, eq=False)
class PairsOfItems:
    """Which sentence pairs each judged translation, or item, consists of: it against each of its references.

    Attributes:
        offsets: int64 [n_items + 1], the first pair of each item, and the number of pairs.
        use: What several references mean.
    """

    offsets: Int64
    use: UseOfReferences

    @staticmethod
    def of_sizes(sizes: Sequence[int], use: UseOfReferences) -> "PairsOfItems":
        """From the number of references of each item."""
        return PairsOfItems(np.cumsum([0, *sizes], dtype=np.int64), use)

    @staticmethod
    def single(number: int) -> "PairsOfItems":
        """Items of one pair each."""
        return PairsOfItems(np.arange(number + 1), BEST)

    def __len__(self) -> int:
        return self.offsets.size - 1

    @property
    def is_single(self) -> bool:
        """Whether every item has one reference."""
        return int(self.offsets[-1]) == len(self)

    @property
    def sizes(self) -> Int64:
        """int64 [n_items], the references of each."""
        return np.diff(self.offsets)

    def weights(self, of_judged: Float | None) -> Float | None:
        """float64 [n_items], how much each counts: as much as its judgment, and 1 if it is only in preferences.

        Args:
            of_judged: float64 [n_scored], of the first items, the judged ones; None: all count the same.
        """
        if of_judged is None:
            return None
        return np.concatenate([of_judged, np.ones(len(self) - of_judged.size)])

    def select(self, items: Int64) -> tuple["PairsOfItems", Int64]:
        """Some of the items, and int64 the numbers of their pairs.

        Args:
            items: int64 [n], ascending.
        """
        if self.is_single:
            return PairsOfItems(np.arange(items.size + 1), self.use), items
        sizes = self.sizes[items]
        offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        pairs = np.arange(offsets[-1]) + np.repeat(self.offsets[items] - offsets[:-1], sizes)
        return PairsOfItems(offsets, self.use), pairs

    def part(self, first: int, stop: int) -> tuple[int, int, "PairsOfItems"]:
        """The items of the pairs ``[first:stop]``: the first item, the one behind the last, and which pairs they have.

        Raises:
            ValueError: If an item is only partly among the pairs.
        """
        begin, end = np.searchsorted(self.offsets, [first, stop]).tolist()
        if self.offsets[begin] != first or self.offsets[end] != stop:
            raise ValueError("a part must contain all references of a translation or none")
        return begin, end, PairsOfItems(self.offsets[begin : end + 1] - first, self.use)

    def predictions(self, of_pairs: Float) -> Float:
        """Predictions of items, float64 [n_items], from those of pairs, float64 [n_pairs]."""
        return of_pairs if self.is_single else self.over(of_pairs, of_pairs)

    def loss(self, loss: Loss) -> Loss:
        """A loss of items' predictions as one of pairs'."""
        return loss if self.is_single else OverReferences(loss, self)

    def best(self, of_pairs: Float) -> Int64:
        """int64 [n_items], the pair with the highest prediction of each item, the first of equal ones."""
        highest = np.maximum.reduceat(of_pairs, self.offsets[:-1])
        equal = np.flatnonzero(of_pairs == np.repeat(highest, self.sizes))
        return np.asarray(equal[np.searchsorted(equal, self.offsets[:-1])])

    def over(self, of_pairs: Float, values: Float) -> Float:
        """Values of pairs, float64 [n_pairs, …], as those of items: of the best pair, or the mean."""
        if not len(self):
            return values[:0]
        if self.use != MEAN:
            return np.asarray(values[self.best(of_pairs)])
        sizes = self.sizes.reshape(-1, *(1,) * (values.ndim - 1))
        return np.asarray(np.add.reduceat(values, self.offsets[:-1], axis=0) / sizes)


@dataclass(frozen=True, eq=False)
class OverReferences:
    """A `pfsm_training.loss.objective.Loss` of predictions of items, as a loss of predictions of pairs.

    Attributes:
        loss: Of the items.
        items: Which pairs they have.
    """

    loss: Loss
    items: PairsOfItems

    def value(self, predictions: Tensor) -> Tensor:
        """The loss, a scalar."""
        items = self.items
        if items.use != MEAN:
            best = items.best(predictions.detach().numpy()) if len(items) else np.zeros(0, dtype=np.int64)
            return self.loss.value(predictions[torch.from_numpy(best)])
        owner = torch.from_numpy(np.repeat(np.arange(len(items)), items.sizes))
        sums = torch.zeros(len(items), dtype=torch.float64).index_add(0, owner, predictions)
        return self.loss.value(sums / torch.from_numpy(items.sizes))

    def quadratic(self, predictions: Float, jacobian: Float) -> Quadratic:
        """The quadratic model: with the best reference, of the pieces of the loss that hold here."""
        over = self.items.over
        return self.loss.quadratic(over(predictions, predictions), over(predictions, jacobian))

    def part(self, first: int, stop: int) -> "OverReferences":
        """The loss of the pairs ``[first:stop]``.

        Raises:
            ValueError: If an item is only partly among them, or what the loss raises.
        """
        begin, end, items = self.items.part(first, stop)
        return OverReferences(self.loss.part(begin, end), items)
