"""Results as plain values that JSON can hold, for the command line and for the service."""

import math
from dataclasses import asdict

from pfsm.evaluation.bootstrap import Interval
from pfsm.evaluation.comparison import Comparison

NO_PREFERENCE = "no preference"


def interval_entry(interval: Interval) -> list[float | None]:
    """Both ends, null where undefined."""
    return [number(interval.low), number(interval.high)]


def number(value: float) -> float | None:
    """A number that JSON can hold; None for one that is undefined."""
    return value if math.isfinite(value) else None


def comparison_document(result: Comparison, name: str, signature: str, short: str) -> dict[str, object]:
    """A comparison of systems.

    Args:
        result: The comparison.
        name: Of the metric or model.
        signature: Of its scores of corpora.
        short: The short form of that.
    """
    systems = [{**asdict(system), "interval": interval_entry(system.interval)} for system in result.systems]
    pairs = [
        {
            **asdict(pair),
            "interval": interval_entry(pair.interval),
            "p_value": number(pair.p_value),
            "p_holm": number(pair.p_holm),
            "preferred": pair.preferred or NO_PREFERENCE,
        }
        for pair in result.pairs
    ]
    return {
        "name": name,
        "signature": signature,
        "short_signature": short,
        "segments": result.n_segments,
        "resamples": result.n_resamples,
        "seed": result.seed,
        "significance": result.significance,
        "systems": systems,
        "pairs": pairs,
    }
