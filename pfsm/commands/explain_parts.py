"""``pfsm explain --metric``: the parts that segment scores of a classic metric are made of."""

import json
from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pfsm.data import ParallelText
from pfsm.errors import PfsmError
from pfsm.metrics import SegmentMetric, get_metric, metric_names
from pfsm.metrics.registry import metric_parts, part_names


@dataclass(frozen=True, eq=False)
class _System:
    """Scores of a system's segments, float64 [n_segments], and their parts by name, likewise."""

    name: str
    lines: Sequence[str]
    scores: NDArray[np.float64]
    parts: Mapping[str, NDArray[np.float64]]


def open_metric(options: Namespace) -> SegmentMetric:
    """The metric that ``--metric`` names.

    Raises:
        PfsmError: If there is none, it has no parts, or an option is given that is for models alone.
    """
    for option in ("model", "html", "alignments"):
        if getattr(options, option) is not None:
            raise PfsmError(f"give either --metric or --{option}, not both")
    metric = get_metric(options.metric)
    if not part_names(options.metric) and not metric.has_named_parts:
        known = ", ".join(name for name in metric_names() if part_names(name))
        raise PfsmError(
            f"metric {metric.name}: its scores have no parts that explain them; metrics with parts: {known}"
        )
    return metric


def explain_parts(
    metric: SegmentMetric, text: ParallelText, chosen: Sequence[int], options: Namespace
) -> None:
    """Prints scores and parts of the chosen segments of every system."""
    references = [text.references[0][segment] for segment in chosen]
    systems = []
    for output in text.systems:
        lines = [output.lines[segment] for segment in chosen]
        parts = metric.named_parts(lines, references) or metric_parts(options.metric, lines, references)
        systems.append(_System(output.name, lines, metric.score_pairs(lines, references), parts))
    if options.format == "json":
        documents = [_document(system, references, chosen, metric) for system in systems]
        print(json.dumps(documents, indent=1, ensure_ascii=False))
        return
    print(f"{metric.name}|{metric.signature}")
    for place, segment in enumerate(chosen):
        for system in systems:
            print()
            print(f"segment {segment}  {system.name}" if len(systems) > 1 else f"segment {segment}")
            _print_segment(system, references[place], place)


def _document(
    system: _System, references: Sequence[str], chosen: Sequence[int], metric: SegmentMetric
) -> dict[str, object]:
    segments = [
        {
            "segment": segment,
            "score": float(system.scores[place]),
            "reference": references[place],
            "hypothesis": system.lines[place],
            "parts": {name: float(values[place]) for name, values in system.parts.items()},
        }
        for place, segment in enumerate(chosen)
    ]
    return {"name": metric.name, "signature": metric.signature, "system": system.name, "segments": segments}


def _print_segment(system: _System, reference: str, place: int) -> None:
    print(f"  score       {system.scores[place]:.4f}")
    print(f"  reference   {reference}".rstrip())
    print(f"  hypothesis  {system.lines[place]}".rstrip())
    print()
    for name, values in system.parts.items():
        print(f"  {values[place]:>10.4f}  {name}")
