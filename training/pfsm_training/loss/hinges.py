"""Squared hinges: terms of an objective that are zero on one side of a threshold and steep on the other.

No quadratic model holds on both sides. So they are handed on as they are, linear in the parameters but for the hinge,
and a step is chosen that knows where each of them bends.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

Float = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Hinges:
    """``sum_k max(0, missing_k + slopes_k · step)^2`` for a step of the parameters.

    Attributes:
        missing: float64 [n_hinges].
        slopes: float64 [n_hinges, n_parameters].
    """

    missing: Float
    slopes: Float

    def scaled(self, factor: float) -> "Hinges":
        """The sum times a factor."""
        root = float(np.sqrt(factor))
        return Hinges(root * self.missing, root * self.slopes)


class AllHinges:
    """Those of a whole objective, at one point.

    Args:
        parts: In the order of blocks; may be none.
        n_parameters: Number of parameters.
    """

    def __init__(self, parts: Sequence[Hinges], n_parameters: int) -> None:
        # PyTorch's own memory: at another alignment, linear algebra may add in another order.
        self._missing = torch.cat(
            [torch.zeros(0, dtype=torch.float64), *(torch.from_numpy(part.missing) for part in parts)]
        )
        self._slopes = torch.cat(
            [
                torch.zeros((0, n_parameters), dtype=torch.float64),
                *(torch.from_numpy(part.slopes) for part in parts),
            ]
        )

    def __len__(self) -> int:
        return int(self._missing.numel())

    @property
    def forces(self) -> Float:
        """float64 [n_hinges], the derivative of the sum in each ``missing``."""
        return np.asarray(2.0 * self._missing.clamp(min=0.0).numpy())

    @property
    def steepest(self) -> float:
        """The largest curvature along a parameter if all hinges count; 0 without any."""
        return float(2.0 * self._slopes.square().sum(0).amax()) if self._slopes.numel() else 0.0

    def pull(self, forces: Float) -> Float:
        """The gradient of the hinges under these forces, float64 [n_parameters]."""
        return np.asarray((self._slopes.T @ torch.from_numpy(forces)).numpy())

    def value(self, step: Float) -> float:
        """The sum after a step."""
        return float(self.after(step).clamp(min=0.0).square().sum())

    def after(self, step: Float) -> Tensor:
        """What is missing of each after a step, float64 [n_hinges]."""
        return self._missing + self.along(step)

    def along(self, step: Float) -> Tensor:
        """How much a step changes of each, float64 [n_hinges]."""
        return self._slopes @ torch.from_numpy(step)

    def quadratic(self, active: Tensor) -> tuple[Float, Float]:
        """Gradient at no step and curvature of the sum if these hinges alone count, and count on both sides.

        Args:
            active: bool [n_hinges].
        """
        slopes, missing = self._slopes[active], self._missing[active]
        gradient, curvature = 2.0 * (slopes.T @ missing), 2.0 * (slopes.T @ slopes)
        return np.asarray(gradient.numpy()), np.asarray(curvature.numpy())
