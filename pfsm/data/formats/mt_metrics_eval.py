"""Folders of mt-metrics-eval, one per test set.

The files for a language pair LP, with one segment per line: ``sources/LP.txt``, ``documents/LP.docs`` (domain and
document), ``references/LP.NAME.txt``, ``system-outputs/LP/SYSTEM.txt``, and
``human-scores/LP.NAME.{sys,doc,seg}.score`` with ``SYSTEM SCORE`` on each line (``None`` for a missing score).
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pfsm.data.formats.records import Judgment, Options, Reading, layout, number_text
from pfsm.data.formats.texts import check_parallel, document_names, segments_of
from pfsm.data.table import finite_number, shown
from pfsm.errors import PfsmError
from pfsm.io.files import StrPath, display_name, read_lines

SYSTEM_SCORE = "system_score"
DOCUMENT_SCORE = "document_score"
_MISSING = "None"


@dataclass(frozen=True, slots=True)
class ScoreLine:
    """One line of a score file."""

    line: int
    system: str
    score: float | None
    """None if the score is missing."""


def score_lines(path: StrPath) -> Iterator[ScoreLine]:
    """The lines of a file of human scores, at any level."""
    name = display_name(path)
    for number, line in enumerate(read_lines(path), start=1):
        fields = line.rsplit(None, 1)
        score = None if len(fields) != 2 else finite_number(fields[1])
        if len(fields) != 2 or (score is None and fields[1] != _MISSING):
            raise PfsmError(f"{name}:{number}: {shown(line)}, a system and a finite number or None is needed")
        yield ScoreLine(number, fields[0].strip(), None if score is None else score + 0.0)


def read_mt_metrics_eval(paths: Sequence[StrPath], options: Options) -> Reading:
    """Reads the segment scores of mt-metrics-eval folders.

    Scores of documents and systems of the same name become columns. A reference that is scored as a system is not used
    as a reference for itself; if it is the only reference, its judgments are left out.
    """
    folders = [_Folder.open(path, options) for path in paths]
    notes: Counter[str] = Counter()
    present = ["test_set", "source_lang", "target_lang", "document", "segment_id", "system", "source"]
    further = dict.fromkeys(name for folder in folders for name in ("domain", *folder.other_scores))
    most = max(len(folder.references) for folder in folders)

    def records() -> Iterator[Judgment]:
        for folder in folders:
            yield from folder.judgments(options, notes)

    return Reading(Judgment, layout(Judgment, present, most, further), records(), notes)


@dataclass(frozen=True)
class _Folder:
    """One test set and language pair, without its system outputs."""

    root: Path
    pair: str
    scores: Path
    sources: tuple[str, ...]
    documents: tuple[tuple[str, str], ...]
    references: Mapping[str, tuple[str, ...]]
    other_scores: Mapping[str, Mapping[tuple[str, str], str]]
    """Scores of systems and documents by column, then by system and document (``""`` for a whole system)."""

    @staticmethod
    def open(path: StrPath, options: Options) -> "_Folder":
        root = Path(path)
        if not root.is_dir():
            raise PfsmError(
                f"{display_name(path)}: is not a folder; give the folder of a test set, as mt-metrics-eval has"
            )
        pair = _language_pair(root, options)
        scores = _score_file(root, pair, options)
        sources = segments_of(root / "sources" / f"{pair}.txt", "source")
        documents = document_names(root / "documents" / f"{pair}.docs")
        check_parallel(
            root / "documents" / f"{pair}.docs",
            len(documents),
            root / "sources" / f"{pair}.txt",
            len(sources),
        )
        references = _references(root, pair, options, len(sources))
        others = {
            column: _other_scores(scores, level, documents)
            for column, level in ((SYSTEM_SCORE, "sys"), (DOCUMENT_SCORE, "doc"))
            if _at_level(scores, level).is_file()
        }
        return _Folder(root, pair, scores, sources, documents, references, others)

    def judgments(self, options: Options, notes: Counter[str]) -> Iterator[Judgment]:
        counts: Counter[str] = Counter()
        output: tuple[str, tuple[str, ...] | None] = ("", None)
        for line in score_lines(self.scores):
            at = counts[line.system]
            counts[line.system] += 1
            if at >= len(self.sources):
                raise PfsmError(
                    f"{self.scores}:{line.line}: a score of segment {at + 1} of {line.system}, but there are "
                    f"{len(self.sources)} segments"
                )
            if output[0] != line.system:
                output = (line.system, self._output(line, options, notes))
            if line.score is None:
                notes["segments without a score left out"] += 1
            elif output[1] is not None:
                yield from self._judgment(line, line.score, at, output[1], notes)
        for system, count in counts.items():
            if count != len(self.sources):
                raise PfsmError(
                    f"{self.scores}: {count} scores of {system}, but there are {len(self.sources)} segments"
                )

    def _output(self, line: ScoreLine, options: Options, notes: Counter[str]) -> tuple[str, ...] | None:
        path = self.root / "system-outputs" / self.pair / f"{line.system}.txt"
        if not path.is_file():
            if options.skip_unknown_systems:
                notes["systems without output left out"] += 1
                return None
            raise PfsmError(
                f"{self.scores}:{line.line}: no output of system {shown(line.system)} ({path}); "
                "give it, or --skip-unknown-systems"
            )
        lines = segments_of(path, "system")
        check_parallel(path, len(lines), self.root / "sources" / f"{self.pair}.txt", len(self.sources))
        return lines

    def _judgment(
        self, line: ScoreLine, score: float, at: int, output: Sequence[str], notes: Counter[str]
    ) -> Iterator[Judgment]:
        references = tuple(text[at] for name, text in self.references.items() if name != line.system)
        if not references:
            notes["judgments of the only reference left out"] += 1
            return
        domain, document = self.documents[at]
        source_lang, _, target_lang = self.pair.partition("-")
        others = {
            column: scores.get((line.system, document if column == DOCUMENT_SCORE else ""), "")
            for column, scores in self.other_scores.items()
        }
        yield Judgment(
            references=references,
            source=self.sources[at],
            test_set=self.root.name,
            source_lang=source_lang,
            target_lang=target_lang,
            document=document,
            segment_id=f"{self.root.name}.{at + 1}",
            system=line.system,
            hypothesis=output[at],
            score=score,
            further={"domain": domain, **others},
            line=line.line,
        )


def _language_pair(root: Path, options: Options) -> str:
    pairs = sorted(path.name.removesuffix(".txt") for path in (root / "sources").glob("*-*.txt"))
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


def _score_file(root: Path, pair: str, options: Options) -> Path:
    files = sorted((root / "human-scores").glob(f"{pair}.*.seg.score"))
    names = [path.name.removeprefix(f"{pair}.").removesuffix(".seg.score") for path in files]
    if options.human_score:
        if options.human_score not in names:
            raise PfsmError(
                f"{root}: no segment scores {options.human_score!r} of {pair}, only {', '.join(names) or 'none'}"
            )
        return files[names.index(options.human_score)]
    if len(files) != 1:
        there = f"several segment scores of {pair} ({', '.join(names)}); choose one with --human-score"
        raise PfsmError(f"{root}: {there if files else f'no segment scores of {pair} in human-scores'}")
    return files[0]


def _references(root: Path, pair: str, options: Options, count: int) -> dict[str, tuple[str, ...]]:
    files = {
        path.name.removeprefix(f"{pair}.").removesuffix(".txt"): path
        for path in sorted((root / "references").glob(f"{pair}.*.txt"))
    }
    for name in options.references:
        if name not in files:
            raise PfsmError(f"{root}: no reference {name!r} of {pair}, only {', '.join(files) or 'none'}")
    if not files:
        raise PfsmError(f"{root}: no references/{pair}.NAME.txt")
    references = {}
    for name in options.references or files:
        references[name] = segments_of(files[name], "reference")
        check_parallel(files[name], len(references[name]), root / "sources" / f"{pair}.txt", count)
    return references


def _at_level(segment_scores: Path, level: str) -> Path:
    return segment_scores.with_name(f"{segment_scores.name.removesuffix('.seg.score')}.{level}.score")


def _other_scores(
    segment_scores: Path, level: str, documents: Sequence[tuple[str, str]]
) -> dict[tuple[str, str], str]:
    """Scores as text, by system and document."""
    path = _at_level(segment_scores, level)
    order = [""] if level == "sys" else list(dict.fromkeys(document for _, document in documents))
    counted: defaultdict[str, int] = defaultdict(int)
    scores = {}
    for line in score_lines(path):
        at = counted[line.system]
        counted[line.system] += 1
        if at >= len(order):
            what = "a second score of" if level == "sys" else f"a score of document {at + 1} of"
            there = "" if level == "sys" else f", but there are {len(order)} documents"
            raise PfsmError(f"{path}:{line.line}: {what} {line.system}{there}")
        scores[line.system, order[at]] = "" if line.score is None else number_text(line.score)
    return scores
