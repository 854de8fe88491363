"""Agreement with pairwise preferences: accuracy, and the Kendall's taus of the WMT metrics tasks.

People said which of two translations of a segment is better; a metric agrees (concordant, C), disagrees
(discordant, D) or gives both the same score (tie, T). Every vote counts, contradictory ones included. Pairs
that people could not decide between stand in none of the taus (`pfsm.evaluation.preference` counts them).

========  ==========================  ==================================================================
name      definition                  source
========  ==========================  ==================================================================
accuracy  C / (C + D + T)             Wang and Manning (2012), section 4.2
wmt12     (C - D - T) / (C + D + T)   Callison-Burch et al. (2012): a tie of the metric is discordant
wmt13     (C - D) / (C + D)           Macháček and Bojar (2013): ties of the metric are left out
wmt14     (C - D) / (C + D + T)       Macháček and Bojar (2014): they count as neither; used until 2016
darr      (C - D - T) / (C + D + T)   Bojar et al. (2017): as wmt12, on pairs derived from direct assessment
========  ==========================  ==================================================================

Pairwise accuracy with ties and contradictions, the best that any metric could reach, and chance.

Wang and Manning (2012, section 4.2): a metric scores both translations and prefers the one with the higher
score; its accuracy is the share of people's judgments that it agrees with. All judgments count, as they do in
Padó et al. (2009): those that contradict each other, of which no metric can meet both, and ties, which a metric
meets only by giving both the same score. Hence two yardsticks (their footnote 11):

* the *best* accuracy: a metric scores single translations, so that its preferences are transitive; the best
  order of each segment's translations agrees with as many judgments as any metric can;
* the *random* accuracy, expected of scores drawn at random: one half of the judgments that are not ties.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pfsm.arrays import Float
from pfsm.evaluation.bootstrap import (
    by_appearance,
    count_ids,
    dense_ids,
    sums_of_segments,
)
from pfsm.evaluation.correlation import paired_scores
from pfsm.evaluation.measure import Measure, Names, additive, ratio, ratio_of_sums

Int = NDArray[np.int64]


PreferenceStatistic = Literal["accuracy", "wmt12", "wmt13", "wmt14", "darr"]
"""The accuracy, or one of the variants of Kendall's tau."""
WmtVariant = Literal["wmt12", "wmt13", "wmt14", "darr"]
TAUS: tuple[WmtVariant, ...] = ("wmt12", "wmt13", "wmt14", "darr")


@dataclass(frozen=True)
class PreferenceCounts:
    """Votes for pairs that a metric orders like people (`concordant`), the other way (`discordant`) or not (`ties`)."""

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

    Returns:
        The votes in agreement, against, and tied.

    Raises:
        ValueError: If lengths differ, a value is not finite, or a vote is negative.
    """
    return PreferenceCounts(*_votes_by_outcome(better_scores, worse_scores, votes).sum(axis=0).tolist())


def _votes_by_outcome(
    better_scores: ArrayLike, worse_scores: ArrayLike, votes: ArrayLike | None = None
) -> Float:
    """float64 [n, 3]: each pair's votes in the column of its outcome: concordant, discordant, tie."""
    better, worse = paired_scores(better_scores, worse_scores)
    weights = vote_weights(votes, better.size)
    outcomes = np.stack([better > worse, better < worse, better == worse], axis=1)
    table: Float = outcomes * weights[:, np.newaxis]
    return table


def vote_weights(votes: ArrayLike | None, n: int) -> Float:
    """float64 [n]: the votes, or one each where there are none."""
    weights = np.ones(n) if votes is None else np.asarray(votes, dtype=np.float64)
    if weights.shape != (n,):
        raise ValueError(f"there are {n} pairs, but votes have shape {weights.shape}")
    if not np.isfinite(weights).all() or (weights < 0.0).any():
        raise ValueError("a number of votes is negative or not finite")
    return weights


def statistic_of_votes(votes: Float, name: PreferenceStatistic) -> Float:
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
    return ratio(parts, wholes)


def listed(names: Sequence[str]) -> str:
    """Names in quotes, as a message has them."""
    return ", ".join(repr(name) for name in names[:-1]) + f" or {names[-1]!r}"


_MOST_STRICT, _MOST_TIED = 18, 12


@dataclass(frozen=True)
class BestAccuracy:
    """The best accuracy; where not `exact`, a bound that no metric exceeds but perhaps none reaches."""

    accuracy: float
    exact: bool


@dataclass(frozen=True, eq=False)
class PairwiseJudgments:
    """Judgments about pairs of translations, `first` and `second`, with `votes`; made by `pairwise_judgments`."""

    first: Int
    """int64 [n], from 0: the same translation of the same segment has the same number everywhere."""
    second: Int
    preferred: Int
    """int64 [n]: 1 for the first, -1 for the second, 0 for neither."""
    votes: Float
    segments: Int
    """int64 [n], from 0 up without gaps."""

    def __len__(self) -> int:
        return self.first.size


def pairwise_judgments(
    first: Names, second: Names, preferred: ArrayLike, segments: Names, votes: ArrayLike | None = None
) -> PairwiseJudgments:
    """Check and number judgments.

    Args:
        first: [n], names of the first translations, for example their text; two of one segment with the same
            name get the same score from any metric.
        second: [n], names of the second ones.
        preferred: [n], 1 where people preferred the first, -1 for the second, 0 for neither.
        segments: [n], names or numbers.
        votes: float64 [n], not negative; one each where it is None.

    Returns:
        The judgments, with names as numbers.

    Raises:
        ValueError: If lengths differ, a preference is not 1, -1 or 0, or a number of votes is bad.
    """
    choices = _choices(preferred)
    n = choices.size
    ids = dense_ids(segments, n, "segments")
    if len(first) != n or len(second) != n:
        raise ValueError(f"there are {n} preferences between {len(first)} and {len(second)} translations")
    named = [
        (int(segment), str(name))
        for names in (first, second)
        for segment, name in zip(ids, names, strict=True)
    ]
    items = dense_ids(named, 2 * n, "translations")
    return PairwiseJudgments(items[:n], items[n:], choices, vote_weights(votes, n), ids)


def best_accuracy(judgments: PairwiseJudgments) -> BestAccuracy:
    """The highest accuracy that any metric can reach on the judgments; NaN without votes.

    Exact wherever no more than 18 translations of a segment (12 with ties) hang together in circles of
    preferences; beyond that each pair's most frequent judgment is counted, whether or not they fit together.

    Args:
        judgments: Of pairs of translations.

    Returns:
        The accuracy, in [0, 1], and whether it is exact.
    """
    agreed, exact = _most_agreed(judgments)
    total = np.array([judgments.votes.sum()])
    return BestAccuracy(float(ratio(np.array([agreed.sum()]), total)[0]), exact)


def random_accuracy(judgments: PairwiseJudgments) -> float:
    """The accuracy expected of a metric whose scores are drawn at random, no two alike; NaN without votes.

    A judgment that is not a tie is met half the time, a tie never; of two translations that are the same text
    the other way round, for any metric ties them.

    Args:
        judgments: Of pairs of translations.

    Returns:
        A number in [0, 1].
    """
    chance = _chance(judgments)
    return float(ratio(np.array([judgments.votes @ chance]), np.array([judgments.votes.sum()]))[0])


def yardstick(items: "PreferenceItems", *, best: bool) -> Measure:
    """The best or the random accuracy as a measure, whatever the metric; whole segments are drawn, always."""
    judgments = items.judgments
    votes, segments = judgments.votes, judgments.segments

    def table(_: Float) -> Float:
        """Judgments agreed with, and all of them, by segment."""
        sums = sums_of_segments(np.stack([votes * _chance(judgments), votes], axis=1), segments)
        if best:
            sums[:, 0] = _most_agreed(judgments)[0]
        return sums

    def remarks(_: Float) -> Mapping[str, bool]:
        return {"exact": best_accuracy(judgments).exact} if best else {}

    return additive(count_ids(segments), table, ratio_of_sums, remarks=remarks)


def _choices(preferred: ArrayLike) -> Int:
    choices = np.asarray(preferred)
    if choices.ndim != 1 or not np.isin(choices, (-1, 0, 1)).all():
        raise ValueError("a preference must be 1, -1 or 0")
    return choices.astype(np.int64)


def _chance(judgments: PairwiseJudgments) -> Float:
    """float64 [n]: how likely a random metric agrees."""
    same = judgments.first == judgments.second
    chances: Float = np.where(same, judgments.preferred == 0, 0.5 * (judgments.preferred != 0))
    return chances


def _most_agreed(judgments: PairwiseJudgments) -> tuple[Float, bool]:
    """float64 [n_segments]: the most votes that one order can agree with; and whether it is exact."""
    result = np.zeros(count_ids(judgments.segments))
    if not len(judgments):
        return result, True
    low, high, votes, segments = _pairs(judgments)
    circles = _circles(low, high, votes, int(max(judgments.first.max(), judgments.second.max())) + 1)
    inside = (circles[low] == circles[high]) & (low != high)
    most = np.where(low == high, votes[:, 1], votes.max(axis=1))
    np.add.at(result, segments[~inside], most[~inside])
    exact = True
    order = np.flatnonzero(inside)[np.argsort(circles[low[inside]], kind="stable")]
    bounds = np.flatnonzero(np.diff(circles[low[order]], prepend=-1))
    for rows in np.split(order, bounds[1:]):
        if rows.size:
            agreed, searched = _best_of_circle(low[rows], high[rows], votes[rows])
            result[segments[rows[0]]] += agreed
            exact &= searched
    return result, exact


def _pairs(judgments: PairwiseJudgments) -> tuple[Int, Int, Float, Int]:
    """Every pair that was judged, once, the smaller number first; votes for the second, neither, first; its segment."""
    low, high = np.minimum(judgments.first, judgments.second), np.maximum(judgments.first, judgments.second)
    preferred = np.where(judgments.first == low, judgments.preferred, -judgments.preferred)
    keys, rows, pair_of = np.unique(low * (high.max() + 1) + high, return_index=True, return_inverse=True)
    votes = np.zeros((keys.size, 3))
    np.add.at(votes, (pair_of.reshape(-1), preferred + 1), judgments.votes)
    return low[rows], high[rows], votes, judgments.segments[rows]


def _circles(low: Int, high: Int, votes: Float, n_items: int) -> Int:
    """int64 [n_items]: the strongly connected component of each translation."""
    from scipy.sparse import coo_array  # noqa: PLC0415 - slow to import, needed here alone
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

    for_high, for_neither, for_low = votes.T
    tied = for_neither > np.maximum(for_low, for_high)
    # Where both directions have equally many votes, either will do, and nothing is to be obeyed.
    down = tied | ((for_low > for_high) & (for_low >= for_neither))
    up = tied | ((for_high > for_low) & (for_high >= for_neither))
    sources = np.concatenate([low[down], high[up]])
    targets = np.concatenate([high[down], low[up]])
    graph = coo_array((np.ones(sources.size), (sources, targets)), shape=(n_items, n_items))
    labels: Int = connected_components(graph, connection="strong")[1].astype(np.int64)
    return labels


def _best_of_circle(low: Int, high: Int, votes: Float) -> tuple[float, bool]:
    from pfsm_kernels.statistics.pairs import best_order  # noqa: PLC0415 - starts a JIT compiler

    items, places = np.unique(np.concatenate([low, high]), return_inverse=True)
    if items.size > (_MOST_TIED if votes[:, 1].any() else _MOST_STRICT):
        return float(votes.max(axis=1).sum()), False
    row, column = places[: low.size], places[low.size :]
    wins, ties = np.zeros((2, items.size, items.size))
    wins[row, column], wins[column, row] = votes[:, 2], votes[:, 0]
    ties[row, column] = ties[column, row] = votes[:, 1]
    return best_order(wins, ties), True


@dataclass(frozen=True, eq=False)
class PreferenceItems:
    """Preferences; a metric's scores for them are float64 [n, 2]: of the better one and of the worse."""

    better: Int
    """int64 [n]: the same translation of the same reference has the same number everywhere."""
    worse: Int
    votes: Float
    """float64 [n], for the better one."""
    ties: Float
    """float64 [n], judgments that neither is better; of a pair that stands in both directions, once."""
    references: Int
    """int64 [n], from 0 up without gaps."""
    units: Int
    """int64 [n], from 0 up in the order of their first pairs: what is drawn together in resamples."""

    def __len__(self) -> int:
        return self.better.size

    def select(self, rows: Int) -> "PreferenceItems":
        """The preferences of some rows."""
        return PreferenceItems(
            self.better[rows],
            self.worse[rows],
            self.votes[rows],
            self.ties[rows],
            by_appearance(self.references[rows]),
            by_appearance(self.units[rows]),
        )

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
    """
    n = len(references)
    numbered = pairwise_judgments(better, worse, np.ones(n), references, votes)
    return PreferenceItems(
        numbered.first,
        numbered.second,
        numbered.votes,
        np.zeros(n) if ties is None else vote_weights(ties, n),
        by_appearance(numbered.segments),
        _units(units, n),
    )


def _units(names: Names | None, n: int) -> Int:
    return np.arange(n) if names is None else by_appearance(dense_ids(names, n, "segments"))


def of_preferences(items: PreferenceItems, statistic: PreferenceStatistic) -> Measure:
    """Accuracy or a Kendall's tau of preferences, each with its votes and its unit of resamples."""

    def table(metric: Float) -> Float:
        """Votes for pairs that are concordant, discordant, tied, by unit."""
        return sums_of_segments(_votes_by_outcome(metric[:, 0], metric[:, 1], items.votes), items.units)

    return additive(count_ids(items.units), table, lambda sums: statistic_of_votes(sums, statistic))


def accuracy_with_human_ties(items: PreferenceItems) -> Measure:
    """The share of all judgments, ties included, that a metric agrees with."""

    def table(metric: Float) -> Float:
        """Judgments agreed with, and all of them, by unit."""
        better, worse = metric.T
        agreed = items.votes * (better > worse) + items.ties * (better == worse)
        return sums_of_segments(np.stack([agreed, items.votes + items.ties], axis=1), items.units)

    return additive(count_ids(items.units), table, ratio_of_sums)
