"""Agreement with people within groups (language pairs, data sets, systems) and its mean over the groups.

The mean is unweighted: every group counts the same, whatever its size. A group whose statistic is undefined
is left out of the mean and named. For the interval of a mean, each group is resampled within itself,
independently of the others, and the resampled statistics are averaged, undefined ones left out.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pfsm.evaluation.bootstrap import (
    Statistic,
    check_bootstrap,
    default_seed,
    resampled_statistics,
    resampled_sums,
)
from pfsm.evaluation.correlation import kendall_tau_b, paired_scores, pearson, spearman
from pfsm.evaluation.preference import (
    PreferenceCounts,
    PreferenceStatistic,
    count_votes,
    statistic_of_votes,
    sums_of_segments,
    votes_by_outcome,
)
from pfsm.evaluation.samples import (
    Estimate,
    MeanEstimate,
    Sample,
    dense_ids,
    group_members,
    group_seed,
    mean_of_groups,
    renumbered,
)


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
    members = group_members(groups, x.size)
    seed = default_seed() if seed is None else seed
    check_bootstrap(n_resamples, confidence)

    def sample(statistic: Statistic) -> dict[str, Sample]:
        return {
            name: Sample(
                statistic(x[rows], y[rows]),
                resampled_statistics(
                    statistic, x[rows], y[rows], n_resamples=n_resamples, seed=group_seed(seed, name)
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
        results,
        mean_of_groups(linear, confidence),
        mean_of_groups(rank, confidence),
        mean_of_groups(concordance, confidence),
    )


def evaluate_preference_groups(
    better_scores: ArrayLike,
    worse_scores: ArrayLike,
    groups: Sequence[str],
    votes: ArrayLike | None = None,
    n_resamples: int = 1000,
    seed: int | None = None,
    confidence: float = 0.95,
    segments: Sequence[Any] | NDArray[Any] | None = None,
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
        segments: [n], the segment of every pair; with them, segments are resampled, within their group,
            with all their pairs (see `preference_interval`).

    Returns:
        Groups sorted by name, and the means.

    Raises:
        ValueError: As `preference_counts` does, or if a number is out of its range.
        PfsmError: If the seed is None and PFSM_SEED is no seed.
    """
    outcomes = votes_by_outcome(better_scores, worse_scores, votes)
    members = group_members(groups, len(outcomes))
    seed = default_seed() if seed is None else seed
    check_bootstrap(n_resamples, confidence)
    counts = {name: count_votes(outcomes[rows]) for name, rows in members.items()}
    ids = None if segments is None else dense_ids(segments, len(outcomes), "segments")

    def drawn(rows: NDArray[np.int64]) -> NDArray[np.float64]:
        return outcomes[rows] if ids is None else sums_of_segments(outcomes[rows], renumbered(ids[rows]))

    resampled = {
        name: resampled_sums(drawn(rows), n_resamples, group_seed(seed, name))
        for name, rows in members.items()
    }

    def sample(statistic: PreferenceStatistic) -> dict[str, Sample]:
        return {
            name: Sample(
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
        results,
        mean_of_groups(accuracy, confidence),
        mean_of_groups(wmt12, confidence),
        mean_of_groups(wmt13, confidence),
    )
