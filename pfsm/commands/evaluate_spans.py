"""``pfsm evaluate --spans``: how well a model finds the errors that experts marked."""

import json
from argparse import Namespace
from collections.abc import Mapping, Sequence
from typing import Any

from pfsm.commands.arguments import note_skipped, open_model
from pfsm.commands.evaluation_sources import read_mtme, with_references
from pfsm.data import Table
from pfsm.data.formats.registry import read_judged
from pfsm.data.judgments import others
from pfsm.data.table import shown
from pfsm.errors import PfsmError
from pfsm.evaluation import default_seed
from pfsm.evaluation.bootstrap import Interval
from pfsm.evaluation.spans import (
    STATISTICS,
    Mark,
    Marked,
    baselines,
    between_raters,
    marks_from_json,
    measured,
)
from pfsm.io.files import read_lines

_Found = dict[str, Any]
Rows = dict[str, dict[str, tuple[float, Interval | None]]]


def run(options: Namespace) -> None:
    """Reads, predicts, measures, prints."""
    for option in ("metric", "column", "scores", "versus", "statistics", "level"):
        if getattr(options, option) is not None:
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
        metric = open_model(options, options.threads)
        pairs = [one.hypothesis for one in translations], [one.reference for one in translations]
        name = metric.get_short_signature(1)
        predicted = [
            [Mark(error.start, error.end, error.severity, points=error.points) for error in one.errors]
            for one in metric.explanations(*pairs, as_arrays=True)
        ]
    rows = compared(translations, {name: predicted}, options.confidence_n, seed)
    if options.format == "json":
        document = {
            "translations": len(translations),
            "seed": seed,
            "resamples": options.confidence_n,
            "spans": {
                one: {key: _document(*value) for key, value in row.items()} for one, row in rows.items()
            },
        }
        print(json.dumps(document, indent=1, ensure_ascii=False))
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


def _document(value: float, interval: Any) -> _Found:
    ends = None if interval is None else [_plain(interval.low), _plain(interval.high)]
    return {"value": _plain(value), "interval": ends}


def _plain(value: float) -> float | None:
    """The value as JSON has it; nothing for what is not defined."""
    return value if value == value else None  # noqa: PLR0124 - NaN


def marked_translations(table: Table) -> list[Marked]:
    """The translations of a table with a column ``errors``.

    Raises:
        PfsmError: If a column is missing or has no rows, or a mark is none; file and line are named.
    """
    texts = [table.column(name) for name in ("hypothesis", "reference", "errors")]
    table.need_rows()
    units = next((table.columns[name] for name in ("document", "segment_id") if name in table.columns), None)
    raters = table.columns.get("n_raters")
    found = []
    for row, (hypothesis, reference, errors) in enumerate(zip(*texts, strict=True)):
        where = f"{table.path}:{table.line_numbers[row]}"
        marks = marks_from_json(errors, hypothesis, where)
        number = len({mark.rater for mark in marks}) or 1
        if raters is not None:
            if not raters[row].isdecimal():
                raise PfsmError(f"{where}: n_raters is {shown(raters[row])}, it must be a whole number")
            number = max(int(raters[row]), number)
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
        line, where = lines[row], f"{path}:{row + 1}"
        try:
            document = json.loads(line)
        except (ValueError, RecursionError):
            document = None
        if not isinstance(document, dict) or not isinstance(document.get("errors"), list):
            raise PfsmError(
                f"{where}: must be a JSON object with a list of errors, as `pfsm score --spans` writes"
            )
        marks = marks_from_json(json.dumps(document["errors"]), one.hypothesis, where)
        found.append(sorted(marks, key=lambda mark: (-mark.points, mark.start)))
    return found
