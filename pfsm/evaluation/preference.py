"""Agreement with pairwise preferences: accuracy, and the Kendall's taus of the WMT metrics tasks.

People said which of two translations of a segment is better; a metric agrees (concordant, C), disagrees
(discordant, D) or gives both the same score (tie, T). Every vote counts, contradictory ones included. Pairs
that people could not decide between stand in none of the taus (`pfsm.evaluation.pairwise` counts them).

========  ==========================  ==================================================================
name      definition                  source
========  ==========================  ==================================================================
accuracy  C / (C + D + T)             Wang and Manning (2012), section 4.2
wmt12     (C - D - T) / (C + D + T)   Callison-Burch et al. (2012): a tie of the metric is discordant
wmt13     (C - D) / (C + D)           Macháček and Bojar (2013): ties of the metric are left out
wmt14     (C - D) / (C + D + T)       Macháček and Bojar (2014): they count as neither; used until 2016
darr      (C - D - T) / (C + D + T)   Bojar et al. (2017): as wmt12, on pairs derived from direct assessment
========  ==========================  ==================================================================
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pfsm.evaluation.correlation import paired_scores

PreferenceStatistic = Literal["accuracy", "wmt12", "wmt13", "wmt14", "darr"]
"""The accuracy, or one of the variants of Kendall's tau."""
TAUS: tuple[PreferenceStatistic, ...] = ("wmt12", "wmt13", "wmt14", "darr")


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
        """Kendall's tau of the WMT metrics tasks.

        Args:
            variant: "wmt12", "wmt13", "wmt14" or "darr", as at the head of this module.

        Returns:
            A number in [-1, 1]; NaN where nothing is counted.

        Raises:
            ValueError: If there is no such variant.
        """
        for name in TAUS:
            if name == variant:
                return self.statistic(name)
        raise ValueError(f"variant of Kendall's tau is {variant!r}, {listed(TAUS)} is needed")

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


def votes_by_outcome(
    better_scores: ArrayLike, worse_scores: ArrayLike, votes: ArrayLike | None = None
) -> NDArray[np.float64]:
    """float64 [n, 3]: each pair's votes in the column of its outcome: concordant, discordant, tie.

    Arguments and errors as in `preference_counts`.
    """
    better, worse = paired_scores(better_scores, worse_scores)
    weights = vote_weights(votes, better.size)
    outcomes = np.stack([better > worse, better < worse, better == worse], axis=1)
    table: NDArray[np.float64] = outcomes * weights[:, np.newaxis]
    return table


def vote_weights(votes: ArrayLike | None, n: int) -> NDArray[np.float64]:
    """float64 [n]: the votes, or one each where there are none.

    Raises:
        ValueError: If there are not `n` of them, or one is negative or not finite.
    """
    weights = np.ones(n) if votes is None else np.asarray(votes, dtype=np.float64)
    if weights.shape != (n,):
        raise ValueError(f"there are {n} pairs, but votes have shape {weights.shape}")
    if not np.isfinite(weights).all() or (weights < 0.0).any():
        raise ValueError("a number of votes is negative or not finite")
    return weights


def count_votes(outcomes: NDArray[np.float64]) -> PreferenceCounts:
    """The sums of the columns of `votes_by_outcome`."""
    return PreferenceCounts(*outcomes.sum(axis=0).tolist())


def statistic_of_votes(votes: NDArray[np.float64], name: PreferenceStatistic) -> NDArray[np.float64]:
    """A statistic of each row of concordant, discordant and tied votes.

    Args:
        votes: float64 [m, 3].
        name: As at the head of this module.

    Returns:
        float64 [m]; NaN where it is undefined.
    """
    concordant, discordant, ties = votes.T
    counted = discordant if name == "wmt13" else discordant + ties
    wrong = discordant if name == "wmt14" else counted
    parts = concordant if name == "accuracy" else concordant - wrong
    wholes = concordant + counted
    result = np.full(len(votes), np.nan)
    np.divide(parts, wholes, out=result, where=wholes > 0.0)
    return result


def listed(names: Sequence[str]) -> str:
    """Names in quotes, as a message has them."""
    return ", ".join(repr(name) for name in names[:-1]) + f" or {names[-1]!r}"
