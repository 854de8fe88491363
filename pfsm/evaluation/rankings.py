"""Agreement about systems whose translations people ranked: preferences give every system a score.

With w_ij how often people preferred system i to system j, ties left out, a system's score is one of

    won:            sum_j w_ij / sum_j (w_ij + w_ji)                        the official one of WMT12
    expected-wins:  mean over opponents j of w_ij / (w_ij + w_ji)           WMT13 (Koehn 2012)

A metric's score of a system is that of all translations that were ranked: the mean, or the corpus score of a metric
that pools counts. A translation counts once, in however many comparisons it stands. Callison-Burch et al. (2012),
section 3; Bojar et al. (2013), section 3.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pfsm.evaluation.measure import AdditiveMeasure
from pfsm.evaluation.pooled import OfTotals
from pfsm.evaluation.samples import by_appearance, count_ids
from pfsm.evaluation.system_level import SYSTEM_STATISTICS, added, mean_of_totals, scaled_scores

Float = NDArray[np.float64]
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
class RankingMeasure(AdditiveMeasure):
    """A statistic of the systems' scores; undefined where a system was not compared, or has no translation."""

    items: RankedSystems
    of_systems: Callable[[Float, Float], Float]
    """From people's and the metric's scores, float64 [m, k], to the statistic, float64 [m]."""
    of_totals: OfTotals = mean_of_totals
    """From sums of what the translations add, float64 [m, k, n_sums], to scores, float64 [m, k]."""

    def pooled(self, of_totals: OfTotals) -> "RankingMeasure":
        """As `Measure.pooled`."""
        return replace(self, of_totals=lambda totals: scaled_scores(of_totals(totals)))

    @property
    def n_units(self) -> int:
        """As `Measure.n_units`."""
        return count_ids(self.items.units)

    def table(self, metric: Float) -> Float:
        """float64 [n_units, k k + k (1 + n_sums)]: wins, numbers of translations, and sums of what they add."""
        items = self.items
        k = count_ids(items.systems)
        pairs = (items.units[items.better] * k + items.systems[items.better]) * k + items.systems[items.worse]
        wins = np.bincount(pairs, weights=items.votes, minlength=self.n_units * k * k)
        cells = items.units * k + items.systems
        sums = [
            np.bincount(cells, weights=values, minlength=self.n_units * k).reshape(-1, k)
            for values in (np.ones(cells.size), *added(metric).T)
        ]
        return np.concatenate([wins.reshape(-1, k * k), *sums], axis=1)

    def of_sums(self, sums: Float) -> Float:
        """As `AdditiveMeasure.of_sums`."""
        k = count_ids(self.items.systems)
        wins = sums[:, : k * k].reshape(-1, k, k)
        numbers, *totals = np.split(sums[:, k * k :], sums.shape[1] // k - k, axis=1)
        people = SYSTEM_SCORES[self.items.people](wins)
        full = (numbers > 0.0).all(axis=1) & np.isfinite(people).all(axis=1)
        result = np.full(len(sums), np.nan)
        scores = self.of_totals(np.stack(totals, axis=-1)[full])
        defined = np.isfinite(scores).all(axis=1)
        places = np.flatnonzero(full)[defined]
        result[places] = self.of_systems(people[places], scores[defined])
        return result


def bound_ranking(name: str) -> Callable[[RankedSystems], RankingMeasure]:
    """What ties one of `pfsm.evaluation.system_level.SYSTEM_STATISTICS` to ranked systems."""
    return lambda items: RankingMeasure(items, SYSTEM_STATISTICS[name])
