"""Agreement with pairwise preferences: accuracy, and the Kendall's taus of the WMT metrics tasks.

People said which of two translations of a segment is better; a metric agrees (concordant), disagrees
(discordant) or gives both the same score (tie). Every vote counts, contradictory ones included.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pfsm.evaluation.bootstrap import Interval, Seed, check_bootstrap, percentile_interval, resampled_rows
from pfsm.evaluation.correlation import paired_scores

PreferenceStatistic = Literal["accuracy", "wmt12", "wmt13"]
"""The accuracy, or one of the two variants of Kendall's tau."""


@dataclass(frozen=True)
class PreferenceCounts:
    """Votes for the pairs that a metric orders as people did, the other way round, or not at all."""

    concordant: float
    discordant: float
    ties: float

    @property
    def accuracy(self) -> float:
        """Concordant votes over all votes: a tie of the metric counts as wrong. NaN without votes."""
        return self.statistic("accuracy")

    def kendall_tau(self, variant: str) -> float:
        """Kendall's tau of the WMT metrics tasks, ``(C - D) / (C + D)``.

        Args:
            variant: "wmt12": D includes the ties of the metric (Callison-Burch et al. 2012);
                "wmt13": they are left out (Macháček and Bojar 2013).

        Returns:
            A number in [-1, 1]; NaN where ``C + D`` is 0.

        Raises:
            ValueError: If there is no such variant.
        """
        if variant not in {"wmt12", "wmt13"}:
            raise ValueError(f"variant of Kendall's tau is {variant!r}, 'wmt12' or 'wmt13' is needed")
        return self.statistic("wmt12" if variant == "wmt12" else "wmt13")

    def statistic(self, name: PreferenceStatistic) -> float:
        """The accuracy or a variant of Kendall's tau, by name."""
        return float(statistic_of_votes(np.array([[self.concordant, self.discordant, self.ties]]), name)[0])


def preference_counts(
    better_scores: ArrayLike, worse_scores: ArrayLike, votes: ArrayLike | None = None
) -> PreferenceCounts:
    """Count the votes that a metric agrees and disagrees with.

    Args:
        better_scores: float64 [n], the metric's score of the hypothesis people prefer, higher is better.
        worse_scores: float64 [n], its score of the other; equal scores are a tie.
        votes: float64 [n], how many people said so, not negative; one each where it is None.

    Raises:
        ValueError: If lengths differ, a value is not finite, or a vote is negative.
    """
    return count_votes(votes_by_outcome(better_scores, worse_scores, votes))


def preference_interval(
    better_scores: ArrayLike,
    worse_scores: ArrayLike,
    votes: ArrayLike | None = None,
    *,
    statistic: PreferenceStatistic = "accuracy",
    n_resamples: int = 1000,
    seed: Seed = None,
    confidence: float = 0.95,
) -> Interval:
    """Percentile bootstrap interval of a preference statistic; pairs are drawn together with their votes.

    Args:
        better_scores: As in `preference_counts`.
        worse_scores: As in `preference_counts`.
        votes: As in `preference_counts`.
        statistic: "accuracy", or the variant of Kendall's tau, "wmt12" or "wmt13".
        n_resamples: As in `bootstrap_interval`.
        seed: As in `bootstrap_interval`.
        confidence: As in `bootstrap_interval`.

    Raises:
        ValueError: As `preference_counts` and `bootstrap_interval` do, and for an unknown statistic.
    """
    check_bootstrap(n_resamples, confidence)
    if statistic not in {"accuracy", "wmt12", "wmt13"}:
        raise ValueError(f"statistic is {statistic!r}, 'accuracy', 'wmt12' or 'wmt13' is needed")
    outcomes = votes_by_outcome(better_scores, worse_scores, votes)
    resampled = resampled_votes(outcomes, n_resamples, seed)
    return percentile_interval(statistic_of_votes(resampled, statistic), confidence)


def votes_by_outcome(
    better_scores: ArrayLike, worse_scores: ArrayLike, votes: ArrayLike | None = None
) -> NDArray[np.float64]:
    """float64 [n, 3]: each pair's votes in the column of its outcome: concordant, discordant, tie.

    Arguments and errors as in `preference_counts`.
    """
    better, worse = paired_scores(better_scores, worse_scores)
    weights = np.ones(better.size) if votes is None else np.asarray(votes, dtype=np.float64)
    if weights.shape != better.shape:
        raise ValueError(f"there are {better.size} pairs, but votes have shape {weights.shape}")
    if not np.isfinite(weights).all() or (weights < 0.0).any():
        raise ValueError("a number of votes is negative or not finite")
    outcomes = np.stack([better > worse, better < worse, better == worse], axis=1)
    table: NDArray[np.float64] = outcomes * weights[:, np.newaxis]
    return table


def count_votes(outcomes: NDArray[np.float64]) -> PreferenceCounts:
    """The sums of the columns of `votes_by_outcome`."""
    return PreferenceCounts(*outcomes.sum(axis=0).tolist())


def resampled_votes(outcomes: NDArray[np.float64], n_resamples: int, seed: Seed) -> NDArray[np.float64]:
    """float64 [n_resamples, 3]: the sums of the columns of `votes_by_outcome` in bootstrap resamples."""
    n = len(outcomes)
    if n == 0:
        return np.zeros((n_resamples, 3))
    sums = []
    for rows in resampled_rows(n, n_resamples, seed):
        cells = rows + n * np.arange(len(rows))[:, np.newaxis]
        drawn = np.bincount(cells.ravel(), minlength=rows.size).reshape(rows.shape)
        sums.append(drawn.astype(np.float64) @ outcomes)
    return np.concatenate(sums)


def statistic_of_votes(votes: NDArray[np.float64], name: PreferenceStatistic) -> NDArray[np.float64]:
    """A statistic of each row of concordant, discordant and tied votes.

    Args:
        votes: float64 [m, 3].
        name: As in `preference_interval`.

    Returns:
        float64 [m]; NaN where it is undefined.
    """
    concordant, discordant, ties = votes.T
    wrong = discordant if name == "wmt13" else discordant + ties
    parts = concordant if name == "accuracy" else concordant - wrong
    wholes = concordant + wrong
    result = np.full(len(votes), np.nan)
    np.divide(parts, wholes, out=result, where=wholes > 0.0)
    return result
