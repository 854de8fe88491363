"""Tuning an encoder's layers: the same states as scoring, what is stored, the same model again."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from pfsm.embeddings.encoders import pinned, tunable_encoder
from pfsm.encoder import feature, heads
from pfsm.encoder.feature import PieceReader
from pfsm.encoder.heads import EPSILON, head_from_bytes, remember
from pfsm.model.file import load_model, save_model
from pfsm.model.metric import Metric
from pfsm_kernels.dense.vectors import mixed_layers
from pfsm_training import train
from pfsm_training.config import TrainingConfig
from pfsm_training.data.training_text import TrainingText
from pfsm_training.encoder import learning, transformer
from pfsm_training.encoder.fitting import Lesson, Part, fit_head, material, predictions
from pfsm_training.encoder.pieces import SequenceLines, uniform_mix
from pfsm_training.encoder.transformer import LayersNetwork, TunedNetwork
from pfsm_training.fit.crossval import make_folds
from pfsm_training.options import EncoderOptions
from tests.core.embeddings.networks import SHAPE, random_tensors, write_network, write_safetensors
from tests.core.encoder.encoders import DIMENSION, LAYERS, LINES, judgments

CPU = torch.device("cpu")
# The second has more pieces than the network has positions.
TEXTS = (*LINES, "the cat sat on the mat . " * 4, "n't .", "")


@pytest.fixture(autouse=True)
def strangers(monkeypatch: pytest.MonkeyPatch) -> None:
    """No head is known from another test, and no network that was tuned by it."""
    monkeypatch.setattr(heads, "_known", {})
    feature._tuned.cache_clear()


@pytest.fixture
def source(tmp_path: Path) -> str:
    return pinned(str(write_network(tmp_path / "net")))


def tuned_network(source: str, tune: str, changed: bool = True) -> TunedNetwork:
    """A network as training starts it, or with all its parameters changed at random."""
    torch.manual_seed(2)
    encoder = tunable_encoder(source)
    mix = uniform_mix(LAYERS)
    network = TunedNetwork(
        LayersNetwork(encoder.weights(LAYERS - 1), encoder.shape, mix, tune, "float32"), DIMENSION, tune
    ).eval()
    for parameter in network.parameters():
        parameter.data += 0.2 * torch.randn_like(parameter) * changed
    return network


def sequences(source: str) -> SequenceLines:
    encoder = tunable_encoder(source)
    return SequenceLines(encoder, encoder.weights(LAYERS - 1), TEXTS, TEXTS[1:] + TEXTS[:1])


def values(network: TunedNetwork, lines: SequenceLines) -> Any:
    with torch.no_grad():
        return network(lines.batch(np.arange(len(TEXTS)), CPU)).numpy()


def write_mpnet(folder: Path) -> Path:
    """The tiny network by MPNet's names, with its numbers for distances."""
    write_network(folder, model_type="mpnet")
    names = {"self.query": "attn.q", "self.key": "attn.k", "self.value": "attn.v"}
    names |= {"attention.output.dense": "attention.attn.o"}
    tensors: dict[str, Any] = {}
    for name, values in random_tensors().items():
        own = next((name.replace(old, new) for old, new in names.items() if old in name), name)
        tensors[own.replace("attention.output.LayerNorm", "attention.LayerNorm")] = values
    random = np.random.default_rng(4)
    tensors["encoder.relative_attention_bias.weight"] = random.normal(size=(32, SHAPE["heads"])).astype("f4")
    write_safetensors(folder / "model.safetensors", tensors)
    return folder


@pytest.mark.parametrize("family", ["bert", "roberta", "mpnet"])
def test_before_training_the_states_are_those_of_scoring(tmp_path: Path, family: str) -> None:
    layers = 2
    folder = tmp_path / family
    source = str(write_mpnet(folder) if family == "mpnet" else write_network(folder, family=family))
    encoder, mix = tunable_encoder(source), uniform_mix(LAYERS, layers)
    network = LayersNetwork(encoder.weights(layers - 1), encoder.shape, mix, "full", "float32").eval()
    lines = SequenceLines(encoder, encoder.weights(layers - 1), TEXTS, TEXTS)
    batch = lines.batch(np.arange(len(TEXTS)), CPU)
    with torch.no_grad():
        rows = network(batch.sequences).numpy()
    used = list(range(layers))
    for place, line in enumerate(TEXTS):
        (states,) = encoder.states([line], used)
        expected = mixed_layers(np.ascontiguousarray(states.values), mix[used].astype(np.float64), EPSILON)
        row = int(batch.references[place])
        assert int(batch.lengths[row]) == len(expected)
        assert rows[row, : len(expected)] == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize(("tune", "error"), [("lora", 1e-5), ("full", 0.01)])
def test_what_was_tuned_scores_as_it_was_trained(source: str, tune: str, error: float) -> None:
    network = tuned_network(source, tune)
    stored = head_from_bytes(network.head(uniform_mix(LAYERS)).content, "x")
    found = PieceReader(remember(stored), source).values(TEXTS[1:] + TEXTS[:1], TEXTS)
    expected = values(network, sequences(source))
    assert np.ptp(expected) > 0.2
    # Matrices that replace others are rounded to int8.
    assert found == pytest.approx(expected, abs=error)
    untuned = values(tuned_network(source, tune, changed=False), sequences(source))
    assert np.abs(expected - untuned).max() > 10 * error


def test_a_tuned_model_is_repeatable_and_lies_in_two_files(
    source: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(learning, "MOST_TUNING_PASSES", 2)
    monkeypatch.setattr(learning, "MOST_TUNING_FOLDS", 2)
    given, config = judgments(), TrainingConfig(penalty=5.0, encoder=EncoderOptions("full", source))
    model, again = (train(given, config=config, threads=threads) for threads in (1, 2))
    assert model.to_dict() == again.to_dict()
    assert model.training["encoder"]["tune"] == "full"
    # Three languages in two folds.
    assert sorted(model.training["encoder"]["folds"]) == ["cs+ru", "de"]
    save_model(model, tmp_path / "m.json")
    loaded = Metric(load_model(tmp_path / "m.json"), 1)
    scores = loaded.score_pairs(given.hypotheses, given.references)
    assert np.array_equal(scores, Metric(model, 2).score_pairs(given.hypotheses, given.references))
    label = f"encoder(head={next(iter(model.settings.features))[13:29]}"
    assert label in loaded.get_signature(1)


def test_a_batch_in_portions_has_the_same_loss(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # Dropout would fall otherwise in other portions.
    monkeypatch.setattr(transformer, "DROPOUT", 0.0)
    given = judgments().sorted()
    text = TrainingText(given, None, TrainingConfig().settings)
    lines = SequenceLines(
        tunable_encoder(source), tunable_encoder(source).weights(LAYERS - 1), text.references, text.hypotheses
    )
    people = material(text, None, make_folds(given))
    part = Part(np.arange(len(given)), np.arange(0))
    learned = []
    for pieces in (None, 20):
        lesson = Lesson(
            people, lines, 0.0, 0.0, CPU, lambda: tuned_network(source, "lora", changed=False), 8, pieces
        )
        fitted = fit_head(lesson, part, 1, 0, lambda *_: None)
        learned.append(predictions(fitted, lesson, np.arange(len(lines))))
    start = predictions(tuned_network(source, "lora", changed=False), lesson, np.arange(len(lines)))
    assert np.abs(learned[0] - start).max() > 0.1
    assert learned[1] == pytest.approx(learned[0], abs=1e-4)
