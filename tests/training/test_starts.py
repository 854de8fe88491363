"""Starts of training: of two valleys the lower one is found, and the record says that there were two."""

from dataclasses import replace

import numpy as np
import pytest

from pfsm.data import Judgments
from pfsm.model.training_record import doubt
from pfsm_training import TrainingConfig, train
from pfsm_training.config import BEST, MATCHES, ZERO
from pfsm_training.data.training_set import TrainingSet, encode_here
from pfsm_training.data.training_text import TrainingText
from pfsm_training.fit import starts
from pfsm_training.fit.crossval import FoldFits, make_folds
from pfsm_training.fit.fitting import Choice, Fitted, Fitter
from pfsm_training.fit.starts import Minimum, distinct, is_sampled
from tests.training.small_data import PLAIN, invented


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


def fitted(data: TrainingSet, start: str) -> Fitted:
    found = Fitter(TrainingConfig(start=start), None, 1).fit(data, Choice(1.0), "")
    assert found is not None
    return found


@pytest.mark.parametrize(("seed", "noise", "lower"), [(2, 1.0, MATCHES), (5, 2.0, ZERO)])
def test_the_lower_of_two_valleys_is_kept(seed: int, noise: float, lower: str) -> None:
    data = encoded(summaries(seed, noise))
    ends = {start: fitted(data, start).fit.objective for start in (MATCHES, ZERO)}
    assert min(ends, key=ends.__getitem__) == lower
    assert abs(ends[MATCHES] / ends[ZERO] - 1.0) > 1e-4
    best = fitted(data, BEST)
    compared = best.starts.objectives
    assert {start: compared[start] for start in ends} == pytest.approx(ends, rel=1e-5)
    assert min(compared.values()) * (1.0 + 1e-5) >= compared[best.starts.kept]
    assert best.fit.objective <= ends[lower] * (1.0 + 1e-8)


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
        data, fitter = encode_here(text), Fitter(TrainingConfig(), None, 1)
        fits = FoldFits(fitter, data, folds, lambda _: "")
        of_choices = []
        for choice in (Choice(1.0), Choice(3.0)):
            found = fits(folds.split(data, fold)[0], choice, fold)
            assert found is not None
            of_choices.append((found.machine.weights(), found.mean, found.fit))
        models.append(of_choices)
    assert is_sampled(folds.split(data, fold)[0])
    assert models[0] == models[1]
    assert not np.array_equal(judgments.scores, scores)


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
    clear = train(invented(4), config=PLAIN, threads=1)
    assert doubt(clear.training) == []
    paper = train(invented(4), config=replace(PLAIN, start=ZERO), threads=1)
    assert paper.training["start"] == ZERO
    assert "starts" not in paper.training
