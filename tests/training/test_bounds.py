"""Weights of soft bins are never negative, and the minimum is SciPy's constrained one."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from pfsm.errors import PfsmError
from pfsm.lattice.arrays import ArcFeatures, LatticeBatch
from pfsm.matchers.bins import ramp_names
from pfsm.model.file import Model
from pfsm_training import LogLinearMachine, TrainingConfig
from pfsm_training.data.training_set import TrainingData
from pfsm_training.fit import gauss_newton
from pfsm_training.fit.fitting import Choice, Fitter
from pfsm_training.fit.lbfgs import Iteration
from pfsm_training.lattices.features import frequent, instances
from pfsm_training.lattices.store import HeldLattices, Room
from pfsm_training.loss.objective import HuberError, Loss, Objective, SquaredError
from tests.training.objectives import minimum_by_scipy, predictions_of, standardised
from tests.training.small_data import random_batch

Float = NDArray[np.float64]
PAIRS = 50
RAMPS = ramp_names("para", [0.0, 0.25, 0.5, 0.75, 1.0, 2.0])


def ramped_batch(seed: int) -> LatticeBatch:
    """Lattices whose arcs carry soft bins, and one feature that may have any weight."""
    rng = np.random.default_rng(seed)
    batch = random_batch(seed, PAIRS, longest=6)
    n_arcs = batch.lattices.arcs.shape[0]
    names = (*RAMPS, "para:free")
    values = rng.uniform(0.0, 1.0, (n_arcs, len(names)))
    arc, feature = np.nonzero(values > 0.3)
    features = ArcFeatures(names, arc.astype(np.int64), feature.astype(np.int32), values[arc, feature])
    return replace(batch, arc_features=features)


def noisy_targets(batch: LatticeBatch, seed: int) -> Float:
    """High where one machine's prediction is high and another's is low, which no trained one can match, and noise."""
    rising = LogLinearMachine((), {"para:+1": 2.5, "para:+3": 2.5, "Insert": -0.5})
    falling = LogLinearMachine((), {"para:+0": 2.5, "para:+2": 2.5, "para:free": 2.5})
    noise = np.random.default_rng(seed + 50).normal(size=len(batch))
    up, down = (standardised(predictions_of(machine, batch)) for machine in (rising, falling))
    return standardised(up - down + 0.2 * noise)


def started(batch: LatticeBatch, spread: float) -> LogLinearMachine:
    learned = frequent(instances(batch))
    assert set(RAMPS) < set(learned)
    values = np.random.default_rng(1).normal(0.0, spread, len(learned)) if spread else np.zeros(len(learned))
    return LogLinearMachine(learned, dict(zip(learned, values.tolist(), strict=True)), 0.1)


def lower_bounds(machine: LogLinearMachine) -> Float:
    return np.array([0.0 if name in RAMPS else -np.inf for name in machine.learned])


def rising(machine: LogLinearMachine) -> Float:
    weights = machine.weights()
    return np.array([weights[name] for name in RAMPS])


@pytest.mark.parametrize("method", ["L-BFGS-B", "SLSQP"])
@pytest.mark.parametrize("penalty", [1.0, 5.0])
@pytest.mark.parametrize("spread", [0.0, 0.4], ids=["from zero", "near other weights"])
@pytest.mark.parametrize("seed", range(2))
def test_the_minimum_is_scipys(seed: int, spread: float, penalty: float, method: str) -> None:
    batch = ramped_batch(seed)
    ours, theirs = started(batch, spread), started(batch, spread)
    loss: Loss = (
        HuberError(noisy_targets(batch, seed)) if seed == 1 else SquaredError(noisy_targets(batch, seed))
    )
    objective = Objective((batch,), loss, penalty, ours.theta.detach().clone())
    lowest_seen = []

    def watch(_: Iteration) -> None:
        lowest_seen.append(rising(ours).min())

    fit = gauss_newton.minimise(ours, objective, PAIRS, watch)
    lowest = minimum_by_scipy(theirs, objective, lower_bounds(theirs), method=method)
    assert fit.converged
    assert fit.objective == pytest.approx(lowest, rel=1e-9)
    assert predictions_of(ours, batch) == pytest.approx(
        predictions_of(theirs, batch), abs=1e-6 if method == "L-BFGS-B" else 1e-5
    )
    assert len(lowest_seen) == fit.iterations
    assert min(lowest_seen) >= 0.0


def test_some_bounds_hold_and_some_do_not() -> None:
    """Otherwise the tests above would prove nothing. Without bounds the same weights may be negative."""
    held, free, below = 0, 0, 0
    for seed in range(3):
        batch = ramped_batch(seed)
        machine = started(batch, 0.0)
        loss = SquaredError(noisy_targets(batch, seed))
        gauss_newton.minimise(machine, Objective((batch,), loss, 1.0, torch.zeros_like(machine.theta)), PAIRS)
        held += int((rising(machine) == 0.0).sum())
        free += int((rising(machine) > 1e-3).sum())
        below += machine.weights()["para:free"] < 0.0
    assert held > 2
    assert free > 2
    assert below > 0


def test_negative_weights_are_moved_to_zero() -> None:
    """Even if a strong penalty pulls them back."""
    batch = ramped_batch(0)
    machine = started(batch, 0.0)
    with torch.no_grad():
        machine.theta.fill_(-0.5)
    objective = Objective(
        (batch,), SquaredError(noisy_targets(batch, 0)), 1e9, machine.theta.detach().clone()
    )
    fit = gauss_newton.minimise(machine, objective, PAIRS)
    assert fit.converged
    assert (rising(machine) == 0.0).all()
    others = [weight for name, weight in machine.weights().items() if name not in RAMPS]
    assert others == pytest.approx([-0.5] * len(others), abs=1e-6)


def fitter(solver: str, init: Model | None = None) -> Fitter:
    return Fitter(TrainingConfig(solver=solver), init, 1, lambda *_: None)


def test_l_bfgs_refuses_such_a_model_in_one_line() -> None:
    none = np.zeros(0, dtype=np.int64)
    batch = ramped_batch(0)
    held = HeldLattices.of([batch], Room(1 << 30))
    data = TrainingData(held, noisy_targets(batch, 0), none, none, np.zeros(0))
    with pytest.raises(PfsmError, match=r"^solver lbfgs .* use solver: gauss-newton$") as caught:
        fitter("lbfgs").fit(data, Choice(5.0), "training")
    assert "\n" not in str(caught.value)
    fitted = fitter("gauss-newton").fit(data, Choice(5.0), "training")
    assert fitted is not None
    assert rising(fitted.machine).min() >= 0.0
    # Where no bin is learned either solver will do.
    plain = replace(data, lattices=HeldLattices.of([replace(batch, arc_features=ArcFeatures())], held.room))
    assert fitter("lbfgs").fit(plain, Choice(5.0), "training") is not None
