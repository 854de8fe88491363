"""Is one metric closer to people than another? The paired bootstrap of any statistic, from arrays of scores."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from pfsm.evaluation.bootstrap import CONFIDENCE, check_bootstrap
from pfsm.evaluation.catalogue import named_statistic
from pfsm.evaluation.engine import PairedTest, compare
from pfsm.evaluation.measure import Names, finite_scores
from pfsm.evaluation.pooled import PooledScores, Scores
from pfsm.evaluation.questions import question_of_scores


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
