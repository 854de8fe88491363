"""The machine of a model drawn as SVG: states, learned weights on the arcs, and the trace of a sentence pair.

Figure 1 of Wang and Manning (2012) with the weights in it. The machine begins in the middle and may stop in every
state, at no cost, once both sentences are consumed. An arc weighs ``u[after] + t[before > after]``, an arc from the
middle ``u[after]``; words are split into classes elsewhere, the drawing has the weights of whole states.
"""

import math
from collections import Counter
from collections.abc import Mapping
from html import escape
from itertools import pairwise
from textwrap import wrap

from pfsm.errors import PfsmError
from pfsm.lattice.arrays import weight_table
from pfsm.lattice.names import DELETE, INSERT, JUMP, base_state
from pfsm.matchers.registry import MATCHERS
from pfsm.model.explain.explanation import Edit, Explanation
from pfsm.model.explain.text import words_of
from pfsm.model.file import Model
from pfsm.runtime.charts import signed

START = "Start"
_INK, _GREY, _PLUS, _MINUS, _TAKEN = "#1f2328", "#8c959f", "#1a7f37", "#cf222e", "#0969da"
# The margin holds a loop and half of its label.
_NODE, _MARGIN, _LOOP = 38.0, 120.0, 34.0
# Steps of the trace: how wide and high, how many letters of their words. How wide a letter of the sentences is.
_STEP, _ROW, _LETTERS, _LETTER = 150.0, 62.0, 19, 7.0
Point = tuple[float, float]


def machine_svg(model: Model, explanation: Explanation | None = None) -> str:
    """The machine as an SVG document.

    Args:
        model: The model.
        explanation: Of a pair by this model; its best edit sequence is drawn in, and spelt out below.

    Raises:
        PfsmError: If the model has no edits.
    """
    settings = model.settings
    if not settings.edits:
        raise PfsmError(f"model {model.name}: it has no edits, so there is no machine to draw")
    states = [INSERT, DELETE, *(MATCHERS[name].state for name in settings.matchers if MATCHERS[name].state)]
    states += [JUMP] if settings.max_jump else []
    radius = max(210.0, 44.0 * len(states))
    size = 2 * (radius + _MARGIN)
    places = {
        state: _polar(size / 2, radius, 2 * math.pi * at / len(states) - math.pi / 2)
        for at, state in enumerate(states)
    } | {START: (size / 2, size / 2)}
    edits = () if explanation is None else explanation.edits
    taken = Counter(pairwise([START, *(base_state(edit.state) for edit in edits)]))
    table = weight_table(states, model.weights)
    arcs = {
        (before, after): float(table[row, column])
        for row, before in enumerate([*states, START])
        for column, after in enumerate(states)
    }
    largest = max(map(abs, arcs.values())) or 1.0
    parts = [
        _arc(ends, places, size / 2, weight, abs(weight) / largest, taken[ends])
        for ends, weight in sorted(arcs.items(), key=lambda item: taken[item[0]])
    ]
    parts += [_node(name, place) for name, place in places.items()]
    bottom = size
    if explanation is not None:
        trace, bottom = _trace(explanation, model.weights, size)
        parts += trace
    what = f"The machine of the model {model.name}: states, and the weight of every arc"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size:g} {bottom:g}" width="{size:g}" '
        f'height="{bottom:g}" role="img" style="font-family:system-ui,sans-serif;font-size:12px">\n'
        f"<title>{_shown(what)}</title>\n"
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto"'
        ' markerUnits="userSpaceOnUse"><path d="M0 0 8 4 0 8z" fill="context-stroke"/></marker></defs>\n'
        f'<rect width="{size:g}" height="{bottom:g}" fill="#fff"/>\n' + "\n".join(parts) + "\n</svg>\n"
    )


def _polar(centre: float, radius: float, angle: float) -> Point:
    return centre + radius * math.cos(angle), centre + radius * math.sin(angle)


def _arc(
    ends: tuple[str, str],
    places: Mapping[str, Point],
    centre: float,
    weight: float,
    share: float,
    visits: int,
) -> str:
    """An arc with its weight beside it; one that the trace takes also says how often."""
    (x, y), (to_x, to_y) = places[ends[0]], places[ends[1]]
    if ends[0] == ends[1]:
        # A loop on the outer side.
        angle = math.atan2(y - centre, x - centre)
        away = math.hypot(x - centre, y - centre)
        start, stop = (
            _polar(centre, away + _NODE * 0.8, angle + side * 0.6 * _NODE / away) for side in (-1, 1)
        )
        first, second = (
            _polar(centre, away + 2.2 * _LOOP + _NODE * 0.6, angle + side * _NODE / away) for side in (-1, 1)
        )
        label = _polar(centre, away + _NODE + 1.35 * _LOOP, angle)
        curve = "C{:.1f} {:.1f} {:.1f} {:.1f}".format(*first, *second)
    else:
        length = math.hypot(to_x - x, to_y - y)
        along, across = ((to_x - x) / length, (to_y - y) / length), ((y - to_y) / length, (to_x - x) / length)
        # The two arcs between two states bend to opposite sides, and have their weights near where they begin.
        bend = 0.0 if ends[0] == START else 0.13 * length
        middle = ((x + to_x) / 2 + bend * across[0], (y + to_y) / 2 + bend * across[1])
        start = (x + _NODE * along[0] + 5 * across[0], y + _NODE * along[1] + 5 * across[1])
        stop = (to_x - _NODE * along[0] + 5 * across[0], to_y - _NODE * along[1] + 5 * across[1])
        at = 0.3 if bend else 0.55
        label = (
            (1 - at) ** 2 * start[0] + 2 * at * (1 - at) * middle[0] + at**2 * stop[0],
            (1 - at) ** 2 * start[1] + 2 * at * (1 - at) * middle[1] + at**2 * stop[1],
        )
        curve = "Q{:.1f} {:.1f}".format(*middle)
    colour = _TAKEN if visits else _PLUS if weight >= 0 else _MINUS
    width = 3.5 if visits else 0.5 + 2 * share
    often = f" ×{visits}" if visits > 1 else ""
    return (
        f'<g class="arc{" taken" * bool(visits)}"><title>{_shown(f"{ends[0]} > {ends[1]}")}: {weight:+.4f}</title>'
        f'<path d="M{start[0]:.1f} {start[1]:.1f}{curve} {stop[0]:.1f} {stop[1]:.1f}" fill="none" stroke="{colour}" '
        f'stroke-width="{width:.2f}" opacity="{1 if visits else 0.35 + 0.4 * share:.2f}" marker-end="url(#tip)"/>'
        + _text(label, f"{signed(weight, 2)}{often}", colour, 'dominant-baseline="middle"')
        + "</g>"
    )


def _node(name: str, place: Point) -> str:
    """A state; a double border says that the machine may stop there."""
    x, y = place
    circle = f'<circle cx="{x:.1f}" cy="{y:.1f}"'
    inner = "" if name == START else f'{circle} r="{_NODE - 4:g}" fill="none" stroke="{_INK}"/>'
    return (
        f'<g class="state">{circle} r="{_NODE:g}" fill="#f6f8fa" stroke="{_INK}"/>{inner}'
        + _text((x, y), name, _INK, 'dominant-baseline="middle" font-weight="600"')
        + "</g>"
    )


def _trace(explanation: Explanation, weights: Mapping[str, float], top: float) -> tuple[list[str], float]:
    """The two sentences and the steps of the best edit sequence, from ``top`` on; where they end."""
    states = list(dict.fromkeys(edit.state for edit in explanation.edits))
    table = weight_table(states, weights)
    row_of = {state: row for row, state in enumerate(states)}
    in_a_row = int((top - 20) // _STEP)
    lines = [
        line
        for name, words in (("reference", explanation.reference), ("hypothesis", explanation.hypothesis))
        for line in wrap(f"{name}: {' '.join(words)}", int((top - 40) / _LETTER))
    ]
    parts = [_text((20, top + 20 * at), line, _INK, anchor="start") for at, line in enumerate(lines, 1)]
    steps = top + 20 * len(lines) + 20
    before = -1
    for at, edit in enumerate(explanation.edits):
        x, y = 20 + _STEP * (at % in_a_row), steps + _ROW * (at // in_a_row)
        weight = float(table[before, row_of[edit.state]])
        before = row_of[edit.state]
        parts.append(
            f'<g class="step"><rect x="{x:g}" y="{y:g}" width="{_STEP - 8:g}" height="{_ROW - 10:g}" rx="5" '
            f'fill="#f6f8fa" stroke="{_TAKEN if edit.jump else _GREY}"/>'
            + _text((x + 8, y + 17), f"{at + 1} {edit.state} {signed(weight, 2)}", _INK, anchor="start")
            + _text((x + 8, y + 37), _words(edit, explanation), _TAKEN, anchor="start")
            + "</g>"
        )
    return parts, steps + 10 + _ROW * math.ceil(len(explanation.edits) / in_a_row)


def _words(edit: Edit, explanation: Explanation) -> str:
    if edit.jump:
        return f"jump {edit.jump}"
    text = words_of(explanation, edit)
    return text if len(text) <= _LETTERS else f"{text[: _LETTERS - 1]}…"


def _text(place: Point, content: str, colour: str, more: str = "", anchor: str = "middle") -> str:
    return (
        f'<text x="{place[0]:.1f}" y="{place[1]:.1f}" text-anchor="{anchor}" fill="{colour}" stroke="#fff" '
        f'stroke-width="3" paint-order="stroke" {more}>{_shown(content)}</text>'
    )


def _shown(text: str) -> str:
    """Text for XML, which knows no control characters."""
    return escape("".join(one if one.isprintable() else "�" for one in text))
