"""``pfsm score``: scores of segments and systems."""

import math
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from pfsm.commands.arguments import (
    check_text,
    hush,
    note_skipped,
    open_scorers,
    reference_paths,
)
from pfsm.commands.options import check_output, declare, refuse_without
from pfsm.commands.score_output import AREA, PATIENCE, Column, Scored, interval, print_scores, with_corpora
from pfsm.data import ParallelText, read_parallel
from pfsm.errors import PfsmError
from pfsm.io.files import STANDARD_INPUT
from pfsm.io.limits import byte_size
from pfsm.metrics import SegmentMetric
from pfsm.metrics.inputs import (
    NumberOfReferences,
    by_segment,
    missing_column,
    number_by_segment,
    number_of_references,
)
from pfsm.model.metric import Metric
from pfsm.runtime.terminal import Stage
from pfsm.text.mismatch import warn_of_mismatches

if TYPE_CHECKING:
    from pfsm.data.parallel import PairsTable

# Endings of files of scores.
FORMATS = ("parquet", "tsv", "tsv.gz")
LEAST_BYTES = 1 << 10
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
        from pfsm.commands import score_table  # noqa: PLC0415 - most runs read lines

        text = score_table.read_table(metrics, options)
        n, nrefs = len(text), number_by_segment(text.references)
        results = [score_table.scored_table(metric, text, options) for metric in metrics]
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
            elif with_corpora(options):
                score = float(metric.corpus_score(lines, text.references))
                if options.confidence:
                    values = metric.segment_statistics(lines, text.references)
            found.append(Scored(system.name, len(system), score, segments, interval(metric, values, options)))
    return found
