"""Error annotations (MQM) of WMT: a TSV with one error per row; the errors are summed to a score for each translation.

The columns are ``system doc doc_id seg_id rater source target category severity``; later files call two of them
``docSegId`` and ``globalSegId``. ``<v>…</v>`` marks the error in the target or the source. A translation's score is
minus the sum of its errors' weights, averaged over raters: 0 is best.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pfsm.data.fields import shown
from pfsm.data.formats.mqm_references import ReferenceFinder, bare
from pfsm.data.formats.mqm_weights import DEFAULT_WEIGHTS, Weights, parse_weights
from pfsm.data.formats.options import Options
from pfsm.data.formats.records import Judgment, Reading, layout
from pfsm.data.formats.rows import Row, Rows
from pfsm.data.formats.texts import pair_columns
from pfsm.io.faults import StrPath

_OTHER_NAMES = {"doc_id": ("docsegid", "doc_seg_id"), "seg_id": ("globalsegid", "global_seg_id")}
_COLUMNS = ("system", "doc", "doc_id", "seg_id", "rater", "source", "target", "category", "severity")
_RATER_TEST = "hotw-test"  # hands on the wheel: an error planted to check whether the rater pays attention
_SPAN = re.compile(r"</?v>")

Key = tuple[str, str, str]
"""System, document, segment of the document."""


@dataclass
class _Rated:
    """One translation and its raters' penalties."""

    row: Row
    source: str
    target: str
    penalties: dict[str, float] = field(default_factory=dict)
    """By rater, in the order in which they appear."""


def read_mqm(paths: Sequence[StrPath], options: Options) -> Reading:
    """Reads MQM files, and references from other files or from systems.

    References are lines of `Options.references`, found by ``seg_id`` or, where `Options.documents` is given, by
    document and ``doc_id``. Alternatively they are the translations of `Options.reference_systems` in the files
    themselves, and these systems then yield no judgments. Memory grows with the translations, not with the errors.

    Raises:
        PfsmError: what `Rows`, `load_texts` and `parse_weights` raise, a missing column, a severity without a weight, a
            segment number that is not a number, a segment without a reference, or sources that differ.
    """
    weights = parse_weights(options.weights or DEFAULT_WEIGHTS)
    finder = ReferenceFinder(options)
    rated: dict[Key, _Rated] = {}
    notes: Counter[str] = Counter()
    for path in paths:
        table = Rows(path, "tab")
        columns = _columns(table)
        for row in table:
            _add(row, columns, rated, weights, options.unquote, notes)
    finder.find_in({key: each.target for key, each in rated.items()})
    present = ["document", "segment_id", "system", "source", *pair_columns(options)]
    present += ["rater"] * options.per_rater
    further = [] if options.per_rater else ["n_raters"]
    return Reading(
        Judgment, layout(Judgment, present, finder.count, further), _records(rated, finder, options), notes
    )


def _columns(table: Rows) -> Mapping[str, str]:
    """Our names of the columns, each with the file's name for it."""
    lower = {name.lower(): name for name in table.header}
    columns = {}
    for name in _COLUMNS:
        tried = (name, *_OTHER_NAMES.get(name, ()))
        there = next((each for each in tried if each in lower), name)
        table.need([lower.get(there, name)])
        columns[name] = lower[there]
    return columns


def _add(
    row: Row,
    columns: Mapping[str, str],
    rated: dict[Key, _Rated],
    weights: Weights,
    unquote: bool,
    notes: Counter[str],
) -> None:
    severity, category = row[columns["severity"]], row[columns["category"]]
    if severity.strip().lower() == _RATER_TEST:
        notes["tests of raters (HOTW-test) left out"] += 1
        return
    penalty = weights.penalty(severity, category)
    if penalty is None:
        raise row.fault(f"severity is {shown(severity)}, which has no weight; give it one with --weights")
    key = (row[columns["system"]], row[columns["doc"]], row[columns["doc_id"]].strip())
    target = _text(row[columns["target"]], unquote)
    if key not in rated:
        fields = {name: row[columns[name]] for name in ("doc", "doc_id", "seg_id")}
        rated[key] = _Rated(Row(row.name, row.line, fields), _text(row[columns["source"]], unquote), target)
    elif bare(target) != bare(rated[key].target):
        notes["rows whose target differs from the first one of their translation"] += 1
    rater = row[columns["rater"]]
    rated[key].penalties[rater] = rated[key].penalties.get(rater, 0.0) + penalty


def _text(field_text: str, unquote: bool) -> str:
    """A field without error marks and, with ``unquote``, without the CSV quotes around it."""
    text = _SPAN.sub("", field_text)
    if unquote and len(text) > 1 and text[0] == text[-1] == '"':
        text = text[1:-1].replace('""', '"')
    return text


def _records(rated: Mapping[Key, _Rated], finder: ReferenceFinder, options: Options) -> Iterator[Judgment]:
    constants = dict(pair_columns(options))
    prefix = f"{options.test_set}." if options.test_set else ""
    for (system, document, _), each in rated.items():
        if system in options.reference_systems:
            continue
        at, references = finder.references_of(each.row, each.source)
        segment = f"{document}.{each.row['doc_id'].strip()}" if at is None else str(at + 1)
        place = {
            "document": document,
            "segment_id": f"{prefix}{segment}",
            "system": system,
            "source": each.source,
        }
        common = {**constants, **place}
        if options.per_rater:
            for rater, penalty in each.penalties.items():
                yield _judgment(each, references, penalty, {**common, "rater": rater}, {})
        else:
            mean = sum(each.penalties.values()) / len(each.penalties)
            yield _judgment(each, references, mean, common, {"n_raters": str(len(each.penalties))})


def _judgment(
    each: _Rated,
    references: tuple[str, ...],
    penalty: float,
    texts: Mapping[str, str],
    further: Mapping[str, str],
) -> Judgment:
    return Judgment(
        references=references,
        hypothesis=each.target,
        score=0.0 - penalty,  # not -0.0
        further=further,
        line=each.row.line,
        **texts,
    )
