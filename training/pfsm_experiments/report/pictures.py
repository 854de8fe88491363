"""Pictures of contrast tests by matplotlib; the same figure gives the same bytes."""

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pfsm.data.minimal_pairs import SEVERITIES
from pfsm.errors import PfsmError
from pfsm.evaluation.probe import KindResult, ProbeResult
from pfsm.io.files import check_writable
from pfsm.io.temporaries import replace_whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Colours of Okabe and Ito (2008), which colour-blind readers can distinguish; the markers help in print.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#555555", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
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


def probe_figure(results: Sequence[tuple[str, ProbeResult]]) -> "Figure":
    """A row for each kind, a point with its interval for each model or metric.

    Args:
        results: Names and outcomes on the same pairs.
    """
    from matplotlib.figure import Figure  # noqa: PLC0415 - takes a second

    kinds = results[0][1].kinds
    figure = Figure(
        figsize=(PROBE_WIDTH, PROBE_MARGIN + PROBE_ROW * len(kinds) * (1.0 + 0.25 * (len(results) - 1)))
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
