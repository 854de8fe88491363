"""The option ``weights``: a judgment of weight 2 is two judgments, one of weight 0 is none."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from pfsm.data import Judgments
from pfsm.data.judgments import Places
from pfsm.errors import PfsmError
from pfsm.model.file import Model
from pfsm_training import train
from pfsm_training.config import TrainingConfig, config_from_dict
from pfsm_training.data.minimal_pairs import _best
from pfsm_training.lattices import features
from tests.training.report_cases import preferences_of
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


def whole_weights(judgments: Judgments, seed: int = 0) -> NDArray[np.int64]:
    return np.random.default_rng(seed).integers(0, 4, len(judgments))


def trained(judgments: Judgments | None, others: Any = None, **values: Any) -> Model:
    config = config_from_dict({**BASE, **values}, "x")
    return train(judgments, preferences=others, config=config, threads=1)


def alike(one: Model, other: Model, within: float = 1e-6) -> None:
    """The same model, and the same said of it, up to where the minimisation stopped."""
    assert one.weights == pytest.approx(other.weights, abs=within)
    assert one.alpha == pytest.approx(other.alpha, abs=within)
    assert (one.scale.mean, one.scale.sd) == pytest.approx((other.scale.mean, other.scale.sd), rel=within)
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
        {"objective": "huber", "standardise": False, "lambda": 20.0},
        {"features": ["chrf"], "edits": False},
        {"edit_cost": 0.2, "self_match": 0.9, "lambda": 1.0},
    ],
    ids=lambda values: " ".join(values) or "usual",
)
def test_whole_weights_are_repetitions(values: Mapping[str, Any]) -> None:
    judgments = invented(2, 30, languages=LANGUAGES)
    counts = whole_weights(judgments)
    repeated = judgments.select(np.repeat(np.arange(len(judgments)), counts))
    found = trained(with_column(judgments, counts.astype(float)), weights="counts", **values)
    alike(found, trained(repeated, **values), 1e-5)
    assert found.training["weights"] == {"column": "counts", "sum": float(counts.sum())}
    assert found.training["judgments"] == int(np.count_nonzero(counts))


def test_beside_preferences() -> None:
    judgments, others = invented(2, 40), preferences_of(invented(2, 40))
    counts = whole_weights(judgments, 1)
    repeated = judgments.select(np.repeat(np.arange(len(judgments)), counts))
    given = {"mixture": "auto", "lambda": 1.0}
    found = trained(with_column(judgments, counts.astype(float)), others, weights="counts", **given)
    alike(found, trained(repeated, others, **given), 1e-4)


def test_weights_are_weighed_against_lambda() -> None:
    """All weights times a number, and lambda times it, too: the same minimum, found as closely."""
    judgments, factor = invented(6, 30), 0.25
    plain = trained(judgments, **{"lambda": 2.0})
    scaled = with_column(judgments, np.full(len(judgments), factor))
    plain = replace(plain, training={**plain.training, "lambda": 2.0 * factor})
    alike(trained(scaled, weights="counts", **{"lambda": 2.0 * factor}), plain)


PLACED = replace(
    invented(7, 4),
    places=Places(("judged.tsv",), np.zeros(12, dtype=np.int64), np.arange(2, 14)),
)


def test_bad_weights_are_refused_and_a_lack_of_them() -> None:
    for numbers, message in (
        ([-1.0], "judged.tsv:2: counts is -1, a weight must be 0 or from 1e-06 to 1,000,000"),
        ([1.0, float("nan")], "judged.tsv:3: counts is 'nan', a finite number is needed"),
        ([0.0] * 12, r"judged.tsv: counts is 0 on every row \(12\), there is nothing to learn from"),
    ):
        judgments = with_column(PLACED, np.array([*numbers, *[1.0] * (12 - len(numbers))]))
        with pytest.raises(PfsmError, match=f"^{message}"):
            trained(judgments, weights="counts")
    with pytest.raises(PfsmError, match=r"^judged.tsv: no column 'raters' besides the texts"):
        trained(PLACED, weights="raters")
    config = TrainingConfig(penalty=5.0, weights="votes")
    only = "weights is for judgments with scores, but there are only preferences"
    with pytest.raises(PfsmError, match=only):
        train(None, preferences=preferences_of(invented(2, 20)), config=config, threads=1)
    with pytest.raises(PfsmError, match=r"^no judgments to train on"):
        train(None, config=config, threads=1)


def test_nothing_of_a_row_of_weight_zero_matters() -> None:
    """Neither its language, nor a field that is not a number, nor an extreme score."""
    judgments = invented(6, 30, languages=LANGUAGES)
    odd = {"target_lang": ("de", "xx"), "quality": ("?", "")}
    strange = Judgments(("ein", "zwei"), ("", "x"), np.array([-1e9, 1e9]), odd, ())
    rest = {"quality": ("1",) * len(judgments), "target_lang": ("en",) * len(judgments)}
    judgments = replace(judgments, columns={**judgments.columns, **rest})
    both = Judgments.join([judgments, strange])
    weighted_both = with_column(both, np.array([*np.ones(len(judgments)), 0.0, 0.0]))
    given = {"features": ["column:quality", "length"], "lambda": 5.0}
    found, without = trained(weighted_both, weights="counts", **given), trained(judgments, **given)
    assert found.weights == pytest.approx(without.weights, abs=1e-9)
    assert found.settings.language == without.settings.language == "en"
    assert found.training["reference_digests"] == without.training["reference_digests"]


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
