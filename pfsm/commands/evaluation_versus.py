"""Whether the metric is closer to people than another one: the tests of ``pfsm evaluate --versus``."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.commands.evaluation_statistics import CONFIDENCE, Data, Task, interval_entry, key, number
from pfsm.evaluation.catalogue import Named
from pfsm.evaluation.correlation import pearson
from pfsm.evaluation.measure import Items
from pfsm.evaluation.samples import group_members
from pfsm.evaluation.significance import (
    Contest,
    Difference,
    PairedTest,
    paired_bootstrap,
    permutation_test,
    williams_test,
)

BOOTSTRAP, PERM_BOTH = "bootstrap", "perm-both"


def versus_document(
    task: Task[Data],
    metric: NDArray[np.float64],
    other: NDArray[np.float64],
    test: str,
    n_resamples: int,
    seed: int,
) -> dict[str, Any]:
    """The difference of every statistic in every group, of the means, and over all items; with p-values.

    Args:
        task: What to measure.
        metric: The metric's scores of the data's rows, float64 [n], of preferences [n, 2].
        other: Those of the metric it is held against.
        test: `BOOTSTRAP` or `PERM_BOTH`.
        n_resamples: Resamples, or permutations.
        seed: Of either.
    """
    metric, other = task.scores(metric), task.scores(other)
    members = group_members(task.groups, len(task.items))
    document: dict[str, Any] = {"unit": "scores" if test == PERM_BOTH else task.unit}
    for statistic in task.statistics:
        if not statistic.of_metric:
            continue
        contests = {
            name: Contest(statistic.bind(task.items.select(rows)), metric[rows], other[rows])
            for name, rows in members.items()
        }
        pooled = None if task.level == "system" else Contest(statistic.bind(task.items), metric, other)
        if test == PERM_BOTH:
            result = permutation_test(contests, pooled, statistic.name, n_resamples, seed)
        else:
            result = paired_bootstrap(contests, pooled, statistic.name, n_resamples, seed, CONFIDENCE)
        entry = test_entry(result)
        if _williams_applies(task, statistic):
            for group, rows in zip(entry["groups"], members.values(), strict=True):
                group["williams_p"] = _williams(task.items, rows, metric, other)
        document[key(statistic.name)] = entry
    return document


def _williams_applies(task: Task[Data], statistic: Named[Data]) -> bool:
    """Whether items are independent: no two translations are known to be of one segment."""
    items = task.items
    if not isinstance(items, Items) or task.level != "segment" or statistic.name != "pearson":
        return False
    return items.segments is None or int(items.segments.max(initial=-1)) + 1 == len(items)


def _williams(
    items: Any, rows: NDArray[np.int64], metric: NDArray[np.float64], other: NDArray[np.float64]
) -> float | None:
    if rows.size < 4:
        return None
    human = items.human[rows]
    correlations = (
        pearson(human, metric[rows]),
        pearson(human, other[rows]),
        pearson(metric[rows], other[rows]),
    )
    if any(np.isnan(correlations)):
        return None
    return number(williams_test(*correlations, rows.size).p_value)


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
