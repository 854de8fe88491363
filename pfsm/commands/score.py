"""``pfsm score``: scores of segments and systems."""

import json
import math
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.commands import score_partitions
from pfsm.commands.arguments import (
    add_format,
    add_scorer,
    add_spreadsheet,
    add_threads,
    decimals,
    open_scorer,
)
from pfsm.commands.clusters import sharing
from pfsm.data import SystemOutput, read_pairs_table, read_parallel
from pfsm.data.parallel import PairsTable
from pfsm.errors import PfsmError
from pfsm.io.files import STANDARD_INPUT
from pfsm.io.spreadsheets import tsv_row
from pfsm.metrics import SegmentMetric
from pfsm.metrics.data_columns import missing_column
from pfsm.metrics.references import NumberOfReferences, Streams, as_streams, number_by_segment
from pfsm.runtime.progress import Stage

Float = NDArray[np.float64]
# Of the logger; and seconds before a stage is worth a bar.
AREA, PATIENCE = "score", 0.5


@dataclass(frozen=True, eq=False)
class _Scored:
    """One system's scores.

    Attributes:
        system: Its name.
        n: Number of segments.
        score: Of all of them.
        parts: Scores of the systems that a table names.
        segments: float64 [n], where they are wanted.
    """

    system: str
    n: int
    score: float
    parts: dict[str, float]
    segments: Float


def add_arguments(parser: ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument(
        "references", nargs="*", metavar="REF", help="reference file(s), one segment a line; .gz is read"
    )
    parser.add_argument(
        "--input",
        "-i",
        nargs="+",
        metavar="HYP",
        help="hypothesis file(s), parallel to REF (default: standard input)",
    )
    parser.add_argument(
        "--table",
        metavar="FILE",
        help="instead: a TSV with reference and hypothesis, or COMET's CSV with ref and mt; with --output also a "
        "folder, a pattern, Parquet, any address of fsspec",
    )
    add_scorer(parser)
    parser.add_argument("--sentence-level", "-sl", action="store_true", help="one score a line")
    parser.add_argument("--score-only", "-b", action="store_true", help="print the number alone")
    parser.add_argument(
        "--width", "-w", type=decimals, default=4, metavar="N", help="decimals in text (default: 4)"
    )
    add_format(parser, "text", "json", "tsv")
    add_spreadsheet(parser)
    add_threads(parser)
    score_partitions.add_arguments(parser)


def run(options: Namespace) -> None:
    """Reads, scores, prints."""
    score_partitions.check(options)
    if options.table is not None and (options.references or options.input):
        raise PfsmError("give either --table, or REF and -i, not both")
    if options.table is None and not options.references:
        raise PfsmError("nothing to score; give a reference file, or --table FILE")
    metric = open_scorer(options)
    if options.table is None and metric.columns:
        raise missing_column(metric.columns[0], f"model {metric.name}")
    if options.output is not None:
        score_partitions.run(metric, options)
        return
    with sharing(options.scheduler) as shared:
        work = _Work(shared.metric(metric), options)
        if options.table is not None:
            results, nrefs = work.table(options.table)
        else:
            results, nrefs = work.files(options.references, options.input or [STANDARD_INPUT])
    write = {"text": _print_text, "json": _print_json, "tsv": _print_tsv}[options.format]
    write(results, metric, nrefs, options)


class _Work:
    """What is to be found out about systems with a metric: scores of segments, scores of corpora, or both."""

    def __init__(self, metric: SegmentMetric, options: Namespace) -> None:
        self._metric = metric
        self._segments = options.sentence_level
        self._corpora = not options.sentence_level or options.format == "json"

    def files(
        self, references: Sequence[str], outputs: Sequence[str]
    ) -> tuple[list[_Scored], NumberOfReferences]:
        """Scores of parallel files."""
        with Stage(AREA, "reading", patience=PATIENCE):
            text = read_parallel(references, outputs)
        total, unit = (len(text.systems), "files") if len(text.systems) > 1 else (None, "")
        results = []
        with Stage(AREA, f"scoring with {self._metric.name}", total, unit, patience=PATIENCE) as stage:
            for system in text.systems:
                results.append(self._file(system, text.references))
                stage.advance()
        return results, len(text.references)

    def _file(self, system: SystemOutput, references: Streams) -> _Scored:
        segments, score = np.zeros(0), math.nan
        if self._segments or self._metric.averages:
            segments = self._metric.segment_scores(system.lines, references)
        if self._metric.averages:
            score = float(segments.mean())
        elif self._corpora:
            score = float(self._metric.corpus_score(system.lines, references))
        return _Scored(system.name, len(system), score, {}, segments)

    def table(self, path: str) -> tuple[list[_Scored], NumberOfReferences]:
        """Scores of a table, and of each system in it."""
        with Stage(AREA, "reading", patience=PATIENCE):
            table = read_pairs_table(path, self._metric.columns)
        with Stage(AREA, f"scoring with {self._metric.name}", patience=PATIENCE):
            return self._rows(path, table)

    def _rows(self, path: str, table: PairsTable) -> tuple[list[_Scored], NumberOfReferences]:
        rows = _rows_by_system(table)
        segments, score, parts = np.zeros(0), math.nan, {}
        if self._segments or self._metric.averages:
            segments = self._metric.score_rows(table.hypotheses, table.references, table.numbers)
        if self._metric.averages:
            score = float(segments.mean())
            parts = {name: float(segments[chosen].mean()) for name, chosen in rows.items()}
        elif self._corpora:
            # What is counted over references is counted over those of all systems.
            metric = self._metric.counted_over([line for several in table.references for line in several])
            totals = {name: _totals(metric, table, chosen.tolist()) for name, chosen in rows.items()}
            score = self._of(np.sum([*totals.values()], axis=0))
            parts = {name: self._of(total) for name, total in totals.items()}
        parts = parts if len(rows) > 1 else {}
        return [_Scored(path, len(table), score, parts, segments)], number_by_segment(table.references)

    def _of(self, totals: Float) -> float:
        return float(self._metric.corpus_from_totals(totals))


def _rows_by_system(table: PairsTable) -> dict[str, NDArray[np.int64]]:
    found: dict[str, list[int]] = {}
    for row, name in enumerate(table.systems or [""] * len(table)):
        found.setdefault(name, []).append(row)
    return {name: np.array(found[name], dtype=np.int64) for name in sorted(found)}


def _totals(metric: SegmentMetric, table: PairsTable, rows: Sequence[int]) -> Float:
    references = as_streams([table.references[row] for row in rows])
    statistics = metric.segment_statistics([table.hypotheses[row] for row in rows], references)
    return np.asarray(statistics.sum(axis=0))


def _print_text(
    results: list[_Scored], metric: SegmentMetric, nrefs: NumberOfReferences, options: Namespace
) -> None:
    several, signature = len(results) > 1, metric.get_signature(nrefs, "corpus")
    width = options.width
    for result in results:
        if options.sentence_level:
            for index, score in enumerate(result.segments.tolist()):
                print(f"{result.system}\t{index}\t{score:.{width}f}" if several else f"{score:.{width}f}")
            continue
        number = f"{result.score:.{width}f}"
        line = number if options.score_only else f"{metric.name}|{signature} = {number}"
        print(f"{result.system}\t{line}" if several else line)
        for system, mean in result.parts.items():
            print(f"{system}\t{mean:.{width}f}")


def _print_json(
    results: list[_Scored], metric: SegmentMetric, nrefs: NumberOfReferences, options: Namespace
) -> None:
    documents: list[dict[str, Any]] = []
    for result in results:
        document: dict[str, Any] = {
            "name": metric.name,
            "score": result.score,
            "signature": metric.get_signature(nrefs, "corpus"),
            "system": result.system,
            "segments": result.n,
        }
        if result.parts:
            document["systems"] = result.parts
        if options.sentence_level:
            document["segment_signature"] = metric.get_signature(nrefs)
            document["segment_scores"] = result.segments.tolist()
        documents.append(document)
    print(json.dumps(documents[0] if len(documents) == 1 else documents, indent=1, ensure_ascii=False))


def _print_tsv(
    results: list[_Scored], metric: SegmentMetric, nrefs: NumberOfReferences, options: Namespace
) -> None:
    signature = metric.get_signature(nrefs, "corpus")
    if options.sentence_level:
        print("system\tsegment\tscore")
    else:
        print("system\tscore\tname\tsignature")
    for result in results:
        if options.sentence_level:
            for index, score in enumerate(result.segments.tolist()):
                print(tsv_row([result.system, str(index), repr(score)], spreadsheet=options.spreadsheet))
            continue
        for system, mean in [(result.system, result.score), *result.parts.items()]:
            print(tsv_row([system, repr(mean), metric.name, signature], spreadsheet=options.spreadsheet))
