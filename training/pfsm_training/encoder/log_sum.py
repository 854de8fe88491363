"""The log-sum of the machine over pieces as a differentiable function: its gradient is expected counts.

Reference: Wang and Manning (2012), equation (2), by the kernels of `pfsm_kernels.dense.machine`.
"""

from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from pfsm_kernels.dense.machine import expected_counts


class _LogSum(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, *given: Tensor) -> Tensor:
        *weights, rows, columns = given
        arrays = [one.detach().cpu().double().contiguous().numpy() for one in weights]
        sizes = [one.cpu().numpy().astype(np.int64) for one in (rows, columns)]
        sums, *counts = expected_counts(*arrays, *sizes)
        ctx.save_for_backward(
            *(torch.from_numpy(part).to(one) for part, one in zip(counts, weights, strict=True))
        )
        return torch.from_numpy(sums).to(weights[0])

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, outer: Tensor) -> tuple[Tensor | None, ...]:
        substitute, delete, insert, transitions = ctx.saved_tensors
        return (
            outer[:, None, None] * substitute,
            outer[:, None] * delete,
            outer[:, None] * insert,
            (outer[:, None, None] * transitions).sum(dim=0),
            None,
            None,
        )


def log_sums(
    substitute: Tensor, delete: Tensor, insert: Tensor, transitions: Tensor, rows: Tensor, columns: Tensor
) -> Tensor:
    """Log-sums of a batch of pairs [n_pairs]; arguments as `pfsm_kernels.dense.machine.log_sums`.

    The recurrences run in float64 on the processor, wherever the weights are.
    """
    result: Tensor = _LogSum.apply(substitute, delete, insert, transitions, rows, columns)  # type: ignore[no-untyped-call]
    return result
