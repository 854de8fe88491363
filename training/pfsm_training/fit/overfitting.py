"""Overfitting: agreement with judgments that a model has seen against agreement with those it has not.

Cross-validation gives one statistic for each fold, of a model that has not seen it. Here is its counterpart: the
statistic of the final model, which has seen all folds. Both are of the same judgments, so that their difference, fold
by fold, tells how much of the agreement with the training data is owed to having seen them. All intervals are 95%, by
Student's t over the folds.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pfsm.evaluation import preference_counts
from pfsm_training.data.moments import correlation
from pfsm_training.data.training_set import TrainingSet, selected_weights
from pfsm_training.fit.crossval import FEWEST_HELD_OUT, CrossValidation, Folds, around_correlation, t_interval

Float = NDArray[np.float64]
Rows = NDArray[np.int64]
Range = tuple[float, float]


@dataclass(frozen=True)
class Overfitting:
    """Agreement of the final model with judgments it has seen, beside the agreement with held-out ones.

    Attributes:
        seen: The statistic of the final model in each fold that has a cross-validated one; undefined ones are absent.
        difference: Mean over these folds of seen minus held out; NaN without folds.
        interval: Of the difference; NaN with fewer than two folds.
    """

    seen: Mapping[str, float]
    difference: float
    interval: Range


def overfitting(predicted: Float, data: TrainingSet, folds: Folds, validated: CrossValidation) -> Overfitting:
    """Compares the final model with the models of the folds.

    Args:
        predicted: float64 [n_pairs], predictions of the final model for its training data.
        data: The training data.
        folds: Its folds.
        validated: Their cross-validation.
    """
    seen: dict[str, float] = {}
    for fold, name in enumerate(folds.names):
        if name in validated.folds:
            value = _agreement(predicted, data, *_members(folds, fold), validated.statistic)
            if math.isfinite(value):
                seen[name] = value
    differences = [value - validated.folds[name] for name, value in seen.items()]
    mean = math.fsum(differences) / len(differences) if differences else math.nan
    return Overfitting(seen, mean, t_interval(differences))


def training_interval(predicted: Float, data: TrainingSet, folds: Folds, statistic: str) -> Range:
    """Interval of a statistic of all training data: the jackknife that leaves out one fold at a time (Tukey 1958).

    Args:
        predicted: float64 [n_pairs], predictions of the final model.
        data: The training data.
        folds: Its folds.
        statistic: ``pearson`` or ``kendall_tau``.

    Returns:
        NaN with fewer than two folds, where the statistic is undefined without one of them, and where folds do not
        hold all that it is a statistic of.
    """
    count = len(folds.names)
    member = folds.member if statistic == "pearson" else folds.preference_member
    if np.unique(member).tolist() != list(range(count)):
        return math.nan, math.nan
    everything = _agreement(predicted, data, *_outside(folds, None), statistic)
    left = [_agreement(predicted, data, *_outside(folds, fold), statistic) for fold in range(count)]
    if count < 2 or not all(map(math.isfinite, (everything, *left))):
        return math.nan, math.nan
    low, high = t_interval([count * everything - (count - 1) * value for value in left])
    # The pseudo-values have a mean of their own; their spread is what is wanted.
    return around_correlation(everything, (high - low) / 2.0)


def _members(folds: Folds, fold: int) -> tuple[Rows, Rows]:
    return np.flatnonzero(folds.member == fold), np.flatnonzero(folds.preference_member == fold)


def _outside(folds: Folds, fold: int | None) -> tuple[Rows, Rows]:
    """All judgments and preferences, but for those of a fold."""
    members = folds.member, folds.preference_member
    first, second = (
        np.flatnonzero(np.ones(len(one), dtype=np.bool_) if fold is None else one != fold) for one in members
    )
    return first, second


def _agreement(predicted: Float, data: TrainingSet, scored: Rows, preferences: Rows, statistic: str) -> float:
    if statistic == "pearson":
        if scored.size < FEWEST_HELD_OUT:
            return math.nan
        return correlation(predicted[scored], data.scores[scored], selected_weights(data, scored))
    votes = data.votes[preferences]
    if not votes.any():
        return math.nan
    better, worse = predicted[data.better[preferences]], predicted[data.worse[preferences]]
    return preference_counts(better, worse, votes).kendall_tau("wmt12")
