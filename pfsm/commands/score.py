"""``pfsm score``: scores of segments and systems."""

import math
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pfsm.arrays import Float
from pfsm.commands.arguments import (
    check_text,
    hush,
    note_skipped,
    open_scorers,
    reference_paths,
)
from pfsm.commands.options import check_output, declare, refuse_without
from pfsm.commands.score_output import Column, Scored, print_scores
from pfsm.data import ParallelText, read_pairs_table, read_parallel
from pfsm.data.parallel import PairsTable
from pfsm.errors import PfsmError
from pfsm.io.files import STANDARD_INPUT
from pfsm.io.limits import byte_size
from pfsm.metrics import SegmentMetric
from pfsm.metrics.inputs import (
    NumberOfReferences,
    as_streams,
    by_segment,
    missing_column,
    number_by_segment,
    number_of_references,
)
from pfsm.model.metric import Metric
from pfsm.runtime.progress import Stage
from pfsm.text.mismatch import warn_of_mismatches

if TYPE_CHECKING:
    from pfsm.evaluation import Interval

# Endings of files of scores.
FORMATS = ("parquet", "tsv", "tsv.gz")
LEAST_BYTES = 1 << 10
# Of the logger; and seconds before a stage is worth a bar.
AREA, PATIENCE = "score", 0.5
CORPUS, SEGMENT, DOCUMENT = "corpus", "segment", "document"


OPTIONS = f"""
references REF*  reference file(s), one segment a line; .gz is read
--input, -i HYP+  hypothesis file(s), parallel to REF (default: standard input)
--table FILE  instead: a TSV with reference and hypothesis, or COMET's CSV with ref, mt; with --output also folders,
  patterns, Parquet, addresses of fsspec
@test-set
@scorers
--sentence-level, -sl  one score a line
--level LEVEL  one score for a corpus (default), segment (-sl) or document
--score-only, -b  print the number alone
--confidence, -ci  95%% intervals too, by a bootstrap over segments
@resamples
@width
@signature
@quiet
@skipping
@strict
@format text json tsv; json and tsv count from 0
--spans FILE  write where the errors are: JSON lines, of a model alone
@threads
--output, -o DIR  scores of --table, in partitions; an earlier run is resumed
--output-format KIND  of --output: {", ".join(FORMATS)}
--keep COLUMNS  with --output: copy these columns, too
--partition-size SIZE  with --output: text in a partition (default: 8M)
--scheduler ADDRESS  with --output: Dask cluster (tcp://HOST:8786), or processes here (local:N)
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Arguments of the command."""
    levels = (CORPUS, SEGMENT, DOCUMENT)
    declare(parser, OPTIONS, level=levels, output_format=FORMATS, partition_size=_size)


def _size(text: str) -> int:
    size = byte_size(text)
    if size is None or size < LEAST_BYTES:
        raise ArgumentTypeError(f"{text!r} is not a number of bytes from {LEAST_BYTES}, such as 64M")
    return size


def run(options: Namespace) -> None:
    """Reads, scores, prints."""
    hush(options)
    references = _checked(options)
    metrics = open_scorers(options)
    if options.spans is not None:
        _check_spans(metrics, options, references)
    for metric in metrics:
        if options.table is None and metric.columns:
            raise missing_column(metric.columns[0], f"model {metric.name}")
    if options.output is not None:
        if len(metrics) > 1 or options.confidence:
            raise PfsmError("--output writes the scores of one model or metric, without --confidence")
        from pfsm.commands import score_partitions  # noqa: PLC0415 - few runs write partitions

        score_partitions.run(metrics[0], options)
        return
    text: ParallelText | PairsTable
    nrefs: NumberOfReferences
    if options.table is None:
        text = _read_files(metrics, references, options)
        n, nrefs = len(text.references[0]), number_of_references(text.references)
        results = [_scored_files(metric, text, options) for metric in metrics]
    else:
        text = _read_table(metrics, options)
        n, nrefs = len(text), number_by_segment(text.references)
        results = [_scored_table(metric, text, options) for metric in metrics]
    note_skipped(len(text.left_out), n + len(text.left_out), options)
    if options.spans is not None and isinstance(metrics[0], Metric):
        from pfsm.commands import spans  # noqa: PLC0415 - few runs write spans

        systems = (
            spans.systems_of(text)
            if isinstance(text, ParallelText)
            else spans.systems_of_table(options.table, text)
        )
        spans.write_spans(options.spans, metrics[0], systems)
    columns = [
        Column(metric, scored, nrefs, text.left_out) for metric, scored in zip(metrics, results, strict=True)
    ]
    print_scores(columns, options)


def _checked(options: Namespace) -> list[str]:
    """The reference files; refuses options that do not go together."""
    options.sentence_level = options.sentence_level or options.level == SEGMENT
    options.documents = options.level == DOCUMENT
    if options.documents and (options.table is None or options.sentence_level):
        raise PfsmError(
            "--level document needs --table FILE with a column document, without -sl; `pfsm data convert` makes such a "
            "table of WMT's XML and of mt-metrics-eval"
        )
    _check_partitions(options)
    references = reference_paths(options)
    if options.table is not None and (references or options.input):
        raise PfsmError("give either --table, or REF and -i, not both")
    if options.table is None and not references:
        raise PfsmError("nothing to score; give a reference file, --test-set NAME, or --table FILE")
    return references


def _check_partitions(options: Namespace) -> None:
    if options.output is None:
        refuse_without(options, ("output_format", "keep", "partition_size", "scheduler"), "--output DIR")
        return
    for wrong, told in (
        (options.table is None, "is for --table FILE, a folder, or a pattern such as 'data/*.tsv.gz'"),
        (options.skip_missing_references, "has a score for every row; leave --skip-missing-references out"),
        (options.unquote, "splits files at line ends, which quotes may hold; leave --unquote out"),
        (options.sentence_level, "writes scores, --sentence-level prints them; give one of them"),
        (options.format == "tsv", "writes scores, --format tsv prints them; give --output-format tsv"),
    ):
        if wrong:
            raise PfsmError(f"--output {told}")


def _check_spans(metrics: Sequence[SegmentMetric], options: Namespace, references: Sequence[str]) -> None:
    models = [metric for metric in metrics if isinstance(metric, Metric)]
    if len(metrics) > 1 or not models:
        given = ", ".join(metric.name for metric in metrics)
        raise PfsmError(f"--spans needs one model (--model), which explains its scores; here is {given}")
    if models[0].columns:
        raise PfsmError(f"--spans: model {models[0].name} needs columns of the data, so it cannot be used")
    if options.output is not None:
        raise PfsmError("--spans writes one file, --output partitions; give one of them")
    if options.skip_missing_references:
        raise PfsmError(
            "--spans has a line for every segment; leave --skip-missing-references or --spans out"
        )
    check_output(options.spans, [options.table] if options.table else [*references, *(options.input or [])])


def _read_files(
    metrics: Sequence[SegmentMetric], references: Sequence[str], options: Namespace
) -> ParallelText:
    with Stage(AREA, "reading", patience=PATIENCE):
        inputs = options.input or [STANDARD_INPUT]
        text = read_parallel(references, inputs, skip_missing_references=options.skip_missing_references)
    for metric in metrics:
        check_text(metric, [*text.reference_lines], options)
    warn_of_mismatches({system.name: system.lines for system in text.systems}, text.references)
    return text


def _read_table(metrics: Sequence[SegmentMetric], options: Namespace) -> PairsTable:
    needed = tuple(dict.fromkeys(name for metric in metrics for name in metric.columns))
    with Stage(AREA, "reading", patience=PATIENCE):
        skip = options.skip_missing_references
        table = read_pairs_table(options.table, needed, skip_missing_references=skip)
    if options.documents and table.documents is None:
        raise PfsmError(f"{options.table}: has no column document, which --level document needs")
    for metric in metrics:
        check_text(metric, [*chain.from_iterable(table.references)], options)
    for name, rows in _rows_by_system(table).items():
        streams = as_streams([table.references[row] for row in rows])
        warn_of_mismatches({name or "hypothesis": [table.hypotheses[row] for row in rows]}, streams)
    return table


def _with_corpora(options: Namespace) -> bool:
    """Whether scores of whole systems are wanted."""
    return not options.sentence_level or options.format == "json"


def _scored_files(metric: SegmentMetric, text: ParallelText, options: Namespace) -> list[Scored]:
    found, outputs = [], [system.lines for system in text.systems]
    with Stage(AREA, f"scoring with {metric.name}", patience=PATIENCE):
        every = [np.zeros(0)] * len(outputs)
        if options.sentence_level or metric.averages:
            every = metric.score_systems(outputs, by_segment(text.references))
        for system, segments in zip(text.systems, every, strict=True):
            lines, score, values = system.lines, math.nan, segments
            if metric.averages:
                score = float(segments.mean())
            elif _with_corpora(options):
                score = float(metric.corpus_score(lines, text.references))
                if options.confidence:
                    values = metric.segment_statistics(lines, text.references)
            found.append(
                Scored(system.name, len(system), score, segments, _interval(metric, values, options))
            )
    return found


def _scored_table(metric: SegmentMetric, table: PairsTable, options: Namespace) -> list[Scored]:
    """The whole table, with its systems, or their documents, as parts."""
    with Stage(AREA, f"scoring with {metric.name}", patience=PATIENCE):
        rows = _rows_by_system(table, documents=options.documents)
        segments, score = np.zeros(0), math.nan
        # Of each system what its score is made of: scores of segments, or counts that are pooled.
        values: dict[str, Float] = {}
        if options.sentence_level or metric.averages:
            segments = metric.score_segments(table.hypotheses, table.references, table.numbers)
        if metric.averages:
            values = {name: segments[chosen] for name, chosen in rows.items()}
            score, whole = float(segments.mean()), segments
        elif _with_corpora(options):
            # What is counted over references is counted over those of all systems.
            counted = metric.counted_over([*chain.from_iterable(table.references)])
            values = {name: _statistics(counted, table, chosen.tolist()) for name, chosen in rows.items()}
            score = float(
                metric.corpus_from_totals(np.sum([one.sum(axis=0) for one in values.values()], axis=0))
            )
            whole = np.concatenate([*values.values()])
        if not values:
            return [Scored(options.table, len(table), score, segments)]
        parts = [
            Scored(name, len(own), _of_corpus(metric, own), np.zeros(0), _interval(metric, own, options))
            for name, own in (values.items() if len(rows) > 1 or options.documents else ())
        ]
        interval = _interval(metric, whole, options)
    return [Scored(options.table, len(table), score, segments, interval, tuple(parts))]


def _of_corpus(metric: SegmentMetric, values: Float) -> float:
    return float(values.mean() if metric.averages else metric.corpus_from_totals(values.sum(axis=0)))


def _interval(metric: SegmentMetric, values: Float, options: Namespace) -> "Interval | None":
    """The interval of a corpus score: of a mean of segment scores, or of counts that are pooled."""
    if not (options.confidence and _with_corpora(options)):
        return None
    from pfsm.evaluation import PooledCounts, compare_systems  # noqa: PLC0415 - most runs need no resampling

    if metric.averages:
        return compare_systems(["it"], [values], options.confidence_n).systems[0].interval
    pooled = PooledCounts([values], metric.corpus_from_totals, metric.lower_is_better)
    nothing = np.zeros(len(values))
    return compare_systems(["it"], [nothing], options.confidence_n, pooled=pooled).systems[0].interval


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
