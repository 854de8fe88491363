"""Pairs that are at hand, scored on a cluster: text goes out in parts, numbers come back.

Minimum Bayes risk on a cluster: candidates go out source by source, choices come back.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pfsm.distributed.partitions import Fault, WorkerFaultError
from pfsm.distributed.pools import Pool, Report
from pfsm.distributed.scorers import ScorerSpec, cached_scorer, spec_of
from pfsm.errors import PfsmError
from pfsm.metrics.base import Level, Recipe, SegmentMetric
from pfsm.metrics.ngram_table import NgramTable
from pfsm.metrics.pairs import check_pairs
from pfsm.metrics.references import NumberOfReferences, Streams, as_streams, by_segment, check_streams
from pfsm.model.mbr import PAIRS_AT_ONCE, Choice, Progress, choose
from pfsm.runtime.progress import Stage

Float = NDArray[np.float64]
# About a second of work.
PAIRS_PER_TASK = 10_000


@dataclass(frozen=True)
class PairsTask:
    """Some of the pairs.

    Attributes:
        number: Their place among the parts.
        spec: What scores them.
        hypotheses: Translations.
        references: For each of them its references.
        statistics: Whether statistics of segments are wanted, not scores.
        columns: The numbers of the metric's `columns`, float64 [n_pairs] each.
    """

    number: int
    spec: ScorerSpec
    hypotheses: tuple[str, ...]
    references: tuple[tuple[str, ...], ...]
    statistics: bool = False
    columns: Mapping[str, Float] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class PairsOutcome:
    """Their scores, float64 [n_pairs], or a fault; and the processor's seconds that it took."""

    number: int
    scores: Float | Fault
    seconds: float


def score_task(task: PairsTask) -> PairsOutcome:
    """Scores some of the pairs."""
    started = time.thread_time()
    scores: Float | Fault
    try:
        with cached_scorer(task.spec) as metric:
            if task.statistics:
                scores = metric.segment_statistics(task.hypotheses, as_streams(task.references))
            else:
                scores = metric.score_rows(task.hypotheses, task.references, task.columns)
    except PfsmError as error:
        scores = Fault(str(error), isinstance(error, WorkerFaultError))
    return PairsOutcome(task.number, scores, time.thread_time() - started)


class ClusterMetric(SegmentMetric):
    """A metric whose pairs are scored on a cluster.

    Args:
        metric: The metric.
        pool: Where the work is done.
        report: Counts what is done.
    """

    def __init__(self, metric: SegmentMetric, pool: Pool, report: Report) -> None:
        self.metric = metric
        self.name, self.origin, self.language = metric.name, metric.origin, metric.language
        self.lower_is_better, self.is_additive = metric.lower_is_better, metric.is_additive
        self.columns = metric.columns
        self.segment_references = metric.segment_references
        metric.counted_over(()).check_independent()
        self._pool = pool
        self._report = report

    @property
    def averages(self) -> bool:
        """The metric's."""
        return self.metric.averages

    @property
    def resources(self) -> tuple[str, ...]:
        """The metric's."""
        return self.metric.resources

    def entries(self) -> Mapping[str, str]:
        """The metric's."""
        return self.metric.entries()

    def get_signature(self, nrefs: NumberOfReferences = 1, level: Level = "segment") -> str:
        """The metric's."""
        return self.metric.get_signature(nrefs, level)

    def get_short_signature(self, nrefs: NumberOfReferences = 1, level: Level = "segment") -> str:
        """The metric's."""
        return self.metric.get_short_signature(nrefs, level)

    def recipe(self) -> Recipe:
        """The metric's."""
        return self.metric.recipe()

    @property
    def is_independent(self) -> bool:
        """The metric's."""
        return self.metric.is_independent

    @property
    def tables(self) -> Mapping[str, NgramTable]:
        """The metric's."""
        return self.metric.tables

    def counted_over(self, references: Sequence[str]) -> "ClusterMetric":
        """The metric's; counted here, not on the cluster."""
        counted = self.metric.counted_over(references)
        return self if counted is self.metric else ClusterMetric(counted, self._pool, self._report)

    def score_pairs(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        """Scores of single-reference pairs, as the metric's own ``score_pairs`` gives them."""
        check_pairs(hypotheses, references)
        return self.score_rows(hypotheses, [(reference,) for reference in references], {})

    def score_rows(
        self, hypotheses: Sequence[str], references: Sequence[Sequence[str]], columns: Mapping[str, Float]
    ) -> Float:
        """As the metric's own; what `score_pairs` raises."""
        segments = [tuple(several) for several in references]
        parts = self._run(hypotheses, segments, statistics=False, columns=columns)
        return np.concatenate([np.zeros(0), *parts])

    def several_references(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> Float:
        """Scores of segments, as the metric's own ``score_segments`` gives them."""
        return self.score_rows(hypotheses, references, {})

    def segment_statistics(self, hypotheses: Sequence[str], references: Streams) -> Float:
        """As the metric's own; those that depend on other segments are not shared out."""
        check_streams(hypotheses, references)
        segments = by_segment(references)
        metric = self.metric.counted_over([line for several in segments for line in several])
        if not metric.is_additive or not hypotheses:
            return metric.segment_statistics(hypotheses, references)
        return np.concatenate(self._run(hypotheses, segments, statistics=True))

    def corpus_from_totals(self, totals: Float) -> Float:
        """The metric's."""
        return self.metric.corpus_from_totals(totals)

    def _run(
        self,
        hypotheses: Sequence[str],
        references: Sequence[tuple[str, ...]],
        *,
        statistics: bool,
        columns: Mapping[str, Float] | None = None,
    ) -> list[Float]:
        """What the workers find, part by part."""
        # Workers see some of the references only.
        spec = spec_of(self.metric.counted_over([line for several in references for line in several]))
        starts = range(0, len(hypotheses), PAIRS_PER_TASK)
        tasks = (
            PairsTask(
                number,
                spec,
                tuple(hypotheses[start : start + PAIRS_PER_TASK]),
                tuple(references[start : start + PAIRS_PER_TASK]),
                statistics,
                {name: values[start : start + PAIRS_PER_TASK] for name, values in (columns or {}).items()},
            )
            for number, start in enumerate(starts)
        )
        self._report.parts = (self._report.parts or 0) + len(starts)
        found: dict[int, Float] = {}
        for outcome in self._pool.run(score_task, tasks):
            if isinstance(outcome.scores, Fault):
                raise PfsmError(outcome.scores.message)
            found[outcome.number] = outcome.scores
            self._report.add(len(outcome.scores), outcome.seconds)
        return [found[number] for number in sorted(found)]


Candidates = tuple[tuple[str, ...], ...]
Weights = tuple[tuple[float, ...], ...] | None


@dataclass(frozen=True)
class ChoiceTask:
    """Some of the sources.

    Attributes:
        first: Place of the first among all.
        spec: What scores.
        candidates: For each source its candidates.
        weights: For each source their weights; None: all alike.
    """

    first: int
    spec: ScorerSpec
    candidates: Candidates
    weights: Weights


@dataclass(frozen=True, eq=False)
class ChoiceOutcome:
    """The choices for them, or a fault; and the processor's seconds that it took."""

    first: int
    choices: list[Choice] | Fault
    seconds: float


def choose_task(task: ChoiceTask) -> ChoiceOutcome:
    """Chooses for some of the sources."""
    started = time.thread_time()
    choices: list[Choice] | Fault
    try:
        with cached_scorer(task.spec) as scorer:
            choices = choose(scorer, task.candidates, task.weights)
    except PfsmError as error:
        choices = Fault(str(error), isinstance(error, WorkerFaultError))
    return ChoiceOutcome(task.first, choices, time.thread_time() - started)


def choose_on(
    pool: Pool,
    spec: ScorerSpec,
    candidates: Sequence[Sequence[str]],
    weights: Sequence[Sequence[float]] | None,
    report: Report,
    progress: Progress | None = None,
) -> list[Choice]:
    """The choices of `pfsm.model.mbr.choose`, made in a pool.

    Args:
        pool: Where the work is done.
        spec: The metric.
        candidates: For each source its candidates.
        weights: For each source their weights; None: all alike.
        report: Counts what is done; a pair is one candidate against another.
        progress: Called with the number of sources done so far.
    """
    found: dict[int, list[Choice]] = {}
    with Stage("mbr", "choosing", len(candidates), "sources") as stage:
        for outcome in pool.run(choose_task, _tasks(spec, candidates, weights)):
            if isinstance(outcome.choices, Fault):
                raise PfsmError(outcome.choices.message)
            found[outcome.first] = outcome.choices
            report.add(sum(choice.expected.size**2 for choice in outcome.choices), outcome.seconds)
            stage.reach(sum(map(len, found.values())))
            if progress is not None:
                progress(stage.done)
    return [choice for first in sorted(found) for choice in found[first]]


def _tasks(
    spec: ScorerSpec, candidates: Sequence[Sequence[str]], weights: Sequence[Sequence[float]] | None
) -> Iterator[ChoiceTask]:
    """As many sources at a time as have about ``PAIRS_AT_ONCE`` pairs."""
    first = pairs = 0
    for place, lines in enumerate(candidates, start=1):
        pairs += len(lines) ** 2
        if pairs >= PAIRS_AT_ONCE or place == len(candidates):
            given = None if weights is None else tuple(map(tuple, weights[first:place]))
            yield ChoiceTask(first, spec, tuple(map(tuple, candidates[first:place])), given)
            first, pairs = place, 0
