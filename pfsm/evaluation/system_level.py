"""Agreement about systems: a metric should score those systems higher that people score higher on average.

People's scores of systems are those of `pfsm.evaluation.people`. A metric's score of a system is the mean over its
judged translations (a translation counts once, in however many comparisons it stands), unless the metric pools counts
as BLEU does (`pfsm.evaluation.pooled`): its corpus score is computed from sums over them.

* Pearson's, Spearman's and Kendall's (tau-b) correlation of the systems' scores.
* Pairwise accuracy (Kocmi et al. 2021): the share of pairs of systems whose difference has the same sign in
  both; no difference agrees with no difference alone. Also over the pairs that are significant for people, and with a
  metric that sees a few segments only.
* The ceiling of the accuracy (`pfsm.evaluation.people`).
* Soft pairwise accuracy is in `pfsm.evaluation.soft_pairwise`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pfsm.evaluation.bootstrap import count_ids
from pfsm.evaluation.correlation import paired_scores, pearson_of_rows, spearman
from pfsm.evaluation.measure import (
    AdditiveMeasure,
    Names,
    OfTotals,
    scored_items,
)
from pfsm.evaluation.people import LEAST_SQUARES, People, by_cell, centred, pair_indices, people_of
from pfsm.evaluation.soft_pairwise import significant_pairs

Float = NDArray[np.float64]

_OfSystems = Callable[[Float, Float], Float]


def system_scores(scores: ArrayLike, systems: Names, segments: Names | None = None) -> Float:
    """The score of every system: the mean, or the least-squares fit of `pfsm.evaluation.people`.

    Args:
        scores: float64 [n], finite.
        systems: [n], names or numbers.
        segments: [n], likewise, for the fit.

    Returns:
        float64 [n_systems], systems in the order of their names.

    Raises:
        ValueError: If lengths differ, or a score is not finite.
    """
    items = scored_items(scores, segments, systems, people=LEAST_SQUARES)
    return SystemMeasure(items, pearsons, on_scale=True).of_people


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
    of_systems: _OfSystems
    """From people's and the metric's scores, float64 [m, n_systems], to the statistic, float64 [m]."""
    of_totals: OfTotals = mean_of_totals
    """From sums of what the translations add, float64 [m, n_systems, k], to scores, float64 [m, n_systems]."""
    on_scale: bool = False
    """Whether the statistic sees the scores as they are. Otherwise they are centred and scaled: a common offset then
    costs no digits, and no correlation changes."""
    of_all: bool = True
    """Whether all pairs of systems count, or in the accuracy those alone that are significant for people."""

    @property
    def people(self) -> People:
        """The human side."""
        return people_of(self.items, self.on_scale)

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

    @property
    def weight(self) -> float:
        """As `Measure.weight`: the number of pairs that count."""
        return float(self._counted.sum())

    @cached_property
    def _counted(self) -> NDArray[np.bool_]:
        return (
            np.ones(self.people.pairs[0].size, dtype=np.bool_)
            if self.of_all
            else significant_pairs(self.people)
        )

    def remarks(self, metric: Float) -> Mapping[str, float | bool]:  # noqa: ARG002
        """As `Measure.remarks`: how many pairs are significant."""
        return {} if self.of_all else {"pairs": self.weight}

    def table(self, metric: Float) -> Float:
        """float64 [n_units, p + k n_systems]: p of people's, sums of statistics."""
        systems, shape = self.people.systems, (self.n_units, self.people.n_systems)
        sums = (by_cell(self.items.units, systems, column, shape) for column in self._added(metric).T)
        return np.concatenate([self._table_of_people, *sums], axis=1)

    def of_sums(self, sums: Float) -> Float:
        """As `AdditiveMeasure.of_sums`: NaN where a system has no score."""
        if not self.people.n_systems:
            return np.full(len(sums), np.nan)
        people, statistics = np.split(sums, [self._table_of_people.shape[1]], axis=1)
        human = self.people.scores(people)
        there = np.isfinite(human).all(axis=1)
        totals = statistics[there].reshape(int(there.sum()), -1, self.people.n_systems).swapaxes(1, 2)
        scores = np.full(human.shape, np.nan)
        scores[there] = self.of_totals(totals)
        there &= np.isfinite(scores).all(axis=1)
        result = np.full(len(sums), np.nan)
        sides = human[there], scores[there]
        if self.of_all:
            result[there] = self.of_systems(*sides)
        elif self._counted.any():
            result[there] = _agreeing(*(np.round(side, 12) for side in sides))[:, self._counted].mean(axis=1)
        return result

    @cached_property
    def _table_of_people(self) -> Float:
        return self.people.table(np.ones(self.people.judged.size))

    @property
    def of_people(self) -> Float:
        """float64 [n_systems]: people's scores."""
        return np.asarray(self.people.scores(self._table_of_people.sum(axis=0, keepdims=True))[0])

    def _added(self, metric: Float) -> Float:
        """What translations add to the sums: statistics as they are, float64 [n, k]; of scores [score, 1]."""
        if metric.ndim == 2:
            return metric
        return np.column_stack([metric if self.on_scale else centred(metric), np.ones(metric.size)])


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
    same = _agreeing(human, metric)
    return np.asarray(same.mean(axis=1)) if same.size else np.full(len(human), np.nan)


def _agreeing(human: Float, metric: Float) -> NDArray[np.bool_]:
    """bool [m, n_pairs]: whether both order a pair of systems alike."""
    first, second = pair_indices(human.shape[1])
    return np.asarray(
        np.sign(human[:, first] - human[:, second]) == np.sign(metric[:, first] - metric[:, second])
    )


def scaled_scores(scores: Float) -> Float:
    """Every row of scores, float64 [m, n], divided by its largest absolute value."""
    largest = np.abs(scores).max(axis=-1, keepdims=True, initial=0.0)
    scaled = scores.copy()
    np.divide(scores, largest, out=scaled, where=(largest > 0.0) & np.isfinite(largest))
    return scaled


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


def ceiling_measure(items: Any) -> SystemMeasure:
    """The expected accuracy of a perfect metric, whatever the metric is; resamples do not change it."""
    return SystemMeasure(items, lambda human, _: np.full(len(human), people_of(items).ceiling))
