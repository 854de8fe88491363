"""Pairs that are at hand, scored on a cluster: text goes out in parts, numbers come back.

Minimum Bayes risk on a cluster: candidates go out source by source, choices come back.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from typing import Any

import numpy as np

from pfsm.arrays import Float
from pfsm.distributed.partitions import Fault, WorkerFaultError
from pfsm.distributed.pools import Report
from pfsm.distributed.scorers import ScorerSpec, cached_scorer, spec_of
from pfsm.errors import PfsmError
from pfsm.metrics.base import SegmentMetric
from pfsm.metrics.inputs import (
    Streams,
    as_streams,
    by_segment,
    check_pairs,
    check_streams,
)
from pfsm.model.mbr import PAIRS_AT_ONCE, Choice, choose
from pfsm.runtime.progress import Stage

Columns = Mapping[str, Float]
"""Numbers of a metric's `columns`, float64 [n_pairs] each."""
# About a second of work.
PAIRS_PER_TASK = 10_000


Part = tuple[int, tuple[Any, ...]]
"""Some of the data, and its place among all."""


@dataclass(frozen=True, eq=False)
class PartDone:
    """What the work gave, or a fault; and the processor's seconds that it took."""

    place: int
    result: Any
    seconds: float


def do_part(part: Part, spec: ScorerSpec, work: Callable[..., Any]) -> PartDone:
    """Does the work with a metric and some of the data; a function that has a name, so that it can be sent."""
    place, data = part
    started = time.thread_time()
    try:
        with cached_scorer(spec) as metric:
            result = work(metric, *data)
    except PfsmError as error:
        result = Fault(str(error), isinstance(error, WorkerFaultError))
    return PartDone(place, result, time.thread_time() - started)


def _results(
    spec: ScorerSpec, work: Callable[..., Any], parts: Iterable[Part], report: Report
) -> Iterator[PartDone]:
    """The parts as they are done; a fault in one of them is raised."""
    for done in report.pool.run(partial(do_part, spec=spec, work=work), parts):
        if isinstance(done.result, Fault):
            raise PfsmError(done.result.message)
        report.add(_pairs_of(done.result), done.seconds)
        yield done


def _pairs_of(result: Float | list[Choice]) -> int:
    """How many pairs have been scored; a choice compares all candidates with all."""
    return sum(one.expected.size**2 for one in result) if isinstance(result, list) else len(result)


def _scores(
    metric: SegmentMetric, hypotheses: Sequence[str], references: Sequence[tuple[str, ...]], columns: Columns
) -> Float:
    return metric.score_segments(hypotheses, references, columns)


def _statistics(
    metric: SegmentMetric, hypotheses: Sequence[str], references: Sequence[tuple[str, ...]], _: Columns
) -> Float:
    return metric.segment_statistics(hypotheses, as_streams(references))


class ClusterMetric(SegmentMetric):
    """A metric whose pairs are scored on a cluster.

    Args:
        metric: The metric.
        report: Counts what is done in its pool.
    """

    def __init__(self, metric: SegmentMetric, report: Report) -> None:
        self.metric = metric
        self.name, self.origin, self.language = metric.name, metric.origin, metric.language
        self.lower_is_better, self.is_additive = metric.lower_is_better, metric.is_additive
        self.columns = metric.columns
        self.segment_references = metric.segment_references
        metric.counted_over(()).check_independent()
        self._report = report

    def counted_over(self, references: Sequence[str]) -> "ClusterMetric":
        """The metric's; counted here, not on the cluster."""
        counted = self.metric.counted_over(references)
        return self if counted is self.metric else ClusterMetric(counted, self._report)

    def score_pairs(
        self, hypotheses: Sequence[str], references: Sequence[str], columns: Mapping[str, Float] | None = None
    ) -> Float:
        """Return scores of single-reference pairs, as the metric's own ``score_pairs`` gives them."""
        check_pairs(hypotheses, references)
        return self._scored(hypotheses, [(reference,) for reference in references], columns or {})

    def several_references(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> Float:
        """Return scores of segments, as the metric's own ``score_segments`` gives them."""
        return self._scored(hypotheses, [tuple(several) for several in references], {})

    def _scored(
        self, hypotheses: Sequence[str], references: Sequence[tuple[str, ...]], columns: Columns
    ) -> Float:
        return np.concatenate([np.zeros(0), *self._run(_scores, hypotheses, references, columns)])

    def segment_statistics(self, hypotheses: Sequence[str], references: Streams) -> Float:
        """As the metric's own; those that depend on other segments are not shared out."""
        check_streams(hypotheses, references)
        segments = by_segment(references)
        metric = self.metric.counted_over([line for several in segments for line in several])
        if not metric.is_additive or not hypotheses:
            return metric.segment_statistics(hypotheses, references)
        return np.concatenate(self._run(_statistics, hypotheses, segments, {}))

    def _run(
        self,
        work: Callable[..., Float],
        hypotheses: Sequence[str],
        references: Sequence[tuple[str, ...]],
        columns: Columns,
    ) -> list[Float]:
        """What the workers find, part by part."""
        # Workers see some of the references only.
        spec = spec_of(self.metric.counted_over([line for several in references for line in several]))
        pieces = [slice(start, start + PAIRS_PER_TASK) for start in range(0, len(hypotheses), PAIRS_PER_TASK)]
        parts = (
            (
                piece.start,
                (
                    tuple(hypotheses[piece]),
                    tuple(references[piece]),
                    {name: values[piece] for name, values in columns.items()},
                ),
            )
            for piece in pieces
        )
        self._report.parts = (self._report.parts or 0) + len(pieces)
        found = {done.place: done.result for done in _results(spec, work, parts, self._report)}
        return [found[place] for place in sorted(found)]


def _of_metric(name: str) -> Callable[..., Any]:
    """A method that is the metric's."""

    def method(self: ClusterMetric, *arguments: Any, **named: Any) -> Any:
        return getattr(self.metric, name)(*arguments, **named)

    return method


for _name in ("entries", "get_signature", "get_short_signature", "recipe", "corpus_from_totals"):
    setattr(ClusterMetric, _name, _of_metric(_name))
for _name in ("averages", "resources", "is_independent", "tables"):
    setattr(ClusterMetric, _name, property(attrgetter(f"metric.{_name}")))


def choose_on(
    report: Report,
    spec: ScorerSpec,
    candidates: Sequence[Sequence[str]],
    weights: Sequence[Sequence[float]] | None,
) -> list[Choice]:
    """The choices of `pfsm.model.mbr.choose`, made in a pool.

    Args:
        report: Counts what is done in its pool; a pair is one candidate against another.
        spec: The metric.
        candidates: For each source its candidates.
        weights: For each source their weights; None: all alike.
    """
    found: dict[int, list[Choice]] = {}
    with Stage("mbr", "choosing", len(candidates), "sources") as stage:
        for done in _results(spec, _chosen, _sources(candidates, weights), report):
            found[done.place] = done.result
            stage.reach(sum(map(len, found.values())))
    return [choice for first in sorted(found) for choice in found[first]]


def _sources(
    candidates: Sequence[Sequence[str]], weights: Sequence[Sequence[float]] | None
) -> Iterator[Part]:
    """As many sources at a time as have about ``PAIRS_AT_ONCE`` pairs."""
    first = pairs = 0
    for place, lines in enumerate(candidates, start=1):
        pairs += len(lines) ** 2
        if pairs >= PAIRS_AT_ONCE or place == len(candidates):
            given = None if weights is None else tuple(map(tuple, weights[first:place]))
            yield first, (tuple(map(tuple, candidates[first:place])), given)
            first, pairs = place, 0


def _chosen(
    metric: SegmentMetric, candidates: Sequence[Sequence[str]], weights: Sequence[Sequence[float]] | None
) -> list[Choice]:
    return choose(candidates, metric, weights=weights)
