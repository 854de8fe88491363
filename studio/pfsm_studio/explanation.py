"""A self-contained HTML page that explains the scores of segments: aligned words, edits, and points.

The page needs no network: it contains style, script and data, and its content security policy admits nothing else. The
data are JSON in a script element. The parts of the page are files in the folder ``page``.

The data are short, because there may be many explanations. Words and contributions are strings of digits to the base
of 64 (`packed`). A sentence is the numbers of its words in the page's list of words. Contributions are three strings,
by the numbers that say where they are: one is the place of the deleted or inserted token, two are the tokens of the
reference and of the hypothesis that are matched, four are the ends of the ranges that a block consumes. A row is the
number of the state, the place, the posterior in ten thousandths, and the points in the page's unit over the least of
the page. The edits of the best sequence are the numbers of their contributions, counted through the three strings; or,
with jumps, all of which are one contribution, a list of rows: the number of the state, four numbers for the place, and
the jump's number.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from pfsm.errors import PfsmError
from pfsm.lattice.names import DELETE, INSERT, JUMP, base_state
from pfsm.model.explain.explanation import Contributions, Edit, Explanation, FeaturePoints, as_arrays
from pfsm.model.explain.text import correction
from pfsm.model.labels import short_label
from pfsm.runtime.charts import text as escaped
from pfsm_studio.html_page import embedded, filled, html_page, joined

System = tuple[str, Sequence[Explanation]]

# In the order in which they are joined: each file uses only what earlier files define.
_DRAWING = ("data.js", "names.js", "segments.js", "layout.js", "detail.js", "figure.js", "ledger.js")
SCRIPTS = (*_DRAWING, "card.js", "page.js")
# For other pages that show single explanations.
FRAME_SCRIPTS = (*_DRAWING, "frames.js")


def render_page(
    systems: Sequence[System], title: str, signature: str, numbers: Sequence[int] | None = None
) -> str:
    """The page of a file of segments, as translated by one system or by two side by side.

    Args:
        systems: One or two of (name, explanations); explanation i of either belongs to segment i.
        title: Heading of the page.
        signature: What produced the scores, as returned by ``Metric.get_signature``.
        numbers: Number of each segment in its file, from 1; None: 1, 2, 3 …

    Returns:
        The HTML document; the same arguments give the same text. It can be encoded as UTF-8 even if tokens contain lone
        surrogates.

    Raises:
        ValueError: If there are no systems or more than two, or their numbers of segments differ.
        PfsmError: If a number is not finite, because it can then be neither written nor drawn.
    """
    if not 1 <= len(systems) <= 2:
        raise ValueError(f"the page shows one system or two, not {len(systems)}")
    if len({len(explanations) for _, explanations in systems}) > 1:
        first, second = (f"{len(explanations)} of {name!r}" for name, explanations in systems)
        raise ValueError(f"two systems must have the same segments; there are {first} and {second}")
    slots = {"title": escaped(title), "signature": escaped(signature).replace("|", "|<wbr>")}
    data = embedded(page_data(systems, numbers))
    return html_page(
        slots["title"],
        asset("page.css"),
        joined(map(asset, SCRIPTS)),
        filled(asset("page.html"), slots),
        data,
    )


def asset(name: str) -> str:
    """A shipped file of the page."""
    return (files("pfsm_studio") / "page" / name).read_bytes().decode("utf-8")


# As in base64 (RFC 4648); the first is zero.
ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_DIGITS = np.frombuffer(ALPHABET.encode("ascii"), dtype=np.uint8)


def digits(largest: int) -> int:
    """Number of digits that numbers up to this one have."""
    return max(1, -(-largest.bit_length() // 6))


def packed(columns: Sequence[NDArray[np.int64]], widths: Sequence[int]) -> str:
    """Rows of whole numbers, each column with as many digits as its width, the first digit first.

    Raises:
        ValueError: If a number is negative or has more digits.
    """
    rows = np.empty((columns[0].size, sum(widths)), dtype=np.uint8)
    end = 0
    for column, width in zip(columns, widths, strict=True):
        if column.size and not 0 <= column.min() <= column.max() < 64**width:
            raise ValueError(f"numbers from {column.min()} to {column.max()} do not fit into {width} digits")
        end += width
        rest = column
        for place in range(end - 1, end - width - 1, -1):
            rows[:, place] = _DIGITS[rest & 63]
            rest = rest >> 6
    return rows.tobytes().decode("ascii")


_Key = tuple[int, int, int, int, int]

# An edit beside the best sequence that is less probable is shown nowhere.
LEAST_POSTERIOR = 0.001
POSTERIOR_UNIT = 1e-4
# Digits of the largest score in units of points. The page shows at most five.
DIGITS = 6
# Significant digits of sums and features.
SUM_DIGITS = 8
# In the order of `sums`: how the page adds contributions up.
GROUPS = ("match", DELETE, INSERT, JUMP)


def page_data(systems: Sequence[System], numbers: Sequence[int] | None = None) -> dict[str, object]:
    """What the script reads: names of systems, an inventory of words and states, and the explanations by system.

    Args:
        systems: Names and explanations.
        numbers: Number of each segment in its file, from 1; None: 1, 2, 3 …

    Raises:
        PfsmError: If a number is not finite, because it can then be neither written nor drawn.
    """
    everything = [explanation for _, explanations in systems for explanation in explanations]
    codes = _codes(everything)
    rows = [
        [_explanation(explanation, codes, f"{name}:{k}") for k, explanation in enumerate(explanations, 1)]
        for name, explanations in systems
    ]
    return {
        "systems": [name for name, _ in systems],
        "numbers": list(numbers or range(1, len(systems[0][1]) + 1)),
        "edited": all(explanation.edited for explanation in everything),
        "words": list(codes.words),
        "states": list(codes.states),
        "labels": {one: short_label(one) for one in named_states(codes.states)},
        "features": [short_label(name) for name in codes.features],
        "unit": codes.unit,
        "least": codes.least,
        "widths": codes.widths,
        "explanations": rows,
    }


def named_states(states: Iterable[str]) -> list[str]:
    """The states that a page names: these, those without their classes, and two that a word may have by default."""
    return sorted({*states, *map(base_state, states), DELETE, INSERT})


@dataclass(frozen=True)
class _Codes:
    """What numbers of the page stand for, how many digits they have, and the least number of points."""

    words: Mapping[str, int]
    states: Mapping[str, int]
    features: Mapping[str, int]
    unit: float
    least: int
    widths: Mapping[str, int]


def _codes(everything: Sequence[Explanation]) -> _Codes:
    words: dict[str, int] = {}
    states = {edit.state for one in everything for edit in one.edits}
    unit = _unit(abs(explanation.score) for explanation in everything)
    least, most, posterior = 0.0, 0.0, 1.0
    for one in everything:
        for word in (*one.reference, *one.hypothesis):
            words.setdefault(word, len(words))
        parts = as_arrays(one.contributions)
        states.update(parts.names[state] for state in set(parts.states.tolist()))
        least, most = parts.points.min(initial=least), parts.points.max(initial=most)
        posterior = parts.posteriors.max(initial=posterior)
    features = sorted({part.name for explanation in everything for part in explanation.features})
    floor = round(least / unit)
    widths = {
        "word": digits(max(len(words) - 1, 0)),
        "state": digits(max(len(states) - 1, 0)),
        "posterior": digits(round(posterior / POSTERIOR_UNIT)),
        "points": digits(round(most / unit) - floor),
    }
    numbered = {state: k for k, state in enumerate(sorted(states))}
    return _Codes(words, numbered, {name: k for k, name in enumerate(features)}, unit, floor, widths)


def _unit(scores: Iterable[float]) -> float:
    """Power of ten in which the largest score has `DIGITS` digits."""
    largest = max((score for score in scores if math.isfinite(score)), default=0.0)
    return float(f"1e{math.floor(math.log10(max(largest, 1e-3))) + 1 - DIGITS}")


def _explanation(explanation: Explanation, codes: _Codes, where: str) -> dict[str, object]:
    """One explanation; sums are of all contributions, rows are of those that the page shows."""
    for field in ("score", "base", "entropy"):
        _require_finite(getattr(explanation, field), field, where)
    parts = as_arrays(explanation.contributions)
    width = digits(max(len(explanation.reference), len(explanation.hypothesis)))
    rows, numbers = _contribution_rows(parts, explanation.edits, width, codes)
    return {
        "reference": _sentence(explanation.reference, codes),
        "hypothesis": _sentence(explanation.hypothesis, codes),
        "score": _rounded(explanation.score),
        "base": _rounded(explanation.base),
        "entropy": _rounded(explanation.entropy),
        "sums": _sums(parts),
        "edits": _edits(explanation.edits, parts.names, numbers, codes),
        "contributions": rows,
        "features": [_feature_row(part, codes, where) for part in explanation.features],
        **({"counted": explanation.counted} if explanation.counted else {}),
        **_losses(explanation, codes, where),
    }


def _sentence(words: Sequence[str], codes: _Codes) -> str:
    numbers = np.array([codes.words[word] for word in words], dtype=np.int64)
    return packed([numbers], [codes.widths["word"]])


def _contribution_rows(
    parts: Contributions, edits: Sequence[Edit], width: int, codes: _Codes
) -> tuple[list[str], dict[_Key, int]]:
    """Three strings of the contributions that the page shows, and the number of each; places have ``width`` digits."""
    ranges = parts.ranges.copy()
    for side in (ranges[:, :2], ranges[:, 2:]):
        side[side[:, 0] >= side[:, 1]] = 0  # a place between tokens does not count
    keys = list(zip(parts.states.tolist(), *ranges.T.tolist(), strict=True))
    best = {_key(edit, parts.names) for edit in edits}
    on_path = np.fromiter((key in best for key in keys), dtype=np.bool_, count=len(keys))
    shown = (parts.posteriors >= LEAST_POSTERIOR) | on_path
    states = np.array([codes.states.get(name, 0) for name in parts.names], dtype=np.int64)[parts.states]
    # What is possible is not shown as impossible.
    posteriors = np.maximum(np.rint(parts.posteriors / POSTERIOR_UNIT), parts.posteriors > 0.0).astype(
        np.int64
    )
    points = np.rint(parts.points / codes.unit).astype(np.int64) - codes.least
    r0, r1, h0, h1 = parts.ranges.T
    deleted, inserted = (r1 - r0 == 1) & (h1 == h0), (r1 == r0) & (h1 - h0 == 1)
    matched = (r1 - r0 == 1) & (h1 - h0 == 1)
    kinds = (
        (deleted | inserted, [np.where(deleted, r0, h0)]),
        (matched, [r0, h0]),
        (~(deleted | inserted | matched), [r0, r1, h0, h1]),
    )
    rows: list[str] = []
    numbers: dict[_Key, int] = {}
    for of_kind, places in kinds:
        own = np.flatnonzero(of_kind & shown)
        columns = [column[own] for column in (states, *places, posteriors, points)]
        widths = (
            codes.widths["state"],
            *[width] * len(places),
            codes.widths["posterior"],
            codes.widths["points"],
        )
        rows.append(packed(columns, widths))
        numbers |= {keys[k]: place for place, k in enumerate(own.tolist(), len(numbers))}
    return rows, numbers


def _losses(explanation: Explanation, codes: _Codes, where: str) -> dict[str, object]:
    """The errors as (severity, words, points), and what mending each alone gains."""
    if explanation.perfect is None:
        return {}
    _require_finite(explanation.perfect, "perfect", where)
    rows = [(one.severity, correction(one), round(one.points / codes.unit)) for one in explanation.errors]
    return {
        "perfect": _rounded(explanation.perfect),
        "lost": rows,
        "undo": [*map(_rounded, explanation.undo)],
    }


def _sums(parts: Contributions) -> list[tuple[float, float]]:
    """Expected number of edits and points of each of `GROUPS`."""
    groups = [GROUPS.index(base) if (base := base_state(name)) in GROUPS else 0 for name in parts.names]
    group = np.array(groups, dtype=np.int64)[parts.states]
    counts, points = (
        np.bincount(group, values, minlength=len(GROUPS)) for values in (parts.posteriors, parts.points)
    )
    return [
        (_rounded(count), _rounded(sum_))
        for count, sum_ in zip(counts.tolist(), points.tolist(), strict=True)
    ]


def _edits(
    edits: Sequence[Edit], names: tuple[str, ...], numbers: Mapping[_Key, int], codes: _Codes
) -> str | list[int | tuple[int, ...]]:
    found = [None if edit.jump is not None else numbers.get(_key(edit, names)) for edit in edits]
    if None not in found:
        return packed([np.array(found, dtype=np.int64)], [digits(max(len(numbers) - 1, 0))])
    return [
        (codes.states[edit.state], *edit.reference, *edit.hypothesis, edit.jump or 0)
        if number is None
        else number
        for edit, number in zip(edits, found, strict=True)
    ]


def _key(edit: Edit, names: tuple[str, ...]) -> _Key:
    """Tells whether an edit and a contribution are the same: a place between tokens does not count."""
    reference, hypothesis = (
        ends if ends[0] < ends[1] else (0, 0) for ends in (edit.reference, edit.hypothesis)
    )
    return names.index(edit.state) if edit.state in names else -1, *reference, *hypothesis


def _rounded(value: float) -> float:
    return float(f"{value:.{SUM_DIGITS}g}")


def _feature_row(part: FeaturePoints, codes: _Codes, where: str) -> tuple[int, float, float]:
    _require_finite(part.value, f"value of {part.name}", where)
    _require_finite(part.points, f"points of {part.name}", where)
    return codes.features[part.name], _rounded(part.value), _rounded(part.points)


def _require_finite(value: float, field: str, where: str) -> None:
    if not math.isfinite(value):
        raise PfsmError(f"{where}: {field} is '{value}', a finite number is needed to draw the explanation")
