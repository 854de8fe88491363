"""A model as a notebook shows it: what it was trained on, how it agrees with people, its largest weights."""

import math
from collections.abc import Mapping
from typing import Any

from pfsm.lattice.names import ends
from pfsm.model.training_record import weighted
from pfsm.runtime.charts import Mark, html_chart
from pfsm.runtime.html_table import html_table

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
