"""NIST's SGML and XML (``refset``, ``tstset``), and WMT's XML, with scores from a separate file.

The file of scores has five columns without a header, as in NIST's mteval and MetricsMATR (test set, system, document,
segment, score), or a header with ``system``, ``document``, ``segment`` and a score, or adequacy and fluency.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

from pfsm.data.formats.records import Judgment, Options, Reading, gathered
from pfsm.data.formats.rows import Row, language_code, rows_of
from pfsm.data.markup import SetSegment, set_segments
from pfsm.data.table import Table, finite_number, header_names, mean_of_judges, shown
from pfsm.errors import PfsmError
from pfsm.io.files import StrPath, display_name, read_lines

_MATR = ("test_set", "system", "document", "segment", "score")
_OTHER_NAMES: Mapping[str, tuple[str, ...]] = {
    "test_set": ("setid",),
    "system": ("sysid", "sys"),
    "document": ("docid", "doc"),
    "segment": ("segid", "seg", "segment_id"),
    "rater": ("judge", "annotator"),
}


def score_table(path: StrPath, options: Options) -> Table:
    """A file of scores, under our names of its columns."""
    name = display_name(path)
    lines = iter(read_lines(path))
    first = next(lines, None)
    if first is None:
        raise PfsmError(f"{name}: empty file, scores are needed")
    fields = _split(first)
    if len(fields) == len(_MATR) and finite_number(fields[-1]) is not None:
        return _table(name, enumerate(chain([first], lines), start=1), _MATR)
    header = _our_names(header_names(fields, name), options.score_column or "score")
    table = mean_of_judges(_table(name, enumerate(lines, start=2), header))
    for needed in ("system", "document", "segment", "score"):
        if needed not in table.columns:
            there = ", ".join(shown(field_name) for field_name in fields)
            raise PfsmError(
                f"{name}: no column {needed!r}; the columns are {there}; without a header, five columns are "
                "needed: test set, system, document, segment, score"
            )
    return table


def _our_names(header: Sequence[str], score_column: str) -> list[str]:
    names = []
    for column in header:
        lower = column.lower()
        ours = next((name for name, others in _OTHER_NAMES.items() if lower in others), lower)
        names.append("score" if column == score_column else "other score" if ours == "score" else ours)
    return names


def _table(name: str, lines: Iterator[tuple[int, str]], header: Sequence[str]) -> Table:
    rows = {number: _split(line) for number, line in lines}
    for number, fields in rows.items():
        if len(fields) != len(header):
            raise PfsmError(
                f"{name}:{number}: {len(fields)} fields, {len(header)} are needed ({', '.join(header)})"
            )
    columns = {column: [fields[at] for fields in rows.values()] for at, column in enumerate(header)}
    return Table(name, columns, [*rows], "")


def _split(line: str) -> list[str]:
    return [field_text.strip() for field_text in line.split("\t")] if "\t" in line else line.split()


Place = tuple[str, str]
"""Document and segment."""


@dataclass
class _Sets:
    """Everything that the files hold, by document and segment."""

    systems: dict[str, dict[Place, SetSegment]] = field(default_factory=dict)
    references: dict[str, dict[Place, SetSegment]] = field(default_factory=dict)
    sources: dict[Place, SetSegment] = field(default_factory=dict)
    set_id: SetSegment | None = None

    def add(self, segment: SetSegment, name: str) -> None:
        """Adds a segment."""
        first = self.set_id = self.set_id or segment
        if segment.set_id != first.set_id:
            raise PfsmError(
                f"{name}:{segment.line}: test set {shown(segment.set_id)} after {shown(first.set_id)}; "
                "convert one test set at a time"
            )
        texts = self.sources
        if segment.role != "source":
            named = self.systems if segment.role == "system" else self.references
            texts = named.setdefault(segment.name, {})
        place = (segment.document, segment.segment)
        if place in texts:
            raise PfsmError(
                f"{name}:{segment.line}: segment {segment.segment} of document {shown(segment.document)} of "
                f"{shown(segment.name)} a second time"
            )
        texts[place] = segment


def read_nist(paths: Sequence[StrPath], options: Options) -> Reading:
    """Reads sets of systems, references and sources, in any files, and the scores of segments."""
    if not options.scores:
        raise PfsmError("sets in SGML or XML hold no scores; give them with --scores FILE")
    sets = _Sets()
    for path in dict.fromkeys([*paths, *options.references, *([options.sources] if options.sources else [])]):
        for segment in set_segments(path):
            sets.add(segment, display_name(path))
    for what, there in (("tstset (or hyp)", sets.systems), ("refset (or ref)", sets.references)):
        if not there:
            raise PfsmError(f"{display_name(paths[0])}: no {what}; give the files of all sets")
    tables = [score_table(path, options) for path in options.scores]
    example = next(iter(next(iter(sets.systems.values())).values()))
    pair = (
        language_code(options.source_lang or example.source_lang),
        language_code(options.target_lang or example.target_lang),
    )
    test_set = options.test_set or example.set_id
    notes: Counter[str] = Counter()

    def records() -> Iterator[Judgment]:
        judged = set()
        for table in tables:
            for row in rows_of(table):
                judged.add((row["system"], row["document"], row["segment"]))
                yield _judgment(row, sets, test_set, pair)
        texts = sum(len(texts) for texts in sets.systems.values())
        if texts > len(judged):
            notes["translations without a score left out"] = texts - len(judged)

    return gathered(Judgment, records(), notes)


def _judgment(row: Row, sets: _Sets, test_set: str, pair: tuple[str, str]) -> Judgment:
    system, document, number = row["system"], row["document"], row["segment"]
    where = f"segment {number} of document {shown(document)}"
    if system not in sets.systems:
        there = ", ".join(shown(name) for name in sorted(sets.systems))
        raise row.fault(f"system is {shown(system)}, but there are sets of {there}")
    if (document, number) not in sets.systems[system]:
        raise row.fault(f"no {where} by {shown(system)} in the sets")
    segment = sets.systems[system][document, number]
    # A missing translator leaves an empty cell, so that a column is one translator's.
    found = [texts.get((document, number)) for texts in sets.references.values()]
    references = tuple("" if one is None else one.text for one in found)
    if not any(found):
        raise row.fault(f"no reference of {where}")
    source = sets.sources.get((document, number))
    return Judgment(
        references=references,
        source="" if source is None else source.text,
        test_set=test_set,
        source_lang=pair[0],
        target_lang=pair[1],
        document=document,
        segment_id=".".join(filter(None, (test_set, document, number))),
        rater=row.fields.get("rater", ""),
        system=system,
        hypothesis=segment.text,
        score=row.number("score"),
        further={"genre": segment.genre} if segment.genre else {},
        line=row.line,
    )
