"""Minima within bounds, with squared hinges: weights of soft bins are never negative, and SciPy finds the same."""

from dataclasses import replace

import numpy as np
import pytest
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
from pfsm_training.loss.hinges import AllHinges, Hinges, model_minimum
from pfsm_training.loss.objective import HuberError, Loss, Objective, SquaredError
from pfsm_training.loss.references import PairsOfItems
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


@pytest.mark.parametrize(("seed", "spread", "penalty"), [(0, 0.0, 1.0), (1, 0.0, 5.0), (1, 0.4, 1.0)])
def test_the_minimum_is_scipys(seed: int, spread: float, penalty: float) -> None:
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
    lowest = minimum_by_scipy(theirs, objective, lower_bounds(theirs), method="L-BFGS-B")
    assert fit.converged
    assert fit.objective == pytest.approx(lowest, rel=1e-9)
    assert predictions_of(ours, batch) == pytest.approx(predictions_of(theirs, batch), abs=1e-6)
    held = rising(ours) == 0.0
    assert held.any()
    assert not held.all()
    assert len(lowest_seen) == fit.iterations
    assert min(lowest_seen) >= 0.0


def fitter(solver: str, init: Model | None = None) -> Fitter:
    return Fitter(TrainingConfig(solver=solver), init, 1, lambda *_: None)


def test_l_bfgs_refuses_such_a_model_in_one_line() -> None:
    none = np.zeros(0, dtype=np.int64)
    batch = ramped_batch(0)
    held = HeldLattices.of([batch], Room(1 << 30))
    data = TrainingData(
        held, PairsOfItems.single(len(batch)), noisy_targets(batch, 0), none, none, np.zeros(0)
    )
    with pytest.raises(PfsmError, match=r"^solver lbfgs .* use solver: gauss-newton$") as caught:
        fitter("lbfgs").fit(data, Choice(5.0), "training")
    assert "\n" not in str(caught.value)
    fitted = fitter("gauss-newton").fit(data, Choice(5.0), "training")
    assert fitted is not None
    assert rising(fitted.machine).min() >= 0.0


SIZE, COUNT = 6, 40


def problem(seed: int, steep: float) -> tuple[Float, Float, Hinges, Float]:
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(SIZE, SIZE))
    slopes = np.sqrt(steep) * rng.normal(size=(COUNT, SIZE))
    missing = np.sqrt(steep) * rng.normal(-0.5, 1.0, COUNT)
    room = np.where(rng.random(SIZE) < 0.5, -rng.uniform(0.0, 0.3, SIZE), -np.inf)
    return 5.0 * rng.normal(size=SIZE), root @ root.T + 0.1 * np.eye(SIZE), Hinges(missing, slopes), room


def slope(step: Float, gradient: Float, curvature: Float, hinges: Hinges) -> Float:
    left = np.maximum(0.0, hinges.missing + hinges.slopes @ step)
    return np.asarray(gradient + curvature @ step + 2.0 * left @ hinges.slopes)


@pytest.mark.parametrize("steep", [0.0, 1.0, 1e4, 1e8])
@pytest.mark.parametrize("seed", range(3))
def test_no_direction_within_the_bounds_leads_down(seed: int, steep: float) -> None:
    """At the minimum of a convex sum the gradient is zero where there is room, and not negative at a bound."""
    gradient, curvature, hinges, room = problem(seed, steep)
    step = model_minimum(gradient, curvature, AllHinges([hinges], SIZE), room)
    assert (step >= room).all()
    pull = slope(step, gradient, curvature, hinges)
    scale = 1e-9 * (1.0 + steep)
    at_bound = step == room
    assert np.abs(pull[~at_bound]).max(initial=0.0) < scale
    assert pull[at_bound].min(initial=0.0) > -scale
