"""The loss of edited copies: an edit of a perfect translation must cost something.

With ``p`` the prediction for a reference as its own translation, ``q`` that for an edited copy of it, and ``L`` the
number of tokens of both, so that ``L (p - q)`` is what the edit costs in the units of ``y``:

    loss = sum_k max(0, cost - L_k (p_k - q_k))^2

It is convex in the predictions, and 0 where every edit costs enough.
"""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from pfsm_training.loss.hinges import Hinges
from pfsm_training.loss.objective import Quadratic

Float = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class EditCost:
    """A `pfsm_training.loss.objective.Loss` of edited copies.

    Attributes:
        original: int64 [n_copies], which prediction is that of the reference as its own translation.
        edited: int64 [n_copies], which is that of the copy.
        lengths: float64 [n_copies], L.
        cost: What an edit must cost, above 0.
        factor: The sum is multiplied by it.
    """

    original: NDArray[np.int64]
    edited: NDArray[np.int64]
    lengths: Float
    cost: float
    factor: float = 1.0

    def value(self, predictions: Tensor) -> Tensor:
        """The loss, a scalar."""
        fall = predictions[torch.from_numpy(self.original)] - predictions[torch.from_numpy(self.edited)]
        missing = (self.cost - torch.from_numpy(self.lengths) * fall).clamp(min=0.0)
        return self.factor * missing.square().sum()

    def quadratic(self, predictions: Float, jacobian: Float) -> Quadratic:
        """The hinges, with predictions linear in the parameters."""
        missing = self.cost - self.lengths * (predictions[self.original] - predictions[self.edited])
        slopes = self.lengths[:, np.newaxis] * (jacobian[self.edited] - jacobian[self.original])
        size = jacobian.shape[1]
        hinges = Hinges(missing, slopes).scaled(self.factor)
        return Quadratic(np.zeros(size), np.zeros((size, size)), (hinges,))

    def part(self, first: int, stop: int) -> "EditCost":
        """The loss of the copies among the predictions ``[first:stop]``.

        Raises:
            ValueError: If only one prediction of a copy is among them.
        """
        inside = (self.original >= first) & (self.original < stop)
        if (inside != ((self.edited >= first) & (self.edited < stop))).any():
            raise ValueError("a part must contain both a copy and its original, or neither")
        return EditCost(
            self.original[inside] - first,
            self.edited[inside] - first,
            self.lengths[inside],
            self.cost,
            self.factor,
        )
