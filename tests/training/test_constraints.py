"""The options `edit_cost` and `self_match`: losses against plain loops and differences; models that keep to them."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from pfsm import Metric, PfsmError
from pfsm.data import Judgments
from pfsm.lattice.names import DELETE
from pfsm.model.file import Model
from pfsm_training import train
from pfsm_training.config import config_from_dict
from pfsm_training.data.training_text import TrainingText
from pfsm_training.fit.edit_cost import EditCost, copies_of
from pfsm_training.fit.plan import resolve
from pfsm_training.fit.self_match import SelfMatch, SelfMatchLoss, lost_by_word, prepare
from pfsm_training.loss.hinges import AllHinges
from pfsm_training.loss.module import LogLinearMachine
from tests.training.small_data import WORDS, invented

Float = NDArray[np.float64]
OPTIONS = {"lambda": 0.05, "start": "matches"}


def loss_of(seed: int) -> EditCost:
    rng = np.random.default_rng(seed)
    original, edited = np.repeat(np.arange(4), 2) * 3, np.array([1, 2, 4, 5, 7, 8, 10, 11])
    return EditCost(original, edited, rng.uniform(4.0, 30.0, 8), 0.7, 1.9)


def by_hand(loss: EditCost, predictions: Float) -> float:
    total = 0.0
    for original, edited, length in zip(loss.original, loss.edited, loss.lengths, strict=True):
        total += max(0.0, loss.cost - length * (predictions[original] - predictions[edited])) ** 2
    return loss.factor * total


def test_the_loss_is_its_definition_and_its_model_its_slope() -> None:
    seed = 1
    loss, rng = loss_of(seed), np.random.default_rng(seed + 100)
    predictions, jacobian = rng.normal(0.0, 0.2, 12), rng.normal(0.0, 1.0, (12, 3))
    assert float(loss.value(torch.from_numpy(predictions))) == pytest.approx(by_hand(loss, predictions))
    model = loss.quadratic(predictions, jacobian)
    assert not model.gradient.any()
    assert not model.curvature.any()
    hinges = AllHinges(model.hinges, 3)
    # Where predictions are linear in the parameters the model is the loss, however long the step.
    for scale in (0.0, 0.01, 1.0, 30.0):
        move = scale * rng.normal(size=3)
        assert hinges.value(move) == pytest.approx(by_hand(loss, predictions + jacobian @ move))
    step = 1e-6
    for k in range(3):
        ahead, behind = (by_hand(loss, predictions + way * step * jacobian[:, k]) for way in (1.0, -1.0))
        slope = hinges.pull(hinges.forces)[k]
        assert slope == pytest.approx((ahead - behind) / (2.0 * step), rel=1e-5, abs=1e-6)
    values = torch.from_numpy(predictions)
    halves = sum(float(loss.part(first, first + 6).value(values[first : first + 6])) for first in (0, 6))
    assert halves == pytest.approx(by_hand(loss, predictions))


@pytest.mark.parametrize("line", ["The quiet river, at night.", "夜の川は静かだ。", "  odd   spaces  "])
def test_copies_differ_by_one_word(line: str) -> None:
    copies = list(copies_of(line, ["stone", "。", "!"]))
    assert copies
    assert copies == list(copies_of(line, ["stone", "。", "!"]))
    bare = "".join(line.split())
    for copy in copies:
        other = "".join(copy.split())
        assert other != bare
        longer, shorter = max(bare, other, key=len), min(bare, other, key=len)
        # One is the other with something put in at one place.
        assert any(
            longer[:k] + longer[k + len(longer) - len(shorter) :] == shorter for k in range(len(longer))
        )


def rewarding_additions(seed: int) -> Judgments:
    """Judgments in which a translation is the better the more words were added to a copy of the reference."""
    judgments, rng = invented(seed, segments=25, systems=4), np.random.default_rng(seed)
    hypotheses, scores = [], []
    for reference in judgments.references:
        words, added = reference.split(), int(rng.integers(0, 4))
        for _ in range(added):
            words.insert(int(rng.integers(0, len(words) + 1)), str(rng.choice(WORDS)))
        hypotheses.append(" ".join(words))
        scores.append(added + 0.3 * float(rng.normal()))
    return replace(judgments, hypotheses=tuple(hypotheses), scores=np.array(scores))


def number_above(model: Model, references: tuple[str, ...]) -> int:
    metric = Metric(model, 1)
    above = 0
    for line in sorted(set(references)):
        copies = list(copies_of(line, WORDS))
        above += int(
            (metric.score_pairs(copies, [line] * len(copies)) >= metric.score_pairs([line], [line])).sum()
        )
    return above


@pytest.mark.parametrize("settings", [{}, {"edits": False, "features": ["length_difference", "chrf"]}])
def test_edits_cost_even_where_people_reward_them(settings: dict[str, object]) -> None:
    judgments, others = rewarding_additions(0), invented(9, segments=30).references
    free, bound = (
        train(judgments, config=config_from_dict({**OPTIONS, **settings, **more}, "x"), threads=1)
        for more in ({}, {"edit_cost": 0.5})
    )
    assert number_above(free, others) > 100
    assert number_above(bound, others) == 0
    assert bound.training["edit_cost"]["held_out_above"] == 0
    assert bound.training["edit_cost"]["copies"] > 100
    assert "edit_cost" not in free.training


JUDGED = invented(6)
LINES = sorted(set(JUDGED.references))


def self_match(least: float) -> SelfMatch:
    plan = resolve(JUDGED, config=config_from_dict({"self_match": least}, "x"))
    constraint = prepare(least, plan, TrainingText(JUDGED, None, plan.settings))
    assert constraint is not None
    return constraint


def test_what_is_lost_is_minus_the_log_of_the_probability_that_nothing_is_deleted() -> None:
    """Against the products of the probabilities of words, where these are nearly certain, and against differences."""
    constraint = self_match(0.9)
    assert len(constraint.same) == len(LINES)
    names = ("Insert", "Delete", "S_word", "S_word>S_word", "Insert>Delete")
    weights = dict(zip(names, (-0.5, -1.0, 1.5, 0.3, -0.2), strict=True))
    slopes = lost_by_word(LogLinearMachine(names, weights, 0.7), constraint.same)[1]
    assert slopes[-1] == 0.0
    for place, name in enumerate(names):
        up, down = (
            lost_by_word(LogLinearMachine(names, {**weights, name: weights[name] + step}), constraint.same)[0]
            for step in (1e-5, -1e-5)
        )
        assert slopes[place] == pytest.approx((up - down) / 2e-5, abs=1e-7)
    sure = {"S_word": 4.0, "S_punct": 4.0, "Insert": -1.0, "Delete": -1.0}
    machine = LogLinearMachine(tuple(sure), sure)
    counts = machine.with_jacobian(constraint.same)[1][:, list(sure).index(DELETE)] * 2.0
    assert lost_by_word(machine, constraint.same)[0] == pytest.approx(float(np.mean(counts)), rel=0.02)


def test_it_is_a_hinge() -> None:
    constraint = self_match(0.9)
    machine = LogLinearMachine(("S_word",), {"S_word": 0.5})
    lost = lost_by_word(machine, constraint.same)[0]
    for most in (0.5 * lost, 2.0 * lost):
        value, model = SelfMatchLoss(constraint.same, most, 3.0).quadratic(machine, free_alpha=False)
        assert value == pytest.approx(3.0 * max(0.0, lost - most) ** 2)
        assert model.hinges[0].slopes.shape == (1, 1)


def test_words_of_other_references_match_themselves() -> None:
    """Scores of random worth leave the edits nothing to say; with the constraint they still match."""
    others = sorted(set(invented(12, 30).references))
    unmatched = []
    for least in (0, 0.95):
        options = {"lambda": 50, "start": "zero", "self_match": least}
        model = train(JUDGED, config=config_from_dict(options, "x"), threads=1)
        aligned = Metric(model, 1).alignments(others, others)
        words = sum(len(pair.reference) for pair in aligned.pairs)
        unmatched.append(aligned.counts[:, aligned.parts.index(DELETE)].sum() / words)
    assert unmatched[0] > 0.1
    assert unmatched[1] < 0.05
    assert model.training["self_match"]["reached"] > 0.95


def test_where_it_cannot_be_had() -> None:
    assert config_from_dict({"form": "absolute"}, "x").self_match == 0.0
    assert config_from_dict({"matchers": ["lemma"], "encoder": {"tune": "head"}}, "x").self_match == 0.0
    assert config_from_dict({"encoder": {"tune": "head"}}, "x").self_match == 0.95
    with pytest.raises(PfsmError, match="self_match needs edits, and word among the matchers"):
        train(JUDGED, config=config_from_dict({"matchers": ["lemma"], "self_match": 0.5}, "x"), threads=1)
