"""PERM-BOTH: a permutation test for two metrics' agreement with people (Deutsch, Dror and Roth 2021).

If the metrics agree with people equally well, it makes no difference which of them a score came from. So the scores
of a unit are swapped between the metrics or not, by a coin, and the difference of the statistic is taken anew (their
algorithm 2). Scores are standardised first, so that swapping mixes scores of one scale. Where the units are single
translations, each pair of system and input is swapped by itself, as the paper has it (hence *both*); segments are
swapped with all their translations, which are not independent.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pfsm.evaluation.bootstrap import Interval, default_seed
from pfsm.evaluation.catalogue import Statistic
from pfsm.evaluation.differences import MEAN, POOLED, Difference, PairedTest
from pfsm.evaluation.engine import Float, pooled_of_one
from pfsm.evaluation.measure import Items, Measure
from pfsm.evaluation.pooled import Scores, segment_scores
from pfsm.evaluation.questions import Question
from pfsm.evaluation.samples import count_ids, group_seed

NAME = "PERM-BOTH"
_BLOCK = 1 << 18
_NO_INTERVAL = Interval(math.nan, math.nan)


def permutation_test(
    question: Question[Items],
    metric_a: Scores,
    metric_b: Scores,
    statistic: Statistic[Items],
    n_permutations: int = 1000,
    seed: int | None = None,
) -> PairedTest:
    """The test in every group, for the mean over the groups, and over all items together.

    ``p = (c + 1) / (n + 1)``, c being the number of permutations whose difference lies at least as far from 0
    as the observed one; a permutation without the statistic counts among them.

    Args:
        question: The human side; its units are what is swapped.
        metric_a: The first metric's scores of the data's rows, float64 [n].
        metric_b: The second's.
        statistic: As in `pfsm.evaluation.engine.compare`.
        n_permutations: At least 1.
        seed: `default_seed` where it is None.

    Raises:
        ValueError: If there are no permutations, or the statistic needs what the question has not.
        PfsmError: If the seed is None and PFSM_SEED is no seed, or the question is about systems and a metric pools
            counts: those of different metrics cannot be swapped.
    """
    if n_permutations < 1:
        raise ValueError(f"n_permutations is {n_permutations}, at least 1 is needed")
    seed = default_seed() if seed is None else seed
    sides = [segment_scores(question.scores(metric)) for metric in (metric_a, metric_b)]

    def tested(name: str, items: Items, a: Float, b: Float) -> tuple[Difference, Float]:
        """The result, and the differences of the permutations."""
        measure = statistic.bind(items)
        permuted = _permuted_differences(measure, items.units, a, b, n_permutations, group_seed(seed, name))
        # Of the scores as they are: a statistic in the metric's own units (a threshold) may depend on their scale.
        value_a, value_b = measure.value(a), measure.value(b)
        return _difference(name, len(items), value_a, value_b, permuted), permuted

    found = [
        tested(name, part, *(question.items.pick(side, question.members[name]) for side in sides))
        for name, part in question.parts.items()
    ]
    groups = tuple(group for group, _ in found)
    kept = [(group, permuted) for group, permuted in found if not math.isnan(group.difference)]
    pooled = tested(POOLED, question.items, *sides)[0] if question.pools_groups else None
    return PairedTest(
        NAME,
        statistic.name,
        groups,
        _mean(len(question.items), kept),
        pooled or pooled_of_one(question, groups),
        n_permutations,
        seed,
        math.nan,
    )


def _permuted_differences(
    measure: Measure,
    units: NDArray[np.int64],
    metric_a: Float,
    metric_b: Float,
    n_permutations: int,
    seed: tuple[int, int],
) -> Float:
    """float64 [n_permutations]: differences of the statistic with the scores of units swapped at random."""
    a, b = _standardised(metric_a), _standardised(metric_b)
    if math.isnan(measure.value(a) - measure.value(b)):
        return np.full(n_permutations, np.nan)
    generator = np.random.Generator(np.random.PCG64(seed))
    size = max(1, _BLOCK // a.size)
    blocks = []
    for start in range(0, n_permutations, size):
        coins = generator.integers(2, size=(min(size, n_permutations - start), count_ids(units)))
        swap = coins.astype(bool)[:, units]
        blocks.append(measure.values(np.where(swap, b, a)) - measure.values(np.where(swap, a, b)))
    return np.concatenate(blocks)


def _standardised(scores: Float) -> Float:
    """Scores of mean 0 and standard deviation 1; of a constant, zeros."""
    deviations = scores - scores[:1]
    deviations = deviations - deviations.mean() if deviations.size else deviations
    spread = float(deviations.std()) if deviations.size else 0.0
    return deviations / spread if spread > 0.0 else np.zeros_like(scores)


def _mean(n: int, groups: Sequence[tuple[Difference, Float]]) -> Difference:
    if not groups:
        return Difference(MEAN, n, math.nan, math.nan, math.nan, _NO_INTERVAL, math.nan)
    a = float(np.mean([group.value_a for group, _ in groups]))
    b = float(np.mean([group.value_b for group, _ in groups]))
    return _difference(MEAN, n, a, b, np.mean([permuted for _, permuted in groups], axis=0))


def _difference(name: str, n: int, a: float, b: float, permuted: Float) -> Difference:
    return Difference(name, n, a, b, a - b, _NO_INTERVAL, _p_value(permuted, a - b))


def _p_value(permuted: Float, difference: float) -> float:
    if math.isnan(difference):
        return math.nan
    # Equal statistics of different permutations may differ by a rounding error.
    short = int(np.count_nonzero(np.abs(permuted) < abs(difference) - 1e-12))
    return (permuted.size - short + 1) / (permuted.size + 1)
