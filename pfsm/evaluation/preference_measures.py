"""Preferences as data of measures: accuracy, with ties or without, and the Kendall's taus of the WMT tasks."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pfsm.evaluation.bootstrap import CONFIDENCE, Interval, Seed, check_bootstrap, percentile_interval
from pfsm.evaluation.correlation import paired_scores
from pfsm.evaluation.measure import AdditiveMeasure, Names, ratio
from pfsm.evaluation.pairwise import PairwiseJudgments, pairwise_judgments
from pfsm.evaluation.preference import (
    PreferenceStatistic,
    listed,
    statistic_of_votes,
    vote_weights,
    votes_by_outcome,
)
from pfsm.evaluation.samples import by_appearance, count_ids, dense_ids, sums_of_segments


@dataclass(frozen=True, eq=False)
class PreferenceItems:
    """Preferences; a metric's scores for them are float64 [n, 2]: of the better one and of the worse."""

    better: NDArray[np.int64]
    """int64 [n]: the same translation of the same reference has the same number everywhere."""
    worse: NDArray[np.int64]
    votes: NDArray[np.float64]
    """float64 [n], for the better one."""
    ties: NDArray[np.float64]
    """float64 [n], judgments that neither is better; of a pair that stands in both directions, once."""
    references: NDArray[np.int64]
    """int64 [n], from 0 up without gaps."""
    units: NDArray[np.int64]
    """int64 [n], from 0 up in the order of their first pairs: what is drawn together in resamples."""

    def __len__(self) -> int:
        return self.better.size

    def select(self, rows: NDArray[np.int64]) -> "PreferenceItems":
        """The preferences of some rows."""
        return PreferenceItems(
            self.better[rows],
            self.worse[rows],
            self.votes[rows],
            self.ties[rows],
            by_appearance(self.references[rows]),
            by_appearance(self.units[rows]),
        )

    def pick(self, metric: NDArray[np.float64], rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """A metric's scores of the items of `select`, from its scores of all."""
        return metric[rows]

    @property
    def judgments(self) -> PairwiseJudgments:
        """Every judgment, ties included."""
        tied = np.flatnonzero(self.ties)
        return PairwiseJudgments(
            np.concatenate([self.better, self.better[tied]]),
            np.concatenate([self.worse, self.worse[tied]]),
            np.concatenate([np.ones(len(self), np.int64), np.zeros(tied.size, np.int64)]),
            np.concatenate([self.votes, self.ties[tied]]),
            np.concatenate([self.references, self.references[tied]]),
        )


def preference_items(
    better: Sequence[str],
    worse: Sequence[str],
    references: Sequence[str],
    votes: ArrayLike | None = None,
    ties: ArrayLike | None = None,
    units: Names | None = None,
) -> PreferenceItems:
    """Number preferences.

    Args:
        better: [n], the translation that people prefer.
        worse: [n], the other.
        references: [n]; a metric scores the same translation against the same reference alike.
        votes: float64 [n], not negative; one each where it is None.
        ties: float64 [n], not negative: judgments that neither is better; none where it is None.
        units: [n], names or numbers of what is drawn together; each pair by itself where it is None.

    Raises:
        ValueError: If lengths differ, or a number of votes or ties is bad.
    """
    n = len(references)
    numbered = pairwise_judgments(better, worse, np.ones(n), references, votes)
    return PreferenceItems(
        numbered.first,
        numbered.second,
        numbered.votes,
        np.zeros(n) if ties is None else vote_weights(ties, n),
        by_appearance(numbered.segments),
        np.arange(n) if units is None else by_appearance(dense_ids(units, n, "segments")),
    )


def items_of_votes(votes: NDArray[np.float64], units: Names | None = None) -> PreferenceItems:
    """Preferences of which no more is known than their votes: enough for what depends on scores alone.

    Args:
        votes: float64 [n].
        units: As in `preference_items`.

    Raises:
        ValueError: If lengths differ.
    """
    n = votes.size
    # Whether two pairs share a translation matters to yardsticks alone.
    better, worse = ([f"{side} {number}" for number in range(n)] for side in ("better", "worse"))
    return preference_items(better, worse, [""] * n, votes, units=units)


@dataclass(frozen=True, eq=False)
class PreferenceMeasure(AdditiveMeasure):
    """Accuracy or a Kendall's tau of preferences."""

    items: PreferenceItems
    statistic: PreferenceStatistic

    @property
    def n_units(self) -> int:
        """As `Measure.n_units`."""
        return count_ids(self.items.units)

    def table(self, metric: NDArray[np.float64]) -> NDArray[np.float64]:
        """float64 [n_units, 3]: votes for pairs that are concordant, discordant, tied."""
        outcomes = votes_by_outcome(metric[:, 0], metric[:, 1], self.items.votes)
        return sums_of_segments(outcomes, self.items.units)

    def of_sums(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """As `AdditiveMeasure.of_sums`."""
        return statistic_of_votes(sums, self.statistic)


@dataclass(frozen=True, eq=False)
class AccuracyWithTies(AdditiveMeasure):
    """The share of all judgments, ties included, that a metric agrees with (`pfsm.evaluation.pairwise`)."""

    items: PreferenceItems

    @property
    def n_units(self) -> int:
        """As `Measure.n_units`."""
        return count_ids(self.items.units)

    def table(self, metric: NDArray[np.float64]) -> NDArray[np.float64]:
        """float64 [n_units, 2]: judgments agreed with, and all of them."""
        better, worse = metric.T
        items = self.items
        agreed = items.votes * (better > worse) + items.ties * (better == worse)
        return sums_of_segments(np.stack([agreed, items.votes + items.ties], axis=1), items.units)

    def of_sums(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """As `AdditiveMeasure.of_sums`."""
        return ratio(sums[:, 0], sums[:, 1])


def preference_interval(
    better_scores: ArrayLike,
    worse_scores: ArrayLike,
    votes: ArrayLike | None = None,
    *,
    statistic: PreferenceStatistic = "accuracy",
    segments: Names | None = None,
    n_resamples: int = 1000,
    seed: Seed = None,
    confidence: float = CONFIDENCE,
) -> Interval:
    """Percentile bootstrap interval of a preference statistic.

    Args:
        better_scores: As in `preference_counts`.
        worse_scores: As in `preference_counts`.
        votes: As in `preference_counts`.
        statistic: "accuracy", or the variant of Kendall's tau.
        segments: [n], the segment of every pair: segments are drawn, with all their pairs. Pairs of one
            segment share translations and are not independent; drawn one by one, which is what happens where
            this is None, they give intervals that are too narrow.
        n_resamples: As in `bootstrap_interval`.
        seed: As in `bootstrap_interval`.
        confidence: As in `bootstrap_interval`.

    Raises:
        ValueError: As `preference_counts` and `bootstrap_interval` do, and for an unknown statistic.
    """
    check_bootstrap(n_resamples, confidence)
    names = get_args(PreferenceStatistic)
    if statistic not in names:
        raise ValueError(f"statistic is {statistic!r}, {listed(names)} is needed")
    better, worse = paired_scores(better_scores, worse_scores)
    items = items_of_votes(vote_weights(votes, better.size), segments)
    resampled = PreferenceMeasure(items, statistic).resampled(
        np.stack([better, worse], axis=1), n_resamples, seed
    )
    return percentile_interval(resampled, confidence)
