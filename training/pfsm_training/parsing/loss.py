"""The objective: the sum of the negative log-likelihoods of trees, labels, tags and sentence starts.

Log-sums over trees are differentiable functions; the kernels compute value and gradient (the marginals) together.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from pfsm_kernels.syntax.bracketing import span_marginals_batch
from pfsm_kernels.syntax.dependency_trees import tree_marginals_batch
from pfsm_training.parsing.batches import Batch
from pfsm_training.parsing.network import ParserNetwork, Scores

Float = NDArray[np.float64]


class _LogSum(torch.autograd.Function):
    """Log-sums that a kernel has found together with their derivatives."""

    @staticmethod
    def forward(ctx: Any, scores: Tensor, log_sums: Float, marginals: Float) -> Tensor:
        ctx.save_for_backward(torch.from_numpy(marginals).to(scores.dtype))
        return torch.from_numpy(log_sums).to(scores.dtype)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, None]:
        (marginals,) = ctx.saved_tensors
        return marginals * gradients[0][:, None, None], None, None


def tree_log_sum(scores: Tensor, lengths: Tensor) -> Tensor:
    """Log of the sum over all single-root trees of each sentence, [batch].

    Args:
        scores: [batch, longest, longest + 1], of word m under head h, where head 0 is the root; padded at the end.
        lengths: int64 [batch].
    """
    table = scores.detach().double().contiguous().numpy()
    marginals, log_sums, determinants = np.zeros_like(table), np.zeros(len(table)), np.zeros(len(table))
    tree_marginals_batch(table, lengths.numpy(), log_sums, determinants, marginals)
    # Where rounding has destroyed the determinant, the sentence has no gradient in this step.
    broken = ~(np.isfinite(log_sums) & (determinants > 1e-12))
    marginals[broken] = 0.0
    log_sums[broken] = 0.0
    result: Tensor = _LogSum.apply(scores, log_sums, marginals)  # type: ignore[no-untyped-call]
    return result


def span_log_sum(scores: Tensor, lengths: Tensor) -> Tensor:
    """Log of the sum over all binary bracketings of each sentence, [batch].

    Args:
        scores: [batch, longest + 1, longest + 1], of the span from boundary i to boundary j.
        lengths: int64 [batch], words of each sentence.
    """
    table = scores.detach().double().contiguous().numpy()
    marginals, log_sums = np.zeros_like(table), np.zeros(len(table))
    span_marginals_batch(table, lengths.numpy(), log_sums, marginals)
    # Single words belong to every bracketing and have no score.
    places = np.arange(table.shape[1] - 1)
    marginals[:, places, places + 1] = 0.0
    result: Tensor = _LogSum.apply(scores, log_sums, marginals)  # type: ignore[no-untyped-call]
    return result


PARTS = ("arcs", "labels", "upos", "xpos", "starts", "spans", "span_labels")


@dataclass(frozen=True)
class Accuracy:
    """Percentage of words (or spans) whose most likely choice is correct; no tree is searched for."""

    heads: float
    labelled: float
    upos: float
    xpos: float
    starts: float
    span_labels: float

    def __str__(self) -> str:
        return (
            f"heads {self.heads:.2f} labelled {self.labelled:.2f} upos {self.upos:.2f} xpos {self.xpos:.2f} "
            f"starts {self.starts:.2f} span labels {self.span_labels:.2f}"
        )


def losses(network: ParserNetwork, batch: Batch) -> dict[str, Tensor]:
    """Negative log-likelihood of every part, divided by the number of words."""
    scores = network(batch)
    n_words = batch.upos.shape[0]
    asked = batch.starts >= 0
    sums = {
        "arcs": _arc_loss(scores, batch),
        "labels": functional.cross_entropy(
            _gold_label_scores(network, scores, batch), batch.labels, reduction="sum"
        ),
        "upos": functional.cross_entropy(scores.upos, batch.upos, reduction="sum"),
        "xpos": functional.cross_entropy(scores.xpos, batch.xpos, reduction="sum"),
        "starts": functional.binary_cross_entropy_with_logits(
            scores.starts[asked], batch.starts[asked], reduction="sum"
        ),
        "spans": _span_loss(scores, batch),
        "span_labels": functional.cross_entropy(
            _gold_span_label_scores(network, scores, batch), batch.labelled[:, 3], reduction="sum"
        ),
    }
    return {part: value / n_words for part, value in sums.items()}


def _arc_loss(scores: Scores, batch: Batch) -> Tensor:
    sentence, word, head = batch.arcs.unbind(1)
    return tree_log_sum(scores.arcs, batch.lengths).sum() - scores.arcs[sentence, word, head].sum()


def _gold_label_scores(network: ParserNetwork, scores: Scores, batch: Batch) -> Tensor:
    sentence, word, head = batch.arcs.unbind(1)
    return network.labels.pairs(scores.label_dependents[sentence, word], scores.label_heads[sentence, head])


def _span_loss(scores: Scores, batch: Batch) -> Tensor:
    if not batch.bracketed.numel():
        return scores.spans.new_zeros(())
    kept = scores.spans[batch.bracketed]
    sentence, start, end = batch.spans.unbind(1)
    return span_log_sum(kept, batch.lengths[batch.bracketed]).sum() - scores.spans[sentence, start, end].sum()


def _gold_span_label_scores(network: ParserNetwork, scores: Scores, batch: Batch) -> Tensor:
    sentence, start, end, _ = batch.labelled.unbind(1)
    return network.span_labels.pairs(scores.span_lefts[sentence, start], scores.span_rights[sentence, end])


@torch.no_grad()
def accuracy(network: ParserNetwork, batches: Iterable[Batch]) -> Accuracy:
    """Accuracy on batches; the network must be in evaluation mode."""
    rows = [_right(network, batch) for batch in batches]
    right, asked = torch.stack([row[0] for row in rows]).sum(0), torch.stack([row[1] for row in rows]).sum(0)
    return Accuracy(*(100 * right / asked.clamp(min=1)).tolist())


def _right(network: ParserNetwork, batch: Batch) -> tuple[Tensor, Tensor]:
    scores = network(batch)
    sentence, word, head = batch.arcs.unbind(1)
    table = scores.arcs.clone()
    places = torch.arange(table.shape[1])
    table[:, places, places + 1] = -torch.inf
    outside = torch.arange(table.shape[2])[None] > batch.lengths[:, None]
    found = table.masked_fill(outside[:, None], -torch.inf)[sentence, word].argmax(-1)
    label = _gold_label_scores(network, scores, batch).argmax(-1)
    asked = batch.starts >= 0
    spans = _gold_span_label_scores(network, scores, batch).argmax(-1)
    hits = [
        found == head,
        (found == head) & (label == batch.labels),
        scores.upos.argmax(-1) == batch.upos,
        scores.xpos.argmax(-1) == batch.xpos,
        (scores.starts[asked] > 0) == (batch.starts[asked] > 0),
        spans == batch.labelled[:, 3],
    ]
    return (
        torch.tensor([float(hit.sum()) for hit in hits]),
        torch.tensor([float(hit.numel()) for hit in hits]),
    )
