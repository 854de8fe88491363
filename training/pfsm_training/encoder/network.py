"""The head over an encoder's states in PyTorch: `pfsm.encoder.heads.Head`, with gradients.

Its arithmetic is that of `pfsm.encoder.scoring`, equation by equation; the docstring of `pfsm.encoder` has them.
Vectors are float32, everything that is made of their products is float64. The gradient of the machine's log-sum is the
expected counts of Wang and Manning (2012), by the kernels of `pfsm_kernels.dense.machine`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from pfsm.encoder.heads import EPSILON, LARGEST_TOKEN_WEIGHT, N_KNOTS, TYPICAL_LENGTH, Head
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


# AdamW's rates: of the scalars of the machine, of what is multiplied with vectors.
FAST_RATE, RATE, DECAY = 2e-2, 3e-4, 0.01
FIRST_KNOT, LAST_KNOT = -4.0, 2.0
UNALIGNED = -1.0


@dataclass(frozen=True, eq=False)
class Batch:
    """Pairs whose lines are padded to the longest.

    Attributes:
        rows: float32 [n_lines, longest, dimension], the mixed layers of each distinct line.
        lengths: int64 [n_lines].
        references: int64 [n_pairs], which line is the reference of each pair.
        hypotheses: int64 [n_pairs], which is its hypothesis.
    """

    rows: Tensor
    lengths: Tensor
    references: Tensor
    hypotheses: Tensor


@dataclass(frozen=True, eq=False)
class _Lines:
    """What the head makes of lines, padded to the longest.

    Attributes:
        units: float32 [n_lines, longest, dimension], vectors of length 1.
        edits: float64 [n_lines, longest, 3], what each piece adds to Insert, Delete and Substitute.
        weights: float64 [n_lines, longest], weights in the order-free part; 0 for padding.
        lengths: int64 [n_lines].
    """

    units: Tensor
    edits: Tensor
    weights: Tensor
    lengths: Tensor


class HeadNetwork(nn.Module):
    """The learned part.

    Args:
        dimension: Components of a state.
        relative: Whether a pair's parts are differences to those of the reference and itself.
    """

    def __init__(self, dimension: int, *, relative: bool = False) -> None:
        super().__init__()
        self.relative = relative
        single, double = torch.float32, torch.float64
        # The projection less the identity, so that weight decay pulls towards the encoder's own cosines.
        self.change = nn.Parameter(torch.zeros(dimension, dimension, dtype=single))
        self.token_edits = nn.Parameter(torch.zeros(dimension, 3, dtype=single))
        self.token_weight = nn.Parameter(torch.zeros(dimension, dtype=single))
        self.knots = nn.Parameter(torch.linspace(FIRST_KNOT, LAST_KNOT, N_KNOTS, dtype=double))
        self.edits = nn.Parameter(torch.full((2,), UNALIGNED, dtype=double))
        self.transitions = nn.Parameter(torch.zeros(3, 3, dtype=double))
        self.linear = nn.Parameter(torch.zeros(6, dtype=double))
        self.constant = nn.Parameter(torch.zeros((), dtype=double))

    def forward(self, batch: Batch) -> Tensor:
        """Values of pairs, float64 [n_pairs]."""
        return self.value(self.parts(batch))

    def value(self, parts: Tensor) -> Tensor:
        """Values of pairs, float64 [n_pairs], from their `parts`."""
        return parts @ self.linear + self.constant

    @property
    def left_out(self) -> float:
        """What is in a value here and in none when scoring: in the relative form, the constant."""
        return float(self.constant) if self.relative else 0.0

    def start(self, linear: Tensor, constant: float) -> None:
        """Sets the weights of the parts."""
        self.linear.copy_(linear)
        self.constant.fill_(constant)

    def groups(self) -> list[dict[str, Any]]:
        """The parameters for AdamW, by rate and decay."""
        slow = [self.change, self.token_edits, self.token_weight]
        fast = [self.knots, self.edits, self.transitions, self.linear, self.constant]
        return [
            {"params": slow, "lr": RATE, "weight_decay": DECAY},
            {"params": fast, "lr": FAST_RATE, "weight_decay": 0.0},
        ]

    def parts(self, batch: Batch) -> Tensor:
        """What the value is a weighted sum of, float64 [n_pairs, 6], as `pfsm.encoder.heads.PARTS`."""
        lines = self._lines(batch)
        one, other = batch.references, batch.hypotheses
        cosines = (lines.units[one] @ lines.units[other].transpose(1, 2)).double()
        m, n = batch.lengths[one], batch.lengths[other]
        order_free = self._order_free(cosines, lines, one, other)
        some = torch.maximum(m, torch.ones_like(m)).double(), torch.maximum(n, torch.ones_like(n)).double()
        lengths = [torch.log(some[1] / some[0]), torch.log(some[0] / TYPICAL_LENGTH)]
        y = self._aligned(cosines, lines, one, other)
        parts = torch.stack([y, *lengths, *self._with_empty(order_free, m, n)], dim=1)
        return parts - self._of_itself(lines, one, lengths[1]) if self.relative else parts

    def _lines(self, batch: Batch) -> "_Lines":
        z = batch.rows + batch.rows @ self.change.T
        units = z / torch.sqrt((z * z).sum(-1, keepdim=True) + EPSILON)
        centred = nn.functional.layer_norm(z, z.shape[-1:], eps=EPSILON)
        edits = (centred @ self.token_edits).double()
        bound = LARGEST_TOKEN_WEIGHT
        weights = torch.exp(torch.clamp((centred @ self.token_weight).double(), -bound, bound))
        weights = weights * (torch.arange(z.shape[1], device=z.device) < batch.lengths[:, None])
        return _Lines(units, edits, weights, batch.lengths)

    def _aligned(self, cosines: Tensor, lines: "_Lines", one: Tensor, other: Tensor) -> Tensor:
        """The machine's log-sums over the pieces of both sides, float64 [n_pairs]."""
        m, n = lines.lengths[one], lines.lengths[other]
        y = log_sums(
            self._of_cosines(cosines) + lines.edits[one, :, None, 2] + lines.edits[other, None, :, 2],
            self.edits[1] + lines.edits[one, :, 1],
            self.edits[0] + lines.edits[other, :, 0],
            self.transitions,
            m,
            n,
        )
        return y / torch.maximum(m + n, torch.ones_like(m))

    def _of_itself(self, lines: "_Lines", references: Tensor, lengths: Tensor) -> Tensor:
        """The parts of each reference and itself, float64 [n_pairs, 6]; each distinct one is aligned once."""
        own, place = torch.unique(references, return_inverse=True)
        cosines = (lines.units[own] @ lines.units[own].transpose(1, 2)).double()
        y = self._aligned(cosines, lines, own, own)[place]
        one = torch.ones_like(y)
        return torch.stack([y, 0.0 * one, lengths, one, one, one], dim=1)

    def _of_cosines(self, cosines: Tensor) -> Tensor:
        """The piecewise linear function of the cosine that a match is worth."""
        scaled = torch.clamp(cosines, 0.0, 1.0) * (N_KNOTS - 1)
        parts = [self.knots[k] * torch.clamp(1.0 - (scaled - k).abs(), min=0.0) for k in range(N_KNOTS)]
        return torch.stack(parts).sum(0)

    @staticmethod
    def _order_free(
        cosines: Tensor, lines: "_Lines", one: Tensor, other: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Greedy precision and recall, and the cosine of the weighted means."""
        units, weights = lines.units, lines.weights
        present = weights > 0.0
        left, right = weights[one], weights[other]
        # Padding is nearer to nothing than anything is.
        nearest = cosines.masked_fill(~present[one][:, :, None], -2.0).max(1).values
        nearest_of_reference = cosines.masked_fill(~present[other][:, None, :], -2.0).max(2).values
        precision = (nearest * right).sum(1) / right.sum(1).clamp_min(EPSILON)
        recall = (nearest_of_reference * left).sum(1) / left.sum(1).clamp_min(EPSILON)
        means = (units.transpose(1, 2) @ weights.to(units.dtype)[:, :, None])[:, :, 0].double()
        a, b = means[one], means[other]
        cosine = (a * b).sum(1) / torch.sqrt((a * a).sum(1) * (b * b).sum(1) + EPSILON)
        return precision, recall, cosine

    @staticmethod
    def _with_empty(parts: tuple[Tensor, Tensor, Tensor], m: Tensor, n: Tensor) -> list[Tensor]:
        """Order-free similarity where a side is empty: 1 if both are, else 0."""
        equal = ((m == 0) & (n == 0)).double()
        return [torch.where((m > 0) & (n > 0), part, equal) for part in parts]

    @torch.no_grad()
    def head(self, mix: NDArray[np.float32], tuned: Mapping[str, NDArray[np.float32]] | None = None) -> Head:
        """What was learned, in float32, as it is stored.

        Args:
            mix: Share of each layer, float32 [n_layers].
            tuned: What was learned of the encoder.
        """
        projection = self.change + torch.eye(
            self.change.shape[0], dtype=self.change.dtype, device=self.change.device
        )
        arrays = {
            "projection": projection,
            "token_edits": self.token_edits,
            "token_weight": self.token_weight,
            "knots": self.knots,
            "edits": self.edits,
            "transitions": self.transitions,
            "linear": self.linear,
            "constant": self.constant[None],
        }
        own: dict[str, Any] = {
            name: one.detach().cpu().numpy().astype(np.float32) for name, one in arrays.items()
        }
        return Head(mix=mix, tuned={} if tuned is None else tuned, **own)
