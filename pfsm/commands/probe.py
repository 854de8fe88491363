"""``pfsm probe``: tests on minimal pairs whether a model notices what people notice."""

import json
import math
from argparse import ArgumentParser, Namespace
from typing import Any

from pfsm.commands.arguments import (
    add_format,
    add_resamples,
    add_scorer,
    add_spreadsheet,
    add_threads,
    open_scorer,
)
from pfsm.commands.evaluation_statistics import interval_entry
from pfsm.commands.evaluation_text import NO_INTERVAL
from pfsm.data.minimal_pairs import KINDS, MinimalPairs, read_minimal_pairs, shipped_minimal_pairs
from pfsm.evaluation import default_seed
from pfsm.evaluation.bootstrap import Interval
from pfsm.evaluation.probe import ALL, KindResult, ProbeResult, probe
from pfsm.evaluation.samples import Estimate
from pfsm.io.spreadsheets import tsv_row
from pfsm.metrics import SegmentMetric


def add_arguments(parser: ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument(
        "pairs",
        nargs="?",
        metavar="FILE.tsv",
        help="minimal pairs: columns kind, reference, better, worse (default: the shipped ones)",
    )
    add_scorer(parser)
    parser.add_argument("--list", action="store_true", help="print every pair with its two scores")
    add_spreadsheet(parser)
    add_format(parser, "text", "json")
    add_resamples(parser)
    add_threads(parser)


def run(options: Namespace) -> None:
    """Reads, scores, counts, prints."""
    seed = default_seed()
    metric = open_scorer(options)
    pairs = read_minimal_pairs(options.pairs) if options.pairs is not None else _shipped(metric)
    result = probe(metric, pairs, n_resamples=options.confidence_n, seed=seed)
    document = {
        "name": metric.name,
        "signature": metric.get_signature(1),
        "pairs": pairs.source.name,
        "sha256": pairs.source.checksum,
        "kinds": [_kind_document(kind) for kind in result.kinds],
        "resamples": options.confidence_n,
        "seed": seed,
    }
    if options.format == "json":
        if options.list:
            document["scores"] = _pair_documents(pairs, result)
        print(json.dumps(document, indent=1, ensure_ascii=False))
    elif options.list:
        _print_pairs(pairs, result, spreadsheet=options.spreadsheet)
    else:
        _print_kinds(result, document)


def _shipped(metric: SegmentMetric) -> MinimalPairs:
    """The shipped pairs for the metric's language; the English pairs for metrics without a language."""
    language = metric.language.replace("_", "-").partition("-")[0].lower()
    return shipped_minimal_pairs({"eng": "en"}.get(language, language) or "en")


def _kind_document(result: KindResult) -> dict[str, Any]:
    return {
        "kind": result.kind,
        "n": result.n,
        "worse_is_lower": _estimate(result.lower),
        "ties": result.ties,
        "difference": _estimate(result.difference),
    }


def _estimate(estimate: Estimate) -> dict[str, Any]:
    return {"value": estimate.value, "interval": interval_entry(estimate.interval)}


def _pair_documents(pairs: MinimalPairs, result: ProbeResult) -> list[dict[str, Any]]:
    rows = zip(
        pairs.kinds, pairs.references, pairs.better, pairs.worse, result.better, result.worse, strict=True
    )
    keys = ("kind", "reference", "better", "worse", "better_score", "worse_score")
    return [dict(zip(keys, (*row[:4], float(row[4]), float(row[5])), strict=True)) for row in rows]


def _print_pairs(pairs: MinimalPairs, result: ProbeResult, *, spreadsheet: bool) -> None:
    """Prints a TSV that `pfsm probe` can read again, with the scores as two more columns."""
    documents = _pair_documents(pairs, result)
    print("\t".join(documents[0]))
    for document in documents:
        *texts, better, worse = document.values()
        print(tsv_row([*texts, f"{better:.4f}", f"{worse:.4f}"], spreadsheet=spreadsheet))


HEADINGS = ("kind", "n", "worse is lower", "mean difference", "what is worse")


def _print_kinds(result: ProbeResult, document: dict[str, Any]) -> None:
    rows = [HEADINGS, *map(_cells, result.kinds)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    print(f"{document['name']}|{document['signature']}")
    print()
    for row in rows:
        print("  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip())
    print(
        f"[95% intervals: Wilson; of differences {document['resamples']} bootstrap resamples, "
        f"seed {document['seed']}]"
    )


def _cells(result: KindResult) -> tuple[str, ...]:
    lower, difference = result.lower, result.difference
    notes = [
        "" if result.kind == ALL else KINDS.get(result.kind, ""),
        f"{result.ties} tied" * bool(result.ties),
    ]
    return (
        result.kind,
        f"{result.n:>4}",
        f"{lower.value:6.1%} {_range(lower.interval, '{:.0%}')}",
        f"{difference.value:+9.4f} {_range(difference.interval, '{:+.3f}')}",
        "; ".join(filter(None, notes)),
    )


def _range(interval: Interval, form: str) -> str:
    if math.isnan(interval.low):
        return NO_INTERVAL
    return f"[{form.format(interval.low)}, {form.format(interval.high)}]"
