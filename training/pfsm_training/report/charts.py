"""Charts of agreement, of the learning curve and of intervals; tables and figures of the report."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from pfsm.runtime.charts import Drawing, Scale, number, scale_for
from pfsm.runtime.charts import text as escaped
from pfsm_training.report.learning_curve import LearningCurve

WIDTH, ROW = 700.0, 22.0


@dataclass(frozen=True)
class Pair:
    """Two values of a row, such as agreement with seen and with held-out judgments, with intervals."""

    label: str
    first: float
    second: float
    first_interval: tuple[float, float] = (math.nan, math.nan)
    second_interval: tuple[float, float] = (math.nan, math.nan)


def pairs_chart(pairs: Sequence[Pair], axis: str, names: tuple[str, str], alternative: str) -> str:
    """A row for each pair, its two values joined by a line."""
    left, top = _label_room([pair.label for pair in pairs]), 40.0
    below = top + len(pairs) * ROW * 1.3
    drawing = Drawing(WIDTH, below + 44)
    ends = [end for pair in pairs for end in (*pair.first_interval, *pair.second_interval)]
    values = [value for pair in pairs for value in (pair.first, pair.second)]
    scale = scale_for([*ends, *values], left, WIDTH - 24)
    drawing.axis_below(scale, below, top, axis, 8)
    drawing.dot(left + 6, 16, "seen", 5)
    drawing.text(left + 17, 20, names[0])
    drawing.dot(left + 146, 16, "held", 5)
    drawing.text(left + 157, 20, names[1])
    for at, pair in enumerate(pairs):
        y = top + (at + 0.5) * ROW * 1.3
        drawing.text(left - 10, y + 4, pair.label, "label", "end")
        if math.isfinite(pair.first) and math.isfinite(pair.second):
            drawing.line(scale(pair.first), y, scale(pair.second), y, "join")
        values_of = (
            (pair.first, pair.first_interval, -4.0, "seen"),
            (pair.second, pair.second_interval, 4.0, "held"),
        )
        for value, (low, high), shift, kind in values_of:
            if math.isfinite(low) and math.isfinite(high):
                drawing.line(scale(low), y + shift, scale(high), y + shift, f"reach {kind}-line")
                drawing.dot(scale(value), y + shift, kind, 5)
            elif math.isfinite(value):
                drawing.dot(scale(value), y, kind, 5)
    return drawing.svg(alternative)


def curve_chart(curve: LearningCurve, statistic: str, noun: str) -> str:
    """Agreement over the number of training items, with what is expected of more."""
    left, top, bottom = 58.0, 36.0, 270.0
    drawing = Drawing(WIDTH, bottom + 46)
    ahead = curve.expected
    sizes = [point.items for point in curve.points]
    most = max([*sizes, *(items for items, _, _ in ahead)])
    across = scale_for([math.log(sizes[0]), math.log(most)], left, WIDTH - 24)
    ends = [end for point in curve.points for end in point.interval] + [
        end for _, *both in ahead for end in both
    ]
    up = scale_for([*ends, *(point.mean for point in curve.points)], bottom, top)
    drawing.axis_left(up, left, WIDTH - 24, statistic)
    for size in sizes:
        drawing.text(across(math.log(size)), bottom + 16, f"{round(size):,}", "tick", "middle")
    if ahead:
        drawing.text(across(math.log(most)), bottom + 16, f"{round(most):,}", "tick", "middle")
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
            drawing.line(x, up(point.interval[0]), x, up(point.interval[1]), "reach held-line")
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


def intervals_chart(groups: Sequence[tuple[str, Sequence[Bar]]], axis: str, alternative: str) -> str:
    """Rows of values with their intervals, under headings; a line at 0."""
    bars = [bar for _, group in groups for bar in group]
    left = _label_room([bar.label for bar in bars])
    right = WIDTH - (74.0 if any(bar.note for bar in bars) else 24.0)
    top = 10.0
    below = top + ROW * len(bars) + sum(28.0 for heading, _ in groups if heading)
    drawing = Drawing(WIDTH, below + 46)
    scale = scale_for(
        [0.0, *(end for bar in bars for end in (bar.value, *bar.interval, *bar.spread))], left, right
    )
    drawing.axis_below(scale, below, top, axis, 8)
    y = top
    for heading, group in groups:
        if heading:
            drawing.text(left - 10, y + 19, heading, "heading", "end")
            y += 28.0
        for bar in group:
            _bar(drawing, scale, bar, y + ROW / 2, left, right)
            y += ROW
    return drawing.svg(alternative)


def _bar(drawing: Drawing, scale: Scale, bar: Bar, y: float, left: float, right: float) -> None:
    drawing.text(left - 10, y + 4, bar.label, "label", "end")
    for (low, high), kind in ((bar.spread, "spread"), (bar.interval, "reach")):
        if math.isfinite(low) and math.isfinite(high):
            drawing.line(scale(low), y, scale(high), y, kind)
    sure = bar.interval[0] > 0.0 or bar.interval[1] < 0.0 or not math.isfinite(bar.interval[0])
    drawing.dot(scale(bar.value), y, "held" if sure else "unsure", 4.5)
    if bar.note:
        drawing.text(right + 66, y + 4, bar.note, "tick", "end")


def _label_room(labels: Sequence[str]) -> float:
    """Pixels left of a chart for its labels."""
    return min(260.0, 30.0 + 7.8 * max(map(len, labels), default=0))


def figure(picture: str, caption: str) -> str:
    """A picture with its caption, in a frame that scrolls where the window is narrow."""
    return (
        f'<figure><div class="scroll" tabindex="0" role="region" aria-label="{escaped(caption)}">{picture}</div>'
        f"<figcaption>{escaped(caption)}</figcaption></figure>"
    )


def table(headings: Sequence[str], rows: Sequence[Sequence[str]], caption: str, kind: str = "numbers") -> str:
    """A table; the first cell of a row is its heading. Cells are HTML, headings and caption are text."""
    head = "".join(f'<th scope="col">{escaped(label)}</th>' for label in headings)
    body = "".join(
        f'<tr><th scope="row">{row[0]}</th>{"".join(f"<td>{cell}</td>" for cell in row[1:])}</tr>'
        for row in rows
    )
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escaped(caption)}"><table class="{kind}">'
        f"<caption>{escaped(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )
