"""Training: judgments and settings in, model out."""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from pfsm.builder import LatticeBuilder
from pfsm.data import Judgments
from pfsm.data.reference_digests import digests
from pfsm.errors import PfsmError
from pfsm.evaluation import pearson
from pfsm.lattice import LatticeBatch
from pfsm.model import Model, Scale
from pfsm.settings import Settings
from pfsm.threads import default_threads
from pfsm.version import __version__
from pfsm_training.config import AUTO, TrainingConfig
from pfsm_training.crossval import PENALTIES, CrossValidation, choose_penalty, cross_validate, make_folds
from pfsm_training.features import frequent, instances, select_pairs
from pfsm_training.lbfgs import Fit, Iteration, minimise
from pfsm_training.module import LogLinearMachine
from pfsm_training.objective import SquaredError

Float = NDArray[np.float64]
# What is being done, and the iteration just finished (None: the step begins).
Progress = Callable[[str, Iteration | None], None]

SCALE_NOTE = "In the units of the training scores; higher is better."


def _silent(step: str, iteration: Iteration | None) -> None:
    """Progress nobody watches."""


@dataclass(frozen=True, eq=False)
class _Fitted:
    machine: LogLinearMachine
    fit: Fit
    mean: float
    sd: float

    def predict(self, batch: LatticeBatch) -> Float:
        with torch.no_grad():
            return np.asarray(self.mean + self.sd * self.machine(batch).numpy())


@dataclass(frozen=True, eq=False)
class _Trainer:
    batch: LatticeBatch
    scores: Float
    init: Model | None
    threads: int
    progress: Progress

    def fit(self, rows: NDArray[np.int64] | None, penalty: float, step: str) -> _Fitted | None:
        """Fits to some rows (None: all); None where their scores are constant."""
        batch = self.batch if rows is None else select_pairs(self.batch, rows)
        scores = self.scores if rows is None else self.scores[rows]
        mean, sd = _mean_and_sd(scores)
        if not sd > 1e-12 * abs(mean):
            return None
        learned = frequent(instances(batch))
        start = {} if self.init is None else dict(self.init.weights)
        alpha = 0.0 if self.init is None else self.init.alpha
        machine = LogLinearMachine(learned, start, alpha, self.threads)
        objective = SquaredError(batch, (scores - mean) / sd, penalty, machine.theta.detach().clone())
        self.progress(step, None)
        fit = minimise(machine, objective, len(batch), lambda iteration: self.progress(step, iteration))
        return _Fitted(machine, fit, mean, sd)

    def predict(self, train: NDArray[np.int64], test: NDArray[np.int64], penalty: float) -> Float | None:
        """Predictions for the test rows by a model of the training rows."""
        fitted = self.fit(train, penalty, f"cross-validation, lambda {penalty:g}")
        return None if fitted is None else fitted.predict(select_pairs(self.batch, test))


def train(
    judgments: Judgments,
    settings: Settings | None = None,
    *,
    config: TrainingConfig | None = None,
    init: Model | None = None,
    name: str = "pfsm",
    licence: str = "not stated",
    score_column: str = "score",
    threads: int | None = None,
    progress: Progress = _silent,
) -> Model:
    """Learns a metric from human scores.

    Scores are standardised, then equation (3) of Wang and Manning (2012) is minimised by L-BFGS from zero
    weights. The result depends on the judgments alone, not on their order nor on the number of threads.

    Args:
        judgments: References, hypotheses and their scores; higher is better.
        settings: Settings of the machine; None: those of ``config``, or of ``init``, or the defaults.
        config: lambda, solver and objective; None: the paper's.
        init: Model whose weights the penalty pulls towards, and training starts from, instead of zero.
        name: Name of the new model.
        licence: Terms of its weights.
        score_column: What the scores are called in the data, for the record.
        threads: Threads over pairs; None: as many as the process may use.
        progress: Called as work goes on.

    Returns:
        The model; ``model.training`` tells how it went.

    Raises:
        PfsmError: If there are no judgments, all scores are equal, or ``settings`` differ from those of ``init``.
    """
    config = config or TrainingConfig()
    settings = _settings(settings, config, init)
    if not len(judgments):
        raise PfsmError("no judgments to train on")
    judgments = judgments.sorted()
    progress("reading", None)
    batch = LatticeBuilder(settings).build(judgments.references, judgments.hypotheses)
    trainer = _Trainer(batch, judgments.scores, init, threads or default_threads(), progress)
    if (judgments.scores == judgments.scores[0]).all():
        raise PfsmError(
            f"all {len(judgments)} scores are {judgments.scores[0]:g}; there is nothing to learn from"
        )
    with _one_torch_thread():
        validated, tried = _validate(trainer, judgments, config)
        fitted = trainer.fit(None, validated.penalty, "training")
        if fitted is None:
            raise PfsmError("the scores are too close to each other to learn from")
        r = pearson(fitted.predict(batch), judgments.scores)
    record = {
        **_data_record(judgments, score_column),
        **_fit_record(config, fitted.fit, validated, tried, r),
        **({} if init is None else {"init": {"name": init.name, "fingerprint": init.fingerprint}}),
        "instances": dict(sorted(instances(batch).items())),
        "versions": {
            "pfsm": __version__,
            **{package: version(package) for package in ("numpy", "numba", "torch")},
        },
    }
    alpha = float(fitted.machine.alpha.detach())
    return Model(
        name,
        settings,
        fitted.machine.weights(),
        alpha,
        Scale(fitted.mean, fitted.sd, SCALE_NOTE),
        record,
        licence,
    )


def _mean_and_sd(scores: Float) -> tuple[float, float]:
    """Mean and standard deviation (of the population), in whatever unit the scores come."""
    # Next to 1 no square overflows or vanishes; a power of two rounds nothing.
    exponent = int(np.frexp(np.abs(scores).max())[1])
    scaled = np.ldexp(scores, -exponent)
    return float(np.ldexp(scaled.mean(), exponent)), float(np.ldexp(scaled.std(), exponent))


def _settings(settings: Settings | None, config: TrainingConfig, init: Model | None) -> Settings:
    if settings is None:
        settings = (
            config.settings
            if init is None or config.given & set(config.settings.to_dict())
            else init.settings
        )
    if init is not None and settings.to_dict() != init.settings.to_dict():
        theirs, ours = init.settings.to_dict(), settings.to_dict()
        key = next(key for key in ours if ours[key] != theirs[key])
        raise PfsmError(
            f"{key} is {ours[key]!r}, but the model {init.name} to start from has {theirs[key]!r}; "
            "leave the settings out to take over its own"
        )
    return settings


def _validate(
    trainer: _Trainer, judgments: Judgments, config: TrainingConfig
) -> tuple[CrossValidation, list[CrossValidation]]:
    """Cross-validation at the given lambda, or at all of them to choose one."""
    folds = make_folds(judgments)
    penalties = PENALTIES if config.penalty == AUTO else (float(config.penalty),)
    tried = [cross_validate(trainer.predict, judgments.scores, folds, penalty) for penalty in penalties]
    return choose_penalty(tried), tried


def _data_record(judgments: Judgments, score_column: str) -> dict[str, Any]:
    return {
        "data": [
            {"name": source.name, "rows": source.rows, "sha256": source.checksum}
            for source in judgments.sources
        ],
        "judgments": len(judgments),
        "score_column": score_column,
        "reference_digests": digests(judgments.references),
    }


def _fit_record(
    config: TrainingConfig, fit: Fit, validated: CrossValidation, tried: list[CrossValidation], r: float
) -> dict[str, Any]:
    return {
        "objective": config.objective,
        "solver": config.solver,
        "lambda": validated.penalty,
        "lambda_choice": "given" if config.penalty != AUTO else "by cross-validation",
        **(
            {"lambda_tried": {f"{one.penalty:g}": _finite(one.mean) for one in tried}}
            if len(tried) > 1
            else {}
        ),
        "minimum": fit.objective,
        "iterations": fit.iterations,
        "converged": fit.converged,
        "pearson": _finite(r),
        "cross_validated": {
            "by": validated.by,
            "pearson": _finite(validated.mean),
            "folds": dict(validated.pearson),
        },
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


@contextmanager
def _one_torch_thread() -> Iterator[None]:
    """PyTorch's own sums are short; on one thread they always add in the same order."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
