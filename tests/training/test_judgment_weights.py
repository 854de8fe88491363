"""The option ``weights``: a judgment of weight 2 is two judgments, one of weight 0 is none."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from pfsm.data import Judgments
from pfsm.data.judgments import Places
from pfsm.errors import PfsmError
from pfsm.evaluation import pearson
from pfsm.model.file import Model
from pfsm.model.metric import Metric
from pfsm.model.settings import Settings
from pfsm.model.training_record import weighted
from pfsm_training import train
from pfsm_training.config import TrainingConfig, config_from_dict
from pfsm_training.data.minimal_pairs import _best
from pfsm_training.data.moments import mean_and_sd
from pfsm_training.data.training_set import amount_of, amount_of_pairs, encode_here
from pfsm_training.data.training_text import TrainingText
from pfsm_training.lattices import features
from pfsm_training.loss.objective import HuberError, SquaredError
from pfsm_training.weights_option import WeightOptions, judgment_weights
from tests.training.report.report_cases import preferences_of
from tests.training.small_data import invented

Float = NDArray[np.float64]
LANGUAGES = ("cs", "de", "fi")
BASE: Mapping[str, Any] = {"lambda": [0.5, 5.0, 50.0], "start": "matches"}


@pytest.fixture(autouse=True)
def rare_features_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """A repeated row has twice the instances of a weighted one, and with few of them a feature is left out."""
    monkeypatch.setattr(features, "FEWEST_INSTANCES", 1)


def with_column(judgments: Judgments, numbers: Float, name: str = "counts") -> Judgments:
    return replace(judgments, columns={**judgments.columns, name: tuple(map(repr, numbers.tolist()))})


def whole_weights(judgments: Judgments, seed: int = 0, least: int = 0) -> NDArray[np.int64]:
    return np.random.default_rng(seed).integers(least, 4, len(judgments))


def trained(judgments: Judgments | None, others: Any = None, **values: Any) -> Model:
    config = config_from_dict({**BASE, **values}, "x")
    return train(judgments, preferences=others, config=config, threads=1)


def alike(one: Model, other: Model, within: float = 1e-6) -> None:
    """The same model, and the same said of it, up to where the minimisation stopped."""
    assert one.weights == pytest.approx(other.weights, abs=within)
    assert one.alpha == pytest.approx(other.alpha, abs=within)
    assert (one.scale.mean, one.scale.sd) == pytest.approx((other.scale.mean, other.scale.sd), rel=1e-12)
    for key in ("pearson", "lambda", "lambda_tried", "pearson_interval", "mixture", "kendall_tau", "slope"):
        if key in other.training:
            assert one.training[key] == pytest.approx(other.training[key], abs=1e-4), key
    assert one.training["lambda"] == other.training["lambda"]
    for key in ("cross_validated", "overfitting"):
        for part in ("folds", "seen"):
            if part in other.training[key]:
                found = other.training[key][part]
                assert one.training[key][part] == pytest.approx(found, abs=1e-4), (key, part)


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"objective": "huber"},
        {"standardise": False, "lambda": 20.0},
        {"features": ["chrf", "length_ratio"]},
        {"features": ["chrf"], "edits": False},
        {"max_jump": 2, "lambda": 1.0},
        {"solver": "lbfgs", "lambda": 1.0},
        {"edit_cost": 0.2, "lambda": 1.0},
        {"match_gain": 0.5, "lambda": 1.0},
    ],
    ids=lambda values: " ".join(values) or "usual",
)
def test_whole_weights_are_repetitions(values: Mapping[str, Any]) -> None:
    judgments = invented(2, 40, languages=LANGUAGES)
    counts = whole_weights(judgments)
    repeated = judgments.select(np.repeat(np.arange(len(judgments)), counts))
    found = trained(with_column(judgments, counts.astype(float)), weights="counts", **values)
    alike(found, trained(repeated, **values), 1e-4 if "solver" in values else 1e-5)
    assert found.training["weights"] == {"column": "counts", "sum": float(counts.sum())}
    assert found.training["judgments"] == int(np.count_nonzero(counts))


@pytest.mark.parametrize("mixture", [0.3, "auto"])
def test_beside_preferences(mixture: Any) -> None:
    judgments, others = invented(2, 40), preferences_of(invented(2, 40))
    counts = whole_weights(judgments, 1)
    repeated = judgments.select(np.repeat(np.arange(len(judgments)), counts))
    given = {"mixture": mixture, "lambda": 1.0}
    found = trained(with_column(judgments, counts.astype(float)), others, weights="counts", **given)
    alike(found, trained(repeated, others, **given), 1e-4)


@pytest.mark.parametrize("use", ["best", "mean"])
def test_several_references(use: str) -> None:
    judgments = invented(2, 40)
    second = tuple(
        line if at % 2 else "" for at, line in enumerate(np.roll(judgments.hypotheses, 1).tolist())
    )
    judgments = replace(judgments, columns={**judgments.columns, "reference_2": second})
    counts = whole_weights(judgments, 3)
    repeated = judgments.select(np.repeat(np.arange(len(judgments)), counts))
    given = {"references": use, "features": ["length_ratio"]}
    found = trained(with_column(judgments, counts.astype(float)), weights="counts", **given)
    alike(found, trained(repeated, **given), 1e-5)


def test_more_than_starts_are_compared_on() -> None:
    """With many judgments, starts are compared on a sample, and folds begin at the minimum of half the data."""
    judgments = invented(4, 400, languages=LANGUAGES)
    counts = whole_weights(judgments, 5, least=1)
    repeated = judgments.select(np.repeat(np.arange(len(judgments)), counts))
    found = trained(with_column(judgments, counts.astype(float)), weights="counts")
    alike(found, trained(repeated), 1e-5)


def test_weight_zero_is_left_out() -> None:
    judgments = invented(6, 30, languages=LANGUAGES)
    kept = np.arange(len(judgments)) % 3 > 0
    found = trained(with_column(judgments, kept.astype(float)), weights="counts")
    without = trained(judgments.select(np.flatnonzero(kept)))
    for key in ("judgments", "instances", "reference_digests"):
        assert found.training[key] == without.training[key], key
    alike(found, without, 1e-9)


@pytest.mark.parametrize("factor", [1e-6, 0.25, 1e6])
def test_weights_are_weighed_against_lambda(factor: float) -> None:
    """All weights times a number, and lambda times it, too: the same minimum, found as closely."""
    judgments = invented(6, 30)
    plain = trained(judgments, **{"lambda": 2.0})
    scaled = with_column(judgments, np.full(len(judgments), factor))
    alike(trained(scaled, weights="counts", **{"lambda": 2.0 * factor}), replace_lambda(plain, 2.0 * factor))


def replace_lambda(model: Model, penalty: float) -> Model:
    return replace(model, training={**model.training, "lambda": penalty})


def test_neither_order_nor_threads_matter() -> None:
    judgments = with_column(invented(7, 40), np.random.default_rng(0).uniform(0.0, 3.0, 120))
    config = config_from_dict({**BASE, "weights": "counts"}, "x")
    one = train(judgments, config=config, threads=1)
    order = np.random.default_rng(1).permutation(len(judgments))
    assert train(judgments.select(order), config=config, threads=2).to_dict() == one.to_dict()


def test_unreliable_judgments_harm_less() -> None:
    """Half the scores are noise; with their weight they change predictions of clean data less than without."""
    judgments, clean = invented(8, 60), invented(9, 60)
    noisy = np.arange(len(judgments)) % 2 == 0
    noise = np.random.default_rng(0).normal(0.0, 60.0, len(judgments))
    spoilt = replace(judgments, scores=judgments.scores + noisy * noise)
    weights = with_column(spoilt, np.where(noisy, 0.01, 1.0))

    def r(model: Model) -> float:
        return pearson(Metric(model, 1).score_pairs(clean.hypotheses, clean.references), clean.scores)

    assert r(trained(weights, weights="counts")) > r(trained(spoilt)) + 0.02


def test_rater_noise() -> None:
    judgments = with_column(invented(7, 4), np.array([0.0, 1.0, 2.0, 4.0, 100.0, 1.5, *[3.0] * 6]))
    found = judgment_weights(judgments, WeightOptions("counts", 4.0))
    assert found == pytest.approx([0.0, 1 / 5, 2 / 6, 4 / 8, 100 / 104, 1.5 / 5.5, *[3 / 7] * 6], rel=1e-15)
    even = judgment_weights(judgments, WeightOptions("counts", 0.0))
    assert even is not None
    assert even.tolist() == [0.0, *[1.0] * 11]


def test_rater_noise_is_recorded_and_told() -> None:
    judgments = with_column(invented(7, 20), np.full(60, 3.0))
    model = trained(judgments, weights={"column": "counts", "rater_noise": 1}, **{"lambda": 1.0})
    assert model.training["weights"] == {"column": "counts", "rater_noise": 1.0, "sum": 45.0}
    told = "judgments are weighted by counts, rater noise 1; so is Pearson's r of the training data"
    assert weighted(model.training) == [told]
    assert weighted(trained(judgments).training) == []
    assert weighted({"weights": {"column": 3}}) == []


@pytest.mark.parametrize("scale", [1.0, 1e-150, 1e150])
def test_mean_and_sd_are_those_of_repetitions(scale: float) -> None:
    rng = np.random.default_rng(0)
    values, counts = scale * (3.0 + rng.normal(size=40)), rng.integers(1, 5, 40)
    expected = mean_and_sd(np.repeat(values, counts))
    assert mean_and_sd(values, counts.astype(float)) == pytest.approx(expected, rel=1e-12)
    assert mean_and_sd(np.full(7, 0.1 * scale), rng.uniform(0.1, 1.0, 7)) == (0.1 * scale, 0.0)


@pytest.mark.parametrize("make", [SquaredError, lambda *given: HuberError(given[0], 0.8, *given[1:])])
def test_losses_against_plain_loops(make: Any) -> None:
    rng = np.random.default_rng(3)
    targets, weights, predictions = rng.normal(size=9), rng.uniform(0.1, 4.0, 9), rng.normal(0.0, 2.0, 12)
    jacobian = rng.normal(size=(12, 4))
    loss = make(targets, weights)

    def value(moved: Float) -> float:
        return float(loss.value(torch.from_numpy(predictions + jacobian @ moved)))

    total = 0.0
    for k in range(9):
        one = make(targets[k : k + 1])
        total += weights[k] * float(one.value(torch.from_numpy(predictions[k : k + 1])))
    assert value(np.zeros(4)) == pytest.approx(total, rel=1e-12)
    step = 1e-6 * np.eye(4)
    slopes = [(value(one) - value(-one)) / 2e-6 for one in step]
    model = loss.quadratic(predictions, jacobian)
    assert model.gradient == pytest.approx(slopes, abs=1e-7)
    ones = [loss.part(k, k + 1).quadratic(predictions[k : k + 1], jacobian[k : k + 1]) for k in range(12)]
    assert sum(one.gradient for one in ones) == pytest.approx(model.gradient, abs=1e-12)
    assert sum(one.curvature for one in ones) == pytest.approx(model.curvature, abs=1e-12)


PLACED = replace(
    invented(7, 4),
    places=Places(("judged.tsv",), np.zeros(12, dtype=np.int64), np.arange(2, 14)),
)


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ([-1.0], "judged.tsv:2: counts is -1, a weight must be 0 or from 1e-06 to 1,000,000"),
        ([1.0, 2e6], "judged.tsv:3: counts is 2e\\+06, a weight must be 0 or from"),
        ([1.0, 1.0, 1e-9], "judged.tsv:4: counts is 1e-09, a weight must be 0 or from"),
        ([1.0, float("nan")], "judged.tsv:3: counts is 'nan', a finite number is needed"),
        ([float("inf")], "judged.tsv:2: counts is 'inf', a finite number is needed"),
        ([0.0] * 12, r"judged.tsv: counts is 0 on every row \(12\), there is nothing to learn from"),
    ],
)
def test_bad_weights_are_refused(numbers: list[float], message: str) -> None:
    judgments = with_column(PLACED, np.array([*numbers, *[1.0] * (12 - len(numbers))]))
    with pytest.raises(PfsmError, match=f"^{message}"):
        trained(judgments, weights="counts")


@pytest.mark.parametrize("number", [0.5, 1e-9, -1.0, 2e6])
def test_bad_numbers_of_raters_are_refused(number: float) -> None:
    judgments = with_column(PLACED, np.array([number, *[1.0] * 11]))
    with pytest.raises(
        PfsmError, match=r"^judged.tsv:2: counts is .*, a number of raters must be 0 or from 1 to 1,0"
    ):
        trained(judgments, weights={"column": "counts", "rater_noise": 4})


def test_no_column_or_no_judgments() -> None:
    with pytest.raises(PfsmError, match=r"^judged.tsv: no column 'raters' besides the texts"):
        trained(PLACED, weights="raters")
    alone = preferences_of(invented(2, 20))
    config = TrainingConfig(weights=WeightOptions("votes"))
    with pytest.raises(
        PfsmError, match="weights is for judgments with scores, but there are only preferences"
    ):
        train(None, preferences=alone, config=config, threads=1)
    with pytest.raises(PfsmError, match=r"^no judgments to train on"):
        train(None, config=config, threads=1)


def test_preferences_remain_where_no_judgment_does() -> None:
    judgments, others = invented(6, 20), preferences_of(invented(8, 30))
    found = trained(with_column(judgments, np.zeros(60)), others, weights="counts", **{"lambda": 1.0})
    alone = trained(None, others, **{"lambda": 1.0})
    assert found.weights == alone.weights
    assert found.training == alone.training


@pytest.mark.parametrize("name", ["target_lang", "source_lang"])
def test_nothing_of_a_row_of_weight_zero_matters(name: str) -> None:
    """Neither its language, nor a field that is not a number, nor an extreme score."""
    judgments = invented(6, 30, languages=LANGUAGES)
    strange = Judgments(
        ("ein", "zwei"), ("", "x"), np.array([-1e9, 1e9]), {name: ("de", "xx"), "quality": ("?", "")}, ()
    )
    rest = {"quality": ("1",) * len(judgments)}
    rest |= {"target_lang": ("en",) * len(judgments)} if name == "target_lang" else {}
    judgments = replace(judgments, columns={**judgments.columns, **rest})
    both = Judgments.join([judgments, strange])
    weighted_both = with_column(both, np.array([*np.ones(len(judgments)), 0.0, 0.0]))
    given = {"features": ["column:quality", "length"], "lambda": 5.0}
    found, without = trained(weighted_both, weights="counts", **given), trained(judgments, **given)
    assert found.weights == pytest.approx(without.weights, abs=1e-9)
    assert found.settings.language == without.settings.language == "en"
    assert found.training["reference_digests"] == without.training["reference_digests"]


def test_minimal_pairs_are_made_of_the_same_translations() -> None:
    """The best quarter of hypotheses is a quarter of the weight; the pairs are the same, and so is the model."""
    judgments = invented(2, 40, languages=LANGUAGES)
    counts = whole_weights(judgments)
    repeated = judgments.select(np.repeat(np.arange(len(judgments)), counts))
    given = {"minimal_pairs": {"kinds": ["drop-word", "repeat-word"], "weight": 0.5}, "lambda": 2.0}
    found = trained(with_column(judgments, counts.astype(float)), weights="counts", **given)
    other = trained(repeated, **given)
    assert found.training["minimal_pairs"]["sha256"] == other.training["minimal_pairs"]["sha256"]
    alike(found, other, 1e-5)


def test_the_best_share_is_one_of_weight() -> None:
    rng = np.random.default_rng(2)
    judgments = replace(invented(2, 20), scores=np.round(invented(2, 20).scores / 3.0))
    for _ in range(20):
        counts, top = rng.integers(1, 6, 60), float(rng.uniform(0.01, 1.0))
        rows = np.repeat(np.arange(60), counts)
        ones = np.ones(rows.size)
        expected = {int(rows[one]) for one in _best(judgments.select(rows), top, ones)}
        assert set(_best(judgments, top, counts.astype(float))) == expected
        least = np.sort(judgments.scores[rows])[-max(1, int(np.ceil(top * rows.size)))]
        assert expected == set(np.flatnonzero(judgments.scores >= least).tolist())


def test_from_an_initial_model() -> None:
    judgments = invented(2, 40)
    counts = whole_weights(judgments)
    init = trained(invented(5, 30), **{"lambda": 1.0})
    repeated = judgments.select(np.repeat(np.arange(len(judgments)), counts))
    plain = config_from_dict({"lambda": 2.0}, "x", init)
    config = config_from_dict({"lambda": 2.0, "weights": "counts"}, "x", init)
    weighted_ones = with_column(judgments, counts.astype(float))
    alike(
        train(weighted_ones, config=config, init=init, threads=1),
        train(repeated, config=plain, init=init, threads=1),
        1e-5,
    )


@pytest.mark.parametrize("use", ["best", "mean"])
def test_amounts_are_those_of_rows_written_out(use: Any) -> None:
    judgments, others = invented(2, 6), preferences_of(invented(9, 8))
    second = tuple(line if at % 2 else "" for at, line in enumerate(judgments.hypotheses))
    judgments = replace(judgments, columns={"reference_2": second}).sorted()
    counts = whole_weights(judgments, 4, least=1)
    repeated = judgments.select(np.repeat(np.arange(len(judgments)), counts))
    settings = Settings(references=use)
    weighted_data = encode_here(TrainingText(judgments, others, settings, counts.astype(float)))
    data = encode_here(TrainingText(repeated, others, settings))
    assert amount_of(weighted_data) == amount_of(data) == counts.sum() + len(others)
    assert amount_of_pairs(weighted_data) == amount_of_pairs(data) == len(data)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (True, "weights is True, it must be false, the name of a column, or {column: NAME, rater_noise: K}"),
        ("", "weights is '', it must be"),
        (3, "weights is 3, it must be"),
        ({"rater_noise": 1}, "weights is {'rater_noise': 1}, it must be"),
        ({"column": ""}, "weights is {'column': ''}, it must be"),
        (
            {"column": "n", "noise": 1},
            "weights has the unknown option 'noise'; known are column, rater_noise",
        ),
        ({"column": "n", "rater_noise": -1}, "weights: rater_noise is -1, it must be a number from 0 to 1e"),
        ({"column": "n", "rater_noise": float("nan")}, "weights: rater_noise is nan, it must be a number"),
    ],
)
def test_bad_options_are_refused(value: Any, message: str) -> None:
    with pytest.raises(PfsmError) as caught:
        config_from_dict({"weights": value}, "x")
    assert str(caught.value).startswith(f"x: {message}")


def test_false_is_nothing() -> None:
    assert config_from_dict({"weights": False}, "x").weights is None
