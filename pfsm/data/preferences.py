"""Preferences: of two translations of a segment, the one that people ranked higher."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from pfsm.data.columns import (
    Places,
    canonical_order,
    join_columns,
    no_column,
    numbers_of,
    row_list,
    select_columns,
    select_places,
)
from pfsm.data.references import all_references
from pfsm.data.table import DataSource, Table, read_table
from pfsm.errors import PfsmError
from pfsm.io.files import StrPath


@dataclass(frozen=True, eq=False)
class Preferences:
    """Pairs of translations, a better and a worse one, one pair per row.

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
    """The files that the preferences came from, as whole files even if only some of their rows are here."""
    places: Places | None = None
    """Where the rows stand, for messages; None where they were not read from files."""

    def __len__(self) -> int:
        return len(self.references)

    def numbers(self, name: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """A number of each better and of each worse translation, float64 [n] each.

        They stand in the columns ``NAME_better`` and ``NAME_worse``, as in `pfsm evaluate --column`, or
        ``better_NAME`` and ``worse_NAME``.

        Raises:
            PfsmError: There are no such columns, or a field in them is not a finite number.
        """
        return self._side(name, "better"), self._side(name, "worse")

    def _side(self, name: str, side: str) -> NDArray[np.float64]:
        for column in (f"{name}_{side}", f"{side}_{name}"):
            if column in self.columns:
                return numbers_of(self.columns[column], column, self.places)
        raise no_column(f"{name}_{side}", self.columns, self.places)

    @cached_property
    def all_references(self) -> tuple[tuple[str, ...], ...]:
        """[n][1 or more]: the reference of every row, and those of ``reference_2``, ``reference_3`` … not empty."""
        return all_references(self.references, self.columns)

    def select(self, rows: NDArray[np.int64]) -> "Preferences":
        """The preferences of some rows, in the order given; a row may be given more than once.

        Args:
            rows: int64 [m], row numbers.

        Raises:
            TypeError: `rows` are not integers.
            IndexError: no such row.
        """
        chosen = row_list(rows)
        return Preferences(
            tuple(self.references[row] for row in chosen),
            tuple(self.better[row] for row in chosen),
            tuple(self.worse[row] for row in chosen),
            self.votes[np.array(chosen, dtype=np.int64)],
            select_columns(self.columns, chosen),
            self.sources,
            select_places(self.places, chosen),
        )

    @staticmethod
    def join(parts: Sequence["Preferences"]) -> "Preferences":
        """Preferences concatenated; a column that only some parts have is filled with ``""`` in the others.

        Raises:
            PfsmError: no parts.
        """
        if not parts:
            raise PfsmError("no preferences: give at least one file of them")
        return Preferences(
            tuple(chain.from_iterable(part.references for part in parts)),
            tuple(chain.from_iterable(part.better for part in parts)),
            tuple(chain.from_iterable(part.worse for part in parts)),
            np.concatenate([part.votes for part in parts]),
            join_columns([(len(part), part.columns) for part in parts]),
            tuple(chain.from_iterable(part.sources for part in parts)),
            Places.join([part.places for part in parts]),
        )

    def sorted(self) -> "Preferences":
        """The same preferences in canonical order, so that the order of files and rows makes no difference.

        Rows are sorted by reference, better, worse, votes, then the other columns in the order of their names; text by
        code point. Exact duplicates are kept. Columns are sorted by name, sources by name and checksum.
        """
        fields = self.references, self.better, self.worse, self.votes.tolist()
        order, columns = canonical_order(fields, self.columns)
        sources = tuple(sorted(self.sources, key=lambda source: (source.name, source.checksum, source.rows)))
        ordered = Preferences(
            self.references, self.better, self.worse, self.votes, columns, sources, self.places
        )
        return ordered.select(order)


def is_preferences(table: Table) -> bool:
    """Whether a table holds preferences: it has the columns ``better`` and ``worse``."""
    return "better" in table.columns and "worse" in table.columns


def absolute_advice(table: Table) -> str:
    """What to add to a message about a missing column of absolute scores; ``""`` if the file has no preferences."""
    if not is_preferences(table):
        return ""
    return "; this is a file of preferences (better, worse), which `pfsm evaluate` reads"


def read_preferences(path: StrPath) -> Preferences:
    """Read preferences from a TSV or CSV file (``-``: standard input).

    Args:
        path: a file with the columns ``reference``, ``better`` and ``worse``; the column ``votes`` is optional.

    Raises:
        PfsmError: what `pfsm.data.table.read_table` or `preferences_from_table` raises.
    """
    return preferences_from_table(read_table(path))


def preferences_from_table(table: Table) -> Preferences:
    """The preferences in a table; without a column ``votes`` every row counts once.

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
