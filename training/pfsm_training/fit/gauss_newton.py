"""Gauss-Newton with Levenberg's damping and a secant correction, on the exact derivatives that the kernels give.

Each step minimises the model of the loss (`pfsm_training.loss.objective.Quadratic`), plus the penalty, plus a multiple
of the squared step (`pfsm_training.loss.hinges`). The model ignores the second derivatives of the predictions.
They matter where errors are large, as errors of human scores are: the model alone would converge slowly. A correction
is learned from the changes of the gradient, as in NL2SOL (Dennis, Gay and Welsch 1981).

The multiple falls after a step that lowers the objective as the model predicts, and rises after one that hardly does
(Levenberg 1944; Nielsen 1999). After a step that does not lower it at all, the multiple is raised until the next step
is so short as to end where the parabola along the failed one has its minimum. The multiple is the same for all weights.
Damping by the diagonal of the model (Marquardt 1963) fails for a weight that hardly matters: the model is flat there,
and a step would go so far that later steps do not recover.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch

from pfsm.arrays import Float
from pfsm.matchers.bins import is_rising
from pfsm_training.fit.checkpoint import FitMemory, State
from pfsm_training.fit.lbfgs import Fit, Iteration, Progress, Secant
from pfsm_training.loss.hinges import AllHinges, dot, model_minimum, times
from pfsm_training.loss.module import LogLinearMachine
from pfsm_training.loss.objective import Objective

MOST_ITERATIONS = 200
# Largest entry of the gradient per training pair; a hundredth of that of L-BFGS, which costs one more step.
GRADIENT_TOLERANCE = 1e-9
CHANGE_TOLERANCE = 1e-15
# Damping, relative to the largest curvature of the loss.
FIRST_DAMPING = 1e-2
LEAST_DAMPING, MOST_DAMPING = 1e-12, 1e12
# Damping that is tried for a correction that leaves the model without a minimum, before the correction is dropped.
MOST_DAMPING_TO_CONVEX = 1e-2
# Of a step that does not lower the objective: the least and the largest share that is tried next.
LEAST_SHARE, LARGEST_SHARE = 0.1, 0.5
# Of a step and the change of the gradient along it: below, the correction learns nothing.
LEAST_COSINE = 1e-12


@dataclass(frozen=True, eq=False)
class _Point:
    """Parameters, the objective and its model there.

    Attributes:
        parameters: float64 [n_parameters].
        value: The objective.
        smooth: float64 [n_parameters], its gradient but for that of the hinges.
        curvature: float64 [n_parameters, n_parameters], likewise.
        hinges: What has no quadratic model.
        steepest: The largest curvature of the loss but for hinges; where there is nothing else, of these.
    """

    parameters: Float
    value: float
    smooth: Float
    curvature: Float
    hinges: AllHinges
    steepest: float

    @cached_property
    def gradient(self) -> Float:
        """float64 [n_parameters], of the objective."""
        return self.gradient_under(self.hinges.forces)

    def gradient_under(self, forces: Float) -> Float:
        """The gradient if the hinges had these forces, whether they count here or not."""
        return self.smooth + self.hinges.pull(forces) if len(self.hinges) else self.smooth

    def change_from(self, before: "_Point") -> Float:
        """The change of the gradient along a step, under the forces of one point.

        Where a hinge begins to count is not a bend of the predictions.
        """
        forces = self.hinges.forces
        return self.gradient_under(forces) - before.gradient_under(forces)


class _Problem:
    """The objective as a function of one vector: theta, and alpha if it is free."""

    def __init__(self, machine: LogLinearMachine, objective: Objective, free_alpha: bool) -> None:
        self.machine = machine
        self.objective = objective
        self.free_alpha = free_alpha
        self.evaluations = 0
        lower = [0.0 if is_rising(name) else -np.inf for name in machine.learned]
        self.lower = np.array([*lower, *([-np.inf] if free_alpha else [])])

    def start(self) -> Float:
        """The machine's current parameters, moved within their bounds."""
        values = [
            *self.machine.theta.tolist(),
            *([float(self.machine.alpha.detach())] if self.free_alpha else []),
        ]
        start: Float = np.maximum(np.array(values), self.lower)
        return start

    def put(self, parameters: Float) -> None:
        """Sets the machine's parameters."""
        size = len(self.machine.learned)
        with torch.no_grad():
            self.machine.theta.copy_(torch.from_numpy(parameters[:size]))
            if self.free_alpha:
                self.machine.alpha.fill_(float(parameters[size]))

    def at(self, parameters: Float) -> _Point:
        """The objective and its quadratic model."""
        self.evaluations += 1
        self.put(parameters)
        value, model = self.objective.quadratic(self.machine, free_alpha=self.free_alpha)
        size = len(self.machine.learned)
        penalty = self.objective.penalty
        gradient, curvature = model.gradient.copy(), model.curvature.copy()
        hinges = AllHinges(model.hinges, gradient.size)
        steepest = float(np.diag(curvature).max(initial=0.0)) or hinges.steepest
        gradient[:size] += 2.0 * penalty * (parameters[:size] - self.objective.centre.numpy())
        curvature[np.arange(size), np.arange(size)] += 2.0 * penalty
        return _Point(parameters, value, gradient, curvature, hinges, steepest)

    def slope(self, point: _Point) -> float:
        """Largest entry of the gradient among parameters that the bounds allow to move downhill."""
        at_bound = (point.parameters <= self.lower) & (point.gradient > 0.0)
        return float(np.abs(np.where(at_bound, 0.0, point.gradient)).max(initial=0.0))


def minimise(
    machine: LogLinearMachine,
    objective: Objective,
    n_pairs: float,
    progress: Progress | None = None,
    *,
    free_alpha: bool = True,
    tolerance: float = GRADIENT_TOLERANCE,
    gain_tolerance: float = CHANGE_TOLERANCE,
    memory: FitMemory | None = None,
    secant: Secant | None = None,
) -> Fit:
    """Minimises the objective over theta and alpha, from the machine's current weights, in place.

    Weights of soft bins (`pfsm.matchers.bins.is_rising`) are never negative. The stopping rules are those of
    `pfsm_training.fit.lbfgs.minimise`.

    Args:
        machine: Its weights are the start, and are replaced by the minimum.
        objective: What to minimise.
        n_pairs: Number of training pairs, the unit of the tolerance.
        progress: Called after every iteration.
        free_alpha: Whether alpha is a parameter; a loss of differences of predictions does not depend on it.
        tolerance: Largest entry of the gradient per training pair to stop at.
        gain_tolerance: Largest share of the objective to stop at that the model expects of a step without damping.
        memory: Saves the state after every iteration and gives the one to resume from; None: nothing is saved.
        secant: What an earlier minimisation nearby learned; None: nothing.
    """
    problem = _Problem(machine, objective, free_alpha)
    state = (None if memory is None else memory.load()) or _begun(problem.start(), secant)
    point = problem.at(state.parameters)
    problem.evaluations = state.evaluations
    damping, number, correction = state.damping, state.iterations, state.correction
    converged = problem.slope(point) <= tolerance * n_pairs
    while not converged and number < MOST_ITERATIONS and damping < MOST_DAMPING:
        step, expected = _step(point, damping, correction, problem.lower)
        if not expected > 0.0 and (correction.any() or expected < -CHANGE_TOLERANCE * abs(point.value)):
            # The model has no minimum, or it was not found among so many sets of hinges.
            damping, correction = _more_convex(damping, correction)
            continue
        converged = _is_little(point, expected, correction, problem.lower, gain_tolerance)
        if converged:
            break
        candidate = problem.at(point.parameters + step)
        gain = (point.value - candidate.value) / expected
        if not gain > 0.0:
            damping = _shorter(point, damping, correction, problem.lower, step, candidate.value)
            continue
        number += 1
        damping = max(LEAST_DAMPING, damping * max(1.0 / 3.0, 1.0 - (2.0 * gain - 1.0) ** 3))
        correction = _corrected(correction, step, candidate.change_from(point), candidate.curvature)
        point = candidate
        slope = problem.slope(point)
        if memory is not None:
            memory.save(State(point.parameters, damping, number, problem.evaluations, correction))
        if progress is not None:
            progress(Iteration(number, point.value, slope))
        converged = slope <= tolerance * n_pairs
    problem.put(point.parameters)
    return Fit(point.value, number, problem.evaluations, converged, Secant(damping, correction))


def _begun(start: Float, secant: Secant | None) -> State:
    """The state of a minimisation that begins."""
    secant = secant or Secant(FIRST_DAMPING, np.zeros((start.size, start.size)))
    return State(start, secant.damping, 0, 1, secant.correction)


def _more_convex(damping: float, correction: Float) -> tuple[float, Float]:
    """More damping, or, where there is much already, no correction."""
    if damping < MOST_DAMPING_TO_CONVEX or not correction.any():
        return 2.0 * damping, correction
    return damping, np.zeros_like(correction)


def _is_little(
    point: _Point, expected: float, correction: Float, lower: Float, gain_tolerance: float
) -> bool:
    """Whether neither this step nor one without damping could lower the objective by much."""
    if expected <= CHANGE_TOLERANCE * abs(point.value):
        return True
    least = gain_tolerance * abs(point.value)
    return expected <= least and _undamped_gain(point, correction, lower) <= least


def _share(point: _Point, step: Float, value: float) -> float:
    """The share of a step to take where all of it leads too far: to the minimum of the parabola along it."""
    slope = dot(step, point.gradient)
    if not slope < 0.0:
        return LARGEST_SHARE
    share = -0.5 * slope / (value - point.value - slope)
    return min(LARGEST_SHARE, max(LEAST_SHARE, share))


def _shorter(
    point: _Point, damping: float, correction: Float, lower: Float, step: Float, value: float
) -> float:
    """The damping, in steps of factor 2, with which a step has at most `_share` of the length of one that failed."""
    longest = _share(point, step, value) ** 2 * _squared(step)
    while damping < MOST_DAMPING:
        damping *= 2.0
        if _squared(_step(point, damping, correction, lower)[0]) <= longest:
            break
    return damping


def _squared(vector: Float) -> float:
    return dot(vector, vector)


def _corrected(correction: Float, step: Float, change: Float, curvature: Float) -> Float:
    """The correction after a step, such that with the curvature it explains the gradient's change along that step."""
    along = dot(step, change)
    # What rounding leaves of two vectors at right angles would be the divisor of a vast correction.
    if not along > LEAST_COSINE * np.sqrt(_squared(step) * _squared(change)):
        return correction
    wanted = change - times(curvature, step)
    before = dot(step, times(correction, step))
    if before != 0.0:
        correction = correction * min(1.0, abs(dot(step, wanted) / before))
    missing = wanted - times(correction, step)
    mixed = np.outer(missing, change)
    square = np.outer(change, change)
    return np.asarray(correction + (mixed + mixed.T) / along - dot(missing, step) / along**2 * square)


def _step(point: _Point, damping: float, correction: Float, lower: Float) -> tuple[Float, float]:
    """The step to the minimum of the damped quadratic model within the bounds, and what the model expects of it."""
    model = point.curvature + correction
    damped = model + damping * point.steepest * np.eye(point.parameters.size)
    if correction.any() and not _has_minimum(damped):
        return np.zeros_like(lower), -np.inf
    step = model_minimum(point.smooth, damped, point.hinges, lower - point.parameters)
    expected = -dot(step, point.smooth + 0.5 * times(model, step))
    if len(point.hinges):
        expected += point.hinges.value(np.zeros_like(step)) - point.hinges.value(step)
    return step, expected


def _undamped_gain(point: _Point, correction: Float, lower: Float) -> float:
    """What the model expects of a step with the least damping; infinite where it has no minimum."""
    gain = _step(point, LEAST_DAMPING, correction, lower)[1]
    return gain if gain >= 0.0 else np.inf


def _has_minimum(curvature: Float) -> bool:
    return not int(torch.linalg.cholesky_ex(torch.from_numpy(curvature))[1])
