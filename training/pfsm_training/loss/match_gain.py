"""The loss of gains: certain sums of weights must come to something.

With ``g_k`` such a sum, such as what a match weighs less what deleting and inserting the same word weighs:

    loss = factor * sum_k max(0, least - g_k)^2

It is convex in the weights, and 0 where every sum comes to enough.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from pfsm_training.loss.hinges import Hinges
from pfsm_training.loss.module import LogLinearMachine
from pfsm_training.loss.objective import Quadratic

Float = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Gains:
    """Sums of weights.

    Attributes:
        names: Of the weights.
        counts: float64 [n_gains, n_names], how often each sum has each weight; negative: it is subtracted.
    """

    names: tuple[str, ...]
    counts: Float

    def __len__(self) -> int:
        return len(self.counts)

    def values(self, weights: Mapping[str, float]) -> Float:
        """What each sum comes to, float64 [n_gains]; weights that are not there are 0."""
        own = np.array([weights.get(name, 0.0) for name in self.names])
        # NumPy's dot product would add in an order that depends on the number of processors.
        return np.asarray((self.counts * own).sum(axis=1))

    def slopes(self, learned: tuple[str, ...]) -> Float:
        """Their derivatives in the learned weights, float64 [n_gains, n_learned]."""
        place = {name: number for number, name in enumerate(self.names)}
        result = np.zeros((len(self), len(learned)))
        for column, name in enumerate(learned):
            if name in place:
                result[:, column] = self.counts[:, place[name]]
        return result


@dataclass(frozen=True, eq=False)
class MatchGainLoss:
    """A `pfsm_training.loss.objective.Minimised` of the weights alone, without a penalty.

    Attributes:
        gains: The sums.
        least: What each must come to.
        factor: The loss is multiplied by it.
        centre: As in `pfsm_training.loss.objective.Objective`.
        penalty: 0.
    """

    gains: Gains
    least: float
    factor: float
    centre: Tensor
    penalty: float = 0.0

    def quadratic(self, machine: LogLinearMachine, *, free_alpha: bool) -> tuple[float, Quadratic]:
        """The loss at the machine's weights, and its hinges, which are linear in them."""
        missing = self.least - self.gains.values(machine.weights())
        slopes = -self.gains.slopes(machine.learned)
        if free_alpha:
            slopes = np.concatenate([slopes, np.zeros((len(slopes), 1))], axis=1)
        hinges = Hinges(missing, slopes).scaled(self.factor)
        value = float(torch.from_numpy(hinges.missing).clamp(min=0.0).square().sum())
        size = slopes.shape[1]
        return value, Quadratic(np.zeros(size), np.zeros((size, size)), (hinges,))
