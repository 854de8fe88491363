"""Error annotations (MQM) of WMT: a TSV with one error per row; the errors are summed to a score for each translation.

The columns are ``system doc doc_id seg_id rater source target category severity``; later files call two of them
``docSegId`` and ``globalSegId``. ``<v>…</v>`` marks the error in the target or the source. A translation's score is
minus the sum of its errors' weights, averaged over raters: 0 is best. Errors that are marked in the target become the
column ``errors``.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pfsm.data.formats.annotated import IS_REFERENCE, Rated, reading_of
from pfsm.data.formats.records import Options, Reading, Routine
from pfsm.data.formats.rows import Row, rows_of
from pfsm.data.formats.texts import load_texts
from pfsm.data.spans import SEVERITIES, Span
from pfsm.data.table import Table, finite_number, is_quoted, read_table, shown
from pfsm.errors import PfsmError
from pfsm.io.files import StrPath, display_name

DEFAULT_WEIGHTS = (
    "Major:5 Minor:1 Neutral:0 No-error:0 Major/Non-translation!:25 Minor/Fluency/Punctuation:0.1"
)
"""Freitag et al. (2021), Experts, Errors, and Context: section 3.1."""
_NO_ERROR = frozenset({"no-error", "no_error", "no error", "none", ""})


Weights = Mapping[tuple[str, ...], float]
"""Penalties by ``severity``, ``severity/category`` or ``severity/category/subcategory``."""


def penalty_of(severity: str, category: str, weights: Weights) -> float | None:
    """The penalty of an error: that of the longest pattern that matches; None for an unknown severity."""
    if _plain(severity) in _NO_ERROR:
        return 0.0
    parts = (_plain(severity), *(_plain(part) for part in category.split("/")))
    return next((weights[parts[:n]] for n in range(len(parts), 0, -1) if parts[:n] in weights), None)


def _plain(name: str) -> str:
    """A name in lower case, without surrounding blanks and the exclamation mark of ``Non-translation!``."""
    return name.strip().lower().removesuffix("!")


def parse_weights(text: str) -> Weights:
    """Weights as ``SEVERITY[/CATEGORY[/SUBCATEGORY]]:WEIGHT``, separated by commas or, if there are none, by blanks."""
    of = {}
    for entry in filter(None, text.split(",") if "," in text else re.split(r"\s+", text)):
        pattern, colon, number = entry.strip().rpartition(":")
        weight = finite_number(number)
        if not colon or not pattern.strip() or weight is None:
            raise PfsmError(
                f"weight {shown(entry)}: SEVERITY[/CATEGORY]:NUMBER is needed, as in {DEFAULT_WEIGHTS!r}"
            )
        of[tuple(_plain(part) for part in pattern.split("/"))] = weight
    if not of:
        raise PfsmError("no weights; give at least one, as in 'Major:5 Minor:1'")
    return of


def bare(text: str) -> str:
    """A text without blanks and quotation marks, in which form copies of it are recognised."""
    return "".join(text.split()).replace('"', "")


Key = tuple[str, str, str]
"""System, document, segment of the document."""
Find = Callable[[Row, str], tuple[str, tuple[str, ...]]]
"""From a row and its source to the name of its segment and its references."""


def _in_files(options: Options) -> Find:
    """Finds references among lines, by ``seg_id`` or by document."""
    texts = load_texts(options, "MQM")
    starts: dict[str, tuple[int, int]] = {}
    for index, (_, document) in enumerate(texts.documents):
        first, count = starts.get(document, (index, 0))
        if first + count != index:
            name = display_name(options.documents)
            raise PfsmError(f"{name}:{index + 1}: document {shown(document)} is not in one piece")
        starts[document] = (first, count + 1)

    def place(row: Row) -> int:
        if not texts.documents:
            at = row.whole("seg_id") - 1
            texts.check_index(at, row, "seg_id")
            return at
        if row["doc"] not in starts:
            name = display_name(options.documents)
            raise row.fault(f"doc is {shown(row['doc'])}, which {name} does not have")
        first, count = starts[row["doc"]]
        number = row.whole("doc_id")
        if number > count:
            raise row.fault(f"doc_id is {number}, but the document has {count} segments")
        return first + number - 1

    def find(row: Row, source: str) -> tuple[str, tuple[str, ...]]:
        at = place(row)
        found = texts.of(at, "")
        if texts.sources and bare(found["source"]) != bare(source):
            raise row.fault(
                f"the source differs from line {at + 1} of {display_name(options.sources)}; find segments "
                "by document with --documents FILE, or give the right files"
            )
        return found["segment_id"], found["references"]

    return find


def _reference_systems(options: Options, there: set[str]) -> tuple[str, ...]:
    """The systems whose translations are the references: those that are named, or ``refA`` and the like."""
    systems = options.reference_systems or tuple(sorted(filter(IS_REFERENCE.fullmatch, there)))
    if not systems:
        raise PfsmError(
            f"MQM without references: give --references FILE, or --reference-systems with those of "
            f"{', '.join(sorted(there))} whose translations are the references"
        )
    for system in systems:
        if system not in there:
            raise PfsmError(f"no system {shown(system)}; the file has {', '.join(sorted(there))}")
    return systems


def _among_systems(systems: Sequence[str], targets: Mapping[Key, str]) -> Find:
    """Finds references among the translations, by document and segment of the document."""
    translations: dict[tuple[str, str], list[str]] = {}
    for system in systems:
        for (each, document, segment), target in targets.items():
            if each == system:
                translations.setdefault((document, segment), []).append(target)

    def find(row: Row, _: str) -> tuple[str, tuple[str, ...]]:
        document, segment = row["doc"], row["doc_id"].strip()
        if (document, segment) not in translations:
            raise row.fault(f"no reference system has segment {row['doc_id']} of document {shown(document)}")
        return f"{document}.{segment}", tuple(translations[document, segment])

    return find


_OTHER_NAMES = {"doc_id": ("docsegid", "doc_seg_id"), "seg_id": ("globalsegid", "global_seg_id")}
_COLUMNS = ("system", "doc", "doc_id", "seg_id", "rater", "source", "target", "category", "severity")
_RATER_TEST = "hotw-test"  # hands on the wheel: an error planted to check whether the rater pays attention
_SPAN = re.compile(r"</?v>")
_MARKED = re.compile(r"<v>(.*?)</v>", re.DOTALL)


@dataclass
class _Errors:
    """One translation, and its raters' scores and marks in the order in which the raters appear."""

    row: Row
    source: str
    target: str
    ratings: dict[str, tuple[float, list[Span]]] = field(default_factory=dict)


def read_mqm(paths: Sequence[StrPath], options: Options) -> Reading:
    """Reads MQM files, and references from other files or from systems.

    References are lines of `Options.references`, found by ``seg_id`` or, where `Options.documents` is given, by
    document and ``doc_id``; else the translations of `Options.reference_systems` in the files themselves, or of the
    systems called ``refA`` and the like, which then yield no judgments. Memory grows with the translations.
    """
    weights = {**parse_weights(DEFAULT_WEIGHTS), **parse_weights(options.weights or DEFAULT_WEIGHTS)}
    if options.references and options.reference_systems:
        raise PfsmError("give either --references or --reference-systems, not both")
    find = _in_files(options) if options.references else None
    rated: dict[Key, _Errors] = {}
    notes: Counter[str] = Counter()
    for path in paths:
        table = read_table(path, "tab")
        columns = _columns(table)
        for row in rows_of(table):
            _add(row, columns, rated, weights, options.unquote, notes)
    systems: tuple[str, ...] = ()
    if find is None:
        systems = _reference_systems(options, {system for system, _, _ in rated})
        find = _among_systems(systems, {key: each.target for key, each in rated.items()})
    kept = {key: _judged(key, each, find) for key, each in rated.items() if key[0] not in systems}
    return reading_of(kept, options, notes)


def _judged(key: Key, each: _Errors, find: Find) -> Rated:
    """A translation with its references and its raters' scores."""
    segment, references = find(each.row, each.source)
    place = {"document": key[1], "segment_id": segment, "source": each.source}
    return Rated(each.row.line, place, references, key[0], each.target, ratings=each.ratings)


def _columns(table: Table) -> Mapping[str, str]:
    """Our names of the columns, each with the file's name for it."""
    lower = {name.lower(): name for name in table.header}
    columns = {}
    for name in _COLUMNS:
        tried = (name, *_OTHER_NAMES.get(name, ()))
        there = next((each for each in tried if each in lower), name)
        table.column(lower.get(there, name))
        columns[name] = lower[there]
    return columns


def _add(
    row: Row,
    columns: Mapping[str, str],
    rated: dict[Key, _Errors],
    weights: Weights,
    unquote: bool,
    notes: Counter[str],
) -> None:
    severity, category = row[columns["severity"]], row[columns["category"]]
    if severity.strip().lower() == _RATER_TEST:
        notes[Routine("tests of raters (HOTW-test) left out")] += 1
        return
    penalty = penalty_of(severity, category, weights)
    if penalty is None:
        raise row.fault(f"severity is {shown(severity)}, which has no weight; give it one with --weights")
    key = (row[columns["system"]], row[columns["doc"]], row[columns["doc_id"]].strip())
    target = _text(row[columns["target"]], unquote)
    if key not in rated:
        fields = {name: row[columns[name]] for name in ("doc", "doc_id", "seg_id")}
        rated[key] = _Errors(Row(row.name, row.line, fields), _text(row[columns["source"]], unquote), target)
    elif bare(target) != bare(rated[key].target):
        notes["rows whose target differs from the first one of their translation"] += 1
    rater = row[columns["rater"]]
    score, known = rated[key].ratings.get(rater, (0.0, []))
    spans = [
        (start, end, _plain(severity), category.strip(), rater)
        for start, end in _marked(row[columns["target"]], unquote)
    ]
    if spans and (target != rated[key].target or _plain(severity) not in SEVERITIES):
        notes["marks left out: of another text, or of a severity that spans do not have"] += 1
        spans = []
    rated[key].ratings[rater] = score - penalty, known + spans


def _text(field_text: str, unquote: bool) -> str:
    """A field without error marks and, with ``unquote``, without the CSV quotes around it."""
    text = _SPAN.sub("", field_text)
    return text[1:-1].replace('""', '"') if unquote and is_quoted(text) else text


def _marked(field_text: str, unquote: bool) -> Iterator[tuple[int, int]]:
    """Where the marks of a field begin and end in its `_text`."""
    quoted = unquote and is_quoted(_SPAN.sub("", field_text))
    length = len(_text(field_text, unquote))
    for match in _MARKED.finditer(field_text):
        start, end = (_SPAN.sub("", field_text[:place]) for place in match.span(1))
        if quoted:
            start, end = (text[1:].replace('""', '"') for text in (start, end))
        yield min(len(start), length), min(len(end), length)
