"""Annotations as JSON: of the WMT's general task since 2024, of Pearmut, and one translation a line.

*WMT* (``src_text``, ``tgt_text`` and ``scores`` by system, ``doc_id``): one segment a line. 2024 has a list of ratings
a system, 2025 numbered ones (``human1``, ``errors1``, ``annotator1`` …). *Pearmut*: its log, one document and annotator
a line. *JSON lines*: an object with a translation, its reference and score, under the names of pfsm, COMET or ESA; or
what ``comet-score --to_json`` writes. Scores are averaged over raters; what was marked becomes the column ``errors``.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from math import isnan
from pathlib import Path
from typing import Any

from pfsm.data.formats.records import Judgment, Options, Reading, layout
from pfsm.data.formats.rows import Rows, language_code
from pfsm.data.formats.texts import pair_columns
from pfsm.data.spans import ERRORS, Span, read_spans, spans_text
from pfsm.data.table import finite_number, shown
from pfsm.errors import NotInstalledError, PfsmError
from pfsm.io.files import StrPath, display_name, read_text

Object = Mapping[str, Any]
NO_REFERENCE = "judgments without a reference left out"
_IS_REFERENCE = re.compile(r"ref[A-Z]?")
_SURROGATE = re.compile("[\ud800-\udfff]")
_NAMES: Mapping[str, tuple[str, ...]] = {
    "hypothesis": ("hypothesis", "mt", "tgt", "translation"),
    "reference": ("reference", "ref"),
    "source": ("source", "src"),
    "score": ("score", "esa_score", "COMET"),
    "document": ("document", "doc_id"),
    "segment_id": ("segment_id", "segment", "line_id"),
    "rater": ("rater", "annotator"),
    ERRORS: (ERRORS, "error_spans", "esa_spans"),
    "languages": ("lp", "langs"),
}
"""Our names of what one translation a line has, and the names that files have for it."""


@dataclass
class _Rated:
    """One translation, and what each rater said of it."""

    line: int
    place: Mapping[str, str]
    references: tuple[str, ...]
    system: str
    hypothesis: str
    ratings: dict[str, tuple[float, list[Span]]] = field(default_factory=dict)


class _Entry:
    """One object of a file, and where it stands."""

    def __init__(self, name: str, line: int, values: Object) -> None:
        self.name, self.line, self.values = name, line, values

    def fault(self, message: str) -> PfsmError:
        return PfsmError(f"{self.name}:{self.line}: {message}")

    def text(self, value: object, what: str, default: str | None = None) -> str:
        """A value as text; numbers are written out."""
        if value is None and default is not None:
            return default
        if isinstance(value, bool) or not isinstance(value, str | int) or _SURROGATE.search(str(value)):
            raise self.fault(f"{what} is {ascii(value)[:40]}, text is needed")
        return str(value)

    def number(self, value: object, what: str) -> float:
        found = None if isinstance(value, bool | list | dict) else finite_number(str(value))
        if found is None:
            raise self.fault(f"{what} is {shown(str(value))}, a finite number is needed")
        return found + 0.0  # -0.0 becomes 0.0

    def object(self, value: object, what: str) -> Object:
        if not isinstance(value, dict):
            raise self.fault(f"{what} is {shown(str(value))}, an object is needed")
        return value


def _entries(path: StrPath) -> Iterator[_Entry]:
    """The objects of a file of JSON lines; those of a ``comet-score --to_json`` file get their system."""
    name, content = display_name(path), read_text(path)
    try:
        whole = json.loads(content)
    except (ValueError, RecursionError):
        whole = None
    if (
        isinstance(whole, dict)
        and whole
        and not is_pearmut(whole)
        and all(isinstance(value, list) for value in whole.values())
    ):
        for system, values in whole.items():
            for number, value in enumerate(values, start=1):
                entry = _Entry(f"{name}: {system}", number, {})
                yield _Entry(
                    entry.name, number, {"system": Path(system).stem} | dict(entry.object(value, "segment"))
                )
        return
    for number, line in enumerate(content.split("\n"), start=1):
        if line.strip():
            entry = _Entry(name, number, {})
            try:
                value = json.loads(line)
            except (ValueError, RecursionError):
                raise entry.fault(f"{shown(line)} is no JSON; one object a line is needed") from None
            yield _Entry(name, number, entry.object(value, "line"))


def _rows(path: StrPath) -> Iterator[_Entry]:
    """The rows of a CSV or Parquet file; empty cells are left out."""
    name = display_name(path)
    rows: Iterable[tuple[int, Object]] = (
        enumerate(_parquet_rows(path), start=1)
        if is_parquet(path)
        else ((row.line, row.fields) for row in Rows(path))
    )
    for number, row in rows:
        filled = {key: value for key, value in row.items() if not _is_empty(value)}
        entry = _Entry(name, number, filled)
        for key in _NAMES[ERRORS]:
            if isinstance(marks := filled.get(key), str):
                try:
                    filled[key] = json.loads(marks)
                except (ValueError, RecursionError):
                    raise entry.fault(f"{key} is {shown(marks)}, a JSON list of marks is needed") from None
        yield entry


def _is_empty(cell: object) -> bool:
    """Whether there is nothing in a cell; of numbers pandas has none as not a number."""
    return cell is None or (isinstance(cell, str) and not cell) or (isinstance(cell, float) and isnan(cell))


def is_parquet(path: StrPath) -> bool:
    """Whether a file is Parquet, by its name."""
    return str(path).endswith(".parquet") and not Path(path).is_dir()


def _parquet_rows(path: StrPath) -> Iterator[Object]:
    name = display_name(path)
    if not Path(path).is_file():
        raise PfsmError(f"{name}: no such file")
    if find_spec("pyarrow") is None and find_spec("pandas") is None:
        raise NotInstalledError(
            f"{name}: Parquet needs PyArrow, which is not installed", ["pyarrow"], (), ["pyarrow"]
        )
    try:
        if find_spec("pyarrow") is not None:
            parquet = import_module("pyarrow.parquet")
            with parquet.ParquetFile(path) as file:
                yield from (row for batch in file.iter_batches() for row in batch.to_pylist())
        else:
            yield from import_module("pandas").read_parquet(path).to_dict("records")
    except (ValueError, OSError, ImportError) as error:
        reason = str(error).partition("\n")[0].rstrip(".")
        raise PfsmError(f"{name}: damaged, not Parquet, or no engine for it ({reason})") from None


def is_annotations(columns: Container[str]) -> bool:
    """Whether columns, in lower case, are those of one translation a row, under any of the names known."""
    texts = all(any(one in columns for one in _NAMES[name]) for name in ("hypothesis", "reference"))
    return texts and any(one.lower() in columns for one in _NAMES["score"])


def is_pearmut(values: Object) -> bool:
    """Whether an object is of Pearmut's log."""
    return {"annotation", "item"} <= values.keys()


def is_wmt(values: Object) -> bool:
    """Whether an object is of the WMT's general task."""
    return {"scores", "tgt_text"} <= values.keys()


def guess_annotations(line: str) -> str:
    """The format of a file by its first line; ``""`` if it is none of these."""
    try:
        values = json.loads(line)
    except (ValueError, RecursionError):
        return "jsonl" if line.strip() == "{" else ""
    if not isinstance(values, dict):
        return ""
    return "pearmut" if is_pearmut(values) else "wmt-jsonl" if is_wmt(values) else "jsonl"


Rating = tuple[_Rated, str, float, list[Span]]
"""A translation, who rated it, how, and what he marked."""


def read_wmt(paths: Sequence[StrPath], options: Options) -> Reading:
    """Reads the human evaluation of the WMT's general task, 2024 and 2025.

    References are the systems called ``refA``, ``refB`` …, or `Options.reference_systems`.
    """
    return _reading(paths, options, _wmt_ratings)


def read_pearmut(paths: Sequence[StrPath], options: Options) -> Reading:
    """Reads Pearmut's logs; references are each item's ``ref``, or `Options.reference_systems`.

    Where an annotator rated a translation twice, the later rating counts. Tutorials and attention checks are left out.
    """
    return _reading(paths, options, _pearmut_ratings)


def read_json_lines(paths: Sequence[StrPath], options: Options) -> Reading:
    """Reads one translation a line, or what ``comet-score --to_json`` writes."""
    return _reading(paths, options, _line_ratings)


def read_rows(paths: Sequence[StrPath], options: Options) -> Reading:
    """Reads one translation a row, of CSV or Parquet."""
    return _reading(paths, options, _line_ratings, _rows)


def _reading(
    paths: Sequence[StrPath],
    options: Options,
    ratings: Callable[[_Entry, Options, Counter[str]], Iterator[Rating]],
    entries: Callable[[StrPath], Iterator[_Entry]] = _entries,
) -> Reading:
    notes: Counter[str] = Counter()
    rated: dict[tuple[Any, ...], _Rated] = {}
    for path in paths:
        for entry in entries(path):
            for one, rater, score, spans in ratings(entry, options, notes):
                # Without a name of the rater, or of the segment, nothing says that two ratings are of one translation.
                alone = () if rater and one.place.get("segment_id") else (display_name(path), len(rated))
                key = (*one.place.items(), one.references, one.system, one.hypothesis, *alone)
                rated.setdefault(key, one).ratings[rater] = score, spans
    if not rated and notes[NO_REFERENCE]:
        there = ", ".join(map(display_name, paths))
        raise PfsmError(
            f"{there}: no references; name the systems that are references with --reference-systems"
        )
    filled = {name for one in rated.values() for name, value in one.place.items() if value}
    most = max((len(one.references) for one in rated.values()), default=1)
    columns = layout(
        Judgment,
        [*filled, "system", *pair_columns(options), *(["rater"] * options.per_rater)],
        most,
        [*sorted(filled & {"domain"}), *([] if options.per_rater else ["n_raters"]), ERRORS],
    )
    return Reading(Judgment, columns, _records(rated, options), notes)


def _records(rated: Mapping[Any, _Rated], options: Options) -> Iterator[Judgment]:
    for one in rated.values():
        place = {**pair_columns(options), **{name: value for name, value in one.place.items() if value}}
        domain = {"domain": place.pop("domain")} if "domain" in place else {}
        if options.test_set and "segment_id" in place:
            place["segment_id"] = f"{options.test_set}.{place['segment_id']}"
        if options.per_rater:
            for rater, (score, spans) in one.ratings.items():
                yield _judgment(one, score, {**place, "rater": rater}, {**domain, ERRORS: spans_text(spans)})
        else:
            mean = sum(score for score, _ in one.ratings.values()) / len(one.ratings)
            spans = [span for _, marked in one.ratings.values() for span in marked]
            further = {**domain, "n_raters": str(len(one.ratings)), ERRORS: spans_text(spans)}
            yield _judgment(one, mean, place, further)


def _judgment(one: _Rated, score: float, place: Mapping[str, str], further: Mapping[str, str]) -> Judgment:
    return Judgment(
        references=one.references, hypothesis=one.hypothesis, score=score, system=one.system, line=one.line,
        further=further, **place,
    )  # fmt: skip


def _translations(entry: _Entry, value: object, what: str) -> dict[str, str]:
    return {
        system: entry.text(text, f"{what} of {system}") for system, text in entry.object(value, what).items()
    }


def _references(translations: Mapping[str, str], options: Options) -> dict[str, str]:
    """The references among the translations of a segment, by system."""
    names = options.reference_systems or sorted(filter(_IS_REFERENCE.fullmatch, translations))
    return {name: translations[name] for name in names if name in translations}


def _wmt_ratings(entry: _Entry, options: Options, notes: Counter[str]) -> Iterator[Rating]:
    values = entry.values
    if not is_wmt(values):
        raise entry.fault(
            "no scores and tgt_text, as the files of the WMT's general task have; another --from?"
        )
    translations = _translations(entry, values["tgt_text"], "tgt_text")
    references = _references(translations, options)
    *before, document, segment = ["", *entry.text(values.get("doc_id"), "doc_id").split("_#_")]
    place = {"document": document, "segment_id": f"{document}.{segment}" if document else segment}
    if len(before) > 2:
        languages, place["domain"] = before[1], before[2]
        place |= _languages(entry, languages, "doc_id")
        place["segment_id"] = f"{languages}.{place['segment_id']}"
    place["source"] = entry.text(values.get("src_text"), "src_text", "")
    for system, given in entry.object(values["scores"], "scores").items():
        if system in references:
            continue
        if system not in translations:
            raise entry.fault(f"scores of {shown(system)}, which tgt_text does not have")
        ratings = given if isinstance(given, list) else _numbered(entry.object(given, f"scores of {system}"))
        for each in ratings:
            rating = entry.object(each, f"scores of {system}")
            score = rating.get("human", rating.get("score"))
            if not references:
                notes[NO_REFERENCE] += 1
                continue
            rater = entry.text(rating.get("annotator"), "annotator", "")
            spans = read_spans(rating.get("errors") or [], translations[system], rater, entry.fault)
            one = _Rated(entry.line, place, tuple(references.values()), system, translations[system])
            yield one, rater, entry.number(score, f"score of {system}"), spans


def _numbered(values: Object) -> Iterator[Object]:
    """The ratings in ``human1``, ``errors1``, ``annotator1``, ``human2`` and so on."""
    for name in values:
        if match := re.fullmatch(r"human([0-9]+)", name):
            yield {each: values.get(f"{each}{match[1]}") for each in ("human", "errors", "annotator")}


def _languages(entry: _Entry, text: str, what: str) -> dict[str, str]:
    source, dash, target = text.partition("-")
    if not (source and dash and target):
        raise entry.fault(f"{what} is {shown(text)}, a language pair such as cs-en is needed")
    # The variant, as in de_DE, is not part of the code.
    return {"source_lang": language_code(source), "target_lang": language_code(target.partition("_")[0])}


def _pearmut_ratings(entry: _Entry, options: Options, notes: Counter[str]) -> Iterator[Rating]:
    values = entry.values
    if not is_pearmut(values):
        raise entry.fault("no annotation and item, as Pearmut's logs have; another --from?")
    if str(values.get("item_i", "")).startswith(("welcome_", "random_", "goodbye_")):
        notes["tutorials and attention checks left out"] += 1
        return
    items, annotations = values["item"], values["annotation"]
    if not isinstance(items, list) or not isinstance(annotations, list) or len(items) != len(annotations):
        raise entry.fault("item and annotation must be lists of one length")
    for at, (item, by_system) in enumerate(zip(items, annotations, strict=True), start=1):
        if by_system is not None:
            place = entry.object(item, f"item {at}"), entry.object(by_system, f"annotation {at}")
            yield from _item_ratings(entry, at, *place, options, notes)


def _item_ratings(
    entry: _Entry, at: int, item: Object, by_system: Object, options: Options, notes: Counter[str]
) -> Iterator[Rating]:
    translations = _translations(entry, item.get("tgt"), f"tgt of item {at}")
    references = _references(translations, options)
    if item.get("ref"):
        references = {"": entry.text(item["ref"], f"ref of item {at}"), **references}
    rater = entry.text(entry.values.get("user_id"), "user_id", "")
    document = entry.text(entry.values.get("item_i"), "item_i", "")
    place = {
        "document": document,
        "segment_id": entry.text(item.get("item_id"), f"item_id of item {at}", f"{document}.{at}"),
        "source": entry.text(item.get("src"), f"src of item {at}", ""),
    }
    for system, given in by_system.items():
        rating = entry.object(given, f"annotation {at} of {system}")
        if system not in translations:
            raise entry.fault(f"annotation {at} is of {shown(system)}, which tgt does not have")
        if not references or rating.get("score") is None:
            notes[NO_REFERENCE if not references else "annotations without a score left out"] += 1
        elif system not in references:
            text = translations[system]
            spans = read_spans(rating.get("error_spans") or [], text, rater, entry.fault, _units(text))
            one = _Rated(entry.line, place, tuple(references.values()), system, text)
            yield one, rater, entry.number(rating["score"], f"score {at} of {system}"), spans


def _units(text: str) -> list[int]:
    """The code point of each place that Pearmut counts: UTF-16 units, without line ends."""
    return [at for at, one in enumerate(text) if one != "\n" for _ in range(1 + (ord(one) > 0xFFFF))]


def _line_ratings(entry: _Entry, options: Options, notes: Counter[str]) -> Iterator[Rating]:
    values = {
        ours: next((entry.values[name] for name in names if entry.values.get(name) is not None), None)
        for ours, names in _NAMES.items()
    }
    what = options.score_column or "score"
    score = entry.number(entry.values.get(what) if options.score_column else values["score"], what)
    hypothesis = entry.text(values["hypothesis"], "hypothesis")
    references = entry.values.get("references", values["reference"])
    references = references if isinstance(references, list) else [references]
    if references in ([], [None]):
        notes[NO_REFERENCE] += 1
        return
    names = ("document", "segment_id", "source", "rater")
    place = {name: entry.text(values[name], name, "") for name in names}
    named = ("source_lang", "target_lang", "domain")
    place |= {name: entry.text(entry.values[name], name) for name in named if name in entry.values}
    if values["languages"] is not None:
        place |= _languages(entry, entry.text(values["languages"], "lp"), "lp")
    rater = place.pop("rater")
    spans = read_spans([] if values[ERRORS] is None else values[ERRORS], hypothesis, rater, entry.fault)
    texts = tuple(entry.text(text, "reference") for text in references)
    system = entry.text(entry.values.get("system"), "system", "")
    yield _Rated(entry.line, place, texts, system, hypothesis), rater, score, spans
