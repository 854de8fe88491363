"""The sections of a report, as HTML."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pfsm.lattice.names import FEATURE_PREFIX, ends, states_of
from pfsm_training.data.moments import mean_and_sd
from pfsm_training.report.charts import Bar, Pair, curve_chart, intervals_chart, margins_chart, pairs_chart
from pfsm_training.report.drawing import MINUS, escaped, figure, interval, number, signed, table
from pfsm_training.report.findings import Findings
from pfsm_training.report.influence import SHOWN, Influence
from pfsm_training.report.learning_curve import Gain, LearningCurve
from pfsm_training.report.residuals import ErrorTable
from pfsm_training.report.scatter import scatter
from pfsm_training.report.weights import Intervals

STATISTICS = {"pearson": "Pearson's r", "kendall_tau": "Kendall's τ"}
# Rows of a picture of weights; the table below it has all.
MOST_BARS = 30
# Errors beyond this many standard deviations are rare where scores are sound.
FAR = 3.0
LONGEST_FEATURE = 34


def statistic_of(found: Findings) -> str:
    """What cross-validation measures, for people."""
    return STATISTICS[found.training.validated.statistic]


def noun_of(found: Findings) -> str:
    """What the training data consists of."""
    training = found.training
    names = [("judgments", training.judgments), ("preferences", training.preferences)]
    return " and ".join(name for name, part in names if part is not None)


def agreement(found: Findings) -> str:
    """Training and cross-validated agreement side by side."""
    training, validated = found.training, found.training.validated
    record = training.model.training
    compared, statistic = record["overfitting"], statistic_of(found)
    whole, its_interval = record.get(validated.statistic), record.get(f"{validated.statistic}_interval")
    shown = [
        (
            "Training data",
            _value(whole),
            _range(its_interval),
            "All training data, predicted by the final model",
        ),
        (
            "Cross-validated",
            number(validated.mean),
            interval(*validated.interval),
            f"Mean over {len(validated.folds)} folds, each predicted by a model that has not seen it",
        ),
        (
            "Difference",
            _signed(compared["difference"]),
            _range(compared["interval"]),
            "Within the folds: the final model, which has seen them, minus the models that have not",
        ),
    ]
    rows = [
        [escaped(name), f"<strong>{value}</strong>", ends_, escaped(note)]
        for name, value, ends_, note in shown
    ]
    parts = [
        table(
            (statistic, "value", "95% interval", "what it is"),
            rows,
            f"{statistic}, seen and held out",
            "text",
        )
    ]
    if not validated.folds:
        parts.append(
            _missing("There are too few judgments for cross-validation, so that overfitting cannot be seen.")
        )
        return "".join(parts)
    pairs = [Pair(name, compared["seen"].get(name, math.nan), r) for name, r in validated.folds.items()]
    if whole is not None and its_interval is not None and None not in its_interval:
        pairs.append(
            Pair("all", whole, validated.mean, (its_interval[0], its_interval[1]), validated.interval)
        )
    picture = pairs_chart(
        pairs,
        statistic,
        ("seen in training", "held out"),
        f"{statistic} by fold, seen and held out; the table has the means",
    )
    parts.append(figure(picture, f"{statistic} in each fold (by {_by(validated.by)}), seen and held out."))
    parts.append(_paragraph(_about_difference(compared)))
    if len(training.tried) > 1:
        parts.append(_tried(found))
    return "".join(parts)


def _about_difference(compared: Mapping[str, Any]) -> str:
    low, high = compared["interval"]
    if low is None or high is None:
        return "The difference is what the model has learned by heart. With fewer than two folds it has no interval."
    if low <= 0.0:
        verdict = "Here it cannot be told from 0: there is no sign of overfitting."
    elif high < 0.02:
        verdict = "Here it is small."
    else:
        verdict = "Expect the held-out number on new data; more judgments or a larger lambda bring the two together."
    return f"The difference is what the model has learned by heart. {verdict}"


def _tried(found: Findings) -> str:
    chosen = found.training.validated.choice
    rows = []
    for one in found.training.tried:
        mixed = f", mixture {one.choice.mixture:g}" if one.choice.mixture else ""
        mark = " (chosen)" if one.choice == chosen else ""
        rows.append(
            [escaped(f"{one.choice.penalty:g}{mixed}{mark}"), number(one.mean), interval(*one.interval)]
        )
    return table(("lambda", statistic_of(found), "95% interval"), rows, "What cross-validation tried")


def curve(found: Findings) -> str:
    """The learning curve and its hints."""
    if isinstance(found.curve, str):
        return _missing(f"No hint: {found.curve}.")
    noun, statistic = noun_of(found), statistic_of(found)
    caption = (
        f"{statistic} on held-out segments by the number of training {noun}: means over the folds with 95% intervals. "
        "The shaded fan is what is expected of more."
    )
    sentences = [hint(gain, noun, statistic) for gain in found.curve.gains]
    return _paragraph(" ".join(sentences), "finding") + figure(
        curve_chart(found.curve, statistic, noun), caption
    )


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


def hints(found: "LearningCurve | str", noun: str, statistic: str) -> list[str]:
    """The hints for the terminal: those that say something."""
    if isinstance(found, str):
        return []
    return [hint(gain, noun, statistic) for gain in found.gains if gain.is_clear or gain.is_small]


def predictions(found: Findings) -> str:
    """Predicted against human scores, and margins of preferences."""
    parts = []
    data = found.training.data
    if data.scores.size:
        marked = {at: str(place) for place, at in enumerate(_hardest(found), 1) if at < data.scores.size}
        panels = [("Training data", found.predicted)]
        if np.isfinite(found.held_out).sum() > 1:
            panels.append(("Held out", found.held_out))
        picture, hexagons = scatter(panels, data.scores, marked, data.weights)
        how = (
            f"Shades show how many judgments lie in a hexagon, on a logarithmic scale ({data.scores.size:,} in all)."
            if hexagons
            else "A point is a judgment."
        )
        rings = " Rings mark the judgments that pull hardest, numbered as below." if marked else ""
        parts.append(
            figure(
                picture,
                f"Predicted against human scores, with the regression line and r over all points. {how}{rings}",
            )
        )
    if data.votes.size and np.isfinite(found.margins).any():
        known = np.isfinite(found.margins)
        votes = data.votes[known]
        share = (
            float(votes[found.margins[known] > 0.0].sum()) / float(votes.sum()) if votes.any() else math.nan
        )
        right = f"{number(100.0 * share, 1)}% of {votes.sum():,.0f} votes"
        told = f"Votes by held-out margin: {right} are on the right side of 0"
        parts.append(figure(margins_chart(found.margins, data.votes, told), f"{told}."))
    return "".join(parts) or _missing("There is no prediction to draw.")


def weights(found: Findings) -> str:
    """The weights with their intervals, in a picture and as a table."""
    named = found.training.model.weights
    if not named:
        return _missing("The model has no weights: no feature occurs often enough.")
    intervals = _intervals_by_name(found)
    groups: dict[str, list[Bar]] = {"states": [], "transitions": [], "features": []}
    for name, value in sorted(named.items(), key=lambda item: (-abs(item[1]), item[0])):
        kind = "transitions" if ends(name) else "states" if states_of(name) else "features"
        groups[kind].append(Bar(_label(name), value, intervals.get(name, (math.nan, math.nan))))
    shown = [(kind, bars[:MOST_BARS]) for kind, bars in groups.items() if bars]
    left_out = sum(max(0, len(bars) - MOST_BARS) for bars in groups.values())
    caption = f"Weights, {_how_bootstrapped(found)}. A hollow point is a weight whose interval holds 0."
    if left_out:
        caption += f" The {left_out} smallest are in the table alone."
    picture = intervals_chart(
        shown, "weight", "Weights with their intervals; the table below has the numbers"
    )
    instances = found.training.model.training.get("instances", {})
    rows = [
        [
            escaped(name),
            signed(value, 4),
            interval(*intervals.get(name, (math.nan, math.nan)), 4),
            f"{instances.get(name, 0):,}",
        ]
        for name, value in sorted(
            named.items(), key=lambda item: (ends(item[0]) is not None, -item[1], item[0])
        )
    ]
    listed = table(("feature", "weight", "95% interval", "instances"), rows, "All weights")
    return figure(picture, caption) + _folded(f"All {len(rows)} weights as a table", listed)


def _intervals_by_name(found: Findings) -> dict[str, tuple[float, float]]:
    if found.local is None or isinstance(found.intervals, str):
        return {}
    lows, highs = found.intervals.low.tolist(), found.intervals.high.tolist()
    return {name: (low, high) for name, low, high in zip(found.local.names, lows, highs, strict=True) if name}


def _how_bootstrapped(found: Findings) -> str:
    intervals = found.intervals
    if not isinstance(intervals, Intervals):
        return f"without intervals ({intervals})"
    how = (
        "refitted from the model's weights"
        if intervals.refitted
        else "refitted by one Newton step from the model"
    )
    return f"with 95% bootstrap intervals ({intervals.resamples} resamples of the segments, {how})"


def _label(name: str) -> str:
    short = name.removeprefix(FEATURE_PREFIX)
    return short if len(short) <= LONGEST_FEATURE else f"{short[: LONGEST_FEATURE - 1]}…"


def pulling(found: Findings) -> str:
    """The judgments and preferences that pull hardest."""
    if isinstance(found.influence, str):
        return _missing(f"Not worked out: {found.influence}.")
    spread = _spread_without(found, found.influence)
    items, far = [], 0
    for at in _hardest(found):
        item, is_far = _pulling_item(found, found.influence, at, spread)
        items.append(f"<li>{item}</li>")
        far += is_far
    unit = "standard deviations of the human scores" if found.training.judgments is not None else "log odds"
    text = (
        "Leaving one of these out of training would move the predictions most. Moves: root mean square change of all "
        f"predictions, in {unit}. Without it: the prediction of a model that has not seen it. Leverage, from 0 to 1: "
        f"how far it determines its own prediction. {_about_far(far)}"
    )
    return _paragraph(text) + f'<ol class="pulling">{"".join(items)}</ol>'


def _about_far(far: int) -> str:
    if not far:
        return "Each of them is near what the model says without it."
    return (
        f"{_counted(far)} of them {'is' if far == 1 else 'are'} far from what the model says without it (bold): more "
        f"than {FAR:g} standard deviations from a score, or the other way round for a preference. Check these first, "
        "they may be annotation errors."
    )


def _hardest(found: Findings) -> list[int]:
    if isinstance(found.influence, str):
        return []
    order: list[int] = found.influence.order()[:SHOWN].tolist()
    return order


def _spread_without(found: Findings, pulls: Influence) -> float:
    """Standard deviation of the errors of judgments, each predicted without it."""
    data = found.training.data
    errors = pulls.without[: data.scores.size] - data.scores
    return mean_and_sd(errors, data.weights)[1] if errors.size else math.nan


def _pulling_item(found: Findings, pulls: Influence, at: int, spread: float) -> tuple[str, bool]:
    """A judgment or preference with its numbers, and whether it is far from what the others say."""
    training, count = found.training, found.training.data.scores.size
    without, is_far = float(pulls.without[at]), False
    if at < count and training.judgments is not None:
        part, row = training.judgments, at
        error = (without - float(part.scores[at])) / spread if spread > 0.0 else math.nan
        is_far = abs(error) > FAR
        told = {
            "Human score": _plain(part.scores[at]),
            **({} if training.data.weights is None else {"Weight": _plain(training.data.weights[at])}),
            "Predicted": _plain(found.predicted[at]),
            "Without it": _plain(without),
            "Error without it": f"{signed(error, 2)} sd",
        }
        texts, columns, reference = [("hyp", part.hypotheses[at])], part.columns, part.references[at]
    else:
        assert training.preferences is not None
        pair, row = training.preferences, at - count
        margin = math.nan if found.local is None else found.local.margin(row)
        is_far = without < 0.0
        told = {
            "Votes": f"{pair.votes[row]:g}",
            "Margin": signed(margin),
            "Margin without it": signed(without),
        }
        texts = [("better", pair.better[row]), ("worse", pair.worse[row])]
        columns, reference = pair.columns, pair.references[row]
    moved = {"Moves": number(float(pulls.movement[at]), 4), "Leverage": number(float(pulls.leverage[at]))}
    bold = ("Error without it", "Margin without it") if is_far else ()
    facts = fact_list({**_labels(columns, row), **told, **moved}, bold)
    return facts + source_texts(reference, texts), is_far


def _plain(value: float) -> str:
    return f"{value:.4g}".replace("-", MINUS)


def _labels(columns: Mapping[str, Sequence[str]], at: int) -> dict[str, str]:
    names = ("segment_id", "system", "better_system", "worse_system")
    return {name: columns[name][at] for name in names if name in columns and columns[name][at]}


def fact_list(facts: Mapping[str, str], bold: Sequence[str] = ()) -> str:
    """Names with their values in a row; those in ``bold`` stand out."""
    rows = (
        f"<div><dt>{escaped(name)}</dt><dd>"
        f"{f'<strong>{escaped(value)}</strong>' if name in bold else escaped(value)}</dd></div>"
        for name, value in facts.items()
    )
    return f'<dl class="facts">{"".join(rows)}</dl>'


def source_texts(reference: str, others: Sequence[tuple[str, str]]) -> str:
    """The texts of a segment, as they are in the data."""
    return "".join(
        f'<p class="source"><span class="side">{side}</span> <bdi>{escaped(words) or "(empty)"}</bdi></p>'
        for side, words in (("ref", reference), *others)
    )


def residuals(found: Findings) -> str:
    """Errors by length and by group."""
    parts = [
        *(_errors(one, "judgments") for one in found.judgments),
        *(_errors(one, "preferences") for one in found.preferences),
    ]
    if not parts:
        return _missing("There is no held-out prediction to take errors of.")
    texts = []
    if found.judgments:
        texts.append(
            "The error of a judgment is the held-out prediction minus the human score, in standard deviations of the "
            "human scores: above 0 is rated too high. Predictions spread less than scores, so that single errors are "
            "large; a group whose interval leaves out 0 is rated too high or too low as a whole."
        )
    if found.preferences:
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
    axis = "held-out error, standard deviations" if scored else "share of votes ordered wrongly"
    told = "; ".join(f"{bar.label}: {signed(bar.value, 2)}" for bar in bars)
    caption = f"Errors of {noun} by {errors.by.replace('_', ' ')}: means with 95% intervals"
    caption += ", and in grey where 80% of the errors lie." if scored else "."
    return figure(intervals_chart([("", bars)], axis, f"{caption} {told}"), caption)


def _missing(text: str) -> str:
    return f'<p class="notice">{escaped(text)}</p>'


def _paragraph(text: str, kind: str = "reading") -> str:
    return f'<p class="{kind}">{escaped(text)}</p>'


def _folded(summary: str, content: str) -> str:
    return f"<details><summary>{escaped(summary)}</summary>{content}</details>"


def _counted(count: int) -> str:
    return "One" if count == 1 else str(count)


def _by(name: str) -> str:
    return name.replace("source_lang", "source language")


def _value(value: float | None) -> str:
    return number(math.nan if value is None else value)


def _signed(value: float | None) -> str:
    return signed(math.nan if value is None else value)


def _range(ends_: Sequence[float | None] | None) -> str:
    if ends_ is None or None in ends_:
        return ""
    low, high = (math.nan if end is None else end for end in ends_)
    return interval(low, high)
