"""Minimal pairs in learning over an encoder: their loss, what folds hold out, what a model is told."""

import math
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from pfsm.data import Judgments
from pfsm.encoder import heads
from pfsm.encoder.feature import PieceReader
from pfsm.encoder.heads import parse_feature
from pfsm_training import train
from pfsm_training.config import EncoderOptions, TrainingConfig
from pfsm_training.data.minimal_pairs import PairsToLearn, PairToLearn, pairs_to_learn
from pfsm_training.data.training_text import TrainingText
from pfsm_training.encoder import fitting, learning, runs
from pfsm_training.encoder.fitting import Lesson, Network, Part, fit_head
from pfsm_training.encoder.material import Material, material
from pfsm_training.encoder.runs import Division
from pfsm_training.fit.crossval import Folds, make_folds
from pfsm_training.fit.minimal_pairs import PairsText, minimal_pairs_text
from pfsm_training.minimal_pairs_option import minimal_pairs_option
from pfsm_training.trainer import one_torch_thread
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


def pairs_of(given: Judgments) -> tuple[PairToLearn, ...]:
    assert OPTIONS is not None
    return pairs_to_learn((given, None), "en", OPTIONS).pairs


def texts(
    config: TrainingConfig, given: Judgments = JUDGMENTS, pairs: Sequence[PairToLearn] | None = None
) -> tuple[TrainingText, PairsText, Folds]:
    assert config.minimal_pairs is not None
    text, folds = TrainingText(given, None, config.settings), make_folds(given)
    chosen = PairsToLearn(tuple(pairs_of(given) if pairs is None else pairs), ())
    return text, minimal_pairs_text(chosen, (given, None), text.settings, config.minimal_pairs, folds), folds


def learned(config: TrainingConfig, *given: Any) -> tuple[Any, Material]:
    text, made, folds = texts(config, *given)
    joined = material(text, made, folds)
    return learning.learn(joined, folds, text.reader, config), joined


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


def test_a_pair_of_several_folds_has_the_value_of_the_last_fold_whichever_ends_last(
    config: TrainingConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    text, made, folds = texts(config)
    joined = material(text, replace(made, in_fold=np.ones_like(made.in_fold)), folds)
    with one_torch_thread():
        expected = learning.learn(joined, folds, text.reader, config)
    others = threading.Barrier(len(folds.names), timeout=60)

    def fit(lesson: Lesson, part: Part, passes: int, seed: int, after: Any) -> Network:
        if seed == 1:
            others.wait()
        fitted = fit_head(lesson, part, passes, seed, after)
        if seed > 1:
            others.wait()
        return fitted

    monkeypatch.setattr(runs, "fit_head", fit)
    with one_torch_thread():
        found = learning.learn(joined, folds, text.reader, config, threads=len(folds.names))
    assert found.of_pairs.tobytes() == expected.of_pairs.tobytes()
    assert found.values.tobytes() == expected.values.tobytes()


def test_without_a_weight_pairs_change_nothing_but_are_predicted_by_heads_that_have_not_seen_them(
    config: TrainingConfig,
) -> None:
    assert config.encoder is not None
    free = replace(config, encoder=replace(config.encoder, minimal_pairs=0.0))
    found, given = learned(free)
    text, _, folds = texts(config)
    alone = learning.learn(material(text, None, folds), folds, text.reader, free)
    assert found.values == pytest.approx(alone.values, abs=1e-9)  # computed in other batches
    assert found.feature == alone.feature
    own = [
        np.flatnonzero([other == pair for other in zip(text.references, text.hypotheses, strict=True)])
        for pair in zip(given.references[given.n_judged :], given.hypotheses[given.n_judged :], strict=True)
    ]
    matched = [(place, rows[0]) for place, rows in enumerate(own) if rows.size]
    assert len(matched) > 5
    for place, row in matched:  # A better side that people have judged is the same pair.
        assert found.of_pairs[place] == pytest.approx(found.values[row], abs=1e-6)


def test_pairs_of_other_text_get_the_value_of_the_model(config: TrainingConfig) -> None:
    other = PairToLearn(("a red bird sings .",), "a red bird sings .", "a bird sings .", "drop-word", "major")
    found, given = learned(config, JUDGMENTS, [*pairs_of(JUDGMENTS), other])
    places = [at for at, line in enumerate(given.references) if line == other.references[0]]
    assert len(places) == 2
    reader = PieceReader(*parse_feature(found.feature))
    expected = reader.values([given.references[at] for at in places], [given.hypotheses[at] for at in places])
    assert [found.of_pairs[at - given.n_judged] for at in places] == expected.tolist()


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


def repeated_and_weighted(config: TrainingConfig) -> tuple[tuple[Lesson, Part], tuple[Lesson, Part]]:
    """Judgments that stand there so many times, and the same with weights; minimal pairs beside them."""
    text, made, folds = texts(config)
    given = material(text, made, folds)
    weights = np.random.default_rng(4).integers(1, 4, text.scores.size)

    class Lines:
        lengths = np.ones(len(given.references), dtype=np.int64)

        def batch(self, pairs: Any, device: torch.device) -> Any:
            return pairs

    lesson = Lesson(given, Lines(), 0.5, 0.7, torch.device("cpu"), None)  # type: ignore[arg-type]
    counted = replace(lesson, given=replace(given, weights=weights.astype(float)))
    scored, pairs = np.arange(1, len(text)), np.arange(1, len(made), 3)
    return (lesson, Part(np.repeat(scored, weights[1:]), pairs)), (counted, Part(scored, pairs))


def test_the_loss_with_weights_is_that_of_repeated_judgments(config: TrainingConfig) -> None:
    found = []
    for lesson, part in repeated_and_weighted(config):
        values = torch.from_numpy(np.random.default_rng(3).normal(size=len(lesson.given.references)))
        units = np.arange(part.scored.size + part.preferences.size)
        whole = float(fitting._Loss(lesson, part).of(values.__getitem__, units))  # type: ignore[arg-type]
        # A pass has some of the minimal pairs only, and here are all of them.
        in_a_pass = part.scored.size + math.ceil(part.preferences.size / fitting.PASSES_OVER_PAIRS)
        found.append(whole * units.size / in_a_pass)
    assert found[1] == pytest.approx(found[0], rel=1e-12)


def test_the_start_with_weights_is_that_of_repeated_judgments(config: TrainingConfig) -> None:
    found = []

    class Parts:
        def parts(self, pairs: Any) -> torch.Tensor:
            return torch.from_numpy(np.random.default_rng(5).normal(size=(1000, 6))[pairs])

        def start(self, weights: torch.Tensor, constant: float) -> None:
            found.append([*weights.tolist(), constant])

    for lesson, part in repeated_and_weighted(config):
        fitting._start(Parts(), lesson, part, fitting._Loss(lesson, part))  # type: ignore[arg-type]
    assert found[1] == pytest.approx(found[0], rel=1e-9)


def test_agreement_with_weights_is_that_of_repeated_judgments(config: TrainingConfig) -> None:
    found = [
        learning._agreement(
            lesson.given, np.random.default_rng(3).normal(size=len(lesson.given.references)), part
        )
        for lesson, part in repeated_and_weighted(config)
    ]
    assert found[1] == pytest.approx(found[0], rel=1e-12)


def test_each_pass_sees_a_part_of_the_pairs_and_all_judgments(config: TrainingConfig) -> None:
    text, made, folds = texts(config)
    given = material(text, made, folds)

    class Lines:
        lengths = np.arange(len(given.references)) % 5 + 1

    lesson = Lesson(given, Lines(), 0.5, 1.0, torch.device("cpu"), None, size=7)  # type: ignore[arg-type]
    part = Part(np.arange(len(text)), np.arange(len(made)))
    random = np.random.default_rng(0)
    seen = np.zeros(len(text) + len(made))
    for _ in range(60):
        units = np.concatenate(list(fitting._batches(lesson, part, random)))
        assert np.unique(units).size == units.size
        assert np.array_equal(np.sort(units)[: len(text)], np.arange(len(text)))
        assert units.size == len(text) + math.ceil(len(made) / fitting.PASSES_OVER_PAIRS)
        seen[units] += 1
    assert 5 < seen[len(text) :].min() <= seen[len(text) :].max() < 40


def test_folds_are_joined_with_their_pairs(config: TrainingConfig) -> None:
    text, made, folds = texts(config)
    given = material(text, made, folds)
    division = Division.of(folds, given, 2)
    assert division.names == ("cs+ru", "de")
    assert np.array_equal(division.part(1).scored, np.flatnonzero(folds.member == 1))
    for fold in range(2):
        held = division.part(fold)
        assert np.array_equal(
            held.preferences, np.flatnonzero(made.in_fold[:, [0, 2] if fold == 0 else [1]].any(axis=1))
        )
        rest = division.rest(fold)
        assert sorted([*held.scored, *rest.scored]) == list(range(len(text)))
        assert sorted([*held.preferences, *rest.preferences]) == list(range(len(made)))


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
