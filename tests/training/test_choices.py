"""Choices by statistics: candidates that differ by rounding alone are chosen among by rule, on every processor."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from pfsm.model import mbr
from pfsm.runtime.choice import simplest_within_noise
from pfsm_training.encoder.learning import passes_of
from pfsm_training.fit.crossval import CrossValidation, choose
from pfsm_training.fit.fitting import Choice
from pfsm_training.tuning.edit_costs import Moments, climb

pytestmark = pytest.mark.parametrize("nudge", [1e-12, -1e-12])


def tried(choice: Choice, *values: float) -> CrossValidation:
    return CrossValidation("segment", choice, "pearson", {str(fold): r for fold, r in enumerate(values)})


def test_of_equal_values_the_first(nudge: float) -> None:
    assert simplest_within_noise([np.nan, 0.1, 0.5, 0.5 + nudge, -np.inf]) == 2
    assert simplest_within_noise([np.nan, np.nan]) == 0
    assert simplest_within_noise([0.5, 0.5 + 1e-8]) == 1


def test_the_largest_lambda_and_mixture(nudge: float) -> None:
    found = [
        tried(Choice(penalty, mixture), 0.5 + penalty * nudge, 0.6 + penalty * nudge)
        for penalty in (0.5, 5.0)
        for mixture in (0.1, 0.3)
    ]
    assert choose(found, 2, "highest").choice == Choice(5.0, 0.3)


def test_the_edge_of_one_standard_error(nudge: float) -> None:
    best = tried(Choice(0.5), 0.5, 0.7)
    assert choose([best, tried(Choice(5.0), 0.4 + nudge, 0.6)], 2, "one_standard_error").choice.penalty == 5.0


def test_the_number_of_passes(nudge: float) -> None:
    assert passes_of([0.4, 0.5, 0.5 + nudge, 0.3]) == 2


def test_one_step_of_hill_climbing(nudge: float) -> None:
    """Two features that are the same: the first is the one that is changed."""
    same = Moments(np.ones((2, 2)), np.array([0.5, 0.5 * (1.0 + nudge)]), 1.0)
    weights, _ = climb(same, np.zeros(2), np.zeros(2), 0, np.random.default_rng(0))
    assert weights.tolist() == [1.0, 0.0]


def test_the_translation_of_least_risk(nudge: float) -> None:
    source: Any = SimpleNamespace(kind=np.arange(3), weights=np.ones(3), distinct=["a", "b", "c"])
    scores = 80.0 * np.array([[1.0, 0.2, 0.2], [0.5, 1.0, 0.5], [0.5, 0.5 + nudge, 1.0]])
    assert mbr._choice(source, scores).candidate == 1
