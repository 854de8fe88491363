"""Training from an initial model: weights are pulled towards the model's, and its settings are kept."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from pfsm.data import Judgments
from pfsm.errors import PfsmError
from pfsm.model.file import Model
from pfsm.model.metric import Metric
from pfsm_training import TrainingConfig, train
from pfsm_training.config import config_from_dict, settings_to_train
from pfsm_training.fit.crossval import make_folds
from tests.training.small_data import MARKS, invented


def scores_of(model: Model, judgments: Judgments) -> NDArray[np.float64]:
    return Metric(model, threads=1).score_pairs(judgments.hypotheses, judgments.references)


@pytest.fixture(scope="module")
def init() -> Model:
    """A model of its own data, on a scale of its own."""
    data = invented(0, segments=40)
    return train(
        replace(data, scores=-3.0 + data.scores / 7.0),
        config=TrainingConfig(penalty=5.0),
        name="first",
        threads=1,
    )


def unpunctuated(judgments: Judgments) -> Judgments:
    """The same judgments where nothing can match as punctuation."""
    return replace(
        judgments, references=tuple(reference.rstrip("".join(MARKS)) for reference in judgments.references)
    )


def test_the_initial_model_is_compared_on_the_same_folds(init: Model) -> None:
    """Its scores, fold by fold, and the paired differences of the folds."""
    data = invented(6).sorted()
    record = train(data, config=TrainingConfig(penalty=0.5), init=init, threads=1).training
    folds, adapted = make_folds(data), record["cross_validated"]["folds"]
    scores = scores_of(init, data)
    before = {
        name: np.corrcoef(scores[folds.member == fold], data.scores[folds.member == fold])[0, 1]
        for fold, name in enumerate(folds.names)
    }
    assert record["init"]["pearson"] == pytest.approx(np.mean(list(before.values())))
    differences = np.array([adapted[name] - value for name, value in before.items()])
    reach = 2.776445 * differences.std(ddof=1) / 5**0.5
    assert record["init"]["gain"]["difference"] == pytest.approx(differences.mean())
    assert record["init"]["gain"]["interval"] == pytest.approx(
        [differences.mean() - reach, differences.mean() + reach], rel=1e-6
    )


def test_features_that_are_rare_in_the_new_data_keep_their_weights(init: Model) -> None:
    data = unpunctuated(invented(2))
    model = train(data, init=init, threads=1)
    rare = {name for name, count in model.training["instances"].items() if count < 5}
    kept = rare & set(init.weights)
    assert len(kept) > 4
    assert "S_punct" in kept
    for name in kept:
        assert model.weights[name] == init.weights[name] != 0.0
    assert not (rare - set(init.weights)) & set(model.weights)
    learned = set(model.weights) - rare
    assert any(model.weights[name] != init.weights.get(name, 0.0) for name in learned)


KNOWING = config_from_dict(
    {
        "matchers": ["punct", "word", "syn", "para"],
        "max_block": {"word": 2, "para": 3},
        "options": {"para": {"minimum_probability": 0.1}},
        "split": ["Insert", "S_syn"],
    },
    "model",
).settings


def test_unset_options_keep_the_values_of_the_model_and_others_must_agree_with_it() -> None:
    start = Model("start", settings=KNOWING)
    given: Any
    for given in (
        {"max_block": {"word": 2}},
        {"options": {"para": {"minimum_probability": 0.1}, "syn": {}}},
        {"classes": "en"},
        {"matchers": ["punct", "word", "syn", "para"], "max_block": {"syn": 1}},
    ):
        assert settings_to_train(None, config_from_dict(given, "x.yaml", start), start) == KNOWING
    has = "but the initial model start has "
    for given, message in (
        ({"max_block": {"syn": 2}}, rf"^max_block is .*'syn': 2.*, {has}"),
        ({"options": {"para": {"minimum_probability": 0.2}}}, rf"^options is .*, {has}"),
        ({"split": []}, rf"^split is \[\], {has}\['Insert', 'S_syn'\]"),
        (
            {"matchers": ["punct", "syn", "word", "para"]},
            r"^matchers is .* but not left out or moved; leave the set",
        ),
    ):
        with pytest.raises(PfsmError, match=message):
            settings_to_train(None, config_from_dict(given, "x.yaml", start), start)


def test_a_model_grows(init: Model) -> None:
    given = {
        "features": ["chrf"],
        "matchers": ["punct", "char", "word", "lemma"],
        "max_block": {"char": 1},
        "options": {"char": {"minimum": 0.6}},
        "split": ["Insert", "S_char"],
    }
    added = {"features": ["chrf"], "matchers": ["char"], "split": ["Insert", "S_char"]}
    model = train(
        invented(20), config=config_from_dict({**given, "lambda": 0.5}, "x.yaml", init), init=init, threads=1
    )
    assert model.training["init"]["name"] == "first"
    assert model.training["init"]["fingerprint"] == init.fingerprint
    assert model.training["init"]["added"] == added
    for name, size in init.settings.max_block.items():
        assert model.settings.max_block[name] == size
    grown: dict[str, Any] = {
        "matchers": (),
        "max_block": {},
        "options": {},
        "split": (),
        "classes": "",
        "features": {},
    }
    assert replace(model.settings, **grown) == replace(init.settings, **grown)
    for key in ("matchers", "split"):
        assert list(getattr(model.settings, key)) == given[key]
    new = set(model.weights) - set(init.weights)
    assert any(model.weights[name] for name in new)


def test_the_penalty_pulls_old_weights_to_the_model_and_new_ones_to_zero(init: Model) -> None:
    """The minimum is the loss plus lambda times the squared distance from there, and its slope vanishes there."""
    data = invented(26, segments=20)
    config = config_from_dict({"features": ["chrf"], "lambda": 2.0}, "x.yaml", init)
    model = train(data, config=config, init=init, threads=1)

    def objective(weights: dict[str, float]) -> float:
        predicted = scores_of(replace(model, weights=weights), data)
        residuals = (data.scores - predicted) / data.scores.std()
        moved = sum((weight - init.weights.get(name, 0.0)) ** 2 for name, weight in weights.items())
        return float((residuals**2).sum()) + 2.0 * moved

    lowest = objective(dict(model.weights))
    assert lowest == pytest.approx(model.training["minimum"], rel=1e-10)
    assert model.weights["feature:chrf"] != 0.0
    learned = [name for name, count in model.training["instances"].items() if count >= 5]
    for name in ("feature:chrf", "S_word", *learned[:3]):
        ends = [objective({**model.weights, name: model.weights[name] + step}) for step in (-1e-4, 1e-4)]
        assert (ends[1] - ends[0]) / 2e-4 == pytest.approx(0.0, abs=1e-4), name
        assert min(ends) > lowest
