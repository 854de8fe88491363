"""Writes the plots of an experiment as SVG, PNG and PDF; the same results give the same bytes."""

import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pfsm.errors import PfsmError
from pfsm.io.files import check_writable
from pfsm.io.temporaries import replace_whole
from pfsm_experiments.report.figures import bars, curve, scatter
from pfsm_experiments.report.tables import ResultTable
from pfsm_experiments.report.weights import weight_figures
from pfsm_experiments.store import make_folder

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from pfsm_experiments.report.results import Results

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
KINDS = ("svg", "png", "pdf")


@dataclass(frozen=True)
class Plot:
    """A plot: name of its files, caption, alternative text, and the SVG itself."""

    name: str
    caption: str
    alternative: str
    svg: str


def draw_plots(results: "Results", tables: Sequence[ResultTable], output: Path) -> list[Plot]:
    """Draws all plots and writes them into ``plots`` as SVG, PNG and PDF.

    Raises:
        PfsmError: If a file cannot be written.
    """
    folder = output / "plots"
    make_folder(folder)
    plots = []
    with picture_style():
        for name, caption, alternative, draw in _figures(results, tables):
            figure = draw()
            svg = _svg(figure)
            write_bytes(folder / f"{name}.svg", svg.encode())
            write_bytes(folder / f"{name}.png", _png(figure))
            write_bytes(folder / f"{name}.pdf", _pdf(figure))
            plots.append(Plot(name, caption, alternative, svg))
    return plots


_Drawn = tuple[str, str, str, Callable[[], "Figure"]]


def _figures(results: "Results", tables: Sequence[ResultTable]) -> Iterator[_Drawn]:
    """Name, caption, alternative text and drawing function of every plot."""
    for number, table in enumerate(tables, 1):
        draw = curve if results.plan.sizes else bars
        kind = "curve" if results.plan.sizes else "bars"
        shown = "lines: 95% intervals" if kind == "bars" else "bands: from the lowest sample to the highest"
        caption = f"{table.title}; {shown}"
        yield (
            f"{kind}-{number}-{table.statistic.replace('_', '-')}",
            caption,
            f"{table.title}; the table above has the numbers",
            lambda table=table, draw=draw: draw(table),  # type: ignore[misc]
        )
    for number, test in enumerate(results.plan.tests, 1):
        panels = scatter(test, results.predictions)
        if panels is not None:
            caption = f"Predicted against human scores, {test.name}, with the regression line"
            yield f"scatter-{number}", caption, caption, panels
    for number, (row, draw_weights) in enumerate(weight_figures(results.cells), 1):
        caption = f"Learned weights of {row}"
        yield f"weights-{number}", caption, f"{caption}; the model files have the numbers", draw_weights


@contextmanager
def picture_style() -> Iterator[None]:
    """The style of all plots, within this block."""
    import matplotlib as mpl  # noqa: PLC0415 - takes a second

    mpl.use("Agg")
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(STYLE)
        yield


def picture_bytes(figure: "Figure", kind: str) -> bytes:
    """A figure in one of the `KINDS`; the same figure gives the same bytes."""
    return {"svg": lambda: _svg(figure).encode(), "png": lambda: _png(figure), "pdf": lambda: _pdf(figure)}[
        kind
    ]()


def _svg(figure: "Figure") -> str:
    stream = io.BytesIO()
    # Without date and version, so that the bytes do not change.
    figure.savefig(stream, format="svg", metadata={"Date": None, "Creator": None})
    return stream.getvalue().decode("utf-8")


def _png(figure: "Figure") -> bytes:
    stream = io.BytesIO()
    figure.savefig(stream, format="png", dpi=PNG_DPI, metadata={"Software": None})
    return stream.getvalue()


def _pdf(figure: "Figure") -> bytes:
    stream = io.BytesIO()
    # Without date and versions, so that the bytes do not change.
    figure.savefig(
        stream, format="pdf", dpi=PNG_DPI, metadata={"CreationDate": None, "Creator": None, "Producer": None}
    )
    return stream.getvalue()


def write_bytes(path: Path, content: bytes) -> None:
    """Writes a file by way of a temporary one.

    Raises:
        PfsmError: If it cannot be written.
    """
    check_writable(path)
    try:
        replace_whole(path, content)
    except OSError as error:
        raise PfsmError(f"{path}: cannot be written ({error.strerror})") from None
