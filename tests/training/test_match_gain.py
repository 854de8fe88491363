"""The option `match_gain`: its loss by hand, by SciPy and by finite differences, and models that keep to it."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from pfsm.data import Judgments
from pfsm.errors import PfsmError
from pfsm.model.file import Model
from pfsm.model.metric import Metric
from pfsm_training import LogLinearMachine, train
from pfsm_training.config import config_from_dict
from pfsm_training.fit.match_gain import Gains, MatchGainLoss
from pfsm_training.loss.hinges import AllHinges
from tests.training.small_data import invented

Float = NDArray[np.float64]
OPTIONS = {"lambda": 0.05, "start": "matches", "matchers": ["punct", "word"]}
SPLIT = {"language": "en", "split": ["Insert", "Delete", "S_word", "Insert:repeat"]}
GAINS = Gains(
    ("Delete", "Insert", "S_word", "S_word>S_word"), np.array([[-1.0, -1.0, 1.0, 0.0], [-1.0, 0.0, 2.0, 1.0]])
)


def by_hand(weights: Mapping[str, float], least: float, factor: float) -> float:
    first = weights["S_word"] - weights["Delete"] - weights.get("Insert", 0.0)
    second = 2.0 * weights["S_word"] + weights["S_word>S_word"] - weights["Delete"]
    return factor * sum(max(0.0, least - gain) ** 2 for gain in (first, second))


@pytest.mark.parametrize("seed", range(2))
def test_the_loss_is_its_definition_and_its_model_its_slope(seed: int) -> None:
    rng = np.random.default_rng(seed)
    learned = ("Delete", "S_word", "S_word>S_word", "feature:chrf")
    # The weight of Insert stays as it is.
    fixed = {"Insert": 0.3} if seed % 2 else {}
    theta = rng.normal(size=4)
    loss = MatchGainLoss(GAINS, 0.8, 1.7, torch.zeros(4, dtype=torch.float64))

    def at(values: Float) -> LogLinearMachine:
        return LogLinearMachine(learned, {**fixed, **dict(zip(learned, values.tolist(), strict=True))})

    value, model = loss.quadratic(at(theta), free_alpha=True)
    assert value == pytest.approx(by_hand(at(theta).weights(), 0.8, 1.7))
    assert not model.gradient.any()
    assert not model.curvature.any()
    hinges = AllHinges(model.hinges, 5)
    for scale in (0.0, 0.1, 10.0):
        move = scale * rng.normal(size=5)
        assert hinges.value(move) == pytest.approx(by_hand(at(theta + move[:4]).weights(), 0.8, 1.7))
    pull, step = hinges.pull(hinges.forces), 1e-6 * np.eye(5)
    for k in range(5):
        ahead, behind = (by_hand(at(theta + way * step[k, :4]).weights(), 0.8, 1.7) for way in (1.0, -1.0))
        assert pull[k] == pytest.approx((ahead - behind) / 2e-6, rel=1e-5, abs=1e-6)


def perverse(seed: int, segments: int = 30) -> Judgments:
    """Judgments by which a translation is the better the less of the reference it has."""
    judgments = invented(seed, segments)
    return replace(judgments, scores=-judgments.scores)


def matched(model: Model, judgments: Judgments) -> float:
    """Of the edits of references as their own translations, the share that are matches."""
    metric = Metric(model, 1)
    edits = [
        edit.state for line in sorted(set(judgments.references)) for edit in metric.explain(line, line).edits
    ]
    return sum(state.startswith("S_") for state in edits) / len(edits)


@pytest.mark.parametrize("settings", [SPLIT, {"standardise": False}])
def test_words_are_matched_even_where_people_reward_other_edits(settings: dict[str, object]) -> None:
    judgments, others = perverse(0), invented(9, segments=40)
    free = train(judgments, config=config_from_dict({**OPTIONS, **settings}, "x"), threads=1)
    bound = train(
        judgments, config=config_from_dict({**OPTIONS, **settings, "match_gain": 0.3}, "x"), threads=1
    )
    assert matched(free, others) < 0.5
    assert matched(bound, others) == 1.0
    record = bound.training["match_gain"]
    assert record["asked"] == 0.3
    assert 0.0 < record["lowest"] < 0.35
    assert "match_gain" not in free.training


def test_it_knows_no_transitions_between_classes() -> None:
    judgments, message = (
        invented(3),
        "^match_gain knows no transitions between word classes; leave out class_transitions$",
    )
    config = config_from_dict({**OPTIONS, **SPLIT, "class_transitions": True}, "x")
    with pytest.raises(PfsmError, match=message):
        train(judgments, config=replace(config, match_gain=0.3), threads=1)
    first = train(judgments, config=config, threads=1)
    with pytest.raises(PfsmError, match=message):
        train(judgments, init=first, config=config_from_dict({"match_gain": 0.3}, "x", first), threads=1)


def test_an_initial_model_comes_to_keep_to_it() -> None:
    judgments, others = perverse(3), invented(9)
    first = train(judgments, config=config_from_dict({**OPTIONS, **SPLIT}, "x"), threads=1)
    bound = train(
        judgments,
        init=first,
        config=config_from_dict({"lambda": 0.05, "match_gain": 0.3}, "x", first),
        threads=1,
    )
    assert matched(first, others) < 0.5
    assert matched(bound, others) == 1.0


def test_it_needs_edits_that_match_words() -> None:
    config = config_from_dict({"matchers": ["lemma"], "match_gain": 1}, "x")
    with pytest.raises(PfsmError, match=r"^match_gain needs edits, and word among the matchers$"):
        train(invented(0), config=config, threads=1)
