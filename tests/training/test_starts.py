"""Starts of training: of two valleys the lower one is found, and the record says that there were two."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from pfsm.data import Judgments, Preferences
from pfsm.model.training_record import doubt, edge, tried
from pfsm_training import TrainingConfig, train
from pfsm_training.config import BEST, MATCHES, ZERO
from pfsm_training.data.training_set import TrainingSet, encode_here
from pfsm_training.data.training_text import TrainingText
from pfsm_training.fit import starts
from pfsm_training.fit.crossval import FoldFits, make_folds
from pfsm_training.fit.fitting import Choice, Fitted, Fitter
from pfsm_training.fit.starts import (
    DELETES_FIRST,
    INSERTS_FIRST,
    Minimum,
    distinct,
    is_sampled,
    starts_of,
    weights_of,
)
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
    compared = best.starts.objectives
    assert {start: compared[start] for start in ends} == pytest.approx(ends, rel=1e-5)
    assert min(compared.values()) * (1.0 + 1e-5) >= compared[best.starts.kept]
    assert best.fit.objective <= ends[lower] * (1.0 + 1e-8)


def test_the_penalty_of_a_sample_is_that_of_its_share(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that its minima are near those of all data; scores and preferences count alike."""
    judgments = summaries(2, 1.0)
    two = judgments.hypotheses[:30], judgments.hypotheses[30:]
    preferences = Preferences(judgments.references[:30], *two, np.ones(30), {}, ())
    data = encode_here(TrainingText(judgments, preferences, TrainingConfig().settings))
    monkeypatch.setattr(starts, "MOST_COMPARED", 40)
    found: list[tuple[float, int, int]] = []
    original = Fitter._end

    def noted(self: Fitter, problem: Any, start: Minimum) -> Minimum:
        sample: TrainingSet = problem.data
        found.append((problem.choice.penalty, sample.scores.size, sample.votes.size))
        return original(self, problem, start)

    monkeypatch.setattr(Fitter, "_end", noted)
    fitter = Fitter(TrainingConfig(start=BEST), None, 1, lambda *_: None)
    assert fitter.fit(data, Choice(9.0, 0.5), "") is not None
    # Before the slope is known the scores are fitted alone.
    for penalty, scores, votes in found:
        assert penalty == pytest.approx(9.0 * (scores + votes) / (90 if votes else 60), rel=1e-12)
    assert {votes > 0 for _, _, votes in found} == {False, True}
    assert all(0 < scores < 60 for _, scores, _ in found)


@pytest.mark.parametrize("start", [BEST, MATCHES])
def test_a_part_of_much_data_is_fitted_first(start: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """That ends in the same minimum, from nearer, and is said in the progress."""
    data, config = encoded(invented(1, segments=1000)), TrainingConfig(start=start)
    said: list[str] = []
    fitter = Fitter(config, None, 1, lambda step, _: said.append(step))
    alone = fitter.fit(data, Choice(20.0), "all")
    assert not any("part" in step for step in said)
    said.clear()
    monkeypatch.setattr(starts, "FEWEST_OF_PART", 1 + data.scores.size // 20)
    after = fitter.fit(data, Choice(20.0), "all")
    assert alone is not None
    assert after is not None
    assert after.fit.objective == pytest.approx(alone.fit.objective, rel=1e-12)
    assert after.fit.evaluations < alone.fit.evaluations or start == BEST  # which begins near in any case
    assert said[0].startswith("all, a part of the data")
    assert said[-1] == "all"


def test_a_fold_depends_on_nothing_of_its_held_out_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Held-out scores and translations are replaced: with starts from a sample, too, no bit of the model changes."""
    monkeypatch.setattr(starts, "MOST_COMPARED", 20)
    judgments = summaries(2, 1.0)
    folds, fold = make_folds(judgments), 3
    held_out = np.flatnonzero(folds.member == fold)
    scores, hypotheses = judgments.scores.copy(), list(judgments.hypotheses)
    scores[held_out] = 100.0 - scores[held_out]
    for row in held_out:
        hypotheses[row] = judgments.references[row]
    changed = replace(judgments, scores=scores, hypotheses=tuple(hypotheses))
    models = []
    for version in (judgments, changed):
        text = TrainingText(version, None, TrainingConfig().settings)
        data, fitter = encode_here(text), Fitter(TrainingConfig(), None, 1, lambda *_: None)
        choices = Choice(1.0), Choice(3.0)
        fits = FoldFits(fitter, data, folds, dict.fromkeys(choices, ""))
        of_choices = []
        for choice in choices:
            found = fits(folds.split(data, fold)[0], choice, fold)
            assert found is not None
            of_choices.append((found.machine.weights(), found.mean, found.fit))
        models.append(of_choices)
    assert is_sampled(folds.split(data, fold)[0])
    assert models[0] == models[1]
    assert not np.array_equal(judgments.scores, scores)


def test_few_judgments_have_more_starts() -> None:
    learned = ("Insert", "Delete", "S_word", "Insert>Delete", "Delete>Insert")
    assert starts_of(BEST, learned, 501) == [(MATCHES, ZERO)]
    first, more = starts_of(BEST, learned, 300)
    assert first == (MATCHES, ZERO, INSERTS_FIRST, DELETES_FIRST)
    assert more == ("runs", *(f"scattered {number}" for number in range(1, 9)))
    assert len(starts_of(BEST, learned, 480)[1]) == 6
    assert starts_of(BEST, ("Insert", "S_word"), 60)[0] == (MATCHES, ZERO)


def test_what_starts_stand_for() -> None:
    names = (
        "Insert",
        "Insert:name",
        "Delete",
        "S_word",
        "S_word>S_word",
        "Delete>Insert",
        "feature:chrf",
        "Jump",
    )
    matches = {"Insert": -1.0, "Delete": -1.0, "S_word": 1.0}
    assert weights_of(MATCHES, names) == matches
    assert weights_of(INSERTS_FIRST, names) == {**matches, "Delete>Insert": -2.0}
    scattered = [weights_of(f"scattered {number}", names) for number in (1, 2)]
    assert scattered[0] != scattered[1]
    assert all(-2.0 <= value <= 2.0 for value in scattered[0].values())
    assert weights_of("scattered 1", names[:3]) == {name: scattered[0][name] for name in names[:3]}
    many = list(weights_of("scattered 1", tuple(map(str, range(2000)))).values())
    assert abs(np.mean(many)) < 0.1
    assert np.std(many) == pytest.approx(2.0 / np.sqrt(3.0), rel=0.05)


def test_minima_of_one_depth_are_one() -> None:
    minima = [Minimum(name, {}, 0.0, depth) for name, depth in (("a", 2.0), ("b", 1.0), ("c", 1.0 + 1e-7))]
    assert [one.start for one in distinct(minima)] == ["b", "a"]
    assert [one.start for one in distinct(minima[::-1])] == ["c", "a"]


def test_the_record_and_the_log_tell_of_another_minimum() -> None:
    model = train(summaries(2, 1.0), config=TrainingConfig(penalty=1.0), threads=1)
    assert model.training["start"] == MATCHES
    assert model.training["starts"]["compared_on"] == 60
    (line,) = doubt(model.training)
    others = model.training["starts"]["other_minima"]
    assert others[ZERO]["objective_above"] == pytest.approx(0.013, abs=0.0005)
    assert f"{100 * max(other['objective_above'] for other in others.values()):.2g}% higher" in line
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
    first, second = tried(model.training)
    assert first.startswith(
        f"lambda 100000: {model.training['lambda_tried']['100000']:.3f}  [{low:.3f}, {high:.3f}]"
    )
    assert ["chosen" in line for line in (first, second)] == [side == "smallest", side == "largest"]
