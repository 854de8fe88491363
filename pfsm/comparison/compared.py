"""Outputs of systems, scored and compared by one metric or several."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.arrays import Float
from pfsm.comparison.facts import DOCUMENT, LANGUAGE, TEST_SET, SegmentFacts
from pfsm.data.segments import left_out_text
from pfsm.evaluation.bootstrap import default_seed
from pfsm.evaluation.comparison import (
    Comparison,
    PooledCounts,
    compare_systems,
    comparison_document,
    number,
    verdict,
)
from pfsm.evaluation.correlation import kendall_tau_b, pearson
from pfsm.io.files import StrPath, atomic_write
from pfsm.io.pages import page_maker
from pfsm.metrics.base import SegmentMetric
from pfsm.metrics.inputs import NumberOfReferences, Streams, by_segment, checked_streams, number_of_references
from pfsm.runtime.charts import text
from pfsm.text.mismatch import warn_of_mismatches

Rows = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class MetricResult:
    """What one metric says of all systems.

    Attributes:
        metric: The metric.
        nrefs: Number of references.
        scores: float64 [n_segments] for each system, higher is better.
        statistics: What each segment adds to the corpus score, float64 [n_segments, k] for each system; None where the
            corpus score is the mean of the segment scores.
        comparison: Of all segments.
    """

    metric: SegmentMetric
    nrefs: NumberOfReferences
    scores: tuple[Float, ...]
    statistics: tuple[Float, ...] | None
    comparison: Comparison

    def within(self, rows: Rows) -> Comparison:
        """The comparison of some segments alone, as if the files had only these; int64 [m] are their numbers."""
        whole = self.comparison
        names = [system.name for system in whole.systems]
        scores = [values[rows] for values in self.scores]
        statistics = None if self.statistics is None else [values[rows] for values in self.statistics]
        pooled = _pooled(self.metric, statistics)
        return compare_systems(
            names, scores, whole.n_resamples, whole.seed, whole.significance, whole.confidence, pooled
        )

    @property
    def document(self) -> dict[str, object]:
        """What ``pfsm compare --format json`` prints."""
        signature = self.metric.get_signature(self.nrefs, "corpus")
        short = self.metric.get_short_signature(self.nrefs, "corpus")
        return comparison_document(self.comparison, self.metric.name, signature, short)


@dataclass(frozen=True, eq=False)
class Compared:
    """Systems, compared.

    Attributes:
        systems: Their names.
        outputs: Their outputs, a line for each segment.
        references: Streams of references, as sacrebleu takes them: [n_references][n_segments]; None where a segment has
            fewer than others.
        results: One for each metric.
        facts: What else is known of the segments.
        left_out: Segments of the input that are not among these, from 0: they have no reference.
    """

    systems: tuple[str, ...]
    outputs: tuple[Sequence[str], ...]
    references: Sequence[Sequence[str | None]]
    results: tuple[MetricResult, ...]
    facts: SegmentFacts = field(default_factory=SegmentFacts)
    left_out: Sequence[int] = ()

    @property
    def n_segments(self) -> int:
        """Number of segments."""
        return len(self.references[0])

    @property
    def verdict(self) -> str:
        """Which system won, by how much, and whether that is significant, by all metrics; how much is left out."""
        said = verdict([(result.metric.name, result.comparison) for result in self.results])
        n = len(self.left_out)
        return f"{said} {left_out_text(n, self.n_segments + n)}." if n else said

    def _repr_html_(self) -> str:
        """The verdict, and what each metric says, for notebooks."""
        return f"<p>{text(self.verdict)}</p>" + "".join(
            f"<p>{text(result.metric.get_short_signature(result.nrefs, 'corpus'))}</p>"
            f"{result.comparison._repr_html_()}"
            for result in self.results
        )


def compare_outputs(
    outputs: Mapping[str, Sequence[str]],
    references: Streams,
    metrics: Sequence[SegmentMetric],
    n_resamples: int = 1000,
    seed: int | None = None,
    facts: SegmentFacts | None = None,
    documents: Sequence[str] | None = None,
) -> Compared:
    """Scores outputs and compares every two of them by a paired bootstrap, with every metric.

    Args:
        outputs: By the name of a system its translations, one a segment; two systems or more.
        references: Streams of references, parallel to the outputs, as `SegmentMetric.segment_scores` takes them.
        metrics: One or more.
        n_resamples: As in `pfsm.evaluation.compare_systems`.
        seed: Likewise; all metrics have the same resamples.
        facts: What else is known of the segments.
        documents: [n_segments], the document of each: whole documents are drawn and compared. Those of the facts,
            if they name several, where it is None.

    A `pfsm.errors.MismatchWarning` says what speaks against these being outputs and references of the same segments.

    Raises:
        ValueError: If there is no metric, fewer than two systems or no segment, or lengths differ.
        PfsmError: If a metric lacks something that it needs.
    """
    if not metrics or len(outputs) < 2:
        raise ValueError(
            f"{len(metrics)} metrics and {len(outputs)} systems; at least one and two are needed"
        )
    names = tuple(outputs)
    checked = [checked_streams(lines, references) for lines in outputs.values()]
    lines, streams = tuple(output for output, _ in checked), checked[0][1]
    found = SegmentFacts() if facts is None else facts
    found.check(names, len(streams[0]))
    warn_of_mismatches(dict(zip(names, lines, strict=True)), streams, found.source)
    if documents is None and len(set(found.groups.get(DOCUMENT, ()))) > 1:
        named = [found.groups[name] for name in (TEST_SET, LANGUAGE, DOCUMENT) if name in found.groups]
        documents = ["\t".join(fields) for fields in zip(*named, strict=True)]
    seed = default_seed() if seed is None else seed
    results = tuple(
        _result(metric, names, lines, streams, n_resamples, seed, documents) for metric in metrics
    )
    return Compared(names, lines, streams, results, found)


def _result(
    metric: SegmentMetric,
    names: Sequence[str],
    outputs: Sequence[Sequence[str]],
    references: Sequence[Sequence[str | None]],
    n_resamples: int,
    seed: int,
    documents: Sequence[str] | None,
) -> MetricResult:
    scores = tuple(metric.score_systems(outputs, by_segment(references)))
    statistics = None
    if not metric.averages:
        statistics = tuple(metric.segment_statistics(lines, references) for lines in outputs)
    pooled = _pooled(metric, statistics)
    comparison = compare_systems(names, scores, n_resamples, seed, pooled=pooled, documents=documents)
    return MetricResult(metric, number_of_references(references), scores, statistics, comparison)


def _pooled(metric: SegmentMetric, statistics: Sequence[Float] | None) -> PooledCounts | None:
    if statistics is None:
        return None
    return PooledCounts(statistics, metric.corpus_from_totals, metric.lower_is_better)


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


def write_comparison(compared: Compared, path: StrPath, title: str = "") -> None:
    """Write the page of a comparison; the file is there whole or not at all.

    Args:
        compared: What it shows.
        path: The file.
        title: Its heading; the names of the systems if it is empty.

    Raises:
        PfsmError: If it cannot be written, or this installation makes no such pages.
    """
    text = page_maker("comparison", "a page of a comparison")(compared, title)
    with atomic_write(path) as handle:
        handle.write(text)
