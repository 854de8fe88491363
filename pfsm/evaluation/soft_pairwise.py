"""Soft pairwise accuracy: a metric should be as sure as people are about which system is better.

``SPA = 1 - mean |p_human - p_metric|`` over the pairs of systems, p being the one-sided p-value of a paired
permutation test over segments (Thompson, Mathur, Deutsch and Khayrallah 2024). Where people cannot tell two
systems apart, a metric need not either.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pfsm.evaluation.bootstrap import Seed, default_seed
from pfsm.evaluation.correlation import paired_scores
from pfsm.evaluation.measure import Items, Measure, Names, OfTimes, scored_items
from pfsm.evaluation.samples import count_ids
from pfsm.evaluation.system_level import pair_indices, system_ids

N_PERMUTATIONS = 1000
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
        seed: Of the permutations; `default_seed` where it is None.

    Returns:
        A number in [0, 1]; NaN where no two systems share a segment.

    Raises:
        ValueError: If lengths differ, a score is not finite, or there are no permutations.
        PfsmError: If the seed is None and PFSM_SEED is no seed.
    """
    human, metric = paired_scores(human, metric)
    items = scored_items(human, segments, systems)
    return SoftPairwiseAccuracy(items, n_permutations, seed).value(metric)


def permutation_p_values(
    scores: NDArray[np.float64], n_permutations: int = N_PERMUTATIONS, seed: Seed = None
) -> NDArray[np.float64]:
    """One-sided p-values of paired permutation tests between systems (Thompson et al. 2024, section 3.2).

    On every segment the two systems' scores are swapped or not, by a coin; p is the share of permutations in
    which the first leads by at least what it did. Equal leads count half, so that p for (a, b) and (b, a) add
    up to 1 and the order of the systems makes no difference.

    Args:
        scores: float64 [n_systems, n_segments]; NaN where a system has no score.
        n_permutations: At least 1.
        seed: As in `bootstrap_interval`; the swaps are the same for every pair.

    Returns:
        float64 [n_systems (n_systems - 1) / 2], pairs in the order of `itertools.combinations`; NaN for a pair
        without common segments.

    Raises:
        ValueError: If there are no permutations.
    """
    if n_permutations < 1:
        raise ValueError(f"n_permutations is {n_permutations}, at least 1 is needed")
    first, second = pair_indices(len(scores))
    differences = scores[first] - scores[second]
    common = ~np.isnan(differences)
    differences = np.where(common, differences, 0.0)
    leads = differences.sum(axis=1)
    slack = 1e-12 * np.abs(differences).sum(axis=1)
    generator = np.random.Generator(np.random.PCG64(default_seed() if seed is None else seed))
    ahead = np.zeros(leads.size)
    size = max(1, _BLOCK // max(1, scores.shape[1]))
    for start in range(0, n_permutations, size):
        block = min(size, n_permutations - start)
        signs = 2.0 * generator.integers(2, size=(block, scores.shape[1])) - 1.0
        permuted = signs @ differences.T - leads
        ahead += (permuted > slack).sum(axis=0) + 0.5 * (np.abs(permuted) <= slack).sum(axis=0)
    p_values: NDArray[np.float64] = np.where(common.any(axis=1), ahead / n_permutations, np.nan)
    return p_values


@dataclass(frozen=True, eq=False)
class SoftPairwiseAccuracy(Measure):
    """Soft pairwise accuracy as a measure; it has no bootstrap, being made of tests itself.

    Its permutations have a seed of their own, `default_seed` where it is None: whatever resamples or permutes
    the measure, its value for the same scores stays the same.
    """

    items: Items
    n_permutations: int = N_PERMUTATIONS
    seed: int | None = None

    @property
    def n_units(self) -> int:
        """As `Measure.n_units`."""
        return count_ids(self.items.units)

    def value(self, metric: NDArray[np.float64]) -> float:
        """As `Measure.value`."""
        people, machine = (
            permutation_p_values(self._matrix(scores), self.n_permutations, self.seed)
            for scores in (self.items.human, metric)
        )
        errors = np.abs(people - machine)
        errors = errors[~np.isnan(errors)]
        return float(1.0 - errors.mean()) if errors.size else float("nan")

    def resampler(self, metric: NDArray[np.float64]) -> OfTimes:
        """NaN throughout: every resample would need its own permutations."""
        del metric
        return lambda times: np.full(len(times), np.nan)

    def _matrix(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """float64 [n_systems, n_segments]: mean score of each translation; NaN where there is none."""
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
