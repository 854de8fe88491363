"""People's scores of systems, how sure they are of them, and how far a perfect metric would agree with them.

Of absolute scores, means over a system's translations, or the *least-squares fit* of ``score = system + segment`` over
all judgments, with the mean of all: a system that was judged on easier segments gains nothing by it. Means stand in
where the fit says nothing: no chain of common segments joins the systems, or what is resampled tears segments apart.

Of rankings, with w_ij how often people preferred system i to system j, ties left out, one of

    won:            sum_j w_ij / sum_j (w_ij + w_ji)                        the official one of WMT12
    expected-wins:  mean over opponents j of w_ij / (w_ij + w_ji)           WMT13 (Koehn 2012)

(Callison-Burch et al. 2012, section 3; Bojar et al. 2013, section 3).

*Significant* for people is a pair with p < .05, two-sided, in the permutation test of `pfsm.evaluation.systems`.
A ranked system's part in a unit is what its comparisons there add to its score: (w_ij - w_ji) / 2 over what it is
divided by.

The *ceiling* is the expected accuracy of a metric that knows the true order. People's order of a pair is right with
some probability q; two independent resamples of documents, or of judgments where there are none, order it alike with
probability a = q^2 + (1 - q)^2. With p the share of resamples that order it one way (level ones count half), a is
p^2 + (1 - p)^2, and q = (1 + sqrt(2 a - 1)) / 2 = max(p, 1 - p). The ceiling is the mean of q over the pairs.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import combinations
from typing import Any

import numpy as np

from pfsm.arrays import Float, Int64
from pfsm.evaluation.bootstrap import (
    FEWEST_UNITS,
    by_appearance,
    count_ids,
    default_seed,
    resampled_times,
    sums_of_segments,
)
from pfsm.evaluation.measure import Items, ratio, units_of_parts

LEAST_SQUARES, MEANS = FITS = ("least-squares", "means")
"""People's scores of systems from absolute scores, by name."""
WON, EXPECTED_WINS = "won", "expected-wins"
CEILING_RESAMPLES = 500
_CONNECTED = 1e-9
"""Smallest eigenvalue of the equations, relative to the largest, of systems that common segments join."""


def _share_won(wins: Float) -> Float:
    """float64 [..., k]: the share of its comparisons that each system wins, of wins [..., k, k]; NaN without any."""
    return ratio(wins.sum(axis=-1), _compared(wins).sum(axis=-1))


def _expected_wins(wins: Float) -> Float:
    """The mean, over the systems that each was compared with, of the share that it wins."""
    compared = _compared(wins)
    return ratio(ratio(wins, compared, 0.0).sum(axis=-1), (compared > 0.0).sum(axis=-1))


def _compared(wins: Float) -> Float:
    return np.asarray(wins + np.swapaxes(wins, -1, -2))


SYSTEM_SCORES: Mapping[str, Callable[[Float], Float]] = {WON: _share_won, EXPECTED_WINS: _expected_wins}
"""People's scores of systems from wins, by name."""


def _fitted(sums: Float, k: int) -> Float:
    """float64 [m, k]: effects of k systems, which add up to 0; NaN where no chain of common segments joins them."""
    values, vectors = np.linalg.eigh(sums[:, k:].reshape(-1, k, k))
    kept: Float = np.where(values > _CONNECTED * values[:, -1:], values, 0.0)
    inverse = ratio(np.ones(values.shape), kept, 0.0)
    joined = np.asarray((kept[:, 1:] > 0.0).all(axis=1))
    turned = np.einsum("mij,mi->mj", vectors, sums[:, :k]) * inverse
    return np.where(joined[:, np.newaxis], np.einsum("mij,mj->mi", vectors, turned), np.nan)


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
    segments: Int64
    """int64 [n], from 0 up without gaps."""
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
            segments=by_appearance(self.segments[rows]),
            better=better[kept],
            worse=worse[kept],
            votes=self.votes[kept],
        )


class People(ABC):
    """The human side of systems; made by `people_of`."""

    items: Any
    """`Items` or `RankedSystems`."""

    @property
    def fits(self) -> bool:
        """Whether the scores are those of the fit: it is asked for and says something of every system."""
        return False

    @property
    def judged(self) -> Int64:
        """int64 [n_judgments]: the translation that each judgment is of, or the better one."""
        return np.arange(len(self.items))

    @property
    def systems(self) -> Int64:
        """int64 [n], from 0 up: who made each translation."""
        if self.items.systems is None:
            raise ValueError("agreement about systems needs to know who translated")
        return np.asarray(self.items.systems)

    @cached_property
    def n_systems(self) -> int:
        """How many there are."""
        return count_ids(self.systems)

    @cached_property
    def pairs(self) -> tuple[Int64, Int64]:
        """The first and the second of every pair, in the order of `itertools.combinations`."""
        return pair_indices(self.n_systems)

    @cached_property
    def units(self) -> Int64:
        """int64 [n_segments]: what each segment is permuted with; itself where resamples would tear it apart."""
        if self.items.segments is None:
            raise ValueError("pairs of systems are compared on common segments, and there are no segments")
        of = units_of_parts(self.items.segments, self.items.units)
        return np.arange(count_ids(self.items.segments)) if of is None else of

    @abstractmethod
    def table(self, weights: Float) -> Float:
        """float64 [n_units, p]: what each unit adds to people's scores, judgments counting by weights."""

    @abstractmethod
    def scores(self, sums: Float) -> Float:
        """float64 [m, n_systems]: people's scores from sums, float64 [m, p]; NaN for a system that is not there."""

    @abstractmethod
    def leads(self) -> Float:
        """float64 [n_units, n_pairs]: what each unit adds to the first system's lead; NaN for pairs that share none."""

    @cached_property
    def ceiling(self) -> float:
        """The expected accuracy of a perfect metric; NaN where there is nothing to resample."""
        segments, units = self.items.segments, self.items.units
        # Segments are not draws of people: their judgments are.
        single = segments is None or np.array_equal(by_appearance(segments), units)
        ids = np.arange(self.judged.size) if single else units[self.judged]
        # A single judgment of each system tells nothing of chance.
        if count_ids(ids) < FEWEST_UNITS or not 1 < self.n_systems < self.judged.size:
            return float("nan")
        first, second = self.pairs
        found = []
        for times in resampled_times(count_ids(ids), CEILING_RESAMPLES, default_seed()):
            for weights in times[:, ids].astype(np.float64):
                sums = np.asarray(self.table(weights).sum(axis=0, keepdims=True))
                found.append(np.round(self.scores(sums)[0], 12))
        scores = np.array(found, dtype=np.float64)
        leads: Float = scores[:, first] - scores[:, second]
        shares = ratio(np.nansum((np.sign(leads) + 1.0) / 2.0, axis=0), (~np.isnan(leads)).sum(axis=0))
        return float(np.maximum(shares, 1.0 - shares).mean())


@dataclass(frozen=True, eq=False)
class _Scored(People):
    """People who gave absolute scores."""

    items: Items
    human: Float
    """float64 [n], people's scores, on the scale that is asked for."""

    @cached_property
    def fits(self) -> bool:
        items = self.items
        segments, asked = items.segments, items.people == LEAST_SQUARES and self.n_systems > 1
        if not asked or segments is None or units_of_parts(segments, items.units) is None:
            return False
        sums = self._equations(np.ones(len(items))).sum(axis=0, keepdims=True)
        return not bool(np.isnan(_fitted(sums, self.n_systems)).any())

    def table(self, weights: Float) -> Float:
        if self.fits:
            return sums_of_segments(self._equations(weights), self.units)
        units = self.items.units
        sides = (
            by_cell(units, self.systems, side, (count_ids(units), self.n_systems))
            for side in (weights * self.human, weights)
        )
        return np.concatenate([*sides], axis=1)

    def scores(self, sums: Float) -> Float:
        if self.fits:
            return np.asarray(_fitted(sums, self.n_systems) + self.human.mean())
        scores, numbers = np.split(sums, 2, axis=1)
        return ratio(scores, numbers)

    def leads(self) -> Float:
        units, segments = self.units, self.items.needed("segments")
        return summed_leads(leads_of_segments(matrix_of(self.human, self.systems, segments)), units)

    def _equations(self, weights: Float) -> Float:
        """float64 [n_segments, k + k^2]: the right sides and the matrix of each segment, its own effect eliminated."""
        segments = self.items.needed("segments")
        shape = count_ids(segments), self.n_systems
        numbers, scores = (
            by_cell(segments, self.systems, side, shape) for side in (weights, weights * self.human)
        )
        shares = ratio(numbers, numbers.sum(axis=1, keepdims=True), 0.0)
        right = scores - shares * scores.sum(axis=1, keepdims=True)
        matrix = numbers[:, :, np.newaxis] * (np.eye(self.n_systems) - shares[:, np.newaxis, :])
        return np.concatenate([right, matrix.reshape(len(numbers), -1)], axis=1)


@dataclass(frozen=True, eq=False)
class _Ranked(People):
    """People who ranked translations."""

    items: RankedSystems

    @property
    def judged(self) -> Int64:
        return self.items.better

    def table(self, weights: Float) -> Float:
        return self._wins(self.items.units, weights * self.items.votes)

    def scores(self, sums: Float) -> Float:
        return SYSTEM_SCORES[self.items.people](sums.reshape(-1, self.n_systems, self.n_systems))

    def leads(self) -> Float:
        k = self.n_systems
        wins = self._wins(self.units[self.items.segments], self.items.votes).reshape(-1, k, k)
        compared = _compared(wins.sum(axis=0))
        of_each = compared.sum(axis=1, keepdims=True)
        if self.items.people != WON:
            of_each = compared * (compared > 0.0).sum(axis=1, keepdims=True)
        parts = ratio(wins - np.swapaxes(wins, 1, 2), 2.0 * of_each, 0.0).sum(axis=2)
        first, second = self.pairs
        defined = np.asarray(compared.any(axis=1))
        return np.where(defined[first] & defined[second], parts[:, first] - parts[:, second], np.nan)

    def _wins(self, units: Int64, votes: Float) -> Float:
        """float64 [n_units, k^2]."""
        items, k = self.items, self.n_systems
        pairs = items.systems[items.better] * k + items.systems[items.worse]
        return by_cell(units[items.better], pairs, votes, (count_ids(units), k * k))


@lru_cache(maxsize=64)
def people_of(items: Items | RankedSystems, on_scale: bool = False) -> People:
    """The human side of items with systems; scores are centred and scaled, unless they shall stay ``on_scale``."""
    if isinstance(items, RankedSystems):
        return _Ranked(items)
    return _Scored(items, items.human if on_scale else centred(items.human))


def by_cell(rows: Int64, columns: Int64, values: Float, shape: tuple[int, int]) -> Float:
    """float64 [n_rows, n_columns]: sums of values by row and column."""
    sums = np.bincount(rows * shape[1] + columns, weights=values, minlength=shape[0] * shape[1])
    return np.asarray(sums.reshape(shape), dtype=np.float64)


def centred(scores: Float) -> Float:
    """Scores from their overall mean, the largest 1: a common offset or scale then costs no digits."""
    if not scores.size:
        return scores
    deviations: Float = scores - scores[0]
    deviations -= deviations.mean()
    largest = float(np.abs(deviations).max())
    return deviations / largest if largest > 0.0 else deviations


def pair_indices(n: int) -> tuple[Int64, Int64]:
    """The first and the second of every pair of n systems, in the order of `itertools.combinations`."""
    pairs = np.array(list(combinations(range(n), 2)), dtype=np.int64).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]


def matrix_of(values: Float, systems: Int64, segments: Int64) -> Float:
    """float64 [n_systems, n_segments]: the mean of each translation's values; NaN where there is none."""
    shape = count_ids(systems), count_ids(segments)
    sums, numbers = (by_cell(systems, segments, side, shape) for side in (values, np.ones(values.size)))
    return ratio(sums, numbers)


def leads_of_segments(scores: Float) -> Float:
    """float64 [n_segments, n_pairs]: one's score less another's, from float64 [n_systems, n_segments]; NaN without."""
    first, second = pair_indices(len(scores))
    return np.ascontiguousarray((scores[first] - scores[second]).T)


def summed_leads(leads: Float, units: Int64) -> Float:
    """float64 [n_units, n_pairs]: leads on segments added up by unit; NaN for pairs that share none."""
    there = ~np.isnan(leads)
    sums = np.zeros((count_ids(units), leads.shape[1]))
    np.add.at(sums, units, np.where(there, leads, 0.0))
    return np.where(there.any(axis=0), sums, np.nan)
