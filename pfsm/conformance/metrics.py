"""Checks of metrics and of sentence-level features."""

import json
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from pfsm.conformance.checks import Check, Subject, hold
from pfsm.conformance.processes import in_another_process
from pfsm.metrics.features import check_feature, feature_signature, feature_values
from pfsm.metrics.registry import describe_feature
from pfsm.model.file import Model, model_from_dict
from pfsm.model.metric import Metric
from pfsm.model.settings import settings_from_dict

Float = NDArray[np.float64]
Score = Callable[[Sequence[str], Sequence[str]], Float]
# Sums in another order: of n numbers of similar size.
ROUNDING = 1e-12


def feature_checks(subject: Subject) -> Iterator[Check]:
    """The checks of a feature."""
    name = subject.entry.name
    ours, theirs = subject.hypotheses, subject.references
    yield Check("it has a name and half a line that describes it", lambda: _describes(name))
    yield Check("one finite number for each pair", lambda: _varies(_feature(name)(ours, theirs)))
    yield Check("no pairs have no values", lambda: _is_empty(_feature(name)))
    yield Check(
        "the value of a pair depends on nothing but the pair", lambda: is_independent(_feature(name), subject)
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
    settings = settings_from_dict({"features": {feature: {"mean": 0.0, "sd": 1.0}}}, "settings")
    model = Model("x", settings, {"Insert": -0.5, "S_word": 1.0, f"feature:{feature}": 0.25})
    again = model_from_dict(json.loads(json.dumps(model.to_dict())), "model")
    hold(again.settings == settings, "settings do not come back unchanged through JSON")
    found = Metric(again, 1).score_pairs(subject.hypotheses, subject.references)
    hold(np.isfinite(found).all(), "a score is not a finite number")


def _feature_elsewhere(name: str, subject: Subject) -> None:
    sides = subject.hypotheses, subject.references
    there = in_another_process(feature_values, [name], *sides)
    hold(np.array_equal(there, feature_values([name], *sides)), "values differ there")
