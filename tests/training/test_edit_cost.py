"""The option `edit_cost`: its loss against plain loops, the copies it is about, and models that keep to it."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from pfsm.data import Judgments
from pfsm.model.file import Model
from pfsm.model.metric import Metric
from pfsm_training import train
from pfsm_training.config import config_from_dict
from pfsm_training.fit.edit_cost import EditCost, copies_of
from pfsm_training.loss.hinges import AllHinges
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


@pytest.mark.parametrize(
    "line",
    [
        "The quiet river, at night.",
        "夜の川は静かだ。",
        "\u0e41\u0e21\u0e48\u0e19\u0e49\u0e33",
        "  odd   spaces  ",
    ],
)
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
    judgments, rng = invented(seed, segments=40, systems=4), np.random.default_rng(seed)
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


@pytest.mark.parametrize(
    "settings",
    [{}, {"edits": False, "features": ["length_difference", "chrf"]}],
)
def test_edits_cost_even_where_people_reward_them(settings: dict[str, object]) -> None:
    judgments, others = rewarding_additions(0), invented(9, segments=60).references
    free = train(judgments, config=config_from_dict({**OPTIONS, **settings}, "x"), threads=1)
    bound = train(
        judgments, config=config_from_dict({**OPTIONS, **settings, "edit_cost": 0.5}, "x"), threads=1
    )
    assert number_above(free, others) > 100
    assert number_above(bound, others) == 0
    assert bound.training["edit_cost"]["held_out_above"] == 0
    assert bound.training["edit_cost"]["copies"] > 100
    assert "edit_cost" not in free.training
