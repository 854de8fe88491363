"""Bootstrap of the weights: resamples of segments, and their fits against fits to data that holds the rows again."""

import numpy as np
import pytest
import torch

from pfsm_training.data.training_set import encode_here, selected_weights
from pfsm_training.data.training_text import TrainingText
from pfsm_training.loss.objective import HuberError
from pfsm_training.report import weights as module
from pfsm_training.report.items import local, resamples, segments_of
from pfsm_training.report.weights import Repeated, weight_intervals
from tests.training.report.report_cases import preferences_of, training_of
from tests.training.small_data import invented


def test_segments_are_drawn_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    judgments, others = invented(3, 10), preferences_of(invented(3, 6))
    alone, both = segments_of(judgments, None), segments_of(judgments, others)
    assert len(set(alone.tolist())) == 10
    assert len(set(both.tolist())) == len({*judgments.references, *others.references})
    drawn = list(resamples(alone, 50))
    for items in drawn:
        assert items.size == 30
        assert (np.diff(items) >= 0).all()
        times = np.bincount(items, minlength=30)
        assert all(len(set(times[alone == segment].tolist())) == 1 for segment in range(10))
    assert [one.tolist() for one in resamples(alone, 50)] == [one.tolist() for one in drawn]
    monkeypatch.setenv("PFSM_SEED", "7")
    assert [one.tolist() for one in resamples(alone, 50)] != [one.tolist() for one in drawn]


def test_a_repeated_loss_is_the_loss_of_repeated_rows() -> None:
    kind = HuberError
    rng = np.random.default_rng(4)
    predictions, jacobian, targets = rng.normal(size=12), rng.normal(size=(12, 3)), rng.normal(size=12)
    rows = np.sort(rng.integers(0, 12, 20))
    loss = Repeated(kind(targets[rows]), rows)
    whole = loss.quadratic(predictions, jacobian)
    parts = [
        loss.part(*ends).quadratic(predictions[slice(*ends)], jacobian[slice(*ends)])
        for ends in ((0, 5), (5, 12))
    ]
    by_hand = [kind(targets[[row]]).quadratic(predictions[[row]], jacobian[[row]]) for row in rows.tolist()]
    for name in ("gradient", "curvature"):
        assert getattr(whole, name) == pytest.approx(sum(getattr(one, name) for one in by_hand))
        assert getattr(whole, name) == pytest.approx(sum(getattr(one, name) for one in parts))
    values = [
        float(kind(targets[[row]]).value(torch.from_numpy(predictions[[row]]))) for row in rows.tolist()
    ]
    assert float(loss.value(torch.from_numpy(predictions))) == pytest.approx(sum(values))


@pytest.mark.parametrize(("objective", "weighted"), [("squared_error", True), ("huber", False)])
def test_a_resample_is_fitted_like_data_that_holds_its_rows(objective: str, *, weighted: bool) -> None:
    """The truth is trained from its own start on judgments written out as often as they are drawn."""
    training = training_of("scores", 40, objective, weighted=weighted)
    at = local(training)
    assert at is not None
    assert training.judgments is not None
    segments = segments_of(training.judgments, None)
    tried = 0
    for items in resamples(segments, 20):
        weights = selected_weights(training.data, items)
        text = TrainingText(training.judgments.select(items), None, training.model.settings, weights)
        data = encode_here(text)
        truth = training.fitter.fit(data, training.validated.choice, "again")
        assert truth is not None
        if truth.machine.learned != training.fitted.machine.learned:
            continue
        tried += 1
        wanted = np.array([*truth.machine.theta.tolist(), float(truth.machine.alpha.detach())])
        way = np.linalg.norm(wanted - at.parameters)
        refitted, stepped = (module._fitted(training, at, items, refit=refit) for refit in (True, False))
        assert refitted is not None
        assert stepped is not None
        assert np.linalg.norm(refitted - wanted) < 0.02 * way
        assert np.linalg.norm(stepped - wanted) < 0.5 * way
    assert tried >= 2


@pytest.mark.parametrize("kind", ["scores", "both"])
def test_intervals_lie_around_most_weights(kind: str) -> None:
    training = training_of(kind, 24)
    at = local(training)
    assert at is not None
    found = weight_intervals(training, at, segments_of(training.judgments, training.preferences))
    assert found is not None
    assert (found.low <= found.high).all()
    inside = (found.low <= at.parameters) & (at.parameters <= found.high)
    assert inside.mean() > 0.8
