"""L-BFGS with a strong Wolfe line search, one outer iteration at a time."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from pfsm_training.loss.module import LogLinearMachine
from pfsm_training.loss.objective import Objective

MOST_ITERATIONS = 500
# Largest entry of the gradient per training pair. On standardised scores no weight then changes in its fourth digit.
GRADIENT_TOLERANCE = 1e-7
CHANGE_TOLERANCE = 1e-13


@dataclass(frozen=True)
class Iteration:
    """The end of an iteration: its number, the objective, the largest entry of the gradient."""

    number: int
    objective: float
    gradient: float


Progress = Callable[[Iteration], None]


@dataclass(frozen=True, eq=False)
class Secant:
    """What Gauss-Newton learned on its way, good for a start near its end.

    Attributes:
        damping: The multiple of the squared step.
        correction: float64 [n_parameters, n_parameters], symmetric: what is added to the curvature of the model.
    """

    damping: float
    correction: NDArray[np.float64]


@dataclass(frozen=True)
class Fit:
    """How a minimisation ended."""

    objective: float
    iterations: int
    evaluations: int
    converged: bool
    secant: Secant | None = field(default=None, compare=False)


def minimise(
    machine: LogLinearMachine,
    objective: Objective,
    n_pairs: float,
    progress: Progress | None = None,
    *,
    free_alpha: bool = True,
    tolerance: float = GRADIENT_TOLERANCE,
) -> Fit:
    """Minimises an objective, whose lattices are here, over theta, and alpha if it is free, in place.

    Starts from the machine's current weights. Stops when no entry of the gradient exceeds ``tolerance`` per training
    pair, when the objective stops changing, or after ``MOST_ITERATIONS``.
    """
    parameters = [machine.theta, *([machine.alpha] if free_alpha else [])]
    known: dict[bytes, tuple[Tensor, tuple[Tensor, ...]]] = {}
    optimiser = torch.optim.LBFGS(
        parameters,
        lr=1.0,
        max_iter=1,
        max_eval=30,
        history_size=20,
        tolerance_grad=0.0,
        tolerance_change=0.0,
        line_search_fn="strong_wolfe",
    )

    def evaluate() -> Tensor:
        """The objective, whose gradient the parameters get; L-BFGS evaluates the end of each line search again."""
        key = b"".join(parameter.detach().numpy().tobytes() for parameter in parameters)
        if key not in known:
            loss = objective.value(machine)
            known[key] = loss.detach(), torch.autograd.grad(loss, parameters)
        loss, gradients = known[key]
        for parameter, gradient in zip(parameters, gradients, strict=True):
            parameter.grad = gradient.clone()
        return loss

    def state() -> tuple[float, float]:
        """The objective, and the largest entry of its gradient."""
        value = float(evaluate())
        gradients = [parameter.grad for parameter in parameters]
        steepest = [float(part.abs().max()) for part in gradients if part is not None and part.numel()]
        return value, max(steepest, default=0.0)

    before, gradient = state()
    converged = gradient <= tolerance * n_pairs
    number = 0
    while not converged and number < MOST_ITERATIONS:
        number += 1
        optimiser.step(evaluate)  # type: ignore[no-untyped-call]
        now, gradient = state()
        if progress is not None:
            progress(Iteration(number, now, gradient))
        converged = gradient <= tolerance * n_pairs or abs(before - now) <= CHANGE_TOLERANCE * abs(now)
        before = now
    return Fit(before, number, len(known), converged)
