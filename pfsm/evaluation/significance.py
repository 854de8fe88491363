"""Is one metric closer to people than another? Three tests for two metrics' scores of the same items, as arrays.

* `paired_bootstrap_correlations`: any statistic, in every group, for the mean over groups, and pooled; with an
  interval of the difference.
* `perm_both`: the same, by permutation (Deutsch et al. 2021); the test in use at the WMT metrics task.
* `williams_test`: Pearson's r of independent items, from three correlations alone (Graham and Baldwin 2014).
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from pfsm.evaluation.bootstrap import CONFIDENCE, check_bootstrap
from pfsm.evaluation.catalogue import named_statistic
from pfsm.evaluation.correlation import pearson
from pfsm.evaluation.differences import PairedTest
from pfsm.evaluation.engine import Float, compare
from pfsm.evaluation.measure import Items, Names, finite_scores
from pfsm.evaluation.permutation import permutation_test
from pfsm.evaluation.pooled import PooledScores, Scores
from pfsm.evaluation.questions import Question, question_of_scores
from pfsm.evaluation.samples import count_ids
from pfsm.evaluation.williams import WilliamsTest, williams_test

__all__ = ["WilliamsTest", "paired_bootstrap_correlations", "perm_both", "williams_p_values", "williams_test"]


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

    Raises:
        ValueError: If lengths differ, a score is not finite, there is no such statistic or level, it needs
            what is not given, or a number is out of its range.
        PfsmError: If the seed is None and PFSM_SEED is no seed.
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
        PfsmError: If the seed is None and PFSM_SEED is no seed.
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
    human = question.items.human
    return {
        name: _williams(human[rows], metric_a[rows], metric_b[rows])
        for name, rows in question.members.items()
    }


def _williams(human: Float, a: Float, b: Float) -> float:
    correlations = (pearson(human, a), pearson(human, b), pearson(a, b))
    if human.size < 4 or np.isnan(correlations).any():
        return float("nan")
    return williams_test(*correlations, human.size).p_value
