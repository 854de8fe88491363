"""Draws contrast tests: how often each model or metric scores the worse version lower, by kind."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pfsm.data.minimal_pairs import SEVERITIES
from pfsm.evaluation.probe import KindResult, ProbeResult
from pfsm_experiments.report.figures import COLOURS, MARKERS, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Inches: a row of a kind, room for the axis and the legend, and for the names of kinds.
ROW, AROUND, WIDTH = 0.26, 1.5, 8.0


def probe_figure(results: Sequence[tuple[str, ProbeResult]]) -> "Figure":
    """A row for each kind, a point with its interval for each model or metric.

    Args:
        results: Names and outcomes on the same pairs.
    """
    kinds = results[0][1].kinds
    figure = new_figure(WIDTH, AROUND + ROW * len(kinds) * (1.0 + 0.25 * (len(results) - 1)))
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
    axes.set_yticks(range(len(kinds)), [_label(kind) for kind in kinds])
    axes.set_ylim(len(kinds) - 0.3, -0.7)
    axes.tick_params(axis="y", length=0)
    axes.axvline(50.0, color="#333333", linewidth=0.8, linestyle="--")
    axes.set_xlim(-2.0, 102.0)
    axes.set_xlabel("pairs whose worse version scores lower, in %; lines: 95% intervals")
    figure.legend(loc="outside lower center", ncols=min(2, len(results)), fontsize=10)
    return figure


def _label(kind: KindResult) -> str:
    mark = " (harmless)" if kind.severity == SEVERITIES[0] else ""
    return f"{kind.kind}{mark}, {kind.n}"
