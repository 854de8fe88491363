"""The sections of a report, as HTML."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.lattice.names import FEATURE_PREFIX, ends, states_of
from pfsm.metrics import get_metric
from pfsm.model.costs import FEATURES, WORDS, edit_costs
from pfsm.model.file import Model
from pfsm.runtime.charts import interval, number, signed
from pfsm.runtime.charts import text as escaped
from pfsm_training.fit.crossval import by_fold, paired
from pfsm_training.fit.training import Training
from pfsm_training.report.charts import Bar, curve_chart, figure, intervals_chart, table
from pfsm_training.report.learning_curve import Gain, LearningCurve
from pfsm_training.report.residuals import ErrorTable

STATISTICS = {"pearson": "Pearson's r", "kendall_tau": "Kendall's τ"}
LONGEST_FEATURE = 34
BASELINE = "chrF++"
Float = NDArray[np.float64]


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


def residuals(judgments: Sequence[ErrorTable], preferences: Sequence[ErrorTable]) -> str:
    """Errors by length and by group."""
    parts = [
        *(_errors(one, "judgments") for one in judgments),
        *(_errors(one, "preferences") for one in preferences),
    ]
    if not parts:
        return _missing("There is no held-out prediction to take errors of.")
    texts = []
    if judgments:
        texts.append(
            "The error of a judgment is the held-out prediction minus the human score, in standard deviations of the "
            "human scores: above 0 is rated too high. Predictions spread less than scores, so that single errors are "
            "large; a group whose interval leaves out 0 is rated too high or too low as a whole."
        )
    if preferences:
        texts.append(
            "The error of a preference is 1 if the model orders the two translations the other way round, else 0."
        )
    return _paragraph(" ".join(texts)) + "".join(parts)


def _errors(errors: ErrorTable, noun: str) -> str:
    scored = noun == "judgments"
    bars = [
        Bar(
            _label(one.label),
            one.mean,
            one.interval,
            one.spread if scored else (math.nan, math.nan),
            f"n {one.n:,}",
        )
        for one in errors.bins
    ]
    axis = "mean error, sd" if scored else "share wrong"
    caption = f"Errors of {noun} by {errors.by.replace('_', ' ')}: means with 95% intervals"
    caption += ", and in grey where 80% of the errors lie." if scored else "."
    return figure(intervals_chart([("", bars)], axis, errors.by.replace("_", " ")), caption)


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
