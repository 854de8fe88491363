"""Judgments of translations: absolute scores, and preferences of one translation to another; both on one table."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from pfsm.data.segments import all_references
from pfsm.data.table import DataSource, Table, mean_of_judges, numbers_of, read_table, shown
from pfsm.errors import PfsmError, PfsmWarning
from pfsm.io.files import StrPath
from pfsm.text.languages import language_code

Columns = Mapping[str, tuple[str, ...]]
Rows = TypeVar("Rows", bound="_Rows")
DOCUMENT, TARGET_LANGUAGE = "document", "target_lang"
# The name of a document alone is not unique: every test set and language pair has its own. Segments may be numbered
# anew in every document.
WITHIN = ("test_set", "source_lang", TARGET_LANGUAGE)
DOCUMENT_COLUMNS = (DOCUMENT, "doc", "doc_id")
SEGMENT_ID = "segment_id"


@dataclass(frozen=True, eq=False)
class Places:
    """Where rows stand, for messages."""

    files: tuple[str, ...]
    """Paths as messages show them."""
    file: NDArray[np.int64]
    """int64 [n], which of the files each row is in."""
    line: NDArray[np.int64]
    """int64 [n], the line of the file on which each row begins."""

    @staticmethod
    def of(path: str, line_numbers: Sequence[int]) -> "Places":
        """The places of all rows of a file."""
        lines = np.array(line_numbers, dtype=np.int64)
        return Places((path,), np.zeros(lines.size, dtype=np.int64), lines)

    def select(self, rows: NDArray[np.int64]) -> "Places":
        """The places of some rows."""
        return Places(self.files, self.file[rows], self.line[rows])

    @staticmethod
    def join(parts: Sequence["Places | None"]) -> "Places | None":
        """The places of the rows of several parts; None if one of them has none."""
        known = [part for part in parts if part is not None]
        if len(known) < len(parts):
            return None
        firsts = np.cumsum([0, *(len(part.files) for part in known)])
        return Places(
            tuple(file for part in known for file in part.files),
            np.concatenate([part.file + first for part, first in zip(known, firsts, strict=False)]),
            np.concatenate([part.line for part in known]),
        )

    def of_row(self, row: int) -> str:
        """``FILE:LINE`` of a row."""
        return f"{self.files[int(self.file[row])]}:{int(self.line[row])}"


def _changed(rows: Rows, **values: Any) -> Rows:
    before: Any = rows
    changed: Rows = replace(before, **values)
    return changed


class _Rows:
    """What `Judgments` and `Preferences` share: columns of one length."""

    OWN: ClassVar[tuple[str, ...]]
    """Names of the columns that every row has a judgment in, all of text but for the last, which holds numbers."""
    NAME: ClassVar[str]
    references: tuple[str, ...]
    columns: Columns
    sources: tuple[DataSource, ...]
    places: Places | None

    def __len__(self) -> int:
        return len(self.references)

    @cached_property
    def all_references(self) -> tuple[tuple[str, ...], ...]:
        """[n][1 or more]: the reference of every row, and those of ``reference_2``, ``reference_3`` … not empty."""
        return all_references(self.references, self.columns)

    def place_of(self, row: int) -> str:
        """Where a row stands, for messages."""
        return f"row {row + 1}" if self.places is None else self.places.of_row(row)

    def _numbers(self, names: Sequence[str]) -> NDArray[np.float64]:
        """The first of these columns that is there, as numbers, float64 [n]."""
        columns, places = self.columns, self.places
        for name in filter(columns.__contains__, names):
            return numbers_of(columns[name], name, self.place_of)
        where = "the data" if places is None else ", ".join(dict.fromkeys(places.files))
        there = (
            f"the other columns are {', '.join(map(shown, columns))}" if columns else "there are no others"
        )
        raise PfsmError(
            f"{where}: no column {names[0]!r} besides the texts and what people say of them; {there}"
        )

    def select(self, rows: NDArray[np.int64]) -> Self:
        """Some rows, in the order given; a row may be given more than once.

        Args:
            rows: int64 [m], row numbers.
        """
        if rows.size and rows.dtype.kind not in "iu":
            raise TypeError(f"rows must be integers, not {rows.dtype}")
        numbers = rows.astype(np.int64)
        chosen = numbers.tolist()
        *texts, last = self.OWN
        own = {name: tuple(getattr(self, name)[row] for row in chosen) for name in texts}
        return _changed(
            self,
            **own,
            **{last: getattr(self, last)[numbers]},
            columns={name: tuple(fields[row] for row in chosen) for name, fields in self.columns.items()},
            places=None if self.places is None else self.places.select(numbers),
        )

    @classmethod
    def join(cls, parts: Sequence[Self]) -> Self:
        """Parts concatenated; a column that only some parts have is filled with ``""`` in the others."""
        if not parts:
            raise PfsmError(f"no {cls.NAME}: give at least one file of them")
        *texts, last = cls.OWN
        names = dict.fromkeys(name for part in parts for name in part.columns)
        return _changed(
            parts[0],
            **{name: tuple(chain.from_iterable(getattr(part, name) for part in parts)) for name in texts},
            **{last: np.concatenate([getattr(part, last) for part in parts])},
            columns={
                name: tuple(field for part in parts for field in part.columns.get(name, ("",) * len(part)))
                for name in names
            },
            sources=tuple(chain.from_iterable(part.sources for part in parts)),
            places=Places.join([part.places for part in parts]),
        )

    def sorted(self) -> Self:
        """The same rows in canonical order, so that the order of files and rows makes no difference.

        Rows are sorted by the texts, the numbers, then the other columns in the order of their names; text by code
        point. Exact duplicates are kept. Columns are sorted by name, sources by name and checksum.
        """
        *texts, last = self.OWN
        columns = {name: self.columns[name] for name in sorted(self.columns)}
        fields = [getattr(self, name) for name in texts]
        keys = list(zip(*fields, getattr(self, last).tolist(), *columns.values(), strict=True))
        sources = tuple(sorted(self.sources, key=lambda source: (source.name, source.checksum, source.rows)))
        order = sorted(range(len(keys)), key=keys.__getitem__)
        return _changed(self, columns=columns, sources=sources).select(np.array(order, dtype=np.int64))


@dataclass(frozen=True, eq=False)
class Judgments(_Rows):
    """Absolute scores of hypotheses, one judgment per row."""

    references: tuple[str, ...]
    """[n]"""
    hypotheses: tuple[str, ...]
    """[n]"""
    scores: NDArray[np.float64]
    """float64 [n], finite, in the units of the file; higher is better unless the column says otherwise."""
    columns: Mapping[str, tuple[str, ...]]
    """Every other column of the files (segment_id, system, source_lang, document …), each [n]."""
    sources: tuple[DataSource, ...]
    """The files that the judgments came from, as whole files even if only some of their rows are here."""
    places: Places | None = None
    """Where the rows stand, for messages; None where they were not read from files."""

    OWN = ("references", "hypotheses", "scores")
    NAME = "judgments"

    def numbers(self, name: str) -> NDArray[np.float64]:
        """A further column as numbers, float64 [n].

        Raises:
            PfsmError: There is no such column, or a field in it is not a finite number.
        """
        return self._numbers([name])


@dataclass(frozen=True, eq=False)
class Preferences(_Rows):
    """Pairs of translations of a segment, a better and a worse one, one pair per row.

    Raters may contradict each other: the same pair can stand in both directions.
    """

    references: tuple[str, ...]
    """[n]"""
    better: tuple[str, ...]
    """[n]"""
    worse: tuple[str, ...]
    """[n]"""
    votes: NDArray[np.float64]
    """float64 [n], finite and not negative: how many raters ranked the pair this way round."""
    columns: Mapping[str, tuple[str, ...]]
    """Every other column of the files (segment_id, better_system, votes_against …), each [n]."""
    sources: tuple[DataSource, ...]
    """As of `Judgments`."""
    places: Places | None = None
    """As of `Judgments`."""

    OWN = ("references", "better", "worse", "votes")
    NAME = "preferences"

    def numbers(self, name: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """A number of each better and of each worse translation, float64 [n] each.

        They stand in the columns ``NAME_better`` and ``NAME_worse``, as in `pfsm evaluate --column`, or
        ``better_NAME`` and ``worse_NAME``.

        Raises:
            PfsmError: There are no such columns, or a field in them is not a finite number.
        """
        better, worse = (self._numbers([f"{name}_{side}", f"{side}_{name}"]) for side in ("better", "worse"))
        return better, worse


def judgments_from_table(table: Table, score_column: str) -> Judgments:
    """The absolute judgments in a table.

    Args:
        table: With the columns ``reference`` and ``hypothesis``.
        score_column: Name of the column of scores.

    Returns:
        The judgments, in the order of the rows.

    Raises:
        PfsmError: a missing column, no rows, or a score that is not a finite number.
    """
    table = mean_of_judges(table)
    advice = absolute_advice(table)
    references = tuple(table.column("reference", advice))
    hypotheses = tuple(table.column("hypothesis", advice))
    table.column(score_column, advice or "; --score-column NAME says which one is the score")
    table.need_rows()
    return Judgments(
        references,
        hypotheses,
        table.numbers(score_column),
        table.other_columns(["reference", "hypothesis", score_column]),
        (table.source,),
        Places.of(table.path, table.line_numbers),
    )


def is_preferences(table: Table) -> bool:
    """Whether a table holds preferences: it has the columns ``better`` and ``worse``.

    Args:
        table: Any table.

    Returns:
        True for preferences.
    """
    return "better" in table.columns and "worse" in table.columns


def joined_tables(tables: Sequence[Table], score_column: str) -> tuple[Judgments | None, Preferences | None]:
    """The absolute scores of tables and their preferences, each in the order of the tables; None where there are none.

    Raises:
        PfsmError: what `judgments_from_table` or `preferences_from_table` raises.
    """
    absolute = [judgments_from_table(table, score_column) for table in tables if not is_preferences(table)]
    pairwise = [preferences_from_table(table) for table in tables if is_preferences(table)]
    return (
        Judgments.join(absolute) if absolute else None,
        Preferences.join(pairwise) if pairwise else None,
    )


def absolute_advice(table: Table) -> str:
    """What to add to a message about a missing column of absolute scores; ``""`` if the file has no preferences."""
    if not is_preferences(table):
        return ""
    return "; this is a file of preferences (better, worse), which `pfsm evaluate` reads"


def read_preferences(path: StrPath) -> Preferences:
    """Read preferences from a TSV or CSV file (``-``: standard input).

    Args:
        path: a file with the columns ``reference``, ``better`` and ``worse``; the column ``votes`` is optional.

    Returns:
        The preferences, in the order of the rows.

    Raises:
        PfsmError: what `pfsm.data.table.read_table` or `preferences_from_table` raises.
    """
    return preferences_from_table(read_table(path))


def preferences_from_table(table: Table) -> Preferences:
    """The preferences in a table; without a column ``votes`` every row counts once.

    Args:
        table: With the columns ``reference``, ``better`` and ``worse``.

    Returns:
        The preferences, in the order of the rows.

    Raises:
        PfsmError: a missing column, no rows, or votes that are not a finite number of 0 or more.
    """
    advice = "; this is a file of absolute scores" if "hypothesis" in table.columns else ""
    references = tuple(table.column("reference", advice))
    better = tuple(table.column("better", advice))
    worse = tuple(table.column("worse", advice))
    table.need_rows()
    votes = (
        table.numbers("votes", minimum=0.0, needed="a finite number of 0 or more")
        if "votes" in table.columns
        else np.ones(len(table), dtype=np.float64)
    )
    columns = table.other_columns(["reference", "better", "worse", "votes"])
    places = Places.of(table.path, table.line_numbers)
    return Preferences(references, better, worse, votes, columns, (table.source,), places)


def document_names(data: Judgments | Preferences) -> list[tuple[str, ...]]:
    """The document of every row: its name, with test set and languages where there are such columns."""
    within = [data.columns[name] for name in WITHIN if name in data.columns]
    return list(zip(*within, data.columns[DOCUMENT], strict=True))


def segment_places(columns: Mapping[str, Sequence[str]], n: int) -> list[tuple[str, ...]]:
    """What identifiers of segments are unique within: test set, languages and document of every row, [n][4].

    A field is ``""`` where there is no such column.
    """
    document = next(filter(columns.__contains__, DOCUMENT_COLUMNS), DOCUMENT)
    return list(zip(*(columns.get(name, ("",) * n) for name in (*WITHIN, document)), strict=True))


def warn_of_repeated_ids(
    references: Sequence[str], columns: Mapping[str, Sequence[str]], place_of: Callable[[int], str]
) -> None:
    """Warn of identifiers that belong to different segments, as far as references and sources tell.

    They number the segments of documents, but nothing says of which.
    """
    sources = columns.get("source", references)
    first: dict[tuple[str, ...], int] = {}
    for row, place in enumerate(segment_places(columns, len(references))):
        name = columns[SEGMENT_ID][row]
        if not name or place[-1]:
            continue
        before = first.setdefault((*place, name), row)
        if references[before] != references[row] and sources[before] != sources[row]:
            warnings.warn(
                f"{place_of(row)}: {SEGMENT_ID} {shown(name)} has another reference than at {place_of(before)}, but "
                f"both count as one segment; a column {DOCUMENT!r} tells apart what is numbered anew in every document",
                PfsmWarning,
                stacklevel=1,  # once, whoever asks
            )
            return


def target_languages(*parts: Judgments | Preferences | Table | None) -> frozenset[str]:
    """Codes of all languages that the column ``target_lang`` names; none where a row has none."""
    found: set[str] = set()
    for part in parts:
        if part is None or not len(part):
            continue
        named = set(part.columns.get(TARGET_LANGUAGE, ("",)))
        if "" in named:
            return frozenset()
        found |= {language_code(name) for name in named}
    return frozenset(found)
