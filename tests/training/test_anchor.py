"""The anchored scale: what scores 0 and 100, and that nothing else changes."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from pfsm.errors import PfsmError
from pfsm.model.file import Model, Scale
from pfsm.model.metric import Metric
from pfsm.model.settings import Settings
from pfsm_training import TrainingConfig, train
from pfsm_training.fit.anchor import anchored
from tests.training.small_data import WORDS, invented

FIXED = TrainingConfig(penalty=5.0)

DATA = invented(0, segments=41)
REFERENCES = tuple(sorted(set(DATA.references)))


def scores_of(model: Model, hypotheses: list[str], references: list[str]) -> NDArray[np.float64]:
    return Metric(model, threads=1).score_pairs(hypotheses, references)


# No reference has these, which are of the same word class.
OTHERS = {".": ";", ",": ":", "!": "?", "seven": "nine"}


def unmatched(references: tuple[str, ...]) -> list[str]:
    """As many tokens of the same classes, none of them in any reference; the sentences are words between spaces."""
    return [
        " ".join(OTHERS.get(word, f"qx{'x' * k}") for k, word in enumerate(line.split()))
        for line in references
    ]


@pytest.fixture(scope="module", params=["exclusive", "split", "by hand"])
def model(request: pytest.FixtureRequest) -> Model:
    if request.param == "by hand":
        # Most weights are absent, and Insert is better than nothing in common deserves.
        return Model(
            "hand",
            weights={"Insert": 0.4, "S_word": 2.0, "Insert>Insert": -0.3},
            alpha=0.7,
            scale=Scale(3, 2),
        )
    if request.param == "split":
        return train(DATA, Settings(split=("Insert", "Delete", "S_word")), config=FIXED, threads=1)
    return train(DATA, Settings(matching=request.param), config=FIXED, threads=1)


def test_the_anchors_are_100_and_0(model: Model) -> None:
    found = anchored(model, REFERENCES)
    assert np.median(scores_of(found, list(REFERENCES), list(REFERENCES))) == pytest.approx(100.0, abs=1e-9)
    nothing = scores_of(found, unmatched(REFERENCES), list(REFERENCES))
    assert np.median(nothing) == pytest.approx(0.0, abs=1e-9)


def test_the_scores_are_a_rising_line_over_those_before(model: Model) -> None:
    rng = np.random.default_rng(1)
    references = [" ".join(rng.choice(WORDS, rng.integers(0, 9))) for _ in range(60)]
    hypotheses = [" ".join(rng.choice(WORDS, rng.integers(1, 9))) for _ in range(60)]
    equal = [reference for reference in references[:20] if reference]
    hypotheses, references = [*hypotheses, *equal, ""], [*references, *equal, "garden walk"]
    before = scores_of(model, hypotheses, references)
    after = scores_of(anchored(model, REFERENCES), hypotheses, references)
    # A line through two points, held to all others.
    low, high = int(before.argmin()), int(before.argmax())
    slope = (after[high] - after[low]) / (before[high] - before[low])
    assert slope > 0.0
    assert after == pytest.approx(after[low] + slope * (before - before[low]), abs=1e-9)


def test_in_the_units_that_were_fitted_no_prediction_changes(model: Model) -> None:
    """What weights gain or lose per token, alpha makes up for: the model stays one to start training from."""
    pair = (list(DATA.hypotheses), list(DATA.references))
    before, after = (replace(one, scale=Scale()) for one in (model, anchored(model, REFERENCES)))
    assert after.weights["S_word"] != pytest.approx(before.weights["S_word"], abs=0.1)
    assert scores_of(after, *pair) == pytest.approx(scores_of(before, *pair), abs=1e-12)


@pytest.mark.parametrize(
    "settings",
    [
        Settings(max_block={"punct": 1, "word": 2, "lemma": 1}),
        Settings(features={"chrf": None, "length_ratio": None}),
    ],
)
def test_models_with_blocks_or_features_are_moved_and_stretched(settings: Settings) -> None:
    before = train(DATA, settings, config=FIXED, threads=1)
    after = anchored(before, REFERENCES)
    assert (after.weights, after.alpha) == (before.weights, before.alpha)
    assert np.median(scores_of(after, list(REFERENCES), list(REFERENCES))) == pytest.approx(100.0, abs=1e-9)
    unknown = [" ".join("\u10df" * len(word) for word in line.split()) for line in REFERENCES]
    assert np.median(scores_of(after, unknown, list(REFERENCES))) == pytest.approx(0.0, abs=1e-9)
    old = scores_of(before, list(DATA.hypotheses), list(DATA.references))
    new = scores_of(after, list(DATA.hypotheses), list(DATA.references))
    assert np.polyfit(old, new, 1, full=True)[1] == pytest.approx(0.0, abs=1e-12 * new.var() * new.size)


def test_what_cannot_be_anchored() -> None:
    with pytest.raises(PfsmError, match="equal to the reference"):
        anchored(Model("m", weights={"S_word": -1e3, "S_lemma": -1e3, "S_punct": -1e3}), REFERENCES)
    with pytest.raises(PfsmError, match="token"):
        anchored(Model("m", weights={"S_word": 2.0}), ["", "  "])
