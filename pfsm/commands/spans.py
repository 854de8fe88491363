"""``pfsm score --spans``: where the errors of whole test sets are, one JSON object a line."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from pfsm.data import ParallelText
from pfsm.data.parallel import PairsTable
from pfsm.errors import PfsmError
from pfsm.io.files import atomic_write
from pfsm.metrics import SegmentMetric
from pfsm.metrics.inputs import by_segment
from pfsm.model.metric import Metric

Systems = Sequence[tuple[str, Sequence[str], Sequence[Sequence[str]]]]


def model_of(metrics: Sequence[SegmentMetric]) -> Metric:
    """The only model among the metrics, which says where errors are.

    Raises:
        PfsmError: If there is none, or several.
    """
    models = [metric for metric in metrics if isinstance(metric, Metric)]
    if len(metrics) > 1 or not models:
        given = ", ".join(metric.name for metric in metrics)
        raise PfsmError(f"--spans needs one model (--model), which explains its scores; here is {given}")
    if models[0].columns:
        raise PfsmError(f"--spans: model {models[0].name} needs columns of the data, so it cannot be used")
    return models[0]


def write_spans(path: str, metric: Metric, systems: Systems) -> None:
    """Writes the errors of all segments, system by system; a file that was there stays until all is written."""
    with atomic_write(path) as handle:
        for document in _documents(metric, systems):
            handle.write(json.dumps(document, ensure_ascii=False) + "\n")


def systems_of(text: ParallelText) -> Systems:
    """The systems of files: their names, lines, and the references of each."""
    references = by_segment(text.references)
    return [(system.name, system.lines, references) for system in text.systems]


def systems_of_table(path: str, table: PairsTable) -> Systems:
    """Those of a table, in the order in which they first occur; a table without systems is one."""
    names = table.systems or [path] * len(table)
    rows: dict[str, list[int]] = {}
    for row, name in enumerate(names):
        rows.setdefault(name, []).append(row)
    return [
        (name, [table.hypotheses[row] for row in own], [table.references[row] for row in own])
        for name, own in rows.items()
    ]


def _documents(metric: Metric, systems: Systems) -> Iterator[dict[str, Any]]:
    for name, lines, references in systems:
        used, scores = _used(metric, lines, references)
        one_each = all(len(several) < 2 for several in references)
        explained = metric.explanations(lines, used, as_arrays=True)
        segment = 0
        try:
            for segment, explanation in enumerate(explained, 1):
                score = explanation.score if scores is None else scores[segment - 1]
                errors = [asdict(error) for error in explanation.errors]
                one = {"system": name, "segment": segment, "score": score, "errors": errors}
                yield one if one_each else {**one, "reference": used[segment - 1]}
        except PfsmError as error:
            raise PfsmError(f"{name}:{segment + 1}: {error}") from None


def _used(
    metric: Metric, lines: Sequence[str], references: Sequence[Sequence[str]]
) -> tuple[list[str], list[float] | None]:
    """Of several references that with the best score; and the scores of the segments, where they are means."""
    if all(len(several) < 2 for several in references):
        return [several[0] if several else "" for several in references], None
    flat = [reference for several in references for reference in several]
    counts = [len(several) for several in references]
    alone = metric.score_pairs(np.repeat(np.array(lines, dtype=object), counts).tolist(), flat)
    best = [int(part.argmax()) for part in np.split(alone, np.cumsum(counts)[:-1])]
    used = [several[number] for several, number in zip(references, best, strict=True)]
    mean = metric.segment_references == "mean"
    return used, metric.score_segments(lines, references).tolist() if mean else None
