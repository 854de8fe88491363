"""Starts of training: of two valleys the lower one is found, and the record says that there were two."""

from dataclasses import replace

import numpy as np
import pytest

from pfsm.commands.about_training import doubt, edge
from pfsm.data import Judgments
from pfsm_training import TrainingConfig, train
from pfsm_training.config import BEST, MATCHES, ZERO
from pfsm_training.data.training_set import TrainingSet, encode_here
from pfsm_training.data.training_text import TrainingText
from pfsm_training.fit import starts
from pfsm_training.fit.fitting import Choice, Fitted, Fitter
from pfsm_training.fit.starts import Minimum, distinct, sample_of, starts_of, weights_of
from tests.training.small_data import invented


def summaries(seed: int, noise: float, number: int = 60) -> Judgments:
    """Long texts, few words of which match: a score of this share and noise leaves two valleys."""
    rng = np.random.default_rng(seed)
    references, hypotheses, scores = [], [], []
    for _ in range(number):
        length, other = int(rng.integers(15, 30)), int(rng.integers(15, 45))
        reference = rng.integers(0, 400, length)
        share = rng.uniform(0, 0.6)
        taken = rng.random(other) < share
        hypothesis = np.where(taken, rng.choice(reference, other), rng.integers(0, 400, other))
        references.append(" ".join(f"w{word}" for word in reference))
        hypotheses.append(" ".join(f"w{word}" for word in hypothesis))
        scores.append(share * 10.0 + noise * rng.normal())
    return Judgments(tuple(references), tuple(hypotheses), np.array(scores), {}, ()).sorted()


def encoded(judgments: Judgments) -> TrainingSet:
    return encode_here(TrainingText(judgments, None, TrainingConfig().settings))


def fitted(data: TrainingSet, start: str, solver: str = "gauss-newton") -> Fitted:
    found = Fitter(TrainingConfig(start=start, solver=solver), None, 1, lambda *_: None).fit(
        data, Choice(1.0), ""
    )
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("seed", "noise", "lower", "solver"),
    [(2, 1.0, MATCHES, "gauss-newton"), (2, 1.0, MATCHES, "lbfgs"), (5, 2.0, ZERO, "gauss-newton")],
)
def test_the_lower_of_two_valleys_is_kept(seed: int, noise: float, lower: str, solver: str) -> None:
    data = encoded(summaries(seed, noise))
    ends = {start: fitted(data, start, solver).fit.objective for start in (MATCHES, ZERO)}
    assert min(ends, key=ends.__getitem__) == lower
    assert abs(ends[MATCHES] / ends[ZERO] - 1.0) > 1e-4
    best = fitted(data, BEST, solver)
    assert best.starts.kept == lower
    assert best.fit.objective == pytest.approx(ends[lower], rel=1e-8)
    assert best.starts.objectives == pytest.approx(ends, rel=1e-5)
    ((other, (above, r)),) = best.starts.others.items()
    assert other != lower
    assert above == pytest.approx(max(ends.values()) / min(ends.values()) - 1.0, abs=1e-5)
    at_matches, at_zero = (data.predictions(fitted(data, start, solver).machine) for start in (MATCHES, ZERO))
    assert r == pytest.approx(np.corrcoef(at_matches, at_zero)[0, 1], abs=1e-3)


def test_random_starts_find_nothing_lower() -> None:
    data = encoded(summaries(2, 1.0))
    best = fitted(data, BEST)
    rng = np.random.default_rng(0)
    for spread in (0.5, 1.0, 2.0):
        weights = {name: float(rng.normal(0.0, spread)) for name in best.machine.learned}
        begin = Fitter(TrainingConfig(), None, 1, lambda *_: None, starts=[Minimum("random", weights)])
        found = begin.fit(data, Choice(1.0), "")
        assert found is not None
        assert found.fit.objective >= best.fit.objective * (1.0 - 1e-6)


def test_starts_are_compared_on_a_sample_and_followed_on_all_data(monkeypatch: pytest.MonkeyPatch) -> None:
    data = encoded(summaries(2, 1.0))
    whole = fitted(data, BEST)
    monkeypatch.setattr(starts, "MOST_COMPARED", 40)
    sampled = fitted(data, BEST)
    assert sampled.starts.compared_on == 40
    assert sampled.fit.objective == pytest.approx(whole.fit.objective, rel=1e-8)


def test_a_sample_is_spread_evenly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(starts, "MOST_COMPARED", 10)
    data = encoded(invented(1, segments=8, systems=5))
    rows, preferences = sample_of(data)
    assert rows.tolist() == [0, 4, 8, 12, 16, 20, 24, 28, 32, 36]
    assert preferences.size == 0


def test_folds_of_many_judgments_start_from_the_minima_of_all() -> None:
    data = encoded(summaries(2, 1.0))
    whole = fitted(data, BEST)
    part = data.select(np.arange(0, 50), np.zeros(0, dtype=np.int64))
    alone = fitted(part, BEST)
    near = Fitter(TrainingConfig(), None, 1, lambda *_: None).fit(part, Choice(1.0), "", whole)
    assert near is not None
    assert near.fit.objective <= alone.fit.objective * (1.0 + 1e-6)
    assert near.fit.evaluations < alone.fit.evaluations + 5


def test_without_matches_there_is_one_start() -> None:
    assert starts_of(BEST, ("Insert", "Delete", "Insert>Delete")) == (ZERO,)
    assert starts_of(BEST, ("feature:chrf",)) == (ZERO,)
    assert starts_of(ZERO, ("Insert", "S_word")) == (ZERO,)
    assert starts_of(BEST, ("Insert", "S_word")) == (MATCHES, ZERO)
    names = ("Insert", "Insert:name", "Delete", "S_word", "S_word>S_word", "feature:chrf", "Jump")
    assert weights_of(MATCHES, names) == {"Insert": -1.0, "Delete": -1.0, "S_word": 1.0}


def test_minima_of_one_depth_are_one() -> None:
    minima = [Minimum(name, {}, 0.0, depth) for name, depth in (("a", 2.0), ("b", 1.0), ("c", 1.0 + 1e-7))]
    assert [one.start for one in distinct(minima)] == ["b", "a"]


def test_the_record_and_the_log_tell_of_another_minimum() -> None:
    model = train(summaries(2, 1.0), config=TrainingConfig(penalty=1.0), threads=1)
    assert model.training["start"] == MATCHES
    assert model.training["starts"]["compared_on"] == 60
    (line,) = doubt(model.training)
    assert line.startswith("two minima: the start at zero ends 1.3% higher")
    clear = train(invented(4), threads=1)
    assert doubt(clear.training) == []
    paper = train(invented(4), config=replace(TrainingConfig(), start=ZERO), threads=1)
    assert paper.training["start"] == ZERO
    assert "starts" not in paper.training


def test_a_lambda_at_the_edge_is_told() -> None:
    model = train(invented(4), config=TrainingConfig(penalty=(1e5, 1e6)), threads=1)
    (line,) = edge(model.training)
    side = "smallest" if model.training["lambda"] == 1e5 else "largest"
    assert line.startswith(f"the best lambda is the {side} that was tried")
    low, high = model.training["lambda_intervals"]["100000"]
    assert low <= model.training["lambda_tried"]["100000"] <= high
    assert edge(train(invented(4), threads=1).training) == []
