"""The kernel as a differentiable PyTorch function; forward-backward gives the exact derivatives."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.autograd.function import once_differentiable

from pfsm_kernels.inference import Expectations, Jumps, Weights, expectations
from pfsm_kernels.inference import log_sum as kernel_log_sum
from pfsm_kernels.lattice.lattices import Lattices


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


def _values(weights: Tensor | None) -> NDArray[np.float64] | None:
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
