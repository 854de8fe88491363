"""Encoders of BERT's family against PyTorch's own layers; a line has the same states in any company."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from pfsm.embeddings.bert_graph import encoder_graph
from pfsm.embeddings.bert_weights import read_shape, take_weights
from pfsm.embeddings.encoders import load_encoder, shipped_encoders
from pfsm.embeddings.folder import FolderEncoder
from pfsm.embeddings.safetensors import BlockRows, read_stored, safetensors_content
from pfsm.embeddings.session import open_model
from pfsm.errors import PfsmError
from tests.core.embeddings.networks import (
    PIECES,
    SHAPE,
    Tensors,
    config,
    random_tensors,
    write_network,
    write_safetensors,
)


def by_torch(tensors: Tensors, ids: list[int], layers: int, act: str = "gelu") -> NDArray[Any]:
    """Hidden states by ``torch.nn.TransformerEncoderLayer``."""
    import torch

    given = {name: torch.tensor(values) for name, values in tensors.items()}
    d = SHAPE["d"]
    x = given["embeddings.word_embeddings.weight"][ids]
    x = x + given["embeddings.position_embeddings.weight"][: len(ids)]
    x = x + given["embeddings.token_type_embeddings.weight"][0]
    scale, shift = given["embeddings.LayerNorm.weight"], given["embeddings.LayerNorm.bias"]
    x = torch.nn.functional.layer_norm(x, (d,), scale, shift, 1e-12)[None]
    for number in range(layers):
        stem = f"encoder.layer.{number}."
        layer = torch.nn.TransformerEncoderLayer(
            d, SHAPE["heads"], SHAPE["inner"], 0.0, act, 1e-12, batch_first=True
        ).eval()
        parts = [f"{stem}attention.self.{what}" for what in ("query", "key", "value")]
        state = {
            "self_attn.in_proj_weight": torch.cat([given[f"{part}.weight"] for part in parts]),
            "self_attn.in_proj_bias": torch.cat([given[f"{part}.bias"] for part in parts]),
        }
        for ours, theirs in {
            "self_attn.out_proj": "attention.output.dense",
            "linear1": "intermediate.dense",
            "linear2": "output.dense",
            "norm1": "attention.output.LayerNorm",
            "norm2": "output.LayerNorm",
        }.items():
            for what in ("weight", "bias"):
                state[f"{ours}.{what}"] = given[f"{stem}{theirs}.{what}"]
        layer.load_state_dict(state)
        with torch.no_grad():
            x = layer(x)
    return np.asarray(x[0].numpy())


def test_other_activations_and_old_names_of_norms() -> None:
    tensors = random_tensors(4)
    shape = read_shape(config(hidden_act="relu"), "config.json")
    old = {
        name.replace("Norm.weight", "Norm.gamma").replace("Norm.bias", "Norm.beta"): values
        for name, values in tensors.items()
    }
    weights = take_weights(old, shape, 2, "x")
    run = open_model(encoder_graph(weights, shape), weights.words, "x")
    ids = list(range(len(PIECES) - 5))
    wanted = by_torch(tensors, ids, 2, "relu")
    np.testing.assert_allclose(run(np.array([ids]))[2, 0], wanted, atol=2e-6)


def test_configurations_and_tensors_that_cannot_be_used() -> None:
    for key, value, said in (
        ("hidden_act", "silu", "the activation is 'silu', one of"),
        ("position_embedding_type", "relative_key", "must be absolute"),
        ("num_hidden_layers", "many", "missing or not numbers"),
        ("num_attention_heads", 0, "2 layers of 0 heads"),
    ):
        with pytest.raises(PfsmError, match=said):
            read_shape(config() | {key: value}, "config.json")
    shape = read_shape(config(), "config.json")
    tensors = random_tensors()
    name = "encoder.layer.1.output.dense.weight"
    with pytest.raises(PfsmError, match=f"^x: has no tensor {name}; is it an encoder of bert"):
        take_weights({key: value for key, value in tensors.items() if key != name}, shape, 2, "x")
    with pytest.raises(PfsmError, match=f"^x: the tensor {name} has the wrong shape"):
        take_weights({**tensors, name: tensors[name].T}, shape, 2, "x")
    with pytest.raises(PfsmError, match="do not divide among the heads"):
        take_weights(tensors, read_shape(config(num_attention_heads=3), "c"), 2, "x")


MINILM = "shipped:minilm"
LINES = [
    "The lamp on the desk went out.",
    "Nobody saw the lamp go out that evening.",
    "The lamp on the desk went off.",
    "",
    "Rain",
    "Rain, rain and more rain fell on the roofs of the little town by the sea.",
]


def test_states_of_all_layers_are_those_of_torch(tmp_path: Path) -> None:
    encoder = FolderEncoder(write_network(tmp_path / "n"))
    first, empty, second = encoder.states(["The cats", "", "sat ."])
    assert (encoder.layers, encoder.dimension) == (2, SHAPE["d"])
    assert [PIECES[piece] for piece in first.ids] == ["the", "cat", "##s"]
    assert first.spans.tolist() == [[0, 3], [4, 7], [7, 8]]
    assert (empty.ids.shape, empty.spans.shape, empty.values.shape) == ((0,), (0, 2), (3, 0, SHAPE["d"]))
    for states, pieces in ((first, [4, 5, 10]), (second, [6, 15])):
        assert states.values.dtype == np.float32
        for layer in range(3):
            wanted = by_torch(random_tensors(), [2, *pieces, 3], layer)[1:-1]
            np.testing.assert_allclose(states.values[layer], wanted, atol=2e-6)


def test_a_line_has_the_same_states_in_any_company() -> None:
    """To the last bit: alone, beside lines of equal and other lengths, in any order, on any number of threads."""
    encoder = load_encoder(MINILM)
    alone = [encoder.states([line], threads=1)[0].values for line in LINES]
    for order in (LINES * 3, LINES[::-1], [line for line in LINES for _ in range(2)]):
        for threads in (1, 3):
            for line, states in zip(order, encoder.states(order, threads=threads), strict=True):
                np.testing.assert_array_equal(states.values, alone[LINES.index(line)])


def test_batches_of_every_length_are_the_rows_alone() -> None:
    encoder = load_encoder(MINILM)
    assert isinstance(encoder, FolderEncoder)
    random = np.random.default_rng(5)
    for length in (*range(1, 19), 31, 32, 33, 65, 130, 510):
        ids = [random.integers(1000, 20000, size=length) for _ in range(3 if length < 100 else 2)]
        together = encoder.encoded(ids, [1, 2], threads=1)
        for one, states in zip(ids, together, strict=True):
            np.testing.assert_array_equal(encoder.encoded([one], [1, 2])[0], states)


@pytest.fixture
def in_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[FolderEncoder, FolderEncoder]:
    """A network with matrices in 4 bits, and the same in float32."""
    monkeypatch.setitem(SHAPE, "d", 64)
    monkeypatch.setitem(SHAPE, "inner", 96)
    random, plain = np.random.default_rng(8), random_tensors()
    stored: dict[str, np.ndarray] = {}
    for name, values in random_tensors().items():
        if values.ndim == 2 and "weight" in name and "position" not in name and "type" not in name:
            halves = random.integers(0, 256, (len(values), values.shape[1] // 2), dtype=np.uint8)
            scale = random.normal(scale=0.03, size=(len(values), values.shape[1] // 32)).astype(np.float16)
            stored |= {name: halves, f"{name}.scale": scale}
            plain[name] = BlockRows(halves, scale.astype(np.float32))[:]
        else:
            stored[name] = values
    folders = write_network(tmp_path / "blocks"), write_network(tmp_path / "plain")
    for folder, tensors in zip(folders, (stored, plain), strict=True):
        (folder / "model.safetensors").write_bytes(safetensors_content(tensors))
    return FolderEncoder(folders[0]), FolderEncoder(folders[1])


def test_matrices_in_four_bits_are_multiplied_as_float32(
    in_blocks: tuple[FolderEncoder, FolderEncoder],
) -> None:
    blocks, plain = in_blocks
    lines = ["the cat sat on the mat", "cat", "the dog sat", "", "a cat sat", "the cat sat on " * 9]
    together = blocks.states(lines * 2, threads=2)
    for line, states, wanted in zip(lines, together[: len(lines)], plain.states(lines), strict=True):
        np.testing.assert_allclose(states.values, wanted.values, atol=2e-5)
        np.testing.assert_array_equal(states.values, blocks.states([line])[0].values)


def test_matrices_in_four_bits_can_be_tuned(in_blocks: tuple[FolderEncoder, FolderEncoder]) -> None:
    random = np.random.default_rng(4)
    learned = {
        "layer.1.first.down": random.normal(size=(2, 64)),
        "layer.1.first.up": random.normal(size=(96, 2)),
    }
    learned["layer.0.query_key_value.bias"] = random.normal(size=192)
    tuned = {name: values.astype(np.float32) for name, values in learned.items()}
    (found,), (wanted,) = (one.tuned(tuned, "x").states(["the cat sat"]) for one in in_blocks)
    np.testing.assert_allclose(found.values, wanted.values, atol=2e-5)
    for one in in_blocks:
        assert np.abs(one.states(["the cat sat"])[0].values - found.values).max() > 0.01


def test_a_tokenizer_with_more_pieces_than_vectors(tmp_path: Path) -> None:
    folder = write_network(tmp_path / "n")
    tensors = random_tensors()
    tensors["embeddings.word_embeddings.weight"] = tensors["embeddings.word_embeddings.weight"][:12]
    write_safetensors(folder / "model.safetensors", tensors)
    encoder = FolderEncoder(folder)
    assert encoder.states(["the cats"])[0].ids.tolist() == [4, 5, 10]
    with pytest.raises(
        PfsmError, match=r"model\.safetensors: has vectors of 12 pieces, tokenizer\.json has more"
    ):
        encoder.states(["the cat ."])


def test_what_ships() -> None:
    """Rounded weights are whole multiples of their scales, at most 127 of them."""
    assert {"minilm", "multi"} <= set(shipped_encoders())
    encoder = load_encoder(MINILM)
    assert isinstance(encoder, FolderEncoder)
    assert (encoder.layers, encoder.dimension) == (6, 384)
    assert (encoder.folder / "LICENSE").read_text(encoding="utf-8").lstrip().startswith("Apache License")
    tensors = read_stored(encoder.folder / "model.safetensors")
    assert not any("pooler" in name for name in tensors)
    matrix = tensors["encoder.layer.5.output.dense.weight"][:]
    steps = matrix / (np.abs(matrix).max(axis=1, keepdims=True) / 127)
    np.testing.assert_allclose(steps, np.rint(steps), atol=1e-4)
