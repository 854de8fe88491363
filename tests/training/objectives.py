"""Objectives over small batches, and their minima by SciPy."""

import numpy as np
import torch
from numpy.typing import NDArray
from scipy import optimize

from pfsm.data import Judgments
from pfsm.lattice.arrays import LatticeBatch
from pfsm.model.builder import LatticeBuilder
from pfsm.model.settings import settings_from_dict
from pfsm_training import LogLinearMachine
from pfsm_training.loss.objective import Objective

Float = NDArray[np.float64]


def lattices_of(judgments: Judgments, **settings: object) -> LatticeBatch:
    """Lattices under some settings."""
    builder = LatticeBuilder(settings_from_dict(settings, "test"))
    return builder.build(judgments.references, judgments.hypotheses)


def standardised(scores: Float) -> Float:
    """Scores with mean 0 and standard deviation 1."""
    return np.asarray((scores - scores.mean()) / scores.std())


def predictions_of(machine: LogLinearMachine, batch: LatticeBatch) -> Float:
    """Predictions at the machine's weights, float64 [n_pairs]."""
    with torch.no_grad():
        return np.asarray(machine(batch).numpy())


def value_and_gradient(
    machine: LogLinearMachine, objective: Objective, free_alpha: bool = True
) -> tuple[float, Float]:
    """The objective at the machine's weights and its gradient by PyTorch; alpha's comes last."""
    parameters = [machine.theta, *([machine.alpha] if free_alpha else [])]
    loss = objective(machine)
    gradients = torch.autograd.grad(loss, parameters)
    return float(loss.detach()), np.concatenate([part.numpy().reshape(-1) for part in gradients])


def minimum_by_scipy(
    machine: LogLinearMachine,
    objective: Objective,
    lower: Float | None = None,
    *,
    free_alpha: bool = True,
    method: str = "L-BFGS-B",
) -> float:
    """Minimises from the machine's weights, within lower bounds, and leaves them at the minimum; returns the value."""
    size = len(machine.learned)

    def put(parameters: Float) -> None:
        with torch.no_grad():
            machine.theta.copy_(torch.from_numpy(parameters[:size]))
            if free_alpha:
                machine.alpha.fill_(float(parameters[size]))

    def at(parameters: Float) -> tuple[float, Float]:
        put(parameters)
        return value_and_gradient(machine, objective, free_alpha)

    start = np.array([*machine.theta.tolist(), *([machine.alpha.item()] if free_alpha else [])])
    bounds = None
    if lower is not None:
        bounds = [(low if np.isfinite(low) else None, None) for low in lower] + [(None, None)] * free_alpha
        start[:size] = np.maximum(start[:size], lower)
    options: dict[str, dict[str, float]] = {
        "L-BFGS-B": {"gtol": 1e-10, "ftol": 0.0, "maxcor": 30, "maxiter": 5000, "maxfun": 20000},
        "SLSQP": {"ftol": 1e-15, "maxiter": 1000},
        "BFGS": {"gtol": 1e-9, "maxiter": 5000},
    }
    found = optimize.minimize(at, start, jac=True, method=method, bounds=bounds, options=options[method])
    put(found.x)
    return float(found.fun)
