"""The sections of a report, as HTML.

Where a model errs: held-out errors by length of the reference and by group.

The error of a judgment is the predicted minus the human score, in standard deviations of the human scores. The error of
a preference is 1 where the model prefers the other translation or neither, else 0. Predictions are held out: each comes
from a model trained without the segment.

Charts of agreement, of the learning curve and of intervals; tables and figures of the report.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.data import Judgments, Preferences
from pfsm.evaluation.bins import Bin, quantile_bins
from pfsm.lattice.names import FEATURE_PREFIX, ends, states_of
from pfsm.metrics import get_metric
from pfsm.model.costs import FEATURES, WORDS, edit_costs
from pfsm.model.file import Model
from pfsm.runtime.charts import Drawing, Scale, interval, number, scale_for, signed, tick_label, ticks
from pfsm.runtime.charts import text as escaped
from pfsm_training.fit.crossval import by_fold, paired
from pfsm_training.fit.training import Training
from pfsm_training.report.learning_curve import Gain, LearningCurve

WIDTH = 400.0


def curve_chart(curve: LearningCurve, statistic: str, noun: str) -> str:
    """Agreement over the number of training items, with what is expected of more."""
    left, top, bottom = 44.0, 36.0, 230.0
    drawing = Drawing(WIDTH, bottom + 46)
    ahead = curve.expected
    sizes = [point.items for point in curve.points]
    most = max([*sizes, *(items for items, _, _ in ahead)])
    across = scale_for([math.log(sizes[0]), math.log(most)], left, WIDTH - 30)
    ends = [end for point in curve.points for end in point.interval] + [
        end for _, *both in ahead for end in both
    ]
    up = scale_for([*ends, *(point.mean for point in curve.points)], bottom, top)
    drawing.axis_left(up, left, WIDTH - 24, statistic)
    for size in sorted({*sizes, most}):
        drawing.text(across(math.log(size)), bottom + 16, f"{round(size):,}", "tick", "middle")
    if ahead:
        lows = [(across(math.log(items)), up(low)) for items, low, _ in ahead]
        highs = [(across(math.log(items)), up(high)) for items, _, high in ahead]
        drawing.path([*lows, *reversed(highs)], "fan", closed=True)
        middle = [(across(math.log(items)), up((low + high) / 2.0)) for items, low, high in ahead]
        drawing.path(middle, "ahead")
    drawing.text((left + WIDTH) / 2, bottom + 36, f"training {noun}", "axis", "middle")
    drawing.path([(across(math.log(point.items)), up(point.mean)) for point in curve.points], "held-line")
    for point in curve.points:
        x = across(math.log(point.items))
        if all(map(math.isfinite, point.interval)):
            drawing.line(x, up(point.interval[0]), x, up(point.interval[1]), "held-line")
        drawing.dot(x, up(point.mean), "held", 4.5)
    told = ", ".join(f"{number(point.mean)} with {round(point.items):,}" for point in curve.points)
    return drawing.svg(f"Learning curve of {statistic}: {told} {noun}")


@dataclass(frozen=True)
class Bar:
    """A value with an interval."""

    label: str
    value: float
    interval: tuple[float, float] = (math.nan, math.nan)
    note: str = ""


def intervals_chart(groups: Sequence[tuple[str, Sequence[Bar]]], axis: str, name: str) -> str:
    """A table with a row for each value: its place on a common scale, with its interval, and its numbers."""
    bars = [bar for _, group in groups for bar in group]
    ends = (end for bar in bars for end in (bar.value, *bar.interval))
    scale = scale_for([0.0, *ends], 0.0, 100.0)
    notes = any(bar.note for bar in bars)
    marks = "".join(
        f'<text class="tick" x="{scale(at):.2f}%" y="14" text-anchor="middle">{tick_label(at)}</text>'
        for at in ticks(scale)
    )
    head = (
        f'<tr><th scope="col"><span class="unseen">{escaped(name)}</span></th>'
        f'<td class="track-cell">{_track(marks)}</td><th scope="col">{escaped(axis)}</th>{"<td></td>" * notes}</tr>'
    )
    rows = []
    for heading, group in groups:
        if heading:
            rows.append(f'<tr><td class="heading" colspan="4">{escaped(heading)}</td></tr>')
        rows += [_row(bar, scale, notes) for bar in group]
    return f'<table class="chart"><thead>{head}</thead><tbody>{"".join(rows)}</tbody></table>'


def _row(bar: Bar, scale: Scale, notes: bool) -> str:
    lines = [_mark("zero" if at == 0.0 else "grid", scale, at, at, (0, 24)) for at in ticks(scale)]
    low, high = bar.interval
    if math.isfinite(low) and math.isfinite(high):
        lines.append(_mark("span", scale, low, high, (12, 12)))
    sure = bar.interval[0] > 0.0 or bar.interval[1] < 0.0 or not math.isfinite(bar.interval[0])
    if math.isfinite(bar.value):
        kind = "held" if sure else "unsure"
        lines.append(f'<circle class="{kind}" cx="{scale(bar.value):.2f}%" cy="12" r="4.5"/>')
    numbers = f"{number(bar.value)} {interval(*bar.interval)}".strip()
    note = f"<td>{escaped(bar.note)}</td>" if notes else ""
    return (
        f'<tr><th scope="row">{escaped(bar.label)}</th><td class="track-cell">{_track("".join(lines))}</td>'
        f"<td>{numbers}</td>{note}</tr>"
    )


def _track(marks: str) -> str:
    return f'<svg class="track-of" width="100%" height="24" aria-hidden="true">{marks}</svg>'


def _mark(kind: str, scale: Scale, low: float, high: float, ends: tuple[int, int]) -> str:
    x1, x2 = scale(low), scale(high)
    return f'<line class="{kind}" x1="{x1:.2f}%" x2="{x2:.2f}%" y1="{ends[0]}" y2="{ends[1]}"/>'


def figure(picture: str, caption: str) -> str:
    """A picture with its caption."""
    return f"<figure>{picture}<figcaption>{escaped(caption)}</figcaption></figure>"


def table(headings: Sequence[str], rows: Sequence[Sequence[str]], caption: str) -> str:
    """A table; the first cell of a row is its heading. Cells are HTML, headings and caption are text."""
    head = "".join(f'<th scope="col">{escaped(label)}</th>' for label in headings)
    names = [escaped(label) for label in headings[1:]]
    cells = (
        "".join(f'<td data-head="{name}">{cell}</td>' for name, cell in zip(names, row[1:], strict=True))
        for row in rows
    )
    body = "".join(
        f'<tr><th scope="row">{row[0]}</th>{others}</tr>' for row, others in zip(rows, cells, strict=True)
    )
    return (
        f'<table class="chart plain"><caption>{escaped(caption)}</caption><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table>"
    )


Float = NDArray[np.float64]
Rows = NDArray[np.int64]

LENGTHS = 5
MOST_GROUPS = 30
FEWEST_IN_GROUP = 5
# Columns that divide judgments into groups, as far as the data has them.
GROUP_COLUMNS = ("source_lang", "target_lang", "lp", "domain", "document", "system", "annotator", "rater")
NORMAL = 1.959963984540054


@dataclass(frozen=True)
class ErrorBin:
    """The errors in a bin.

    Attributes:
        label: What the bin holds.
        n: Number of judgments or preferences.
        mean: Weighted mean error.
        interval: Of the mean, 95%; the errors of a segment may depend on each other. NaN with one segment.
    """

    label: str
    n: int
    mean: float
    interval: tuple[float, float]


def error_tables(
    errors: Float, weights: Float, segments: Rows, data: Judgments | Preferences
) -> dict[str, list[ErrorBin]]:
    """Errors by length of the reference, and by each column that divides the data into a few groups.

    Args:
        errors: float64 [n], of judgments or of preferences; NaN where there is no held-out prediction.
        weights: float64 [n]: votes of preferences; of judgments their weights, or 1.
        segments: int64 [n], number of the segment of each.
        data: The judgments or preferences.
    """
    known = np.flatnonzero(np.isfinite(errors) & (weights > 0.0))
    lengths = np.array([len(reference.split()) for reference in data.references], dtype=np.float64)
    bins = {"words of the reference": quantile_bins(lengths, known, LENGTHS, _words)}
    for name in GROUP_COLUMNS:
        groups = _groups(data.columns.get(name, ()), known)
        if groups:
            bins[name] = [Bin(value, rows) for value, rows in groups.items()]
    return {
        by: [_bin(one.label, errors[one.rows], weights[one.rows], segments[one.rows]) for one in found]
        for by, found in bins.items()
        if found
    }


def _words(low: float, high: float) -> str:
    return f"{low:.0f}" if low == high else f"{low:.0f}–{high:.0f}"


def _groups(values: Sequence[str], known: Rows) -> dict[str, Rows]:
    """Rows by value; empty unless there are two to ``MOST_GROUPS`` values, each with enough rows."""
    if not values:
        return {}
    found: dict[str, list[int]] = {}
    for row in known.tolist():
        found.setdefault(values[row], []).append(row)
    large = {name: np.array(found[name]) for name in sorted(found) if len(found[name]) >= FEWEST_IN_GROUP}
    return large if 2 <= len(large) <= MOST_GROUPS else {}


def _bin(label: str, values: Float, weights: Float, segments: Rows) -> ErrorBin:
    total = float(weights.sum())
    mean = float((weights * values).sum()) / total
    reach = NORMAL * _standard_error(values - mean, weights, segments)
    return ErrorBin(label or "(none)", values.size, mean, (mean - reach, mean + reach))


def _standard_error(deviations: Float, weights: Float, segments: Rows) -> float:
    """Of a weighted mean whose deviations are independent between segments alone; NaN with one segment."""
    _, place = np.unique(segments, return_inverse=True)
    count = int(place.max()) + 1
    if count < 2:
        return math.nan
    sums = np.bincount(place, weights * deviations, minlength=count)
    return math.sqrt(float((sums**2).sum()) * count / (count - 1)) / float(weights.sum())


STATISTICS = {"pearson": "Pearson's r", "kendall_tau": "Kendall's τ"}
LONGEST_FEATURE = 34
BASELINE = "chrF++"


def statistic_of(training: Training) -> str:
    """What cross-validation measures, for people."""
    return STATISTICS[training.validated.statistic]


def noun_of(training: Training) -> str:
    """What the training data consists of."""
    names = [("judgments", training.judgments), ("preferences", training.preferences)]
    return " and ".join(name for name, part in names if part is not None)


def learned(training: Training, found: LearningCurve | str) -> str:
    """What the training came to, in three sentences and a picture: against chrF++ and against the initial model."""
    validated, statistic = training.validated, statistic_of(training)
    if not validated.folds:
        return _missing("There are too few judgments for cross-validation: nothing can be said of new data.")
    init = training.model.training.get("init")
    baseline = replace(validated, folds=by_fold(_chrf(training), training.data, training.folds, validated))
    ends_ = ", ".join(number(end) for end in validated.interval)
    bars = [
        Bar("this model", validated.mean, validated.interval),
        Bar(BASELINE, baseline.mean, baseline.interval),
    ]
    gains = [_gain(f"than {BASELINE}", *paired(validated.folds, baseline.folds))]
    if init is not None:
        mean, reach, gain = init[validated.statistic], init["interval"], init["gain"]
        bars.append(Bar(f"{init['name']}, before training", _nan(mean), (_nan(reach[0]), _nan(reach[1]))))
        low, high = map(_nan, gain["interval"])
        gains.append(_gain(f"than {init['name']} before training", _nan(gain["difference"]), (low, high)))
    text = (
        f"On segments that it was not trained on, the model agrees with people at {statistic} {number(validated.mean)} "
        f"(95%: {ends_}). It agrees {'; '.join(gains)}. "
    )
    text += next(
        iter(hints(found, noun_of(training), statistic)), "What more data would add cannot be said yet."
    )
    caption = f"{statistic} with people on held-out segments: means over {len(validated.folds)} folds, 95% intervals."
    return _paragraph(text, "finding") + figure(intervals_chart([("", bars)], statistic, "Metric"), caption)


def _gain(than: str, value: float, reach: tuple[float, float]) -> str:
    """More or less, by how much, and whether that may be chance."""
    if not math.isfinite(value):
        return f"as far as can be told no better {than}"
    chance = "" if reach[0] > 0.0 or reach[1] < 0.0 else ", which may be chance"
    return f"{'better' if value > 0.0 else 'worse'} {than} by {number(abs(value))} {interval(*reach)}{chance}"


def _chrf(training: Training) -> Float:
    """chrF++ of every item of the training data, float64 [n_items]."""
    metric, data = get_metric(BASELINE.lower()), training.data
    n_items = int(max([data.scores.size - 1, *data.better.tolist(), *data.worse.tolist()])) + 1
    scores = np.full(n_items, math.nan)
    if training.judgments is not None:
        scores[: data.scores.size] = metric.score_segments(
            training.judgments.hypotheses, training.judgments.all_references
        )
    if (pairs := training.preferences) is not None:
        for items, lines in ((data.better, pairs.better), (data.worse, pairs.worse)):
            scores[items] = metric.score_segments(lines, pairs.all_references)
    return scores


def agreement(training: Training) -> str:
    """Training and cross-validated agreement side by side."""
    validated = training.validated
    record = training.model.training
    compared, statistic = record["overfitting"], statistic_of(training)
    whole, its_interval = record.get(validated.statistic), record.get(f"{validated.statistic}_interval")
    shown = (
        ("Training data", _value(whole), _range(its_interval), "the final model on its own training data"),
        (
            "Cross-validated",
            number(validated.mean),
            interval(*validated.interval),
            f"mean over {len(validated.folds)} folds, each predicted by a model trained without it",
        ),
        (
            "Difference",
            _signed(compared["difference"]),
            _range(compared["interval"]),
            "within the folds: the final model minus the models trained without them",
        ),
    )
    rows = [[name, f"<strong>{value}</strong>", ends_, note] for name, value, ends_, note in shown]
    parts = [table((statistic, "value", "95% interval", "of"), rows, f"{statistic}, training and held out")]
    if not validated.folds:
        parts.append(
            _missing("There are too few judgments for cross-validation, so that overfitting cannot be seen.")
        )
        return "".join(parts)
    folds = [
        [escaped(name), _value(compared["seen"].get(name)), number(held)]
        for name, held in validated.folds.items()
    ]
    caption = f"{statistic} in each fold (by {_by(validated.by)})"
    parts.append(_paragraph(_about_difference(compared)))
    parts.append(_folded("Fold by fold", table(("fold", "training data", "held-out data"), folds, caption)))
    if len(training.tried) > 1:
        parts.append(_tried(training))
    return "".join(parts)


def _about_difference(compared: Mapping[str, Any]) -> str:
    low, high = compared["interval"]
    if low is None or high is None:
        return "The difference is overfitting. With fewer than two folds it has no interval."
    if low <= 0.0:
        verdict = "Here it cannot be told from 0: there is no sign of overfitting."
    elif high < 0.02:
        verdict = "Here it is small."
    else:
        verdict = "Expect the held-out number on new data; more judgments or a larger lambda bring the two together."
    return f"The difference is overfitting. {verdict}"


def _tried(training: Training) -> str:
    chosen = training.validated.choice
    rows = []
    for one in sorted(training.tried, key=lambda one: (one.choice.penalty, one.choice.mixture)):
        mixed = f", mixture {one.choice.mixture:g}" if one.choice.mixture else ""
        mark = " (chosen)" if one.choice == chosen else ""
        rows.append(
            [escaped(f"{one.choice.penalty:g}{mixed}{mark}"), number(one.mean), interval(*one.interval)]
        )
    return table(("lambda", statistic_of(training), "95% interval"), rows, "What cross-validation tried")


def curve(found: LearningCurve | str, noun: str, statistic: str) -> str:
    """The learning curve and its hints."""
    if isinstance(found, str):
        return _missing(f"No hint: {found}.")
    caption = (
        f"{statistic} on held-out segments by the number of training {noun}: means over the folds with 95% intervals. "
        "The shaded fan is what is expected of more."
    )
    text = " ".join(hint(gain, noun, statistic) for gain in found.gains)
    return _paragraph(text, "finding") + figure(curve_chart(found, statistic, noun), caption)


def hint(gain: Gain, noun: str, statistic: str) -> str:
    """What more data is likely to add, in a sentence; that it cannot be said, where that is so."""
    more = f"{gain.more:,} more {noun}"
    where = f"(95%: {signed(gain.low)} to {signed(gain.high)})"
    if gain.is_clear:
        about = number(gain.value, 2 if gain.value >= 0.01 else 3)
        return f"{more} are likely to add about {about} to {statistic} {where}."
    if gain.is_small:
        return f"{more} are unlikely to add more than {number(max(gain.high, 0.001))} to {statistic} {where}."
    return f"What {more} would add cannot be said from these data {where}."


def hints(found: LearningCurve | str, noun: str, statistic: str) -> list[str]:
    """The hints for the terminal: those that say something."""
    if isinstance(found, str):
        return []
    return [hint(gain, noun, statistic) for gain in found.gains if gain.is_clear or gain.is_small]


def weights(model: Model) -> str:
    """What edits and features cost in points; the weights themselves below."""
    named = model.weights
    if not named:
        return _missing("The model has no weights: no feature occurs often enough.")
    groups: dict[str, list[Bar]] = {"states": [], "transitions": [], "features": []}
    instances = model.training.get("instances", {})
    for name, value in sorted(named.items(), key=lambda item: (-abs(item[1]), item[0])):
        kind = "transitions" if ends(name) else "states" if states_of(name) else "features"
        groups[kind].append(Bar(_label(name), value, note=f"n {instances.get(name, 0):,}"))
    every = [(kind, bars) for kind, bars in groups.items() if bars]
    listed = _folded("All weights", intervals_chart(every, "weight", "Weight, and its instances in training"))
    costs = {
        group: [Bar(cost.label, cost.points) for cost in costs] for group, costs in edit_costs(model).items()
    }
    # A feature of whole sentences can cost many times as much as a word: a scale of its own.
    of_features = [(FEATURES, costs.pop(FEATURES))] if FEATURES in costs else []
    captions = (
        f"Points lost by one edit of a perfect translation of {WORDS} words.",
        "Points lost where the value of a feature is 0 rather than 1.",
    )
    pictures = [
        figure(intervals_chart(groups, "points", "Costs"), caption)
        for groups, caption in zip(([*costs.items()], of_features), captions, strict=True)
        if groups
    ]
    return "".join(pictures) + listed


def _label(name: str) -> str:
    short = name.removeprefix(FEATURE_PREFIX)
    return short if len(short) <= LONGEST_FEATURE else f"{short[: LONGEST_FEATURE - 1]}…"


def fact_list(facts: Mapping[str, str]) -> str:
    """Names with their values in a row."""
    rows = (f"<div><dt>{escaped(name)}</dt><dd>{escaped(value)}</dd></div>" for name, value in facts.items())
    return f'<dl class="facts">{"".join(rows)}</dl>'


def source_texts(reference: str, others: Sequence[tuple[str, str]]) -> str:
    """The texts of a segment, as they are in the data."""
    return "".join(
        f'<p class="source"><span class="side">{side}</span> <bdi>{escaped(words) or "(empty)"}</bdi></p>'
        for side, words in (("ref", reference), *others)
    )


def residuals(found: Sequence[tuple[str, str, Sequence[ErrorBin]]]) -> str:
    """Errors by length and by group: of judgments or preferences, by what, and their bins."""
    if not found:
        return _missing("There is no held-out prediction to take errors of.")
    told = {noun for noun, *_ in found}
    text = " ".join(text for noun, text in _ABOUT_ERRORS.items() if noun in told)
    return _paragraph(text) + "".join(_errors(*one) for one in found)


_ABOUT_ERRORS = {
    "judgments": "The error of a judgment is the held-out prediction minus the human score, in standard deviations of "
    "the human scores: above 0 is rated too high. Predictions spread less than scores, so that single errors are "
    "large; a group whose interval leaves out 0 is rated too high or too low as a whole.",
    "preferences": "The error of a preference is 1 if the model orders the two translations the other way round, else "
    "0.",
}


def _errors(noun: str, by: str, bins: Sequence[ErrorBin]) -> str:
    scored, by = noun == "judgments", by.replace("_", " ")
    bars = [Bar(_label(one.label), one.mean, one.interval, f"n {one.n:,}") for one in bins]
    axis = "mean error, sd" if scored else "share wrong"
    caption = f"Errors of {noun} by {by}: means with 95% intervals."
    return figure(intervals_chart([("", bars)], axis, by), caption)


def _missing(text: str) -> str:
    return f'<p class="notice">{escaped(text)}</p>'


def _paragraph(text: str, kind: str = "reading") -> str:
    return f'<p class="{kind}">{escaped(text)}</p>'


def _folded(summary: str, content: str) -> str:
    return f"<details><summary>{escaped(summary)}</summary>{content}</details>"


def _by(name: str) -> str:
    return name.replace("source_lang", "source language")


def _nan(value: float | None) -> float:
    return math.nan if value is None else value


def _value(value: float | None) -> str:
    return number(_nan(value))


def _signed(value: float | None) -> str:
    return signed(_nan(value))


def _range(ends_: Sequence[float | None] | None) -> str:
    if ends_ is None or None in ends_:
        return ""
    low, high = map(_nan, ends_)
    return interval(low, high)
