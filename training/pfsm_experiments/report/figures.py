"""Draws bars with intervals, learning curves, and predicted against human scores."""

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pfsm.data import Judgments
from pfsm.evaluation import pearson
from pfsm_experiments.data import TestSet
from pfsm_experiments.estimates import Entry, Prediction, of_largest_size
from pfsm_experiments.report.tables import ResultTable, heading, short, title_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Colours of Okabe and Ito (2008), which colour-blind readers can distinguish; the line styles help in print.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#555555", "#000000")
# An interval is a dark line in a white one: dark shows on light bars and on paper, white on dark bars.
INTERVALS, AROUND_INTERVALS = "#222222", "#FFFFFF"
DASHES = ("-", "--", "-.", ":")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
POINTS_ALPHA = 0.22
# Number of legend lines that fit a figure of the usual height, and the height of each further line in inches.
LEGEND_LINES, LEGEND_LINE = 6, 0.21
# Number of letters that fit above a panel.
LONGEST_TITLE = 40


def new_figure(width: float, height: float) -> "Figure":
    """A figure without a window; sizes in inches."""
    from matplotlib.figure import Figure  # noqa: PLC0415 - takes a second

    return Figure(figsize=(width, height))


def bars(table: ResultTable) -> "Figure":
    """Bars with intervals: one group of bars per column, one bar per row."""
    rows, columns = len(table.lines), len(table.columns)
    size = max(6.5, min(12.0, 1.2 + columns * (0.25 + 0.24 * rows)))
    keys = _legend_columns(size, [line.name for line in table.lines])
    figure = new_figure(size, 4.4 + LEGEND_LINE * max(0, math.ceil(rows / keys) - LEGEND_LINES))
    axes = figure.subplots()
    width = 0.84 / rows
    for number, line in enumerate(table.lines):
        places = [at - 0.42 + (number + 0.5) * width for at in range(columns)]
        heights = [math.nan if entry.value is None else entry.value for entry in line.entries]
        axes.bar(places, heights, width * 0.92, label=line.name, color=COLOURS[number % 8], **_hatch(number))
        _intervals(axes, places, line.entries)
    axes.set_xticks(range(columns), [heading(column) for column in table.columns])
    axes.tick_params(axis="x", length=0)
    axes.grid(axis="x", visible=False)
    axes.axhline(0.0, color="#333333", linewidth=0.8)
    axes.set_ylabel(title_of(table.statistic))
    _limits(axes, table)
    _legend(figure, axes)
    return figure


def _hatch(number: int) -> dict[str, Any]:
    """The style of a row's bar; from the ninth row on, colours are used again, with hatching."""
    return {"hatch": "///", "edgecolor": "white"} if number >= len(COLOURS) else {}


def _intervals(axes: "Axes", places: Sequence[float], entries: Sequence[Entry]) -> None:
    for place, entry in zip(places, entries, strict=True):
        if entry.interval is not None:
            for colour, width in ((AROUND_INTERVALS, 3.0), (INTERVALS, 1.1)):
                axes.vlines(place, entry.interval.low, entry.interval.high, color=colour, linewidth=width)


def _limits(axes: "Axes", table: ResultTable) -> None:
    """Starts the axis near the lowest number if all are well above 0, so that differences show; the title says so."""
    lows = [
        entry.value if entry.interval is None else entry.interval.low
        for line in table.lines
        for entry in line.entries
        if entry.value is not None
    ]
    if lows and min(lows) > 0.2:
        lowest = math.floor(10.0 * min(lows)) / 10.0
        axes.set_ylim(bottom=lowest)
        axes.set_title(f"The axis begins at {lowest:.1f}", fontsize=9, color="#555555")


def _legend(figure: "Figure", axes: "Axes") -> None:
    """Draws the legend below the axes, in as many columns as the longest name allows."""
    handles, labels = axes.get_legend_handles_labels()
    columns = _legend_columns(figure.get_size_inches()[0], labels)
    figure.legend(handles, labels, loc="outside lower center", ncols=columns, fontsize=10)


def _legend_columns(width: float, labels: Sequence[str]) -> int:
    """Number of columns of the legend that fit a figure; width in inches."""
    column = 0.65 + 0.085 * max(map(len, labels))  # the key, and about 6 points a letter
    return min(max(1, int(width / column)), len(labels), 4)


def curve(table: ResultTable) -> "Figure":
    """One line per row over the number of training judgments, with a band from the lowest sample to the highest."""
    figure = new_figure(7.5, 5.0)
    axes = figure.subplots()
    sizes = [column.size or 0 for column in table.columns]
    for number, line in enumerate(table.lines):
        defined = [
            (size, entry) for size, entry in zip(sizes, line.entries, strict=True) if entry.value is not None
        ]
        places = [size for size, _ in defined]
        colour = COLOURS[number % 8]
        axes.plot(
            places,
            [math.nan if entry.value is None else entry.value for _, entry in defined],
            label=line.name,
            color=colour,
            linestyle=DASHES[number % 4],
            marker=MARKERS[number % 8],
            markersize=5,
        )
        spread = [[value for value in entry.samples if value is not None] for _, entry in defined]
        low, high = ([end(values) for values in spread] for end in (min, max))
        axes.fill_between(places, low, high, color=colour, alpha=0.15, linewidth=0)
    axes.set_xscale("log")
    axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
    axes.minorticks_off()
    axes.set_xlabel("training judgments")
    axes.set_ylabel(title_of(table.statistic))
    _legend(figure, axes)
    return figure


def scatter(test: TestSet, predictions: Sequence[Prediction]) -> "Callable[[], Figure] | None":
    """Predicted against human scores, one panel per row; None for preferences.

    For a learning curve, these are the predictions of each row's largest size.
    """
    if not isinstance(test.data, Judgments):
        return None
    last = of_largest_size(predictions)
    shown = {
        row: one.scores[test.name] for row, one in last.items() if not np.isnan(one.scores[test.name]).any()
    }
    if not shown:
        return None
    human = test.data.scores

    def draw() -> "Figure":
        columns = min(3, len(shown))
        lines = -(-len(shown) // columns)
        figure = new_figure(3.6 * columns + 0.4, 3.3 * lines)
        grid = figure.subplots(lines, columns, squeeze=False).ravel()
        for panel, (row, scores) in zip(grid, shown.items(), strict=False):
            _panel(panel, row, scores, human)
        for panel in grid[len(shown) :]:
            panel.set_axis_off()
        figure.supxlabel("human score", fontsize=11)
        figure.supylabel("predicted score", fontsize=11)
        return figure

    return draw


def _panel(axes: "Axes", row: str, scores: Any, human: Any) -> None:
    r = pearson(scores, human)
    axes.plot(
        human,
        scores,
        ".",
        color=COLOURS[0],
        alpha=POINTS_ALPHA,
        markersize=3.5,
        markeredgewidth=0,
        rasterized=True,
    )
    if not math.isnan(r):
        slope = r * scores.std() / human.std()
        ends = np.array([human.min(), human.max()])
        axes.plot(ends, scores.mean() + slope * (ends - human.mean()), color=COLOURS[1], linewidth=1.8)
    axes.set_title(row if len(row) <= LONGEST_TITLE else f"{row[: LONGEST_TITLE - 1]}…", fontsize=10)
    axes.text(0.03, 0.97, f"r = {short(None if math.isnan(r) else r)}", va="top", transform=axes.transAxes)
