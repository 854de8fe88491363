"""The sections of the report of a training, as HTML: what was learned, agreement, more data, costs of edits."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pfsm.metrics import get_metric
from pfsm.model.costs import FEATURES, WORDS, edit_costs
from pfsm.model.file import Model
from pfsm.runtime.charts import interval, number, signed
from pfsm.runtime.charts import text as escaped
from pfsm_studio.report.learning_curve import LearningCurve
from pfsm_training.fit.crossval import by_fold, paired
from pfsm_training.fit.training import Training

STATISTICS = {"pearson": "Pearson's r", "kendall_tau": "Kendall's τ"}
BASELINE = "chrF++"


class Bar(NamedTuple):
    """A value with an interval."""

    label: str
    value: float
    interval: tuple[float, float] = (math.nan, math.nan)


def figure(groups: Sequence[tuple[str, Sequence[Bar]]], axis: str, name: str, caption: str) -> str:
    """Return a table with a row for each value: its place on a common scale, with its interval, and its numbers."""
    bars = [bar for _, group in groups for bar in group]
    known = [end for bar in bars for end in (0.0, bar.value, *bar.interval) if math.isfinite(end)]
    low, reach = min(known), 1.1 * (max(known) - min(known)) or 1.0

    def place(value: float) -> str:
        return f"{100 * (value - low) / reach + 5:.2f}%"

    def row(bar: Bar) -> str:
        marks = f'<line class="zero" x1="{place(0.0)}" x2="{place(0.0)}" y1="0" y2="24"/>'
        numbers, sure = number(bar.value), True
        if all(map(math.isfinite, bar.interval)):
            left, right = map(place, bar.interval)
            marks += f'<line class="span" x1="{left}" x2="{right}" y1="12" y2="12"/>'
            numbers += f" {interval(*bar.interval)}"
            sure = bar.interval[0] > 0.0 or bar.interval[1] < 0.0
        if math.isfinite(bar.value):
            marks += (
                f'<circle class="{"held" if sure else "unsure"}" cx="{place(bar.value)}" cy="12" r="4.5"/>'
            )
        return (
            f'<tr><th scope="row">{escaped(bar.label)}</th><td class="track-cell"><svg class="track-of" width="100%" '
            f'height="24" aria-hidden="true">{marks}</svg></td><td>{numbers}</td></tr>'
        )

    rows = ""
    for heading, group in groups:
        rows += f'<tr><td class="heading" colspan="3">{escaped(heading)}</td></tr>' if heading else ""
        rows += "".join(map(row, group))
    return (
        f'<figure><table class="chart"><thead><tr><th scope="col"><span class="unseen">{escaped(name)}</span></th>'
        f'<td></td><th scope="col">{escaped(axis)}</th></tr></thead><tbody>{rows}</tbody></table>'
        f"<figcaption>{escaped(caption)}</figcaption></figure>"
    )


def statistic_of(training: Training) -> str:
    """Return the name of the statistic that cross-validation measures."""
    return STATISTICS[training.validated.statistic]


def noun_of(training: Training) -> str:
    """Return the name of the training items: judgments, preferences, or both."""
    names = [("judgments", training.judgments), ("preferences", training.preferences)]
    return " and ".join(name for name, part in names if part is not None)


def learned(training: Training, found: LearningCurve | str) -> str:
    """Return the findings, a few sentences and a picture: against chrF++ and against the initial model."""
    validated, statistic = training.validated, statistic_of(training)
    if not validated.folds:
        return _paragraph(
            "There are too few judgments for cross-validation: nothing can be said of new data.", "notice"
        )
    init = training.model.training.get("init")
    baseline = replace(validated, folds=by_fold(_chrf(training), training.data, training.folds, validated))
    bars = [
        Bar("this model", validated.mean, validated.interval),
        Bar(BASELINE, baseline.mean, baseline.interval),
    ]
    gains = [_gain(f"than {BASELINE}", *paired(validated.folds, baseline.folds))]
    if init is not None:
        mean, gain = init[validated.statistic], init["gain"]
        bars.append(Bar(f"{init['name']}, before training", _nan(mean), _ends(init["interval"])))
        than = f"than {init['name']} before training"
        gains.append(_gain(than, _nan(gain["difference"]), _ends(gain["interval"])))
    text = (
        f"On segments that it was not trained on, the model agrees with people at {statistic} {number(validated.mean)} "
        f"(95%: {', '.join(map(number, validated.interval))}). It agrees {'; '.join(gains)}. "
    )
    text += hint(found, noun_of(training), statistic) or "What more data would add cannot be said yet."
    caption = f"{statistic} with people on held-out segments: means over {len(validated.folds)} folds, 95% intervals."
    return _paragraph(text, "finding") + figure([("", bars)], statistic, "Metric", caption)


def _gain(than: str, value: float, reach: tuple[float, float]) -> str:
    """More or less, by how much, and whether that may be chance."""
    if not math.isfinite(value):
        return f"as far as can be told no better {than}"
    chance = "" if reach[0] > 0.0 or reach[1] < 0.0 else ", which may be chance"
    return f"{'better' if value > 0.0 else 'worse'} {than} by {number(abs(value))} {interval(*reach)}{chance}"


def _chrf(training: Training) -> NDArray[np.float64]:
    """chrF++ of every item of the training data, float64 [n_items]."""
    metric, data = get_metric(BASELINE.lower()), training.data
    n_items = int(max([data.scores.size - 1, *data.better.tolist(), *data.worse.tolist()])) + 1
    scores = np.full(n_items, math.nan)
    if (judgments := training.judgments) is not None:
        found = metric.score_segments(judgments.hypotheses, judgments.all_references)
        scores[: data.scores.size] = found
    if (pairs := training.preferences) is not None:
        for items, lines in ((data.better, pairs.better), (data.worse, pairs.worse)):
            scores[items] = metric.score_segments(lines, pairs.all_references)
    return scores


def agreement(training: Training) -> str:
    """Return training and cross-validated agreement side by side."""
    validated, record, statistic = training.validated, training.model.training, statistic_of(training)
    compared, n_folds = record["overfitting"], len(validated.folds)
    whole, reach = record.get(validated.statistic), record.get(f"{validated.statistic}_interval", [None] * 2)
    within = "within the folds: the final model minus the models trained without them"
    by = validated.by.replace("source_lang", "source language")
    held_out = f"mean over {n_folds} folds (by {by}), each predicted by a model trained without it"
    rows = (
        ("Training data", number(_nan(whole)), reach, "the final model on its own training data"),
        ("Cross-validated", number(validated.mean), validated.interval, held_out),
        ("Difference", signed(_nan(compared["difference"])), compared["interval"], within),
    )
    parts = f'<table class="chart plain"><caption>{escaped(statistic)}, with 95% intervals</caption><tbody>'
    for name, value, found, note in rows:
        cells = f"<td>{value}</td><td>{interval(*_ends(found))}</td><td>{escaped(note)}</td>"
        parts += f'<tr><th scope="row">{name}</th>{cells}</tr>'
    parts += "</tbody></table>"
    if not n_folds:
        return parts + _paragraph(
            "There are too few judgments for cross-validation, so that overfitting cannot be seen.", "notice"
        )
    about = (
        "The difference is overfitting. Where its interval leaves out 0, expect the held-out number on new data; more "
        "judgments or a larger lambda bring the two together."
    )
    return parts + _paragraph(about) + (_tried(training) if len(training.tried) > 1 else "")


def _tried(training: Training) -> str:
    bars = []
    for one in sorted(training.tried, key=lambda one: (one.choice.penalty, one.choice.mixture)):
        mixed = f", mixture {one.choice.mixture:g}" if one.choice.mixture else ""
        mark = " (chosen)" if one.choice == training.validated.choice else ""
        bars.append(Bar(f"lambda {one.choice.penalty:g}{mixed}{mark}", one.mean, one.interval))
    return figure([("", bars)], statistic_of(training), "Choice", "What cross-validation tried.")


def curve(found: LearningCurve | str, noun: str, statistic: str) -> str:
    """Return the learning curve and its hints."""
    if isinstance(found, str):
        return _paragraph(f"No hint: {found}.", "notice")
    caption = f"{statistic} on held-out segments by the number of training {noun}: means over the folds, 95% intervals."
    bars = [Bar(f"{round(point.items):,} {noun}", point.mean, point.interval) for point in found.points]
    more = f"What {found.more:,} more {noun} would add cannot be said from these data."
    text = hint(found, noun, statistic) or more
    return _paragraph(text, "finding") + figure([("", bars)], statistic, "Training data", caption)


def hint(found: LearningCurve | str, noun: str, statistic: str) -> str:
    """Return what more data is likely to add, in a sentence; empty where that cannot be said."""
    if isinstance(found, str):
        return ""
    _, more, value, low, high = found
    where = f"to {statistic} (95%: {signed(low)} to {signed(high)})."
    if low > 0.0:
        about = number(value, 2 if value >= 0.01 else 3)
        return f"{more:,} more {noun} are likely to add about {about} {where}"
    if high <= 0.01:
        return f"{more:,} more {noun} are unlikely to add more than {number(max(high, 0.001))} {where}"
    return ""


def weights(model: Model) -> str:
    """Return what edits and features cost in points."""
    costs = {
        group: [Bar(cost.label, cost.points) for cost in costs] for group, costs in edit_costs(model).items()
    }
    if not costs:
        return _paragraph("The model has no weights: no feature occurs often enough.", "notice")
    # A feature of whole sentences can cost many times as much as a word: a scale of its own.
    of_features = [(FEATURES, costs.pop(FEATURES))] if FEATURES in costs else []
    captions = (
        f"Points lost by one edit of a perfect translation of {WORDS} words. pfsm show lists all weights.",
        "Points lost where the value of a feature is 0 rather than 1.",
    )
    return "".join(
        figure(groups, "points", "Costs", caption)
        for groups, caption in zip(([*costs.items()], of_features), captions, strict=True)
        if groups
    )


def fact_list(facts: Mapping[str, str]) -> str:
    """Return names with their values in a row."""
    rows = (f"<div><dt>{escaped(name)}</dt><dd>{escaped(value)}</dd></div>" for name, value in facts.items())
    return f'<dl class="facts">{"".join(rows)}</dl>'


def _paragraph(text: str, kind: str = "reading") -> str:
    return f'<p class="{kind}">{escaped(text)}</p>'


def _nan(value: float | None) -> float:
    return math.nan if value is None else value


def _ends(found: Sequence[float | None]) -> tuple[float, float]:
    low, high = map(_nan, found)
    return low, high
