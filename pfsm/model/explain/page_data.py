"""The data of an explanation page: explanations as JSON rows that are short, because there are many.

A row begins with the number of its state. What follows depends on its length: one number is the place of the deleted or
inserted token, two are the tokens of the reference and of the hypothesis that are matched, four are the ends of the
ranges that a block consumes. The row of a contribution ends with its posterior, in ten thousandths, and its points, in
the page's unit: whole numbers take half the room. An edit of the best sequence is the number of its contribution; a
jump, all of which are one contribution, is a row that ends with the jump's number.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pfsm.errors import PfsmError
from pfsm.lattice.names import DELETE, INSERT, JUMP, base_state
from pfsm.model.explain.explanation import Contribution, Edit, Explanation, FeaturePoints, Lost, Range
from pfsm.model.explain.labels import label
from pfsm.model.explain.losses import folded

System = tuple[str, Sequence[Explanation]]
_Key = tuple[str, Range | None, Range | None]

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
    """What the script reads: names of systems, an inventory of states, and the explanations by system.

    Args:
        systems: Names and explanations.
        numbers: Number of each segment in its file, from 1; None: 1, 2, 3 …

    Raises:
        PfsmError: If a number is not finite, because it can then be neither written nor drawn.
    """
    everything = [explanation for _, explanations in systems for explanation in explanations]
    states = {edit.state for one in everything for edit in one.edits}
    states |= {part.state for one in everything for part in one.contributions}
    features = sorted({part.name for explanation in everything for part in explanation.features})
    codes = _Codes(
        {state: k for k, state in enumerate(sorted(states))},
        {name: k for k, name in enumerate(features)},
        _unit(abs(explanation.score) for explanation in everything),
    )
    return {
        "systems": [name for name, _ in systems],
        "numbers": list(numbers or range(1, len(systems[0][1]) + 1)),
        "edited": all(explanation.edited for explanation in everything),
        "states": list(codes.states),
        "features": [label(name) for name in features],
        "unit": codes.unit,
        "explanations": [
            [_explanation(explanation, codes, f"{name}:{k}") for k, explanation in enumerate(explanations, 1)]
            for name, explanations in systems
        ],
    }


def _unit(scores: Iterable[float]) -> float:
    """Power of ten in which the largest score has `DIGITS` digits."""
    largest = max((score for score in scores if math.isfinite(score)), default=0.0)
    return float(f"1e{math.floor(math.log10(max(largest, 1e-3))) + 1 - DIGITS}")


@dataclass(frozen=True)
class _Codes:
    """What numbers of the page stand for."""

    states: Mapping[str, int]
    features: Mapping[str, int]
    unit: float


def _explanation(explanation: Explanation, codes: _Codes, where: str) -> dict[str, object]:
    """One explanation; sums are of all contributions, rows are of those that the page shows."""
    for field in ("score", "base", "entropy"):
        _require_finite(getattr(explanation, field), field, where)
    for part in explanation.contributions:
        _require_finite(part.posterior, f"posterior of {part.state}", where)
        _require_finite(part.points, f"points of {part.state}", where)
    best = {_key(edit) for edit in explanation.edits}
    shown = [
        part for part in explanation.contributions if part.posterior >= LEAST_POSTERIOR or _key(part) in best
    ]
    numbers = {_key(part): k for k, part in enumerate(shown)}
    return {
        "reference": explanation.reference,
        "hypothesis": explanation.hypothesis,
        "score": explanation.score,
        "base": explanation.base,
        "entropy": explanation.entropy,
        "sums": _sums(explanation.contributions),
        "edits": [_edit(edit, numbers, codes) for edit in explanation.edits],
        "contributions": [_contribution_row(part, codes) for part in shown],
        "features": [_feature_row(part, codes, where) for part in explanation.features],
        **({"counted": explanation.counted} if explanation.counted else {}),
        **_losses(explanation, codes, where),
    }


def _losses(explanation: Explanation, codes: _Codes, where: str) -> dict[str, object]:
    """The losses that are worth showing as (state, words, points), and the rest as (number, points)."""
    if explanation.perfect is None:
        return {}
    _require_finite(explanation.perfect, "perfect", where)
    shown, rest, number = folded(explanation.lost)
    rows = [
        (codes.states.get(one.state, label(one.state)), _words(one), round(one.points / codes.unit))
        for one in shown
    ]
    return {
        "perfect": _rounded(explanation.perfect),
        "lost": rows,
        "less": (number, round(rest / codes.unit)),
    }


def _words(lost: Lost) -> str:
    return " = ".join(" ".join(words) for words in (lost.reference, lost.hypothesis) if words)


def _sums(contributions: Sequence[Contribution]) -> list[tuple[float, float]]:
    """Expected number of edits and points of each of `GROUPS`."""
    totals = {group: [0.0, 0.0] for group in GROUPS}
    for part in contributions:
        total = totals.get(base_state(part.state), totals[GROUPS[0]])
        total[0] += part.posterior
        total[1] += part.points
    return [(_rounded(count), _rounded(points)) for count, points in totals.values()]


def _edit(edit: Edit, numbers: Mapping[_Key, int], codes: _Codes) -> int | tuple[int, ...]:
    state = codes.states[edit.state]
    if edit.jump is not None:
        return (state, *edit.reference, *edit.hypothesis, edit.jump)
    return numbers.get(_key(edit), (state, *_place(edit)))


def _contribution_row(part: Contribution, codes: _Codes) -> tuple[int, ...]:
    # What is possible is not shown as impossible.
    posterior = max(round(part.posterior / POSTERIOR_UNIT), int(part.posterior > 0.0))
    return (codes.states[part.state], *_place(part), posterior, round(part.points / codes.unit))


def _place(part: Edit | Contribution) -> tuple[int, ...]:
    """As short as it can be; the page knows from the state on which side a single token stands."""
    (r0, r1), (h0, h1) = part.reference, part.hypothesis
    base = base_state(part.state)
    if base == DELETE and r1 - r0 == 1:
        return (r0,)
    if base == INSERT and h1 - h0 == 1:
        return (h0,)
    if r1 - r0 == h1 - h0 == 1:
        return (r0, h0)
    return (r0, r1, h0, h1)


def _key(part: Edit | Contribution) -> _Key:
    """Tells whether an edit and a contribution are the same: a place between tokens does not count."""
    reference, hypothesis = (
        ends if ends[0] < ends[1] else None for ends in (part.reference, part.hypothesis)
    )
    return part.state, reference, hypothesis


def _rounded(value: float) -> float:
    return float(f"{value:.{SUM_DIGITS}g}")


def _feature_row(part: FeaturePoints, codes: _Codes, where: str) -> tuple[int, float, float]:
    _require_finite(part.value, f"value of {part.name}", where)
    _require_finite(part.points, f"points of {part.name}", where)
    return codes.features[part.name], _rounded(part.value), _rounded(part.points)


def _require_finite(value: float, field: str, where: str) -> None:
    if not math.isfinite(value):
        raise PfsmError(f"{where}: {field} is '{value}', a finite number is needed to draw the explanation")
