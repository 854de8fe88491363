"""Soft pairwise accuracy: a metric should be as sure as people are about which system is better.

``SPA = 1 - mean |p_human - p_metric|`` over the pairs of systems, p being the one-sided p-value of a paired
permutation test over segments, or over whole documents (Thompson, Mathur, Deutsch and Khayrallah 2024, over segments).
Where people cannot tell two systems apart, a metric need not either.

The permutations swap two systems' translations of a unit. Where a metric pools counts to score a system, the counts
are swapped and both corpus scores computed anew. In resamples what a segment adds to a lead is then half of how much
the lead changes as its two translations change sides, all others being half of the one system and half of the other.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pfsm.evaluation.bootstrap import Seed, count_ids, sums_of_segments
from pfsm.evaluation.correlation import paired_scores
from pfsm.evaluation.measure import AdditiveMeasure, Items, Names, OfTotals, ratio, scored_items
from pfsm.evaluation.people import (
    People,
    leads_of_segments,
    matrix_of,
    pair_indices,
    people_of,
    summed_leads,
)

Float = NDArray[np.float64]
Int64 = NDArray[np.int64]

N_PERMUTATIONS = 1000
LEVEL = 0.05
"""Two-sided, of pairs that are significant for people."""
MTME_SEED = 4
"""What mt-metrics-eval draws its swaps with: the same swaps give its numbers, whichever system it names first."""
_BLOCK = 1 << 21


def soft_pairwise_accuracy(
    human: ArrayLike,
    metric: ArrayLike,
    systems: Names,
    segments: Names,
    n_permutations: int = N_PERMUTATIONS,
    seed: int | None = None,
) -> float:
    """Soft pairwise accuracy of systems (Thompson et al. 2024, equation 3).

    Where segments are missing for a system, a pair of systems is compared on those that both have. People's
    scores and the metric's see the same permutations.

    Args:
        human: float64 [n], people's scores of the translations.
        metric: float64 [n], the metric's.
        systems: [n], who translated.
        segments: [n], what was translated; several scores of the same translation are averaged.
        n_permutations: At least 1.
        seed: Of the permutations; `MTME_SEED` where it is None.

    Returns:
        A number in [0, 1]; NaN where no two systems share a segment.

    Raises:
        ValueError: If lengths differ, a score is not finite, or there are no permutations.
    """
    human, metric = paired_scores(human, metric)
    items = scored_items(human, segments, systems)
    return SoftPairwiseAccuracy(items, None, n_permutations, seed).value(metric)


def permutation_p_values(
    scores: Float, n_permutations: int = N_PERMUTATIONS, seed: Seed = None, units: Int64 | None = None
) -> Float:
    """One-sided p-values of paired permutation tests between systems (Thompson et al. 2024, section 3.2).

    On every unit the two systems' scores are swapped or not, by a coin; p is the share of permutations in
    which the first leads by at least what it did. Equal leads count half, so that p for (a, b) and (b, a) add
    up to 1 and the order of the systems makes no difference.

    Args:
        scores: float64 [n_systems, n_segments]; NaN where a system has no score.
        n_permutations: At least 1.
        seed: As of `soft_pairwise_accuracy`; the swaps are the same for every pair.
        units: int64 [n_segments], from 0 up: the document of each; single segments are swapped where it is None.

    Returns:
        float64 [n_systems (n_systems - 1) / 2], pairs in the order of `itertools.combinations`; NaN for a pair
        without common segments.
    """
    units = np.arange(scores.shape[1]) if units is None else units
    return p_values_of_leads(summed_leads(leads_of_segments(scores), units), n_permutations, seed)


def p_values_of_leads(leads: Float, n_permutations: int = N_PERMUTATIONS, seed: Seed = None) -> Float:
    """`permutation_p_values` from what each unit adds to the lead of the first system, float64 [n_units, n_pairs]."""
    defined = ~np.isnan(leads).any(axis=0)
    leads = np.where(defined, leads, 0.0)
    lead, slack = leads.sum(axis=0), 1e-12 * np.abs(leads).sum(axis=0)
    ahead = _shares_ahead(lambda signs: signs @ leads - lead, slack, len(leads), n_permutations, seed)
    return np.where(defined, ahead, np.nan)


def significant_pairs(people: People) -> NDArray[np.bool_]:
    """bool [n_pairs]: whether people are sure which system is better; none where there are no segments."""
    if people.items.segments is None:
        return np.zeros(people.pairs[0].size, dtype=np.bool_)
    p_values = p_values_of_leads(people.leads())
    return np.asarray(2.0 * np.minimum(p_values, 1.0 - p_values) < LEVEL)


def pooled_p_values(
    statistics: Float,
    of_totals: OfTotals,
    n_permutations: int = N_PERMUTATIONS,
    seed: Seed = None,
    units: Int64 | None = None,
) -> Float:
    """`permutation_p_values` of a metric that pools counts: a system leads by the difference of corpus scores.

    Args:
        statistics: float64 [n_systems, n_segments, k], what is added up; NaN where a system has no score.
        of_totals: From sums of the statistics to scores.
        n_permutations: At least 1.
        seed: As in `permutation_p_values`; the swaps are the same as there.
        units: As there.

    Returns:
        float64 [n_systems (n_systems - 1) / 2]; NaN also for a pair that has no score on its common segments.
    """
    first, second = pair_indices(len(statistics))
    units = np.arange(statistics.shape[1]) if units is None else units
    sides = [_common(statistics[a], statistics[b]) for a, b in zip(first, second, strict=True)]
    both = [sums_of_segments(pair, units) for pair in sides]

    def scores(signs: Float) -> Float:
        """float64 [2, m, n_pairs]: of the first and second system of every pair, some translations swapped."""
        kept, swapped = (1.0 + signs) / 2.0, (1.0 - signs) / 2.0
        found = np.empty((2, len(signs), len(both)))
        for pair, sides in enumerate(both):
            of_first, of_second = np.split(kept @ sides, 2, axis=1)
            to_second, to_first = np.split(swapped @ sides, 2, axis=1)
            found[:, :, pair] = of_totals(np.stack([of_first + to_first, of_second + to_second]))
        return found

    observed = scores(np.ones((1, count_ids(units))))[:, 0]
    leads, slack = observed[0] - observed[1], 1e-12 * np.abs(observed).sum(axis=0)

    def further(signs: Float) -> Float:
        one, other = scores(signs)
        return np.asarray(one - other - leads)

    ahead = _shares_ahead(further, slack, count_ids(units), n_permutations, seed)
    there: NDArray[np.bool_] = np.asarray(np.isfinite(statistics).all(axis=2))
    defined = np.isfinite(leads) & (there[first] & there[second]).any(axis=1)
    return np.where(defined, ahead, np.nan)


def _common(a: Float, b: Float) -> Float:
    """Statistics of two systems side by side, float64 [n_segments, 2 k]; 0 for segments that one of them lacks."""
    sides = np.concatenate([a, b], axis=1)
    return np.where(np.isnan(sides).any(axis=1, keepdims=True), 0.0, sides)


def _shares_ahead(
    further: Callable[[Float], Float], slack: Float, n_units: int, n_permutations: int, seed: Seed
) -> Float:
    """The share of permutations in which the lead of each pair is larger; equal leads count half."""
    if n_permutations < 1:
        raise ValueError(f"n_permutations is {n_permutations}, at least 1 is needed")
    generator = np.random.default_rng(MTME_SEED if seed is None else seed)
    ahead = np.zeros(slack.size)
    size = max(1, _BLOCK // max(1, n_units))
    for start in range(0, n_permutations, size):
        block = min(size, n_permutations - start)
        swaps = np.rint(generator.random((block, n_units), dtype=np.float32))
        signs = np.asarray(2.0 * swaps - 1.0, np.float64)
        permuted = further(signs)
        ahead += (permuted > slack).sum(axis=0) + 0.5 * (np.abs(permuted) <= slack).sum(axis=0)
    return np.asarray(ahead / n_permutations)


@dataclass(frozen=True, eq=False)
class _OfLeads(AdditiveMeasure):
    """A statistic of pairs of systems on their common segments: of what each segment adds to a system's lead."""

    items: Any
    """`Items` with systems and segments, or `RankedSystems`."""
    of_totals: OfTotals | None = None
    """From sums of a metric's statistics to corpus scores; None: the metric has scores of segments."""

    def pooled(self, of_totals: OfTotals) -> Self:
        """As `Measure.pooled`."""
        return replace(self, of_totals=of_totals)

    @cached_property
    def people(self) -> People:
        """The human side; where what is resampled would tear segments apart, segments are resampled."""
        items, found = self.items, people_of(self.items)
        if count_ids(items.units) == count_ids(found.units):
            return found
        by_segment = {"drawn": None} if isinstance(items, Items) else {"units": items.segments}
        return people_of(replace(items, **by_segment))

    @property
    def n_units(self) -> int:
        """As `Measure.n_units`."""
        return count_ids(self.people.units)

    @property
    def weight(self) -> float:
        """As `Measure.weight`."""
        return float(self.people.pairs[0].size)

    def _matrix(self, scores: Float) -> Float:
        """float64 [n_systems, n_segments]: mean of each translation's scores; NaN where there is none."""
        return matrix_of(scores, self.people.systems, self.items.segments)

    def _statistics(self, metric: Float) -> Float:
        """float64 [n_systems, n_segments, k]: the same of statistics."""
        return np.stack([self._matrix(column) for column in metric.T], axis=-1)

    def _leads(self, metric: Float) -> Float:
        """float64 [n_segments, n_pairs]: what each segment adds to the first system's lead; NaN where one has none."""
        if self.of_totals is None:
            return leads_of_segments(self._matrix(metric))
        statistics = self._statistics(metric)
        first, second = pair_indices(len(statistics))
        found = np.empty((statistics.shape[1], first.size))
        for pair, (a, b) in enumerate(zip(first, second, strict=True)):
            one, other = np.split(_common(statistics[a], statistics[b]), 2, axis=1)
            middle, half = (one + other).sum(axis=0) / 2.0, (one - other) / 2.0
            missing = np.isnan(statistics[[a, b]]).any(axis=(0, 2))
            leads = self.of_totals(middle + half) - self.of_totals(middle - half)
            found[:, pair] = np.where(missing, np.nan, leads)
        return found


@dataclass(frozen=True, eq=False)
class SoftPairwiseAccuracy(_OfLeads):
    """Soft pairwise accuracy as a measure.

    Its permutations have a seed of their own, `MTME_SEED` where it is None: whatever resamples or permutes
    the measure, its value for the same scores stays the same. In resamples p-values are those of the normal
    distribution with the permutations' variance, the sum of squared leads: they need no permutations of their own.
    """

    n_permutations: int = N_PERMUTATIONS
    seed: int | None = None

    def value(self, metric: Float) -> float:
        """As `Measure.value`."""
        permutations, units = (self.n_permutations, self.seed), self.people.units
        people = p_values_of_leads(self.people.leads(), *permutations)
        if self.of_totals is None:
            machine = permutation_p_values(self._matrix(metric), *permutations, units)
        else:
            machine = pooled_p_values(self._statistics(metric), self.of_totals, *permutations, units)
        return float(_likeness(people[np.newaxis], machine[np.newaxis])[0])

    def table(self, metric: Float) -> Float:
        """float64 [n_units, 4 n_pairs]: leads and their squares, people's and the metric's."""
        leads = self.people.leads(), summed_leads(self._leads(metric), self.people.units)
        return np.concatenate([part for one in leads for part in (one, one * one)], axis=1)

    def of_sums(self, sums: Float) -> Float:
        """As `AdditiveMeasure.of_sums`."""
        leads, squares, of_metric, squares_of_metric = np.split(sums, 4, axis=1)
        return _likeness(_normal_p(leads, squares), _normal_p(of_metric, squares_of_metric))


def _likeness(people: Float, machine: Float) -> Float:
    """float64 [m]: soft pairwise accuracy from p-values, float64 [m, n_pairs]."""
    errors = np.abs(people - machine)
    return 1.0 - ratio(np.nansum(errors, axis=1), (~np.isnan(errors)).sum(axis=1).astype(np.float64))


def _normal_p(leads: Float, squares: Float) -> Float:
    from scipy.special import ndtr  # noqa: PLC0415 - a slow import

    return np.asarray(ndtr(-np.divide(leads, np.sqrt(squares), out=0.0 * leads, where=squares > 0.0)))


@dataclass(frozen=True, eq=False)
class SampledAccuracy(_OfLeads):
    """The expected pairwise accuracy of a metric that sees a random sample of the segments, people seeing all.

    A lead on n of N common segments is normal with the mean of all and the variance of all over n, times
    (N - n) / (N - 1).
    """

    size: int = 100
    """How many segments the metric sees; all of them where there are fewer."""

    def value(self, metric: Float) -> float:
        """As `Measure.value`."""
        return AdditiveMeasure.value(self, metric)

    def table(self, metric: Float) -> Float:
        """float64 [n_units, p + 3 n_pairs]: people's part, numbers of common segments, leads and squares."""
        found, leads = self.people, self._leads(metric)
        parts = ((~np.isnan(leads)).astype(np.float64), leads, leads * leads)
        of_people = found.table(np.ones(found.judged.size))
        return np.concatenate([of_people, *(summed_leads(one, found.units) for one in parts)], axis=1)

    def of_sums(self, sums: Float) -> Float:
        """As `AdditiveMeasure.of_sums`."""
        from scipy.special import ndtr  # noqa: PLC0415 - a slow import

        first, second = self.people.pairs
        if not first.size:
            return np.full(len(sums), np.nan)
        numbers, leads, squares = np.split(sums[:, -3 * first.size :], 3, axis=1)
        human = np.round(self.people.scores(sums[:, : -3 * first.size]), 12)
        order = np.sign(human[:, first] - human[:, second])
        means, power, drawn = ratio(leads, numbers), ratio(squares, numbers), np.minimum(self.size, numbers)
        variances = np.maximum(power - means * means, 0.0) * (numbers - drawn)
        errors = np.sqrt(ratio(variances, drawn * np.maximum(numbers - 1.0, 1.0)))
        # Means that are level but for rounding tie.
        sure = np.where(np.abs(means) <= 1e-12 * np.sqrt(power), 0.0, np.sign(means))
        chances = np.where(order == 0.0, 0.0, ndtr(order * ratio(means, errors)))
        right = np.where(errors > 0.0, chances, sure == order)
        known = np.isfinite(means)
        found = ratio(np.where(known, right, 0.0).sum(axis=1), known.sum(axis=1))
        return np.where(np.isfinite(human).all(axis=1), found, np.nan)
