"""``pfsm explain``: why segments got their scores, in the terminal, as a page, as alignments."""

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from pfsm.commands.arguments import (
    add_format,
    add_quiet,
    add_scorer,
    add_signature,
    check_output,
    heading,
    hush,
    open_model,
    positive,
)
from pfsm.commands.explain_parts import counted, explain_parts, open_metric
from pfsm.commands.languages import check_text
from pfsm.commands.test_sets import add_test_set, reference_paths
from pfsm.data import ParallelText, read_parallel
from pfsm.errors import PfsmError
from pfsm.io.files import atomic_write
from pfsm.model.explain.document import explanation_document
from pfsm.model.explain.explanation import Explanation
from pfsm.model.explain.page import render_page
from pfsm.model.explain.text import explanation_lines, pharaoh
from pfsm.model.metric import Metric


def add_arguments(parser: ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument(
        "references",
        nargs="*",
        metavar="REF",
        help="reference file(s), one segment a line; .gz is read; of several the one that counted is shown",
    )
    parser.add_argument(
        "--input",
        "-i",
        nargs="+",
        required=True,
        metavar="HYP",
        help="one hypothesis file, or several, parallel to REF",
    )
    parser.add_argument("--segment", type=positive, metavar="N", help="this segment alone, counted from 1")
    add_test_set(parser)
    add_scorer(parser)
    add_signature(parser)
    add_quiet(parser)
    parser.add_argument(
        "--html", metavar="FILE", help="write one self-contained page, for one or two hypothesis files"
    )
    parser.add_argument(
        "--alignments",
        metavar="FILE",
        help="write the alignments, i-j with i in REF and j in HYP, counted from 0, one segment a line",
    )
    add_format(parser, "text", "json", more="; text and page count segments from 1, json from 0")


def run(options: Namespace) -> None:
    """Reads, explains, prints or writes."""
    hush(options)
    references = reference_paths(options, options.references)
    if not references:
        raise PfsmError("no references to explain with; give a reference file, or --test-set NAME")
    _check_outputs(options, references)
    if options.metric is not None:
        classic = open_metric(options)
        text = read_parallel(references, options.input)
        check_text(classic, chain.from_iterable(text.references), options)
        explain_parts(classic, text, references, _chosen(options.segment, len(text.references[0])), options)
        return
    metric = open_model(options, 1)
    text = read_parallel(references, options.input)
    check_text(metric, chain.from_iterable(text.references), options)
    chosen = _chosen(options.segment, len(text.references[0]))
    told = [_explain(metric, text, references, number, chosen) for number in range(len(text.systems))]
    systems = [(system.name, explained) for system, (explained, _) in zip(text.systems, told, strict=True)]
    name = heading(metric, len(references), "segment", options)
    if options.html is not None:
        long = f"{metric.name}|{metric.get_signature(len(references))}"
        with atomic_write(options.html) as handle:
            title = " ".join(references)
            handle.write(render_page(systems, title, long, [segment + 1 for segment in chosen]))
    if options.alignments is not None:
        if not metric.model.settings.edits:
            raise PfsmError(f"model {metric.name} has no edits (edits: false), so it aligns no words")
        _write_alignments(options.alignments, systems[0][1])
    if options.html is not None or options.alignments is not None:
        return
    if options.format == "json":
        documents = _document(systems, [means for _, means in told], chosen, metric, len(references))
        print(json.dumps(documents, indent=1, ensure_ascii=False))
    else:
        _print_text(systems, chosen, name)


def _check_outputs(options: Namespace, references: Sequence[str]) -> None:
    if options.html is not None:
        if len(options.input) > 2:
            raise PfsmError("--html sets at most two hypothesis files side by side")
        check_output(options.html, [*references, *options.input])
    if options.alignments is not None:
        if len(options.input) > 1:
            raise PfsmError("--alignments takes one hypothesis file; call it once for each")
        check_output(options.alignments, [*references, *options.input])


def _chosen(segment: int | None, count: int) -> Sequence[int]:
    """Places of the segments, from 0; ``segment`` is counted from 1."""
    if segment is None:
        return range(count)
    if segment > count:
        raise PfsmError(f"there is no segment {segment}; the files have segments 1 to {count}")
    return [segment - 1]


def _explain(
    metric: Metric, text: ParallelText, references: Sequence[str], system: int, chosen: Sequence[int]
) -> tuple[list[Explanation], Sequence[float | None]]:
    """Explanations of a system's segments, of several references that of the one with the best score; and `_means`."""
    output = text.systems[system]
    lines = [output.lines[segment] for segment in chosen]
    streams = [[stream[segment] for segment in chosen] for stream in text.references]
    best = counted(metric, lines, streams)
    means = _means(metric, lines, streams)
    chosen_references = [streams[number][place] for place, number in enumerate(best)]
    explained = metric.explanations(lines, chosen_references, as_arrays=True)
    explanations: list[Explanation] = []
    try:
        for number, mean, explanation in zip(best, means, explained, strict=True):
            told = "" if mean is None else f"; mean score of all references {mean:.4f}"
            of = f"{number + 1} of {len(streams)}, {references[number]}{told}" if len(streams) > 1 else ""
            explanations.append(replace(explanation, counted=of))
    except PfsmError as error:
        raise PfsmError(f"{output.name}:{chosen[len(explanations)] + 1}: {error}") from None
    return explanations, means


def _means(
    metric: Metric, lines: Sequence[str], streams: Sequence[Sequence[str]]
) -> list[float] | list[None]:
    """The segments' scores where these are means over several references, else None."""
    if len(streams) == 1 or metric.segment_references != "mean":
        return [None] * len(lines)
    means: list[float] = metric.segment_scores(lines, streams).tolist()
    return means


def _write_alignments(path: str, explanations: Sequence[Explanation]) -> None:
    with atomic_write(path) as handle:
        handle.writelines(f"{pharaoh(explanation)}\n" for explanation in explanations)


def _document(
    systems: Sequence[tuple[str, Sequence[Explanation]]],
    means: Sequence[Sequence[float | None]],
    chosen: Sequence[int],
    metric: Metric,
    nrefs: int,
) -> list[dict[str, Any]]:
    return [
        {
            "name": metric.name,
            "signature": metric.get_signature(nrefs),
            "short_signature": metric.get_short_signature(nrefs),
            "system": name,
            "segments_counted_from": 0,
            "segments": [
                {"segment": segment, **explanation_document(explanation, mean)}
                for segment, explanation, mean in zip(chosen, explanations, of_system, strict=True)
            ],
        }
        for (name, explanations), of_system in zip(systems, means, strict=True)
    ]


def _print_text(
    systems: Sequence[tuple[str, Sequence[Explanation]]], chosen: Sequence[int], name: str
) -> None:
    print(name)
    for place, segment in enumerate(chosen):
        for system, explanations in systems:
            print()
            explained = explanations[place]
            of_system = f"  {system}" if len(systems) > 1 else ""
            reference = f"  (reference {explained.counted})" if explained.counted else ""
            print(f"segment {segment + 1}{of_system}{reference}")
            for line in explanation_lines(explained):
                print(f"  {line}".rstrip())
