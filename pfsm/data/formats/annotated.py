"""Annotations as JSON: of the WMT's general task since 2024, of Pearmut, and one translation a line.

*WMT* (``src_text``, ``tgt_text`` and ``scores`` by system, ``doc_id``): one segment a line. 2024 has a list of ratings
a system, 2025 numbered ones (``human1``, ``errors1``, ``annotator1`` …). *Pearmut*: its log, one document and annotator
a line, or its download, logs by campaign. *JSON lines*: an object with a translation, its score and its reference, or
systems that are references, under the names of pfsm, COMET or ESA; or what ``comet-score --to_json`` writes. Scores are
averaged over raters; what was marked becomes the column ``errors``.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from itertools import chain
from math import isnan, nan
from pathlib import Path
from typing import Any

from pfsm.data.formats.records import JUDGMENT_COLUMNS, Judgment, Options, Reading, Routine, gathered
from pfsm.data.formats.rows import language_code, rows_of
from pfsm.data.formats.texts import pair_columns
from pfsm.data.segments import further_references
from pfsm.data.spans import ERRORS, Span, read_spans, spans_text
from pfsm.data.table import is_parquet, json_number, read_table, refused, shown
from pfsm.errors import NotInstalledError, PfsmError
from pfsm.io.files import StrPath, display_name, read_text
from pfsm.io.json_text import parsed

Object = Mapping[str, Any]
NO_REFERENCE = "judgments without a reference left out"
_MEANS = Routine(
    "translations of several raters: the mean is taken; `pfsm data convert --per-rater` keeps them apart"
)
_RESET = "__RESET__"  # Pearmut's mark of a task that begins anew
_FILLERS = Routine("tutorials, attention checks, forms and tasks that were reset left out")
IS_REFERENCE = re.compile(r"ref[-._]?[A-Z]?")
_SURROGATE = re.compile("[\ud800-\udfff]")
_SCORE = re.compile(r"(.*_)?score|COMET")
_NAMES: Mapping[str, tuple[str, ...]] = {
    "hypothesis": ("hypothesis", "mt", "tgt", "translation"),
    "reference": ("reference", "ref"),
    "source": ("source", "src"),
    "document": ("document", "doc_id"),
    "segment_id": ("segment_id", "segment", "line_id"),
    "rater": ("rater", "annotator"),
    ERRORS: (ERRORS, "error_spans", "esa_spans"),
    "languages": ("lp", "langs"),
}
"""Our names of what one translation a line has, and the names that files have for it."""
_KNOWN = frozenset({*JUDGMENT_COLUMNS, *_NAMES, *(name for names in _NAMES.values() for name in names)})


@dataclass
class Rated:
    """One translation, and what each rater said of it."""

    line: int
    place: Mapping[str, str]
    references: tuple[str, ...]
    system: str
    hypothesis: str
    further: Mapping[str, str] = field(default_factory=dict)
    ratings: dict[str, tuple[float, list[Span]]] = field(default_factory=dict)


class Entry:
    """One object of a file, and where it stands; ``part`` is its system of comet-score or its campaign of Pearmut."""

    def __init__(self, name: str, line: int, values: Object, part: str = "") -> None:
        self.name, self.line, self.values, self.part = name, line, values, part

    def fault(self, message: str) -> PfsmError:
        """What is wrong here."""
        return PfsmError(f"{self.name}:{self.line}: {message}")

    def text(self, value: object, what: str, default: str | None = None) -> str:
        """A value as text; numbers are written out."""
        if value is None and default is not None:
            return default
        if isinstance(value, float) and value.is_integer():  # pandas makes floats of a column with gaps
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, str | int) or _SURROGATE.search(str(value)):
            raise self.fault(f"{what} is {ascii(value)[:40]}, text is needed")
        return str(value)

    def number(self, value: object, what: str) -> float:
        """A finite number."""
        found = json_number(value)
        if found is None:
            raise self.fault(f"{what} is {refused(str(value))}")
        return found + 0.0  # -0.0 becomes 0.0

    def score(self, value: object, what: str) -> float:
        """A finite number, or NaN where there is none."""
        is_nan = isinstance(value, str) and value.strip().lower() == "nan"
        return nan if is_nan or _is_empty(value) else self.number(value, what)

    def mapping(self, value: object, what: str) -> Object:
        """An object of JSON."""
        if not isinstance(value, dict):
            raise self.fault(f"{what} is {shown(str(value))}, an object is needed")
        return value

    def marks(self, text: str, what: str) -> object:
        """What a cell holds, which is JSON."""
        value: object = parsed(text, f"{self.name}:{self.line}")
        if value is None:
            raise self.fault(f"{what} is {shown(text)}, a JSON list of marks is needed")
        return value


def json_entries(path: StrPath) -> Iterator[Entry]:
    """The objects of a file, one a line, in one list, or in several by name."""
    name, content = display_name(path), read_text(path)
    whole: object = parsed(content, name)
    if parts := _parts(whole):
        for part, values in parts.items():
            for number, value in enumerate(values, start=1):
                entry = Entry(f"{name}: {part}", number, {})
                yield Entry(entry.name, number, entry.mapping(value, "entry"), part)
        return
    objects = [whole] if isinstance(whole, dict) else whole
    lines = objects if isinstance(objects, list) else content.split("\n")
    for number, line in enumerate(lines, start=1):
        entry, value = Entry(name, number, {}), line
        if isinstance(line, str):
            if not line.strip():
                continue
            value = parsed(line, f"{name}:{number}")
            if value is None:
                raise entry.fault(f"{shown(line)} is not JSON; one object a line is needed")
        yield Entry(name, number, entry.mapping(value, "line"))


def _parts(whole: object) -> Mapping[str, Sequence[object]]:
    """The lists of a file by name, as of comet-score and of Pearmut's download; none where it is something else."""
    if not isinstance(whole, dict) or is_pearmut(whole):
        return {}
    return whole if all(isinstance(value, list) for value in whole.values()) else {}


def _rows(path: StrPath) -> Iterator[Entry]:
    """The rows of a CSV or Parquet file; empty cells are None."""
    name = display_name(path)
    rows: Iterable[tuple[int, Object]] = (
        enumerate(_parquet_rows(path), start=1)
        if is_parquet(path)
        else ((row.line, row.fields) for row in rows_of(read_table(path)))
    )
    for number, row in rows:
        filled = {
            key: None if _is_empty(value) and str(value) in {"", "nan"} else value
            for key, value in row.items()
        }
        entry = Entry(name, number, filled)
        for key in _NAMES[ERRORS]:
            if isinstance(marks := filled.get(key), str):
                filled[key] = entry.marks(marks, key)
        yield entry


def _is_empty(value: object) -> bool:
    """Whether a value is missing: null, blank, or a NaN, which pandas has for it."""
    if isinstance(value, str):
        return not value.strip()
    return value is None or (isinstance(value, float) and isnan(value))


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
    there = {name for name, names in _NAMES.items() if any(one in columns for one in names)}
    return "hypothesis" in there and ("reference" in there or ("source" in there and "system" in columns))


def is_pearmut(values: Object) -> bool:
    """Whether an object comes from Pearmut's log."""
    return {"annotation", "item_i"} <= values.keys()


def is_wmt(values: Object) -> bool:
    """Whether an object comes from the WMT's general task."""
    return {"scores", "tgt_text"} <= values.keys()


def guess_annotations(line: str, path: StrPath) -> str:
    """The format of a file by its first line, or whole if that begins JSON; ``""`` if it is none of these."""
    values = parsed(line, display_name(path))
    if values is None and line.strip().startswith(("{", "[")):
        values = parsed(read_text(path), display_name(path))
    if parts := _parts(values):
        values = list(chain.from_iterable(parts.values()))
    values = values[0] if isinstance(values, list) and values else values
    if not isinstance(values, dict):
        return ""
    return "pearmut" if is_pearmut(values) else "wmt-jsonl" if is_wmt(values) else "jsonl"


Rating = tuple[Rated, str, float, list[Span]]
"""A translation, who rated it, how, and what he marked."""


def read_ratings(
    paths: Sequence[StrPath],
    options: Options,
    ratings: Callable[[Entry, Options, Counter[str]], Iterator[Rating]],
    entries: Callable[[StrPath], Iterator[Entry]] = json_entries,
) -> Reading:
    """All judgments of files: the ratings of each entry, in the mean over raters unless they are wanted apart."""
    notes: Counter[str] = Counter()
    rated: dict[tuple[Any, ...], Rated] = {}
    missing = 0
    for path in paths:
        for entry in entries(path):
            for one, rater, score, spans in ratings(entry, options, notes):
                # Without a name of the rater, or of the segment, nothing says that two ratings are of one translation.
                alone = () if rater and one.place.get("segment_id") else (display_name(path), len(rated))
                key = (*one.place.items(), one.references, one.system, one.hypothesis, *alone)
                same = rated.setdefault(key, one)
                same.further = {
                    name: value for name, value in same.further.items() if one.further.get(name) == value
                }
                if isnan(score):
                    missing += 1
                else:
                    same.ratings[rater] = score, spans
    if missing and any(one.ratings for one in rated.values()):
        notes["annotations without a score left out"] += missing
    there = ", ".join(map(display_name, paths))
    if not rated and notes[NO_REFERENCE]:
        raise PfsmError(
            f"{there}: no references; name the systems that are references with --reference-systems"
        )
    if options.score_column and rated and not any(one.ratings for one in rated.values()):
        raise PfsmError(f"{there}: no {options.score_column} anywhere")
    return reading_of(rated, options, notes)


def reading_of(rated: Mapping[Any, Rated], options: Options, notes: Counter[str]) -> Reading:
    """Judgments: the mean over raters, unless they are wanted apart."""
    scored = {key: one for key, one in rated.items() if one.ratings}
    several = sum(len(one.ratings) > 1 for one in scored.values())
    if several and not options.per_rater:
        notes[_MEANS] += several
    kept = scored or rated
    always = ["system", *["rater"] * options.per_rater]
    further = [name for one in kept.values() for name in one.further]
    reading = gathered(Judgment, _records(kept, options), notes, always, further)
    columns = [name for name in reading.columns if scored or name not in {"score", "n_raters", ERRORS}]
    return replace(reading, columns=columns)


def _records(rated: Mapping[Any, Rated], options: Options) -> Iterator[Judgment]:
    for one in rated.values():
        place = {**pair_columns(options), **{name: value for name, value in one.place.items() if value}}
        if options.test_set and "segment_id" in place:
            place["segment_id"] = f"{options.test_set}.{place['segment_id']}"
        if options.per_rater and one.ratings:
            for rater, (score, spans) in one.ratings.items():
                yield _judgment(one, score, {**place, "rater": rater}, {ERRORS: spans_text(spans)})
        else:
            # Of a file without scores there is no mean.
            mean = sum(score for score, _ in one.ratings.values()) / (len(one.ratings) or nan)
            spans = [span for _, marked in one.ratings.values() for span in marked]
            yield _judgment(one, mean, place, {"n_raters": str(len(one.ratings)), ERRORS: spans_text(spans)})


def _judgment(one: Rated, score: float, place: Mapping[str, str], further: Mapping[str, str]) -> Judgment:
    return Judgment(
        references=one.references, hypothesis=one.hypothesis, score=score, system=one.system, line=one.line,
        further={**one.further, **further}, **place,
    )  # fmt: skip


def _translations(entry: Entry, value: object, what: str) -> dict[str, str]:
    return {
        system: entry.text(text, f"{what} of {system}", "")
        for system, text in entry.mapping(value, what).items()
    }


def references_among(translations: Mapping[str, str], options: Options) -> dict[str, str]:
    """The references among the translations of a segment, by system; a blank one is missing."""
    names = options.reference_systems or sorted(filter(IS_REFERENCE.fullmatch, translations))
    return {name: translations[name] for name in names if translations.get(name, "").strip()}


def _wmt_ratings(entry: Entry, options: Options, notes: Counter[str]) -> Iterator[Rating]:
    values = entry.values
    if not is_wmt(values):
        raise entry.fault(
            "no scores and tgt_text, as the files of the WMT's general task have; another --from?"
        )
    translations = _translations(entry, values["tgt_text"], "tgt_text")
    references = references_among(translations, options)
    *before, document, segment = ["", *entry.text(values.get("doc_id"), "doc_id").split("_#_")]
    place = {"document": document, "segment_id": f"{document}.{segment}" if document else segment}
    domain = {}
    if len(before) > 2:
        languages, domain = before[1], {"domain": before[2]}
        place |= _languages(entry, languages, "doc_id")
        place["segment_id"] = f"{languages}.{place['segment_id']}"
    place["source"] = entry.text(values.get("src_text"), "src_text", "")
    for system, given in entry.mapping(values["scores"], "scores").items():
        if system in references:
            continue
        if system not in translations:
            raise entry.fault(f"scores of {shown(system)}, which tgt_text does not have")
        ratings: Iterable[object] = [None] if given is None else given
        if not isinstance(ratings, list):
            ratings = _numbered(entry.mapping(given, f"scores of {system}"))
        for each in ratings:
            rating = entry.mapping({} if each is None else each, f"scores of {system}")
            score = rating.get("human", rating.get("score"))
            if not references:
                notes[NO_REFERENCE] += 1
                continue
            rater = entry.text(rating.get("annotator"), "annotator", "")
            spans = read_spans(rating.get("errors") or [], translations[system], rater, entry.fault)
            one = Rated(entry.line, place, tuple(references.values()), system, translations[system], domain)
            yield one, rater, entry.score(score, f"score of {system}"), spans


def _numbered(values: Object) -> Iterator[Object]:
    """The ratings in ``human1``, ``errors1``, ``annotator1``, ``human2`` and so on."""
    for name in values:
        if match := re.fullmatch(r"human([0-9]+)", name):
            yield {each: values.get(f"{each}{match[1]}") for each in ("human", "errors", "annotator")}


def _languages(entry: Entry, text: str, what: str) -> dict[str, str]:
    source, dash, target = text.partition("-")
    if not (source and dash and target):
        raise entry.fault(f"{what} is {shown(text)}, a language pair such as cs-en is needed")
    # The variant, as in de_DE, is not part of the code.
    return {"source_lang": language_code(source), "target_lang": language_code(target.partition("_")[0])}


def read_pearmut(paths: Sequence[StrPath], options: Options) -> Reading:
    """Reads logs of Pearmut; references are each item's ``ref``, or as of `read_wmt`."""
    return read_ratings(paths, options, partial(_pearmut_ratings, documents={}), _log)


def _log(path: StrPath) -> Iterator[Entry]:
    """The entries of a log, those of a task that was reset later marked so."""
    entries = [(one, (one.part, str(one.values.get("user_id")))) for one in json_entries(path)]
    resets = {who: at for at, (one, who) in enumerate(entries) if one.values.get("annotation") == _RESET}
    for at, (one, who) in enumerate(entries):
        if at > resets.get(who, -1):
            yield one
        elif "item" in one.values:
            yield Entry(one.name, one.line, {**one.values, "annotation": _RESET}, one.part)


def _pearmut_ratings(
    entry: Entry, options: Options, notes: Counter[str], *, documents: dict[str, str]
) -> Iterator[Rating]:
    """``documents``: names by content, as its number is that of a document in the task of one annotator."""
    items, annotations = entry.values.get("item"), entry.values.get("annotation")
    number = str(entry.values.get("item_i", ""))
    if annotations == _RESET or number.startswith(("welcome_", "random_", "goodbye_")):
        notes[_FILLERS] += 1
        return
    if items is None or annotations is None:
        raise entry.fault("no annotation and item, as Pearmut's logs have; another --from?")
    if not isinstance(items, list) or not isinstance(annotations, list) or len(items) != len(annotations):
        raise entry.fault("item and annotation must be lists of one length")
    items = [entry.mapping(item, f"item {at}") for at, item in enumerate(items, start=1)]
    if any("form" in item for item in items):
        notes[_FILLERS] += 1
        return
    content = json.dumps(
        [entry.part, *([item.get(name) for name in ("item_id", "src", "ref")] for item in items)]
    )
    if content not in documents:
        documents[content] = number if number not in documents.values() else f"{number}.{len(documents)}"
    for at, (item, by_system) in enumerate(zip(items, annotations, strict=True), start=1):
        if by_system is not None:
            given = entry.mapping(by_system, f"annotation {at}")
            yield from _item_ratings(entry, documents[content], at, item, given, options, notes)


def _item_ratings(
    entry: Entry, document: str, at: int, item: Object, by_system: Object, options: Options, notes: Counter[str]
) -> Iterator[Rating]:  # fmt: skip
    translations = _translations(entry, item.get("tgt"), f"tgt of item {at}")
    references = references_among(translations, options)
    if not _is_empty(item.get("ref")):
        references = {"": entry.text(item["ref"], f"ref of item {at}"), **references}
    rater = entry.text(entry.values.get("user_id"), "user_id", "")
    place = {
        "test_set": entry.part,
        "document": document,
        "segment_id": entry.text(item.get("item_id"), f"item_id of item {at}", f"{document}.{at}"),
        "source": entry.text(item.get("src"), f"src of item {at}", ""),
    }
    for system, given in by_system.items():
        rating = entry.mapping({} if given is None else given, f"annotation {at} of {system}")
        if system not in translations:
            raise entry.fault(f"annotation {at} is of {shown(system)}, which tgt does not have")
        if not references:
            notes[NO_REFERENCE] += 1
        elif system not in references:
            text = translations[system]
            spans = read_spans(rating.get("error_spans") or [], text, rater, entry.fault, _units(text))
            one = Rated(entry.line, place, tuple(references.values()), system, text)
            yield one, rater, entry.score(rating.get("score"), f"score {at} of {system}"), spans


def _units(text: str) -> list[int]:
    """The code point of each place that Pearmut counts: UTF-16 units, without line ends."""
    return [at for at, one in enumerate(text) if one != "\n" for _ in range(1 + (ord(one) > 0xFFFF))]


def _read_lines(
    paths: Sequence[StrPath], options: Options, entries: Callable[[StrPath], Iterator[Entry]] = json_entries
) -> Reading:
    """One translation an entry. Where entries have no references, systems of the same segment are."""
    lists = {path: list(entries(path)) for path in paths}
    among: dict[tuple[str, ...], dict[str, str]] = {}
    for entry in chain.from_iterable(lists.values()):
        system = str(entry.values.get("system"))
        if system in options.reference_systems or IS_REFERENCE.fullmatch(system):
            values, place = _line(entry)
            if place["segment_id"] or place["source"]:
                among.setdefault((*place.values(),), {})[system] = entry.text(
                    values["hypothesis"], "hypothesis"
                )
    return read_ratings(paths, options, partial(_line_ratings, among=among), lambda path: iter(lists[path]))


def _line(entry: Entry) -> tuple[Object, dict[str, str]]:
    """The fields of an entry under our names, and its segment."""
    values = {
        ours: next((entry.values[name] for name in names if entry.values.get(name) is not None), None)
        for ours, names in _NAMES.items()
    }
    if any(name in entry.values for name in _NAMES["hypothesis"]):
        values["hypothesis"] = values["hypothesis"] or ""  # there is no translation
    place = {name: entry.text(values[name], name, "") for name in ("document", "segment_id", "source")}
    named = ("test_set", "source_lang", "target_lang")
    place |= {name: entry.text(entry.values.get(name), name, "") for name in named}
    if values["languages"] is not None:
        place |= _languages(entry, entry.text(values["languages"], "lp"), "lp")
    return values, place


def _line_ratings(
    entry: Entry, options: Options, notes: Counter[str], *, among: Mapping[tuple[str, ...], Mapping[str, str]]
) -> Iterator[Rating]:
    values, place = _line(entry)
    what = options.score_column or _score_of(entry)
    score = entry.score(entry.values.get(what), what)
    hypothesis = entry.text(values["hypothesis"], "hypothesis")
    given = entry.values.get("references")
    if not isinstance(given, list):
        given = [values["reference"], *(entry.values[name] for name in further_references(entry.values))]
    references = [entry.text(text, "reference") for text in given if not _is_empty(text)]
    system = entry.text(entry.values.get("system"), "system", Path(entry.part).stem)
    if options.reference_systems or not references:
        others = references_among(among.get((*place.values(),), {}), options)
        if system in others:
            return
        references = [*references, *others.values()]
    if not references:
        notes[NO_REFERENCE] += 1
        return
    rater = entry.text(values["rater"], "rater", "")
    spans = read_spans([] if values[ERRORS] is None else values[ERRORS], hypothesis, rater, entry.fault)
    further = {
        name: entry.text(str(value), name)
        for name, value in entry.values.items()
        if name not in {*_KNOWN, what} and isinstance(value, str | int | float)
    }
    yield Rated(entry.line, place, tuple(references), system, hypothesis, further), rater, score, spans


def _score_of(entry: Entry) -> str:
    """The field that is the score: ``score``, or the only one that is called one; ``""``: none is."""
    named = [name for name in entry.values if _SCORE.fullmatch(name)]
    if len(named) > 1 and "score" not in named:
        raise entry.fault(f"several scores ({', '.join(named)}); choose one with --score-column")
    return "score" if "score" in named else "".join(named)


read_wmt = partial(read_ratings, ratings=_wmt_ratings)
"""References are the systems called ``refA``, ``refB`` …, or `Options.reference_systems`."""
read_json_lines, read_rows = _read_lines, partial(_read_lines, entries=_rows)
"""One translation a line; one a row, of CSV or Parquet."""
