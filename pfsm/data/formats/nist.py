"""NIST's SGML and XML (``refset``, ``tstset``), and WMT's XML, with scores from a separate file."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from pfsm.data.fields import shown
from pfsm.data.formats.languages import language_code
from pfsm.data.formats.nist_scores import score_rows
from pfsm.data.formats.nist_sets import SetSegment, set_segments
from pfsm.data.formats.options import Options
from pfsm.data.formats.records import Judgment, Reading, layout
from pfsm.data.formats.rows import Row
from pfsm.errors import PfsmError
from pfsm.io.faults import StrPath, display_name

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
        """Adds a segment.

        Raises:
            PfsmError: the segment was added before, or belongs to another test set.
        """
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
    """Reads sets of systems, references and sources, in any files, and the scores of segments.

    Raises:
        PfsmError: what `set_segments` raises; no scores, systems or references; a segment given twice; test sets that
            differ; a score that is not a finite number, or that belongs to a segment in none of the sets.
    """
    if not options.scores:
        raise PfsmError("sets in SGML or XML hold no scores; give them with --scores FILE")
    sets = _Sets()
    for path in dict.fromkeys([*paths, *options.references, *([options.sources] if options.sources else [])]):
        for segment in set_segments(path):
            sets.add(segment, display_name(path))
    for what, there in (("tstset (or hyp)", sets.systems), ("refset (or ref)", sets.references)):
        if not there:
            raise PfsmError(f"{display_name(paths[0])}: no {what}; give the files of all sets")
    tables = [score_rows(path, options) for path in options.scores]
    rated = any("rater" in columns for columns, _ in tables)
    some = next(iter(sets.systems.values()))
    example = next(iter(some.values()))
    pair = (
        language_code(options.source_lang or example.source_lang),
        language_code(options.target_lang or example.target_lang),
    )
    test_set = options.test_set or example.set_id
    present = ["document", "segment_id", "system", "source_lang", "target_lang"]
    present += ["rater"] * rated + ["source"] * bool(sets.sources) + ["test_set"] * bool(test_set)
    genre = ["genre"] * any(segment.genre for segment in some.values())
    notes: Counter[str] = Counter()

    def records() -> Iterator[Judgment]:
        judged = set()
        for _, rows in tables:
            for row in rows:
                judged.add((row["system"], row["document"], row["segment"]))
                yield _judgment(row, sets, test_set, pair)
        texts = sum(len(texts) for texts in sets.systems.values())
        if texts > len(judged):
            notes["translations without a score left out"] = texts - len(judged)

    return Reading(Judgment, layout(Judgment, present, len(sets.references), genre), records(), notes)


def _judgment(row: Row, sets: _Sets, test_set: str, pair: tuple[str, str]) -> Judgment:
    system, document, number = row["system"], row["document"], row["segment"]
    where = f"segment {number} of document {shown(document)}"
    if system not in sets.systems:
        there = ", ".join(shown(name) for name in sorted(sets.systems))
        raise row.fault(f"system is {shown(system)}, but there are sets of {there}")
    if (document, number) not in sets.systems[system]:
        raise row.fault(f"no {where} by {shown(system)} in the sets")
    segment = sets.systems[system][document, number]
    references = tuple(
        texts[document, number].text for texts in sets.references.values() if (document, number) in texts
    )
    if not references:
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
