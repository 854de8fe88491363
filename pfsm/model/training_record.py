"""What a user should know about a training before trusting it, in lines; from the record in the model file.

Records are free text for people: what is not as training writes it is passed over.
"""

from collections.abc import Mapping
from typing import Any


def cautions(training: Mapping[str, Any]) -> list[str]:
    """All that is doubtful about a training; nothing where its minimum is clear and lambda inside the grid."""
    return [*doubt(training), *edge(training)]


def doubt(training: Mapping[str, Any]) -> list[str]:
    """A line where other starts found other minima."""
    others = _others(training)
    if not others:
        return []
    depths = [above for above, _ in others.values()]
    alike = f"{min(r for _, r in others.values()):.2f}"
    advice = "with those of the minimum kept; more judgments would decide"
    if len(others) == 1:
        (start,) = others
        ends = (
            f"two minima: the start at {start} ends {_percent(depths[0])} higher; its predictions correlate"
        )
        return [f"{ends} {alike} {advice}"]
    span = f"{_percent(min(depths))} to {_percent(max(depths))}"
    ends = f"{len(others) + 1} minima: other starts end {span} higher; their predictions correlate"
    return [f"{ends} {alike} or more {advice}"]


def edge(training: Mapping[str, Any]) -> list[str]:
    """A line where the best lambda is the smallest or largest that was tried."""
    side = training.get("lambda_at_edge")
    if side not in ("smallest", "largest"):
        return []
    beyond = "smaller" if side == "smallest" else "larger"
    return [
        f"the best lambda is the {side} that was tried; a {beyond} one may be better (lambda: [...] tries others)"
    ]


def tried(training: Mapping[str, Any]) -> list[str]:
    """A line for each lambda and each mixture that was tried: cross-validated agreement, its interval, the choice."""
    return [
        f"{name} {value:>5}: {_number(r)}{_interval(training, name, value)}"
        for name in ("lambda", "mixture")
        for value, r in _mapping(training, f"{name}_tried").items()
    ]


def weighted(training: Mapping[str, Any]) -> list[str]:
    """A line where judgments did not all count the same."""
    found = _mapping(training, "weights")
    if not isinstance(found.get("column"), str):
        return []
    noise = found.get("rater_noise")
    told = f", rater noise {noise:g}" if isinstance(noise, float) else ""
    return [f"judgments are weighted by {found['column']}{told}; so is Pearson's r of the training data"]


def _others(training: Mapping[str, Any]) -> dict[str, tuple[float, float]]:
    """By start, other minima: how much higher, as a share, and the correlation of their predictions."""
    found = {}
    for start, other in _mapping(_mapping(training, "starts"), "other_minima").items():
        values = [other.get(key) if isinstance(other, Mapping) else None for key in _OF_A_MINIMUM]
        if isinstance(values[0], float):
            found[start] = (values[0], values[1] if isinstance(values[1], float) else 0.0)
    return found


_OF_A_MINIMUM = ("objective_above", "pearson_with_kept")


def _mapping(record: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = record.get(key)
    return value if isinstance(value, Mapping) else {}


def _percent(share: float) -> str:
    return f"{100.0 * share:.2g}%"


def _interval(training: Mapping[str, Any], name: str, value: str) -> str:
    ends = _mapping(training, f"{name}_intervals").get(value)
    chosen = "  chosen" if value == _short(training.get(name)) else ""
    if not isinstance(ends, list) or len(ends) != 2 or not all(isinstance(end, float) for end in ends):
        return chosen
    return f"  [{ends[0]:.3f}, {ends[1]:.3f}]{chosen}"


def _short(value: object) -> str:
    """A number as the keys of the record have it."""
    return f"{value:g}" if isinstance(value, float | int) else ""


def _number(value: object) -> str:
    return f"{value:.3f}" if isinstance(value, float) else "undefined"
