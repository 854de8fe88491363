"""Gauss-Newton's minimum is that of L-BFGS and of SciPy: any loss, any penalty, near other weights, with jumps."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from pfsm.lattice.arrays import LatticeBatch
from pfsm_training import LogLinearMachine, TrainingConfig, train
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

Float = NDArray[np.float64]
JUDGMENTS = invented(0)
TARGETS = standardised(JUDGMENTS.scores)
STATES = ("Insert", "Delete", "S_punct", "S_word", "S_lemma")


def preferred(slope: float = 1.0) -> PairwiseLogistic:
    """Neighbouring translations of a segment, the better scored one preferred but for every seventh."""
    first, second = np.arange(0, 89), np.arange(1, 90)
    up = (TARGETS[first] > TARGETS[second]) ^ (first % 7 == 0)
    votes = np.random.default_rng(5).integers(0, 4, first.size).astype(np.float64)
    return PairwiseLogistic(np.where(up, first, second), np.where(up, second, first), votes, slope)


LOSSES: dict[str, Loss] = {
    "squared": SquaredError(TARGETS),
    "huber": HuberError(TARGETS),
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


@pytest.mark.parametrize("spread", [0.0, 0.5], ids=["from zero", "near other weights"])
@pytest.mark.parametrize("loss", LOSSES)
def test_any_loss(loss: str, spread: float) -> None:
    fit = agree(lattices_of(JUDGMENTS), LOSSES[loss], 5.0, spread, free_alpha=loss != "preferences")
    assert fit.evaluations < 80


@pytest.mark.parametrize("spread", [0.0, 0.5], ids=["from zero", "near other weights"])
@pytest.mark.parametrize("penalty", [0.5, 50.0, 1e6, 1e12])
def test_any_penalty(penalty: float, spread: float) -> None:
    fit = agree(lattices_of(JUDGMENTS), LOSSES["squared"], penalty, spread, free_alpha=True)
    assert fit.evaluations < (100 if penalty < 1 else 20)


@pytest.mark.parametrize("spread", [0.0, 0.5], ids=["from zero", "near other weights"])
def test_with_jumps(spread: float) -> None:
    batch = lattices_of(invented(0, segments=20), max_jump=3)
    loss = SquaredError(standardised(invented(0, segments=20).scores))
    agree(batch, loss, 5.0, spread, free_alpha=True)


def test_without_a_penalty_weights_need_not_be_unique_but_predictions_are() -> None:
    """A constant per token can move between the weights of states and alpha."""
    batch = lattices_of(JUDGMENTS)
    ours, theirs = machine_of(batch, 0.0, STATES), machine_of(batch, 0.5, STATES)
    objective = Objective((batch,), LOSSES["squared"], 0.0, torch.zeros(len(STATES), dtype=torch.float64))
    fit = gauss_newton.minimise(ours, objective, len(batch))
    lowest = minimum_by_scipy(theirs, objective, method="BFGS")
    assert fit.converged
    assert fit.objective == pytest.approx(lowest, rel=1e-10)
    assert predictions_of(ours, batch) == pytest.approx(predictions_of(theirs, batch), abs=1e-6)
    assert not np.allclose(ours.theta.detach().numpy(), theirs.theta.detach().numpy(), atol=1e-3)


def test_without_a_penalty_it_goes_as_far_down_as_l_bfgs() -> None:
    """With far more features than these judgments determine, the objective has long valleys and plateaus."""
    judgments = invented(0, segments=40).sorted()
    batch, loss = lattices_of(judgments), SquaredError(standardised(judgments.scores))
    ours, theirs = machine_of(batch, 0.7), machine_of(batch, 0.7)
    objective = Objective((batch,), loss, 0.0, torch.zeros_like(ours.theta))
    fit = gauss_newton.minimise(ours, objective, len(batch))
    other = lbfgs.minimise(theirs, objective, len(batch))
    assert fit.objective < 1.001 * other.objective


def test_a_loss_that_nothing_moves_ends_at_once() -> None:
    """Votes of zero: neither gradient nor curvature, not even a penalty."""
    batch = lattices_of(JUDGMENTS)
    machine = machine_of(batch, 0.5)
    nothing = replace(preferred(), votes=np.zeros(89))
    fit = gauss_newton.minimise(
        machine, Objective((batch,), nothing, 0.0, torch.zeros_like(machine.theta)), len(batch)
    )
    assert (fit.iterations, fit.objective, fit.converged) == (0, 0.0, True)


@pytest.mark.parametrize(("tolerance", "gain_tolerance"), [(1e-4, 0.0), (0.0, 1e-5)])
def test_a_looser_tolerance_ends_earlier_and_near(tolerance: float, gain_tolerance: float) -> None:
    batch = lattices_of(JUDGMENTS)
    quick, exact = machine_of(batch, 0.0), machine_of(batch, 0.0)
    objective = Objective((batch,), LOSSES["squared"], 5.0, torch.zeros_like(quick.theta))
    early = gauss_newton.minimise(
        quick, objective, len(batch), tolerance=tolerance, gain_tolerance=gain_tolerance
    )
    late = gauss_newton.minimise(exact, objective, len(batch))
    assert early.converged
    assert early.iterations < late.iterations
    assert predictions_of(quick, batch) == pytest.approx(predictions_of(exact, batch), abs=1e-2)


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


@pytest.mark.parametrize("objective", ["squared_error", "huber"])
@pytest.mark.parametrize("with_init", [False, True], ids=["from zero", "with init"])
def test_trained_models_predict_the_same_by_either_solver(objective: str, with_init: bool) -> None:
    """On standardised scores to six digits, the model's own scale included."""
    judgments = replace(JUDGMENTS, scores=TARGETS)
    init = train(invented(1, segments=40), threads=1) if with_init else None
    batch = lattices_of(judgments)
    found = []
    for solver in ("gauss-newton", "lbfgs"):
        config = TrainingConfig(solver=solver, objective=objective)
        model = train(judgments, config=config, init=init, threads=1)
        assert model.training["solver"] == solver
        assert model.training["objective"] == objective
        found.append(predictions_of(LogLinearMachine((), model.weights, model.alpha), batch))
    assert found[0] == pytest.approx(found[1], abs=1e-6)


def test_one_outlier_moves_hubers_model_less() -> None:
    scores = JUDGMENTS.scores.copy()
    scores[3] += 2000.0
    spoilt = replace(JUDGMENTS, scores=scores)
    moved = {}
    for objective in ("squared_error", "huber"):
        config = TrainingConfig(objective=objective)
        models = [train(data, config=config, threads=1) for data in (JUDGMENTS, spoilt)]
        batch = lattices_of(JUDGMENTS)
        found = [predictions_of(LogLinearMachine((), one.weights, one.alpha), batch) for one in models]
        moved[objective] = np.corrcoef(found[0], found[1])[0, 1]
    assert moved["huber"] > moved["squared_error"] + 0.05
