"""Draws docs/images/*.svg from what pfsm computes, from the tables of configs/results and from benchmarks/measured.

python scripts/build_pictures.py            # says what is stale, exit status 1
python scripts/build_pictures.py --write
"""

import argparse
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from html import escape
from pathlib import Path

from results import Cell, last, rates, tables, training_times

import pfsm
from pfsm.commands.models import documents
from pfsm.model.costs import EXTRA, MATCHED, MISSING, edit_costs

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "images"
REFERENCE, HYPOTHESIS = "The dog did not see the cat .", "The dog saw the big cat ."
EXPLAINED = (
    "The president did not attend the ceremony, and no reason was given.",
    "The president attended the ceremony, and a reason was given.",
)
INK, MATCH, INSERT, DELETE, JUMP, FAINT = "#1f2328", "#1a7f37", "#0969da", "#cf222e", "#8250df", "#d0d7de"
STYLE = "font-family:system-ui,sans-serif;font-size:14px"
GREY = "#59636e"
PANELS = (
    ("Kendall's τ (WMT12), WMT12", "rankings of 2012 (WMT12)"),
    ("Kendall's τ (DARR), WMT19", "pairs of 2019 (WMT19, gu-en, lt-en)"),
)
# Pairs a second from which names stand above and below points, where there is no room beside them.
CROWDED = 1000
Point = tuple[float, float]
Labels = Sequence[tuple[float, str]]


def svg(width: int, height: int, title: str, parts: list[str]) -> str:
    """A drawing on white ground, with a title for those who cannot see it."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
        f' role="img" style="{STYLE}">\n<title>{escape(title)}</title>\n'
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0 8 4 0 8z" fill="context-stroke"/></marker></defs>\n'
        f'<rect width="{width}" height="{height}" fill="#fff"/>\n' + "\n".join(parts) + "\n</svg>\n"
    )


def text(x: float, y: float, content: str, colour: str = INK, anchor: str = "middle", more: str = "") -> str:
    """A line of text."""
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" fill="{colour}" {more}>{escape(content)}</text>'


def line(
    start: tuple[float, float], end: tuple[float, float], colour: str, width: float = 1, more: str = ""
) -> str:
    """A straight line."""
    return (
        f'<line x1="{start[0]:g}" y1="{start[1]:g}" x2="{end[0]:g}" y2="{end[1]:g}" stroke="{colour}"'
        f' stroke-width="{width:g}" {more}/>'
    )


def axes(left: float, width: float, bottom: float, rows: Labels, ticks: Labels) -> list[str]:
    """Lines across at the heights of ``rows``, and the marks of the axis below them at the places of ``ticks``."""
    parts = []
    for y, label in rows:
        parts += [line((left, y), (left + width, y), FAINT), text(left - 8, y + 5, label, GREY, "end")]
    for x, label in ticks:
        parts += [line((x, bottom), (x, bottom + 5), GREY), text(x, bottom + 22, label, GREY)]
    return parts


def curve(points: Sequence[Point], colour: str) -> list[str]:
    """Points with a line through them."""
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    dots = [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}"/>' for x, y in points]
    return [f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2.5"/>', *dots]


def titles(left: float, width: float, bottom: float, across: str, upwards: str) -> list[str]:
    """What is across, below the axis, and what goes upwards, beside it."""
    middle = f'transform="rotate(-90 24 {bottom / 2 + 5:g})"'
    below = text(left + width / 2, bottom + 46, across, GREY)
    return [below, text(24, bottom / 2 + 5, upwards, GREY, more=middle)]


def accuracy(rates: Mapping[str, float]) -> str:
    """Kendall's tau with its interval against pairs a second, on two kinds of preferences."""
    found = tables("shipped-preferences")
    parts = []
    for place, (table, title) in enumerate(PANELS):
        names = [one for one in rates if one in found[table]]
        points = [(one, rates[one], _ends(last("shipped-preferences", table, one))) for one in names]
        parts += _panel(70 + 480 * place, title, points)
    parts.append(text(500, 352, "pairs a second of processor time, on one core (log scale)", GREY))
    known = (one for one in documents() if "needs" not in one)
    sizes = ", ".join(f"{one['name']} {one['bytes'] / 1e6:.1f} MB" for one in known)
    parts.append(text(500, 376, f"models with their encoders: {sizes}", GREY))
    parts.append(text(20, 180, "Kendall's tau with people", GREY, more='transform="rotate(-90 20 180)"'))
    title = "Agreement with people against speed and size, of shipped models and other metrics, with 95% intervals"
    return svg(980, 394, title, parts)


def _panel(
    left: float, title: str, points: Sequence[tuple[str, float, tuple[float, float, float]]]
) -> list[str]:
    """One chart: log of the rate across, agreement upwards."""
    width, top, bottom = 390, 40, 300
    least, most = 1.0, math.ceil(math.log10(max(rate for _, rate, _ in points)) + 0.3)
    low = math.floor(20 * min(ends[1] for _, _, ends in points)) / 20
    # The label above the highest interval stays below the title.
    high = math.ceil(20 * max(ends[2] for _, _, ends in points) + 0.5) / 20

    def at(rate: float, r: float) -> Point:
        across = (math.log10(rate) - least) / (most - least)
        return left + across * width, bottom - (r - low) / (high - low) * (bottom - top)

    parts = [text(left + width / 2, 22, title, more='font-weight="600"')]
    ticks = [(at(10**power, low)[0], f"{10**power:,}") for power in range(int(least), most + 1)]
    parts += axes(left, width, bottom, _steps(low, high, 20, lambda r: at(10, r)[1]), ticks)
    for name, rate, (r, lower, upper) in points:
        own = name.startswith("en")
        colour = MATCH if own else GREY
        x, y = at(rate, r)
        parts.append(line(at(rate, lower), at(rate, upper), colour, 1.5))
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{colour}"/>')
        if own:
            parts.append(text(x - 8, at(rate, upper)[1] - 6, name, colour, "start", 'font-weight="600"'))
        elif rate < CROWDED:
            parts.append(text(x - 9, y + 5, name, colour, "end"))
        else:
            parts.append(text(x, at(rate, lower)[1] + 16, name.removeprefix("sentence "), colour))
    return parts


def _steps(low: float, high: float, parts: int, height: Callable[[float], float]) -> Labels:
    """The lines of a chart between two numbers, so many a unit; two digits without a leading zero, as in tables."""
    steps = [step / parts for step in range(round(parts * low), round(parts * high) + 1)]
    return [(height(step), f"{step:.2f}".replace("0.", ".", 1)) for step in steps]


def _ends(cell: Cell) -> tuple[float, float, float]:
    return float(cell.value), float(cell.low), float(cell.high)


def learning_curve() -> str:
    """Agreement against the number of training judgments, with intervals."""
    rows = tables("learning-curve")["Pearson's r, WMT16"]
    numbers = [float(column.replace(",", "")) for column in rows["n"]]
    curves = {name: [_ends(cell) for cell in row.values()] for name, row in rows.items() if name != "n"}
    left, width, top, bottom = 80, 470, 50, 310
    ends = [end for one in curves.values() for _, *several in one for end in several]
    low, high = math.floor(50 * min(ends)) / 50, math.ceil(50 * max(ends)) / 50

    def at(number: float, r: float, shift: float = 0.0) -> Point:
        across = math.log(number / numbers[0]) / math.log(numbers[-1] / numbers[0])
        return left + 20 + across * (width - 40) + shift, bottom - (r - low) / (high - low) * (bottom - top)

    ticks = [(at(number, low)[0], f"{number:,.0f}") for number in numbers]
    parts = axes(left, width, bottom, _steps(low, high, 50, lambda r: at(numbers[0], r)[1]), ticks)
    for place, ((name, cells), colour) in enumerate(zip(curves.items(), (GREY, MATCH, JUMP), strict=True)):
        shift = 6.0 * (place - 1)
        for number, (_, lower, upper) in zip(numbers, cells, strict=True):
            parts.append(line(at(number, lower, shift), at(number, upper, shift), colour, 1))
        parts += curve(
            [at(number, r, shift) for number, (r, _, _) in zip(numbers, cells, strict=True)], colour
        )
        x = left + 20 + 150 * place
        parts += [line((x, 18), (x + 24, 18), colour, 2.5), text(x + 32, 23, name, colour, "start")]
    parts += titles(left, width, bottom, "judgments trained on (log scale)", "Pearson's r, WMT16")
    title = "Agreement with people against the number of judgments that a model is trained on"
    return svg(640, 370, title, parts)


def training_time(times: Sequence[tuple[int, float, float]]) -> str:
    """Seconds of training against the number of judgments, both on log scales, with the memory that it took."""
    left, width, top, bottom = 90, 470, 40, 300
    (fewest, quickest, _), (most, slowest, _) = times[0], times[-1]
    low, high = math.floor(math.log10(quickest)), math.ceil(math.log10(slowest))

    def at(number: float, seconds: float) -> Point:
        across = math.log(number / fewest) / math.log(most / fewest)
        up = (math.log10(seconds) - low) / (high - low)
        return left + 60 + across * (width - 100), bottom - up * (bottom - top)

    powers = [(at(fewest, 10.0**power)[1], f"{10**power:,}") for power in range(low, high + 1)]
    parts = axes(left, width, bottom, powers, [(at(number, 1.0)[0], f"{number:,}") for number, *_ in times])
    # As many seconds a judgment as the most of them take.
    start = max(fewest, most * 10.0**low / slowest)
    steady = at(start, start * slowest / most), at(most, slowest)
    parts.append(line(*steady, GREY, 1, 'stroke-dasharray="5 5"'))
    points = [at(number, seconds) for number, seconds, _ in times]
    parts += curve(points, MATCH)
    for (x, y), (_, seconds, megabytes) in zip(points, times, strict=True):
        parts.append(text(x - 18, y - 28, f"{seconds:,.{int(seconds < 10)}f} s", INK))
        parts.append(text(x - 18, y - 12, f"{megabytes:,.0f} MB", GREY))
    parts += titles(left, width, bottom, "judgments trained on (log scale)", "seconds (log scale)")
    return svg(600, 360, "Time and memory of training against the number of judgments", parts)


def edit_weights(model: str = "en") -> str:
    """What one edit of a sentence costs, in points, as ``pfsm show`` has it."""
    groups = edit_costs(pfsm.load(model).model)
    rows = [
        (cost.label, cost.points, colour)
        for group, colour in ((MISSING, DELETE), (EXTRA, INSERT), (MATCHED, MATCH))
        for cost in groups.get(group, ())
    ]
    top, height, zero = 54, 22, 300
    scale = 400 / max(value for _, value, _ in rows)
    parts = [
        text(24, 28, f"What an edit costs with {model}, in points", anchor="start", more='font-weight="600"')
    ]
    parts.append(line((zero, top - 10), (zero, top + height * len(rows)), INK))
    for place, (name, value, colour) in enumerate(rows):
        y, length = top + height * place, abs(value) * scale
        x = zero - length if value < 0 else zero
        parts.append(f'<rect x="{x:.1f}" y="{y}" width="{length:.1f}" height="15" fill="{colour}"/>')
        parts.append(text(24, y + 12, name, INK, "start"))
        shown = f"{value:.2f}".replace("-", "−")
        parts.append(text(round(zero + max(value, 0.0) * scale + 6, 1), y + 12, shown, GREY, "start"))
    title = f"Costs of the edits of {model}: a missing word, an extra word, other matches, by class of word"
    return svg(780, top + height * len(rows) + 20, title, parts)


def cells(reference: Sequence[str], hypothesis: Sequence[str], step: int, left: int, top: int) -> list[str]:
    """The grid of a pair with its words, the reference downwards."""
    rows, columns = [
        [start + place * step for place in range(len(words) + 1)]
        for start, words in ((top, reference), (left, hypothesis))
    ]
    parts = [line((columns[0], y), (columns[-1], y), FAINT) for y in rows]
    parts += [line((x, rows[0]), (x, rows[-1]), FAINT) for x in columns]
    beside = left - (14 if step < 100 else 42)
    parts += [
        text(beside, y + 0.55 * step, word, anchor="end") for y, word in zip(rows, reference, strict=False)
    ]
    return parts + [
        text(x + 0.5 * step, top - 16, word) for x, word in zip(columns, hypothesis, strict=False)
    ]


def lattice() -> str:
    """The cells of a pair, its matches, and the best edit sequence."""
    explanation = pfsm.load().explain(HYPOTHESIS, REFERENCE)
    reference, hypothesis = explanation.reference, explanation.hypothesis
    step, left, top = 64, 90, 60

    def at(i: int, j: int) -> Point:
        return left + j * step, top + i * step

    parts = cells(reference, hypothesis, step, left, top)
    matches = [one for one in explanation.contributions if one.state.startswith("S_")]
    for i, j in sorted({(one.reference[0], one.hypothesis[0]) for one in matches}):
        parts.append(line(at(i, j), at(i + 1, j + 1), MATCH, 1.5, 'stroke-dasharray="4 4"'))
    i = j = 0
    for edit in explanation.edits:
        after = (edit.reference[1], edit.hypothesis[1])
        colour = {"Insert": INSERT, "Delete": DELETE}.get(edit.state.partition(":")[0], MATCH)
        parts.append(line(at(i, j), at(*after), colour, 4, 'marker-end="url(#tip)" stroke-linecap="round"'))
        i, j = after
    for x, y in (at(i, j) for i in range(len(reference) + 1) for j in range(len(hypothesis) + 1)):
        parts.append(f'<circle cx="{x:g}" cy="{y:g}" r="3" fill="{INK}"/>')
    bottom = top + len(reference) * step
    for place, (label, colour) in enumerate(
        (("match", MATCH), ("missing word", DELETE), ("extra word", INSERT))
    ):
        x = left + place * 150
        parts.append(line((x, bottom + 34), (x + 28, bottom + 34), colour, 4))
        parts.append(text(x + 36, bottom + 39, label, anchor="start"))
    width = left + len(hypothesis) * step + 40
    return svg(width, bottom + 60, "Lattice of edits of one sentence pair, with the best sequence", parts)


def jump() -> str:
    """A swap of two blocks: ahead, back, and to the end."""
    step, left, top = 120, 140, 70

    def at(i: int, j: int) -> Point:
        return left + j * step, top + i * step

    parts = cells(["yesterday", "he", "left"], ["he", "left", "yesterday"], step, left, top)
    for start, end in (((1, 0), (2, 1)), ((2, 1), (3, 2)), ((0, 2), (1, 3))):
        (x, y), (u, v) = at(*start), at(*end)
        parts.append(line((x, y), (u, v), MATCH, 4, 'marker-end="url(#tip)" stroke-linecap="round"'))
        parts.append(text((x + u) / 2 + 8, (y + v) / 2 - 8, "same word", MATCH, "start"))
    for start, end, label, side in (
        ((0, 0), (1, 0), "Jump 1: ahead", -1),
        ((3, 2), (0, 2), "Jump 2: back", 1),
        ((1, 3), (3, 3), "Jump 3: on", 1),
    ):
        (x, y), (u, v) = at(*start), at(*end)
        bend = x + side * 46
        parts.append(
            f'<path d="M{x:g} {y:g} C{bend:g} {y:g} {bend:g} {v:g} {u:g} {v:g}" fill="none" stroke="{JUMP}"'
            ' stroke-width="2.5" stroke-dasharray="6 4" marker-end="url(#tip)"/>'
        )
        place = (bend - 4, (y + v) / 2 + 20) if side > 0 else (x + 8, (y + v) / 2 - 14)
        parts.append(text(*place, label, JUMP, "start"))
    return svg(left + 3 * step + 150, top + 3 * step + 40, "A swap of two blocks by three jumps", parts)


def explained() -> str:
    """Aligned words of a pair; the errors in red, with what they cost and what would mend them."""
    explanation = pfsm.load().explain(EXPLAINED[1], EXPLAINED[0])
    head = f"pfsm explain: {explanation.score:.1f} points of 100"
    parts = [text(24, 32, head, anchor="start", more='font-weight="600"')]
    sides = (80, explanation.reference, "reference"), (170, explanation.hypothesis, "translation")
    places = []
    for y, words, label in sides:
        parts.append(text(24, y, label, GREY, "start"))
        widths = [8.0 * len(word) + 14 for word in words]
        places.append([120.0 + sum(widths[:k]) + width / 2 for k, width in enumerate(widths)])
    # Words that are at fault; of the reference, those that are aligned with none or with one of them.
    faulty, end = set(), 0
    for j, word in enumerate(explanation.hypothesis):
        start = EXPLAINED[1].index(word, end)
        end = start + len(word)
        faulty |= {j for error in explanation.errors if error.start < end and start < error.end}
    for i, j in explanation.alignment:
        colour = DELETE if j in faulty else MATCH
        parts.append(line((places[0][i], 90), (places[1][j], 152), colour, 2))
    aligned = {i for i, j in explanation.alignment if j not in faulty}
    fine = aligned, set(range(len(explanation.hypothesis))) - faulty
    for (y, words, _), row, good in zip(sides, places, fine, strict=True):
        parts += [text(row[k], y, word, INK if k in good else DELETE) for k, word in enumerate(words)]
    for place, error in enumerate(explanation.errors):
        y = 218 + 26 * place
        parts.append(text(24, y, "errors" if place == 0 else "", GREY, "start"))
        shown = f"{error.text or '(missing)'} → {error.correction or '(nothing)'}"
        parts.append(text(120, y, f"−{error.points:.1f}  {error.severity}:  {shown}", DELETE, "start"))
    height = 218 + 26 * len(explanation.errors)
    title = "An explanation: aligned words of a reference and a translation, and the errors"
    return svg(800, height, title, parts)


PICTURES: dict[str, Callable[[], str]] = {
    "lattice.svg": lattice,
    "jump.svg": jump,
    "explanation.svg": explained,
    "accuracy.svg": lambda: accuracy(rates()),
    "learning-curve.svg": learning_curve,
    "training-time.svg": lambda: training_time(training_times()),
    "edit-weights.svg": edit_weights,
}


def main() -> None:
    """Draws the pictures, or says which are stale."""
    parser = argparse.ArgumentParser(description="Draws docs/images/*.svg.")
    parser.add_argument("--write", action="store_true", help="write the pictures")
    write = parser.parse_args().write
    stale = []
    for name, draw in PICTURES.items():
        made = draw()
        path = FOLDER / name
        if not path.is_file() or path.read_text(encoding="utf-8") != made:
            stale.append(name)
            if write:
                path.write_text(made, encoding="utf-8")
    print("\n".join(stale))
    sys.exit(bool(stale) and not write)


if __name__ == "__main__":
    main()
