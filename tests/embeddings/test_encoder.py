"""Hidden states of lines: against PyTorch, and that they do not depend on what stands beside a line."""

from pathlib import Path

import numpy as np
import pytest

from pfsm.embeddings.encoders import load_encoder, shipped_encoders
from pfsm.embeddings.folder import FolderEncoder
from pfsm.embeddings.safetensors import BlockRows, read_stored, safetensors_content
from pfsm.errors import PfsmError
from tests.embeddings.networks import (
    PIECES,
    SHAPE,
    random_tensors,
    write_network,
    write_safetensors,
)
from tests.embeddings.test_bert import by_torch

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
            wanted = by_torch(random_tensors(), [2, *pieces, 3], layer, 0, True, "gelu")[1:-1]
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
    for length in (*range(1, 19), 31, 32, 33, 63, 64, 65, 130, 509, 510):
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
