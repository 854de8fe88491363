"""What ``pfsm evaluate`` reads: judgments of both kinds, their groups, segments, systems and lengths."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pfsm.data import (
    Judgments,
    Preferences,
    Table,
    is_preferences,
    judgments_from_table,
    preferences_from_table,
)
from pfsm.data.documents import DOCUMENT, document_names
from pfsm.data.table import COMET_NAMES
from pfsm.distributed.tables import read_tables
from pfsm.errors import PfsmError
from pfsm.evaluation.document_level import TranslatedDocuments, translated_documents
from pfsm.evaluation.measure import Items, scored_items
from pfsm.evaluation.preference_measures import PreferenceItems, preference_items
from pfsm.evaluation.samples import dense_ids
from pfsm.text.plain import token_counts

DEFAULT_GROUPING = "source_lang"
ONE_GROUP = "all"
SEGMENT = "segment_id"
SYSTEM = "system"
TIES = "ties"


@dataclass(frozen=True, eq=False)
class Inputs:
    """The files, in the order given, and what is in them."""

    tables: tuple[Table, ...]
    absolute: Judgments | None
    pairwise: Preferences | None
    by: str | None
    """The column that groups go by."""

    @property
    def absolute_tables(self) -> list[Table]:
        """The files with absolute scores."""
        return [table for table in self.tables if not is_preferences(table)]

    @property
    def pairwise_tables(self) -> list[Table]:
        """The files with preferences."""
        return [table for table in self.tables if is_preferences(table)]


def read_inputs(paths: Sequence[str], score_column: str, by: str | None, *, anywhere: bool = False) -> Inputs:
    """Reads and checks all files; ``anywhere`` as `pfsm.distributed.tables.read_tables`.

    Raises:
        PfsmError: What the readers raise, or a file without the column to group by.
    """
    tables = tuple(read_tables(paths, anywhere=anywhere))
    absolute = [judgments_from_table(table, score_column) for table in tables if not is_preferences(table)]
    pairwise = [preferences_from_table(table) for table in tables if is_preferences(table)]
    return Inputs(
        tables,
        Judgments.join(absolute) if absolute else None,
        Preferences.join(pairwise) if pairwise else None,
        _grouping(by, tables),
    )


def group_names(data: Judgments | Preferences, by: str | None) -> Sequence[str]:
    """The group of every row.

    Raises:
        PfsmError: The column is one of those that are measured.
    """
    if by is None:
        return [ONE_GROUP] * len(data)
    by = by if by in data.columns else COMET_NAMES.get(by, by)
    if by not in data.columns:
        raise PfsmError(f"{by!r} holds what is measured; group by another column")
    return data.columns[by]


def segment_ids(data: Judgments | Preferences, tables: Sequence[Table]) -> NDArray[np.int64] | None:
    """The segment of every row, or None unless every file has the column ``segment_id``.

    Rows are of one segment where the identifier, the reference and the source language (if there is one) are
    the same: identifiers of several test sets in one call may coincide.
    """
    if not all(SEGMENT in table.columns for table in tables):
        return None
    languages = data.columns.get(DEFAULT_GROUPING, ("",) * len(data))
    names = list(zip(languages, data.columns[SEGMENT], data.references, strict=True))
    return dense_ids(names, len(data), "segments")


def judgment_items(inputs: Inputs, data: Judgments, with_lengths: bool) -> Items:
    """The human side of absolute scores."""
    tables = inputs.absolute_tables
    systems = data.columns[SYSTEM] if all(SYSTEM in table.columns for table in tables) else None
    lengths = token_counts(data.references) if with_lengths else None
    return scored_items(data.scores, segment_ids(data, tables), systems, lengths)


def document_items(inputs: Inputs, data: Judgments) -> TranslatedDocuments:
    """The human side of documents' scores; what is of different groups is of different documents.

    Raises:
        PfsmError: One of the columns holds what is measured.
    """
    for name in (DOCUMENT, SYSTEM):
        if name not in data.columns:
            raise PfsmError(f"{name!r} holds people's scores; the document level needs it for names")
    names = list(zip(group_names(data, inputs.by), document_names(data), strict=True))
    return translated_documents(data.scores, names, data.columns[SYSTEM])


def check_documents(tables: Sequence[Table]) -> None:
    """Refuses files that do not tell documents.

    Raises:
        PfsmError: A file without the column, or a row without a name in it.
    """
    for table in tables:
        for line, name in zip(
            table.line_numbers, table.column(DOCUMENT, "; the document level needs it"), strict=True
        ):
            if not name.strip():
                raise PfsmError(f"{table.path}:{line}: {DOCUMENT} is empty, the document level needs a name")


def pairwise_items(inputs: Inputs, data: Preferences) -> PreferenceItems:
    """The human side of preferences.

    Raises:
        PfsmError: A number of ties is not a finite number of 0 or more.
    """
    tables = inputs.pairwise_tables
    ties = None
    if any(TIES in table.columns for table in tables):
        counted = np.concatenate([_ties(table) for table in tables])
        ties = np.where(_first_of_pair(data), counted, 0.0)
    units = segment_ids(data, tables)
    return preference_items(data.better, data.worse, data.references, data.votes, ties, units)


def _grouping(wanted: str | None, tables: Sequence[Table]) -> str | None:
    if wanted is None:
        return DEFAULT_GROUPING if all(DEFAULT_GROUPING in table.columns for table in tables) else None
    for table in tables:
        if wanted not in table.columns:
            raise PfsmError(
                f"{table.path}: no column {wanted!r} to group by; the columns are {', '.join(table.header)}"
            )
    return wanted


def _ties(table: Table) -> NDArray[np.float64]:
    if TIES not in table.columns:
        return np.zeros(len(table))
    return table.numbers(TIES, minimum=0.0, needed="a finite number of 0 or more")


def _first_of_pair(data: Preferences) -> NDArray[np.bool_]:
    """Whether a row is the first of its pair: one that stands both ways round has its ties on both rows."""
    others = [data.columns[name] for name in (SEGMENT, "rater", DEFAULT_GROUPING) if name in data.columns]
    systems = zip(
        *(data.columns.get(f"{side}_system", ("",) * len(data)) for side in ("better", "worse")), strict=True
    )
    texts = zip(data.better, data.worse, strict=True)
    seen: set[tuple[object, ...]] = set()
    first = np.zeros(len(data), dtype=np.bool_)
    for row, (pair, names) in enumerate(zip(texts, systems, strict=True)):
        sides = frozenset(zip(pair, names, strict=True))
        key = (sides, data.references[row], *(column[row] for column in others))
        first[row] = key not in seen
        seen.add(key)
    return first
