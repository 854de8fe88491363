"""Parts of the report in HTML: escaped text, lists of facts, tables of results, plain tables."""

import html
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from pfsm.evaluation import Interval
from pfsm_experiments.report.tables import BETTER, NOTHING, ResultTable, heading, is_best, mark, short

if TYPE_CHECKING:
    from pfsm_experiments.estimates import Entry


def escaped(text: object) -> str:
    """Text escaped for an element or a quoted attribute; lone surrogates, which UTF-8 cannot encode, are replaced."""
    return html.escape(str(text).encode("utf-16", "surrogatepass").decode("utf-16", "replace"))


def fact_list(values: Mapping[str, object]) -> str:
    """A list of names and values."""
    rows = "".join(
        f"<div><dt>{escaped(name)}</dt><dd>{escaped(value)}</dd></div>" for name, value in values.items()
    )
    return f"<dl>{rows}</dl>"


def result_table(table: ResultTable) -> str:
    """A table of numbers with their intervals; the script makes it sortable."""
    head = "".join(_sortable(heading(column), "number") for column in table.columns)
    body = "".join(
        f'<tr><th scope="row">{escaped(line.name)}</th>{"".join(map(_cell, line.entries, table.best))}</tr>'
        for line in table.lines
    )
    counts = "".join(f"<td>{column.n:,}</td>" for column in table.columns)
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escaped(table.title)}"><table class="sortable">'
        f"<caption><span>{escaped(table.title)}</span></caption>"
        f"<thead><tr>{_sortable('row', 'text')}{head}</tr></thead>"
        f'<tbody>{body}</tbody><tfoot><tr><th scope="row">n</th>{counts}</tr></tfoot></table></div>'
    )


def _sortable(label: str, kind: str) -> str:
    """A heading that the script turns into a button."""
    return f'<th scope="col" data-sort="{kind}">{escaped(label)}</th>'


def _cell(entry: "Entry", best: float | None) -> str:
    if entry.value is None:
        return f'<td data-value="">{NOTHING}</td>'
    number = f"<strong>{short(entry.value)}</strong>" if is_best(entry, best) else short(entry.value)
    sign, title = mark(entry), ""
    if entry.difference is not None:
        p_holm = entry.difference.p_holm
        chance = f"p = {NOTHING}" if math.isnan(p_holm) else f"p = {p_holm:.4f} (Holm)"
        title = f"difference {entry.difference.value:+.4f}, {chance}"
        title = f' title="{title}"'
    flag = f'<span class="{"up" if sign == BETTER else "down"} mark">{sign}</span>' if sign else ""
    return (
        f'<td data-value="{entry.value!r}"{title}>{number}{flag}'
        f'<span class="interval">{_range(entry.interval)}</span></td>'
    )


def _range(interval: Interval | None) -> str:
    if interval is None:
        return NOTHING
    between = " to " if interval.low < 0.0 else "–"  # a dash before a minus would look like one line
    return f"{short(interval.low)}{between}{short(interval.high)}"


def plain_table(
    headings: Sequence[str], rows: Sequence[Sequence[object]], caption: str, kind: str = "plain"
) -> str:
    """A table of text; `kind` is its class in the style sheet."""
    head = "".join(f'<th scope="col">{escaped(label)}</th>' for label in headings)
    body = "".join(
        f'<tr><th scope="row">{escaped(row[0])}</th>{"".join(f"<td>{escaped(value)}</td>" for value in row[1:])}</tr>'
        for row in rows
    )
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escaped(caption)}"><table class="{kind}">'
        f"<caption><span>{escaped(caption)}</span></caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )
