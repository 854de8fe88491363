"""Minimisation by either solver: stationary points, SciPy's minima, any loss and penalty, machines found again."""

import numpy as np
import pytest
import torch

from pfsm.lattice.arrays import LatticeBatch
from pfsm_training import LogLinearMachine
from pfsm_training.fit import gauss_newton, lbfgs
from pfsm_training.fit.lbfgs import Fit
from pfsm_training.lattices.features import frequent, instances
from pfsm_training.loss.objective import (
    HuberError,
    Loss,
    Objective,
    PairwiseLogistic,
    SquaredError,
    WeightedSum,
)
from tests.training.objectives import lattices_of, minimum_by_scipy, predictions_of, standardised
from tests.training.small_data import invented

JUDGMENTS = invented(0)
TARGETS = standardised(JUDGMENTS.scores)


def preferred(slope: float = 1.0) -> PairwiseLogistic:
    """Neighbouring translations of a segment, the better scored one preferred but for every seventh."""
    first, second = np.arange(0, 89), np.arange(1, 90)
    up = (TARGETS[first] > TARGETS[second]) ^ (first % 7 == 0)
    votes = np.random.default_rng(5).integers(0, 4, first.size).astype(np.float64)
    return PairwiseLogistic(np.where(up, first, second), np.where(up, second, first), votes, slope)


LOSSES: dict[str, Loss] = {
    "squared": SquaredError(TARGETS),
    "narrow huber": HuberError(TARGETS, 0.3),
    "preferences": preferred(),
    "mixed": WeightedSum([(0.7, SquaredError(TARGETS)), (0.9, preferred(2.5))]),
}


def machine_of(
    batch: LatticeBatch, spread: float, learned: tuple[str, ...] | None = None
) -> LogLinearMachine:
    """A machine at zero, or at random weights."""
    names = frequent(instances(batch)) if learned is None else learned
    values = np.random.default_rng(1).normal(0.0, spread, len(names)) if spread else np.zeros(len(names))
    return LogLinearMachine(names, dict(zip(names, values.tolist(), strict=True)), 0.25)


def agree(batch: LatticeBatch, loss: Loss, penalty: float, spread: float, *, free_alpha: bool) -> Fit:
    """All three minimise from the same weights; their predictions must be the same."""
    ours, theirs, scipys = (machine_of(batch, spread) for _ in range(3))
    objective = Objective((batch,), loss, penalty, ours.theta.detach().clone())
    fit = gauss_newton.minimise(ours, objective, len(batch), free_alpha=free_alpha)
    other = lbfgs.minimise(theirs, objective, len(batch), free_alpha=free_alpha)
    lowest = minimum_by_scipy(scipys, objective, free_alpha=free_alpha)
    assert fit.converged
    assert fit.objective == pytest.approx(other.objective, rel=1e-9)
    assert fit.objective == pytest.approx(lowest, rel=1e-10)
    with torch.no_grad():
        assert fit.objective == pytest.approx(float(objective(ours)), rel=1e-12)
    found = predictions_of(ours, batch)
    assert found == pytest.approx(predictions_of(scipys, batch), abs=1e-6)
    # L-BFGS stops at a gradient a hundred times larger.
    assert found == pytest.approx(predictions_of(theirs, batch), abs=1e-5)
    return fit


@pytest.mark.parametrize("loss", LOSSES)
def test_any_loss(loss: str) -> None:
    fit = agree(lattices_of(JUDGMENTS), LOSSES[loss], 5.0, 0.0, free_alpha=loss != "preferences")
    assert fit.evaluations < 80


@pytest.mark.parametrize(("penalty", "spread"), [(0.5, 0.5), (1e12, 0.5)])
def test_any_penalty(penalty: float, spread: float) -> None:
    fit = agree(lattices_of(JUDGMENTS), LOSSES["squared"], penalty, spread, free_alpha=True)
    assert fit.evaluations < (100 if penalty < 1 else 20)


def test_little_to_gain_under_heavy_damping_is_no_end() -> None:
    """A minimisation that begins damped, as after steps that failed, expects little of a step far from the minimum."""
    batch = lattices_of(JUDGMENTS)
    machine, exact = machine_of(batch, 0.0), machine_of(batch, 0.0)
    objective = Objective((batch,), LOSSES["squared"], 5.0, torch.zeros_like(machine.theta))
    size = machine.theta.numel() + 1
    damped = lbfgs.Secant(1e9, np.zeros((size, size)))
    found = gauss_newton.minimise(machine, objective, len(batch), gain_tolerance=1e-7, secant=damped)
    least = gauss_newton.minimise(exact, objective, len(batch)).objective
    assert found.iterations > 5
    assert found.objective == pytest.approx(least, rel=1e-6)
