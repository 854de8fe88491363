"""The engine: statistics of a question with their intervals, and two metrics compared.

Every number that is printed about agreement comes from here: `pfsm evaluate` with and without ``--statistics`` and
``--versus``, `pfsm compare` and experiments. A group's resamples depend on the seed, the group's name and what is
resampled, so equal questions have equal answers.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.errors import PfsmError
from pfsm.evaluation.bootstrap import CONFIDENCE, check_bootstrap, default_seed
from pfsm.evaluation.catalogue import MEAN as MEAN_SCORE
from pfsm.evaluation.catalogue import SYSTEM, Statistic
from pfsm.evaluation.differences import MEAN, POOLED, Difference, PairedTest, sample_difference
from pfsm.evaluation.measure import Items, Measure, resampled_together, units_of_parts
from pfsm.evaluation.pooled import PooledScores, Remembered, Scores
from pfsm.evaluation.questions import ONE_GROUP, Data, Question
from pfsm.evaluation.samples import (
    Estimate,
    MeanEstimate,
    Sample,
    group_seed,
    mean_of_groups,
    mean_sample,
)

Float = NDArray[np.float64]
BOOTSTRAP = "paired bootstrap"


@dataclass(frozen=True)
class Estimates:
    """A statistic in every group, by name, and its unweighted mean over the groups."""

    groups: Mapping[str, Estimate]
    mean: MeanEstimate


def estimate(
    question: Question[Data],
    metric: Scores,
    statistics: Sequence[Statistic[Data]],
    n_resamples: int = 1000,
    seed: int | None = None,
    confidence: float = CONFIDENCE,
) -> dict[str, Estimates]:
    """Statistics of a metric with bootstrap intervals.

    Args:
        question: The human side.
        metric: The metric's scores of the data's rows, float64 [n]; of preferences [n, 2]. About systems and documents
            also `PooledScores`.
        statistics: From the tables of `pfsm.evaluation.catalogue`, or one's own.
        n_resamples: Of each group, at least 1.
        seed: `default_seed` where it is None.
        confidence: Of the percentile intervals, between 0 and 1.

    Returns:
        Name of a statistic -> its estimates.

    Raises:
        ValueError: If a statistic needs what the question has not, or translations resampled together (`check_units`),
            or a number is out of its range.
        PfsmError: If the seed is None and PFSM_SEED is no seed.
    """
    check_bootstrap(n_resamples, confidence)
    seed = default_seed() if seed is None else seed
    scores = question.scores(metric)
    found = samples(question, metric, statistics, n_resamples, seed)
    return {
        statistic.name: Estimates(
            {
                name: replace(
                    sample.estimate(confidence), remarks=_remarks(question, scores, statistic, name)
                )
                for name, sample in found[statistic.name].items()
            },
            mean_of_groups(found[statistic.name], confidence),
        )
        for statistic in statistics
    }


def check_units(question: Question[Data], statistics: Iterable[Statistic[Any]]) -> None:
    """Finds out before long work whether statistics can be resampled as a question asks.

    Raises:
        PfsmError: If a statistic compares translations of one segment that are not resampled together.
    """
    items = question.items
    within = [statistic.name for statistic in statistics if "segments" in statistic.needs]
    # Systems are compared by sums over whatever is resampled.
    if not within or question.level == SYSTEM or not isinstance(items, Items) or items.segments is None:
        return
    if units_of_parts(items.segments, items.units) is None:
        raise PfsmError(
            f"{within[0]} compares translations of one segment, which resampling {question.unit} would tear apart; "
            "resample segments"
        )


def samples(
    question: Question[Data],
    metric: Scores,
    statistics: Sequence[Statistic[Data]],
    n_resamples: int,
    seed: int,
) -> dict[str, dict[str, Sample]]:
    """Statistics of a metric and of its resamples: name of the statistic -> group -> sample.

    Arguments and errors as in `estimate`; the scores may be NaN for items without a score, and a group that holds
    such an item has no value.
    """
    scores = question.scores(metric)
    of_groups = {
        name: samples_of(
            part,
            question.part_scores(scores, name),
            statistics,
            n_resamples,
            group_seed(seed, name),
        )
        for name, part in question.parts.items()
    }
    return {
        statistic.name: {name: found[place] for name, found in of_groups.items()}
        for place, statistic in enumerate(statistics)
    }


def samples_of(
    items: Data,
    metric: Scores,
    statistics: Sequence[Statistic[Data]],
    n_resamples: int,
    seed: tuple[int, int],
) -> list[Sample]:
    """Statistics of the items of one group, all from the same resamples.

    Args:
        items: The human side.
        metric: The metric's scores of the items; where one is NaN, so is all.
        statistics: As in `estimate`.
        n_resamples: At least 1.
        seed: From `group_seed`.
    """
    values = _values(metric)
    if isinstance(metric, PooledScores):
        metric = PooledScores(values, Remembered(metric.of_totals))
    if np.isnan(values).any():
        return [Sample(math.nan, np.full(n_resamples, np.nan)) for _ in statistics]
    measures = [_bound(statistic, items, metric) for statistic in statistics]
    resampled = resampled_together([(measure, values) for measure in measures], n_resamples, seed)
    return [Sample(measure.value(values), found) for measure, found in zip(measures, resampled, strict=True)]


def _values(metric: Scores) -> Float:
    """What a measure takes for a metric's scores."""
    return metric.statistics if isinstance(metric, PooledScores) else metric


def _bound(statistic: Statistic[Data], items: Data, metric: Scores) -> Measure:
    measure = statistic.bind(items)
    return measure.pooled(metric.of_totals) if isinstance(metric, PooledScores) else measure


def mean_samples(items: Items, scores: Sequence[Float], n_resamples: int, seed: int) -> list[Sample]:
    """Mean scores of several systems or metrics, whose resamples are the same."""
    return [
        samples_of(items, one, [MEAN_SCORE], n_resamples, group_seed(seed, ONE_GROUP))[0] for one in scores
    ]


def compare(
    question: Question[Data],
    metric_a: Scores,
    metric_b: Scores,
    statistics: Sequence[Statistic[Data]],
    n_resamples: int = 1000,
    seed: int | None = None,
    confidence: float = CONFIDENCE,
) -> dict[str, PairedTest]:
    """The paired bootstrap of two metrics, in every group, for the mean, and over all items together.

    The resampled differences, centred on their own mean, stand for what chance alone does. Arguments, results and
    errors as in `estimate`. Systems of different groups are not compared: at system level nothing is pooled.
    """
    check_bootstrap(n_resamples, confidence)
    seed = default_seed() if seed is None else seed
    sides = [samples(question, metric, statistics, n_resamples, seed) for metric in (metric_a, metric_b)]
    whole = [
        samples_of(question.items, scores, statistics, n_resamples, group_seed(seed, POOLED))
        for scores in map(question.scores, (metric_a, metric_b) if question.pools_groups else ())
    ]
    results = {}
    for place, statistic in enumerate(statistics):
        a, b = (side[statistic.name] for side in sides)
        groups = tuple(
            sample_difference(name, rows.size, a[name], b[name], confidence)
            for name, rows in question.members.items()
        )
        n = len(question.items)
        results[statistic.name] = PairedTest(
            BOOTSTRAP,
            statistic.name,
            groups,
            sample_difference(MEAN, n, *_means_of_both(a, b), confidence),
            sample_difference(POOLED, n, whole[0][place], whole[1][place], confidence)
            if whole
            else pooled_of_one(question, groups),
            n_resamples,
            seed,
            confidence,
        )
    return results


def pooled_of_one(question: Question[Data], groups: Sequence[Difference]) -> Difference | None:
    """The result over all items of a question whose groups are not pooled: that of the only group, if it has one."""
    if question.level == SYSTEM or len(groups) != 1:
        return None
    return replace(groups[0], name=POOLED)


def _means_of_both(a: Mapping[str, Sample], b: Mapping[str, Sample]) -> tuple[Sample, Sample]:
    """The means over the groups where both have the statistic."""
    both = [name for name in a if not math.isnan(a[name].value) and not math.isnan(b[name].value)]
    one, other = (mean_sample({name: side[name] for name in both})[0] for side in (a, b))
    return one, other


def _remarks(
    question: Question[Data], scores: Scores, statistic: Statistic[Data], group: str
) -> Mapping[str, float | bool]:
    metric = question.part_scores(scores, group)
    values = _values(metric)
    if np.isnan(values).any():
        return {}
    return _bound(statistic, question.parts[group], metric).remarks(values)
