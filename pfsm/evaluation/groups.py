"""Agreement with people within groups (language pairs, data sets, systems) and its mean over the groups, of arrays.

The mean is unweighted: every group counts the same, whatever its size. A group whose statistic is undefined
is left out of the mean and named. For the interval of a mean, each group is resampled within itself,
independently of the others, and the resampled statistics are averaged, undefined ones left out.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from pfsm.evaluation.bootstrap import CONFIDENCE, Estimate, MeanEstimate
from pfsm.evaluation.catalogue import PREFERENCES, SEGMENT_LEVEL
from pfsm.evaluation.correlation import paired_scores
from pfsm.evaluation.engine import estimate
from pfsm.evaluation.measure import Names
from pfsm.evaluation.preference import PreferenceCounts, preference_counts, vote_weights
from pfsm.evaluation.questions import question_of_scores, question_of_votes


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
    confidence: float = CONFIDENCE,
    segments: Names | None = None,
) -> GroupEvaluation:
    """Pearson's, Spearman's and Kendall's (tau-b) correlation within every group, and their means.

    Args:
        predicted: float64 [n], finite.
        human: float64 [n], finite.
        groups: [n], the group of every judgment.
        n_resamples: Of each group, at least 1.
        seed: Of the resamples; `default_seed` where it is None. A group's resamples depend on the seed and
            its name, not on the other groups.
        confidence: Of the percentile intervals, between 0 and 1.
        segments: [n], the segment of every judgment: segments are resampled, within their group, with all
            their judgments; each judgment by itself where it is None.

    Returns:
        Groups sorted by name, and the means.

    Raises:
        ValueError: If lengths differ, a score is not finite, or a number is out of its range.
        PfsmError: If the seed is None and PFSM_SEED is no seed.
    """
    x, y = paired_scores(predicted, human)
    question = question_of_scores(y, groups, segments)
    statistics = [SEGMENT_LEVEL[name] for name in ("pearson", "spearman", "kendall")]
    found = estimate(question, x, statistics, n_resamples, seed, confidence)
    estimates = [found[statistic.name] for statistic in statistics]
    return GroupEvaluation(
        tuple(
            GroupResult(name, rows.size, *(one.groups[name] for one in estimates))
            for name, rows in question.members.items()
        ),
        *(one.mean for one in estimates),
    )


def evaluate_preference_groups(
    better_scores: ArrayLike,
    worse_scores: ArrayLike,
    groups: Sequence[str],
    votes: ArrayLike | None = None,
    n_resamples: int = 1000,
    seed: int | None = None,
    confidence: float = CONFIDENCE,
    segments: Names | None = None,
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
    better, worse = paired_scores(better_scores, worse_scores)
    weights = vote_weights(votes, better.size)
    question = question_of_votes(weights, groups, segments)
    statistics = [PREFERENCES[name] for name in ("accuracy", "wmt12", "wmt13")]
    found = estimate(question, np.stack([better, worse], axis=1), statistics, n_resamples, seed, confidence)
    estimates = [found[statistic.name] for statistic in statistics]
    return PreferenceGroupEvaluation(
        tuple(
            PreferenceGroupResult(
                name,
                rows.size,
                preference_counts(better[rows], worse[rows], weights[rows]),
                *(one.groups[name] for one in estimates),
            )
            for name, rows in question.members.items()
        ),
        *(one.mean for one in estimates),
    )
