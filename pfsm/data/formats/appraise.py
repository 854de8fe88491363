"""Appraise's export of scores, a CSV without a header and without texts.

``annotator, system, itemID, itemType, source language, target language, score, documentID, isCompleteDocument``, since
2024 the marks of errors (JSON), start and end; with ``--batch-info`` some more. Tasks without documents leave out the
last two. Systems with the same translation are joined as ``A+B``, in the batches and perhaps here. Texts are those of
the campaign's batches (JSON), or lines of outputs and references, where ``itemID`` counts the lines from 1, those of
WMT without the canary that they begin with.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from pfsm.data.formats.annotated import Entry, Rated, Rating, read_ratings, references_among
from pfsm.data.formats.records import Options, Reading, Routine
from pfsm.data.formats.rows import Row, language_code
from pfsm.data.formats.texts import SystemOutputs, load_texts
from pfsm.data.spans import read_spans
from pfsm.data.table import csv_records, finite_number, shown
from pfsm.errors import PfsmError
from pfsm.io.files import StrPath, display_name, read_lines, read_text
from pfsm.io.json_text import parsed

_FIELDS = (
    "annotator", "system", "item", "type", "source_lang", "target_lang", "score", "document", "complete"
)  # fmt: skip
_TYPES = frozenset({"TGT", "CHK", "BAD", "REF"})
_FILLERS = ("#dup", "#incomplete", "tutorial")
_NONE = "None"
_CANARY = "CANARY GUID"  # tells whoever trains a model that these are test sets

Texts = tuple[str, str, str, tuple[str, ...]]
"""Segment, source, translation, references."""
Find = Callable[[Entry, str], Texts | None]
"""From a row and one of its systems to the texts."""


def is_appraise(line: str) -> bool:
    """Whether this is the first line of such an export."""
    fields = line.split(",")
    score = len(fields) >= len(_FIELDS) and fields[3] in _TYPES and fields[6]
    return score == _NONE or (bool(score) and finite_number(str(score)) is not None)


def read_appraise(paths: Sequence[StrPath], options: Options) -> Reading:
    """Reads exports of Appraise, and the texts that they refer to.

    Left out are spoilt translations, scores of whole documents, references, tutorials and what fills up a task. Where
    an annotator rated a translation twice, the later rating counts.
    """
    name = display_name(paths[0])
    if not options.system_outputs:
        raise PfsmError(
            f"{name}: Appraise's scores, without texts; give the batches of the campaign, --system-outputs "
            "batches.json, and --reference-systems NAME, or outputs and --references by lines"
        )
    batches = all(path.endswith(".json") for path in options.system_outputs)
    find = _in_batches(options) if batches else _in_lines(options, f"{name} (appraise)")
    return read_ratings(paths, options, partial(_ratings, find=find), _rows)


def _rows(path: StrPath) -> Iterator[Entry]:
    name = display_name(path)
    for line, row in csv_records(read_lines(path), name):
        entry = Entry(name, line, {})
        has_document = len(row) < len(_FIELDS) or row[8] in {"True", "False"}
        fields = row if has_document else [*row[:7], "", "False", *row[7:]]
        if len(fields) < len(_FIELDS) + 2 or fields[3] not in _TYPES:
            raise entry.fault(
                "not annotator, system, item, type (TGT, BAD, …), languages, score, document, …"
            )
        marks = fields[len(_FIELDS)]
        errors = entry.marks(marks, "marks") if marks.startswith("[") else []
        yield Entry(name, line, {**dict(zip(_FIELDS, fields, strict=False)), "errors": errors})


def _ratings(entry: Entry, options: Options, notes: Counter[str], *, find: Find) -> Iterator[Rating]:
    values, document = entry.values, entry.values["document"]
    if values["type"] not in {"TGT", "CHK"} or any(each in document for each in _FILLERS):
        notes[Routine("spoilt translations, references, tutorials and repetitions left out")] += 1
    elif values["complete"] == "True":
        notes[Routine("scores of whole documents left out")] += 1
    else:
        for system in values["system"].split("+"):
            if (found := find(entry, system)) is None:
                notes["judgments of systems without output left out"] += 1
            elif system not in options.reference_systems:
                segment, source, text, references = found
                place = {name: language_code(values[name]) for name in ("source_lang", "target_lang")}
                place |= {"document": document.partition("#")[0], "segment_id": segment, "source": source}
                spans = read_spans(values["errors"], text, values["annotator"], entry.fault)
                score = None if values["score"] == _NONE else values["score"]
                rated = Rated(entry.line, place, references, system, text)
                yield rated, values["annotator"], entry.score(score, "score"), spans


def _items(tasks: Any) -> Iterator[tuple[str, ...]]:
    """System, document, item, source and translation; a pairwise task has several translations of an item."""
    for item in (item for task in tasks for item in task["items"] if item.get("itemType", "TGT") != "BAD"):
        source = item["segmentText" if "segmentText" in item else "sourceText"]
        for one in item.get("targets", [item]):
            for system in str(one["targetID"]).split("+"):
                found = (system, item.get("documentID", ""), item["itemID"], source, one["targetText"])
                yield tuple(map(str, found))


def _in_batches(options: Options) -> Find:
    """Finds texts in the batches of a campaign, where translations of the same source are of one segment."""
    items: dict[tuple[str, ...], tuple[str, str, str]] = {}
    segments: dict[tuple[str, str], dict[str, str]] = {}
    for path in options.system_outputs:
        try:
            for system, document, number, source, target in _items(parsed(read_text(path), path)):
                place = document.partition("#")[0], source
                items[system, document, number] = *place, target
                segments.setdefault(place, {}).setdefault(system, target)
        except (KeyError, TypeError, AttributeError):
            raise PfsmError(f"{path}: no batches of Appraise, a list of tasks with items") from None
    numbers = {place: number for number, place in enumerate(segments, start=1)}

    def find(entry: Entry, system: str) -> Texts | None:
        values = entry.values
        item = items.get((system, values["document"], values["item"]))
        if item is None:
            if options.skip_unknown_systems:
                return None
            raise entry.fault(f"the batches have no item {shown(values['item'])} of {shown(system)}")
        document, source, target = item
        references = references_among(segments[document, source], options)
        if not references:
            raise entry.fault("no reference of this source in the batches; name one with --reference-systems")
        segment = f"{document}.{numbers[document, source]}".removeprefix(".")
        return segment, source, target, tuple(references.values())

    return find


def _in_lines(options: Options, where: str) -> Find:
    """Finds texts in files, where an item's number is that of its line."""
    texts = load_texts(options, where)
    outputs = SystemOutputs(options.system_outputs, texts, options.source_lang, options.target_lang)
    has_canary = texts.references[0][0].startswith(_CANARY)

    def find(entry: Entry, system: str) -> Texts | None:
        values = entry.values
        name = outputs.find(system, entry.fault, options.skip_unknown_systems)
        if name is None:
            return None
        row = Row(entry.name, entry.line, {"item": values["item"]})
        at = row.whole("item") - (not has_canary)
        texts.check_index(at, row, "item")
        found = texts.of(at, "")
        return found["segment_id"], found["source"], outputs.lines_of(name)[at], found["references"]

    return find
