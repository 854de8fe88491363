"""What a user should know about a training before trusting it, in lines; from the record in the model file."""

from collections.abc import Mapping
from typing import Any


def doubt(training: Mapping[str, Any]) -> list[str]:
    """A line for each other minimum that another start found."""
    others = training.get("starts", {}).get("other_minima", {})
    return [
        f"two minima: the start at {start} ends {100.0 * other['objective_above']:.2g}% higher; its predictions "
        f"correlate {other['pearson_with_kept']:.2f} with those of the minimum kept; more judgments would decide"
        for start, other in others.items()
    ]


def edge(training: Mapping[str, Any]) -> list[str]:
    """A line where the best lambda is the smallest or largest that was tried."""
    side = training.get("lambda_at_edge")
    if side is None:
        return []
    beyond = "smaller" if side == "smallest" else "larger"
    return [
        f"the best lambda is the {side} that was tried; a {beyond} one may be better (lambda: [...] tries others)"
    ]
