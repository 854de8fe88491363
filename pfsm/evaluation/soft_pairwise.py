"""Soft pairwise accuracy: a metric should be as sure as people are about which system is better.

``SPA = 1 - mean |p_human - p_metric|`` over the pairs of systems, p being the one-sided p-value of a paired
permutation test over segments (Thompson, Mathur, Deutsch and Khayrallah 2024). Where people cannot tell two
systems apart, a metric need not either.

The permutations swap two systems' translations of a segment. Where a metric pools counts to score a system, the counts
are swapped and both corpus scores computed anew.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pfsm.evaluation.bootstrap import Seed, count_ids
from pfsm.evaluation.correlation import paired_scores
from pfsm.evaluation.measure import Items, Measure, Names, OfTimes, OfTotals, scored_items
from pfsm.evaluation.system_level import pair_indices, system_ids

Float = NDArray[np.float64]

N_PERMUTATIONS = 1000
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
    return SoftPairwiseAccuracy(items, n_permutations, seed).value(metric)


def permutation_p_values(scores: Float, n_permutations: int = N_PERMUTATIONS, seed: Seed = None) -> Float:
    """One-sided p-values of paired permutation tests between systems (Thompson et al. 2024, section 3.2).

    On every segment the two systems' scores are swapped or not, by a coin; p is the share of permutations in
    which the first leads by at least what it did. Equal leads count half, so that p for (a, b) and (b, a) add
    up to 1 and the order of the systems makes no difference.

    Args:
        scores: float64 [n_systems, n_segments]; NaN where a system has no score.
        n_permutations: At least 1.
        seed: As of `soft_pairwise_accuracy`; the swaps are the same for every pair.

    Returns:
        float64 [n_systems (n_systems - 1) / 2], pairs in the order of `itertools.combinations`; NaN for a pair
        without common segments.
    """
    first, second = pair_indices(len(scores))
    differences = scores[first] - scores[second]
    common = ~np.isnan(differences)
    differences = np.where(common, differences, 0.0)
    leads = differences.sum(axis=1)
    slack = 1e-12 * np.abs(differences).sum(axis=1)
    ahead = _shares_ahead(
        lambda signs: signs @ differences.T - leads, slack, scores.shape[1], n_permutations, seed
    )
    p_values: Float = np.where(common.any(axis=1), ahead, np.nan)
    return p_values


def pooled_p_values(
    statistics: Float, of_totals: OfTotals, n_permutations: int = N_PERMUTATIONS, seed: Seed = None
) -> Float:
    """`permutation_p_values` of a metric that pools counts: a system leads by the difference of corpus scores.

    Args:
        statistics: float64 [n_systems, n_segments, k], what is added up; NaN where a system has no score.
        of_totals: From sums of the statistics to scores.
        n_permutations: At least 1.
        seed: As in `permutation_p_values`; the swaps are the same as there.

    Returns:
        float64 [n_systems (n_systems - 1) / 2]; NaN also for a pair that has no score on its common segments.
    """
    first, second = pair_indices(len(statistics))
    both = [_common(statistics[a], statistics[b]) for a, b in zip(first, second, strict=True)]

    def scores(signs: Float) -> Float:
        """float64 [2, m, n_pairs]: of the first and second system of every pair, some translations swapped."""
        kept, swapped = (1.0 + signs) / 2.0, (1.0 - signs) / 2.0
        found = np.empty((2, len(signs), len(both)))
        for pair, sides in enumerate(both):
            of_first, of_second = np.split(kept @ sides, 2, axis=1)
            to_second, to_first = np.split(swapped @ sides, 2, axis=1)
            found[:, :, pair] = of_totals(np.stack([of_first + to_first, of_second + to_second]))
        return found

    observed = scores(np.ones((1, statistics.shape[1])))[:, 0]
    leads, slack = observed[0] - observed[1], 1e-12 * np.abs(observed).sum(axis=0)

    def further(signs: Float) -> Float:
        one, other = scores(signs)
        return np.asarray(one - other - leads)

    ahead = _shares_ahead(further, slack, statistics.shape[1], n_permutations, seed)
    there: NDArray[np.bool_] = np.asarray(np.isfinite(statistics).all(axis=2))
    defined = np.isfinite(leads) & (there[first] & there[second]).any(axis=1)
    return np.where(defined, ahead, np.nan)


def _common(a: Float, b: Float) -> Float:
    """Statistics of two systems side by side, float64 [n_segments, 2 k]; 0 for segments that one of them lacks."""
    sides = np.concatenate([a, b], axis=1)
    return np.where(np.isnan(sides).any(axis=1, keepdims=True), 0.0, sides)


def _shares_ahead(
    further: Callable[[Float], Float], slack: Float, n_segments: int, n_permutations: int, seed: Seed
) -> Float:
    """The share of permutations in which the lead of each pair is larger; equal leads count half.

    Args:
        further: From swaps, float64 [m, n_segments], -1 where two systems are swapped and else 1, to how much the
            lead of each pair grows, float64 [m, n_pairs].
        slack: float64 [n_pairs], how much leads differ by rounding alone.
        n_segments: How many segments there are to swap.
        n_permutations: At least 1.
        seed: As in `permutation_p_values`.
    """
    if n_permutations < 1:
        raise ValueError(f"n_permutations is {n_permutations}, at least 1 is needed")
    generator = np.random.default_rng(MTME_SEED if seed is None else seed)
    ahead = np.zeros(slack.size)
    size = max(1, _BLOCK // max(1, n_segments))
    for start in range(0, n_permutations, size):
        block = min(size, n_permutations - start)
        swaps = np.rint(generator.random((block, n_segments), dtype=np.float32))
        signs = np.asarray(2.0 * swaps - 1.0, np.float64)
        permuted = further(signs)
        ahead += (permuted > slack).sum(axis=0) + 0.5 * (np.abs(permuted) <= slack).sum(axis=0)
    return np.asarray(ahead / n_permutations)


@dataclass(frozen=True, eq=False)
class SoftPairwiseAccuracy(Measure):
    """Soft pairwise accuracy as a measure; it has no bootstrap, being made of tests itself.

    Its permutations have a seed of their own, `MTME_SEED` where it is None: whatever resamples or permutes
    the measure, its value for the same scores stays the same.
    """

    items: Items
    n_permutations: int = N_PERMUTATIONS
    seed: int | None = None
    of_totals: OfTotals | None = None
    """From sums of a metric's statistics to corpus scores; None: the metric has scores of segments."""

    def pooled(self, of_totals: OfTotals) -> "SoftPairwiseAccuracy":
        """As `Measure.pooled`."""
        return replace(self, of_totals=of_totals)

    @property
    def n_units(self) -> int:
        """As `Measure.n_units`."""
        return count_ids(self.items.units)

    def value(self, metric: Float) -> float:
        """As `Measure.value`."""
        permutations = self.n_permutations, self.seed
        people = permutation_p_values(self._matrix(self.items.human), *permutations)
        if self.of_totals is None:
            machine = permutation_p_values(self._matrix(metric), *permutations)
        else:
            statistics = np.stack([self._matrix(column) for column in metric.T], axis=-1)
            machine = pooled_p_values(np.asarray(statistics, np.float64), self.of_totals, *permutations)
        errors = np.abs(people - machine)
        errors = errors[~np.isnan(errors)]
        return float(1.0 - errors.mean()) if errors.size else float("nan")

    def resampler(self, metric: Float) -> OfTimes:
        """NaN throughout: every resample would need its own permutations."""
        del metric
        return lambda times: np.full(len(times), np.nan)

    def _matrix(self, scores: Float) -> Float:
        """float64 [n_systems, n_segments]: mean of each translation's scores; NaN where there is none."""
        systems, segments = system_ids(self.items), self.items.segments
        if segments is None:
            raise ValueError("soft pairwise accuracy needs segments")
        shape = (int(systems.max(initial=-1)) + 1, int(segments.max(initial=-1)) + 1)
        cells = systems * shape[1] + segments
        counts = np.bincount(cells, minlength=shape[0] * shape[1])
        sums = np.bincount(cells, weights=scores, minlength=counts.size)
        means = np.full(counts.size, np.nan)
        np.divide(sums, counts, out=means, where=counts > 0)
        return means.reshape(shape)
