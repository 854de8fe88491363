"""Absolute judgments: a reference, a hypothesis, and the score that people gave it."""

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
from pfsm.data.preferences import absolute_advice
from pfsm.data.references import all_references
from pfsm.data.table import DataSource, Table, read_table
from pfsm.errors import PfsmError
from pfsm.io.files import StrPath

__all__ = ["DataSource", "Judgments", "judgments_from_table", "read_judgments"]


@dataclass(frozen=True, eq=False)
class Judgments:
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

    def __len__(self) -> int:
        return len(self.references)

    def numbers(self, name: str) -> NDArray[np.float64]:
        """A further column as numbers, float64 [n].

        Raises:
            PfsmError: There is no such column, or a field in it is not a finite number.
        """
        if name not in self.columns:
            raise no_column(name, self.columns, self.places)
        return numbers_of(self.columns[name], name, self.places)

    @cached_property
    def all_references(self) -> tuple[tuple[str, ...], ...]:
        """[n][1 or more]: the reference of every row, and those of ``reference_2``, ``reference_3`` … not empty."""
        return all_references(self.references, self.columns)

    def select(self, rows: NDArray[np.int64]) -> "Judgments":
        """The judgments of some rows, in the order given; a row may be given more than once.

        Args:
            rows: int64 [m], row numbers.

        Raises:
            TypeError: `rows` are not integers.
            IndexError: no such row.
        """
        chosen = row_list(rows)
        return Judgments(
            tuple(self.references[row] for row in chosen),
            tuple(self.hypotheses[row] for row in chosen),
            self.scores[np.array(chosen, dtype=np.int64)],
            select_columns(self.columns, chosen),
            self.sources,
            select_places(self.places, chosen),
        )

    @staticmethod
    def join(parts: Sequence["Judgments"]) -> "Judgments":
        """Judgments concatenated; a column that only some parts have is filled with ``""`` in the others.

        Raises:
            PfsmError: no parts.
        """
        if not parts:
            raise PfsmError("no judgments: give at least one file of them")
        return Judgments(
            tuple(chain.from_iterable(part.references for part in parts)),
            tuple(chain.from_iterable(part.hypotheses for part in parts)),
            np.concatenate([part.scores for part in parts]),
            join_columns([(len(part), part.columns) for part in parts]),
            tuple(chain.from_iterable(part.sources for part in parts)),
            Places.join([part.places for part in parts]),
        )

    def sorted(self) -> "Judgments":
        """The same judgments in canonical order, so that the order of files and rows makes no difference.

        Rows are sorted by reference, hypothesis, score, then the other columns in the order of their names; text by
        code point. Exact duplicates are kept. Columns are sorted by name, sources by name and checksum.
        """
        fields = self.references, self.hypotheses, self.scores.tolist()
        order, columns = canonical_order(fields, self.columns)
        sources = tuple(sorted(self.sources, key=lambda source: (source.name, source.checksum, source.rows)))
        ordered = Judgments(self.references, self.hypotheses, self.scores, columns, sources, self.places)
        return ordered.select(order)


def read_judgments(path: StrPath, score_column: str = "score") -> Judgments:
    """Read absolute judgments from a TSV or CSV file (``-``: standard input).

    Args:
        path: a file with the columns ``reference`` and ``hypothesis`` (COMET: ``ref`` and ``mt``) and scores.
        score_column: the column that holds the score.

    Raises:
        PfsmError: what `pfsm.data.table.read_table` or `judgments_from_table` raises.
    """
    return judgments_from_table(read_table(path), score_column)


def judgments_from_table(table: Table, score_column: str) -> Judgments:
    """The absolute judgments in a table.

    Raises:
        PfsmError: a missing column, no rows, or a score that is not a finite number.
    """
    advice = absolute_advice(table)
    references = tuple(table.column("reference", advice))
    hypotheses = tuple(table.column("hypothesis", advice))
    table.column(score_column, advice)
    table.need_rows()
    return Judgments(
        references,
        hypotheses,
        table.numbers(score_column),
        table.other_columns(["reference", "hypothesis", score_column]),
        (table.source,),
        Places.of(table.path, table.line_numbers),
    )
