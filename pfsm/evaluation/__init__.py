"""Meta-evaluation: how well scores agree with people. Pure functions over arrays."""

from pfsm.evaluation.bootstrap import (
    Interval,
    bootstrap_interval,
    default_seed,
    percentile_interval,
    resampled_statistics,
)
from pfsm.evaluation.comparison import (
    Comparison,
    PairResult,
    SystemResult,
    compare_systems,
    holm,
    paired_p_value,
)
from pfsm.evaluation.correlation import kendall_tau_b, pearson, spearman
from pfsm.evaluation.groups import (
    Estimate,
    GroupEvaluation,
    GroupResult,
    MeanEstimate,
    PreferenceGroupEvaluation,
    PreferenceGroupResult,
    evaluate_groups,
    evaluate_preference_groups,
)
from pfsm.evaluation.preference import PreferenceCounts, preference_counts, preference_interval

__all__ = [
    "Comparison",
    "Estimate",
    "GroupEvaluation",
    "GroupResult",
    "Interval",
    "MeanEstimate",
    "PairResult",
    "PreferenceCounts",
    "PreferenceGroupEvaluation",
    "PreferenceGroupResult",
    "SystemResult",
    "bootstrap_interval",
    "compare_systems",
    "default_seed",
    "evaluate_groups",
    "evaluate_preference_groups",
    "holm",
    "kendall_tau_b",
    "paired_p_value",
    "pearson",
    "percentile_interval",
    "preference_counts",
    "preference_interval",
    "resampled_statistics",
    "spearman",
]
