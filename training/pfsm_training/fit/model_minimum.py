"""The minimum of what a step is chosen by: a convex quadratic plus squared hinges, within bounds.

Which hinges count, and which parameters stand at their bounds, is found by active sets. With the hinges of one set the
sum is quadratic, and its minimum within the bounds is a target. A line search towards it, exact on the true sum, makes
each round an improvement, so that no set comes twice.
"""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from pfsm_training.loss.hinges import AllHinges

Float = NDArray[np.float64]

MOST_EXCHANGES = 50
# Rounds of sets of hinges, and of a line search.
MOST_ROUNDS, MOST_TRIALS = 60, 60
# Of a step: less is none.
ROUNDING = 1e-15


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
    missing = hinges.after(step)
    active = missing > 0.0
    for _ in range(MOST_ROUNDS):
        pull, bend = hinges.quadratic(active)
        move = bounded_minimum(gradient + pull, curvature + bend, room) - step
        change = hinges.along(move)
        slope, second = dot(move, gradient + times(curvature, step)), dot(move, times(curvature, move))
        share = _share(slope, second, missing, change)
        before, there = active, step
        step, missing = step + share * move, missing + share * change
        active = missing > 0.0
        if _is_same(step, there) or (share == 1.0 and bool((active == before).all())):
            break
    return np.maximum(step, room)


def _is_same(step: Float, before: Float) -> bool:
    """Whether two steps differ by rounding alone: where a hinge bends, it may count in every other round."""
    return float(np.abs(step - before).max(initial=0.0)) <= ROUNDING * float(np.abs(step).max(initial=0.0))


def _share(slope: float, second: float, missing: Tensor, change: Tensor) -> float:
    """The share of a move, 1 at most, at which the sum is least: it is convex along the move."""

    def derivative(share: float) -> tuple[float, float]:
        left = missing + share * change
        moving = torch.where(left > 0.0, change, torch.zeros_like(change))
        first = slope + share * second + 2.0 * float((left * moving).sum())
        return first, second + 2.0 * float(moving.square().sum())

    low, high, share = 0.0, 1.0, 1.0
    for _ in range(MOST_TRIALS):
        first, bend = derivative(share)
        if first > 0.0:
            high = share
        elif share == 1.0:
            return 1.0
        else:
            low = share
        newton = share - first / bend if bend > 0.0 else 0.5 * (low + high)
        if newton == share or high - low <= ROUNDING * low:
            break
        share = newton if low < newton < high else 0.5 * (low + high)
    return share


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
