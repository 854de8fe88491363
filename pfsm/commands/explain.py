"""``pfsm explain``: why segments got their scores, in the terminal, as a page, as alignments."""

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
from pfsm.commands.languages import check_text, metric_options
from pfsm.commands.test_sets import add_test_set, reference_paths
from pfsm.data import ParallelText, SystemOutput, read_parallel
from pfsm.errors import PfsmError
from pfsm.io.files import atomic_write
from pfsm.metrics import SegmentMetric, get_metric, metric_names
from pfsm.metrics.registry import metric_parts, part_names
from pfsm.model.explain.explanation import Explanation, explanation_document
from pfsm.model.explain.page import render_page
from pfsm.model.explain.text import explanation_lines, pharaoh
from pfsm.model.metric import Metric


@dataclass(frozen=True, eq=False)
class _System:
    """Scores of a system's segments, float64 [n_segments], and parts of them by name, likewise.

    ``counted`` says which of several references each segment was scored with. ``alone`` has the scores against this
    reference, which the parts explain; ``scores`` differ from them where a metric uses several references together.
    """

    name: str
    lines: Sequence[str]
    references: Sequence[str]
    counted: Sequence[str]
    scores: NDArray[np.float64]
    alone: NDArray[np.float64]
    parts: Mapping[str, NDArray[np.float64]]


def _open_metric(options: Namespace) -> SegmentMetric:
    for option in ("model", "html", "alignments"):
        if getattr(options, option) is not None:
            raise PfsmError(f"give either --metric or --{option}, not both")
    metric = get_metric(options.metric, **metric_options(options.metric, options))
    if not part_names(options.metric) and not metric.has_named_parts:
        known = ", ".join(name for name in metric_names() if part_names(name))
        raise PfsmError(
            f"metric {metric.name}: its scores have no parts that explain them; metrics with parts: {known}"
        )
    return metric


def _counted(metric: SegmentMetric, lines: Sequence[str], streams: Sequence[Sequence[str]]) -> list[int]:
    if len(streams) == 1:
        return [0] * len(lines)
    scores = np.array([metric.score_pairs(lines, stream) for stream in streams])
    return [int(number) for number in scores.argmax(axis=0)]


def _explain_parts(
    metric: SegmentMetric, text: ParallelText, paths: Sequence[str], chosen: Sequence[int], options: Namespace
) -> None:
    systems = [_explained(metric, output, text.filled, paths, chosen, options) for output in text.systems]
    together = len(paths) > 1 and metric.segment_references != "best"
    if options.format == "json":
        documents = [_parts_document(system, chosen, metric, len(paths)) for system in systems]
        print(json.dumps(documents, indent=1, ensure_ascii=False))
        return
    print(heading(metric, len(paths), "segment", options))
    for place, segment in enumerate(chosen):
        for system in systems:
            _print_head(segment, system.name if len(systems) > 1 else "", system.counted[place])
            _print_segment(system, place, together=together)


def _print_head(segment: int, system: str, counted: str) -> None:
    print()
    reference = f"  (reference {counted})" if counted else ""
    print(f"segment {segment + 1}{f'  {system}' if system else ''}{reference}")


def _head(metric: SegmentMetric, nrefs: int, system: str) -> dict[str, Any]:
    return {
        "name": metric.name,
        "signature": metric.get_signature(nrefs),
        "short_signature": metric.get_short_signature(nrefs),
        "system": system,
        "segments_counted_from": 0,
    }


def _explained(
    metric: SegmentMetric,
    output: SystemOutput,
    streams: Sequence[Sequence[str]],
    paths: Sequence[str],
    chosen: Sequence[int],
    options: Namespace,
) -> _System:
    """Scores and parts of a system's chosen segments."""
    asked = chosen if metric.is_independent else range(len(output.lines))
    lines = [output.lines[segment] for segment in asked]
    several = [[stream[segment] for segment in asked] for stream in streams]
    repeated, flat = lines * len(several), [line for stream in several for line in stream]
    alone = metric.score_pairs(repeated, flat).reshape(len(several), -1)
    parts = metric.named_parts(repeated, flat) or metric_parts(options.metric, repeated, flat)
    scores, best = metric.segment_scores(lines, several), alone.argmax(axis=0)
    places = np.array([asked.index(segment) for segment in chosen])
    best = best[places]
    return _System(
        output.name,
        [lines[place] for place in places],
        [several[number][place] for number, place in zip(best, places, strict=True)],
        [f"{number + 1} of {len(paths)}, {paths[number]}" if len(paths) > 1 else "" for number in best],
        scores[places],
        alone[best, places],
        {name: values.reshape(len(several), -1)[best, places] for name, values in parts.items()},
    )


def _parts_document(
    system: _System, chosen: Sequence[int], metric: SegmentMetric, nrefs: int
) -> dict[str, object]:
    segments = [
        {
            "segment": segment,
            "score": float(system.scores[place]),
            "score_of_reference": float(system.alone[place]),
            "reference": system.references[place],
            "counted": system.counted[place],
            "hypothesis": system.lines[place],
            "parts": {name: float(values[place]) for name, values in system.parts.items()},
        }
        for place, segment in enumerate(chosen)
    ]
    return {**_head(metric, nrefs, system.name), "segments": segments}


def _print_segment(system: _System, place: int, *, together: bool) -> None:
    print(f"  score       {system.scores[place]:.4f}")
    print(f"  reference   {system.references[place]}".rstrip())
    print(f"  hypothesis  {system.lines[place]}".rstrip())
    if together:
        print(f"  parts of    {system.alone[place]:.4f}, the score against this reference alone")
    print()
    for name, values in system.parts.items():
        print(f"  {values[place]:>10.4f}  {name}")


def add_arguments(parser: ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument(
        "references", nargs="*", metavar="REF",
        help="reference file(s), one segment a line; .gz is read; of several, the best is shown",
    )  # fmt: skip
    parser.add_argument(
        "--input", "-i", nargs="+", required=True, metavar="HYP",
        help="one hypothesis file, or several, parallel to REF",
    )  # fmt: skip
    parser.add_argument("--segment", type=positive, metavar="N", help="only this segment, counted from 1")
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
    parser.add_argument("--title", help="of the page (default: the systems)")
    add_format(parser, "text", "json", more="; text and page count segments from 1, json from 0")


def run(options: Namespace) -> None:
    """Reads, explains, prints or writes."""
    hush(options)
    references = reference_paths(options, options.references)
    if not references:
        raise PfsmError("no references to explain with; give a reference file, or --test-set NAME")
    _check_outputs(options, references)
    if options.metric is not None:
        classic = _open_metric(options)
        text = read_parallel(references, options.input)
        check_text(classic, text.reference_lines, options)
        _explain_parts(classic, text, references, _chosen(options.segment, len(text.references[0])), options)
        return
    metric = open_model(options, 1)
    text = read_parallel(references, options.input)
    check_text(metric, text.reference_lines, options)
    chosen = _chosen(options.segment, len(text.references[0]))
    told = [_explain(metric, text, references, number, chosen) for number in range(len(text.systems))]
    systems = [(system.name, explained) for system, (explained, _) in zip(text.systems, told, strict=True)]
    name = heading(metric, len(references), "segment", options)
    if options.html is not None:
        long = f"{metric.name}|{metric.get_signature(len(references))}"
        with atomic_write(options.html) as handle:
            title = options.title or f"{' and '.join(name for name, _ in systems)}, explained"
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
    if options.title is not None and options.html is None:
        raise PfsmError("--title is for the page of --html FILE")
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
    streams = [[stream[segment] for segment in chosen] for stream in text.filled]
    best = _counted(metric, lines, streams)
    means = _means(metric, lines, [[stream[segment] for segment in chosen] for stream in text.references])
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
    return metric.undone(explanations, lines, chosen_references), means


def _means(
    metric: Metric, lines: Sequence[str], streams: Sequence[Sequence[str | None]]
) -> list[float] | list[None]:
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
            **_head(metric, nrefs, name),
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
            explained = explanations[place]
            _print_head(segment, system if len(systems) > 1 else "", explained.counted)
            for line in explanation_lines(explained):
                print(f"  {line}".rstrip())
