"""Meta-evaluation: how well scores agree with people. Pure functions over arrays."""

from pfsm.evaluation.bootstrap import (
    CONFIDENCE,
    Estimate,
    Interval,
    MeanEstimate,
    bootstrap_interval,
    default_seed,
    percentile_interval,
    resampled_statistics,
)
from pfsm.evaluation.catalogue import Statistic, canonical, plain
from pfsm.evaluation.comparison import Comparison, PairResult, PooledCounts, SystemResult, compare_systems
from pfsm.evaluation.correlation import (
    WilliamsTest,
    kendall_tau_b,
    mean_removed,
    mean_removed_pearson,
    pearson,
    spearman,
    weighted_pearson,
    williams_test,
)
from pfsm.evaluation.engine import Difference, Estimates, PairedTest, compare, estimate, holm, paired_p_value
from pfsm.evaluation.king import human_acceptability, king
from pfsm.evaluation.pooled import (
    PooledScores,
    TranslatedDocuments,
    pooled_scores,
    translated_documents,
)
from pfsm.evaluation.preference import (
    BestAccuracy,
    PairwiseJudgments,
    PreferenceCounts,
    best_accuracy,
    pairwise_judgments,
    preference_counts,
    random_accuracy,
)
from pfsm.evaluation.questions import Question, absolute_question, preference_question, question_of_scores
from pfsm.evaluation.segment_pairs import (
    PairCounts,
    TieCalibration,
    accuracy_with_ties,
    calibrate_ties,
    pair_counts,
    wmt_kendall,
)
from pfsm.evaluation.significance import paired_bootstrap_correlations, perm_both
from pfsm.evaluation.systems import soft_pairwise_accuracy, system_pairwise_accuracy, system_scores

__all__ = [
    "CONFIDENCE",
    "BestAccuracy",
    "Comparison",
    "Difference",
    "Estimate",
    "Estimates",
    "Interval",
    "MeanEstimate",
    "PairCounts",
    "PairResult",
    "PairedTest",
    "PairwiseJudgments",
    "PooledCounts",
    "PooledScores",
    "PreferenceCounts",
    "Question",
    "Statistic",
    "SystemResult",
    "TieCalibration",
    "TranslatedDocuments",
    "WilliamsTest",
    "absolute_question",
    "accuracy_with_ties",
    "best_accuracy",
    "bootstrap_interval",
    "calibrate_ties",
    "canonical",
    "compare",
    "compare_systems",
    "default_seed",
    "estimate",
    "holm",
    "human_acceptability",
    "kendall_tau_b",
    "king",
    "mean_removed",
    "mean_removed_pearson",
    "pair_counts",
    "paired_bootstrap_correlations",
    "paired_p_value",
    "pairwise_judgments",
    "pearson",
    "percentile_interval",
    "perm_both",
    "plain",
    "pooled_scores",
    "preference_counts",
    "preference_question",
    "question_of_scores",
    "random_accuracy",
    "resampled_statistics",
    "soft_pairwise_accuracy",
    "spearman",
    "system_pairwise_accuracy",
    "system_scores",
    "translated_documents",
    "weighted_pearson",
    "williams_test",
    "wmt_kendall",
]
