"""Gauss-Newton with Levenberg's damping: every pair's exact derivatives are at hand, so few steps do.

Each step minimises the loss's quadratic model (`pfsm_training.loss.objective.Quadratic`) plus the penalty plus a
multiple of the squared step. The multiple falls after a step that did what the model said, and rises after one that
did not (Levenberg 1944; Nielsen 1999). It is the same for all weights: where a weight hardly matters the model is
flat, and a step by its diagonal alone (Marquardt 1963) would go so far that no later one finds the way back.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray

from pfsm.matchers.bins import is_rising
from pfsm_training.fit.lbfgs import Fit, Iteration, Progress
from pfsm_training.loss.module import LogLinearMachine
from pfsm_training.loss.objective import Minimised

Float = NDArray[np.float64]

MOST_ITERATIONS = 200
# Of the objective per training pair, a hundredth of what L-BFGS can reach: one more step does it.
GRADIENT_TOLERANCE = 1e-9
CHANGE_TOLERANCE = 1e-15
# Of the largest curvature of the loss.
FIRST_DAMPING = 1e-2
LEAST_DAMPING, MOST_DAMPING = 1e-12, 1e12
MOST_EXCHANGES = 50


@dataclass(frozen=True, eq=False)
class State:
    """What an iteration leaves to the next: from here the minimisation goes on as if it had never stopped.

    Attributes:
        parameters: float64 [n_parameters], theta, and alpha where it is free.
        damping: The multiple of the squared step.
        iterations: Done so far.
        evaluations: Of the objective so far.
    """

    parameters: Float
    damping: float
    iterations: int
    evaluations: int


class Memory(Protocol):
    """Keeps the state of a minimisation."""

    def load(self) -> State | None:
        """The state to go on from; None: begin at the machine's weights."""

    def save(self, state: State) -> None:
        """Called after every iteration."""


@dataclass(frozen=True, eq=False)
class _Point:
    """Parameters with the objective and its quadratic model there; ``steepest`` is the loss's largest curvature."""

    parameters: Float
    value: float
    gradient: Float
    curvature: Float
    steepest: float


class _Problem:
    """The objective as a function of one vector: theta, and alpha where it is free."""

    def __init__(self, machine: LogLinearMachine, objective: Minimised, free_alpha: bool) -> None:
        self.machine = machine
        self.objective = objective
        self.free_alpha = free_alpha
        self.evaluations = 0
        lower = [0.0 if is_rising(name) else -np.inf for name in machine.learned]
        self.lower = np.array([*lower, *([-np.inf] if free_alpha else [])])

    def start(self) -> Float:
        """The machine's current parameters, moved to where they may be."""
        values = [
            *self.machine.theta.tolist(),
            *([float(self.machine.alpha.detach())] if self.free_alpha else []),
        ]
        start: Float = np.maximum(np.array(values), self.lower)
        return start

    def put(self, parameters: Float) -> None:
        """Gives the machine these parameters."""
        size = len(self.machine.learned)
        with torch.no_grad():
            self.machine.theta.copy_(torch.from_numpy(parameters[:size]))
            if self.free_alpha:
                self.machine.alpha.fill_(float(parameters[size]))

    def at(self, parameters: Float) -> _Point:
        """The objective and its model."""
        self.evaluations += 1
        self.put(parameters)
        value, model = self.objective.quadratic(self.machine, free_alpha=self.free_alpha)
        size = len(self.machine.learned)
        penalty = self.objective.penalty
        gradient, curvature = model.gradient.copy(), model.curvature.copy()
        steepest = float(np.diag(curvature).max(initial=0.0))
        gradient[:size] += 2.0 * penalty * (parameters[:size] - self.objective.centre.numpy())
        curvature[np.arange(size), np.arange(size)] += 2.0 * penalty
        return _Point(parameters, value, gradient, curvature, steepest)

    def slope(self, point: _Point) -> float:
        """Largest entry of the gradient that a step within the bounds could follow."""
        held = (point.parameters <= self.lower) & (point.gradient > 0.0)
        return float(np.abs(np.where(held, 0.0, point.gradient)).max(initial=0.0))


def minimise(
    machine: LogLinearMachine,
    objective: Minimised,
    n_pairs: int,
    progress: Progress | None = None,
    *,
    free_alpha: bool = True,
    tolerance: float = GRADIENT_TOLERANCE,
    memory: Memory | None = None,
) -> Fit:
    """Minimises the objective over theta and alpha, from the machine's current weights, in place.

    Weights of soft bins (`pfsm.matchers.bins.is_rising`) stay at 0 or above. Stops like
    `pfsm_training.fit.lbfgs.minimise`.

    Args:
        machine: Starts from its weights, ends with the best.
        objective: What to minimise.
        n_pairs: Number of training pairs, the unit of the tolerance.
        progress: Called after every iteration.
        free_alpha: Whether alpha is a parameter; a sum over differences of predictions does not know it.
        tolerance: Largest entry of the gradient per training pair to stop at.
        memory: Where to go on from, and what keeps how far things are; None: nothing does.
    """
    problem = _Problem(machine, objective, free_alpha)
    state = None if memory is None else memory.load()
    if state is None:
        state = State(problem.start(), FIRST_DAMPING, 0, 1)
    point = problem.at(state.parameters)
    damping, growth, number, problem.evaluations = state.damping, 2.0, state.iterations, state.evaluations
    converged = problem.slope(point) <= tolerance * n_pairs
    while not converged and number < MOST_ITERATIONS and damping < MOST_DAMPING:
        step = _step(point, damping, problem.lower)
        expected = -float(point.gradient @ step + 0.5 * step @ point.curvature @ step)
        if expected <= CHANGE_TOLERANCE * abs(point.value):
            converged = True
            break
        trial = problem.at(point.parameters + step)
        gain = (point.value - trial.value) / expected
        if not gain > 0.0:
            damping *= growth
            growth *= 2.0
            continue
        number += 1
        damping = max(LEAST_DAMPING, damping * max(1.0 / 3.0, 1.0 - (2.0 * gain - 1.0) ** 3))
        growth = 2.0
        point = trial
        slope = problem.slope(point)
        if memory is not None:
            memory.save(State(point.parameters, damping, number, problem.evaluations))
        if progress is not None:
            progress(Iteration(number, point.value, slope))
        converged = slope <= tolerance * n_pairs
    problem.put(point.parameters)
    return Fit(point.value, number, problem.evaluations, converged)


def _step(point: _Point, damping: float, lower: Float) -> Float:
    """The step to the minimum of the damped quadratic model within the bounds."""
    curvature = point.curvature + damping * point.steepest * np.eye(point.parameters.size)
    room = lower - point.parameters
    held = np.zeros(room.size, dtype=np.bool_)
    step = np.zeros(room.size)
    # Primal-dual exchange of what is held at its bound (Hintermueller, Ito and Kunisch 2003).
    for _ in range(MOST_EXCHANGES):
        step = np.where(held, room, 0.0)
        free = ~held
        right = -(point.gradient[free] + curvature[np.ix_(free, held)] @ step[held])
        step[free] = _solved(curvature[np.ix_(free, free)], right)
        pull = point.gradient + curvature @ step
        now = np.where(held, pull > 0.0, step < room)
        if (now == held).all():
            return step
        held = now
    return np.maximum(step, room)


def _solved(curvature: Float, right: Float) -> Float:
    """The solution of a symmetric system; least squares where it is singular."""
    matrix, vector = torch.from_numpy(np.ascontiguousarray(curvature)), torch.from_numpy(right)
    factor, failed = torch.linalg.cholesky_ex(matrix)
    if int(failed):
        return np.asarray(torch.linalg.lstsq(matrix, vector[:, None], driver="gelsd").solution[:, 0].numpy())
    return np.asarray(torch.cholesky_solve(vector[:, None], factor)[:, 0].numpy())
