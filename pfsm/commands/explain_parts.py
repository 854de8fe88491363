"""``pfsm explain --metric``: the parts that segment scores of a classic metric are made of."""

import json
from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pfsm.commands.arguments import heading
from pfsm.commands.languages import metric_options
from pfsm.data import ParallelText, SystemOutput
from pfsm.errors import PfsmError
from pfsm.metrics import SegmentMetric, get_metric, metric_names
from pfsm.metrics.registry import metric_parts, part_names


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


def open_metric(options: Namespace) -> SegmentMetric:
    """The metric that ``--metric`` names.

    Raises:
        PfsmError: If there is none, it has no parts, or an option is given that is for models alone.
    """
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


def counted(metric: SegmentMetric, lines: Sequence[str], streams: Sequence[Sequence[str]]) -> list[int]:
    """For each line the number of the reference that counts: the first of those with the best score, from 0."""
    if len(streams) == 1:
        return [0] * len(lines)
    scores = np.array([metric.score_pairs(lines, stream) for stream in streams])
    return [int(number) for number in scores.argmax(axis=0)]


def explain_parts(
    metric: SegmentMetric, text: ParallelText, paths: Sequence[str], chosen: Sequence[int], options: Namespace
) -> None:
    """Prints scores and parts of the chosen segments of every system, with the reference that counted."""
    systems = [_explained(metric, output, text.references, paths, chosen, options) for output in text.systems]
    together = len(paths) > 1 and metric.segment_references != "best"
    if options.format == "json":
        documents = [_document(system, chosen, metric, len(paths)) for system in systems]
        print(json.dumps(documents, indent=1, ensure_ascii=False))
        return
    print(heading(metric, len(paths), "segment", options))
    for place, segment in enumerate(chosen):
        for system in systems:
            print()
            of_system = f"  {system.name}" if len(systems) > 1 else ""
            reference = f"  (reference {system.counted[place]})" if system.counted[place] else ""
            print(f"segment {segment + 1}{of_system}{reference}")
            _print_segment(system, place, together=together)


def _explained(
    metric: SegmentMetric,
    output: SystemOutput,
    streams: Sequence[Sequence[str]],
    paths: Sequence[str],
    chosen: Sequence[int],
    options: Namespace,
) -> _System:
    """Scores and parts of a system's chosen segments.

    All references are scored in one call, and all segments if a score depends on other references: what is counted
    over references is then counted as ``pfsm score`` counts it.
    """
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


def _document(system: _System, chosen: Sequence[int], metric: SegmentMetric, nrefs: int) -> dict[str, object]:
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
    return {
        "name": metric.name,
        "signature": metric.get_signature(nrefs),
        "short_signature": metric.get_short_signature(nrefs),
        "system": system.name,
        "segments_counted_from": 0,
        "segments": segments,
    }


def _print_segment(system: _System, place: int, *, together: bool) -> None:
    print(f"  score       {system.scores[place]:.4f}")
    print(f"  reference   {system.references[place]}".rstrip())
    print(f"  hypothesis  {system.lines[place]}".rstrip())
    if together:
        print(f"  parts of    {system.alone[place]:.4f}, the score against this reference alone")
    print()
    for name, values in system.parts.items():
        print(f"  {values[place]:>10.4f}  {name}")
