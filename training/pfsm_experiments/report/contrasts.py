"""Tables of the comparisons that an experiment names, row against row: in Markdown, in LaTeX and for the report."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from pfsm.evaluation.questions import ONE_GROUP
from pfsm_experiments.data import MEAN
from pfsm_experiments.estimates import Column, Contrast
from pfsm_experiments.report.tables import (
    BETTER,
    NOTHING,
    WORSE,
    booktabs,
    heading,
    markdown_rows,
    short,
    sign,
    table_labels,
    title_of,
    what_is_drawn,
)
from pfsm_experiments.spec import Experiment

HEADINGS = ("A against B", "A", "B", "A - B", "95% interval", "p", "p (Holm)")


@dataclass(frozen=True)
class ContrastTable:
    """All comparisons by one statistic in one column; p-values are corrected within the table."""

    statistic: str
    column: Column
    contrasts: tuple[Contrast, ...]

    @property
    def title(self) -> str:
        """Statistic and test set, and group and training size if there are several."""
        where = (
            self.column.test if self.column.group == ONE_GROUP else f"{self.column.test}, {self.column.group}"
        )
        size = "" if self.column.size is None else f", {heading(self.column)} judgments"
        return f"Row against row: {title_of(self.statistic)}, {where}{size}"

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """The cells under `HEADINGS`."""
        return [_cells(contrast) for contrast in self.contrasts]


def contrast_tables(contrasts: Sequence[Contrast]) -> list[ContrastTable]:
    """One table per statistic, test set and training size, for the mean over the groups or for the only group."""
    with_mean = {one.column.test for one in contrasts if one.column.group == MEAN}
    tables: dict[tuple[str, Column], list[Contrast]] = {}
    for one in contrasts:
        if one.column.group == MEAN or one.column.test not in with_mean:
            tables.setdefault((one.statistic, one.column), []).append(one)
    return [ContrastTable(*place, tuple(found)) for place, found in tables.items()]


def _cells(contrast: Contrast) -> tuple[str, ...]:
    name, values = f"{contrast.row} against {contrast.other}", map(short, contrast.values)
    difference = contrast.difference
    if difference is None:
        return name, *values, *[NOTHING] * 4
    interval = difference.interval
    return (
        name,
        *values,
        short(difference.value) + sign(difference),
        NOTHING if math.isnan(interval.low) else f"[{short(interval.low)}, {short(interval.high)}]",
        _p_value(difference.p_value),
        _p_value(difference.p_holm),
    )


def _p_value(value: float) -> str:
    """Four decimals without a leading zero; a dash for NaN."""
    return NOTHING if math.isnan(value) else f"{value:.4f}".removeprefix("0")


def contrasts_explanation(experiment: Experiment, tables: Sequence[ContrastTable]) -> str:
    """How to read the tables, for the text below them."""
    drawn = what_is_drawn(experiment, [table.statistic for table in tables])
    return (
        f"Row against row: paired bootstrap, two-sided ({drawn}); p (Holm) is corrected for all "
        f"comparisons of the table. {BETTER} A is above B, {WORSE} below, p (Holm) < .05."
    )


def contrasts_markdown(experiment: Experiment, tables: Sequence[ContrastTable]) -> list[str]:
    """Headings, tables and how to read them; empty if the experiment names no comparison."""
    if not tables:
        return []
    blocks = [
        block for table in tables for block in (f"## {table.title}", markdown_rows([HEADINGS, *table.rows]))
    ]
    return [*blocks, contrasts_explanation(experiment, tables)]


def contrasts_latex(experiment: Experiment, tables: Sequence[ContrastTable]) -> str:
    """The tables for ``booktabs``, each with its caption and label."""
    labels = table_labels([_label(table) for table in tables])
    return "".join(
        "\n"
        + booktabs(
            HEADINGS, table.rows, f"{table.title}. {contrasts_explanation(experiment, [table])}", label
        )
        for table, label in zip(tables, labels, strict=True)
    )


def _label(table: ContrastTable) -> str:
    column = table.column
    group = "" if column.group == ONE_GROUP else column.group
    return f"contrasts {table.statistic} {column.test} {group} {column.size or ''}"
