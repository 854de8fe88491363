"""Pairwise accuracy with ties and contradictions, the best that any metric could reach, and chance.

Wang and Manning (2012, section 4.2): a metric scores both translations and prefers the one with the higher
score; its accuracy is the share of people's judgments that it agrees with. All judgments count, as they do in
Padó et al. (2009): those that contradict each other, of which no metric can meet both, and ties, which a metric
meets only by giving both the same score. Hence two yardsticks (their footnote 11):

* the *best* accuracy: a metric scores single translations, so that its preferences are transitive; the best
  order of each segment's translations agrees with as many judgments as any metric can;
* the *random* accuracy, expected of scores drawn at random: one half of the judgments that are no ties.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pfsm.evaluation.correlation import paired_scores
from pfsm.evaluation.measure import AdditiveMeasure, Names, ratio
from pfsm.evaluation.preference import vote_weights
from pfsm.evaluation.samples import count_ids, dense_ids, sums_of_segments

_MOST_STRICT, _MOST_TIED = 18, 12


@dataclass(frozen=True)
class BestAccuracy:
    """The best accuracy; where not `exact`, a bound that no metric exceeds but perhaps none reaches."""

    accuracy: float
    exact: bool


@dataclass(frozen=True, eq=False)
class PairwiseJudgments:
    """Judgments about pairs of translations; made by `pairwise_judgments`."""

    first: NDArray[np.int64]
    """int64 [n], from 0: the same translation of the same segment has the same number everywhere."""
    second: NDArray[np.int64]
    preferred: NDArray[np.int64]
    """int64 [n]: 1 for the first, -1 for the second, 0 for neither."""
    votes: NDArray[np.float64]
    segments: NDArray[np.int64]
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


def pairwise_accuracy(
    first_scores: ArrayLike, second_scores: ArrayLike, preferred: ArrayLike, votes: ArrayLike | None = None
) -> float:
    """The share of judgments that a metric agrees with (Wang and Manning 2012, section 4.2).

    Args:
        first_scores: float64 [n], the metric's scores of the first translations, higher is better.
        second_scores: float64 [n].
        preferred: [n], 1 where people preferred the first, -1 for the second, 0 for neither.
        votes: float64 [n], not negative; one each where it is None.

    Returns:
        A number in [0, 1]; NaN without votes.

    Raises:
        ValueError: If lengths differ, a score is not finite, a preference is not 1, -1 or 0, or a number of
            votes is bad.
    """
    first, second = paired_scores(first_scores, second_scores)
    choices, weights = _choices(preferred), vote_weights(votes, first.size)
    if choices.size != first.size:
        raise ValueError(f"there are {first.size} pairs, but {choices.size} preferences")
    agreed = weights @ (np.sign(first - second) == choices)
    return float(ratio(np.array([agreed]), np.array([weights.sum()]))[0])


def best_accuracy(judgments: PairwiseJudgments) -> BestAccuracy:
    """The highest accuracy that any metric can reach on the judgments; NaN without votes.

    Exact wherever no more than 18 translations of a segment (12 with ties) hang together in circles of
    preferences; beyond that each pair's most frequent judgment is counted, whether or not they fit together.
    """
    agreed, exact = _most_agreed(judgments)
    total = np.array([judgments.votes.sum()])
    return BestAccuracy(float(ratio(np.array([agreed.sum()]), total)[0]), exact)


def random_accuracy(judgments: PairwiseJudgments) -> float:
    """The accuracy expected of a metric whose scores are drawn at random, no two alike; NaN without votes.

    A judgment that is no tie is met half the time, a tie never; of two translations that are the same text
    the other way round, for any metric ties them.
    """
    chance = _chance(judgments)
    return float(ratio(np.array([judgments.votes @ chance]), np.array([judgments.votes.sum()]))[0])


@dataclass(frozen=True, eq=False)
class Yardstick(AdditiveMeasure):
    """The best or the random accuracy as a measure, whatever the metric; whole segments are drawn, always."""

    judgments: PairwiseJudgments
    best: bool

    @property
    def n_units(self) -> int:
        """As `Measure.n_units`."""
        return count_ids(self.judgments.segments)

    def remarks(self, metric: NDArray[np.float64]) -> Mapping[str, bool]:
        """Whether the best accuracy is exact."""
        del metric
        return {"exact": best_accuracy(self.judgments).exact} if self.best else {}

    def table(self, metric: NDArray[np.float64]) -> NDArray[np.float64]:
        """float64 [n_segments, 2]: judgments agreed with, and all of them."""
        del metric
        votes, segments = self.judgments.votes, self.judgments.segments
        agreed = votes * _chance(self.judgments)
        table = sums_of_segments(np.stack([agreed, votes], axis=1), segments)
        if self.best:
            table[:, 0] = _most_agreed(self.judgments)[0]
        return table

    def of_sums(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """As `AdditiveMeasure.of_sums`."""
        return ratio(sums[:, 0], sums[:, 1])


def _choices(preferred: ArrayLike) -> NDArray[np.int64]:
    choices = np.asarray(preferred)
    if choices.ndim != 1 or not np.isin(choices, (-1, 0, 1)).all():
        raise ValueError("a preference must be 1, -1 or 0")
    return choices.astype(np.int64)


def _chance(judgments: PairwiseJudgments) -> NDArray[np.float64]:
    """float64 [n]: how likely a random metric agrees."""
    same = judgments.first == judgments.second
    chances: NDArray[np.float64] = np.where(same, judgments.preferred == 0, 0.5 * (judgments.preferred != 0))
    return chances


def _most_agreed(judgments: PairwiseJudgments) -> tuple[NDArray[np.float64], bool]:
    """float64 [n_segments]: the most votes that one order can agree with; and whether it is exact.

    An order that follows the most frequent judgment of every pair is best, and there is one unless such
    judgments run in circles. The circles are the strongly connected components of the graph of these
    judgments; only within one of them is there anything to search.
    """
    n_segments = int(judgments.segments.max(initial=-1)) + 1
    result = np.zeros(n_segments)
    if not len(judgments):
        return result, True
    pairs = _count_pairs(judgments)
    circles = _circles(pairs, int(max(judgments.first.max(), judgments.second.max())) + 1)
    inside = (circles[pairs.low] == circles[pairs.high]) & (pairs.low != pairs.high)
    most = np.where(pairs.low == pairs.high, pairs.votes[:, 1], pairs.votes.max(axis=1))
    np.add.at(result, pairs.segments[~inside], most[~inside])
    exact = True
    order = np.flatnonzero(inside)[np.argsort(circles[pairs.low[inside]], kind="stable")]
    bounds = np.flatnonzero(np.diff(circles[pairs.low[order]], prepend=-1))
    for rows in np.split(order, bounds[1:]):
        if rows.size:
            agreed, searched = _best_of_circle(pairs.low[rows], pairs.high[rows], pairs.votes[rows])
            result[pairs.segments[rows[0]]] += agreed
            exact &= searched
    return result, exact


@dataclass(frozen=True, eq=False)
class _Pairs:
    """Every pair that was judged, once, `low` being the smaller number."""

    low: NDArray[np.int64]
    high: NDArray[np.int64]
    votes: NDArray[np.float64]
    """float64 [n_pairs, 3]: for `high`, for neither, for `low`."""
    segments: NDArray[np.int64]


def _count_pairs(judgments: PairwiseJudgments) -> _Pairs:
    low, high = np.minimum(judgments.first, judgments.second), np.maximum(judgments.first, judgments.second)
    preferred = np.where(judgments.first == low, judgments.preferred, -judgments.preferred)
    keys, rows, pair_of = np.unique(low * (high.max() + 1) + high, return_index=True, return_inverse=True)
    votes = np.zeros((keys.size, 3))
    np.add.at(votes, (pair_of.reshape(-1), preferred + 1), judgments.votes)
    return _Pairs(low[rows], high[rows], votes, judgments.segments[rows])


def _circles(pairs: _Pairs, n_items: int) -> NDArray[np.int64]:
    """int64 [n_items]: the strongly connected component of each translation."""
    from scipy.sparse import coo_array  # noqa: PLC0415 - slow to import, needed here alone
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

    for_high, for_neither, for_low = pairs.votes.T
    tied = for_neither > np.maximum(for_low, for_high)
    # Where both directions have equally many votes, either will do, and nothing is to be obeyed.
    down = tied | ((for_low > for_high) & (for_low >= for_neither))
    up = tied | ((for_high > for_low) & (for_high >= for_neither))
    sources = np.concatenate([pairs.low[down], pairs.high[up]])
    targets = np.concatenate([pairs.high[down], pairs.low[up]])
    graph = coo_array((np.ones(sources.size), (sources, targets)), shape=(n_items, n_items))
    labels: NDArray[np.int64] = connected_components(graph, connection="strong")[1].astype(np.int64)
    return labels


def _best_of_circle(
    low: NDArray[np.int64], high: NDArray[np.int64], votes: NDArray[np.float64]
) -> tuple[float, bool]:
    from pfsm_kernels.statistics.orders import best_order  # noqa: PLC0415 - starts a JIT compiler

    items, places = np.unique(np.concatenate([low, high]), return_inverse=True)
    if items.size > (_MOST_TIED if votes[:, 1].any() else _MOST_STRICT):
        return float(votes.max(axis=1).sum()), False
    row, column = places[: low.size], places[low.size :]
    wins, ties = np.zeros((2, items.size, items.size))
    wins[row, column], wins[column, row] = votes[:, 2], votes[:, 0]
    ties[row, column] = ties[column, row] = votes[:, 1]
    return best_order(wins, ties), True
