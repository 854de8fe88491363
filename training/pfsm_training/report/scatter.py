"""Predicted against human scores: points where they are few, hexagons coloured by their number where they are many."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from pfsm_training.data.moments import correlation, mean_and_sd
from pfsm_training.report.drawing import Drawing, Scale, number, scale_for

Float = NDArray[np.float64]

MOST_POINTS = 1500
SIDE, LEFT, TOP, BELOW, GAP = 330.0, 58.0, 50.0, 50.0, 62.0
RADIUS = 6.0
SHADES = 6


def scatter(
    panels: Sequence[tuple[str, Float]],
    human: Float,
    marked: Mapping[int, str],
    weights: Float | None = None,
) -> tuple[str, bool]:
    """The picture, and whether it has hexagons.

    Args:
        panels: Title and predictions of each panel, float64 [n]; NaN: no prediction.
        human: float64 [n].
        marked: Labels of judgments to mark in the first panel, by number.
        weights: float64 [n], how much each judgment counts; None: all count the same.
    """
    across = scale_for(human.tolist(), 0.0, SIDE)
    drawing = Drawing(LEFT + len(panels) * SIDE + (len(panels) - 1) * GAP + 14, TOP + SIDE + BELOW)
    everything = np.concatenate([values for _, values in panels])
    up = scale_for(everything.tolist(), TOP + SIDE, TOP)
    hexagons = human.size > MOST_POINTS
    told = []
    for at, (title, predicted) in enumerate(panels):
        left = LEFT + at * (SIDE + GAP)
        x = Scale(across.low, across.high, left, left + SIDE)
        known = np.flatnonzero(np.isfinite(predicted))
        drawing.axis_below(x, TOP + SIDE, TOP, "human score")
        drawing.axis_left(up, left, left + SIDE, "predicted", 6)
        counted = None if weights is None else weights[known]
        r = correlation(predicted[known], human[known], counted) if known.size > 1 else math.nan
        drawing.text(left + SIDE / 2, 18, f"{title}: r = {number(r)}", "title", "middle")
        places = np.column_stack([x.places(human[known]), up.places(predicted[known])])
        if hexagons:
            _hexagons(drawing, places)
        else:
            for px, py in places.tolist():
                drawing.dot(px, py, "point", 3.0)
        _line(drawing, (x, up), predicted[known], human[known], counted)
        if at == 0:
            _marks(drawing, x, up, predicted, human, marked)
        told.append(f"{title}, r = {number(r)}")
    return drawing.svg(
        f"Predicted against human scores of {human.size:,} judgments: {'; '.join(told)}"
    ), hexagons


def _line(
    drawing: Drawing, axes: tuple[Scale, Scale], predicted: Float, human: Float, weights: Float | None
) -> None:
    """The regression line of predicted on human scores."""
    if not human.size:
        return
    middle, across = mean_and_sd(human, weights)
    height, up = mean_and_sd(predicted, weights)
    if not across > 0.0:
        return
    r = correlation(predicted, human, weights)
    slope = r * up / across if math.isfinite(r) else 0.0
    ends = [float(human.min()), float(human.max())]
    x, y = axes
    points = [(x(end), y(height + slope * (end - middle))) for end in ends]
    drawing.path(points, "trend")


def _marks(
    drawing: Drawing, x: Scale, y: Scale, predicted: Float, human: Float, marked: Mapping[int, str]
) -> None:
    for at, label in marked.items():
        px, py = x(float(human[at])), y(float(predicted[at]))
        drawing.dot(px, py, "halo", 6.0)
        drawing.dot(px, py, "ring", 6.0)
        drawing.text(px, py - 9, label, "mark", "middle")


def _hexagons(drawing: Drawing, places: Float) -> None:
    """Hexagons in shades by the logarithm of their number of points; one path for each shade."""
    if not places.size:
        return
    width, height = math.sqrt(3.0) * RADIUS, 1.5 * RADIUS
    cells, counts = np.unique(_cells(places, width, height), axis=0, return_counts=True)
    most = int(counts.max())
    top = math.log1p(most)
    shades: dict[int, list[str]] = {}
    for (row, column), count in zip(cells.tolist(), counts.tolist(), strict=True):
        shade = max(1, math.ceil(SHADES * math.log1p(count) / top - 1e-9))
        cx, cy = (column + 0.5 * (row % 2)) * width, row * height
        shades.setdefault(shade, []).append(_outline(cx, cy, width))
    for shade, outlines in sorted(shades.items()):
        drawing.shape("".join(outlines), f"hex shade{shade}")
    _legend(drawing, float(places[:, 0].max()), most)


def _cells(places: Float, width: float, height: float) -> NDArray[np.int64]:
    """Row and column of the nearest centre of each place, int64 [n, 2]."""
    best = np.full(len(places), np.inf)
    keys = np.zeros((len(places), 2), dtype=np.int64)
    base = np.floor(places[:, 1] / height).astype(np.int64)
    for row in (base, base + 1):
        shift = 0.5 * (row % 2)
        column = np.rint(places[:, 0] / width - shift).astype(np.int64)
        distance = (places[:, 0] - (column + shift) * width) ** 2 + (places[:, 1] - row * height) ** 2
        closer = distance < best
        best = np.where(closer, distance, best)
        keys[closer] = np.column_stack([row, column])[closer]
    return keys


def _outline(cx: float, cy: float, width: float) -> str:
    half, quarter = width / 2.0, RADIUS / 2.0
    return (
        f"M{cx:.1f} {cy - RADIUS:.1f}l{half:.1f} {quarter:.1f}v{RADIUS:.1f}l{-half:.1f} {quarter:.1f}"
        f"l{-half:.1f} {-quarter:.1f}v{-RADIUS:.1f}z"
    )


def _legend(drawing: Drawing, right: float, most: int) -> None:
    """The shades with the numbers that they stand for, below the title of the panel."""
    left = right - SHADES * 14 - 92
    drawing.text(left - 6, 38, "1", "tick", "end")
    for shade in range(1, SHADES + 1):
        drawing.box(left + (shade - 1) * 14, 29, 14, 10, f"hex shade{shade}")
    drawing.text(left + SHADES * 14 + 6, 38, f"{most:,} judgments", "tick")
