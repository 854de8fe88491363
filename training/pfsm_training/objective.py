"""What training minimises."""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from pfsm.lattice import LatticeBatch
from pfsm_training.module import LogLinearMachine

OBJECTIVES = ("squared_error",)


@dataclass(frozen=True, eq=False)
class SquaredError:
    """``sum_i (t_i - y_i / (m_i + n_i) - alpha)^2 + lambda ||theta - theta_0||^2``; alpha is not penalised.

    Equation (3) of Wang and Manning (2012), with theta_0 = 0 unless training starts from another model.

    Attributes:
        batch: Training lattices.
        targets: float64 [n_pairs], standardised scores.
        penalty: lambda.
        centre: float64 [n_learned], theta_0.
    """

    batch: LatticeBatch
    targets: NDArray[np.float64]
    penalty: float
    centre: Tensor

    def __call__(self, machine: LogLinearMachine) -> Tensor:
        """The objective at the machine's current weights, a scalar."""
        residuals = torch.from_numpy(self.targets) - machine(self.batch)
        loss: Tensor = residuals.square().sum() + self.penalty * (machine.theta - self.centre).square().sum()
        return loss
