"""``pfsm data info``: summarises a file of judgments, and what two files share."""

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from pfsm.commands.arguments import add_format
from pfsm.commands.data_convert import add_reader_options, reader_options
from pfsm.data.formats import read_format
from pfsm.data.summary import Finding, Scores, Shared, Summary, bars, shared
from pfsm.data.tally import summarise
from pfsm.errors import PfsmError

_BAR = 40
_NAMES_SHOWN = 20


def add_arguments(parser: ArgumentParser) -> None:
    """Arguments of the action."""
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="a file to summarise, or two files to see also what they share",
    )
    add_format(parser, "text", "json")
    add_reader_options(parser)


def run(options: Namespace) -> None:
    """Reads, counts, prints."""
    if len(options.files) > 2:
        raise PfsmError(f"{len(options.files)} files; give one, or two to compare")
    chosen = reader_options(options)
    summaries = [summarise(read_format([path], chosen, options.from_format)) for path in options.files]
    for path, summary in zip(options.files, summaries, strict=True):
        if not summary.rows:
            raise PfsmError(f"{path}: no rows below the header")
    overlap = shared(*(summary.fingerprints for summary in summaries)) if len(summaries) == 2 else None
    if options.format == "json":
        documents = [_document(path, summary) for path, summary in zip(options.files, summaries, strict=True)]
        document: dict[str, Any] = {"files": documents}
        if overlap is not None:
            document["overlap"] = {name: asdict(counts) for name, counts in overlap.items()}
        print(json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False))
        return
    for path, summary in zip(options.files, summaries, strict=True):
        _print_summary(path, summary)
    if overlap is not None:
        _print_overlap(options.files, overlap)


def _document(path: str, summary: Summary) -> dict[str, Any]:
    document = asdict(summary)
    del document["fingerprints"]
    document["kind"] = "preferences" if document.pop("preferences") else "judgments"
    if not summary.preferences:
        del document["votes"]
    document["references"] = {str(number): rows for number, rows in summary.references.items()}
    if summary.scores is not None:
        names = ("minimum", "lower_quartile", "median", "upper_quartile", "maximum")
        document["scores"]["quantiles"] = dict(zip(names, summary.scores.quantiles, strict=True))
    return {"file": path, **document}


def _print_summary(path: str, summary: Summary) -> None:
    kind = "preferences" if summary.preferences else "judgments"
    print(f"{path}: {summary.rows} {kind}")
    print(f"  columns         {', '.join(summary.columns)}")
    for label, counts in (
        ("language pairs", summary.language_pairs),
        ("test sets", summary.test_sets),
        ("systems", summary.systems),
        ("raters", summary.raters),
    ):
        if counts:
            print(f"  {label:14}  {_names(counts)}")
    print(
        f"  segments        {summary.segments}"
        + (f" in {summary.documents} documents" if summary.documents else "")
    )
    print(
        f"  references      {', '.join(f'{number} of {rows} rows' for number, rows in summary.references.items())}"
    )
    if summary.preferences:
        print(f"  votes           {summary.votes:g}")
    if summary.scores is not None:
        _print_scores(summary.scores)
    _print_findings(summary.findings)


def _names(counts: Mapping[str, int]) -> str:
    shown = ", ".join(f"{name} ({rows})" for name, rows in list(counts.items())[:_NAMES_SHOWN])
    more = f", and {len(counts) - _NAMES_SHOWN} more" if len(counts) > _NAMES_SHOWN else ""
    return f"{len(counts)}: {shown}{more}" if len(counts) > 1 else shown


def _print_scores(scores: Scores) -> None:
    minimum, lower, median, upper, maximum = scores.quantiles
    print(f"  scores          mean {scores.mean:.4g}, sd {scores.sd:.4g}")
    quartiles = f"{lower:.4g} {median:.4g} {upper:.4g}"
    print(f"                  minimum {minimum:.4g}, quartiles {quartiles}, maximum {maximum:.4g}")
    edges = [f"{edge:.4g}" for edge in scores.edges]
    width = max(len(edge) for edge in edges)
    for low, high, count, bar in zip(
        edges, edges[1:], scores.counts, bars(scores.counts, _BAR), strict=False
    ):
        print(f"    {low:>{width}} to {high:>{width}}  {count:>8}  {bar}".rstrip())


def _print_findings(findings: Mapping[str, Finding]) -> None:
    print("  checks")
    for name, finding in findings.items():
        where = f"  (first: line {finding.first_line})" if finding.first_line is not None else ""
        print(f"    {finding.rows:>8}  {name}{where}")


def _print_overlap(files: list[str], overlap: Mapping[str, Shared]) -> None:
    print(f"shared by {files[0]} and {files[1]}")
    for name, counts in overlap.items():
        print(f"    {counts.both:>8}  {name}, of {counts.first} and {counts.second}")
