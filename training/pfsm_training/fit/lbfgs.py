"""L-BFGS with a strong Wolfe line search, one outer iteration at a time."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from pfsm_training.loss.module import LogLinearMachine

MOST_ITERATIONS = 500
# Largest entry of the gradient per training pair. On standardised scores no weight then changes in its fourth digit.
GRADIENT_TOLERANCE = 1e-7
CHANGE_TOLERANCE = 1e-13

Objective = Callable[[LogLinearMachine], Tensor]


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


class _Closure:
    """Objective and gradient, cached by parameters: L-BFGS evaluates the end of each line search again."""

    def __init__(
        self, parameters: list[torch.nn.Parameter], machine: LogLinearMachine, objective: Objective
    ) -> None:
        self.parameters = parameters
        self.machine = machine
        self.objective = objective
        self.known: dict[bytes, tuple[Tensor, list[Tensor]]] = {}
        self.evaluations = 0

    def __call__(self) -> Tensor:
        parameters = self.parameters
        key = b"".join(parameter.detach().numpy().tobytes() for parameter in parameters)
        if key not in self.known:
            self.evaluations += 1
            loss = self.objective(self.machine)
            gradients = torch.autograd.grad(loss, parameters)
            self.known[key] = (loss.detach(), list(gradients))
        loss, stored = self.known[key]
        for parameter, gradient in zip(parameters, stored, strict=True):
            parameter.grad = gradient.clone()
        return loss

    def gradient(self) -> float:
        """Largest entry of the gradient at the current parameters."""
        self()
        gradients = [parameter.grad for parameter in self.parameters]
        return max(
            (float(part.abs().max()) for part in gradients if part is not None and part.numel()), default=0.0
        )


def minimise(
    machine: LogLinearMachine,
    objective: Objective,
    n_pairs: float,
    progress: Progress | None = None,
    *,
    free_alpha: bool = True,
    tolerance: float = GRADIENT_TOLERANCE,
) -> Fit:
    """Minimises the objective over theta, and alpha if it is free, from the machine's current weights, in place.

    Stops when no entry of the gradient exceeds ``tolerance`` per training pair, when the objective
    stops changing, or after ``MOST_ITERATIONS``.
    """
    parameters = [machine.theta, *([machine.alpha] if free_alpha else [])]
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
    closure = _Closure(parameters, machine, objective)
    before = float(closure())
    converged = closure.gradient() <= tolerance * n_pairs
    number = 0
    while not converged and number < MOST_ITERATIONS:
        number += 1
        optimiser.step(closure)  # type: ignore[no-untyped-call]
        now, gradient = float(closure()), closure.gradient()
        if progress is not None:
            progress(Iteration(number, now, gradient))
        converged = gradient <= tolerance * n_pairs or abs(before - now) <= CHANGE_TOLERANCE * abs(now)
        before = now
    return Fit(before, number, closure.evaluations, converged)
