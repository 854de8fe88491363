"""What people are shown of a model: what to know before they rely on a training, facts for notebooks, weights in order.

Records of training are free text for people: what is not as training writes it is passed over.
"""

import math
from collections.abc import Mapping
from typing import Any

from pfsm.lattice.names import ends
from pfsm.runtime.charts import Mark, html_chart, html_table


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
    """A line for each lambda and mixture that was tried: cross-validated agreement, its interval, the choice.

    And what the choice of lambda brought.
    """
    lines = [
        f"{name} {value:>5}: {figure(r)}{_interval(training, name, value)}"
        for name in ("lambda", "mixture")
        for value, r in _mapping(training, f"{name}_tried").items()
    ]
    gain = _mapping(training, "lambda_gain")
    over = _short(gain.get("over"))
    if over and over != _short(training.get("lambda")):
        lines.append(f"the choice of lambda brought {signed(gain)} over lambda {over}, on the same folds")
    return lines


def started(training: Mapping[str, Any], statistic: str) -> dict[str, str]:
    """The agreement of the initial model on the same folds, and what training adds to it, by what they are."""
    init = _mapping(training, "init")
    gain, name = _mapping(init, "gain"), init.get("name")
    if not gain:
        return {}
    ends, value = _ends(gain.get("interval")), gain.get("difference")
    word = ""
    if isinstance(value, float) and value <= 0.0:
        word = f"  (these judgments do not improve on {name}: use it as it is)"
    elif ends is not None and ends[0] <= 0.0:
        word = f"  (not enough judgments to tell that they improve on {name})"
    told = f"{figure(init.get(statistic))}{bracketed(init.get('interval'))}"
    return {f"{name} itself, same folds": told, f"gain over {name}, paired": f"{signed(gain)}{word}"}


def signed(compared: Mapping[str, Any]) -> str:
    """A difference with its sign and its interval, in the form of a training record."""
    value = compared.get("difference")
    told = f"{value:+.3f}" if isinstance(value, float) else "undefined"
    return told + bracketed(compared.get("interval"), "+")


def _ends(value: object) -> list[float] | None:
    """The ends of an interval; None where the record has none."""
    good = isinstance(value, list) and len(value) == 2 and all(isinstance(end, float) for end in value)
    return value if good else None  # type: ignore[return-value]


def bracketed(interval: object, sign: str = "") -> str:
    """Return an interval in brackets after two spaces; nothing where the record has none."""
    ends = _ends(interval)
    return "" if ends is None else f"  [{ends[0]:{sign}.3f}, {ends[1]:{sign}.3f}]"


def weighted(training: Mapping[str, Any]) -> list[str]:
    """A line where judgments did not all count the same."""
    found = _mapping(training, "weights")
    if not isinstance(found.get("column"), str):
        return []
    return [f"judgments are weighted by {found['column']}; so is Pearson's r of the training data"]


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
    chosen = "  chosen" if value == _short(training.get(name)) else ""
    return f"{bracketed(_mapping(training, f'{name}_intervals').get(value))}{chosen}"


def _short(value: object) -> str:
    """A number as the keys of the record have it."""
    return f"{value:g}" if isinstance(value, float | int) and abs(value) < 1e100 else ""


def figure(value: object) -> str:
    """Return a figure of a training record as text."""
    return f"{value:.3f}" if isinstance(value, float) and not math.isnan(value) else "undefined"


# Weights of single states and of features; those of transitions are too many.
MOST_SHOWN = 16
STATISTICS = {"pearson": "Pearson r", "kendall_tau": "Kendall tau"}


def model_html(title: str, weights: Mapping[str, float], training: Mapping[str, Any]) -> str:
    """A table of facts, agreement with people, and the largest weights as a chart.

    Args:
        title: Name of the model, with its fingerprint.
        weights: By the name of a feature.
        training: The model's record of its training; empty for a model that was written by hand.
    """
    counted = [f"{training[kind]} {kind}" for kind in ("judgments", "preferences") if kind in training]
    facts = {
        "trained on": " and ".join(counted),
        "weighted": "; ".join(weighted(training)),
        "lambda": f"{training['lambda']} ({training.get('lambda_choice')})" if "lambda" in training else "",
        "weights": str(len(weights)),
    }
    rows = [[name, value] for name, value in facts.items() if value]
    single = {name: weight for name, weight in weights.items() if ends(name) is None}
    largest = sorted(single, key=lambda name: (-abs(single[name]), name))[:MOST_SHOWN]
    marks = [Mark(name, single[name]) for name in sorted(largest, key=lambda name: -single[name])]
    return (
        html_table([], rows, title)
        + _agreement(training)
        + html_chart(marks, f"Weights of {title}", zero=True)
    )


def _agreement(training: Mapping[str, Any]) -> str:
    validated = training.get("cross_validated") or {}
    rows = []
    for key, name in STATISTICS.items():
        if key in training:
            rows.append(
                [f"{name}, training data", *_estimate(training[key], training.get(f"{key}_interval"))]
            )
        if key in validated:
            rows.append([f"{name}, cross-validated", *_estimate(validated[key], validated.get("interval"))])
    return html_table(["agreement", "", "95% interval"], rows) if rows else ""


def _estimate(value: object, interval: object) -> tuple[str, str]:
    shown = f"{value:.3f}" if isinstance(value, float) and math.isfinite(value) else "–"
    if not isinstance(interval, list | tuple) or None in interval:
        return shown, "–"
    return shown, f"[{interval[0]:.3f}, {interval[1]:.3f}]"


STATES, TRANSITIONS = "States and features", "Transitions"


def weight_groups(weights: Mapping[str, float]) -> dict[str, list[str]]:
    """Names of weights by group, each from the largest weight to the smallest; transitions come last."""
    groups: dict[str, list[str]] = {STATES: [], TRANSITIONS: []}
    for name in sorted(weights, key=lambda name: (-weights[name], name)):
        groups[STATES if ends(name) is None else TRANSITIONS].append(name)
    return groups
