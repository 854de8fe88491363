"""The segments on which held-out predictions are furthest from people, with explanations of their scores."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pfsm.errors import PfsmError
from pfsm.model.explain.explanation import Explanation
from pfsm.model.metric import Metric
from pfsm_training.fit.training import Training

Float = NDArray[np.float64]

# Of each kind: rated too high, rated too low, ordered the wrong way round.
SHOWN = 5
# More words than this on both sides together make neither a picture nor a quick page.
MOST_WORDS = 400
LABELS = ("segment_id", "system", "source_lang", "document")
PAIR_LABELS = ("segment_id", "better_system", "worse_system", "source_lang")


@dataclass(frozen=True)
class Translation:
    """A translation and the explanation of its score; None where there is none, and ``missing`` says why."""

    role: str
    text: str
    explanation: Explanation | None
    missing: str = ""


@dataclass(frozen=True)
class WorstSegment:
    """A judgment or a preference that a model predicts badly.

    Attributes:
        item: Its number among the items, judgments first.
        kind: ``too high``, ``too low`` or ``wrong way round``.
        labels: Names and values of columns that identify it.
        reference: Text of the reference; of several the one with the highest score.
        facts: What people and the model say, by name.
        translations: The translation, or the better and the worse one.
    """

    item: int
    kind: str
    labels: tuple[tuple[str, str], ...]
    reference: str
    facts: tuple[tuple[str, str], ...]
    translations: tuple[Translation, ...]


def worst_segments(training: Training, errors: Float, margins: Float) -> list[WorstSegment]:
    """The worst judgments, then the worst preferences.

    Args:
        training: The training.
        errors: float64 [n_scored], predicted minus human score in standard deviations; NaN where unknown.
        margins: float64 [n_preferences], predicted score of the better minus that of the worse translation.
    """
    explainer = _Explainer(Metric(training.model, threads=1))
    return [*_judgments(training, errors, explainer), *_preferences(training, margins, explainer)]


@dataclass(frozen=True)
class _Explainer:
    """Explains scores of translations."""

    metric: Metric

    def explain(
        self, role: str, hypothesis: str, references: Sequence[str], columns: Mapping[str, float]
    ) -> tuple[str, Translation]:
        """The reference that counts, the one with the highest score, and the explanation of the score with it."""
        several = {name: [value] * len(references) for name, value in columns.items()}
        given = several if self.metric.columns else None
        scores = self.metric.score_pairs([hypothesis] * len(references), references, given)
        reference = references[int(np.argmax(scores))]
        if len(references) > 1 and self.metric.segment_references == "mean":
            # The explanation is that of one score among those that the mean is over.
            role = f"{role} (mean score against {len(references)} references {float(scores.mean()):.4g})"
        if len(hypothesis.split()) + len(reference.split()) > MOST_WORDS:
            return reference, Translation(
                role, hypothesis, None, f"the pair has more than {MOST_WORDS} words"
            )
        try:
            explanation = self.metric.explain(hypothesis, reference, columns if self.metric.columns else None)
        except PfsmError as error:
            return reference, Translation(role, hypothesis, None, str(error))
        return reference, Translation(role, hypothesis, explanation)


def _largest(values: Float) -> list[int]:
    """The largest values above 0, by number; equal ones in the order of the data."""
    order = np.argsort(-np.where(np.isfinite(values), values, -np.inf), kind="stable")[:SHOWN]
    return [at for at in order.tolist() if values[at] > 0.0]


def _judgments(training: Training, errors: Float, explainer: _Explainer) -> list[WorstSegment]:
    judgments, held_out = training.judgments, training.validated.held_out
    if judgments is None or held_out is None:
        return []
    references = judgments.all_references
    columns = {name: judgments.numbers(name) for name in explainer.metric.columns}
    found = []
    for kind, values in (("too high", errors), ("too low", -errors)):
        for at in _largest(values):
            facts = (
                ("Error", f"{errors[at]:+.2f} sd"),
                ("Human score", f"{judgments.scores[at]:.6g}"),
                ("Held-out prediction", f"{held_out.scores[at]:.4g}"),
            )
            labels = tuple(
                (name, judgments.columns[name][at]) for name in LABELS if name in judgments.columns
            )
            numbers = {name: float(values[at]) for name, values in columns.items()}
            reference, translation = explainer.explain(
                "Translation", judgments.hypotheses[at], references[at], numbers
            )
            found.append(WorstSegment(at, kind, labels, reference, facts, (translation,)))
    return found


def _preferences(training: Training, margins: Float, explainer: _Explainer) -> list[WorstSegment]:
    preferences = training.preferences
    if preferences is None:
        return []
    first = 0 if training.judgments is None else len(training.judgments)
    references = preferences.all_references
    columns = {name: preferences.numbers(name) for name in explainer.metric.columns}
    found = []
    for at in _largest(np.where(preferences.votes > 0.0, -margins, np.nan)):
        facts = (
            ("Held-out margin", f"{margins[at]:+.4g}"),
            ("Votes", f"{preferences.votes[at]:g}"),
        )
        labels = tuple(
            (name, preferences.columns[name][at]) for name in PAIR_LABELS if name in preferences.columns
        )
        told = zip(
            ("Better, people say", "Worse, people say"),
            (preferences.better[at], preferences.worse[at]),
            strict=True,
        )
        pairs = [
            explainer.explain(role, text, references[at], _numbers(columns, place, at))
            for place, (role, text) in enumerate(told)
        ]
        reference = pairs[0][0]
        translations = tuple(translation for _, translation in pairs)
        found.append(WorstSegment(first + at, "wrong way round", labels, reference, facts, translations))
    return found


def _numbers(columns: Mapping[str, Sequence[Float]], place: int, at: int) -> dict[str, float]:
    """What the columns say of the better (0) or worse (1) translation of a preference."""
    return {name: float(both[place][at]) for name, both in columns.items()}
