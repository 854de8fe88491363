"""The card of a shipped model: its training data, its use and its limits."""

import math
from collections.abc import Iterator, Mapping, Sequence

from pfsm.data.minimal_pairs import SEVERITIES
from pfsm.english.perturbation.kind import NAMES
from pfsm.evaluation.probe import ALL, KindResult, ProbeResult
from pfsm.model.explain.errors import marker_of
from pfsm.model.file import Model

# Share of the pairs of a contrast test below which the model is said not to notice the error.
SELDOM = 0.5
_ALL = (
    "Each model has its own scale: compare translations by the scores of one model.",
    "A single segment's score is uncertain; means over a few hundred segments tell systems apart (`pfsm compare`).",
    "It may judge other texts and systems than those named above less well (`pfsm train --init` adapts it).",
)
_CHANGED = (
    "How often the changed text scores lower, by kind (`pfsm data perturb`, then `pfsm probe`). The texts are "
    "not among the training data. Harmless changes should cost little: for each, the mean loss as a share of the "
    "median loss of a critical error."
)


def card(
    model: Model, weak: Sequence[str], result: ProbeResult | None, changed: Mapping[str, ProbeResult]
) -> str:
    """The card as Markdown."""
    lines = [*_head(model), *_agreement(model)]
    if result is not None:
        about = "How often the worse of two translations scores lower (`pfsm probe`)."
        lines += [
            "",
            "## Contrast tests",
            "",
            about,
            "",
            "| kind | pairs | worse is lower |",
            "|---|---|---|",
        ]
        lines += [f"| {kind.kind} | {kind.n} | {100 * kind.lower.value:.0f}% |" for kind in result.kinds]
        unnoticed = [kind.kind for kind in result.kinds if kind.lower.value < SELDOM]
        if unnoticed:
            rarely = (
                "More often than not it penalises these errors less than a harmless change of the same size: "
            )
            weak = [f"{rarely}{', '.join(unnoticed)}.", *weak]
    if changed:
        lines += ["", "## Changes made on purpose", "", _CHANGED, "", *_changed(changed)]
    lines += ["", "## Where it is weak", "", *(f"- {text}" for text in (*weak, *_ALL)), ""]
    return "\n".join(lines)


def _head(model: Model) -> Iterator[str]:
    settings, training = model.settings, model.training
    features = list(settings.features)
    yield from (f"# {model.name}", "", training["uses"], "")
    yield f"- Language of the translations: `{settings.language}`"
    yield f"- Knowledge: {', '.join(settings.matchers)}{'; split by word class' if settings.split else ''}"
    if features:
        yield f"- Sentence-level features: {', '.join(features)}"
    column = training["score_column"]
    yield f"- Learned from: {training['sets']}; {training['judgments']:,} judgments (column `{column}`)"
    beside = training.get("encoder")
    if beside:
        yield f"- Beside the edits, over the encoder `{beside['source']}`: a head that counts {beside['share']:g}"
        yield f"- The head has learned from: {beside['learned_from']}"
    if least := training.get("at_least"):
        rare = ", ".join(f"`{name}` {weight:g}" for name, weight in least.items())
        yield f"- Set to at least this, for grave faults that judgments hold too few of: {rare}"
    yield f"- Weights: {len(model.weights)}; lambda {training['lambda']:g}, {training['lambda_choice']}"
    if "needs" in training:
        yield f"- Needs: `{training['needs']}`"
    yield f"- Scale: {model.scale.note}"
    major = marker_of(training, features, model.name).major
    yield f"- Errors are major from {major:g} points on, as experts' marks say (`scripts/build_errors.py`)."
    yield f"- Licence of the weights: {model.licence}. The file contains no text of the data."
    heads = "; heads by `scripts/distil.py`" if beside else ""
    yield f"- Built by `scripts/build_models.py {model.name}` with `configs/models`{heads}"


def _agreement(model: Model) -> Iterator[str]:
    beside = model.training.get("encoder")
    training = beside["edits_alone"] if beside else model.training
    validated, folds = training["cross_validated"], training["cross_validated"]["folds"]
    yield from ("", "## Agreement with people", "")
    if beside:
        yield "Of the whole: `docs/results.md`. What follows is the edits alone.\n"
    by_language = validated["by"] == "source_lang"
    side = "target" if "languages" in model.training else "source"
    by = f"{side} languages" if by_language else f"folds of {validated['by']}"
    yield f"Pearson's r with the judgments, cross-validated over {by}: **{validated['pearson']:.3f}**"
    if isinstance(folds, dict) and by_language:
        yield "(" + ", ".join(f"{name} {value:.3f}" for name, value in folds.items()) + ")."
    yield f"On the training data: {training['pearson']:.3f}."


def _changed(changed: Mapping[str, ProbeResult]) -> Iterator[str]:
    """Accuracy by kind, and what harmless changes cost, for each set of changed texts."""
    yield "| kind | severity | " + " | ".join(changed) + " |"
    yield "|---|---|" + "---|" * len(changed)
    results = list(changed.values())
    by_name = [{kind.kind: kind for kind in result.kinds} for result in results]
    for kind in sorted({name for known in by_name for name in known} - {ALL}, key=NAMES.index):
        severity = next(known[kind].severity for known in by_name if kind in known)
        cells = [_cell(known.get(kind), result) for known, result in zip(by_name, results, strict=True)]
        yield f"| {kind} | {severity} | {' | '.join(cells)} |"
    yield f"| mean of kinds | | {' | '.join(f'**{100 * result.mean_of_kinds:.0f}%**' for result in results)} |"
    shares = [result.severity.harmless_share.value if result.severity else math.nan for result in results]
    shown = " | ".join("–" if math.isnan(share) else f"{share:.2f}" for share in shares)
    yield f"| harmless / critical, medians | | {shown} |"


def _cell(kind: KindResult | None, result: ProbeResult) -> str:
    if kind is None:
        return "–"
    if kind.severity != SEVERITIES[0]:
        return f"{100 * kind.lower.value:.0f}%"
    losses = {one.severity: one.median.value for one in result.severity.losses} if result.severity else {}
    critical = losses.get(SEVERITIES[-1], math.nan)
    return f"costs {kind.difference.value / critical:.2f}" if critical > 0.0 else "–"
