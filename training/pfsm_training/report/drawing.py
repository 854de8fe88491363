"""Pictures as SVG inside a page: its style sheet colours them, so that they fit light and dark pages and print."""

import html
import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

MINUS = "−"


def escaped(text: object) -> str:
    """Text escaped for an element or a quoted attribute; lone surrogates, which UTF-8 cannot encode, are replaced."""
    return html.escape(str(text).encode("utf-16", "surrogatepass").decode("utf-16", "replace"))


def number(value: float, digits: int = 3) -> str:
    """A number for people: fixed digits, a true minus, a dash where it is undefined."""
    if not math.isfinite(value):
        return "–"
    text = f"{value:.{digits}f}"
    return f"{0.0:.{digits}f}" if float(text) == 0.0 else text.replace("-", MINUS)


def signed(value: float, digits: int = 3) -> str:
    """As `number`, with a plus before what is above 0."""
    text = number(value, digits)
    return f"+{text}" if math.isfinite(value) and value > 0.0 and float(f"{value:.{digits}f}") else text


def interval(low: float, high: float, digits: int = 3) -> str:
    """An interval in brackets; empty where it is undefined."""
    if not (math.isfinite(low) and math.isfinite(high)):
        return ""
    return f"[{number(low, digits)}, {number(high, digits)}]"


@dataclass(frozen=True)
class Scale:
    """A linear map of numbers to pixels."""

    low: float
    high: float
    start: float
    stop: float

    def __call__(self, value: float) -> float:
        """The place of a number."""
        return self.start + (value - self.low) / (self.high - self.low) * (self.stop - self.start)

    def places(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The places of many numbers, float64 [n] both."""
        return self.start + (values - self.low) / (self.high - self.low) * (self.stop - self.start)


def scale_for(values: Sequence[float], start: float, stop: float, margin: float = 0.05) -> Scale:
    """A scale with a margin around all finite values."""
    finite = [value for value in values if math.isfinite(value)] or [0.0]
    low, high = min(finite), max(finite)
    room = margin * (high - low) or 0.5 * abs(low) or 0.5
    return Scale(low - room, high + room, start, stop)


def ticks(scale: Scale, count: int = 5) -> list[float]:
    """Round numbers within a scale, about as many as asked for."""
    wanted = (scale.high - scale.low) / max(count, 1)
    base = 10.0 ** math.floor(math.log10(wanted))
    step = next(base * factor for factor in (1.0, 2.0, 2.5, 5.0, 10.0) if base * factor >= wanted * 0.999)
    first = math.ceil(scale.low / step - 1e-9)
    last = math.floor(scale.high / step + 1e-9)
    return [0.0 if at == 0 else at * step for at in range(first, last + 1)]


def tick_label(value: float) -> str:
    """A tick as short as it can be."""
    return f"{value:.10g}".replace("-", MINUS) if abs(value) < 1e6 else f"{value:.3g}"


@dataclass
class Drawing:
    """An SVG picture in the making; sizes in pixels."""

    width: float
    height: float
    parts: list[str] = field(default_factory=list)

    def line(self, x1: float, y1: float, x2: float, y2: float, kind: str) -> None:
        """A straight line; ``kind`` is its class in the style sheet, here and below."""
        self.parts.append(f'<path class="{kind}" d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}"/>')

    def path(self, points: Sequence[tuple[float, float]], kind: str, *, closed: bool = False) -> None:
        """A line through points."""
        steps = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
        self.parts.append(f'<path class="{kind}" d="M{steps}{"Z" if closed else ""}"/>')

    def shape(self, outline: str, kind: str) -> None:
        """A path in the language of SVG."""
        self.parts.append(f'<path class="{kind}" d="{outline}"/>')

    def dot(self, x: float, y: float, kind: str, radius: float = 4.0) -> None:
        """A disc."""
        self.parts.append(f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="{radius:g}"/>')

    def box(self, x: float, y: float, width: float, height: float, kind: str) -> None:
        """A rectangle."""
        self.parts.append(
            f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" width="{max(width, 0.0):.1f}" height="{height:.1f}"/>'
        )

    def text(self, x: float, y: float, words: str, kind: str = "label", anchor: str = "start") -> None:
        """A line of text; anchor: start, middle or end."""
        self.parts.append(
            f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escaped(words)}</text>'
        )

    def axis_below(self, scale: Scale, y: float, top: float, label: str, count: int = 5) -> None:
        """A horizontal axis at y with grid lines up to ``top``."""
        for value in ticks(scale, count):
            self.line(scale(value), y, scale(value), top, "zero" if value == 0.0 else "grid")
            self.text(scale(value), y + 16, tick_label(value), "tick", "middle")
        self.text((scale.start + scale.stop) / 2, y + 36, label, "axis", "middle")

    def axis_left(self, scale: Scale, x: float, right: float, label: str, count: int = 5) -> None:
        """A vertical axis at x with grid lines up to ``right``; its label stands above."""
        for value in ticks(scale, count):
            self.line(x, scale(value), right, scale(value), "zero" if value == 0.0 else "grid")
            self.text(x - 6, scale(value) + 4, tick_label(value), "tick", "end")
        self.text(x - 6, scale.stop - 10, label, "axis")

    def svg(self, alternative: str) -> str:
        """The element; ``alternative`` says in words what it shows."""
        return (
            f'<svg class="picture" role="img" aria-label="{escaped(alternative)}" width="{self.width:g}" '
            f'height="{self.height:g}" viewBox="0 0 {self.width:g} {self.height:g}">{"".join(self.parts)}</svg>'
        )


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
