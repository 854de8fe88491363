"""Spans of errors: ``pfsm score --spans`` writes them, ``pfsm evaluate --spans`` measures how well they are found."""

import json
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from pfsm.commands.arguments import given_scorers, model_name, note_skipped
from pfsm.commands.evaluation_sources import read_mtme, with_references
from pfsm.commands.output import print_json
from pfsm.data import ParallelText, Table
from pfsm.data.formats.registry import read_judged
from pfsm.data.formats.rows import Row
from pfsm.data.judgments import DOCUMENT, SEGMENT_ID, WITHIN
from pfsm.data.parallel import PairsTable
from pfsm.data.segments import others
from pfsm.errors import PfsmError
from pfsm.evaluation import default_seed
from pfsm.evaluation.bootstrap import Interval
from pfsm.evaluation.comparison import value_entry
from pfsm.evaluation.spans import (
    STATISTICS,
    Mark,
    Marked,
    baselines,
    between_raters,
    marks_from_json,
    measured,
)
from pfsm.io.files import atomic_write, read_lines
from pfsm.io.json_text import parsed
from pfsm.metrics.inputs import best_numbers, by_segment
from pfsm.model.metric import Metric
from pfsm.model.shipped import load

# Name, lines, and the references of each line.
Systems = Sequence[tuple[str, Sequence[str], Sequence[Sequence[str]]]]
Rows = dict[str, dict[str, tuple[float, Interval | None]]]


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
        one_each = all(len(several) == 1 for several in references)
        best = best_numbers(metric.score_pairs, lines, references)
        used = [several[number] for several, number in zip(references, best, strict=True)]
        scores = None  # of segments, where they are means over references
        if not one_each and metric.segment_references == "mean":
            scores = metric.score_segments(lines, references)
        explained = metric.explanations(lines, used, as_arrays=True)
        segment = 0
        try:
            for segment, explanation in enumerate(explained, 1):
                score = explanation.score if scores is None else float(scores[segment - 1])
                errors = [asdict(error) for error in explanation.errors]
                one = {"system": name, "segment": segment, "score": score, "errors": errors}
                yield one if one_each else {**one, "reference": used[segment - 1]}
        except PfsmError as error:
            raise PfsmError(f"{name}:{segment + 1}: {error}") from None


def evaluate(options: Namespace) -> None:
    """Reads, predicts, measures, prints."""
    given = given_scorers(options)
    if len(given) > 1:
        raise PfsmError("--spans is about one model; give one")
    named = dict(given)
    for option in ("metric", "column", "scores", "versus", "statistics", "level"):
        if named.get(option, getattr(options, option, None)) is not None:
            raise PfsmError(f"--spans measures the errors of a model or of a file, so leave --{option} out")
    if options.mtme is not None:
        inputs = read_mtme(options, systems=False)
        tables, left_out = inputs.tables, inputs.left_out
    else:
        read = tuple(map(read_judged, options.data))
        tables, left_out = with_references(read) if options.skip_missing_references else (read, ())
    translations = [one for table in tables for one in marked_translations(table)]
    note_skipped(len(left_out), len(translations) + len(left_out), options)
    seed = default_seed()
    if options.spans:
        name, predicted = options.spans, _predicted(options.spans, translations, left_out)
    else:
        metric = load(model_name(options, named.get("model")), options.threads)
        pairs = [one.hypothesis for one in translations], [one.reference for one in translations]
        name = metric.get_short_signature(1)
        predicted = [
            [Mark(error.start, error.end, error.severity, points=error.points) for error in one.errors]
            for one in metric.explanations(*pairs, as_arrays=True)
        ]
    rows = compared(translations, {name: predicted}, options.confidence_n, seed)
    if options.format == "json":
        spans = {one: {key: value_entry(*found) for key, found in row.items()} for one, row in rows.items()}
        about = {"translations": len(translations), "seed": seed, "resamples": options.confidence_n}
        print_json({**about, "spans": spans})
        return
    print_rows(len(translations), rows)


def compared(
    translations: Sequence[Marked],
    predicted: Mapping[str, Sequence[Sequence[Mark]]],
    resamples: int,
    seed: int,
) -> Rows:
    """What `measured` says of some spans, by name, and of the baselines and the raters."""
    spans = {**predicted, **baselines(translations, seed)}
    rows = {name: measured(translations, own, resamples, seed) for name, own in spans.items()}
    ones, own = between_raters(translations)
    return {**rows, "a rater against the others": measured(ones, own, resamples, seed)} if ones else rows


def print_rows(number: int, rows: Rows) -> None:
    """Prints the statistics of so many translations, one after the other."""
    print(f"{number} translations; 95% intervals over documents\n")
    for key in STATISTICS:
        print(key)
        for one, row in rows.items():
            value, interval = row[key]
            ends = "" if interval is None else f"  [{interval.low:.3f}, {interval.high:.3f}]"
            print(f"  {value:>6.3f}{ends:<18}  {one}")


def marked_translations(table: Table) -> list[Marked]:
    """The translations of a table with a column ``errors``.

    Raises:
        PfsmError: If a column is missing or has no rows, or a mark is none; file and line are named.
    """
    texts = [table.column(name) for name in ("hypothesis", "reference", "errors")]
    table.need_rows()
    named = next((table.columns[name] for name in (DOCUMENT, SEGMENT_ID) if name in table.columns), None)
    within = [table.columns[name] for name in WITHIN if name in table.columns]
    units = None if named is None else ["\t".join(fields) for fields in zip(*within, named, strict=True)]
    raters = table.columns.get("n_raters")
    found = []
    for row, (hypothesis, reference, errors) in enumerate(zip(*texts, strict=True)):
        where = f"{table.path}:{table.line_numbers[row]}"
        marks = marks_from_json(errors, hypothesis, where)
        number = len({mark.rater for mark in marks}) or 1
        if raters is not None:
            given = Row(table.path, table.line_numbers[row], {"n_raters": raters[row]})
            number = max(given.whole("n_raters", 0), number)
        unit = str(row) if units is None else units[row]
        found.append(Marked(hypothesis, reference, marks, number, unit))
    return found


def _predicted(path: str, translations: Sequence[Marked], left_out: Sequence[int]) -> list[list[Mark]]:
    """The spans in a file of JSON lines, one object a row of the data, those that are left out included."""
    lines, n = list(read_lines(path)), len(translations) + len(left_out)
    if len(lines) != n:
        raise PfsmError(f"{path}: has {len(lines)} lines for {n} rows of the data")
    found = []
    for row, one in zip(others(left_out, n), translations, strict=True):
        where = f"{path}:{row + 1}"
        document = parsed(lines[row], where)
        if not isinstance(document, dict) or not isinstance(document.get("errors"), list):
            raise PfsmError(
                f"{where}: must be a JSON object with a list of errors, as `pfsm score --spans` writes"
            )
        marks = marks_from_json(json.dumps(document["errors"]), one.hypothesis, where)
        found.append(sorted(marks, key=lambda mark: (-mark.points, mark.start)))
    return found
