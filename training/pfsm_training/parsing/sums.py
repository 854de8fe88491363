"""Log-sums over trees as differentiable functions; the kernels compute value and gradient (the marginals) together."""

from typing import Any

import numpy as np
import torch
from torch import Tensor

from pfsm_kernels.syntax.bracketing import span_marginals_batch
from pfsm_kernels.syntax.dependency_trees import tree_marginals_batch


class _TreeLogSum(torch.autograd.Function):
    """Log-sum over single-root dependency trees of a padded batch."""

    @staticmethod
    def forward(ctx: Any, scores: Tensor, lengths: Tensor) -> Tensor:
        table = scores.detach().double().contiguous().numpy()
        marginals = np.zeros_like(table)
        log_sums, determinants = np.zeros(table.shape[0]), np.zeros(table.shape[0])
        tree_marginals_batch(table, lengths.numpy(), log_sums, determinants, marginals)
        # Where rounding has destroyed the determinant, the sentence has no gradient in this step.
        broken = ~(np.isfinite(log_sums) & (determinants > 1e-12))
        marginals[broken] = 0.0
        log_sums[broken] = 0.0
        ctx.save_for_backward(torch.from_numpy(marginals).to(scores.dtype))
        return torch.from_numpy(log_sums).to(scores.dtype)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        (marginals,) = ctx.saved_tensors
        return marginals * gradients[0][:, None, None], None


class _SpanLogSum(torch.autograd.Function):
    """Log-sum over binary bracketings of a padded batch."""

    @staticmethod
    def forward(ctx: Any, scores: Tensor, lengths: Tensor) -> Tensor:
        table = scores.detach().double().contiguous().numpy()
        marginals = np.zeros_like(table)
        log_sums = np.zeros(table.shape[0])
        span_marginals_batch(table, lengths.numpy(), log_sums, marginals)
        # Single words belong to every bracketing and have no score.
        places = np.arange(table.shape[1] - 1)
        marginals[:, places, places + 1] = 0.0
        ctx.save_for_backward(torch.from_numpy(marginals).to(scores.dtype))
        return torch.from_numpy(log_sums).to(scores.dtype)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        (marginals,) = ctx.saved_tensors
        return marginals * gradients[0][:, None, None], None


def tree_log_sum(scores: Tensor, lengths: Tensor) -> Tensor:
    """Log of the sum over all single-root trees of each sentence, [batch].

    Args:
        scores: [batch, longest, longest + 1], of word m under head h, where head 0 is the root; padded at the end.
        lengths: int64 [batch].
    """
    return _apply(_TreeLogSum, scores, lengths)


def span_log_sum(scores: Tensor, lengths: Tensor) -> Tensor:
    """Log of the sum over all binary bracketings of each sentence, [batch].

    Args:
        scores: [batch, longest + 1, longest + 1], of the span from boundary i to boundary j.
        lengths: int64 [batch], words of each sentence.
    """
    return _apply(_SpanLogSum, scores, lengths)


def _apply(function: type[torch.autograd.Function], scores: Tensor, lengths: Tensor) -> Tensor:
    result: Tensor = function.apply(scores, lengths)  # type: ignore[no-untyped-call]
    return result
