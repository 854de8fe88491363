"""Minimal pairs in learning over an encoder: their loss, what folds hold out, what a model is told."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from pfsm.encoder import heads
from pfsm_training import train
from pfsm_training.config import TrainingConfig
from pfsm_training.data.minimal_pairs import PairsToLearn, pairs_to_learn
from pfsm_training.data.training_text import TrainingText
from pfsm_training.encoder import fitting, learning
from pfsm_training.encoder.fitting import Lesson, Part
from pfsm_training.encoder.material import material
from pfsm_training.fit.crossval import Folds, make_folds
from pfsm_training.fit.minimal_pairs import PairsText, minimal_pairs_text
from pfsm_training.options import EncoderOptions, minimal_pairs_option
from tests.encoder.encoders import judgments, network

JUDGMENTS = judgments().sorted()
KINDS = ["drop-word", "add-word", "repeat-word", "number-form"]
OPTIONS = minimal_pairs_option({"kinds": KINDS, "number": 8, "of": "hypothesis", "top": 0.5}, "x")


@pytest.fixture(autouse=True)
def strangers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heads, "_known", {})
    monkeypatch.setattr(learning, "MOST_PASSES", 2)


@pytest.fixture
def config(tmp_path: Path) -> TrainingConfig:
    encoder = EncoderOptions(source=network(tmp_path), minimal_pairs=0.5)
    return TrainingConfig(encoder=encoder, minimal_pairs=OPTIONS)


def texts(config: TrainingConfig) -> tuple[TrainingText, PairsText, Folds]:
    options = config.minimal_pairs
    assert options is not None
    text, folds = TrainingText(JUDGMENTS, None, config.settings), make_folds(JUDGMENTS)
    chosen = PairsToLearn(pairs_to_learn((JUDGMENTS, None), "en", options).pairs, ())
    return text, minimal_pairs_text(chosen, (JUDGMENTS, None), text.settings, options, folds), folds


def test_pairs_that_a_fold_holds_out_teach_its_head_nothing(config: TrainingConfig) -> None:
    text, made, folds = texts(config)
    held = made.in_fold[:, 0]
    others = replace(made, margins=np.where(held, 9.0, made.margins))
    first, second = (
        learning.learn(material(text, one, folds), folds, text.reader, config) for one in (made, others)
    )
    own = folds.member == 0
    assert np.array_equal(first.values[own], second.values[own])
    assert not np.array_equal(first.values[~own], second.values[~own])
    sides = np.concatenate([made.text.better[held], made.text.worse[held]])
    assert np.array_equal(first.of_pairs[sides], second.of_pairs[sides])
    assert not np.array_equal(first.of_pairs, second.of_pairs)


def test_the_loss_is_that_of_plain_loops(config: TrainingConfig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fitting, "PASSES_OVER_PAIRS", 1)
    text, made, folds = texts(config)
    given = material(text, made, folds)
    random = np.random.default_rng(3)
    values = torch.from_numpy(random.normal(size=len(given.references)))

    class Lines:
        lengths = np.ones(len(given.references), dtype=np.int64)

        def batch(self, pairs: Any, device: torch.device) -> Any:
            return pairs

    weight = 0.7
    lesson = Lesson(given, Lines(), 0.5, weight, torch.device("cpu"), None)  # type: ignore[arg-type]
    part = Part(np.arange(0, len(text), 2), np.arange(1, len(made), 3))
    loss = fitting._Loss(lesson, part)
    n_units = part.scored.size + part.preferences.size
    found = float(loss.of(values.__getitem__, np.arange(n_units)))  # type: ignore[arg-type]
    scores = text.scores[part.scored]
    expected = float(np.mean((values.numpy()[part.scored] - (scores - scores.mean()) / scores.std()) ** 2))
    for pair in part.preferences.tolist():
        apart = float(values[given.better[pair]] - values[given.worse[pair]])
        term = made.scale * math.log1p(math.exp((made.margins[pair] - apart) / made.scale))
        expected += weight * term / part.preferences.size
    assert found == pytest.approx(expected)


def test_a_model_learns_from_pairs_over_its_encoder(config: TrainingConfig) -> None:
    assert config.minimal_pairs is not None
    config = replace(config, minimal_pairs=replace(config.minimal_pairs, weight=0.3))
    model = train(JUDGMENTS, config=config, threads=1)
    record = model.training
    assert record["encoder"]["minimal_pairs"] == 0.5
    assert set(record["minimal_pairs"]["held_out_lower"]) == set(KINDS) - {"number-form"}
    again = train(JUDGMENTS, config=config, threads=2)
    assert again.to_dict() == model.to_dict()
    assert config.encoder is not None
    other = replace(config, encoder=replace(config.encoder, minimal_pairs=0.0))
    assert train(JUDGMENTS, config=other, threads=1).weights != model.weights
