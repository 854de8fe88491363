"""One fit: from training data, lambda and mixture to a trained machine."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from pfsm.errors import PfsmError
from pfsm.lattice.names import class_of, ends
from pfsm.matchers.bins import is_rising
from pfsm.model.file import Model
from pfsm.runtime.terminal import note
from pfsm_training.config import ZERO, TrainingConfig
from pfsm_training.data.moments import correlation, mean_and_sd
from pfsm_training.data.training_set import TrainingSet, amount_judged, amount_of, amount_of_pairs
from pfsm_training.fit import gauss_newton, lbfgs
from pfsm_training.fit.checkpoint import Checkpoint
from pfsm_training.fit.lbfgs import Fit, Iteration
from pfsm_training.fit.starts import (
    SAME,
    Comparison,
    Minimum,
    distinct,
    part_of,
    sample_of,
    starts_of,
    weights_of,
)
from pfsm_training.lattices.features import frequent
from pfsm_training.loss.module import LogLinearMachine
from pfsm_training.loss.objective import (
    HUBER_THRESHOLD,
    BlocksLoss,
    Loss,
    PairwiseLogistic,
    SquaredError,
    Term,
    WeightedSum,
)

Float = NDArray[np.float64]

# Of the gradient per training pair: enough to tell minima apart. Minima less exact would seem to be several.
COMPARISON_TOLERANCE = 1e-6
# Of the gradient per training pair, and of the objective: a correlation does not move by .0001 any more.
QUICK_TOLERANCE, QUICK_GAIN = 1e-5, 1e-7
# Likewise, for what only says where to start.
ROUGH_TOLERANCE, ROUGH_GAIN = 1e-4, 1e-6
# Bounds of the search for the log of the slope; a slope is log odds per standard deviation of the scores.
LOG_SLOPES = (-4.0, 4.0)


@dataclass(frozen=True, order=True)
class Choice:
    """What cross-validation may choose.

    Attributes:
        penalty: lambda.
        mixture: Share of the preferences in the objective if there are scores too; else 0.
        weight: Of minimal pairs (`pfsm_training.fit.minimal_pairs`); 0 without any.
    """

    penalty: float
    mixture: float = 0.0
    weight: float = 0.0


class Constraint(Protocol):
    """What a model should keep to, whatever people said: a loss in addition to the objective."""

    def term(self, choice: Choice, people: float, unit: float) -> Term | None:
        """The loss; None where it weighs nothing.

        Args:
            choice: With the weight of the loss, where it has one.
            people: Number of judgments, each counted by its weight, and of preferences.
            unit: A standard deviation of the scores in the units of predictions; 1 without scores.
        """

    def sampled(self) -> "Constraint":
        """The same on fewer pairs, where there are more than starts are compared on; the loss weighs the same."""

    def outside(self, folds: tuple[int, ...]) -> "Constraint":
        """The same without pairs of references that one of these folds holds out."""


@dataclass(frozen=True, eq=False)
class Fitted:
    """A trained machine with the units of its predictions.

    Attributes:
        machine: Predicts in standardised units.
        fit: How the minimisation ended.
        mean: Mean of the training scores; 0 without scores, or if they are not standardised.
        sd: Standard deviation of the training scores; 1 likewise.
        slope: Log odds of a preference per unit of prediction; None without preferences.
        starts: How the starts of the minimisation compared.
        minima: Those that were found, the start of each by its name.
        n_pairs: Number of training pairs, each counted by the weight of what people said.
    """

    machine: LogLinearMachine
    fit: Fit
    mean: float
    sd: float
    slope: float | None
    starts: Comparison = field(default_factory=lambda: Comparison(ZERO))
    minima: tuple[Minimum, ...] = ()
    n_pairs: float = 0.0

    def predict(self, data: TrainingSet) -> Float:
        """Predicted scores of all pairs of the data, float64 [n_pairs]."""
        return np.asarray(self.mean + self.sd * data.predictions(self.machine))


@dataclass(frozen=True, eq=False)
class Fitter:
    """Fits machines with the options of a configuration.

    Attributes:
        config: Objective and solver.
        init: Initial model that the weights start from and stay near; None: near zero, from the start of ``config``.
        threads: Threads over pairs.
        tolerance: Gauss-Newton stops when no entry of the gradient per training pair is larger.
        gain_tolerance: Or when no step could lower the objective by a larger share of it.
        checkpoint: Saves the state of each fit with Gauss-Newton; None: nothing is saved.
        constraints: What the model should keep to.
    """

    config: TrainingConfig
    init: Model | None
    threads: int
    tolerance: float = gauss_newton.GRADIENT_TOLERANCE
    gain_tolerance: float = gauss_newton.CHANGE_TOLERANCE
    checkpoint: Checkpoint | None = None
    constraints: Sequence[Constraint] = ()

    def quick(self) -> "Fitter":
        """The fitter for models that are only compared."""
        return replace(self, tolerance=QUICK_TOLERANCE, gain_tolerance=QUICK_GAIN)

    def rough(self) -> "Fitter":
        """The fitter for the many models that only say which lambda is best, or where to start."""
        return replace(
            self,
            tolerance=max(self.tolerance, ROUGH_TOLERANCE),
            gain_tolerance=max(self.gain_tolerance, ROUGH_GAIN),
        )

    def fit(self, data: TrainingSet, choice: Choice, step: str, near: Fitted | None = None) -> Fitted | None:
        """Fits to the data; None if the scores are constant.

        Args:
            data: What to fit to.
            choice: lambda and mixture.
            step: What to call this in the progress.
            near: The fit to a sample of this data: its minima are the starts. None: where there is much data, one is
                made of a part of it.

        Raises:
            PfsmError: If the solver is L-BFGS, and weights must not be negative or the data is on a cluster.
        """
        mean, sd = mean_and_sd(data.scores, data.weights)
        if data.scores.size and not sd > 1e-12 * abs(mean):
            return None
        unit = 1.0
        if not self.config.standardise:
            unit = sd if data.scores.size else 1.0
            mean, sd = 0.0, 1.0
        targets = (data.scores - mean) / sd
        slope = self._slope(data, choice, step)
        loss = self._loss(data, targets, choice, slope)
        problem = _Problem(data, self.learned(data), choice, loss, step, unit, self.constraints)
        near = near or self._near(data, choice, step)
        if near is None:
            begin, comparison, before = self._starts(problem, targets, slope)
        else:
            begin, comparison, before = list(near.minima), near.starts, near.n_pairs
        found = [self._minimised(problem, one, self.tolerance, before) for one in begin]
        ends = [_minimum(start.start, *result) for start, result in zip(begin, found, strict=True)]
        minima = distinct(ends)
        machine, fit = found[ends.index(minima[0])]
        others = {
            end.start: ((end.objective - fit.objective) / abs(fit.objective), other)
            for end, (other, _) in zip(ends, found, strict=True)
            if end.objective - fit.objective > SAME * abs(fit.objective)
        }
        predicted = data.predictions(machine) if others else np.zeros(0)
        told = {
            start: (above, correlation(data.predictions(other), predicted, data.items.weights(data.weights)))
            for start, (above, other) in others.items()
        }
        comparison = replace(comparison, kept=minima[0].start, others=told)
        return Fitted(machine, fit, mean, sd, slope, comparison, tuple(minima), amount_of_pairs(data))

    def _near(self, data: TrainingSet, choice: Choice, step: str) -> Fitted | None:
        """The fit to a part of much data; None where there is not much."""
        rows = part_of(data)
        if rows is None:
            return None
        part = data.select(*rows)
        rough = replace(self.rough(), constraints=[one.sampled() for one in self.constraints])
        return rough.fit(part, _for_part(choice, part, data), f"{step}, a part of the data")

    def _starts(
        self, problem: "_Problem", targets: Float, slope: float | None
    ) -> tuple[list[Minimum], Comparison, float]:
        """Where to start from on all data, and the pairs that went into it: minima of a sample, or the one start."""
        data, choice = problem.data, problem.choice
        rows, preferences = sample_of(data)
        amount = rows.size + preferences.size
        groups = self._groups(problem.learned, amount)
        if len(groups[0]) == 1:
            return groups[0], Comparison(groups[0][0].start), 0
        constraints = problem.constraints
        if amount < data.scores.size + data.votes.size:
            whole, data = data, data.select(rows, preferences)
            choice = _for_part(choice, data, whole)
            constraints = [one.sampled() for one in constraints]
        loss = self._loss(data, targets[rows], choice, slope)
        part = replace(problem, data=data, choice=choice, loss=loss, constraints=constraints)
        ends: list[Minimum] = []
        for group in groups:
            ends += [self._end(part, start) for start in group]
            if len(distinct(ends)) == 1:
                break
        kept = distinct(ends)
        compared = Comparison(kept[0].start, amount, {end.start: end.objective for end in ends})
        return kept, compared, amount_of_pairs(data)

    def _groups(self, learned: tuple[str, ...], amount: int) -> list[list[Minimum]]:
        """The starts to try, in groups as those of `pfsm_training.fit.starts.starts_of`."""
        if self.init is not None:
            return [[Minimum("init", self.init.weights, self.init.alpha)]]
        groups = starts_of(self.config.start, learned, amount)
        return [[Minimum(name, weights_of(name, learned)) for name in group] for group in groups]

    def _end(self, problem: "_Problem", start: Minimum) -> Minimum:
        """The minimum that a start leads to, close enough to tell it from others."""
        problem = replace(problem, step=f"{problem.step}, start at {start.start}")
        tolerance = max(self.tolerance, COMPARISON_TOLERANCE)
        return _minimum(start.start, *self._minimised(problem, start, tolerance))

    def _minimised(
        self, problem: "_Problem", start: Minimum, tolerance: float, before: float = 0.0
    ) -> tuple[LogLinearMachine, Fit]:
        data, step = problem.data, problem.step
        machine = LogLinearMachine(problem.learned, start.weights, start.alpha, self.threads)
        centre = {} if self.init is None else self.init.weights
        people = amount_of(data)
        others = (one.term(problem.choice, people, problem.unit) for one in problem.constraints)
        objective = data.objective(
            problem.loss,
            problem.choice.penalty,
            torch.tensor([centre.get(name, 0.0) for name in problem.learned], dtype=torch.float64),
            [one for one in others if one is not None],
        )
        tell(step, None)
        watch = partial(tell, step)
        free_alpha, n_pairs = data.scores.size > 0, amount_of_pairs(data)
        if self.config.solver == "lbfgs":
            _no_bounds(machine.learned)
            if not isinstance(objective.term, BlocksLoss):
                raise PfsmError("solver lbfgs cannot train on a cluster; use solver: gauss-newton")
            least = max(tolerance, lbfgs.GRADIENT_TOLERANCE)
            fit = lbfgs.minimise(machine, objective, n_pairs, watch, free_alpha=free_alpha, tolerance=least)
        else:
            fit = gauss_newton.minimise(
                machine,
                objective,
                n_pairs,
                watch,
                free_alpha=free_alpha,
                tolerance=tolerance,
                gain_tolerance=self.gain_tolerance,
                memory=None if self.checkpoint is None else self.checkpoint.next_fit(),
                secant=start.secant_for(problem.learned, n_pairs / before) if before else None,
            )
        return machine, fit

    def learned(self, data: TrainingSet) -> tuple[str, ...]:
        """Names of the weights to learn."""
        names = frequent(data.instances())
        return tuple(name for name in names if not any(map(class_of, ends(name) or ())))

    def _loss(self, data: TrainingSet, targets: Float, choice: Choice, slope: float | None) -> Loss:
        threshold = HUBER_THRESHOLD if self.config.objective == "huber" else math.inf
        scored = SquaredError(targets, data.weights, threshold)
        if slope is None or (targets.size and not data.votes.any()):
            return scored
        preferred = PairwiseLogistic(data.better, data.worse, data.votes, slope)
        if not targets.size:
            return preferred
        # The mixture weighs the mean over the votes against the mean over the scores; 0 is the loss of the scores.
        share = choice.mixture * amount_judged(data) / float(data.votes.sum())
        return WeightedSum([(1.0 - choice.mixture, scored), (share, preferred)])

    def _slope(self, data: TrainingSet, choice: Choice, step: str) -> float | None:
        """The slope of the preferences with the highest likelihood under the model of the scores alone."""
        if not data.scores.size:
            return 1.0  # the weights themselves set the slope
        if not data.votes.any():
            return None
        alone = data.without_preferences()
        first = self.fit(alone, Choice(choice.penalty), f"{step}, scores alone")
        if first is None:
            return 1.0
        predictions = data.predictions(first.machine)
        margins = predictions[data.better] - predictions[data.worse]

        def loss(log_slope: float) -> float:
            # NumPy's dot product would add in an order that depends on the number of processors.
            return float((data.votes * np.logaddexp(0.0, -np.exp(log_slope) * margins)).sum())

        # Bounds are for standardised scores.
        shift = 0.0 if self.config.standardise else float(np.log(mean_and_sd(data.scores, data.weights)[1]))
        bounds = tuple(bound - shift for bound in LOG_SLOPES)
        return float(np.exp(minimize_scalar(loss, bounds=bounds, method="bounded").x))


def tell(step: str, iteration: Iteration | None) -> None:
    """Notes a step, and the iteration of it that has just ended, in the stage that is open."""
    # What is chosen stands in the place of the stage.
    chosen = ("lambda ", "mixture ", "weight ")
    within = [part for part in step.split(", ")[1:] if not part.startswith(chosen)]
    at = "" if iteration is None else f"iteration {iteration.number}, objective {iteration.objective:.6g}"
    note(", ".join(filter(None, (*within, at))))


@dataclass(frozen=True, eq=False)
class _Problem:
    """What is minimised, whatever the start."""

    data: TrainingSet
    learned: tuple[str, ...]
    choice: Choice
    loss: Loss
    step: str
    unit: float
    constraints: Sequence[Constraint]


def _for_part(choice: Choice, part: TrainingSet, whole: TrainingSet) -> Choice:
    """The choice with which the minima of a part of the data are near those of all."""
    return replace(choice, penalty=amount_of(part) / amount_of(whole) * choice.penalty)


def _minimum(start: str, machine: LogLinearMachine, fit: Fit) -> Minimum:
    weights = dict(zip(machine.learned, machine.theta.tolist(), strict=True))
    return Minimum(start, weights, float(machine.alpha.detach()), fit.objective, fit.secant)


def _no_bounds(learned: tuple[str, ...]) -> None:
    if any(map(is_rising, learned)):
        raise PfsmError(
            "solver lbfgs cannot keep the weights of soft bins at 0 or above; use solver: gauss-newton"
        )
