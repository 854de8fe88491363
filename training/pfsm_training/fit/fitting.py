"""One fit: from training data, lambda and mixture to a trained machine."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from pfsm.errors import PfsmError
from pfsm.lattice.names import class_of, ends
from pfsm.matchers.bins import is_rising
from pfsm.model.file import Model
from pfsm_training.config import TrainingConfig
from pfsm_training.data.training_set import TrainingSet
from pfsm_training.fit import gauss_newton, lbfgs
from pfsm_training.fit.checkpoint import Checkpoint
from pfsm_training.fit.lbfgs import Fit, Iteration
from pfsm_training.lattices.features import frequent
from pfsm_training.loss.module import LogLinearMachine
from pfsm_training.loss.objective import (
    HuberError,
    Loss,
    Objective,
    PairwiseLogistic,
    SquaredError,
    WeightedSum,
)

Float = NDArray[np.float64]
# Receives the name of the step and the iteration that has just ended (None: the step begins).
Progress = Callable[[str, Iteration | None], None]

# Bounds of the search for the log of the slope; a slope is log odds per standard deviation of the scores.
LOG_SLOPES = (-4.0, 4.0)


@dataclass(frozen=True, order=True)
class Choice:
    """What cross-validation may choose.

    Attributes:
        penalty: lambda.
        mixture: Share of the preferences in the objective if there are scores too; else 0.
    """

    penalty: float
    mixture: float = 0.0


@dataclass(frozen=True, eq=False)
class Fitted:
    """A trained machine with the units of its predictions.

    Attributes:
        machine: Predicts in standardised units.
        fit: How the minimisation ended.
        mean: Mean of the training scores; 0 without scores.
        sd: Standard deviation of the training scores; 1 without scores.
        slope: Log odds of a preference per unit of prediction; None without preferences.
    """

    machine: LogLinearMachine
    fit: Fit
    mean: float
    sd: float
    slope: float | None

    def predict(self, data: TrainingSet) -> Float:
        """Predicted scores of all pairs of the data, float64 [n_pairs]."""
        return np.asarray(self.mean + self.sd * data.predictions(self.machine))


@dataclass(frozen=True, eq=False)
class Fitter:
    """Fits machines with the options of a configuration.

    Attributes:
        config: Objective and solver.
        init: Initial model that the weights start from and stay near; None: zero weights.
        threads: Threads over pairs.
        progress: Called at the start of each step and after each iteration.
        tolerance: Gauss-Newton stops when no entry of the gradient per training pair is larger.
        checkpoint: Saves the state of each fit with Gauss-Newton; None: nothing is saved.
    """

    config: TrainingConfig
    init: Model | None
    threads: int
    progress: Progress
    tolerance: float = gauss_newton.GRADIENT_TOLERANCE
    checkpoint: Checkpoint | None = None

    def fit(self, data: TrainingSet, choice: Choice, step: str) -> Fitted | None:
        """Fits to the data; None if the scores are constant.

        Raises:
            PfsmError: If the solver is L-BFGS, and weights must not be negative or the data is on a cluster.
        """
        mean, sd = mean_and_sd(data.scores)
        if data.scores.size and not sd > 1e-12 * abs(mean):
            return None
        targets = (data.scores - mean) / sd
        slope = self._slope(data, choice, step)
        return self._minimised(
            data, self._loss(data, targets, choice, slope), choice, step, (mean, sd, slope)
        )

    def _minimised(
        self,
        data: TrainingSet,
        loss: Loss,
        choice: Choice,
        step: str,
        units: tuple[float, float, float | None],
    ) -> Fitted:
        start = {} if self.init is None else dict(self.init.weights)
        alpha = 0.0 if self.init is None else self.init.alpha
        machine = LogLinearMachine(self.learned(data), start, alpha, self.threads)
        objective = data.objective(loss, choice.penalty, machine.theta.detach().clone())
        self.progress(step, None)

        def watch(iteration: Iteration) -> None:
            self.progress(step, iteration)

        free_alpha = data.scores.size > 0
        if self.config.solver == "lbfgs":
            _no_bounds(machine.learned)
            if not isinstance(objective, Objective):
                raise PfsmError("solver lbfgs cannot train on a cluster; use solver: gauss-newton")
            fit = lbfgs.minimise(machine, objective, len(data), watch, free_alpha=free_alpha)
        else:
            fit = gauss_newton.minimise(
                machine,
                objective,
                len(data),
                watch,
                free_alpha=free_alpha,
                tolerance=self.tolerance,
                memory=None if self.checkpoint is None else self.checkpoint.next_fit(),
            )
        return Fitted(machine, fit, *units)

    def learned(self, data: TrainingSet) -> tuple[str, ...]:
        """Names of the weights to learn."""
        names = frequent(data.instances())
        if self.config.class_transitions:
            return names
        return tuple(name for name in names if not any(map(class_of, ends(name) or ())))

    def _loss(self, data: TrainingSet, targets: Float, choice: Choice, slope: float | None) -> Loss:
        scored: Loss = HuberError(targets) if self.config.objective == "huber" else SquaredError(targets)
        if slope is None:
            return scored
        preferred = PairwiseLogistic(data.better, data.worse, data.votes, slope)
        if not targets.size:
            return preferred
        # The mixture weighs the mean over the votes against the mean over the scores; 0 is the loss of the scores.
        share = choice.mixture * targets.size / float(data.votes.sum())
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

        return float(np.exp(minimize_scalar(loss, bounds=LOG_SLOPES, method="bounded").x))


def mean_and_sd(scores: Float) -> tuple[float, float]:
    """Mean and population standard deviation of scores of any magnitude; 0 and 1 without scores."""
    if not scores.size:
        return 0.0, 1.0
    # Near 1 no square overflows or underflows, and scaling by a power of two does not round.
    exponent = int(np.frexp(np.abs(scores).max())[1])
    scaled = np.ldexp(scores, -exponent)
    return float(np.ldexp(scaled.mean(), exponent)), float(np.ldexp(scaled.std(), exponent))


def _no_bounds(learned: tuple[str, ...]) -> None:
    if any(map(is_rising, learned)):
        raise PfsmError(
            "solver lbfgs cannot keep the weights of soft bins at 0 or above; use solver: gauss-newton"
        )
