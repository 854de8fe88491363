"""Minimisation by either solver: stationary points, SciPy's minima, any loss and penalty, machines found again."""

import itertools
from types import ModuleType

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from pfsm.lattice.arrays import LatticeBatch
from pfsm.model.file import Model
from pfsm.model.metric import Metric
from pfsm_training import LogLinearMachine, TrainingConfig, train
from pfsm_training.fit import gauss_newton, lbfgs
from pfsm_training.fit.lbfgs import Fit, Iteration
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
from tests.training.small_data import corrupted, invented, judgments_of, random_batch, sentence

Float = NDArray[np.float64]
PAIRS = 30
SOLVERS = [gauss_newton, lbfgs]
both_solvers = pytest.mark.parametrize("solver", SOLVERS, ids=["gauss-newton", "lbfgs"])


class Problem:
    """A batch, standardised random targets, a lambda and a point to be near to."""

    def __init__(self, seed: int, penalty: float, centre: float = 0.0) -> None:
        rng = np.random.default_rng(seed)
        targets = rng.normal(size=PAIRS)
        self.batch = random_batch(seed, PAIRS)
        self.learned = frequent(instances(self.batch))
        self.start = rng.normal(0.0, centre, len(self.learned)) if centre else np.zeros(len(self.learned))
        self.targets = (targets - targets.mean()) / targets.std()
        self.objective = Objective(
            (self.batch,), SquaredError(self.targets), penalty, torch.tensor(self.start)
        )

    def machine(self, parameters: Float) -> LogLinearMachine:
        theta = dict(zip(self.learned, parameters[:-1].tolist(), strict=True))
        return LogLinearMachine(self.learned, theta, float(parameters[-1]))

    def value(self, parameters: Float) -> float:
        with torch.no_grad():
            return float(self.objective(self.machine(parameters)))

    def value_and_gradient(self, parameters: Float) -> tuple[float, Float]:
        machine = self.machine(parameters)
        loss = self.objective(machine)
        gradients = torch.autograd.grad(loss, [machine.theta, machine.alpha])
        return float(loss.detach()), np.concatenate([part.numpy().reshape(-1) for part in gradients])

    def predictions(self, parameters: Float) -> Float:
        return np.asarray(self.machine(parameters)(self.batch).detach().numpy())

    def minimise(self, solver: ModuleType) -> tuple[Fit, Float]:
        machine = self.machine(np.append(self.start, 0.0))
        fit: Fit = solver.minimise(machine, self.objective, PAIRS)
        return fit, np.append(machine.theta.detach().numpy(), float(machine.alpha.detach()))


CASES = [(0, 5.0, 0.0), (1, 5.0, 0.0), (2, 0.5, 0.0), (3, 150.0, 0.0), (4, 5.0, 0.7), (5, 1e6, 0.7)]


@both_solvers
@pytest.mark.parametrize(("seed", "penalty", "centre"), CASES)
def test_the_end_is_stationary_by_finite_differences(
    seed: int, penalty: float, centre: float, solver: ModuleType
) -> None:
    problem = Problem(seed, penalty, centre)
    fit, end = problem.minimise(solver)
    assert fit.converged
    assert fit.objective == pytest.approx(problem.value(end), rel=1e-12)
    assert fit.objective < problem.value(np.append(problem.start, 0.0))
    # The step is short where the penalty is steep, so that rounding and the next terms both stay small.
    step = 1e-4 / max(1.0, penalty / 100.0) ** 0.5
    # Where the penalty is steep a search ends when nothing is to be gained: at most slope^2 / (4 lambda).
    steepest = max(1e-5, 2.0 * (penalty * 1e-12 * fit.objective) ** 0.5)
    for place in range(end.size):
        nudge = np.zeros(end.size)
        nudge[place] = step
        slope = (problem.value(end + nudge) - problem.value(end - nudge)) / (2 * step)
        assert abs(slope) < steepest, (*problem.learned, "alpha")[place]


@both_solvers
def test_the_search_goes_downhill_and_reports_every_iteration(solver: ModuleType) -> None:
    problem = Problem(6, 0.5)
    machine = problem.machine(np.zeros(len(problem.learned) + 1))
    seen: list[Iteration] = []
    fit = solver.minimise(machine, problem.objective, PAIRS, seen.append)
    values = [iteration.objective for iteration in seen]
    assert [iteration.number for iteration in seen] == list(range(1, fit.iterations + 1))
    assert all(after <= before for before, after in itertools.pairwise(values))
    assert values[-1] == fit.objective
    assert seen[-1].gradient <= 1e-7 * PAIRS < seen[0].gradient
    assert fit.iterations < fit.evaluations < 4 * fit.iterations


TRUTH = {"Insert": -1.2, "Delete": -1.6, "S_word": 1.5, "S_lemma": 0.7, "S_punct": 0.2}
TRUTH |= {"Insert>Delete": -0.4, "S_word>S_word": 0.5, "Delete>Delete": 0.3, "S_word>Delete": -0.3}


@pytest.mark.parametrize(("penalty", "off"), [(5.0, 0.45), (0.05, 0.1)])
def test_a_machine_is_found_again_from_its_scores(penalty: float, off: float) -> None:
    """``y / (m + n)`` of a known machine plus a little noise; the learned one predicts pairs it has not seen."""
    rng = np.random.default_rng(0)
    words = [sentence(rng) for _ in range(300)]
    references = [" ".join(reference) for reference in words]
    hypotheses = [" ".join(corrupted(rng, reference, float(rng.uniform(0.0, 0.9)))) for reference in words]
    truth = Metric(Model("truth", weights=TRUTH), threads=1).score_pairs(hypotheses, references)
    noisy = truth + rng.normal(0.0, 0.05 * truth.std(), truth.size)
    judgments = judgments_of(references[:200], hypotheses[:200], noisy[:200].tolist())
    model = train(judgments, config=TrainingConfig(penalty=penalty), threads=1)
    found = Metric(model, threads=1).score_pairs(hypotheses[200:], references[200:])
    assert np.corrcoef(found, truth[200:])[0, 1] > 0.99
    # In the units of the scores too; the penalty pulls towards the middle.
    assert np.sqrt(np.mean((found - truth[200:]) ** 2)) < off * truth.std()


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


@pytest.mark.parametrize(("penalty", "spread"), [(0.5, 0.5), (50.0, 0.0), (1e6, 0.5), (1e12, 0.5)])
def test_any_penalty(penalty: float, spread: float) -> None:
    fit = agree(lattices_of(JUDGMENTS), LOSSES["squared"], penalty, spread, free_alpha=True)
    assert fit.evaluations < (100 if penalty < 1 else 20)


@pytest.mark.parametrize("spread", [0.0, 0.5], ids=["from zero", "near other weights"])
def test_with_jumps(spread: float) -> None:
    batch = lattices_of(invented(0, segments=20), max_jump=3)
    loss = SquaredError(standardised(invented(0, segments=20).scores))
    agree(batch, loss, 5.0, spread, free_alpha=True)


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
