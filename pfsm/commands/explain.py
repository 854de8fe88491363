"""``pfsm explain``: why segments got their scores, in the terminal, as a page, as alignments."""

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pfsm.commands.arguments import (
    check_text,
    heading,
    hush,
    model_name,
    named_metric,
    reference_paths,
    signatures,
)
from pfsm.commands.options import check_output, declare
from pfsm.commands.output import print_json
from pfsm.data import ParallelText, SystemOutput, read_parallel
from pfsm.errors import PfsmError
from pfsm.io.files import atomic_write
from pfsm.io.pages import page_maker
from pfsm.metrics import SegmentMetric, metric_names
from pfsm.metrics.inputs import best_numbers
from pfsm.metrics.registry import metric_parts, part_names
from pfsm.model.explain.explanation import Explanation, explanation_document
from pfsm.model.explain.text import explanation_lines, pharaoh
from pfsm.model.metric import Metric
from pfsm.model.shipped import load

OPTIONS = """
references REF*  reference file(s), one segment a line; .gz is read; of several, the best is shown
--input, -i HYP+!  one hypothesis file, or several, parallel to REF
--segment N  only this segment, counted from 1
@test-set
@scorer en
@signature
@quiet
--html FILE  write one self-contained page, for one or two hypothesis files
--alignments FILE  write the alignments, i-j with i in REF and j in HYP, counted from 0, one segment a line
--title TITLE  of the page (default: the systems)
@format text json; text and page count segments from 1, json from 0
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Arguments of the command."""
    declare(parser, OPTIONS)


def run(options: Namespace) -> None:
    """Reads, explains, prints or writes."""
    hush(options)
    references = reference_paths(options)
    if not references:
        raise PfsmError("no references to explain with; give a reference file, or --test-set NAME")
    _check_outputs(options, references)
    metric = (
        _open_metric(options) if options.metric is not None else load(model_name(options, options.model), 1)
    )
    text = read_parallel(references, options.input)
    check_text(metric, text.reference_lines, options)
    count = len(text.references[0])
    if options.segment is not None and options.segment > count:
        raise PfsmError(f"there is no segment {options.segment}; the files have segments 1 to {count}")
    chosen = range(count) if options.segment is None else [options.segment - 1]
    if isinstance(metric, Metric):
        _explain(metric, text, references, chosen, options)
    else:
        _explain_parts(metric, text, references, chosen, options)


def _check_outputs(options: Namespace, references: Sequence[str]) -> None:
    for option in ("model", "html", "alignments"):
        if options.metric is not None and getattr(options, option) is not None:
            raise PfsmError(f"give either --metric or --{option}, not both")
    if options.title is not None and options.html is None:
        raise PfsmError("--title is for the page of --html FILE")
    if options.html is not None:
        page_maker("explanation", "--html")
    if options.html is not None and len(options.input) > 2:
        raise PfsmError("--html sets at most two hypothesis files side by side")
    if options.alignments is not None and len(options.input) > 1:
        raise PfsmError("--alignments takes one hypothesis file; call it once for each")
    for output in (options.html, options.alignments):
        check_output(output, [*references, *options.input])


def _open_metric(options: Namespace) -> SegmentMetric:
    metric = named_metric(options.metric, options)
    if not part_names(options.metric) and not metric.has_named_parts:
        known = ", ".join(name for name in metric_names() if part_names(name))
        raise PfsmError(
            f"metric {metric.name}: its scores have no parts that explain them; metrics with parts: {known}"
        )
    return metric


def _explain_parts(
    metric: SegmentMetric, text: ParallelText, paths: Sequence[str], chosen: Sequence[int], options: Namespace
) -> None:
    found = [
        (output.name, _parts(metric, options.metric, output.lines, text.filled, paths, chosen))
        for output in text.systems
    ]
    if options.format == "json":
        _print_documents(metric, len(paths), found)
        return
    print(heading(metric, len(paths), "segment", options))
    for place in range(len(chosen)):
        for system, segments in found:
            one = segments[place]
            _print_head(one["segment"], system if len(found) > 1 else "", one["counted"])
            print(f"  score       {one['score']:.4f}")
            print(f"  reference   {one['reference']}".rstrip())
            print(f"  hypothesis  {one['hypothesis']}".rstrip())
            if len(paths) > 1 and metric.segment_references != "best":
                print(
                    f"  parts of    {one['score_of_reference']:.4f}, the score against this reference alone"
                )
            print()
            for name, value in one["parts"].items():
                print(f"  {value:>10.4f}  {name}")


def _parts(
    metric: SegmentMetric,
    name: str,
    output: Sequence[str],
    streams: Sequence[Sequence[str]],
    paths: Sequence[str],
    chosen: Sequence[int],
) -> list[dict[str, Any]]:
    """A system's chosen segments with the parts of their scores, those against the reference that scores best.

    ``score`` differs from ``score_of_reference``, which the parts explain, where a metric uses several references
    together.
    """
    asked = chosen if metric.is_independent else range(len(output))
    lines = [output[segment] for segment in asked]
    several = [[stream[segment] for segment in asked] for stream in streams]
    repeated, flat = lines * len(several), [line for stream in several for line in stream]
    alone = metric.score_pairs(repeated, flat).reshape(len(several), -1)
    parts = metric.named_parts(repeated, flat) or metric_parts(name, repeated, flat)
    scores, best = metric.segment_scores(lines, several), alone.argmax(axis=0).tolist()
    found = []
    for segment in chosen:
        place = asked.index(segment)
        number = best[place]
        found.append(
            {
                "segment": segment,
                "score": float(scores[place]),
                "score_of_reference": float(alone[number, place]),
                "reference": several[number][place],
                "counted": f"{number + 1} of {len(paths)}, {paths[number]}" if len(paths) > 1 else "",
                "hypothesis": lines[place],
                "parts": {one: float(of.reshape(alone.shape)[number, place]) for one, of in parts.items()},
            }
        )
    return found


def _explain(
    metric: Metric, text: ParallelText, paths: Sequence[str], chosen: Sequence[int], options: Namespace
) -> None:
    """Prints explanations by a model, or writes them as a page or alignments."""
    told = [_explained(metric, output, text, paths, chosen) for output in text.systems]
    systems = [(output.name, own) for output, (own, _) in zip(text.systems, told, strict=True)]
    if options.html is not None:
        long = f"{metric.name}|{metric.get_signature(len(paths))}"
        with atomic_write(options.html) as handle:
            title = options.title or f"{' and '.join(name for name, _ in systems)}, explained"
            numbers = [segment + 1 for segment in chosen]
            handle.write(page_maker("explanation", "--html")(systems, title, long, numbers))
    if options.alignments is not None:
        if not metric.model.settings.edits:
            raise PfsmError(f"model {metric.name} has no edits (edits: false), so it aligns no words")
        with atomic_write(options.alignments) as handle:
            handle.writelines(f"{pharaoh(explanation)}\n" for explanation in systems[0][1])
    if options.html is not None or options.alignments is not None:
        return
    if options.format == "json":
        documents = [
            [
                {"segment": segment, **explanation_document(one, mean)}
                for segment, one, mean in zip(chosen, own, means, strict=True)
            ]
            for own, means in told
        ]
        names = [name for name, _ in systems]
        _print_documents(metric, len(paths), list(zip(names, documents, strict=True)))
        return
    print(heading(metric, len(paths), "segment", options))
    for place, segment in enumerate(chosen):
        for system, explanations in systems:
            _print_head(segment, system if len(systems) > 1 else "", explanations[place].counted)
            for line in explanation_lines(explanations[place]):
                print(f"  {line}".rstrip())


def _explained(
    metric: Metric, output: SystemOutput, text: ParallelText, paths: Sequence[str], chosen: Sequence[int]
) -> tuple[list[Explanation], Sequence[float | None]]:
    """Explanations of a system's segments, of several references that of the one with the best score.

    And the scores that are means over references, where they are.
    """
    lines = [output.lines[segment] for segment in chosen]
    references = [[stream[segment] for stream in text.filled] for segment in chosen]
    best = best_numbers(metric.score_pairs, lines, references)
    means: Sequence[float | None] = [None] * len(lines)
    if len(paths) > 1 and metric.segment_references == "mean":
        streams = [[stream[segment] for segment in chosen] for stream in text.references]
        means = metric.segment_scores(lines, streams).tolist()
    used = [several[number] for several, number in zip(references, best, strict=True)]
    found: list[Explanation] = []
    try:
        for one in metric.explanations(lines, used, as_arrays=True):
            number, mean = best[len(found)], means[len(found)]
            told = "" if mean is None else f"; mean score of all references {mean:.4f}"
            of = f"{number + 1} of {len(paths)}, {paths[number]}{told}" if len(paths) > 1 else ""
            found.append(replace(one, counted=of))
    except PfsmError as error:
        raise PfsmError(f"{output.name}:{chosen[len(found)] + 1}: {error}") from None
    return metric.undone(found, lines, used), means


def _print_head(segment: int, system: str, counted: str) -> None:
    print()
    reference = f"  (reference {counted})" if counted else ""
    print(f"segment {segment + 1}{f'  {system}' if system else ''}{reference}")


def _print_documents(metric: SegmentMetric, nrefs: int, systems: Sequence[tuple[str, object]]) -> None:
    about = {"name": metric.name, **signatures(metric, nrefs, "segment")}
    print_json(
        [
            {**about, "system": name, "segments_counted_from": 0, "segments": segments}
            for name, segments in systems
        ]
    )
