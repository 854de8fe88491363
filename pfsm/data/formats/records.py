"""What every reader yields: one typed judgment at a time, with its texts and its place in the file."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from operator import attrgetter
from typing import Any

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


def field_getter(kind: type[Judgment] | type[Preference], column: str) -> Callable[[Any], str]:
    """How to get what a record of this kind has in a column, as text.

    Numbers read back exactly; a missing value is ``""``.
    """
    if match := _REFERENCE.fullmatch(column):
        return partial(_reference, index=int(match[1] or "1") - 1)
    if column in (JUDGMENT_COLUMNS if kind is Judgment else PREFERENCE_COLUMNS):
        attribute = attrgetter(column)
        return (lambda record: number_text(attribute(record))) if column in _NUMBERS else attribute
    return lambda record: str(record.further.get(column, ""))


def _reference(record: Record, index: int) -> str:
    return record.references[index] if index < len(record.references) else ""


def number_text(value: float) -> str:
    """A number as text that reads back as the same number; whole numbers are written without decimals."""
    return str(int(value)) if value.is_integer() and abs(value) < _EXACT else repr(value)
