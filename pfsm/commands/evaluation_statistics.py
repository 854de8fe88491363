"""Estimates and tests of ``pfsm evaluate`` as plain values, for JSON and for tables."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.evaluation import Difference, Estimate, MeanEstimate, PairedTest, compare, estimate
from pfsm.evaluation.catalogue import SEGMENT, SYSTEM, Statistic
from pfsm.evaluation.comparison import interval_entry, number
from pfsm.evaluation.pooled import Scores, segment_scores
from pfsm.evaluation.questions import CORRELATION, Question
from pfsm.evaluation.significance import permutation_test, williams_p_values

BOOTSTRAP, PERM_BOTH = "bootstrap", "perm-both"


def statistics_document(
    question: Question[Any], statistics: Sequence[Statistic[Any]], metric: Scores, n_resamples: int, seed: int
) -> dict[str, Any]:
    """Every statistic in every group, with intervals, and the means; undefined numbers are null.

    Args:
        question: The human side.
        statistics: What to measure.
        metric: The metric's scores, as `pfsm.evaluation.estimate` takes them.
        n_resamples: Of each group.
        seed: Of the resamples.
    """
    found = estimate(question, metric, statistics, n_resamples, seed)
    return {
        "level": question.level,
        "resampled": question.unit,
        "groups": [
            {"group": name, "n": rows.size}
            | _number_of_systems(question, rows)
            | {one.key: estimate_entry(found[one.name].groups[name]) for one in statistics}
            for name, rows in question.members.items()
        ],
        "mean": {one.key: estimate_entry(found[one.name].mean) for one in statistics},
    }


def _number_of_systems(question: Question[Any], rows: NDArray[np.int64]) -> dict[str, int]:
    """How many systems a statistic of systems compares."""
    systems = getattr(question.items, "systems", None) if question.level == SYSTEM else None
    return {} if systems is None else {"systems": int(np.unique(np.asarray(systems)[rows]).size)}


def versus_document(
    question: Question[Any],
    statistics: Sequence[Statistic[Any]],
    metrics: tuple[Scores, Scores],
    test: str,
    n_resamples: int,
    seed: int,
) -> dict[str, Any]:
    """The difference of every statistic in every group, of the means, and over all items; with p-values.

    Args:
        question: The human side.
        statistics: What to measure.
        metrics: Scores of the metric, and of the one that it is compared with.
        test: `BOOTSTRAP` or `PERM_BOTH`.
        n_resamples: Resamples, or permutations.
        seed: Of either.
    """
    chosen = [statistic for statistic in statistics if statistic.of_metric]
    if test == PERM_BOTH:
        found = {one.name: permutation_test(question, *metrics, one, n_resamples, seed) for one in chosen}
    else:
        found = compare(question, *metrics, chosen, n_resamples, seed)
    document: dict[str, Any] = {"unit": question.unit}
    for statistic in chosen:
        entry = document[statistic.key] = test_entry(found[statistic.name])
        if (question.kind, question.level, statistic.name) == (CORRELATION, SEGMENT, "pearson"):
            p_values = williams_p_values(question, *map(segment_scores, metrics))
            for group in entry["groups"]:
                if p_values is not None:
                    group["williams_p"] = number(p_values[group["group"]])
    return document


def test_entry(result: PairedTest) -> dict[str, Any]:
    """A test's groups, mean and pooled result as plain values."""
    entry: dict[str, Any] = {
        "groups": [{"group": group.name, **_difference(group)} for group in result.groups],
        "mean": _difference(result.mean),
    }
    if result.pooled is not None:
        entry["pooled"] = _difference(result.pooled)
    return entry


def _difference(result: Difference) -> dict[str, Any]:
    return {
        "n": result.n,
        "value": number(result.value_a),
        "versus": number(result.value_b),
        "difference": number(result.difference),
        "interval": interval_entry(result.interval),
        "p_value": number(result.p_value),
    }


def estimate_entry(found: Estimate | MeanEstimate) -> dict[str, Any]:
    """A value, its interval, and what else is to be said of it, as the document has them."""
    entry: dict[str, Any] = {"value": number(found.value), "interval": interval_entry(found.interval)}
    if isinstance(found, MeanEstimate):
        return entry | ({"left_out": list(found.left_out)} if found.left_out else {})
    return entry | {name: number(value) for name, value in found.remarks.items()}
