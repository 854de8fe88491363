"""Agreement about systems: a metric should score those systems higher that people score higher on average.

People's scores of systems are those of `pfsm.evaluation.people`. A metric's score of a system is the mean over its
judged translations (a translation counts once, in however many comparisons it stands), unless the metric pools counts
as BLEU does (`pfsm.evaluation.pooled`): its corpus score is computed from sums over them.

* Pearson's, Spearman's and Kendall's (tau-b) correlation of the systems' scores.
* Pairwise accuracy (Kocmi et al. 2021): the share of pairs of systems whose difference has the same sign in
  both; no difference agrees with no difference alone. Also over the pairs that are significant for people.
* The ceiling of the accuracy (`pfsm.evaluation.people`).
* Soft pairwise accuracy: a metric should be as sure as people are about which system is better.

``SPA = 1 - mean |p_human - p_metric|`` over the pairs of systems, p being the one-sided p-value of a paired
permutation test over segments, or over whole documents (Thompson, Mathur, Deutsch and Khayrallah 2024, over segments).
Where people cannot tell two systems apart, a metric need not either.

The permutations swap two systems' translations of a unit. Where a metric pools counts to score a system, the counts
are swapped and both corpus scores computed anew. In resamples what a segment adds to a lead is then half of how much
the lead changes as its two translations change sides, all others being half of the one system and half of the other.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pfsm.arrays import Float, Int64
from pfsm.evaluation.bootstrap import Seed, count_ids, sums_of_segments
from pfsm.evaluation.correlation import paired_scores, pearson_of_rows, spearman
from pfsm.evaluation.measure import (
    Items,
    Measure,
    Names,
    OfTotals,
    additive,
    ratio,
    scored_items,
)
from pfsm.evaluation.people import (
    LEAST_SQUARES,
    People,
    by_cell,
    centred,
    leads_of_segments,
    matrix_of,
    pair_indices,
    people_of,
    summed_leads,
)

_OfSystems = Callable[[Float, Float], Float]
"""From people's and a metric's scores, float64 [m, n_systems], to a statistic, float64 [m]."""

N_PERMUTATIONS = 1000
LEVEL = 0.05
"""Two-sided, of pairs that are significant for people."""
MTME_SEED = 4
"""What mt-metrics-eval draws its swaps with: the same swaps give its numbers, whichever system it names first."""
_BLOCK = 1 << 21


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
    people = people_of(items, on_scale=True)
    sums = people.table(np.ones(people.judged.size)).sum(axis=0, keepdims=True)
    return np.asarray(people.scores(sums)[0])


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


def system_measure(
    items: Any,
    of_systems: _OfSystems,
    *,
    on_scale: bool = False,
    of_all: bool = True,
    of_totals: OfTotals = lambda totals: np.asarray(totals[..., 0] / totals[..., 1]),
) -> Measure:
    """A statistic of the systems' scores; undefined in a resample that holds no translation of a system.

    Args:
        items: `Items`, or what people ranked.
        of_systems: The statistic.
        on_scale: Whether the statistic sees the scores as they are. Otherwise they are centred and scaled: a common
            offset then costs no digits, and no correlation changes.
        of_all: Whether all pairs of systems count, or in the accuracy those alone that are significant for people.
        of_totals: From sums of what the translations add, float64 [m, n_systems, k], to scores, float64 [m, n_systems].
    """
    people = people_of(items, on_scale)
    n_units, n_systems = count_ids(items.units), people.n_systems
    n_pairs = people.pairs[0].size
    counted = np.ones(n_pairs, dtype=np.bool_) if of_all else significant_pairs(people)
    of_people = cache(lambda: people.table(np.ones(people.judged.size)))

    def table(metric: Float) -> Float:
        """People's sums and then those of statistics, by unit and system."""
        # Statistics as they are, float64 [n, k]; of scores [score, 1].
        added = metric
        if metric.ndim == 1:
            added = np.column_stack([metric if on_scale else centred(metric), np.ones(metric.size)])
        sums = (by_cell(items.units, people.systems, column, (n_units, n_systems)) for column in added.T)
        return np.concatenate([of_people(), *sums], axis=1)

    def of_sums(sums: Float) -> Float:
        """NaN where a system has no score."""
        if not n_systems:
            return np.full(len(sums), np.nan)
        ours, statistics = np.split(sums, [of_people().shape[1]], axis=1)
        human = people.scores(ours)
        there = np.isfinite(human).all(axis=1)
        totals = statistics[there].reshape(int(there.sum()), -1, n_systems).swapaxes(1, 2)
        scores = np.full(human.shape, np.nan)
        scores[there] = of_totals(totals)
        there &= np.isfinite(scores).all(axis=1)
        result = np.full(len(sums), np.nan)
        sides = human[there], scores[there]
        if of_all:
            result[there] = of_systems(*sides)
        elif counted.any():
            result[there] = _agreeing(*(np.round(side, 12) for side in sides))[:, counted].mean(axis=1)
        return result

    def pooled(totals: OfTotals) -> Measure:
        # Scaled, so that scores which differ by a rounding error tie whatever unit they are in.
        scaled = totals if on_scale else lambda sums: scaled_scores(totals(sums))
        return system_measure(items, of_systems, on_scale=on_scale, of_all=of_all, of_totals=scaled)

    weight = float(counted.sum())
    return additive(
        n_units,
        table,
        of_sums,
        pooled=pooled,
        weight=weight,
        remarks=lambda _: {} if of_all else {"pairs": weight},
    )


def kendalls(human: Float, metric: Float) -> Float:
    """Kendall's tau-b of every row; for `system_measure`."""
    people, machine = _orders(human), _orders(metric)
    untied = np.sqrt((people**2).sum(axis=1) * (machine**2).sum(axis=1))
    result = np.full(len(human), np.nan)
    np.divide((people * machine).sum(axis=1), untied, out=result, where=untied > 0.0)
    return result


def accuracies(human: Float, metric: Float) -> Float:
    """Pairwise accuracy of every row; for `system_measure`."""
    same = _agreeing(human, metric)
    return np.asarray(same.mean(axis=1)) if same.size else np.full(len(human), np.nan)


def _agreeing(human: Float, metric: Float) -> NDArray[np.bool_]:
    """bool [m, n_pairs]: whether both order a pair of systems alike."""
    return np.asarray(_orders(human) == _orders(metric))


def _orders(scores: Float) -> Float:
    """float64 [m, n_pairs]: the sign of the first system's lead, from scores [m, n_systems]."""
    first, second = pair_indices(scores.shape[1])
    return np.asarray(np.sign(scores[:, first] - scores[:, second]))


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
    "pearson": lambda human, metric: pearson_of_rows(metric, human),
    "spearman": _by_order(
        lambda human, metric: np.array(list(map(spearman, metric, human)), dtype=np.float64)
    ),
    "kendall": _by_order(kendalls),
    "accuracy": _by_order(accuracies),
}
"""Statistics for `system_measure`, by name."""


def ceiling_measure(items: Any) -> Measure:
    """The expected accuracy of a perfect metric, whatever the metric is; resamples do not change it."""
    return system_measure(items, lambda human, _: np.full(len(human), people_of(items).ceiling))


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
    return soft_measure(items, n_permutations, seed).value(metric)


def p_values_of_leads(leads: Float, n_permutations: int = N_PERMUTATIONS, seed: Seed = None) -> Float:
    """One-sided p-values of paired permutation tests between systems (Thompson et al. 2024, section 3.2).

    On every unit the two systems' scores are swapped or not, by a coin; p is the share of permutations in
    which the first leads by at least what it did. Equal leads count half, so that p for (a, b) and (b, a) add
    up to 1 and the order of the systems makes no difference.

    Args:
        leads: float64 [n_units, n_pairs], what each unit adds to the lead of the first system.
        n_permutations: At least 1.
        seed: As of `soft_pairwise_accuracy`; the swaps are the same for every pair.

    Returns:
        float64 [n_pairs]; NaN for a pair with a lead that is NaN, as of systems without common segments.
    """
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
    """`p_values_of_leads` of a metric that pools counts: a system leads by the difference of corpus scores.

    Args:
        statistics: float64 [n_systems, n_segments, k], what is added up; NaN where a system has no score.
        of_totals: From sums of the statistics to scores.
        n_permutations: At least 1.
        seed: As in `p_values_of_leads`; the swaps are the same as there.
        units: int64 [n_segments], from 0 up: the document of each; single segments are swapped where it is None.

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
class _Leads:
    """What segments add to one system's lead over another, for people and for a metric, on common segments."""

    items: Any
    """`Items` with systems and segments, or `RankedSystems`."""
    of_totals: OfTotals | None = None
    """From sums of a metric's statistics to corpus scores; None: the metric has scores of segments."""

    @cached_property
    def people(self) -> People:
        """The human side; where what is resampled would tear segments apart, segments are resampled."""
        items, found = self.items, people_of(self.items)
        if count_ids(items.units) == count_ids(found.units):
            return found
        by_segment = {"drawn": None} if isinstance(items, Items) else {"units": items.segments}
        return people_of(replace(items, **by_segment))

    def matrix(self, scores: Float) -> Float:
        """float64 [n_systems, n_segments]: mean of each translation's scores; NaN where there is none."""
        return matrix_of(scores, self.people.systems, self.items.segments)

    def statistics(self, metric: Float) -> Float:
        """float64 [n_systems, n_segments, k]: the same of statistics."""
        return np.stack([self.matrix(column) for column in metric.T], axis=-1)

    def of_metric(self, metric: Float) -> Float:
        """float64 [n_segments, n_pairs]: what each segment adds to the first system's lead; NaN where one has none."""
        if self.of_totals is None:
            return leads_of_segments(self.matrix(metric))
        statistics = self.statistics(metric)
        first, second = pair_indices(len(statistics))
        found = np.empty((statistics.shape[1], first.size))
        for pair, (a, b) in enumerate(zip(first, second, strict=True)):
            one, other = np.split(_common(statistics[a], statistics[b]), 2, axis=1)
            middle, half = (one + other).sum(axis=0) / 2.0, (one - other) / 2.0
            missing = np.isnan(statistics[[a, b]]).any(axis=(0, 2))
            leads = self.of_totals(middle + half) - self.of_totals(middle - half)
            found[:, pair] = np.where(missing, np.nan, leads)
        return found


def soft_measure(
    items: Any,
    n_permutations: int = N_PERMUTATIONS,
    seed: int | None = None,
    of_totals: OfTotals | None = None,
) -> Measure:
    """Soft pairwise accuracy as a measure.

    Its permutations have a seed of their own, `MTME_SEED` where it is None: whatever resamples or permutes
    the measure, its value for the same scores stays the same. In resamples p-values are those of the normal
    distribution with the permutations' variance, the sum of squared leads: they need no permutations of their own.
    """
    leads = _Leads(items, of_totals)

    def value(metric: Float) -> float:
        permutations, units = (n_permutations, seed), leads.people.units
        people = p_values_of_leads(leads.people.leads(), *permutations)
        if of_totals is None:
            machine = p_values_of_leads(summed_leads(leads.of_metric(metric), units), *permutations)
        else:
            machine = pooled_p_values(leads.statistics(metric), of_totals, *permutations, units)
        return float(_likeness(people[np.newaxis], machine[np.newaxis])[0])

    def table(metric: Float) -> Float:
        """Leads and their squares, people's and the metric's, by unit and pair."""
        both = leads.people.leads(), summed_leads(leads.of_metric(metric), leads.people.units)
        return np.concatenate([part for one in both for part in (one, one * one)], axis=1)

    def of_sums(sums: Float) -> Float:
        ours, squares, of_metric, squares_of_metric = np.split(sums, 4, axis=1)
        return _likeness(_normal_p(ours, squares), _normal_p(of_metric, squares_of_metric))

    def pooled(totals: OfTotals) -> Measure:
        return soft_measure(items, n_permutations, seed, totals)

    weight = float(leads.people.pairs[0].size)
    return additive(count_ids(leads.people.units), table, of_sums, value, pooled=pooled, weight=weight)


def _likeness(people: Float, machine: Float) -> Float:
    """float64 [m]: soft pairwise accuracy from p-values, float64 [m, n_pairs]."""
    errors = np.abs(people - machine)
    return 1.0 - ratio(np.nansum(errors, axis=1), (~np.isnan(errors)).sum(axis=1).astype(np.float64))


def _normal_p(leads: Float, squares: Float) -> Float:
    from scipy.special import ndtr  # noqa: PLC0415 - a slow import

    return np.asarray(ndtr(-np.divide(leads, np.sqrt(squares), out=0.0 * leads, where=squares > 0.0)))
