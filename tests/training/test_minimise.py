"""Minimisation by either solver, with bounds and hinges too: SciPy finds the same; any loss and any penalty."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from scipy import optimize

from pfsm.errors import PfsmError
from pfsm.lattice.arrays import ArcFeatures, LatticeBatch
from pfsm.matchers.bins import ramp_names
from pfsm.model.builder import LatticeBuilder
from pfsm.model.settings import Settings
from pfsm_training import LogLinearMachine, TrainingConfig
from pfsm_training.data.training_set import TrainingData
from pfsm_training.fit import gauss_newton, lbfgs
from pfsm_training.fit.fitting import Choice, Fitter
from pfsm_training.lattices.features import frequent, instances
from pfsm_training.lattices.store import HeldLattices, Room
from pfsm_training.loss.hinges import AllHinges, Hinges, model_minimum
from pfsm_training.loss.objective import (
    BlocksLoss,
    Loss,
    Objective,
    PairsOfItems,
    PairwiseLogistic,
    SquaredError,
    WeightedSum,
)
from tests.training.small_data import invented, random_batch

Float = NDArray[np.float64]
JUDGMENTS = invented(0)
RAMPS = ramp_names("para", [0.0, 0.25, 0.5, 0.75, 1.0, 2.0])


def lattices_of(batch: LatticeBatch) -> HeldLattices:
    return HeldLattices.of([batch], Room(1 << 30))


def standardised(scores: Float) -> Float:
    return np.asarray((scores - scores.mean()) / scores.std())


def predictions_of(machine: LogLinearMachine, batch: LatticeBatch) -> Float:
    with torch.no_grad():
        return np.asarray(machine(batch).numpy())


def machine_of(batch: LatticeBatch, spread: float) -> LogLinearMachine:
    """A machine at zero, or at random weights."""
    names = frequent(instances(batch))
    values = np.random.default_rng(1).normal(0.0, spread, len(names)) if spread else np.zeros(len(names))
    return LogLinearMachine(names, dict(zip(names, values.tolist(), strict=True)), 0.25)


def minimum_by_scipy(
    machine: LogLinearMachine, objective: Objective, held: tuple[str, ...] = (), free_alpha: bool = True
) -> float:
    """Minimises from the machine's weights, those held not below zero, and leaves them there; returns the value."""
    size = len(machine.learned)
    parameters = [machine.theta, *([machine.alpha] if free_alpha else [])]

    def at(values: Float) -> tuple[float, Float]:
        with torch.no_grad():
            machine.theta.copy_(torch.from_numpy(values[:size]))
            if free_alpha:
                machine.alpha.fill_(float(values[size]))
        loss = objective.value(machine)
        gradients = torch.autograd.grad(loss, parameters)
        return float(loss.detach()), np.concatenate([part.numpy().reshape(-1) for part in gradients])

    start = np.array([*machine.theta.tolist(), *([machine.alpha.item()] if free_alpha else [])])
    low = np.full(start.size, -np.inf)
    low[:size] = [0.0 if name in held else -np.inf for name in machine.learned]
    options = {"gtol": 1e-10, "ftol": 0.0, "maxcor": 30, "maxiter": 5000, "maxfun": 20000}
    bounds = optimize.Bounds(low, np.full(start.size, np.inf))
    found = optimize.minimize(
        at, np.maximum(start, low), jac=True, method="L-BFGS-B", bounds=bounds, options=options
    )
    at(found.x)
    return float(found.fun)


TARGETS = standardised(JUDGMENTS.scores)


def preferred(slope: float = 1.0) -> PairwiseLogistic:
    """Neighbouring translations of a segment, the better scored one preferred but for every seventh."""
    first, second = np.arange(0, 89), np.arange(1, 90)
    up = (TARGETS[first] > TARGETS[second]) ^ (first % 7 == 0)
    votes = np.random.default_rng(5).integers(0, 4, first.size).astype(np.float64)
    return PairwiseLogistic(np.where(up, first, second), np.where(up, second, first), votes, slope)


MIXED = WeightedSum([(0.7, SquaredError(TARGETS)), (0.9, preferred(2.5))])


@pytest.mark.parametrize(
    ("loss", "penalty", "spread", "most"),
    [
        (SquaredError(TARGETS), 0.5, 0.5, 100),
        (SquaredError(TARGETS), 1e12, 0.5, 20),
        (SquaredError(TARGETS, threshold=0.3), 5.0, 0.0, 80),
        (preferred(), 5.0, 0.0, 80),
        (MIXED, 5.0, 0.0, 80),
    ],
    ids=["squared", "steep", "huber", "preferences", "mixed"],
)
def test_all_three_minimise_alike(loss: Loss, penalty: float, spread: float, most: int) -> None:
    batch = LatticeBuilder(Settings()).build(JUDGMENTS.references, JUDGMENTS.hypotheses)
    free_alpha = not isinstance(loss, PairwiseLogistic)
    ours, theirs, scipys = (machine_of(batch, spread) for _ in range(3))
    objective = Objective(BlocksLoss(lattices_of(batch), loss), penalty, ours.theta.detach().clone())
    fit = gauss_newton.minimise(ours, objective, len(batch), free_alpha=free_alpha)
    other = lbfgs.minimise(theirs, objective, len(batch), free_alpha=free_alpha)
    lowest = minimum_by_scipy(scipys, objective, free_alpha=free_alpha)
    assert fit.converged
    assert fit.objective == pytest.approx(other.objective, rel=1e-9)
    assert fit.objective == pytest.approx(lowest, rel=1e-10)
    with torch.no_grad():
        assert fit.objective == pytest.approx(float(objective.value(ours)), rel=1e-12)
    found = predictions_of(ours, batch)
    assert found == pytest.approx(predictions_of(scipys, batch), abs=1e-6)
    # L-BFGS stops at a gradient a hundred times larger.
    assert found == pytest.approx(predictions_of(theirs, batch), abs=1e-5)
    assert fit.evaluations < most


def test_little_to_gain_under_heavy_damping_is_no_end() -> None:
    """A minimisation that begins damped, as after steps that failed, expects little of a step far from the minimum."""
    batch = LatticeBuilder(Settings()).build(JUDGMENTS.references, JUDGMENTS.hypotheses)
    machine, exact = machine_of(batch, 0.0), machine_of(batch, 0.0)
    objective = Objective(
        BlocksLoss(lattices_of(batch), SquaredError(TARGETS)), 5.0, torch.zeros_like(machine.theta)
    )
    size = machine.theta.numel() + 1
    damped = lbfgs.Secant(1e9, np.zeros((size, size)))
    found = gauss_newton.minimise(machine, objective, len(batch), gain_tolerance=1e-7, secant=damped)
    least = gauss_newton.minimise(exact, objective, len(batch)).objective
    assert found.iterations > 5
    assert found.objective == pytest.approx(least, rel=1e-6)


def ramped_batch(seed: int) -> tuple[LatticeBatch, Float]:
    """Lattices whose arcs carry soft bins, and one feature that may have any weight; and targets.

    Targets are high where one machine's prediction is high and another's is low, which no trained one can match.
    """
    rng = np.random.default_rng(seed)
    batch = random_batch(seed, 50, longest=6)
    names = (*RAMPS, "para:free")
    values = rng.uniform(0.0, 1.0, (batch.lattices.arcs.shape[0], len(names)))
    arc, feature = np.nonzero(values > 0.3)
    features = ArcFeatures(names, arc.astype(np.int64), feature.astype(np.int32), values[arc, feature])
    batch = replace(batch, arc_features=features)
    rising = LogLinearMachine((), {"para:+1": 2.5, "para:+3": 2.5, "Insert": -0.5})
    falling = LogLinearMachine((), {"para:+0": 2.5, "para:+2": 2.5, "para:free": 2.5})
    noise = np.random.default_rng(seed + 50).normal(size=len(batch))
    up, down = (standardised(predictions_of(machine, batch)) for machine in (rising, falling))
    return batch, standardised(up - down + 0.2 * noise)


def ramps(machine: LogLinearMachine) -> Float:
    weights = machine.weights()
    return np.array([weights[name] for name in RAMPS])


@pytest.mark.parametrize(("seed", "spread", "penalty"), [(0, 0.0, 1.0), (1, 0.4, 5.0)])
def test_the_minimum_within_bounds_is_scipys(seed: int, spread: float, penalty: float) -> None:
    batch, targets = ramped_batch(seed)
    ours, theirs = machine_of(batch, spread), machine_of(batch, spread)
    loss: Loss = SquaredError(targets, threshold=1.345) if seed == 1 else SquaredError(targets)
    objective = Objective(BlocksLoss(lattices_of(batch), loss), penalty, ours.theta.detach().clone())
    lowest_seen: list[float] = []
    fit = gauss_newton.minimise(ours, objective, 50, lambda _: lowest_seen.append(ramps(ours).min()))
    assert fit.converged
    assert fit.objective == pytest.approx(minimum_by_scipy(theirs, objective, RAMPS), rel=1e-9)
    assert predictions_of(ours, batch) == pytest.approx(predictions_of(theirs, batch), abs=1e-6)
    held = ramps(ours) == 0.0
    assert held.any()
    assert not held.all()
    assert len(lowest_seen) == fit.iterations
    assert min(lowest_seen) >= 0.0


def test_l_bfgs_refuses_bounds_in_one_line() -> None:
    none = np.zeros(0, dtype=np.int64)
    batch, targets = ramped_batch(0)
    data = TrainingData(lattices_of(batch), PairsOfItems.single(len(batch)), targets, none, none, np.zeros(0))
    fitter = Fitter(TrainingConfig(solver="lbfgs"), None, 1)
    with pytest.raises(PfsmError, match=r"^solver lbfgs .* use solver: gauss-newton$") as caught:
        fitter.fit(data, Choice(5.0), "training")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("steep", [0.0, 1.0, 1e4, 1e8])
@pytest.mark.parametrize("seed", range(3))
def test_no_direction_within_the_bounds_leads_down(seed: int, steep: float) -> None:
    """At the minimum of a convex sum the gradient is zero where there is room, and not negative at a bound."""
    rng, size, count = np.random.default_rng(seed), 6, 40
    root = rng.normal(size=(size, size))
    slopes = np.sqrt(steep) * rng.normal(size=(count, size))
    missing = np.sqrt(steep) * rng.normal(-0.5, 1.0, count)
    room = np.where(rng.random(size) < 0.5, -rng.uniform(0.0, 0.3, size), -np.inf)
    gradient, curvature = 5.0 * rng.normal(size=size), root @ root.T + 0.1 * np.eye(size)
    step = model_minimum(gradient, curvature, AllHinges([Hinges(missing, slopes)], size), room)
    assert (step >= room).all()
    left = np.maximum(0.0, missing + slopes @ step)
    pull = gradient + curvature @ step + 2.0 * left @ slopes
    at_bound, scale = step == room, 1e-9 * (1.0 + steep)
    assert np.abs(pull[~at_bound]).max(initial=0.0) < scale
    assert pull[at_bound].min(initial=0.0) > -scale
