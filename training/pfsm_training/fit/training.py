"""A training: how far it has come, what it ended with, and its record in the model file."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.data import Judgments, Preferences
from pfsm.data.reference_digests import digests
from pfsm.evaluation import preference_counts
from pfsm.model.file import Model
from pfsm.version import __version__
from pfsm_training.config import TrainingConfig
from pfsm_training.data.moments import correlation, finite
from pfsm_training.data.training_set import TrainingSet, amount_judged
from pfsm_training.fit.crossval import (
    MOST_STEPS,
    CrossValidation,
    Folds,
    by_fold,
    highest,
    paired,
    penalty_at,
    training_interval,
)
from pfsm_training.fit.fitting import Choice, Fitted, Fitter
from pfsm_training.loss.module import LogLinearMachine
from pfsm_training.options import AUTO

# Of the logger; and seconds before a short stage is worth a bar.
AREA, PATIENCE = "training", 0.5
Float = NDArray[np.float64]
Data = tuple[Judgments | None, Preferences | None]


@dataclass(frozen=True, eq=False)
class Training:
    """What a report is made of.

    Attributes:
        model: The trained model.
        judgments: In canonical order, as everywhere here; None: there are only preferences.
        preferences: None: there are only scores.
        data: Their lattices.
        folds: Their division for cross-validation.
        validated: Cross-validation at the lambda and mixture of the model.
        tried: Cross-validation of every choice.
        fitter: Fits with the options of the configuration.
        fitted: The fit to all data.
    """

    model: Model
    judgments: Judgments | None
    preferences: Preferences | None
    data: TrainingSet
    folds: Folds
    validated: CrossValidation
    tried: tuple[CrossValidation, ...]
    fitter: Fitter
    fitted: Fitted


def place_of(choice: Choice, choices: Sequence[Choice]) -> str:
    """Which of several choices it is: ``lambda 3 of 8 (0.5)``."""
    parts = []
    for name, value, tried in (
        ("lambda", choice.penalty, sorted({one.penalty for one in choices})),
        ("mixture", choice.mixture, sorted({one.mixture for one in choices})),
        ("weight", choice.weight, sorted({one.weight for one in choices})),
    ):
        if len(tried) > 1:
            parts.append(f"{name} {tried.index(value) + 1} of {len(tried)} ({value:g})")
        elif name == "lambda":
            parts.append(f"{name} {value:g}")
    return ", ".join(parts)


def record(
    fitter: Fitter,
    fitted: Fitted,
    data: TrainingSet,
    validated: CrossValidation,
    tried: list[CrossValidation],
    sources: Data,
    score_column: str,
    folds: Folds,
) -> dict[str, Any]:
    """The entry ``training`` of a model file: data, objective, agreement, instances, versions."""
    init = fitter.init
    predicted = fitted.predict(data)
    seen = by_fold(predicted, data, folds, validated)
    return {
        **_data(sources, score_column),
        **_weights(fitter.config, data),
        **_fit(fitter, fitted, validated, tried, sources),
        **_agreement(predicted, data, folds, sources),
        "cross_validated": {
            "by": validated.by,
            validated.statistic: finite(validated.mean),
            "interval": _ends(validated.interval),
            "folds": dict(validated.folds),
        },
        "overfitting": {"seen": seen, **_paired(paired(seen, validated.folds))},
        **({} if init is None else {"init": _started(init, fitter, data, validated, folds)}),
        "instances": dict(sorted(data.instances().items())),
        "versions": {
            "pfsm": __version__,
            **{package: version(package) for package in ("numpy", "numba", "torch")},
        },
    }


def _started(
    init: Model, fitter: Fitter, data: TrainingSet, validated: CrossValidation, folds: Folds
) -> dict[str, Any]:
    """The initial model: its agreement on the folds of the cross-validation, and what training adds to it there."""
    machine = LogLinearMachine(fitter.learned(data), init.weights, init.alpha, fitter.threads)
    before = replace(validated, folds=by_fold(data.predictions(machine), data, folds, validated))
    return {
        "name": init.name,
        "fingerprint": init.fingerprint,
        validated.statistic: finite(before.mean),
        "interval": _ends(before.interval),
        "gain": _paired(paired(validated.folds, before.folds)),
    }


def _data(sources: Data, score_column: str) -> dict[str, Any]:
    judgments, preferences = sources
    files = [source for part in sources if part is not None for source in part.sources]
    references = [
        line for part in sources if part is not None for several in part.all_references for line in several
    ]
    return {
        "data": [{"name": source.name, "rows": source.rows, "sha256": source.checksum} for source in files],
        **({} if judgments is None else {"judgments": len(judgments), "score_column": score_column}),
        **({} if preferences is None else {"preferences": len(preferences)}),
        "reference_digests": digests(references),
    }


def _weights(config: TrainingConfig, data: TrainingSet) -> dict[str, Any]:
    """What judgments were weighted by, and how many of weight 1 they count as."""
    if config.weights is None or data.weights is None:
        return {}
    return {"weights": {"column": config.weights, "sum": amount_judged(data)}}


def _fit(
    fitter: Fitter, fitted: Fitted, validated: CrossValidation, tried: list[CrossValidation], sources: Data
) -> dict[str, Any]:
    config, fit, chosen = fitter.config, fitted.fit, validated.choice
    judgments, preferences = sources
    losses = [config.objective] * (judgments is not None) + ["pairwise_logistic"] * (preferences is not None)
    return {
        "objective": "+".join(losses),
        "solver": config.solver,
        **({} if config.standardise else {"standardise": False}),
        **fitted.starts.to_dict(),
        "lambda": chosen.penalty,
        "lambda_choice": _lambda_choice(config, tried),
        **_lambdas(config, validated, tried),
        **({"mixture": chosen.mixture, "slope": fitted.slope} if len(losses) > 1 else {}),
        **_tried(
            "mixture_tried",
            {
                one.choice.mixture: one
                for one in tried
                if (one.choice.penalty, one.choice.weight) == (chosen.penalty, chosen.weight)
            },
        ),
        "minimum": fit.objective,
        "iterations": fit.iterations,
        "converged": fit.converged,
    }


def _lambdas(
    config: TrainingConfig, validated: CrossValidation, tried: list[CrossValidation]
) -> dict[str, Any]:
    """What each lambda came to, and whether a smaller or larger one might be better than all of them."""
    search, chosen = config.penalty == AUTO, (tried[0] if config.penalty == AUTO else validated).choice
    results = {
        one.choice.penalty: one
        for one in sorted(tried, key=lambda one: one.choice)
        if (one.choice.mixture, one.choice.weight) == (chosen.mixture, chosen.weight)
    }
    if len(results) < 2:
        return {}
    edges = {min(results): "smallest", max(results): "largest"}
    best = highest(list(results.values())).choice.penalty
    at_edge = None if search and penalty_at(-MOST_STEPS) < best < penalty_at(MOST_STEPS) else edges.get(best)
    paper = penalty_at(0)
    gain = paired(results[validated.choice.penalty].folds, results[paper].folds) if search else None
    return {
        "lambda_rule": config.lambda_rule,
        **_tried("lambda_tried", results),
        "lambda_intervals": {f"{value:g}": _ends(result.interval) for value, result in results.items()},
        **({"lambda_at_edge": at_edge} if at_edge else {}),
        **({} if gain is None else {"lambda_gain": {"over": paper, **_paired(gain)}}),
    }


def _lambda_choice(config: TrainingConfig, tried: list[CrossValidation]) -> str:
    if isinstance(config.penalty, float | int):
        return "given"
    return "by cross-validation" if len(tried) > 1 else "too few judgments to choose it"


def _tried(key: str, results: dict[float, CrossValidation]) -> dict[str, Any]:
    """Cross-validated agreement by tried value; empty unless there were several."""
    if len(results) < 2:
        return {}
    return {key: {f"{value:g}": finite(result.mean) for value, result in results.items()}}


def _agreement(predicted: Float, data: TrainingSet, folds: Folds, sources: Data) -> dict[str, Any]:
    """Agreement with the training data, with intervals."""
    judgments, preferences = sources
    result: dict[str, Any] = {}
    if judgments is not None:
        result["pearson"] = finite(correlation(predicted[: data.scores.size], data.scores, data.weights))
    if preferences is not None:
        counts = preference_counts(predicted[data.better], predicted[data.worse], data.votes)
        result["kendall_tau"] = finite(counts.kendall_tau("wmt12"))
    intervals = {name: _ends(training_interval(predicted, data, folds, name)) for name in result}
    return result | {f"{name}_interval": interval for name, interval in intervals.items()}


def _paired(difference: tuple[float, tuple[float, float]]) -> dict[str, Any]:
    return {"difference": finite(difference[0]), "interval": _ends(difference[1])}


def _ends(interval: tuple[float, float]) -> list[float | None]:
    """The ends of an interval; None where it is undefined."""
    return [finite(end) for end in interval]
