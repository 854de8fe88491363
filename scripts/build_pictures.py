"""Draws docs/images/*.svg from what pfsm computes, from the tables of configs/results and from benchmarks/measured.

python scripts/build_pictures.py            # says what is stale, exit status 1
python scripts/build_pictures.py --write
"""

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from html import escape

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from real_data import CHECKOUT, write_or_tell
from results import Cell, last, rates, tables, training_times

import pfsm
from pfsm.commands.models import documents
from pfsm.model.costs import EXTRA, MATCHED, MISSING, edit_costs
from pfsm_experiments.report.pictures import KINDS, new_figure, picture_style

FOLDER = CHECKOUT / "docs" / "images"
REFERENCE, HYPOTHESIS = "The dog did not see the cat .", "The dog saw the big cat ."
EXPLAINED = (
    "The president did not attend the ceremony, and no reason was given.",
    "The president attended the ceremony, and a reason was given.",
)
INK, MATCH, INSERT, DELETE, PURPLE, FAINT = "#1f2328", "#1a7f37", "#0969da", "#cf222e", "#8250df", "#d0d7de"
STYLE = "font-family:system-ui,sans-serif;font-size:14px"
GREY = "#59636e"
PANELS = (
    ("Kendall's τ (WMT12), WMT12", "rankings of 2012 (WMT12)"),
    ("Kendall's τ (DARR), WMT19", "pairs of 2019 (WMT19, gu-en, lt-en)"),
)
# Pairs a second from which names stand below points, where there is no room beside them.
CROWDED = 1000
Point = tuple[float, float]


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


@contextmanager
def figure(width: float, height: float, columns: int = 1) -> Iterator[tuple[Figure, list[Axes]]]:
    """An empty figure, in hundredths of an inch, and its charts side by side."""
    with (
        picture_style(),
        rc_context({"svg.fonttype": "none", "axes.grid.axis": "y", "axes.titleweight": "bold"}),
    ):
        made = new_figure(width / 100.0, height / 100.0)
        yield made, list(made.subplots(1, columns, squeeze=False)[0])


def as_svg(drawn: Figure, title: str) -> str:
    """A figure as SVG, the same each time, with a title for those who cannot see it."""
    written = io.StringIO()
    drawn.savefig(written, format="svg", metadata={**KINDS["svg"], "Title": title})
    return "".join(f"{one.rstrip()}\n" for one in written.getvalue().splitlines())


def accuracy(rates: Mapping[str, float]) -> str:
    """Kendall's tau with its interval against pairs a second, on two kinds of preferences."""
    with figure(980, 394, len(PANELS)) as (made, charts):
        for chart, (table, title) in zip(charts, PANELS, strict=True):
            known = tables("shipped-preferences")[table]
            for name in (name for name in rates if name in known):
                own = name.startswith("en")
                value, low, high = _ends(last("shipped-preferences", table, name))
                colour = MATCH if own else GREY
                chart.vlines(rates[name], low, high, colour, linewidth=1.5)
                chart.plot(rates[name], value, "o", color=colour)
                # Above the point; of others below it, or at the left, where fast ones leave room.
                if own:
                    where, place, side = (rates[name], high), (-4, 4), "left"
                elif rates[name] < CROWDED:
                    where, place, side = (rates[name], value), (-7, -4), "right"
                else:
                    where, place, side = (rates[name], low), (0, -13), "center"
                shown = name.removeprefix("sentence ") if side == "center" else name
                weight = "bold" if own else "normal"
                chart.annotate(
                    shown, where, place, textcoords="offset points", ha=side, color=colour, weight=weight
                )
            chart.set_title(title)
            chart.set_xscale("log")
            chart.set_xlim(10, 60_000)
            chart.margins(y=0.12)
        charts[0].set_ylabel("Kendall's tau with people")
        known_models = (one for one in documents() if "needs" not in one)
        sizes = ", ".join(f"{one['name']} {one['bytes'] / 1e6:.1f} MB" for one in known_models)
        across = "pairs a second of processor time, on one core (log scale)"
        made.supxlabel(f"{across}\nmodels with their encoders: {sizes}", fontsize=10, color=GREY)
        title = "Agreement with people against speed and size, of shipped models and other metrics, with 95% intervals"
        return as_svg(made, title)


def _ends(cell: Cell) -> tuple[float, float, float]:
    return float(cell.value), float(cell.low), float(cell.high)


def learning_curve() -> str:
    """Agreement against the number of training judgments, with intervals."""
    rows = tables("learning-curve")["Pearson's r, WMT16"]
    numbers = np.array([float(column.replace(",", "")) for column in rows["n"]])
    curves = {name: [_ends(cell) for cell in row.values()] for name, row in rows.items() if name != "n"}
    with figure(640, 370) as (made, (chart,)):
        for place, ((name, ends), colour) in enumerate(
            zip(curves.items(), (GREY, MATCH, PURPLE), strict=True)
        ):
            value, low, high = np.array(ends).T
            # Intervals of several curves stand side by side.
            beside = numbers * 1.02 ** (place - 1)
            chart.errorbar(beside, value, (value - low, high - value), fmt="o-", color=colour, label=name)
        chart.set_xscale("log")
        chart.set_xticks(numbers, [f"{number:,.0f}" for number in numbers])
        chart.minorticks_off()
        chart.set_xlabel("judgments trained on (log scale)")
        chart.set_ylabel("Pearson's r, WMT16")
        made.legend(loc="outside upper left", ncols=len(curves), frameon=False)
        return as_svg(
            made, "Agreement with people against the number of judgments that a model is trained on"
        )


def training_time(times: Sequence[tuple[int, float, float]]) -> str:
    """Seconds of training against the number of judgments, both on log scales, with the memory that it took."""
    numbers, seconds, _ = zip(*times, strict=True)
    with figure(600, 360) as (made, (chart,)):
        chart.loglog(numbers, seconds, "o-", color=MATCH)
        # As many seconds a judgment as the most of them take.
        chart.axline(
            (numbers[-1], seconds[-1]), (numbers[-1] / 10, seconds[-1] / 10), color=GREY, ls="--", lw=1
        )
        for number, second, megabytes in times:
            shown = f"{second:,.{int(second < 10)}f} s\n{megabytes:,.0f} MB"
            chart.annotate(shown, (number, second), (-8, 8), textcoords="offset points", ha="right")
        chart.set_xlim(numbers[0] / 4, numbers[-1] * 2)
        chart.set_ylim(1, seconds[-1] * 6)
        chart.set_xticks(numbers, [f"{number:,}" for number in numbers])
        chart.set_xlabel("judgments trained on (log scale)")
        chart.set_ylabel("seconds (log scale)")
        return as_svg(made, "Time and memory of training against the number of judgments")


def edit_weights(model: str = "en") -> str:
    """What one edit of a sentence costs, in points, as ``pfsm show`` has it."""
    groups = edit_costs(pfsm.load(model).model)
    kinds = ((MATCHED, MATCH), (EXTRA, INSERT), (MISSING, DELETE))
    rows = [
        (one.label, one.points, colour) for kind, colour in kinds for one in reversed(groups.get(kind, ()))
    ]
    labels, points, colours = zip(*rows, strict=True)
    with figure(780, 22 * len(rows) + 70) as (made, (chart,)):
        bars = chart.barh(labels, points, color=colours)
        chart.bar_label(bars, [f"{one:.2f}".replace("-", "−") for one in points], padding=4, color=GREY)
        chart.set_title(f"What an edit costs with {model}, in points", loc="left")
        chart.grid(visible=False)
        chart.margins(x=0.1, y=0.01)
        title = (
            f"Costs of the edits of {model}: a missing word, an extra word, other matches, by class of word"
        )
        return as_svg(made, title)


def cells(reference: Sequence[str], hypothesis: Sequence[str], step: int, left: int, top: int) -> list[str]:
    """The grid of a pair with its words, the reference downwards."""
    rows, columns = [
        [start + place * step for place in range(len(words) + 1)]
        for start, words in ((top, reference), (left, hypothesis))
    ]
    parts = [line((columns[0], y), (columns[-1], y), FAINT) for y in rows]
    parts += [line((x, rows[0]), (x, rows[-1]), FAINT) for x in columns]
    parts += [
        text(left - 14, y + 0.55 * step, word, anchor="end") for y, word in zip(rows, reference, strict=False)
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
    "explanation.svg": explained,
    "accuracy.svg": lambda: accuracy(rates()),
    "learning-curve.svg": learning_curve,
    "training-time.svg": lambda: training_time(training_times()),
    "edit-weights.svg": edit_weights,
}


if __name__ == "__main__":
    write_or_tell({FOLDER / name: draw() for name, draw in PICTURES.items()})
