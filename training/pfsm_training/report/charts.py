"""Charts of agreement, of the learning curve and of intervals; tables and figures of the report."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from pfsm.runtime.charts import Drawing, Scale, interval, number, scale_for, tick_label, ticks
from pfsm.runtime.charts import text as escaped
from pfsm_training.report.learning_curve import LearningCurve

WIDTH = 400.0


def curve_chart(curve: LearningCurve, statistic: str, noun: str) -> str:
    """Agreement over the number of training items, with what is expected of more."""
    left, top, bottom = 44.0, 36.0, 230.0
    drawing = Drawing(WIDTH, bottom + 46)
    ahead = curve.expected
    sizes = [point.items for point in curve.points]
    most = max([*sizes, *(items for items, _, _ in ahead)])
    across = scale_for([math.log(sizes[0]), math.log(most)], left, WIDTH - 30)
    ends = [end for point in curve.points for end in point.interval] + [
        end for _, *both in ahead for end in both
    ]
    up = scale_for([*ends, *(point.mean for point in curve.points)], bottom, top)
    drawing.axis_left(up, left, WIDTH - 24, statistic)
    for size in sorted({*sizes, most}):
        drawing.text(across(math.log(size)), bottom + 16, f"{round(size):,}", "tick", "middle")
    if ahead:
        lows = [(across(math.log(items)), up(low)) for items, low, _ in ahead]
        highs = [(across(math.log(items)), up(high)) for items, _, high in ahead]
        drawing.path([*lows, *reversed(highs)], "fan", closed=True)
        middle = [(across(math.log(items)), up((low + high) / 2.0)) for items, low, high in ahead]
        drawing.path(middle, "ahead")
    drawing.text((left + WIDTH) / 2, bottom + 36, f"training {noun}", "axis", "middle")
    drawing.path([(across(math.log(point.items)), up(point.mean)) for point in curve.points], "held-line")
    for point in curve.points:
        x = across(math.log(point.items))
        if all(map(math.isfinite, point.interval)):
            drawing.line(x, up(point.interval[0]), x, up(point.interval[1]), "held-line")
        drawing.dot(x, up(point.mean), "held", 4.5)
    told = ", ".join(f"{number(point.mean)} with {round(point.items):,}" for point in curve.points)
    return drawing.svg(f"Learning curve of {statistic}: {told} {noun}")


@dataclass(frozen=True)
class Bar:
    """A value with an interval and, drawn thin, a spread."""

    label: str
    value: float
    interval: tuple[float, float] = (math.nan, math.nan)
    spread: tuple[float, float] = (math.nan, math.nan)
    note: str = ""


def intervals_chart(groups: Sequence[tuple[str, Sequence[Bar]]], axis: str, name: str) -> str:
    """A table with a row for each value: its place on a common scale, with its interval, and its numbers."""
    bars = [bar for _, group in groups for bar in group]
    ends = (end for bar in bars for end in (bar.value, *bar.interval, *bar.spread))
    scale = scale_for([0.0, *ends], 0.0, 100.0)
    notes = any(bar.note for bar in bars)
    marks = "".join(
        f'<text class="tick" x="{scale(at):.2f}%" y="14" text-anchor="middle">{tick_label(at)}</text>'
        for at in ticks(scale)
    )
    head = (
        f'<tr><th scope="col"><span class="unseen">{escaped(name)}</span></th>'
        f'<td class="track-cell">{_track(marks)}</td><th scope="col">{escaped(axis)}</th>{"<td></td>" * notes}</tr>'
    )
    rows = []
    for heading, group in groups:
        if heading:
            rows.append(f'<tr><td class="heading" colspan="4">{escaped(heading)}</td></tr>')
        rows += [_row(bar, scale, notes) for bar in group]
    return f'<table class="chart"><thead>{head}</thead><tbody>{"".join(rows)}</tbody></table>'


def _row(bar: Bar, scale: Scale, notes: bool) -> str:
    lines = [_mark("zero" if at == 0.0 else "grid", scale, at, at, (0, 24)) for at in ticks(scale)]
    for (low, high), kind in ((bar.spread, "spread"), (bar.interval, "span")):
        if math.isfinite(low) and math.isfinite(high):
            lines.append(_mark(kind, scale, low, high, (12, 12)))
    sure = bar.interval[0] > 0.0 or bar.interval[1] < 0.0 or not math.isfinite(bar.interval[0])
    if math.isfinite(bar.value):
        kind = "held" if sure else "unsure"
        lines.append(f'<circle class="{kind}" cx="{scale(bar.value):.2f}%" cy="12" r="4.5"/>')
    numbers = f"{number(bar.value)} {interval(*bar.interval)}".strip()
    note = f"<td>{escaped(bar.note)}</td>" if notes else ""
    return (
        f'<tr><th scope="row">{escaped(bar.label)}</th><td class="track-cell">{_track("".join(lines))}</td>'
        f"<td>{numbers}</td>{note}</tr>"
    )


def _track(marks: str) -> str:
    return f'<svg class="track-of" width="100%" height="24" aria-hidden="true">{marks}</svg>'


def _mark(kind: str, scale: Scale, low: float, high: float, ends: tuple[int, int]) -> str:
    x1, x2 = scale(low), scale(high)
    return f'<line class="{kind}" x1="{x1:.2f}%" x2="{x2:.2f}%" y1="{ends[0]}" y2="{ends[1]}"/>'


def figure(picture: str, caption: str) -> str:
    """A picture with its caption."""
    return f"<figure>{picture}<figcaption>{escaped(caption)}</figcaption></figure>"


def table(headings: Sequence[str], rows: Sequence[Sequence[str]], caption: str) -> str:
    """A table; the first cell of a row is its heading. Cells are HTML, headings and caption are text."""
    head = "".join(f'<th scope="col">{escaped(label)}</th>' for label in headings)
    names = [escaped(label) for label in headings[1:]]
    cells = (
        "".join(f'<td data-head="{name}">{cell}</td>' for name, cell in zip(names, row[1:], strict=True))
        for row in rows
    )
    body = "".join(
        f'<tr><th scope="row">{row[0]}</th>{others}</tr>' for row, others in zip(rows, cells, strict=True)
    )
    return (
        f'<table class="chart plain"><caption>{escaped(caption)}</caption><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table>"
    )
