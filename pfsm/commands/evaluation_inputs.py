"""What ``pfsm evaluate`` reads: judgments of both kinds, and the column that groups go by."""

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
from pfsm.data.documents import DOCUMENT
from pfsm.data.table import COMET_NAMES
from pfsm.distributed.tables import read_tables
from pfsm.errors import PfsmError
from pfsm.evaluation.questions import group_names
from pfsm.metrics.references import NumberOfReferences, number_by_segment

DEFAULT_GROUPING = "source_lang"
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

    def groups(self, data: Judgments | Preferences) -> Sequence[str]:
        """The group of every row.

        Raises:
            PfsmError: The column is one of those that are measured.
        """
        by = self.by
        if by is not None and by not in data.columns:
            by = COMET_NAMES.get(by, by)
        return group_names(data, by)

    @property
    def n_references(self) -> NumberOfReferences:
        """How many references the segments have."""
        parts = [part for part in (self.absolute, self.pairwise) if part is not None]
        return number_by_segment([several for part in parts for several in part.all_references])

    @property
    def ties(self) -> NDArray[np.float64] | None:
        """float64 [n]: how often people preferred neither translation of a pair; None where no file tells.

        Raises:
            PfsmError: A number of ties is not a finite number of 0 or more.
        """
        tables = self.pairwise_tables
        if not any(TIES in table.columns for table in tables):
            return None
        return np.concatenate([_ties(table) for table in tables])


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


def file_numbers(tables: Sequence[Table]) -> NDArray[np.int64]:
    """int64 [n]: which file each row is of."""
    return np.repeat(np.arange(len(tables)), [len(table) for table in tables])
