"""PERM-BOTH: a permutation test for two metrics' agreement with people (Deutsch, Dror and Roth 2021).

If the metrics agree with people equally well, it makes no difference which of them a score came from. So every
score of a translation, for each pair of system and input by itself (hence *both*), is swapped between the
metrics or not, by a coin, and the difference of the statistic is taken anew (their algorithm 2). Scores are
standardised first, so that swapping mixes scores of one scale.
"""

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pfsm.evaluation.bootstrap import Interval, default_seed
from pfsm.evaluation.measure import Names, scored_items, values_of
from pfsm.evaluation.paired_bootstrap import (
    POOLED,
    Contest,
    Difference,
    PairedTest,
    contests_of_items,
    named_statistic,
    pooled_difference,
)
from pfsm.evaluation.samples import group_seed


def perm_both(
    human: ArrayLike,
    metric_a: ArrayLike,
    metric_b: ArrayLike,
    segments: Names | None = None,
    systems: Names | None = None,
    statistic: str = "pearson",
    n_permutations: int = 1000,
    seed: int | None = None,
    *,
    groups: Sequence[str] | None = None,
    lengths: ArrayLike | None = None,
    level: str = "segment",
) -> PairedTest:
    """PERM-BOTH for the difference of two metrics on the same translations.

    Args:
        human: float64 [n], finite, higher is better. A matrix of systems and segments is given flat, with who
            and what each score is of; cells without a judgment are simply not there.
        metric_a: float64 [n], finite.
        metric_b: float64 [n], finite.
        segments: [n], names or numbers; statistics within segments need them.
        systems: [n], names or numbers; statistics of the system level need them.
        statistic: A name from `catalogue.SEGMENT_LEVEL`, or `SYSTEM_LEVEL` where that is the level.
        n_permutations: At least 1.
        seed: `default_seed` where it is None.
        groups: [n], as in `paired_bootstrap_correlations`; scores are standardised within their group.
        lengths: float64 [n], for length-weighted statistics.
        level: "segment" or "system".

    Returns:
        The result, without intervals. Its values are those of the scores as given.

    Raises:
        ValueError: As `paired_bootstrap_correlations` does.
        PfsmError: If the seed is None and PFSM_SEED is no seed.
    """
    items = scored_items(human, segments, systems, lengths)
    contests, pooled = contests_of_items(
        named_statistic(statistic, level), items, (metric_a, metric_b), groups
    )
    return permutation_test(contests, pooled, statistic, n_permutations, seed)


def permutation_test(
    contests: Mapping[str, Contest],
    pooled: Contest | None,
    statistic: str,
    n_permutations: int = 1000,
    seed: int | None = None,
) -> PairedTest:
    """The test behind `perm_both`, for any measure; arguments as in `paired_bootstrap`.

    ``p = (c + 1) / (n + 1)``, c being the number of permutations whose difference lies at least as far from 0
    as the observed one; a permutation without the statistic counts among them.

    Raises:
        ValueError: If there are no permutations.
        PfsmError: If the seed is None and PFSM_SEED is no seed.
    """
    if n_permutations < 1:
        raise ValueError(f"n_permutations is {n_permutations}, at least 1 is needed")
    seed = default_seed() if seed is None else seed

    def permuted_of(name: str, contest: Contest) -> NDArray[np.float64]:
        return _permuted_differences(contest, n_permutations, group_seed(seed, name))

    permuted = {name: permuted_of(name, contest) for name, contest in contests.items()}
    groups = tuple(_difference(name, contest, permuted[name]) for name, contest in contests.items())
    kept = [group for group in groups if not math.isnan(group.difference)]
    n = sum(contest.n for contest in contests.values())
    return PairedTest(
        "PERM-BOTH",
        statistic,
        groups,
        _mean(n, kept, [permuted[group.name] for group in kept]),
        pooled_difference(
            groups, pooled, lambda whole: _difference(POOLED, whole, permuted_of(POOLED, whole))
        ),
        n_permutations,
        seed,
        math.nan,
    )


def _permuted_differences(
    contest: Contest, n_permutations: int, seed: tuple[int, int]
) -> NDArray[np.float64]:
    """float64 [n_permutations]: differences of the statistic with scores swapped at random."""
    a, b = _standardised(contest.metric_a), _standardised(contest.metric_b)
    measure = contest.measure
    if math.isnan(measure.value(a) - measure.value(b)):
        return np.full(n_permutations, np.nan)
    generator = np.random.Generator(np.random.PCG64(seed))
    size = max(1, _BLOCK // a.size)
    blocks = []
    for start in range(0, n_permutations, size):
        swap = generator.integers(2, size=(min(size, n_permutations - start), *a.shape)).astype(bool)
        blocks.append(values_of(measure, np.where(swap, b, a)) - values_of(measure, np.where(swap, a, b)))
    return np.concatenate(blocks)


_BLOCK = 1 << 18


def _standardised(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scores of mean 0 and standard deviation 1; of a constant, zeros."""
    deviations = scores - scores[:1]
    deviations = deviations - deviations.mean() if deviations.size else deviations
    spread = float(deviations.std()) if deviations.size else 0.0
    return deviations / spread if spread > 0.0 else np.zeros_like(scores)


_NO_INTERVAL = Interval(math.nan, math.nan)


def _difference(name: str, contest: Contest, permuted: NDArray[np.float64]) -> Difference:
    # Of the scores as they are: a statistic in the metric's own units (a threshold) may depend on their scale.
    a, b = contest.measure.value(contest.metric_a), contest.measure.value(contest.metric_b)
    return Difference(name, contest.n, a, b, a - b, _NO_INTERVAL, _p_value(permuted, a - b))


def _mean(n: int, groups: Sequence[Difference], permuted: Sequence[NDArray[np.float64]]) -> Difference:
    if not groups:
        return Difference("mean", n, math.nan, math.nan, math.nan, _NO_INTERVAL, math.nan)
    a = float(np.mean([group.value_a for group in groups]))
    b = float(np.mean([group.value_b for group in groups]))
    return Difference("mean", n, a, b, a - b, _NO_INTERVAL, _p_value(np.mean(permuted, axis=0), a - b))


def _p_value(permuted: NDArray[np.float64], difference: float) -> float:
    if math.isnan(difference):
        return math.nan
    # Equal statistics of different permutations may differ by a rounding error.
    short = int(np.count_nonzero(np.abs(permuted) < abs(difference) - 1e-12))
    return (permuted.size - short + 1) / (permuted.size + 1)
