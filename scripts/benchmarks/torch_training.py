"""Training to convergence: pfsm's two solvers compared with ``torch.optim.LBFGS`` on sums in plain PyTorch.

All minimise ``sum_i (t_i - y_i / (m_i + n_i) - alpha)^2 + lambda ||theta||^2`` over the same judgments and weights,
starting from zero. The benchmark fails if their minima differ.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from numpy.typing import NDArray
from report import Report
from stopwatch import cost
from torch import Tensor
from torch_diagonals import diagonal_sums, padded

from pfsm import Settings
from pfsm.errors import PfsmError
from pfsm.lattice.arrays import LatticeBatch
from pfsm.lattice.names import transition
from pfsm.model.builder import LatticeBuilder
from pfsm_training.fit import gauss_newton, lbfgs
from pfsm_training.lattices.features import frequent, instances
from pfsm_training.loss.module import LogLinearMachine
from pfsm_training.loss.objective import Objective, SquaredError

# Small, so that a few judgments move the weights.
PENALTY = 0.05
# Largest relative difference between minima that count as the same.
TOLERANCE = 1e-6
# Tolerance of the gradient per judgment, the same as for pfsm's L-BFGS.
GRADIENT = lbfgs.GRADIENT_TOLERANCE
MOST_ITERATIONS = 500

Float = NDArray[np.float64]
Sums = Callable[[Tensor], Tensor]


@dataclass(frozen=True, eq=False)
class Subset:
    """Judgments to train on.

    Attributes:
        batch: Their lattices.
        targets: float64 [n], standardised scores.
        learned: Names of the weights to learn.
    """

    batch: LatticeBatch
    targets: Float
    learned: tuple[str, ...]


def subset_of(references: list[str], hypotheses: list[str], scores: list[float]) -> Subset:
    """Lattices and standardised scores.

    Raises:
        PfsmError: If all scores are equal.
    """
    if len(set(scores)) < 2:
        raise PfsmError(f"--subset {len(scores)}: all scores are equal, there is nothing to learn from")
    batch = LatticeBuilder(Settings()).build(references, hypotheses)
    values = np.array(scores)
    return Subset(batch, (values - values.mean()) / values.std(), frequent(instances(batch)))


def compare(report: Report, subset: Subset) -> None:
    """Adds a row for each way to train, and the minima found.

    Raises:
        AssertionError: If the minima differ.
    """
    number = len(subset.batch)
    section = f"to convergence, {number:,} judgments, lambda {PENALTY:g}, one process and thread"
    layout = padded(subset.batch.lattices)
    ways: list[tuple[str, Callable[[], float], int]] = [
        ("pfsm, gauss-newton", partial(_pfsm, subset, "gauss-newton"), 5),
        ("pfsm, lbfgs", partial(_pfsm, subset, "lbfgs"), 5),
        ("PyTorch LBFGS, by diagonals", partial(_torch, subset, partial(diagonal_sums, layout)), 1),
    ]
    minima: dict[str, float] = {}
    for name, train, runs in ways:

        def keep(name: str = name, train: Callable[[], float] = train) -> None:
            minima[f"minimum of {number:,} judgments, {name}"] = train()

        report.add(section, name, number, cost(keep, runs, warm_up=runs > 1))
    report.note(minima)
    np.testing.assert_allclose(list(minima.values()), min(minima.values()), rtol=TOLERANCE)


def _pfsm(subset: Subset, solver: str) -> float:
    """The minimum found by one of pfsm's solvers."""
    machine = LogLinearMachine(subset.learned, {})
    centre = torch.zeros(len(subset.learned), dtype=torch.float64)
    objective = Objective((subset.batch,), SquaredError(subset.targets), PENALTY, centre)
    if solver == "lbfgs":
        return lbfgs.minimise(machine, objective, len(subset.batch)).objective
    return gauss_newton.minimise(machine, objective, len(subset.batch)).objective


def _torch(subset: Subset, sums: Sums) -> float:
    """The minimum found by PyTorch's own optimiser."""
    states, at = subset.batch.states, {name: place for place, name in enumerate(subset.learned)}
    nowhere = len(at)
    visits = torch.tensor([at.get(name, nowhere) for name in states])
    moves = torch.tensor([[at.get(transition(a, b), nowhere) for b in states] for a in states])
    theta = torch.zeros(nowhere, dtype=torch.float64, requires_grad=True)
    alpha = torch.zeros((), dtype=torch.float64, requires_grad=True)
    lengths, targets = torch.from_numpy(subset.batch.lattices.lengths), torch.from_numpy(subset.targets)
    optimiser = torch.optim.LBFGS(
        [theta, alpha],
        max_iter=MOST_ITERATIONS,
        max_eval=2 * MOST_ITERATIONS,
        history_size=20,
        tolerance_grad=GRADIENT * len(subset.batch),
        tolerance_change=0.0,
        line_search_fn="strong_wolfe",
    )
    found: list[float] = []

    def objective() -> Tensor:
        optimiser.zero_grad()
        padded_theta = torch.cat([theta, theta.new_zeros(1)])
        u, t = padded_theta[visits], padded_theta[moves]
        table = torch.cat([u + t, u[None]])
        errors = targets - sums(table) / lengths - alpha
        loss = errors.square().sum() + PENALTY * theta.square().sum()
        torch.autograd.backward(loss)
        found.append(float(loss.detach()))
        return loss

    optimiser.step(objective)  # type: ignore[no-untyped-call]
    return min(found)
