"""PERM-BOTH: a permutation test for two metrics' agreement with people (Deutsch, Dror and Roth 2021).

If the metrics agree with people equally well, it makes no difference which of them a score came from. So the scores
of a unit are swapped between the metrics or not, by a coin, and the difference of the statistic is taken anew (their
algorithm 2). Scores are standardised first, so that swapping mixes scores of one scale, unless the statistic is in the
metric's own units: then both metrics' scores are taken to be on one scale as they are. Where the units are single
translations, each pair of system and input is swapped by itself, as the paper has it (hence *both*); segments are
swapped with all their translations, which are not independent.

Is one metric closer to people than another? Three tests for two metrics' scores of the same items, as arrays.

* `paired_bootstrap_correlations`: any statistic, in every group, for the mean over groups, and pooled; with an
  interval of the difference.
* `perm_both`: the same, by permutation (Deutsch et al. 2021); the test in use at the WMT metrics task.
* `williams_test`: Pearson's r of independent items, from three correlations alone (Graham and Baldwin 2014).
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pfsm.arrays import Float
from pfsm.evaluation.bootstrap import (
    CONFIDENCE,
    Interval,
    check_bootstrap,
    count_ids,
    default_seed,
    group_seed,
)
from pfsm.evaluation.catalogue import Statistic, named_statistic
from pfsm.evaluation.correlation import pearson, williams_test
from pfsm.evaluation.engine import MEAN, POOLED, Difference, PairedTest, compare, pooled_of_one
from pfsm.evaluation.measure import Items, Measure, Names, finite_scores
from pfsm.evaluation.pooled import PooledScores, Scores, segment_scores
from pfsm.evaluation.questions import Question, question_of_scores

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
    """
    if n_permutations < 1:
        raise ValueError(f"n_permutations is {n_permutations}, at least 1 is needed")
    seed = default_seed() if seed is None else seed
    sides = [segment_scores(question.scores(metric)) for metric in (metric_a, metric_b)]

    def tested(name: str, items: Items, a: Float, b: Float) -> tuple[Difference, Float]:
        """The result, and the differences of the permutations."""
        measure = statistic.bind(items)
        value_a, value_b = measure.value(a), measure.value(b)
        alike = [_standardised(side) for side in (a, b)]
        scale_free = statistic.scale_free
        if scale_free is None:
            values = [measure.value(side) for side in alike]
            scale_free = np.allclose(values, [value_a, value_b], rtol=1e-6, atol=1e-9, equal_nan=True)
        one, other = alike if scale_free else (a, b)
        permuted = _permuted_differences(
            measure, items.units, one, other, n_permutations, group_seed(seed, name)
        )
        return _difference(name, len(items), value_a, value_b, permuted), permuted

    found = [
        tested(name, part, *(segment_scores(question.part_scores(side, name)) for side in sides))
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
    a: Float,
    b: Float,
    n_permutations: int,
    seed: tuple[int, int],
) -> Float:
    """float64 [n_permutations]: differences of the statistic with the scores of units swapped at random."""
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


def paired_bootstrap_correlations(
    human: ArrayLike,
    metric_a: ArrayLike | PooledScores,
    metric_b: ArrayLike | PooledScores,
    groups: Sequence[str] | None = None,
    statistic: str = "pearson",
    n_resamples: int = 1000,
    seed: int | None = None,
    confidence: float = CONFIDENCE,
    *,
    segments: Names | None = None,
    systems: Names | None = None,
    lengths: ArrayLike | None = None,
    level: str = "segment",
    resample: str | None = None,
) -> PairedTest:
    """Test the difference of two metrics' correlations with people on the same items.

    Items are drawn within their group; by whole segments where segments are given, else one by one. The
    resampled differences, centred on their own mean, stand for what chance alone does, as in
    `pfsm.evaluation.compare_systems`.

    Args:
        human: float64 [n], finite, higher is better.
        metric_a: float64 [n], finite; at system level also `pfsm.evaluation.PooledScores`.
        metric_b: Likewise.
        groups: [n], names of the groups (language pairs, sets); one group "all" where it is None.
        statistic: A name from `catalogue.BY_LEVEL`, at the level.
        n_resamples: At least 1.
        seed: Of the resamples; `default_seed` where it is None.
        confidence: Of the percentile intervals, between 0 and 1.
        segments: [n], names or numbers; give them wherever a segment has several translations.
        systems: [n], names or numbers; for the system level.
        lengths: float64 [n], for length-weighted statistics.
        level: "segment" or "system".
        resample: "segments", "judgments" or "systems", as in `questions.question_of_scores`.

    Returns:
        The test in every group, for the mean and for all items.

    Raises:
        ValueError: If lengths differ, a score is not finite, there is no such statistic or level, it needs
            what is not given, or a number is out of its range.
        PfsmError: If the seed is None and PFSM_SEED is not a seed.
    """
    check_bootstrap(n_resamples, confidence)
    chosen = named_statistic(statistic, level)
    question = question_of_scores(human, groups, segments, systems, lengths, level=level, resample=resample)
    one, other = (_checked(scores, len(question.items)) for scores in (metric_a, metric_b))
    return compare(question, one, other, [chosen], n_resamples, seed, confidence)[chosen.name]


def _checked(scores: ArrayLike | PooledScores, n: int) -> Scores:
    if not isinstance(scores, PooledScores):
        return finite_scores(scores, n)
    if len(scores) != n or not np.isfinite(scores.statistics).all():
        raise ValueError(f"{n} rows of finite statistics are needed")
    return scores


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
    resample: str | None = None,
) -> PairedTest:
    """PERM-BOTH for the difference of two metrics on the same translations.

    Args:
        human: float64 [n], finite, higher is better. A matrix of systems and segments is given flat, with who
            and what each score is of; cells without a judgment are simply not there.
        metric_a: float64 [n], finite.
        metric_b: float64 [n], finite.
        segments: [n], names or numbers; segments are swapped with all their translations.
        systems: [n], names or numbers; statistics of the system level need them.
        statistic: As in `paired_bootstrap_correlations`.
        n_permutations: At least 1.
        seed: `default_seed` where it is None.
        groups: [n], as in `paired_bootstrap_correlations`; scores are standardised within their group.
        lengths: float64 [n], for length-weighted statistics.
        level: "segment" or "system".
        resample: What is swapped together, as in `paired_bootstrap_correlations`; "judgments" swaps each translation
            by itself, as in the paper.

    Returns:
        The result, without intervals. Its values are those of the scores as given.

    Raises:
        ValueError: As `paired_bootstrap_correlations` does.
        PfsmError: If the seed is None and PFSM_SEED is not a seed.
    """
    chosen = named_statistic(statistic, level)
    question = question_of_scores(human, groups, segments, systems, lengths, level=level, resample=resample)
    one, other = (finite_scores(scores, len(question.items)) for scores in (metric_a, metric_b))
    return permutation_test(question, one, other, chosen, n_permutations, seed)


def williams_p_values(question: Question[Items], metric_a: Float, metric_b: Float) -> dict[str, float] | None:
    """Williams' test of two metrics' Pearson correlations in every group.

    Args:
        question: About translations of segments.
        metric_a: float64 [n].
        metric_b: float64 [n].

    Returns:
        Group -> two-sided p-value; NaN where it is undefined. None where the items are not independent: some are
        resampled together.
    """
    if count_ids(question.items.units) < len(question.items):
        return None
    found = {}
    for name, rows in question.members.items():
        human, a, b = question.items.human[rows], metric_a[rows], metric_b[rows]
        correlations = (pearson(human, a), pearson(human, b), pearson(a, b))
        defined = rows.size >= 4 and not np.isnan(correlations).any()
        found[name] = williams_test(*correlations, rows.size).p_value if defined else math.nan
    return found
