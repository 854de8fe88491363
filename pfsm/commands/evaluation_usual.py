"""The tables that ``pfsm evaluate`` prints where no statistics are asked for."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.commands.evaluation_inputs import Inputs, group_names, segment_ids
from pfsm.commands.evaluation_statistics import estimate_entry
from pfsm.data import Judgments, Preferences
from pfsm.evaluation import (
    GroupEvaluation,
    PreferenceGroupEvaluation,
    evaluate_groups,
    evaluate_preference_groups,
)

HEADINGS = {
    "pearson": "Pearson r",
    "spearman": "Spearman rho",
    "kendall_tau_b": "Kendall tau-b",
    "accuracy": "accuracy",
    "kendall_tau": "Kendall tau",
}


def usual_correlation(
    inputs: Inputs, data: Judgments, metric: NDArray[np.float64], n_resamples: int, seed: int
) -> dict[str, Any]:
    """Pearson's, Spearman's and Kendall's correlation with absolute scores, judgments drawn one by one."""
    groups = group_names(data, inputs.by)
    result = evaluate_groups(metric, data.scores, groups, n_resamples=n_resamples, seed=seed)
    return _document(result, ("pearson", "spearman", "kendall_tau_b"))


def usual_preference(
    inputs: Inputs, data: Preferences, metric: NDArray[np.float64], tau: str, n_resamples: int, seed: int
) -> dict[str, Any]:
    """Accuracy and a Kendall's tau of preferences; segments are drawn where the files tell them."""
    better, worse = metric.T
    segments = segment_ids(data, inputs.pairwise_tables)
    result = evaluate_preference_groups(
        better,
        worse,
        group_names(data, inputs.by),
        data.votes,
        n_resamples=n_resamples,
        seed=seed,
        segments=segments,
    )
    document = _document(result, ("accuracy", f"tau_{tau}"))
    for group, entry in zip(result.groups, document["groups"], strict=True):
        counts = group.counts
        entry |= {"concordant": counts.concordant, "discordant": counts.discordant, "ties": counts.ties}
    for entry in (*document["groups"], document["mean"]):
        entry["kendall_tau"] = entry.pop(f"tau_{tau}")
    return {"tau": tau, "resampled": "pairs" if segments is None else "segments", **document}


def _document(
    result: GroupEvaluation | PreferenceGroupEvaluation, statistics: Sequence[str]
) -> dict[str, Any]:
    """Groups and means as plain values; undefined numbers are null."""
    groups = [
        {
            "group": group.name,
            "n": group.n,
            **{name: estimate_entry(getattr(group, name)) for name in statistics},
        }
        for group in result.groups
    ]
    return {"groups": groups, "mean": {name: estimate_entry(getattr(result, name)) for name in statistics}}
