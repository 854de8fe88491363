"""Choices by statistics: candidates that differ by rounding alone are chosen among by rule, on every processor."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from pfsm.metrics.terp.metric import TerpMetric
from pfsm.model import mbr
from pfsm.runtime.choice import simplest_within_noise
from pfsm_training import TrainingConfig
from pfsm_training.data.minimal_pairs import _best
from pfsm_training.data.training_set import encode_here
from pfsm_training.data.training_text import TrainingText
from pfsm_training.encoder.learning import passes_of
from pfsm_training.fit import fitting
from pfsm_training.fit.crossval import CrossValidation, choose
from pfsm_training.fit.fitting import Choice, Fitter
from pfsm_training.fit.minimal_pairs import choose_with_pairs
from pfsm_training.fit.starts import Minimum
from pfsm_training.fit.training import _lambdas
from pfsm_training.parsing import export as boundaries
from pfsm_training.roles import export as tune
from pfsm_training.tuning import edit_costs
from pfsm_training.tuning.hill_climbing import Moments, climb
from tests.training.small_data import invented

pytestmark = pytest.mark.parametrize("nudge", [1e-12, 0.0, -1e-12])


def tried(choice: Choice, *values: float) -> CrossValidation:
    return CrossValidation("segment", choice, "pearson", {str(fold): r for fold, r in enumerate(values)})


def test_of_equal_values_the_first(nudge: float) -> None:
    assert simplest_within_noise([np.nan, 0.1, 0.5, 0.5 + nudge, -np.inf]) == 2
    assert simplest_within_noise([np.nan, np.nan]) == 0
    assert simplest_within_noise([0.5, 0.5 + 1e-8]) == 1


@pytest.mark.parametrize("rule", ["highest", "one_standard_error"])
def test_the_largest_lambda_and_mixture(nudge: float, rule: str) -> None:
    found = [
        tried(Choice(penalty, mixture), 0.5 + penalty * nudge, 0.6 + penalty * nudge)
        for penalty in (0.5, 5.0)
        for mixture in (0.1, 0.3)
    ]
    assert choose(found, 2, rule).choice == Choice(5.0, 0.3)


def test_the_edge_of_one_standard_error(nudge: float) -> None:
    best = tried(Choice(0.5), 0.5, 0.7)
    assert choose([best, tried(Choice(5.0), 0.4 + nudge, 0.6)], 2, "one_standard_error").choice.penalty == 5.0


def test_the_lambda_at_the_edge(nudge: float) -> None:
    found = [tried(Choice(penalty), 0.5 + penalty * nudge, 0.6) for penalty in (0.5, 5.0)]
    assert _lambdas(TrainingConfig(), found[1], found)["lambda_at_edge"] == "largest"


def test_the_weight_of_minimal_pairs(nudge: float) -> None:
    """Pairs that change nothing do no harm."""
    found = [
        tried(Choice(1.0, 0.0, weight), 0.5 + weight * nudge, 0.6 + weight * nudge) for weight in (0.0, 1.0)
    ]
    assert choose_with_pairs(found, 2, "highest").choice.weight == 1.0


def test_the_best_translations(nudge: float) -> None:
    judgments = replace(invented(2, 4, systems=1), scores=np.array([4.0, 3.0, 2.0, 1.0]))
    weights = np.array([1.0 + nudge, 1.0, 1.0, 1.0])
    assert _best(judgments, 0.5, weights) == [0, 1]


def test_minima_of_one_depth(nudge: float, monkeypatch: pytest.MonkeyPatch) -> None:
    data = encode_here(TrainingText(invented(4, 15), None, TrainingConfig().settings))
    fitter = Fitter(TrainingConfig(start="matches"), None, 1, lambda *_: None)
    first = fitter.fit(data, Choice(1.0), "")
    assert first is not None
    (end,) = first.minima
    original = fitting._minimum

    def nudged(start: str, *result: Any) -> Minimum:
        found = original(start, *result)
        return replace(found, objective=found.objective * (1.0 + (nudge if start == "b" else 0.0)))

    monkeypatch.setattr(fitting, "_minimum", nudged)
    both = replace(first, minima=(replace(end, start="a"), replace(end, start="b")))
    found = fitter.fit(data, Choice(1.0), "", both)
    assert found is not None
    assert (found.starts.kept, [one.start for one in found.minima]) == ("a", ["a"])


def test_the_number_of_passes(nudge: float) -> None:
    assert passes_of([0.4, 0.5, 0.5 + nudge, 0.3]) == 2


def test_one_step_of_hill_climbing(nudge: float) -> None:
    """Two features that are the same: the first is the one that is changed."""
    same = Moments(np.ones((2, 2)), np.array([0.5, 0.5 * (1.0 + nudge)]), 1.0)
    weights, _ = climb(same, np.zeros(2), np.zeros(2), 0, np.random.default_rng(0))
    assert weights.tolist() == [1.0, 0.0]


def test_a_round_of_tuning_that_gains_nothing(nudge: float, monkeypatch: pytest.MonkeyPatch) -> None:
    values = iter([0.5, 0.5 + nudge])
    monkeypatch.setattr(edit_costs._Problem, "correlation", lambda *_: next(values))
    metric = TerpMetric("terp-base", {"costs": "ter"})
    found = edit_costs.tune_costs(metric, invented(3, 10), restarts=0, seed=1)
    assert (found.correlation, found.rounds, found.costs["insertion"]) == (0.5, 1, 1.0)


def test_where_sentences_start(nudge: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(boundaries, "with_starts_moved", lambda _, move: move)
    monkeypatch.setattr(
        boundaries,
        "evaluate_on_text",
        lambda move, *_: SimpleNamespace(
            scores=SimpleNamespace(las=SimpleNamespace(f1=0.9 + (move - 1.0) * nudge if move >= 1.0 else 0.8))
        ),
    )
    _, move = boundaries.with_tuned_starts(None, [], lambda weights: weights)  # type: ignore[arg-type,return-value]
    assert move == 1.0


def test_temperature_and_threshold_of_roles(nudge: float, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[float, float]] = []
    monkeypatch.setattr(tune, "Labeller", lambda values, _: asked.append(values))

    def scores(*_: Any, of: str) -> Any:
        temperature, threshold = asked[-1]
        gap = np.sqrt(0.01 * (1.0 - temperature * nudge)) if temperature >= 1.0 else 1.0
        f1 = 0.8 + (threshold * nudge if threshold <= 0.4 else -0.1)
        calibration = SimpleNamespace(mean=np.array([gap]), accuracy=np.zeros(1))
        return SimpleNamespace(calibration=calibration, arguments=SimpleNamespace(f1=f1))

    monkeypatch.setattr(tune, "score_roles", scores)
    found: Any = tune._best(lambda *values: values, [], None, "VERB")  # type: ignore[arg-type]
    assert found == (1.0, 0.4)


def test_the_translation_of_least_risk(nudge: float) -> None:
    source: Any = SimpleNamespace(kind=np.arange(3), weights=np.ones(3), distinct=["a", "b", "c"])
    scores = 80.0 * np.array([[1.0, 0.2, 0.2], [0.5, 1.0, 0.5], [0.5, 0.5 + nudge, 1.0]])
    assert mbr._choice(source, scores).candidate == 1
