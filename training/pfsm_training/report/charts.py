"""Charts of agreement, of the learning curve, of intervals, and of margins."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pfsm_training.report.drawing import Drawing, Scale, number, scale_for
from pfsm_training.report.learning_curve import LearningCurve

Float = NDArray[np.float64]

WIDTH, ROW = 700.0, 22.0
MARGIN_BINS = 25


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


def margins_chart(margins: Float, votes: Float, alternative: str) -> str:
    """Votes by held-out margin: those below 0 are ordered the wrong way round."""
    known = np.isfinite(margins)
    left, top, bottom = 58.0, 36.0, 230.0
    drawing = Drawing(WIDTH, bottom + 46)
    across = scale_for([0.0, *margins[known].tolist()], left, WIDTH - 24, 0.02)
    # Bins end at 0, where right and wrong part.
    width = (across.high - across.low) / MARGIN_BINS
    place = np.floor(margins[known] / width).astype(np.int64)
    place[(margins[known] == 0.0)] = -1
    heights = {int(at): float(votes[known][place == at].sum()) for at in np.unique(place)}
    up = scale_for([0.0, *heights.values()], bottom, top, 0.0)
    drawing.axis_left(up, left, WIDTH - 24, "votes", 4)
    drawing.axis_below(
        across, bottom, top, "held-out margin: predicted score of the better minus that of the worse", 8
    )
    for at, height in heights.items():
        x = across(at * width)
        kind = "right" if at >= 0 else "wrong"
        drawing.box(x + 0.5, up(height), across((at + 1) * width) - x - 1.0, bottom - up(height), kind)
    return drawing.svg(alternative)


def _label_room(labels: Sequence[str]) -> float:
    """Pixels left of a chart for its labels."""
    return min(260.0, 30.0 + 7.8 * max(map(len, labels), default=0))
