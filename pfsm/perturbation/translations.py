"""Good translations from a file: references, hypotheses with top scores, or the better ones of preferences."""

import math
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from pfsm.data.table import Table
from pfsm.errors import PfsmError
from pfsm.perturbation.pairs import Translation

if TYPE_CHECKING:
    from collections.abc import Sequence

REFERENCE, HYPOTHESIS, BETTER = COLUMNS = ("reference", "hypothesis", "better")
"""Columns whose texts can be changed."""
SOURCE = "source"


def translations_of(
    table: Table,
    column: str = REFERENCE,
    *,
    source: str | None = None,
    top: float = 0.25,
    score_column: str = "score",
) -> list[Translation]:
    """The good translations of a table, in its order.

    Args:
        table: The file.
        column: The column to be changed, one of `COLUMNS`.
        source: The column of the source texts; None for ``source`` where there is one.
        top: Share of the hypotheses to take, those with the highest scores; more where the last scores are equal.
        score_column: The column of their scores.

    Raises:
        PfsmError: A missing column, no rows, or a score that is not a finite number.
    """
    table.need_rows()
    references, texts = table.column(REFERENCE), table.column(column)
    sources = table.columns.get(SOURCE) if source is None else table.column(source)
    rows: Sequence[int] = range(len(table))
    if column == HYPOTHESIS:
        scores = table.numbers(score_column)
        least = np.sort(scores)[-max(1, math.ceil(top * len(scores)))]
        rows = np.flatnonzero(scores >= least).tolist()
    return [Translation(references[row], texts[row], "" if sources is None else sources[row]) for row in rows]


def has_sources(table: Table, source: str | None = None) -> bool:
    """Whether the source texts are known."""
    return source is not None or SOURCE in table.columns


def language_of(table: Table) -> str | None:
    """The language of the translations by the column ``target_lang``; None where there is no such column.

    Raises:
        PfsmError: If it holds several.
    """
    counts = Counter(table.columns.get("target_lang", ()))
    if len(counts) > 1:
        raise PfsmError(
            f"{table.path}: translations into {', '.join(sorted(counts))}; give a file with one target language"
        )
    return next(iter(counts), None) or None
