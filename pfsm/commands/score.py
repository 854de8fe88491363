"""``pfsm score``: scores of segments and systems."""

import json
from argparse import ArgumentParser, Namespace
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.commands import score_partitions
from pfsm.commands.arguments import add_format, add_scorer, add_threads, decimals
from pfsm.commands.clusters import sharing
from pfsm.data import read_pairs_table, read_parallel
from pfsm.errors import PfsmError
from pfsm.io.files import STANDARD_INPUT
from pfsm.metrics import SegmentScorer, best_of_references, get_metric
from pfsm.model.metric import Metric
from pfsm.model.shipped import DEFAULT_MODEL, load
from pfsm.model.signature import signature

Scorer = Metric | SegmentScorer


@dataclass(frozen=True, eq=False)
class _Scored:
    """One system's scores; ``parts`` are the means of the systems that a table names."""

    system: str
    segments: NDArray[np.float64]
    parts: dict[str, float]

    @property
    def score(self) -> float:
        return float(self.segments.mean())


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
    add_threads(parser)
    score_partitions.add_arguments(parser)


def run(options: Namespace) -> None:
    """Reads, scores, prints."""
    score_partitions.check(options)
    if options.table is not None and (options.references or options.input):
        raise PfsmError("give either --table, or REF and -i, not both")
    if options.table is None and not options.references:
        raise PfsmError("nothing to score; give a reference file, or --table FILE")
    metric = _scorer(options)
    if options.output is not None:
        score_partitions.run(metric, lambda nrefs: _signature(metric, nrefs), options)
        return
    with sharing(options.scheduler) as shared:
        at_work = shared.metric(metric)
        if options.table is not None:
            results, nrefs = _score_table(at_work, options.table)
        else:
            results, nrefs = _score_files(at_work, options)
    write = {"text": _print_text, "json": _print_json, "tsv": _print_tsv}[options.format]
    write(results, metric.name, _signature(metric, nrefs), options)


def _scorer(options: Namespace) -> Scorer:
    if options.metric is None:
        return load(DEFAULT_MODEL if options.model is None else options.model, options.threads)
    if options.model is not None:
        raise PfsmError("give either --model or --metric, not both")
    return SegmentScorer(get_metric(options.metric), options.metric)


def _signature(metric: Scorer, nrefs: int | None) -> str:
    if isinstance(metric, Metric):
        return signature(metric.model, nrefs, metric.resources)
    return metric.get_signature(nrefs)


def _score_files(metric: Scorer, options: Namespace) -> tuple[list[_Scored], int | None]:
    text = read_parallel(options.references, options.input or [STANDARD_INPUT])
    results = [
        _Scored(system.name, metric.segment_scores(system.lines, text.references), {})
        for system in text.systems
    ]
    return results, len(text.references)


def _score_table(metric: Scorer, path: str) -> tuple[list[_Scored], int | None]:
    table = read_pairs_table(path)
    counts = {len(references) for references in table.references}
    segments = best_of_references(metric.score_pairs, table.hypotheses, table.references)
    parts = {}
    if table.systems is not None and len(set(table.systems)) > 1:
        systems = np.array(table.systems, dtype=object)
        parts = {name: float(segments[systems == name].mean()) for name in sorted(set(table.systems))}
    return [_Scored(path, segments, parts)], min(counts) if len(counts) == 1 else None


def _print_text(results: list[_Scored], name: str, signature: str, options: Namespace) -> None:
    several = len(results) > 1
    width = options.width
    for result in results:
        if options.sentence_level:
            for index, score in enumerate(result.segments.tolist()):
                print(f"{result.system}\t{index}\t{score:.{width}f}" if several else f"{score:.{width}f}")
            continue
        number = f"{result.score:.{width}f}"
        line = number if options.score_only else f"{name}|{signature} = {number}"
        print(f"{result.system}\t{line}" if several else line)
        for system, mean in result.parts.items():
            print(f"{system}\t{mean:.{width}f}")


def _print_json(results: list[_Scored], name: str, signature: str, options: Namespace) -> None:
    documents: list[dict[str, Any]] = []
    for result in results:
        document: dict[str, Any] = {
            "name": name,
            "score": result.score,
            "signature": signature,
            "system": result.system,
            "segments": int(result.segments.size),
        }
        if result.parts:
            document["systems"] = result.parts
        if options.sentence_level:
            document["segment_scores"] = result.segments.tolist()
        documents.append(document)
    print(json.dumps(documents[0] if len(documents) == 1 else documents, indent=1, ensure_ascii=False))


def _print_tsv(results: list[_Scored], name: str, signature: str, options: Namespace) -> None:
    if options.sentence_level:
        print("system\tsegment\tscore")
    else:
        print("system\tscore\tname\tsignature")
    for result in results:
        if options.sentence_level:
            for index, score in enumerate(result.segments.tolist()):
                print(f"{result.system}\t{index}\t{score!r}")
            continue
        for system, mean in [(result.system, result.score), *result.parts.items()]:
            print(f"{system}\t{mean!r}\t{name}\t{signature}")
