"""Small charts for notebooks: SVG without a style sheet, in the colour of the text, for light and dark notebooks."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from pfsm.runtime.html_table import text

WIDTH, LABELS, ROW, FOOT = 640.0, 200.0, 24.0, 22.0
# Of a label, as many letters have room.
MOST_LETTERS = 26


@dataclass(frozen=True)
class Mark:
    """A row of a chart: a value and its interval; NaN at both ends for none."""

    label: str
    value: float
    low: float = math.nan
    high: float = math.nan


def html_chart(marks: Sequence[Mark], title: str, *, zero: bool = False) -> str:
    """A dot with a line for each row, on one scale with its ends below; empty without rows.

    Args:
        marks: The rows.
        title: What it shows, for readers of the screen.
        zero: Whether 0 is on the scale, with a line through it.
    """
    known = [end for one in marks for end in (one.value, one.low, one.high) if math.isfinite(end)]
    if not known:
        return ""
    low, high = min(known), max(known)
    if zero:
        low, high = min(low, 0.0), max(high, 0.0)
    room = 0.06 * (high - low) or 0.5 * abs(low) or 0.5
    low, high = low - room, high + room

    def x(value: float) -> float:
        return LABELS + (value - low) / (high - low) * (WIDTH - LABELS)

    height = ROW * len(marks) + FOOT
    parts = [_line(x(0.0), 0.0, x(0.0), height - FOOT, 1.0, 0.5)] if zero else []
    for place, one in enumerate(marks):
        y = ROW * (place + 0.5)
        label = one.label if len(one.label) <= MOST_LETTERS else one.label[: MOST_LETTERS - 1] + "…"
        parts.append(_text(LABELS - 12, y + 4, label, "end"))
        if math.isfinite(one.low) and math.isfinite(one.high):
            parts.append(_line(x(one.low), y, x(one.high), y, 3.0, 0.45))
        if math.isfinite(one.value):
            parts.append(f'<circle cx="{x(one.value):.1f}" cy="{y:.1f}" r="5" fill="currentColor"/>')
    parts += [_text(x(end), height - 5, f"{end:.4g}", "middle") for end in (low + room, high - room)]
    return (
        f'<svg role="img" aria-label="{text(title)}" width="{WIDTH:g}" height="{height:g}" '
        f'viewBox="0 0 {WIDTH:g} {height:g}" font-size="13" font-family="sans-serif">{"".join(parts)}</svg>'
    )


def _line(x1: float, y1: float, x2: float, y2: float, width: float, opacity: float) -> str:
    return (
        f'<path d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}" stroke="currentColor" stroke-width="{width:g}" '
        f'stroke-opacity="{opacity:g}"/>'
    )


def _text(x: float, y: float, words: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="currentColor">{text(words)}</text>'
