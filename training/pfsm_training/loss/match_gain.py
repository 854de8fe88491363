"""The loss of gains: certain sums of weights must come to something.

With ``g_k`` such a sum, such as what a match weighs less what deleting and inserting the same word weighs:

    loss = factor * sum_k max(0, least - g_k)^2

It is convex in the weights, and 0 where every sum comes to enough.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from pfsm_training.loss.hinges import Hinges
from pfsm_training.loss.module import LogLinearMachine
from pfsm_training.loss.objective import Quadratic

# How often a sum has each weight, by name; negative: it is subtracted.
Gain = Mapping[str, float]


def gain_of(gain: Gain, weights: Mapping[str, float]) -> float:
    """What a sum comes to; weights that are not there are 0."""
    return math.fsum(number * weights.get(name, 0.0) for name, number in gain.items())


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

    gains: Sequence[Gain]
    least: float
    factor: float
    centre: Tensor
    penalty: float = 0.0

    def quadratic(self, machine: LogLinearMachine, *, free_alpha: bool) -> tuple[float, Quadratic]:
        """The loss at the machine's weights, and its hinges, which are linear in them."""
        weights = machine.weights()
        place = {name: number for number, name in enumerate(machine.learned)}
        slopes = np.zeros((len(self.gains), len(place) + free_alpha))
        for row, gain in enumerate(self.gains):
            for name in place.keys() & gain.keys():
                slopes[row, place[name]] = -gain[name]
        missing = np.array([self.least - gain_of(gain, weights) for gain in self.gains])
        hinges = Hinges(missing, slopes).scaled(self.factor)
        value = float(torch.from_numpy(hinges.missing).clamp(min=0.0).square().sum())
        size = slopes.shape[1]
        return value, Quadratic(np.zeros(size), np.zeros((size, size)), (hinges,))
