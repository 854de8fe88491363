"""Squared hinges: terms of an objective that are zero on one side of a threshold and steep on the other.

No quadratic model holds on both sides. So they are handed on as they are, linear in the parameters but for the hinge,
and a step is chosen that knows where each of them bends: the minimum of a convex quadratic plus hinges, within bounds.

With a given set of hinges that count the sum is quadratic. So the step is Newton's: to the minimum with the hinges that
count at the start of a round, until these are those that count at its end.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from pfsm.arrays import Float

# Rounds of sets of hinges, and of parameters at their bounds.
MOST_EXCHANGES = 50


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
    """Those of a whole objective, at one point."""

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
        return self._missing + self._slopes @ torch.from_numpy(step)

    def quadratic(self, active: Tensor) -> tuple[Float, Float]:
        """Gradient at no step and curvature of the sum if these hinges alone count, and count on both sides.

        Args:
            active: bool [n_hinges].
        """
        slopes, missing = self._slopes[active], self._missing[active]
        gradient, curvature = 2.0 * (slopes.T @ missing), 2.0 * (slopes.T @ slopes)
        return np.asarray(gradient.numpy()), np.asarray(curvature.numpy())


def model_minimum(gradient: Float, curvature: Float, hinges: AllHinges, room: Float) -> Float:
    """The step to the minimum of ``gradient · step + step · curvature · step / 2 + hinges(step)``.

    Args:
        gradient: float64 [n_parameters].
        curvature: float64 [n_parameters, n_parameters], symmetric, positive definite.
        hinges: What is added to the quadratic.
        room: float64 [n_parameters], the bound of each step from below, 0 at most.

    Returns:
        float64 [n_parameters].
    """
    if not len(hinges):
        return bounded_minimum(gradient, curvature, room)
    step = np.zeros_like(gradient)
    active = hinges.after(step) > 0.0
    for _ in range(MOST_EXCHANGES):
        pull, bend = hinges.quadratic(active)
        step = bounded_minimum(gradient + pull, curvature + bend, room)
        before, active = active, hinges.after(step) > 0.0
        if bool((active == before).all()):
            break
    return step


def bounded_minimum(gradient: Float, curvature: Float, room: Float) -> Float:
    """The step to the minimum of the quadratic within the bounds; arguments as those of `model_minimum`."""
    at_bound = np.zeros(room.size, dtype=np.bool_)
    step = np.zeros(room.size)
    # The primal-dual active set method (Hintermueller, Ito and Kunisch 2003).
    for _ in range(MOST_EXCHANGES):
        step = np.where(at_bound, room, 0.0)
        free = ~at_bound
        right = -(gradient[free] + curvature[np.ix_(free, at_bound)] @ step[at_bound])
        step[free] = _solved(curvature[np.ix_(free, free)], right)
        pull = gradient + curvature @ step
        now = np.where(at_bound, pull > 0.0, step < room)
        if (now == at_bound).all():
            return step
        at_bound = now
    return np.maximum(step, room)


def _solved(curvature: Float, right: Float) -> Float:
    """The solution of a symmetric system; the least-squares solution if it is singular."""
    matrix, vector = torch.from_numpy(np.ascontiguousarray(curvature)), torch.from_numpy(right)
    factor, failed = torch.linalg.cholesky_ex(matrix)
    if int(failed):
        return np.asarray(torch.linalg.lstsq(matrix, vector[:, None], driver="gelsd").solution[:, 0].numpy())
    return np.asarray(torch.cholesky_solve(vector[:, None], factor)[:, 0].numpy())


def dot(left: Float, right: Float) -> float:
    """``left · right``, added in one order on any number of processors."""
    return float((left * right).sum())


def times(matrix: Float, vector: Float) -> Float:
    """A product that adds in the same order on any number of processors."""
    return np.asarray((matrix * vector).sum(axis=1))
