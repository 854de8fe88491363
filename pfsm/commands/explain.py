"""``pfsm explain``: why segments got their scores, in the terminal, as a page, as alignments."""

import json
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from pfsm.commands.arguments import add_format, add_scorer, check_output, open_model
from pfsm.commands.explain_parts import explain_parts, open_metric
from pfsm.data import ParallelText, read_parallel
from pfsm.errors import PfsmError
from pfsm.io.files import atomic_write
from pfsm.model.explain.explanation import Explanation
from pfsm.model.explain.page import render_page
from pfsm.model.explain.text import explanation_lines, pharaoh
from pfsm.model.metric import Metric


def add_arguments(parser: ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("reference", metavar="REF", help="reference file, one segment a line; .gz is read")
    parser.add_argument(
        "--input",
        "-i",
        nargs="+",
        required=True,
        metavar="HYP",
        help="one hypothesis file, or several, parallel to REF",
    )
    parser.add_argument("--segment", type=_index, metavar="N", help="this segment alone, counted from 0")
    add_scorer(parser)
    parser.add_argument(
        "--html", metavar="FILE", help="write one self-contained page, for one or two hypothesis files"
    )
    parser.add_argument(
        "--alignments",
        metavar="FILE",
        help="write the alignments, i-j with i in REF and j in HYP, one segment a line",
    )
    add_format(parser, "text", "json")


def run(options: Namespace) -> None:
    """Reads, explains, prints or writes."""
    _check_outputs(options)
    if options.metric is not None:
        classic = open_metric(options)
        text = read_parallel([options.reference], options.input)
        explain_parts(classic, text, _chosen(options.segment, len(text.references[0])), options)
        return
    metric = open_model(options, 1)
    text = read_parallel([options.reference], options.input)
    chosen = _chosen(options.segment, len(text.references[0]))
    systems = [
        (system.name, _explain(metric, text, number, chosen)) for number, system in enumerate(text.systems)
    ]
    if options.html is not None:
        with atomic_write(options.html) as handle:
            handle.write(render_page(systems, options.reference, f"{metric.name}|{metric.get_signature(1)}"))
    if options.alignments is not None:
        if not metric.model.settings.edits:
            raise PfsmError(f"model {metric.name} has no edits (edits: false), so it aligns no words")
        _write_alignments(options.alignments, systems[0][1])
    if options.html is not None or options.alignments is not None:
        return
    if options.format == "json":
        print(json.dumps(_document(systems, chosen, metric), indent=1, ensure_ascii=False))
    else:
        _print_text(systems, chosen, metric)


def _check_outputs(options: Namespace) -> None:
    if options.html is not None:
        if len(options.input) > 2:
            raise PfsmError("--html sets at most two hypothesis files side by side")
        check_output(options.html, [options.reference, *options.input])
    if options.alignments is not None:
        if len(options.input) > 1:
            raise PfsmError("--alignments takes one hypothesis file; call it once for each")
        check_output(options.alignments, [options.reference, *options.input])


def _index(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise ArgumentTypeError(f"{text!r} is not a whole number from 0")
    return int(text)


def _chosen(segment: int | None, count: int) -> Sequence[int]:
    if segment is None:
        return range(count)
    if segment >= count:
        raise PfsmError(f"there is no segment {segment}; the files have segments 0 to {count - 1}")
    return [segment]


def _explain(metric: Metric, text: ParallelText, system: int, chosen: Sequence[int]) -> list[Explanation]:
    hypotheses, references = text.systems[system].lines, text.references[0]
    explained = metric.explanations(
        [hypotheses[segment] for segment in chosen], [references[segment] for segment in chosen]
    )
    explanations: list[Explanation] = []
    try:
        for explanation in explained:
            explanations.append(explanation)  # noqa: PERF402 - a fault leaves those before it
    except PfsmError as error:
        place = chosen[len(explanations)] + 1
        raise PfsmError(f"{text.systems[system].name}:{place}: {error}") from None
    return explanations


def _write_alignments(path: str, explanations: Sequence[Explanation]) -> None:
    with atomic_write(path) as handle:
        handle.writelines(f"{pharaoh(explanation)}\n" for explanation in explanations)


def _document(
    systems: Sequence[tuple[str, Sequence[Explanation]]], chosen: Sequence[int], metric: Metric
) -> list[dict[str, Any]]:
    return [
        {
            "name": metric.name,
            "signature": metric.get_signature(1),
            "system": name,
            "segments": [
                {"segment": segment, **_segment(explanation)}
                for segment, explanation in zip(chosen, explanations, strict=True)
            ],
        }
        for name, explanations in systems
    ]


def _segment(explanation: Explanation) -> dict[str, Any]:
    """What there is to an explanation: without edits nothing that would look like an empty alignment."""
    values = asdict(explanation)
    if explanation.edited:
        return {**values, "alignment": explanation.alignment}
    return {key: value for key, value in values.items() if key not in {"edits", "contributions", "entropy"}}


def _print_text(
    systems: Sequence[tuple[str, Sequence[Explanation]]], chosen: Sequence[int], metric: Metric
) -> None:
    print(f"{metric.name}|{metric.get_signature(1)}")
    for place, segment in enumerate(chosen):
        for name, explanations in systems:
            print()
            print(f"segment {segment}  {name}" if len(systems) > 1 else f"segment {segment}")
            for line in explanation_lines(explanations[place]):
                print(f"  {line}".rstrip())
