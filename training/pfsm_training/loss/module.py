"""The log-linear model, and the kernel as a differentiable PyTorch function with exact derivatives."""

import copy
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from pfsm.arrays import Float
from pfsm.lattice.arrays import LatticeBatch
from pfsm_kernels.inference import Expectations, Jumps, Weights, expectations
from pfsm_kernels.inference import log_sum as kernel_log_sum
from pfsm_kernels.lattice.features import add_arc_counts, add_table_counts
from pfsm_kernels.lattice.lattices import Lattices
from pfsm_kernels.whole_states import add_visits, are_small, whole_expectations
from pfsm_training.lattices.features import FeatureIndex, WholeIndex, feature_index


class _LogSum(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        table: Tensor,
        arcs: Tensor | None,
        links: Tensor | None,
        lattices: Lattices,
        jumps: Jumps | None,
        threads: int,
    ) -> Tensor:
        weights = Weights(table.detach().numpy(), _values(arcs), _values(links))
        ctx.lattices = lattices
        if not any(ctx.needs_input_grad[:3]):
            return torch.from_numpy(kernel_log_sum(lattices, weights, threads, jumps))
        ctx.expected = expectations(lattices, weights, threads, jumps)
        return torch.from_numpy(ctx.expected.log_sum)

    @staticmethod
    @once_differentiable  # a second derivative would silently be zero
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        gradient = gradients[0].detach().numpy()
        expected: Expectations = ctx.expected
        n, rows, columns = expected.table.shape
        # einsum without a contraction path adds in an order that does not depend on the number of threads.
        table = np.einsum("p,pk->k", gradient, expected.table.reshape(n, rows * columns)).reshape(
            rows, columns
        )
        arcs, links = (
            torch.from_numpy(gradient[ctx.lattices.pair_of_arc] * mass) if needed else None
            for mass, needed in zip((expected.arcs, expected.links), ctx.needs_input_grad[1:3], strict=True)
        )
        return torch.from_numpy(table), arcs, links, None, None, None


def _values(weights: Tensor | None) -> Float | None:
    return None if weights is None else weights.detach().numpy()


def log_sum(
    table: Tensor,
    lattices: Lattices,
    arcs: Tensor | None = None,
    links: Tensor | None = None,
    threads: int = 1,
    jumps: Jumps | None = None,
) -> Tensor:
    """y of every lattice, differentiable in the weights; equation (2) of Wang and Manning (2012).

    Args:
        table: float64 [S + 1, S], ``W[prev, cur]``; row S is Start.
        lattices: The batch.
        arcs: float64 [n_arcs], weight of each arc; None: zero.
        links: float64 [n_arcs], weight of each arc as a continuation; None: zero.
        threads: Threads over pairs; the result does not depend on it.
        jumps: Where the pushdown machine can jump; None: the finite-state machine.

    Returns:
        float64 [n_pairs], in the log domain.

    Raises:
        ValueError: If a weight is NaN or plus infinity, or a shape or type does not fit.
    """
    result = _LogSum.apply(table, arcs, links, lattices, jumps, threads)  # type: ignore[no-untyped-call]
    assert isinstance(result, Tensor)
    return result


class _Normalised(torch.autograd.Function):
    """``LogLinearMachine.edits_with_jacobian`` as a function of the weights that are learned."""

    @staticmethod
    def forward(ctx: Any, theta: Tensor, machine: "LogLinearMachine", batch: LatticeBatch) -> Tensor:  # noqa: ARG004
        values, ctx.slopes = machine.edits_with_jacobian(batch)
        return torch.from_numpy(values)

    @staticmethod
    @once_differentiable  # as above
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        gradient = gradients[0].detach().numpy()
        return torch.from_numpy(np.einsum("p,pk->k", gradient, ctx.slopes)), None, None


class LogLinearMachine(torch.nn.Module):
    """Predicts ``y / (m + n) + alpha``, equations (2) and (3) of Wang and Manning (2012).

    If the batch has the ``y / (m + n)`` of references against themselves, it is subtracted from that of the pair.
    Sentence-level features, if the batch has any, add their weights times their values.

    Args:
        learned: Names of the weights that are parameters; they start at ``initial``.
        initial: Weights by name; zero for absent names. Weights that are not learned stay as they are here.
        alpha: Starting constant.
        threads: Threads over pairs.
    """

    def __init__(
        self, learned: tuple[str, ...], initial: Mapping[str, float], alpha: float = 0.0, threads: int = 1
    ) -> None:
        super().__init__()
        self.learned = learned
        self.initial = dict(initial)
        self.threads = threads
        start = [self.initial.get(name, 0.0) for name in learned]
        self.theta = torch.nn.Parameter(torch.tensor(start, dtype=torch.float64))
        self.alpha = torch.nn.Parameter(torch.tensor(alpha, dtype=torch.float64))

    def on(self, threads: int) -> "LogLinearMachine":
        """The same machine, its parameters included, on so many threads."""
        same = copy.copy(self)
        same.threads = threads
        return same

    def forward(self, batch: LatticeBatch) -> Tensor:
        """Predictions in standardised units, float64 [n_pairs]; ``y / (m + n)`` is 0 for an empty pair."""
        index = feature_index(batch, self.learned, self.initial)
        predictions = self._normalised(batch) + self.alpha
        if not batch.sentence_features.names:
            return predictions
        return (
            predictions + torch.from_numpy(batch.sentence_features.values) @ self._all(index)[index.columns]
        )

    def _normalised(self, batch: LatticeBatch) -> Tensor:
        """``y / (m + n)``, less that of a perfect match; float64 [n_pairs], 0 for a model without edits."""
        if not batch.states:
            return torch.zeros(len(batch), dtype=torch.float64)
        if torch.is_grad_enabled():
            result = _Normalised.apply(self.theta, self, batch)  # type: ignore[no-untyped-call]
            assert isinstance(result, Tensor)
            return result
        named = self.weights()
        return torch.from_numpy(batch.values(named, batch.weights(named), self.threads))

    def with_jacobian(self, batch: LatticeBatch) -> tuple[Float, Float]:
        """Predictions and their exact derivatives, which are the expected counts of the features per token.

        Returns:
            float64 [n_pairs]; float64 [n_pairs, n_learned + 1], the last column for alpha.
        """
        index = feature_index(batch, self.learned, self.initial)
        weights = self._all(index).detach().numpy()
        size = len(self.learned)
        jacobian = np.zeros((len(batch), size + 1))
        jacobian[:, size] = 1.0
        predictions = np.full(len(batch), float(self.alpha.detach()))
        if batch.states:
            normalised, jacobian[:, :size] = self.edits_with_jacobian(batch)
            predictions += normalised
        for values, column in zip(batch.sentence_features.values.T, index.columns.tolist(), strict=True):
            predictions += values * weights[column]
            if column < size:
                jacobian[:, column] += values
        return predictions, jacobian

    def edits_with_jacobian(self, batch: LatticeBatch) -> tuple[Float, Float]:
        """``y / (m + n)``, less that of a perfect match, and its derivatives, float64 [n_pairs, n_learned]."""
        index = feature_index(batch, self.learned, self.initial)
        weights = self._all(index).detach().numpy()
        expected, counts = self._edit_counts(batch, index, weights)
        for features, places, numbers in (
            (batch.arc_features, index.arcs, expected.arcs),
            (batch.link_features, index.links, expected.links),
        ):
            if features.arc.size:
                entries = features.arc, features.feature, features.value
                add_arc_counts(batch.lattices.pair_of_arc, entries, places, numbers, counts)
        lengths = np.maximum(batch.lattices.lengths, 1)
        counts /= lengths[:, np.newaxis]
        values = expected.log_sum / lengths
        if batch.perfect is None:
            return values, counts
        of = batch.perfect.of
        same, slopes = self.edits_with_jacobian(batch.perfect.batch)
        return values - same[of], counts - slopes[of]

    def _edit_counts(
        self, batch: LatticeBatch, index: FeatureIndex, weights: Float
    ) -> tuple[Expectations, Float]:
        """What the kernel expects, and the expected numbers of states and transitions, float64 [n_pairs, n_learned]."""
        n_arcs = batch.lattices.arcs.shape[0]
        arcs = batch.arc_features.weights_on_arcs(weights[index.arcs], n_arcs)
        links = batch.link_features.weights_on_arcs(weights[index.links], n_arcs)
        counts = np.zeros((len(batch), len(self.learned)))
        whole = index.whole
        if whole is not None and are_small(visits := weights[whole.visits]):
            given = Weights(_table(weights, whole), arcs, links)
            expected = whole_expectations(
                batch.lattices, given, whole.parts, visits, self.threads, batch.jumps
            )
            add_table_counts(expected.table, whole.states, whole.transitions, counts)
            add_visits(batch.lattices, expected.arcs, whole.visits, counts)
        else:
            given = Weights(_table(weights, index), arcs, links)
            expected = expectations(batch.lattices, given, self.threads, batch.jumps)
            add_table_counts(expected.table, index.states, index.transitions, counts)
        return expected, counts

    def weights(self) -> dict[str, float]:
        """Current weights by name, the fixed ones included."""
        return {**self.initial, **dict(zip(self.learned, self.theta.tolist(), strict=True))}

    def _all(self, index: FeatureIndex) -> Tensor:
        return torch.cat([self.theta, torch.from_numpy(index.fixed)])


def _table(weights: Float, index: FeatureIndex | WholeIndex) -> Float:
    table: Float = weights[index.states].sum(0) + weights[index.transitions].sum(0)
    return table
