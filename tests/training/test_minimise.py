"""Minimisation by either solver: stationary points, SciPy's minima, machines found again from their own scores."""

import itertools
from types import ModuleType

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from scipy import optimize

from pfsm.model.file import Model
from pfsm.model.metric import Metric
from pfsm_training import LogLinearMachine, TrainingConfig, train
from pfsm_training.fit import gauss_newton, lbfgs
from pfsm_training.fit.lbfgs import Fit, Iteration
from pfsm_training.lattices.features import frequent, instances
from pfsm_training.loss.objective import Objective, SquaredError
from tests.training.small_data import corrupted, judgments_of, random_batch, sentence

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


@pytest.mark.parametrize("method", ["BFGS", "L-BFGS-B"])
@pytest.mark.parametrize(("seed", "penalty", "centre"), CASES)
def test_the_minimum_is_that_of_scipy(seed: int, penalty: float, centre: float, method: str) -> None:
    problem = Problem(seed, penalty, centre)
    options = {"BFGS": {"gtol": 1e-9}, "L-BFGS-B": {"gtol": 1e-9, "ftol": 0.0, "maxcor": 20}}[method]
    start = np.append(problem.start, 0.0)
    theirs = optimize.minimize(
        problem.value_and_gradient, start, jac=True, method=method, options={"maxiter": 5000, **options}
    )
    for solver in SOLVERS:
        fit, end = problem.minimise(solver)
        assert fit.objective == pytest.approx(theirs.fun, rel=1e-10)
        assert problem.predictions(end) == pytest.approx(problem.predictions(theirs.x), abs=1e-6)


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


@both_solvers
def test_a_minimum_is_left_alone(solver: ModuleType) -> None:
    problem = Problem(7, 5.0)
    _, end = problem.minimise(solver)
    machine = problem.machine(end)
    fit = solver.minimise(machine, problem.objective, PAIRS)
    assert (fit.iterations, fit.evaluations, fit.converged) == (0, 1, True)
    assert machine.theta.tolist() == end[:-1].tolist()


@both_solvers
def test_without_a_learned_weight_alpha_alone_is_fitted(solver: ModuleType) -> None:
    problem = Problem(8, 5.0)
    machine = LogLinearMachine((), {})
    objective = Objective(
        (problem.batch,), SquaredError(problem.targets), 5.0, machine.theta.detach().clone()
    )
    fit = solver.minimise(machine, objective, PAIRS)
    best = (problem.targets - problem.predictions(np.zeros(len(problem.learned) + 1))).mean()
    assert float(machine.alpha.detach()) == pytest.approx(best, abs=1e-7)
    assert fit.converged


@both_solvers
def test_alpha_that_is_not_free_stays(solver: ModuleType) -> None:
    problem = Problem(9, 5.0)
    machine = problem.machine(np.append(problem.start, 0.625))
    fit = solver.minimise(machine, problem.objective, PAIRS, free_alpha=False)
    assert fit.converged
    assert float(machine.alpha.detach()) == 0.625
    end = machine.theta.detach().numpy()
    theirs = optimize.minimize(
        lambda theta: problem.value(np.append(theta, 0.625)),
        problem.start,
        jac=lambda theta: problem.value_and_gradient(np.append(theta, 0.625))[1][:-1],
        method="BFGS",
        options={"gtol": 1e-9},
    )
    assert end == pytest.approx(theirs.x, abs=1e-6)
    assert problem.value_and_gradient(np.append(end, 0.625))[1][-1] != pytest.approx(0.0, abs=1e-2)


@both_solvers
def test_with_nothing_to_learn_nothing_happens(solver: ModuleType) -> None:
    problem = Problem(10, 5.0)
    machine = LogLinearMachine((), {}, alpha=0.25)
    objective = Objective(
        (problem.batch,), SquaredError(problem.targets), 5.0, machine.theta.detach().clone()
    )
    fit = solver.minimise(machine, objective, PAIRS, free_alpha=False)
    assert (fit.iterations, fit.converged, float(machine.alpha.detach())) == (0, True, 0.25)


TRUTH = {"Insert": -1.2, "Delete": -1.6, "S_word": 1.5, "S_lemma": 0.7, "S_punct": 0.2}
TRUTH |= {"Insert>Delete": -0.4, "S_word>S_word": 0.5, "Delete>Delete": 0.3, "S_word>Delete": -0.3}


@pytest.mark.parametrize("solver", ["gauss-newton", "lbfgs"])
@pytest.mark.parametrize(("penalty", "off"), [(5.0, 0.45), (0.05, 0.1)])
def test_a_machine_is_found_again_from_its_scores(penalty: float, off: float, solver: str) -> None:
    """``y / (m + n)`` of a known machine plus a little noise; the learned one predicts pairs it has not seen."""
    rng = np.random.default_rng(0)
    words = [sentence(rng) for _ in range(300)]
    references = [" ".join(reference) for reference in words]
    hypotheses = [" ".join(corrupted(rng, reference, float(rng.uniform(0.0, 0.9)))) for reference in words]
    truth = Metric(Model("truth", weights=TRUTH), threads=1).score_pairs(hypotheses, references)
    noisy = truth + rng.normal(0.0, 0.05 * truth.std(), truth.size)
    judgments = judgments_of(references[:200], hypotheses[:200], noisy[:200].tolist())
    model = train(judgments, config=TrainingConfig(penalty=penalty, solver=solver), threads=1)
    found = Metric(model, threads=1).score_pairs(hypotheses[200:], references[200:])
    assert np.corrcoef(found, truth[200:])[0, 1] > 0.99
    # In the units of the scores too; the penalty pulls towards the middle.
    assert np.sqrt(np.mean((found - truth[200:]) ** 2)) < off * truth.std()
