"""``pfsm score``: scores of segments and systems."""

import math
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pfsm.commands.arguments import (
    add_format,
    add_quiet,
    add_resamples,
    add_scheduler,
    add_scorers,
    add_signature,
    add_strict,
    add_threads,
    check_output,
    decimals,
    hush,
    note_skipped,
    open_scorers,
    refuse_without,
    sharing,
)
from pfsm.commands.languages import check_text
from pfsm.commands.parsers import add_skipping
from pfsm.commands.score_output import Column, Scored, print_scores
from pfsm.commands.spans import model_of, systems_of, systems_of_table, write_spans
from pfsm.commands.test_sets import add_test_set, reference_paths
from pfsm.data import ParallelText, SystemOutput, read_pairs_table, read_parallel
from pfsm.data.parallel import PairsTable
from pfsm.distributed.partitions import FORMATS, LEAST_BYTES
from pfsm.errors import PfsmError
from pfsm.io.files import STANDARD_INPUT
from pfsm.io.limits import byte_size
from pfsm.metrics import SegmentMetric
from pfsm.metrics.data_columns import missing_column
from pfsm.metrics.inputs import (
    NumberOfReferences,
    Streams,
    as_streams,
    number_by_segment,
    number_of_references,
)
from pfsm.model.metric import Metric
from pfsm.runtime.progress import Stage
from pfsm.text.mismatch import warn_of_mismatches

if TYPE_CHECKING:
    from pfsm.evaluation import Interval

Float = NDArray[np.float64]
# Of the logger; and seconds before a stage is worth a bar.
AREA, PATIENCE = "score", 0.5
CORPUS, SEGMENT, DOCUMENT = "corpus", "segment", "document"


def add_arguments(parser: ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument(
        "references", nargs="*", metavar="REF", help="reference file(s), one segment a line; .gz is read"
    )
    parser.add_argument(
        "--input", "-i", nargs="+", metavar="HYP",
        help="hypothesis file(s), parallel to REF (default: standard input)",
    )  # fmt: skip
    parser.add_argument(
        "--table",
        metavar="FILE",
        help="instead: a TSV with reference and hypothesis, or COMET's CSV with ref, mt; with --output also folders, "
        "patterns, Parquet, addresses of fsspec",
    )
    add_test_set(parser)
    add_scorers(parser)
    parser.add_argument("--sentence-level", "-sl", action="store_true", help="one score a line")
    parser.add_argument(
        "--level", choices=(CORPUS, SEGMENT, DOCUMENT), metavar="LEVEL",
        help="one score for a corpus (default), segment (-sl) or document",
    )  # fmt: skip
    parser.add_argument("--score-only", "-b", action="store_true", help="print the number alone")
    parser.add_argument(
        "--confidence", "-ci", action="store_true", help="95%% intervals too, by a bootstrap over segments"
    )
    add_resamples(parser)
    parser.add_argument(
        "--width", "-w", type=decimals, default=4, metavar="N", help="decimals in text (default: 4)"
    )
    add_signature(parser)
    add_quiet(parser)
    add_skipping(parser)
    add_strict(parser)
    add_format(parser, "text", "json", "tsv", more="; json and tsv count from 0")
    parser.add_argument(
        "--spans",
        metavar="FILE",
        help="write where the errors are: JSON lines, of a model alone",
    )
    add_threads(parser)
    _add_partitions(parser)


def _add_partitions(parser: ArgumentParser) -> None:
    add_scheduler(parser)
    parser.add_argument(
        "--output", "-o", metavar="DIR", help="scores of --table, in partitions; an earlier run is resumed",
    )  # fmt: skip
    parser.add_argument(
        "--output-format", choices=tuple(FORMATS), metavar="KIND", help=f"of --output: {', '.join(FORMATS)}"
    )
    parser.add_argument("--keep", metavar="COLUMNS", help="with --output: copy these columns, too")
    parser.add_argument(
        "--partition-size", type=_size, metavar="SIZE",
        help="with --output: text in a partition (default: 8M)",
    )  # fmt: skip


def _size(text: str) -> int:
    size = byte_size(text)
    if size is None or size < LEAST_BYTES:
        raise ArgumentTypeError(f"{text!r} is not a number of bytes from {LEAST_BYTES}, such as 64M")
    return size


def _check_partitions(options: Namespace) -> None:
    if options.output is None:
        refuse_without(options, ("output_format", "keep", "partition_size"), "--output DIR")
    elif options.table is None:
        raise PfsmError("--output is for --table FILE, a folder, or a pattern such as 'data/*.tsv.gz'")
    elif options.skip_missing_references:
        raise PfsmError("--output has a score for every row; leave --skip-missing-references or --output out")
    elif options.unquote:
        raise PfsmError(
            "--output splits files at line ends, which quotes may hold; leave --unquote or --output out"
        )
    elif options.sentence_level:
        raise PfsmError("--sentence-level prints scores, --output writes them; give one of them")
    elif options.format == "tsv":
        raise PfsmError("--format tsv prints scores, --output writes them; give --output-format tsv")


def run(options: Namespace) -> None:
    """Reads, scores, prints."""
    hush(options)
    options.sentence_level = options.sentence_level or options.level == SEGMENT
    options.documents = options.level == DOCUMENT
    if options.documents and (options.table is None or options.sentence_level):
        raise PfsmError(
            "--level document needs --table FILE with a column document, without -sl; `pfsm data convert` makes such a "
            "table of WMT's XML and of mt-metrics-eval"
        )
    _check_partitions(options)
    references = reference_paths(options, options.references)
    if options.table is not None and (references or options.input):
        raise PfsmError("give either --table, or REF and -i, not both")
    if options.table is None and not references:
        raise PfsmError("nothing to score; give a reference file, --test-set NAME, or --table FILE")
    metrics = open_scorers(options)
    spans = None if options.spans is None else model_of(metrics)
    if spans is not None:
        _check_spans(options, references)
    for metric in metrics:
        if options.table is None and metric.columns:
            raise missing_column(metric.columns[0], f"model {metric.name}")
    if options.output is not None:
        if len(metrics) > 1 or options.confidence:
            raise PfsmError("--output writes the scores of one model or metric, without --confidence")
        from pfsm.commands import score_partitions  # noqa: PLC0415 - few runs write partitions

        score_partitions.run(metrics[0], options)
        return
    print_scores(_columns(metrics, references, options, spans), options)


def _check_spans(options: Namespace, references: Sequence[str]) -> None:
    if options.output is not None:
        raise PfsmError("--spans writes one file, --output partitions; give one of them")
    if options.skip_missing_references:
        raise PfsmError(
            "--spans has a line for every segment; leave --skip-missing-references or --spans out"
        )
    check_output(options.spans, [options.table] if options.table else [*references, *(options.input or [])])


def _columns(
    metrics: Sequence[SegmentMetric], references: Sequence[str], options: Namespace, spans: Metric | None
) -> list[Column]:
    with sharing(options.scheduler, quiet=options.quiet) as shared:
        works = [_Work(shared.metric(metric), options) for metric in metrics]
        if options.table is None:
            with Stage(AREA, "reading", patience=PATIENCE):
                skip = options.skip_missing_references
                text = read_parallel(
                    references, options.input or [STANDARD_INPUT], skip_missing_references=skip
                )
            left_out, n = text.left_out, len(text.references[0])
            _check_text(metrics, [[*text.reference_lines]], options)
            warn_of_mismatches({system.name: system.lines for system in text.systems}, text.references)
            nrefs: NumberOfReferences = number_of_references(text.references)
            results = [work.files(text) for work in works]
            systems = systems_of(text) if spans is not None else []
        else:
            needed = tuple(dict.fromkeys(name for metric in metrics for name in metric.columns))
            with Stage(AREA, "reading", patience=PATIENCE):
                skip = options.skip_missing_references
                table = read_pairs_table(options.table, needed, skip_missing_references=skip)
            left_out, n = table.left_out, len(table)
            if options.documents and table.documents is None:
                raise PfsmError(f"{options.table}: has no column document, which --level document needs")
            _check_text(metrics, table.references, options)
            for name, rows in _rows_by_system(table).items():
                streams = as_streams([table.references[row] for row in rows])
                warn_of_mismatches({name or "hypothesis": [table.hypotheses[row] for row in rows]}, streams)
            nrefs = number_by_segment(table.references)
            results = [work.table(options.table, table) for work in works]
            systems = systems_of_table(options.table, table) if spans is not None else []
    note_skipped(len(left_out), n + len(left_out), options)
    if spans is not None:
        write_spans(options.spans, spans, systems)
    return [Column(metric, scored, nrefs, left_out) for metric, scored in zip(metrics, results, strict=True)]


def _check_text(
    metrics: Sequence[SegmentMetric], references: Sequence[Sequence[str]], options: Namespace
) -> None:
    for metric in metrics:
        check_text(metric, chain.from_iterable(references), options)


class _Work:
    def __init__(self, metric: SegmentMetric, options: Namespace) -> None:
        self._metric = metric
        self._segments, self._documents = options.sentence_level, options.documents
        self._corpora = not options.sentence_level or options.format == "json"
        self._resamples = options.confidence_n if options.confidence and self._corpora else 0

    def files(self, text: ParallelText) -> list[Scored]:
        with Stage(AREA, f"scoring with {self._metric.name}", patience=PATIENCE):
            return [self._file(system, text.references) for system in text.systems]

    def _file(self, system: SystemOutput, references: Streams) -> Scored:
        segments, score, statistics = np.zeros(0), math.nan, None
        if self._segments or self._metric.averages:
            segments = self._metric.segment_scores(system.lines, references)
        if self._metric.averages:
            score = float(segments.mean())
        elif self._corpora:
            score = float(self._metric.corpus_score(system.lines, references))
            if self._resamples:
                statistics = self._metric.segment_statistics(system.lines, references)
        return Scored(system.name, len(system), score, segments, self._interval(segments, statistics))

    def table(self, path: str, table: PairsTable) -> list[Scored]:
        with Stage(AREA, f"scoring with {self._metric.name}", patience=PATIENCE):
            return [self._rows(path, table)]

    def _rows(self, path: str, table: PairsTable) -> Scored:
        rows = _rows_by_system(table, documents=self._documents)
        segments, score = np.zeros(0), math.nan
        parts: list[Scored] = []
        whole: Interval | None = None
        if self._segments or self._metric.averages:
            segments = self._metric.score_rows(table.hypotheses, table.references, table.numbers)
        if self._metric.averages:
            score = float(segments.mean())
            whole = self._interval(segments, None)
            parts = [
                Scored(
                    name,
                    chosen.size,
                    float(segments[chosen].mean()),
                    np.zeros(0),
                    self._interval(segments[chosen], None),
                )
                for name, chosen in rows.items()
            ]
        elif self._corpora:
            # What is counted over references is counted over those of all systems.
            metric = self._metric.counted_over([line for several in table.references for line in several])
            counts = {name: _statistics(metric, table, chosen.tolist()) for name, chosen in rows.items()}
            score = self._of(np.sum([one.sum(axis=0) for one in counts.values()], axis=0))
            whole = self._interval(segments, np.concatenate([*counts.values()]))
            parts = [
                Scored(name, len(one), self._of(one.sum(axis=0)), np.zeros(0), self._interval(segments, one))
                for name, one in counts.items()
            ]
        several = len(rows) > 1 or self._documents
        return Scored(path, len(table), score, segments, whole, tuple(parts if several else ()))

    def _of(self, totals: Float) -> float:
        return float(self._metric.corpus_from_totals(totals))

    def _interval(self, segments: Float, statistics: Float | None) -> "Interval | None":
        """The interval of a corpus score: of a mean of segment scores, or of counts that are pooled."""
        if not self._resamples or (statistics is None and not self._metric.averages):
            return None
        from pfsm.evaluation import PooledCounts, compare_systems  # noqa: PLC0415 - most runs need no resampling

        if statistics is None:
            return compare_systems(["it"], [segments], self._resamples).systems[0].interval
        pooled = PooledCounts([statistics], self._metric.corpus_from_totals, self._metric.lower_is_better)
        nothing = np.zeros(len(statistics))
        return compare_systems(["it"], [nothing], self._resamples, pooled=pooled).systems[0].interval


def _rows_by_system(table: PairsTable, *, documents: bool = False) -> dict[str, NDArray[np.int64]]:
    """The rows of each system, or of each document of a system: its name, a tab, and that of the document."""
    found: dict[str, list[int]] = {}
    names: Sequence[str] = table.systems or [""] * len(table)
    if documents and table.documents is not None:
        pairs = zip(names, table.documents, strict=True)
        names = [f"{system}\t{document}" for system, document in pairs]
    for row, name in enumerate(names):
        found.setdefault(name, []).append(row)
    return {name: np.array(found[name], dtype=np.int64) for name in sorted(found)}


def _statistics(metric: SegmentMetric, table: PairsTable, rows: Sequence[int]) -> Float:
    references = as_streams([table.references[row] for row in rows])
    return metric.segment_statistics([table.hypotheses[row] for row in rows], references)
