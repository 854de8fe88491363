"""How well metrics agree with the human scores of the systems that they compare."""

from itertools import combinations
from typing import Any

import numpy as np

from pfsm.comparison.compared import Compared, Float, MetricResult
from pfsm.evaluation.comparison import number
from pfsm.evaluation.correlation import kendall_tau_b, pearson


def agreement(result: MetricResult, compared: Compared) -> list[dict[str, Any]] | None:
    """Correlations of segment scores with the human ones: of each system that was judged, then of all together.

    The last entry also counts the pairs of systems that people and metric order alike, by their means where both
    systems were judged; ties of people do not count. None without human scores.
    """
    human = compared.facts.human
    if not human:
        return None
    pairs = [
        (name, human[name], scores)
        for name, scores in zip(compared.systems, result.scores, strict=True)
        if name in human
    ]
    entries = [_correlations(name, judged, scores) for name, judged, scores in pairs]
    everything = [np.concatenate([pair[place] for pair in pairs]) for place in (1, 2)]
    return [*entries, _correlations(None, *everything) | _ordered(result, compared)]


def _correlations(name: str | None, human: Float, scores: Float) -> dict[str, Any]:
    judged = np.flatnonzero(~np.isnan(human))
    values = {
        "pearson": pearson(scores[judged], human[judged]),
        "kendall": kendall_tau_b(scores[judged], human[judged]),
    }
    return {"system": name, "n": int(judged.size), **{key: number(value) for key, value in values.items()}}


def _ordered(result: MetricResult, compared: Compared) -> dict[str, Any]:
    whole, human = result.comparison, compared.facts.human
    sign = -1.0 if whole.lower_is_better else 1.0
    scores = {system.name: sign * system.score for system in whole.systems}
    alike = []
    for one, other in combinations(human, 2):
        both = human[one] - human[other]
        people = np.nanmean(both) if not np.isnan(both).all() else 0.0
        if people:
            alike.append(bool((scores[one] - scores[other]) * people > 0.0))
    return {"ordered_alike": sum(alike), "ordered": len(alike)}
