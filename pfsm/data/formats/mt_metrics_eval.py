"""Folders of mt-metrics-eval, one per test set.

The files for a language pair LP, with one segment per line: ``sources/LP.txt``, ``documents/LP.docs`` (domain and
document), ``references/LP.NAME.txt``, ``system-outputs/LP/SYSTEM.txt``, or these as ``.jsonl``;
``human-scores/LP.NAME.{sys,doc,seg}.score`` and ``metric-scores/LP/NAME-REF.{sys,seg}.score`` with ``SYSTEM SCORE`` on
each line (``None`` for a missing score). NAME of human scores may end in ``.merged``, or in ``.rater1`` …, of which the
mean is taken. Marked spans stand in ``human-scores/LP.NAME.seg.rating``, merged or by rater: ``SYSTEM JSON RATER``.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pfsm.data.formats.annotated import Entry, json_entries
from pfsm.data.formats.records import Judgment, Options, Reading, gathered, number_text
from pfsm.data.formats.rows import language_code
from pfsm.data.formats.texts import document_names
from pfsm.data.markup import Role
from pfsm.data.segments import check_parallel, segments_of
from pfsm.data.spans import ERRORS, SEVERITIES, Span, read_spans, spans_text
from pfsm.data.table import finite_number, shown
from pfsm.errors import PfsmError
from pfsm.io.files import StrPath, display_name, is_inside, read_lines
from pfsm.io.json_text import parsed

SYSTEM_SCORE = "system_score"
DOCUMENT_SCORE = "document_score"
_MISSING = "None"
_NO_TEXT = "[No translation supplied]"
_FIELDS: Mapping[Role, str] = {"source": "source", "reference": "target", "system": "hypothesis"}
"""What objects of JSON call a text."""
_RATER = re.compile(r"(.+)[.-](merged|rater[^.]*)")
_USUAL_SCORES = ("mqm", "esa", "da-sqm", "wmt", "wmt-appraise", "wmt-raw", "wmt-z")
"""Which human scores are taken where several are there: the first of these."""
_USUAL_REFERENCES = {
    **dict.fromkeys(("wmt22 cs-en", "wmt22 en-cs", "wmt23 he-en", "wmt23 en-he"), "refB"),
    "wmt21.news en-de": "refC",
    "wmt21.news zh-en": "refB",
    "wmt21.tedtalks zh-en": "refB",
}
"""Where mt-metrics-eval's standard reference is not refA."""
_OUTLIERS = {"wmt22 en-de": "M2M100_1.2B-B4", "wmt23 en-de": "synthetic_ref", "wmt23 zh-en": "synthetic_ref"}
"""What mt-metrics-eval leaves out."""


@dataclass(frozen=True, slots=True)
class ScoreLine:
    """One line of a score file."""

    line: int
    system: str
    score: float | None
    """None if the score is missing."""


def score_lines(path: StrPath) -> Iterator[ScoreLine]:
    """The lines of a file of scores, at any level."""
    name = display_name(path)
    for number, line in enumerate(read_lines(path), start=1):
        fields = line.rsplit(None, 1)
        score = None if len(fields) != 2 else finite_number(fields[1])
        if len(fields) != 2 or (score is None and fields[1] != _MISSING):
            raise PfsmError(f"{name}:{number}: {shown(line)}, a system and a finite number or None is needed")
        yield ScoreLine(number, fields[0].strip(), None if score is None else score + 0.0)


def read_mt_metrics_eval(paths: Sequence[StrPath], options: Options) -> Reading:
    """Reads the segment scores of mt-metrics-eval folders.

    Scores of documents and systems of the same name become columns, as do those of metrics that are named. A reference
    that is scored as a system is not used as a reference for itself; if it is the only reference, its judgments are
    left out.
    """
    return _reading([_Folder(path, options) for path in paths])


def _reading(folders: Sequence["_Folder"]) -> Reading:
    notes: Counter[str] = Counter()
    records = (record for folder in folders for record in folder.judgments(notes))
    return gathered(Judgment, records, notes)


def read_test_set(root: Path, pair: str, options: Options, systems: bool) -> tuple[Reading, str]:
    """A test set as mt-metrics-eval evaluates on it: its standard reference and scores, without outliers.

    Args:
        root: The folder of the test set.
        pair: Such as en-de.
        options: References, human score and metrics, where they are not the usual ones.
        systems: Scores of systems, on each of their segments, instead of scores of segments.

    Returns:
        The judgments, and what was chosen, for a message.
    """
    if not _file(root / "sources", pair).is_file():
        there: list[str] = _pairs(root) or sorted(
            path.name for path in root.parent.glob("*") if path.is_dir()
        )
        raise PfsmError(f"{root}: no sources/{pair}.txt; there are {', '.join(there) or 'no test sets'}")
    if not options.references:
        names = [path.name.split(".")[-2] for path in sorted((root / "references").glob(f"{pair}.*.*"))]
        usual = (_USUAL_REFERENCES.get(f"{root.name} {pair}", "refA"), "ref", *names)
        options = replace(options, references=tuple(name for name in usual if name in names)[:1])
    segments, whole = (
        {one for name in _score_names(root, pair, level) for one in (name, _base(name))}
        for level in ("seg", "sys")
    )
    human = options.human_score or next((name for name in _USUAL_SCORES if name in (segments or whole)), "")
    level = "sys" if systems and human in whole else "seg"
    folder = _Folder(root, replace(options, human_score=human), pair, level, systems)
    reading = _reading([folder])
    left_out = {*folder.references, _OUTLIERS.get(f"{root.name} {pair}", "")}
    kept = (
        folder.complete(one)
        for one in reading.records
        if isinstance(one, Judgment) and one.system not in left_out
    )
    scores = ", ".join(path.name.removeprefix(f"{pair}.") for path in folder.scores)
    return replace(reading, records=kept), f"{scores}; {', '.join(folder.references)}"


Scores = Mapping[str, Sequence[ScoreLine]]


class _Folder:
    """One test set and language pair, without its system outputs.

    Attributes:
        scores: The file of one rater, or of all merged; or those of several.
        references: By name [n_segments].
        other_scores: By column the scores by system, and the place of each segment's among them.
        ratings: By system and segment the lines of the files of marked spans.
    """

    def __init__(
        self, path: StrPath, options: Options, pair: str = "", level: str = "seg", systems: bool = False
    ) -> None:
        self.root = root = Path(path)
        if not root.is_dir():
            raise PfsmError(
                f"{display_name(path)}: is not a folder; give the folder of a test set, as mt-metrics-eval has"
            )
        self.pair = pair = pair or _language_pair(root, options)
        self.scores = _score_files(root, pair, level, options.human_score)
        self._options, self._systems, self._first = options, systems, _file(root / "sources", pair)
        self._sources = _texts(self._first, "source")
        count = len(self._sources)
        self._documents = document_names(root / "documents" / f"{pair}.docs")
        check_parallel(root / "documents" / f"{pair}.docs", len(self._documents), self._first, count)
        self.references = _references(root, pair, options, count)
        human = self.scores[0].name.removesuffix(f".{level}.score")
        names = [document for _, document in self._documents]
        numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
        self.other_scores: dict[str, tuple[Scores, Sequence[int]]] = {}
        for column, each, unit, places in (
            (SYSTEM_SCORE, "sys", "", [0] * count),
            (DOCUMENT_SCORE, "doc", "document", [numbers[name] for name in names]),
        ):
            other = self.scores[0].with_name(f"{human}.{each}.score")
            if other.is_file() and not systems:
                self.other_scores[column] = _by_system(other, max(places, default=0) + 1, unit), places
        self._metrics: dict[str, Path] = {}
        for name in options.metric_scores:
            of_metric = _metric_scores(root, pair, name, tuple(self.references), systems, count)
            self._metrics[name], self.other_scores[name] = of_metric[0], of_metric[1:]
        self.ratings = _ratings(root, pair, _base(human.removeprefix(f"{pair}.")), count)

    def judgments(self, notes: Counter[str]) -> Iterator[Judgment]:
        """A judgment for each segment that has a score, the mean of its raters'.

        Of scores of systems instead: for each segment of every system that has a score, the score of the system.
        """
        most = 1 if self.scores[0].name.endswith(".sys.score") else len(self._sources)
        files = [_by_system(path, most) for path in self.scores]
        for system in dict.fromkeys(system for scores in files for system in scores):
            first = next(scores[system][0] for scores in files if system in scores)
            output = self._output(first, notes)
            found: list[tuple[ScoreLine, float] | None] = []
            for at in range(most):
                lines = [scores[system][at] for scores in files if len(scores.get(system, ())) > at]
                given = [line.score for line in lines if line.score is not None]
                found.append((lines[0], sum(given) / len(given)) if given else None)
            there = [score for _, score in filter(None, found)]
            if self._systems:
                found = [(first, sum(there) / len(there)) if there else None] * len(self._sources)
            if None in found:
                notes["segments without a score left out"] += found.count(None)
            for at, each in enumerate(found):
                if each is not None and output is not None:
                    yield from self._judgment(*each, at, output, notes)
        for path, scores in zip(self.scores, files, strict=True):
            for system, rows in scores.items():
                if len(rows) != most:
                    raise PfsmError(f"{path}: {len(rows)} scores of {system}, but there are {most} segments")

    def complete(self, one: Judgment) -> Judgment:
        """The judgment; one without a score of a metric that was asked for is refused."""
        for name, path in self._metrics.items():
            if not one.further[name]:
                scores, places = self.other_scores[name]
                first = places[int(one.segment_id.rpartition(".")[2]) - 1]
                line = next((f"{each.line}: None" for each in scores.get(one.system, ())[first:]), one.system)
                raise PfsmError(f"{path}:{line}, a score of every judged translation is needed")
        return one

    def _output(self, line: ScoreLine, notes: Counter[str]) -> tuple[str, ...] | None:
        _check_inside(line.system, f"{self.scores[0]}:{line.line}")
        path = _file(self.root / "system-outputs" / self.pair, line.system)
        if not path.is_file():
            if self._options.skip_unknown_systems:
                notes["systems without output left out"] += 1
                return None
            raise PfsmError(
                f"{self.scores[0]}:{line.line}: no output of system {shown(line.system)} ({path}); "
                "give it, or --skip-unknown-systems"
            )
        lines = _texts(path, "system")
        check_parallel(path, len(lines), self._first, len(self._sources))
        return lines

    def _judgment(
        self, line: ScoreLine, score: float, at: int, output: Sequence[str], notes: Counter[str]
    ) -> Iterator[Judgment]:
        references = tuple(text[at] for name, text in self.references.items() if name != line.system)
        if not references:
            notes["judgments of the only reference left out"] += 1
            return
        domain, document = self._documents[at]
        source_lang, _, target_lang = self.pair.partition("-")
        others = {}
        for name, (scores, places) in self.other_scores.items():
            given = [each.score for each in scores.get(line.system, ())[places[at] :][:1]]
            others[name] = "".join(number_text(one) for one in given if one is not None)
        if self.ratings:
            others[ERRORS] = spans_text(self._spans(line.system, at, output[at], notes))
        yield Judgment(
            references=references,
            source=self._sources[at],
            test_set=self.root.name,
            source_lang=language_code(source_lang),
            target_lang=language_code(target_lang.partition("_")[0]),
            document=document,
            segment_id=f"{self.root.name}.{at + 1}",
            system=line.system,
            hypothesis=output[at],
            score=score,
            further={"domain": domain, **others},
            line=line.line,
        )

    def _spans(self, system: str, at: int, text: str, notes: Counter[str]) -> list[Span]:
        found: list[Span] = []
        for path, number, line in self.ratings.get(system, [()] * len(self._sources))[at]:
            fault = Entry(str(path), number, {}).fault
            _, rating, *rater = line.split("\t")
            if rating == _MISSING:
                continue
            value = parsed(rating, f"{path}:{number}")
            errors = value.get("errors") if isinstance(value, dict) else None
            if not isinstance(errors, list):
                raise fault(f"{shown(rating)}, None or JSON with a list of errors is needed")
            inside = [mark for mark in errors if _is_inside(mark, len(text))]
            if outside := len(errors) - len(inside):
                notes["marks of the source, outside the text or without a severity left out"] += outside
            named = rater[0] if rater else path.name.removesuffix(".seg.rating").rpartition(".")[2]
            found += read_spans(inside, text, named, fault)
        return found


def _is_inside(mark: Any, length: int) -> bool:
    """Whether a mark can be shown in the translation; what is none at all is left to `read_spans`."""
    if not isinstance(mark, dict) or not all(isinstance(mark.get(name), int) for name in ("start", "end")):
        return not (isinstance(mark, dict) and mark.get("is_source_error"))
    severity = str(mark.get("severity")).lower()
    return (
        not mark.get("is_source_error")
        and severity in SEVERITIES
        and 0 <= mark["start"] <= mark["end"] <= length
    )


def _file(folder: Path, name: str) -> Path:
    """The file of a text, one segment a line, plain or an object of JSON."""
    _check_inside(name, str(folder))
    path = folder / f"{name}.jsonl"
    return path if path.is_file() else folder / f"{name}.txt"


def _check_inside(name: str, where: str) -> None:
    if not is_inside(name):
        raise PfsmError(f"{where}: {shown(name)} names a file outside the folder")


def _texts(path: Path, role: Role) -> tuple[str, ...]:
    """The segments of a file; ``""`` where there is no translation."""
    lines = (
        [entry.text(entry.values.get(_FIELDS[role]), _FIELDS[role], "") for entry in json_entries(path)]
        if path.suffix == ".jsonl"
        else segments_of(path, role)
    )
    return tuple("" if line == _NO_TEXT else line for line in lines)


def _pairs(root: Path) -> list[str]:
    return sorted(
        {path.stem for path in (root / "sources").glob("*-*.*") if path.suffix in {".txt", ".jsonl"}}
    )


def _language_pair(root: Path, options: Options) -> str:
    pairs = _pairs(root)
    chosen = [
        pair
        for pair in pairs
        if options.source_lang in {"", pair.partition("-")[0]}
        and options.target_lang in {"", pair.partition("-")[2]}
    ]
    if not pairs:
        raise PfsmError(
            f"{root}: no sources/LP.txt; give the folder of a test set, as mt-metrics-eval has them"
        )
    if len(chosen) != 1:
        raise PfsmError(f"{root}: holds {', '.join(pairs)}; choose one with --source-lang and --target-lang")
    return chosen[0]


def _base(name: str) -> str:
    """The name of human scores, of whichever rater."""
    found = _RATER.fullmatch(name)
    return found[1] if found else name


def _score_names(root: Path, pair: str, level: str) -> list[str]:
    return [
        path.name.removeprefix(f"{pair}.").removesuffix(f".{level}.score")
        for path in sorted((root / "human-scores").glob(f"{pair}.*.{level}.score"))
    ]


def _score_files(root: Path, pair: str, level: str, name: str) -> tuple[Path, ...]:
    names = _score_names(root, pair, level)
    bases = list(dict.fromkeys(map(_base, names)))
    what = "segment" if level == "seg" else "system"
    if name and name not in (*names, *bases):
        raise PfsmError(f"{root}: no {what} scores {name!r} of {pair}, only {', '.join(names) or 'none'}")
    if not name and len(bases) != 1:
        there = f"several {what} scores of {pair} ({', '.join(names)}); choose one with --human-score"
        raise PfsmError(f"{root}: {there if names else f'no {what} scores of {pair} in human-scores'}")
    name = name or bases[0]
    one = next((each for each in (name, f"{name}.merged") if each in names), None)
    chosen = [one] if one else [each for each in names if _base(each) == name]
    return tuple(root / "human-scores" / f"{pair}.{each}.{level}.score" for each in chosen)


def _by_system(path: Path, most: int, unit: str | None = None) -> dict[str, list[ScoreLine]]:
    """The lines of a score file by system, each with at most so many: of segments, or what ``unit`` says."""
    unit = ("segment" if most > 1 else "") if unit is None else unit
    found: dict[str, list[ScoreLine]] = {}
    for line in score_lines(path):
        rows = found.setdefault(line.system, [])
        if len(rows) == most:
            what = f"a score of {unit} {most + 1} of {line.system}, but there are {most} {unit}s"
            raise PfsmError(f"{path}:{line.line}: {what if unit else f'a second score of {line.system}'}")
        rows.append(line)
    return found


def _metric_scores(
    root: Path, pair: str, name: str, references: tuple[str, ...], systems: bool, count: int
) -> tuple[Path, Scores, Sequence[int]]:
    """A metric's file, its scores by system and their places; of systems one score each, where there is such a file."""
    folder = root / "metric-scores" / pair
    _check_inside(name, str(folder))
    names = [name, *(f"{name}-{end}" for end in (".".join(references), "all", "src"))]
    for each in ("sys", "seg") if systems else ("seg",):
        for path in (folder / f"{stem}.{each}.score" for stem in names):
            if path.is_file():
                found = _by_system(path, 1 if each == "sys" else count)
                for system, rows in found.items():
                    if each == "seg" and len(rows) != count:
                        raise PfsmError(f"{path}: {len(rows)} scores of {system}, {count} are needed")
                return path, found, [0] * count if each == "sys" else range(count)
    there = sorted(path.name.removesuffix(".seg.score") for path in folder.glob("*.seg.score"))
    raise PfsmError(
        f"{folder}: no scores of metric {name!r} against these references; there are {', '.join(there)}"
    )


def _ratings(root: Path, pair: str, human: str, count: int) -> dict[str, list[list[tuple[Path, int, str]]]]:
    """Lines of marked spans by system and segment: those of all raters merged, else of each."""
    folder, found = root / "human-scores", dict[str, list[list[tuple[Path, int, str]]]]()
    merged = [folder / f"{pair}.{human}{end}.seg.rating" for end in (".merged", "")]
    files = [path for path in merged if path.is_file()][:1] or sorted(
        folder.glob(f"{pair}.{human}.rater*.seg.rating")
    )
    for path in files:
        counts: Counter[str] = Counter()
        for number, line in enumerate(read_lines(path), start=1):
            system = line.partition("\t")[0].strip()
            if line.count("\t") not in {1, 2} or counts[system] == count:
                raise PfsmError(
                    f"{path}:{number}: a system, JSON and perhaps a rater are needed, {count} lines a system"
                )
            found.setdefault(system, [[] for _ in range(count)])[counts[system]].append((path, number, line))
            counts[system] += 1
    return found


def _references(root: Path, pair: str, options: Options, count: int) -> dict[str, tuple[str, ...]]:
    files = {
        path.stem.removeprefix(f"{pair}."): path
        for path in sorted((root / "references").glob(f"{pair}.*.*"))
        if path.suffix in {".txt", ".jsonl"}
    }
    for name in options.references:
        if name not in files:
            raise PfsmError(f"{root}: no reference {name!r} of {pair}, only {', '.join(files) or 'none'}")
    if not files:
        raise PfsmError(f"{root}: no references/{pair}.NAME.txt")
    references = {}
    for name in options.references or files:
        references[name] = _texts(files[name], "reference")
        check_parallel(files[name], len(references[name]), _file(root / "sources", pair), count)
    return references
