"""Checks of metrics and of sentence-level features."""

import json
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.conformance.checks import Check, Subject, hold
from pfsm.conformance.processes import in_another_process
from pfsm.errors import PfsmError
from pfsm.features.values import check_feature, counted_features, feature_signature, feature_values
from pfsm.metrics.base import Level, SegmentMetric
from pfsm.metrics.ngram_table import documents_of
from pfsm.metrics.registry import describe_feature, get_metric
from pfsm.model.file import Model, model_at_work
from pfsm.model.metric import Metric
from pfsm.model.settings import settings_from_dict

Float = NDArray[np.float64]
Score = Callable[[Sequence[str], Sequence[str]], Float]
# Sums in another order: of n numbers of similar size.
ROUNDING = 1e-12


def metric_checks(subject: Subject) -> Iterator[Check]:
    """The checks of a metric."""
    trial = _Trial(subject)
    yield Check("its name makes it, and its docstring begins with a description", trial.can_be_made)
    yield Check("one finite number for each pair", lambda: _varies(trial.score(*trial.sides)))
    yield Check("no pairs have no scores", lambda: _is_empty(trial.score))
    yield Check("the score of a pair depends on nothing but the pair", trial.is_independent)
    yield Check("lists that are no pairs are refused", trial.refuses)
    yield Check("several references: the same one twice changes nothing", trial.takes_references)
    yield Check(
        "the score of a corpus is a finite number, and that of the sums of its parts", trial.scores_corpora
    )
    yield Check("each of its parts, if it has any, gives one finite number for each pair", trial.has_parts)
    yield Check("its signature names its package, and is the same from a metric made anew", trial.signs)
    if trial.metric_is_independent():
        yield Check("a model can use it as a feature", lambda: scores(subject.name, subject))
    yield Check("another process gives the same scores", trial.scores_elsewhere)


class _Trial:
    def __init__(self, subject: Subject) -> None:
        self._subject = subject
        self.sides = subject.hypotheses, subject.references

    @cached_property
    def _metric(self) -> SegmentMetric:
        return get_metric(self._subject.name)

    def metric_is_independent(self) -> bool:
        try:
            # Once what it counts over references is counted.
            return self._metric.counted_over(()).is_independent
        except Exception:  # the check that makes it has said so
            return False

    def score(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        return self._metric.score_pairs(hypotheses, references)

    def can_be_made(self) -> str:
        hold(self._metric.origin == self._subject.name, f"it is made from {self._metric.origin!r}")
        described = describe_feature(self._subject.entry.name)
        return "" if described else "it has no docstring, so `pfsm metrics` says nothing of it"

    def is_independent(self) -> str:
        if not self._metric.is_independent:
            return "it says that it is not; it cannot be scored in parts, nor be a feature as it is"
        is_independent(self.score, self._subject)
        return ""

    def refuses(self) -> None:
        wrong: tuple[Any, ...] = ((["a"], []), ("a", ["a"]), (["a"], "a"))
        for sides in wrong:
            try:
                self.score(*sides)
            except ValueError:
                continue
            raise PfsmError(f"score_pairs{sides} raises no ValueError")

    def takes_references(self) -> None:
        ours, theirs = self.sides
        once = self._metric.segment_scores(ours, [theirs])
        _close(once, self.score(ours, theirs), "with one reference segment_scores differs from score_pairs")
        _close(once, self._metric.segment_scores(ours, [theirs, theirs]), "scores change")
        if not self._metric.is_independent:
            return
        lines: list[str | None] = [None, *theirs[1:]]
        some = self._metric.segment_scores(ours, [theirs, lines])
        _close(once, some, "scores change where a segment has fewer references")

    def scores_corpora(self) -> None:
        ours, theirs = self.sides
        whole = self._metric.corpus_score(ours, [theirs])
        hold(np.isfinite(float(whole)), f"it is {float(whole)}")
        if not self._metric.is_additive:
            return
        half = len(ours) // 2
        parts = [
            self._metric.segment_statistics(ours[part], [theirs[part]]).sum(axis=0)
            for part in (slice(half), slice(half, None))
        ]
        summed = float(self._metric.corpus_from_totals(np.sum(parts, axis=0)))
        hold(abs(summed - float(whole)) <= 1e-9 * max(abs(float(whole)), 1.0), f"{float(whole)} and {summed}")

    def has_parts(self) -> str:
        parts = self._metric.named_parts(*self.sides)
        for name, values in parts.items():
            good = np.shape(values) == (len(self._subject.samples),) and np.isfinite(values).all()
            hold(isinstance(name, str) and good, f"{name!r} is not")
        return "" if parts else "it has none, so `pfsm explain` says nothing of it"

    def signs(self) -> None:
        levels: tuple[Level, ...] = ("segment", "corpus")
        for level in levels:
            signature = self._metric.get_signature(1, level)
            hold(
                signature.isprintable() and "||" not in signature,
                f"{signature!r} cannot be printed on a line",
            )
            label = self._subject.entry.origin.label
            hold(f"|plugin:{label}|" in signature, f"{signature!r} does not name {label}")
            hold(get_metric(self._subject.name).get_signature(1, level) == signature, "it differs")

    def scores_elsewhere(self) -> None:
        there = in_another_process(_scores, self._subject.name, *self.sides)
        _close(self.score(*self.sides), there, "scores differ there")


def _scores(name: str, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
    return get_metric(name).score_pairs(hypotheses, references)


def _close(one: Float, other: Float, fault: str) -> None:
    hold(one.shape == other.shape and np.allclose(one, other, rtol=ROUNDING, atol=ROUNDING), fault)


def feature_checks(subject: Subject) -> Iterator[Check]:
    """The checks of a feature."""
    name = subject.entry.name
    ours, theirs = subject.hypotheses, subject.references
    yield Check("it has a name and half a line that describes it", lambda: _describes(name))
    yield Check("one finite number for each pair", lambda: _varies(_feature(name)(ours, theirs)))
    yield Check("no pairs have no values", lambda: _is_empty(_feature(name)))
    yield Check(
        "the value of a pair depends on nothing but the pair",
        lambda: is_independent(_feature(*counted_features([name], theirs)), subject),
    )
    yield Check(
        "a model with it can be written and read, and its scores are finite", lambda: scores(name, subject)
    )
    yield Check("another process gives the same values", lambda: _feature_elsewhere(name, subject))


def _feature(name: str) -> Score:
    return lambda hypotheses, references: feature_values([name], hypotheses, references)[:, 0]


def _describes(name: str) -> str:
    check_feature(name)
    hold("|" not in feature_signature(name), "its signature has a bar in it")
    return "" if describe_feature(name) else "it has no docstring, so `pfsm metrics` says nothing of it"


def _varies(values: Float) -> str:
    return "" if np.unique(values).size > 1 else "they are all the same; give other pairs with --sample"


def _is_empty(score: Score) -> None:
    hold(score([], []).shape == (0,), "there are some")


def is_independent(score: Score, subject: Subject) -> None:
    """Scores the pairs together, once more, in reverse order and alone.

    Raises:
        PfsmError: If the score of a pair changes.
    """
    ours, theirs = subject.hypotheses, subject.references
    together = score(ours, theirs)
    alone = np.array([score([one], [other])[0] for one, other in subject.samples])
    for when, others in (
        ("the second time", score(ours, theirs)),
        ("in reverse order", score(ours[::-1], theirs[::-1])[::-1]),
        ("alone", alone),
    ):
        for place, (first, second) in enumerate(zip(together.tolist(), others.tolist(), strict=True)):
            same = abs(first - second) <= ROUNDING * max(abs(first), abs(second), 1.0)
            hold(same, f"that of sample {place} is {first!r}, but {when} {second!r}")


def scores(feature: str, subject: Subject) -> None:
    """Writes, reads and applies a model that weighs the feature beside edits.

    Raises:
        PfsmError: If the model does not come back unchanged, or a score is not finite.
    """
    (name,) = counted_features([feature], subject.references)
    document = {"features": {name: {"mean": 0.0, "sd": 1.0}}, "counts": documents_of([name])}
    settings = settings_from_dict(document, "settings")
    model = Model("x", settings, {"Insert": -0.5, "S_word": 1.0, f"feature:{name}": 0.25})
    again = model_at_work(json.loads(json.dumps(model.to_dict())), "model")
    hold(again.settings == settings, "settings do not come back unchanged through JSON")
    found = Metric(again, 1).score_pairs(subject.hypotheses, subject.references)
    hold(np.isfinite(found).all(), "a score is not a finite number")


def _feature_elsewhere(name: str, subject: Subject) -> None:
    sides = subject.hypotheses, subject.references
    there = in_another_process(feature_values, [name], *sides)
    hold(np.array_equal(there, feature_values([name], *sides)), "values differ there")
