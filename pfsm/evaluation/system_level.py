"""Agreement about systems: whoever's translations people score higher on average, a metric should as well.

People's score of a system is the mean over its segments. So is a metric's, unless the metric pools counts as BLEU does
(`pfsm.evaluation.pooled`): its corpus score is computed from sums over the system's segments.

* Pearson's, Spearman's and Kendall's (tau-b) correlation of the systems' scores.
* Pairwise accuracy (Kocmi et al. 2021): the share of pairs of systems whose difference has the same sign in
  both; no difference agrees with no difference alone.
* Soft pairwise accuracy is in `pfsm.evaluation.soft_pairwise`.

Agreement about systems whose translations people ranked: preferences give every system a score.

With w_ij how often people preferred system i to system j, ties left out, a system's score is one of

    won:            sum_j w_ij / sum_j (w_ij + w_ji)                        the official one of WMT12
    expected-wins:  mean over opponents j of w_ij / (w_ij + w_ji)           WMT13 (Koehn 2012)

A metric's score of a system is that of all translations that were ranked: the mean, or the corpus score of a metric
that pools counts. A translation counts once, in however many comparisons it stands. Callison-Burch et al. (2012),
section 3; Bojar et al. (2013), section 3.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pfsm.evaluation.bootstrap import by_appearance, count_ids, sums_of_segments
from pfsm.evaluation.correlation import paired_scores, pearson_of_rows, spearman
from pfsm.evaluation.measure import AdditiveMeasure, Names, OfTotals, scored_items

Float = NDArray[np.float64]

_OfSystems = Callable[[Float, Float], Float]


def system_scores(scores: ArrayLike, systems: Names) -> Float:
    """The mean score of every system.

    Args:
        scores: float64 [n], finite.
        systems: [n], names or numbers.

    Returns:
        float64 [n_systems], systems in the order of their names.

    Raises:
        ValueError: If lengths differ, or a score is not finite.
    """
    items = scored_items(scores, systems=systems)
    return _means(items.human, system_ids(items))


def system_pairwise_accuracy(human: ArrayLike, metric: ArrayLike) -> float:
    """The share of pairs of systems that a metric orders as people do (Kocmi et al. 2021, section 4).

    Args:
        human: float64 [n_systems], people's scores of the systems.
        metric: float64 [n_systems].

    Returns:
        A number in [0, 1]; NaN with fewer than two systems.

    Raises:
        ValueError: If lengths differ, or a score is not finite.
    """
    human, metric = paired_scores(human, metric)
    return float(accuracies(human[np.newaxis], metric[np.newaxis])[0])


def mean_of_totals(totals: Float) -> Float:
    """Means from sums of scores and numbers of them."""
    return np.asarray(totals[..., 0] / totals[..., 1])


@dataclass(frozen=True, eq=False)
class SystemMeasure(AdditiveMeasure):
    """A statistic of the systems' scores; undefined in a resample that holds no translation of a system."""

    items: Any
    """`Items`, or what people ranked."""
    _order: ClassVar = 1
    """People's part of the sums has a number for each system, or for each pair of them (2)."""
    of_systems: _OfSystems
    """From people's and the metric's scores, float64 [m, n_systems], to the statistic, float64 [m]."""
    of_totals: OfTotals = mean_of_totals
    """From sums of what the translations add, float64 [m, n_systems, k], to scores, float64 [m, n_systems]."""
    on_scale: bool = False
    """Whether the statistic sees the scores as they are. Otherwise they are centred and scaled: a common offset then
    costs no digits, and no correlation changes."""

    def pooled(self, of_totals: OfTotals) -> "SystemMeasure":
        """As `Measure.pooled`."""
        # Scaled, so that scores which differ by a rounding error tie whatever unit they are in.
        return replace(
            self, of_totals=of_totals if self.on_scale else lambda totals: scaled_scores(of_totals(totals))
        )

    @property
    def n_units(self) -> int:
        """As `Measure.n_units`."""
        return count_ids(self.items.units)

    def value(self, metric: Float) -> float:
        """As `Measure.value`."""
        systems = system_ids(self.items)
        human = _means(self._prepared(self.items.human), systems)
        return float(
            self._agreement(human[np.newaxis], sums_of_segments(self._added(metric), systems)[np.newaxis])[0]
        )

    def table(self, metric: Float) -> Float:
        """float64 [n_units, p + (1 + k) n_systems]: p of people's, numbers of translations, sums of statistics."""
        added = (np.ones(len(self.items)), *self._added(metric).T)
        return np.concatenate([self._of_people(), *map(self._summed, added)], axis=1)

    def of_sums(self, sums: Float) -> Float:
        """As `AdditiveMeasure.of_sums`."""
        n_systems = count_ids(system_ids(self.items))
        width = n_systems**self._order
        numbers, *statistics = np.split(sums[:, width:], (sums.shape[1] - width) // n_systems, axis=1)
        result = np.full(len(sums), np.nan)
        full = (numbers > 0.0).all(axis=1)
        totals = np.stack(statistics, axis=-1)[full]
        result[full] = self._agreement(self._people(sums[full, :width], numbers[full]), totals)
        return result

    def _of_people(self) -> Float:
        """float64 [n_units, p]: what each unit adds to people's scores of the systems."""
        return self._summed(self._prepared(self.items.human))

    def _people(self, sums: Float, numbers: Float) -> Float:
        """float64 [m, n_systems]: people's scores, from sums of the above and numbers of translations."""
        return sums / numbers

    def _summed(self, values: Float) -> Float:
        """float64 [n_units, n_systems]: sums of what the translations have, float64 [n]."""
        systems = system_ids(self.items)
        n_systems = count_ids(systems)
        cells = self.items.units * n_systems + systems
        sums = np.bincount(cells, weights=values, minlength=self.n_units * n_systems)
        return np.asarray(sums.reshape(-1, n_systems), dtype=np.float64)

    def _prepared(self, scores: Float) -> Float:
        return scores if self.on_scale else _centred(scores)

    def _added(self, metric: Float) -> Float:
        """What translations add to the sums: statistics as they are, float64 [n, k]; of scores [score, 1]."""
        if metric.ndim == 2:
            return metric
        return np.column_stack([self._prepared(metric), np.ones(metric.size)])

    def _agreement(self, human: Float, totals: Float) -> Float:
        """float64 [m]: the statistic; NaN where a system has no score.

        Args:
            human: float64 [m, n_systems], people's mean scores.
            totals: float64 [m, n_systems, k], sums of what the translations add.
        """
        scores = self.of_totals(totals)
        defined = (np.isfinite(human) & np.isfinite(scores)).all(axis=1)
        result = np.full(len(scores), np.nan)
        result[defined] = self.of_systems(human[defined], scores[defined])
        return result


def pearsons(human: Float, metric: Float) -> Float:
    """Pearson's correlation of every row; for `SystemMeasure`."""
    return pearson_of_rows(metric, human)


def spearmans(human: Float, metric: Float) -> Float:
    """Spearman's correlation of every row; for `SystemMeasure`."""
    return np.array([spearman(*rows) for rows in zip(metric, human, strict=True)], dtype=np.float64)


def kendalls(human: Float, metric: Float) -> Float:
    """Kendall's tau-b of every row; for `SystemMeasure`."""
    first, second = pair_indices(human.shape[1])
    people, machine = (np.sign(side[:, first] - side[:, second]) for side in (human, metric))
    untied = np.sqrt((people**2).sum(axis=1) * (machine**2).sum(axis=1))
    result = np.full(len(human), np.nan)
    np.divide((people * machine).sum(axis=1), untied, out=result, where=untied > 0.0)
    return result


def accuracies(human: Float, metric: Float) -> Float:
    """Pairwise accuracy of every row; for `SystemMeasure`."""
    first, second = pair_indices(human.shape[1])
    if not first.size:
        return np.full(len(human), np.nan)
    same = np.sign(human[:, first] - human[:, second]) == np.sign(metric[:, first] - metric[:, second])
    shares: Float = same.mean(axis=1)
    return shares


def pair_indices(n: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The first and the second of every pair of n systems, in the order of `itertools.combinations`."""
    pairs = np.array(list(combinations(range(n), 2)), dtype=np.int64).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]


def system_ids(items: Any) -> NDArray[np.int64]:
    """The system of every item."""
    if items.systems is None:
        raise ValueError("agreement about systems needs to know who translated")
    return np.asarray(items.systems)


def _means(scores: Float, systems: NDArray[np.int64]) -> Float:
    means: Float = np.bincount(systems, weights=scores) / np.bincount(systems)
    return means


def scaled_scores(scores: Float) -> Float:
    """Every row of scores, float64 [m, n], divided by its largest absolute value."""
    largest = np.abs(scores).max(axis=-1, keepdims=True, initial=0.0)
    scaled = scores.copy()
    np.divide(scores, largest, out=scaled, where=(largest > 0.0) & np.isfinite(largest))
    return scaled


def _centred(scores: Float) -> Float:
    """Scores from their overall mean, the largest 1: a common offset or scale then costs no digits."""
    if not scores.size:
        return scores
    deviations: Float = scores - scores[0]
    deviations -= deviations.mean()
    largest = float(np.abs(deviations).max())
    return deviations / largest if largest > 0.0 else deviations


def _by_order(of_systems: _OfSystems) -> _OfSystems:
    """The statistic where means of centred scores that are level do not differ by a rounding error."""
    return lambda human, metric: of_systems(np.round(human, 12), np.round(metric, 12))


SYSTEM_STATISTICS: Mapping[str, _OfSystems] = {
    "pearson": pearsons,
    "spearman": _by_order(spearmans),
    "kendall": _by_order(kendalls),
    "accuracy": _by_order(accuracies),
}
"""Statistics for `SystemMeasure`, by name."""


Int64 = NDArray[np.int64]
WON, EXPECTED_WINS = "won", "expected-wins"


def share_won(wins: Float) -> Float:
    """The share of its comparisons that each system wins.

    Args:
        wins: float64 [..., k, k], how often the row's system was preferred to the column's.

    Returns:
        float64 [..., k]; NaN for a system without a comparison.
    """
    compared = (wins + np.swapaxes(wins, -1, -2)).sum(axis=-1)
    return _quotient(wins.sum(axis=-1), compared)


def expected_wins(wins: Float) -> Float:
    """The mean, over the systems that each was compared with, of the share of comparisons that it wins.

    Arguments and results as of `share_won`.
    """
    compared = wins + np.swapaxes(wins, -1, -2)
    shares = np.divide(wins, compared, out=np.zeros(wins.shape), where=compared > 0.0)
    return _quotient(shares.sum(axis=-1), (compared > 0.0).sum(axis=-1).astype(np.float64))


def _quotient(over: Float, under: Float) -> Float:
    return np.asarray(np.divide(over, under, out=np.full(over.shape, np.nan), where=under > 0.0))


SYSTEM_SCORES: Mapping[str, Callable[[Float], Float]] = {WON: share_won, EXPECTED_WINS: expected_wins}
"""People's scores of systems from wins, by name."""


@dataclass(frozen=True, eq=False)
class RankedSystems:
    """The translations that people ranked, and their comparisons; a metric's scores are those of the translations."""

    systems: Int64
    """int64 [n], from 0 up: who made each translation."""
    units: Int64
    """int64 [n], from 0 up in the order of their first translations: what is drawn together in resamples."""
    better: Int64
    """int64 [m], the preferred translation of each comparison."""
    worse: Int64
    """int64 [m]"""
    votes: Float
    """float64 [m]"""
    people: str = EXPECTED_WINS
    """Which of `SYSTEM_SCORES` people's scores of systems are."""

    def __len__(self) -> int:
        return self.systems.size

    def select(self, rows: Int64) -> "RankedSystems":
        """Some translations, with the comparisons among them."""
        place = np.full(len(self), -1)
        place[rows] = np.arange(rows.size)
        better, worse = place[self.better], place[self.worse]
        kept = (better >= 0) & (worse >= 0)
        _, systems = np.unique(self.systems[rows], return_inverse=True)
        return replace(
            self,
            systems=systems.astype(np.int64),
            units=by_appearance(self.units[rows]),
            better=better[kept],
            worse=worse[kept],
            votes=self.votes[kept],
        )

    def pick(self, metric: Float, rows: Int64) -> Float:
        """A metric's scores of the items of `select`, from its scores of all."""
        return metric[rows]


@dataclass(frozen=True, eq=False)
class RankingMeasure(SystemMeasure):
    """A statistic of the systems' scores; undefined where a system was not compared, or has no translation."""

    items: RankedSystems
    _order: ClassVar = 2

    def value(self, metric: Float) -> float:
        """As `Measure.value`."""
        return AdditiveMeasure.value(self, metric)

    def _of_people(self) -> Float:
        items = self.items
        k = count_ids(items.systems)
        pairs = (items.units[items.better] * k + items.systems[items.better]) * k + items.systems[items.worse]
        wins = np.bincount(pairs, weights=items.votes, minlength=self.n_units * k * k)
        return np.asarray(wins.reshape(-1, k * k), dtype=np.float64)

    def _people(self, sums: Float, numbers: Float) -> Float:
        k = numbers.shape[1]
        return SYSTEM_SCORES[self.items.people](sums.reshape(-1, k, k))


def bound_ranking(name: str) -> Callable[[RankedSystems], RankingMeasure]:
    """What ties one of `pfsm.evaluation.system_level.SYSTEM_STATISTICS` to ranked systems."""
    return lambda items: RankingMeasure(items, SYSTEM_STATISTICS[name])
