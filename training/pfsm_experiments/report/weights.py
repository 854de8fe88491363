"""Draws learned weights: states as dots, one per model, and transitions as a heat map."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pfsm.lattice.names import FEATURE_PREFIX, ends, transition
from pfsm.model.file import Model
from pfsm_experiments.report.figures import COLOURS, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from pfsm_experiments.cells import Finished

Float = NDArray[np.float64]
# A map with more states would be illegible; only the strongest are shown.
MOST_STATES = 24
LONGEST_LABEL = 28
# As in `embedding_f1(layer=4,source=package:name@checksum)`.
_SOURCE = re.compile(r",?source=[^,)]*")


def weight_figures(cells: "Sequence[Finished]") -> "Iterator[tuple[str, Callable[[], Figure]]]":
    """Rows with trained models, each with a function that draws them; the largest size of a learning curve."""
    by_row: dict[str, list[tuple[int, Model]]] = {}
    for one in cells:
        if one.cell.train is not None and one.outcome.model is not None:
            by_row.setdefault(one.cell.row.name, []).append((one.cell.size or 0, one.outcome.model))
    for row, sized in by_row.items():
        largest = max(size for size, _ in sized)
        models = [model for size, model in sized if size == largest]
        yield row, lambda models=models: _draw(models)  # type: ignore[misc]


def _draw(models: Sequence[Model]) -> "Figure":
    table = {name: _of(models, name) for name in sorted({name for model in models for name in model.weights})}
    states = [name for name in table if ">" not in name]
    states.sort(key=lambda name: (-abs(float(table[name].mean())), name))
    shown = sorted(states[:MOST_STATES], key=lambda name: (float(table[name].mean()), name))
    inventory = _inventory(table, states)
    figure = new_figure(
        6.0 + 0.42 * len(inventory) + 1.2, max(3.4, 1.4 + 0.34 * max(len(shown), len(inventory)))
    )
    left, right = figure.subplots(1, 2, width_ratios=(5.0, 1.2 + 0.42 * len(inventory)))
    _dots(left, shown, table)
    _map(figure, right, inventory, table)
    return figure


def label(name: str) -> str:
    """A short name of a weight for the axis of a plot: without the source of a feature, and cut if still too long."""
    short = _SOURCE.sub("", name.removeprefix(FEATURE_PREFIX)).replace("()", "")
    return short if len(short) <= LONGEST_LABEL else f"{short[: LONGEST_LABEL - 1]}…"


def _of(models: Sequence[Model], name: str) -> Float:
    """A weight in every model; 0 for a model without it."""
    return np.array([model.weights.get(name, 0.0) for model in models])


def _inventory(table: dict[str, Float], states: Sequence[str]) -> list[str]:
    """States with transitions, the strongest first."""
    connected = {state for name in table for state in ends(name) or ()}
    known = [state for state in states if state in connected] + sorted(connected - set(states))
    return known[:MOST_STATES]


def _dots(axes: "Axes", states: Sequence[str], table: dict[str, Float]) -> None:
    for place, state in enumerate(states):
        values = table[state]
        axes.plot(values, [place] * values.size, "o", color=COLOURS[0], markersize=6, alpha=0.75)
    axes.axvline(0.0, color="#333333", linewidth=0.9)
    axes.set_yticks(range(len(states)), [label(state) for state in states])
    axes.set_ylim(-0.7, len(states) - 0.3)
    axes.set_xlabel("weight")
    axes.set_title(
        "States" if table and next(iter(table.values())).size == 1 else "States, one dot per model",
        fontsize=11,
    )


def _map(figure: "Figure", axes: "Axes", inventory: Sequence[str], table: dict[str, Float]) -> None:
    axes.set_title("Transitions", fontsize=11)
    axes.grid(visible=False)
    if not inventory:
        axes.set_axis_off()
        return
    values = np.array(
        [
            [float(table[name].mean()) if (name := transition(a, b)) in table else np.nan for b in inventory]
            for a in inventory
        ]
    )
    largest = max(float(np.nanmax(np.abs(values), initial=0.0)), 1e-9)
    image = axes.imshow(values, cmap="RdBu", vmin=-largest, vmax=largest, aspect="equal")
    axes.set_xticks(range(len(inventory)), inventory, rotation=60, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(len(inventory)), inventory)
    axes.set_xlabel("to")
    axes.set_ylabel("from")
    figure.colorbar(image, ax=axes, shrink=0.8)
