"""Agreement with people within groups (language pairs, data sets, systems) and its mean over the groups.

The mean is unweighted: every group counts the same, whatever its size. A group whose statistic is undefined
is left out of the mean and named. For the interval of a mean, each group is resampled within itself,
independently of the others, and the resampled statistics are averaged, undefined ones left out.
"""

import math
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pfsm.evaluation.bootstrap import (
    Interval,
    Statistic,
    check_bootstrap,
    default_seed,
    percentile_interval,
    resampled_statistics,
)
from pfsm.evaluation.correlation import kendall_tau_b, paired_scores, pearson, spearman
from pfsm.evaluation.preference import (
    PreferenceCounts,
    PreferenceStatistic,
    count_votes,
    resampled_votes,
    statistic_of_votes,
    votes_by_outcome,
)


@dataclass(frozen=True)
class Estimate:
    """A statistic and its bootstrap interval; NaN where it is undefined."""

    value: float
    interval: Interval


@dataclass(frozen=True)
class MeanEstimate:
    """The unweighted mean of a statistic over the groups that have it, and its bootstrap interval.

    Attributes:
        value: The mean; NaN where no group has the statistic.
        interval: Of the mean.
        left_out: Names of the groups where the statistic is undefined.
    """

    value: float
    interval: Interval
    left_out: tuple[str, ...]


@dataclass(frozen=True)
class GroupResult:
    """Correlation of predicted and human scores in one group of `n` judgments."""

    name: str
    n: int
    pearson: Estimate
    spearman: Estimate
    kendall_tau_b: Estimate


@dataclass(frozen=True)
class GroupEvaluation:
    """Every group, by name, and the means over the groups."""

    groups: tuple[GroupResult, ...]
    pearson: MeanEstimate
    spearman: MeanEstimate
    kendall_tau_b: MeanEstimate


@dataclass(frozen=True)
class PreferenceGroupResult:
    """Agreement with the preferences of one group of `n` pairs."""

    name: str
    n: int
    counts: PreferenceCounts
    accuracy: Estimate
    tau_wmt12: Estimate
    tau_wmt13: Estimate


@dataclass(frozen=True)
class PreferenceGroupEvaluation:
    """Every group, by name, and the means over the groups."""

    groups: tuple[PreferenceGroupResult, ...]
    accuracy: MeanEstimate
    tau_wmt12: MeanEstimate
    tau_wmt13: MeanEstimate


def evaluate_groups(
    predicted: ArrayLike,
    human: ArrayLike,
    groups: Sequence[str],
    n_resamples: int = 1000,
    seed: int | None = None,
    confidence: float = 0.95,
) -> GroupEvaluation:
    """Pearson's, Spearman's and Kendall's (tau-b) correlation within every group, and their means.

    Args:
        predicted: float64 [n], finite.
        human: float64 [n], finite.
        groups: [n], the group of every judgment.
        n_resamples: Of each group, at least 1.
        seed: Of the resamples; `default_seed` where it is None. A group's resamples depend on the seed and
            its name, not on the groups beside it.
        confidence: Of the percentile intervals, between 0 and 1.

    Returns:
        Groups sorted by name, and the means.

    Raises:
        ValueError: If lengths differ, a score is not finite, or a number is out of its range.
        PfsmError: If the seed is None and PFSM_SEED is no seed.
    """
    x, y = paired_scores(predicted, human)
    members = _members(groups, x.size)
    seed = default_seed() if seed is None else seed
    check_bootstrap(n_resamples, confidence)

    def sample(statistic: Statistic) -> dict[str, _Sample]:
        return {
            name: _Sample(
                statistic(x[rows], y[rows]),
                resampled_statistics(
                    statistic, x[rows], y[rows], n_resamples=n_resamples, seed=_group_seed(seed, name)
                ),
            )
            for name, rows in members.items()
        }

    linear, rank, concordance = sample(pearson), sample(spearman), sample(kendall_tau_b)
    results = tuple(
        GroupResult(
            name,
            rows.size,
            linear[name].estimate(confidence),
            rank[name].estimate(confidence),
            concordance[name].estimate(confidence),
        )
        for name, rows in members.items()
    )
    return GroupEvaluation(
        results, _mean(linear, confidence), _mean(rank, confidence), _mean(concordance, confidence)
    )


def evaluate_preference_groups(
    better_scores: ArrayLike,
    worse_scores: ArrayLike,
    groups: Sequence[str],
    votes: ArrayLike | None = None,
    n_resamples: int = 1000,
    seed: int | None = None,
    confidence: float = 0.95,
) -> PreferenceGroupEvaluation:
    """Accuracy and both Kendall's taus of preferences within every group, and their means.

    Args:
        better_scores: As in `preference_counts`.
        worse_scores: As in `preference_counts`.
        groups: [n], the group of every pair.
        votes: As in `preference_counts`.
        n_resamples: As in `evaluate_groups`.
        seed: As in `evaluate_groups`.
        confidence: As in `evaluate_groups`.

    Returns:
        Groups sorted by name, and the means.

    Raises:
        ValueError: As `preference_counts` does, or if a number is out of its range.
        PfsmError: If the seed is None and PFSM_SEED is no seed.
    """
    outcomes = votes_by_outcome(better_scores, worse_scores, votes)
    members = _members(groups, len(outcomes))
    seed = default_seed() if seed is None else seed
    check_bootstrap(n_resamples, confidence)
    counts = {name: count_votes(outcomes[rows]) for name, rows in members.items()}
    resampled = {
        name: resampled_votes(outcomes[rows], n_resamples, _group_seed(seed, name))
        for name, rows in members.items()
    }

    def sample(statistic: PreferenceStatistic) -> dict[str, _Sample]:
        return {
            name: _Sample(
                counts[name].statistic(statistic),
                statistic_of_votes(resampled[name], statistic),
            )
            for name in members
        }

    accuracy, wmt12, wmt13 = sample("accuracy"), sample("wmt12"), sample("wmt13")
    results = tuple(
        PreferenceGroupResult(
            name,
            rows.size,
            counts[name],
            accuracy[name].estimate(confidence),
            wmt12[name].estimate(confidence),
            wmt13[name].estimate(confidence),
        )
        for name, rows in members.items()
    )
    return PreferenceGroupEvaluation(
        results, _mean(accuracy, confidence), _mean(wmt12, confidence), _mean(wmt13, confidence)
    )


@dataclass(frozen=True, eq=False)
class _Sample:
    """A statistic of one group, and of its resamples, float64 [n_resamples]; NaN where undefined."""

    value: float
    resampled: NDArray[np.float64]

    def estimate(self, confidence: float) -> Estimate:
        if math.isnan(self.value):
            return Estimate(self.value, Interval(math.nan, math.nan))
        return Estimate(self.value, percentile_interval(self.resampled, confidence))


def _mean(samples: Mapping[str, _Sample], confidence: float) -> MeanEstimate:
    """The mean over the groups that have the statistic."""
    left_out = tuple(name for name, sample in samples.items() if math.isnan(sample.value))
    kept = [sample for name, sample in samples.items() if name not in left_out]
    if not kept:
        return MeanEstimate(math.nan, Interval(math.nan, math.nan), left_out)
    values = np.array([sample.value for sample in kept])
    resampled = np.stack([sample.resampled for sample in kept])
    numbers = (~np.isnan(resampled)).sum(axis=0)
    means = np.full(numbers.size, np.nan)
    np.divide(np.nansum(resampled, axis=0), numbers, out=means, where=numbers > 0)
    return MeanEstimate(float(values.mean()), percentile_interval(means, confidence), left_out)


def _members(groups: Sequence[str], n: int) -> dict[str, NDArray[np.int64]]:
    """Row numbers of every group, groups sorted by name."""
    if len(groups) != n:
        raise ValueError(f"there are {n} rows, but {len(groups)} group names")
    rows: dict[str, list[int]] = {}
    for row, name in enumerate(groups):
        rows.setdefault(name, []).append(row)
    return {name: np.array(rows[name], dtype=np.int64) for name in sorted(rows)}


def _group_seed(seed: int, name: str) -> tuple[int, int]:
    """A series of its own for every group: one series for all would draw equal row numbers in equal sizes."""
    return seed, zlib.crc32(name.encode("utf-8"))
