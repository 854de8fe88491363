"""Pictures by matplotlib: bars, learning curves, contrast tests; the same figure gives the same bytes."""

import io
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pfsm.data.minimal_pairs import SEVERITIES
from pfsm.errors import PfsmError
from pfsm.evaluation.probe import KindResult, ProbeResult
from pfsm.io.files import check_writable, replace_whole
from pfsm_experiments.estimates import Entry
from pfsm_experiments.report.tables import ResultTable, heading, title_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Colours of Okabe and Ito (2008), which colour-blind readers can distinguish; the line styles help in print.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#555555", "#000000")
# An interval is a dark line in a white one: dark shows on light bars and on paper, white on dark bars.
INTERVALS, AROUND_INTERVALS = "#222222", "#FFFFFF"
DASHES = ("-", "--", "-.", ":")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
# Number of legend lines that fit a figure of the usual height, and the height of each further line in inches.
LEGEND_LINES, LEGEND_LINE = 6, 0.21
# Of a contrast test, in inches: a row of a kind, room for the axis and the legend, and the width.
PROBE_ROW, PROBE_MARGIN, PROBE_WIDTH = 0.26, 1.5, 8.0
STYLE: Any = {  # matplotlib has a type of its own for the names of its settings
    "svg.hashsalt": "pfsm",
    "svg.fonttype": "path",
    "pdf.fonttype": 42,  # TrueType: journals refuse Type 3
    "font.family": "DejaVu Sans",  # comes with matplotlib
    "font.size": 11,
    "axes.titlesize": 12,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.7,
    "legend.frameon": False,
    "figure.constrained_layout.use": True,
    "figure.constrained_layout.h_pad": 0.08,
    "figure.facecolor": "white",
    "path.simplify": False,
}
PNG_DPI = 150
# Kinds of files, and the metadata left out of each so that the bytes do not change with date and version.
KINDS: Mapping[str, Any] = {
    "svg": {"Date": None, "Creator": None},
    "png": {"Software": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}


def check_picture(path: str) -> None:
    """Checks the name of a picture.

    Raises:
        PfsmError: If it does not end in one of the kinds.
    """
    if Path(path).suffix.lower().removeprefix(".") not in KINDS:
        endings = ", ".join(f".{kind}" for kind in KINDS)
        raise PfsmError(f"--plot is {path!r}, its name must end in one of {endings}")


def write_picture(path: Path, draw: Callable[[], "Figure"]) -> None:
    """Draws and writes a picture, whose kind is the ending of its name.

    Raises:
        PfsmError: If the file cannot be written.
    """
    kind, stream = path.suffix.lower().removeprefix("."), io.BytesIO()
    with picture_style():
        draw().savefig(stream, format=kind, dpi=PNG_DPI, metadata=KINDS[kind])
    check_writable(path)
    try:
        replace_whole(path, stream.getvalue())
    except OSError as error:
        raise PfsmError(f"{path}: cannot be written ({error.strerror})") from None


@contextmanager
def picture_style() -> Iterator[None]:
    """The style of all pictures, within this block."""
    import matplotlib as mpl  # noqa: PLC0415 - takes a second

    mpl.use("Agg")
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(STYLE)
        yield


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


def probe_figure(results: Sequence[tuple[str, ProbeResult]]) -> "Figure":
    """A row for each kind, a point with its interval for each model or metric."""
    kinds = results[0][1].kinds
    figure = new_figure(
        PROBE_WIDTH, PROBE_MARGIN + PROBE_ROW * len(kinds) * (1.0 + 0.25 * (len(results) - 1))
    )
    axes = figure.subplots()
    for number, (name, result) in enumerate(results):
        shift = 0.0 if len(results) == 1 else 0.6 * (number / (len(results) - 1) - 0.5)
        colour = COLOURS[number % len(COLOURS)]
        for row, kind in enumerate(result.kinds):
            low, high = kind.lower.interval.low, kind.lower.interval.high
            axes.hlines(row + shift, 100 * low, 100 * high, color=colour, linewidth=1.4, alpha=0.6)
        axes.plot(
            [100 * kind.lower.value for kind in result.kinds],
            [row + shift for row in range(len(result.kinds))],
            linestyle="none",
            marker=MARKERS[number % len(MARKERS)],
            markersize=5,
            color=colour,
            label=f"{name} (mean of kinds {result.mean_of_kinds:.1%})",
        )
    axes.set_yticks(range(len(kinds)), [_kind_label(kind) for kind in kinds])
    axes.set_ylim(len(kinds) - 0.3, -0.7)
    axes.tick_params(axis="y", length=0)
    axes.axvline(50.0, color="#333333", linewidth=0.8, linestyle="--")
    axes.set_xlim(-2.0, 102.0)
    axes.set_xlabel("pairs whose worse version scores lower, in %; lines: 95% intervals")
    figure.legend(loc="outside lower center", ncols=min(2, len(results)), fontsize=10)
    return figure


def _kind_label(kind: KindResult) -> str:
    mark = " (harmless)" if kind.severity == SEVERITIES[0] else ""
    return f"{kind.kind}{mark}, {kind.n}"
