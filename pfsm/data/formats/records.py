"""What readers need besides files, the records that they yield, and these as one table in memory or as a TSV."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from pathlib import Path
from typing import Any, Literal, TextIO

from pfsm.data.judgments import Judgments, Preferences, judgments_from_table, preferences_from_table
from pfsm.data.table import DataSource, Table
from pfsm.errors import PfsmError
from pfsm.io.files import STANDARD_INPUT, StrPath, checksum, display_name

SegmentOrder = Literal["file", "document"]


@dataclass(frozen=True, kw_only=True)
class Options:
    """Options of all formats; `pfsm.data.formats.FORMATS` says which format uses which."""

    references: tuple[str, ...] = ()
    """Reference files, one segment per line or NIST; for mt-metrics-eval names of references. The best comes first."""
    sources: str = ""
    """A file of source segments."""
    system_outputs: tuple[str, ...] = ()
    """Files of system outputs, folders of them, or ``NAME=FILE``."""
    scores: tuple[str, ...] = ()
    """Files of scores."""
    documents: str = ""
    """A file that names the document of each segment."""
    source_lang: str = ""
    target_lang: str = ""
    test_set: str = ""
    score_column: str = ""
    """The column that becomes the score."""
    human_score: str = ""
    """The name of the human score to read, if an mt-metrics-eval folder has several."""
    metric_scores: tuple[str, ...] = ()
    """Metrics of an mt-metrics-eval folder whose scores become columns."""
    sid_order: SegmentOrder | None = None
    """What segment numbers of direct assessments count: segments by file, or by document sorted by name."""
    weights: str = ""
    """Weights of MQM errors, besides the usual ones or in their place; see `pfsm.data.formats.mqm.parse_weights`."""
    reference_systems: tuple[str, ...] = ()
    """Systems of an MQM file whose translations are the references."""
    unquote: bool = False
    """Remove the quotes that pandas writes around fields of a TSV, and those of some fields of early MQM files."""
    keep_ties: bool = False
    """Count ties of rankings, in an additional column."""
    per_rater: bool = False
    """One record per rater instead of one for all raters."""
    skip_unknown_systems: bool = False
    """Leave out judgments of systems whose output is not given, instead of refusing them."""


def flag(name: str) -> str:
    """An option as the command line spells it."""
    return f"--{name.replace('_', '-')}"


_REFERENCE = re.compile(r"reference(?:_([1-9][0-9]{0,5}))?", re.ASCII)
_NUMBERS = frozenset({"score", "votes", "votes_against", "ties"})
_EXACT = 2**53  # whole numbers up to here are exact as floats


@dataclass(frozen=True, kw_only=True, slots=True)
class Segment:
    """What a judgment is about, except for the translations; ``""`` stands for unknown."""

    references: tuple[str, ...]
    """The first is the column ``reference``; the others are ``reference_2`` …"""
    source: str = ""
    test_set: str = ""
    source_lang: str = ""
    target_lang: str = ""
    document: str = ""
    segment_id: str = ""
    """Unique among the segments of all test sets that are read together."""
    rater: str = ""
    further: Mapping[str, str] = field(default_factory=dict)
    """Additional columns of the format."""
    line: int = field(default=0, compare=False)
    """The line of the file from which the judgment was read."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Judgment(Segment):
    """The absolute score of one translation."""

    hypothesis: str
    score: float
    """Finite; higher is better unless the format's description says otherwise."""
    system: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Preference(Segment):
    """Two translations of which one was ranked higher."""

    better: str
    worse: str
    better_system: str = ""
    worse_system: str = ""
    votes: float = 1.0
    """How many raters ranked the pair this way round; 0 if every rater tied it."""
    votes_against: float = 0.0
    """How many raters ranked the pair the other way round."""
    ties: float = 0.0
    """How many raters tied the pair."""


Record = Judgment | Preference

_BEFORE = ("test_set", "source_lang", "target_lang", "document", "segment_id")
JUDGMENT_COLUMNS = (*_BEFORE, "system", "rater", "reference", "source", "hypothesis", "score")
"""Every named column of absolute judgments, in the order in which they are written."""
PREFERENCE_COLUMNS = (*_BEFORE, "rater", "reference", "source", "better", "worse", "better_system",
                      "worse_system", "votes", "votes_against", "ties")  # fmt: skip
"""Every named column of preferences, in the order in which they are written."""
REQUIRED = frozenset({"reference", "hypothesis", "score", "better", "worse", "votes"})
"""The columns that are always written."""


class Routine(str):
    """A note of what a format asks for: it casts no doubt on what is kept."""


@dataclass(frozen=True)
class Reading:
    """Judgments of one kind while they are read from files; `records` can be iterated over once."""

    kind: type[Judgment] | type[Preference]
    columns: Sequence[str]
    """The columns that the records fill, in the order of a TSV."""
    records: Iterator[Record]
    notes: Counter[str] = field(default_factory=Counter)
    """What the reader left out or corrected, and how often; complete when `records` has ended."""


def layout(
    kind: type[Judgment] | type[Preference],
    present: Iterable[str],
    references: int = 1,
    further: Iterable[str] = (),
) -> tuple[str, ...]:
    """The columns that records fill, in order.

    Args:
        kind: the kind of the records.
        present: named columns that have values, in addition to those that always do.
        references: the largest number of references of a segment.
        further: the names of additional columns of the format.
    """
    chosen = REQUIRED | set(present)
    named: list[str] = []
    for column in JUDGMENT_COLUMNS if kind is Judgment else PREFERENCE_COLUMNS:
        if column in chosen:
            named.append(column)
        if column == "reference":
            named += [f"reference_{number}" for number in range(2, references + 1)]
    return tuple(dict.fromkeys([*named, *further]))


def gathered(
    kind: type[Judgment] | type[Preference],
    records: Iterable[Record],
    notes: Counter[str],
    always: Iterable[str] = (),
    further: Iterable[str] = (),
) -> Reading:
    """A reading of records, which are read to the end, with the columns that one of them fills.

    Args:
        kind: the kind of the records.
        records: what the reader finds.
        notes: as of `Reading`.
        always: named columns that are there in any case.
        further: additional columns that come before the others.
    """
    kept = list(records)
    texts = {"system", "better_system", "worse_system", *Segment.__slots__} & set(kind.__dataclass_fields__)
    filled = [name for name in texts - {"references"} if any(getattr(record, name) for record in kept)]
    columns = layout(
        kind,
        [*filled, *always],
        max((len(record.references) for record in kept), default=1),
        [*further, *(name for record in kept for name in record.further)],
    )
    return Reading(kind, columns, iter(kept), notes)


def field_getter(kind: type[Judgment] | type[Preference], column: str) -> Callable[[Any], str]:
    """How to get what a record of this kind has in a column, as text.

    Numbers read back exactly; a missing value is ``""``.
    """
    if match := _REFERENCE.fullmatch(column):
        at = int(match[1] or "1") - 1
        return lambda record: "".join(record.references[at : at + 1])
    if column in (JUDGMENT_COLUMNS if kind is Judgment else PREFERENCE_COLUMNS):
        attribute = attrgetter(column)
        return (lambda record: number_text(attribute(record))) if column in _NUMBERS else attribute
    return lambda record: str(record.further.get(column, ""))


def number_text(value: float) -> str:
    """A number as text that reads back as the same number; whole numbers are written without decimals."""
    return str(int(value)) if value.is_integer() and abs(value) < _EXACT else repr(value)


_BREAKS = re.compile(r"[\t\n\r]")


def collect(reading: Reading, paths: Iterable[StrPath] = ()) -> Judgments | Preferences:
    """All records of a reading as one table.

    Args:
        reading: the records; they are read to the end.
        paths: the files that hold the judgments. A model trained on them recognises these files later. Folders and
            standard input are not recorded.

    Raises:
        PfsmError: what the reader raises, or no records.
    """
    table = table_of(reading, "")
    if not len(table):
        raise PfsmError("no judgments in the files")
    sources = tuple(
        DataSource(Path(path).name, len(table), checksum(path))
        for path in paths
        if str(path) != STANDARD_INPUT and not Path(path).is_dir()
    )
    if reading.kind is Preference:
        return replace(preferences_from_table(table), sources=sources, places=None)
    return replace(judgments_from_table(table, "score"), sources=sources, places=None)


def table_of(reading: Reading, path: StrPath) -> Table:
    """All records of a reading as a table of text, as `pfsm.data.read_table` gives it.

    Args:
        reading: The records; they are read to the end.
        path: The file, by which a model trained on it recognises it; of a folder nothing is recorded.
    """
    kept = list(reading.records)
    getters = {name: field_getter(reading.kind, name) for name in reading.columns}
    columns = {name: [get(record) for record in kept] for name, get in getters.items()}
    digest = "" if not str(path) or Path(path).is_dir() else checksum(path)
    return Table(display_name(path), columns, [record.line for record in kept], digest)


@dataclass(frozen=True)
class Written:
    """What was written to a TSV."""

    rows: int
    mended: int
    """Fields in which tabs or line ends, which a TSV cannot hold, were replaced by spaces."""


def write_tsv(reading: Reading, file: TextIO) -> Written:
    """Writes the records of a reading, one at a time, as the TSV that `pfsm.data.read_table` reads.

    Args:
        reading: What to write.
        file: Where to.

    Raises:
        PfsmError: what the reader raises.
    """
    file.write("\t".join(clean(reading.columns)[0]) + "\n")
    getters = [field_getter(reading.kind, name) for name in reading.columns]
    rows = mended = 0
    for record in reading.records:
        fields, changed = clean([get(record) for get in getters])
        file.write("\t".join(fields) + "\n")
        rows += 1
        mended += changed
    return Written(rows, mended)


def clean(fields: Sequence[str]) -> tuple[list[str], int]:
    """The fields in a form that a TSV can hold, and how many had to change."""
    clean = [_BREAKS.sub(" ", text) for text in fields]
    return clean, sum(before != after for before, after in zip(fields, clean, strict=True))
