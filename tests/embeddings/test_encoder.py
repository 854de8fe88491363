"""Hidden states of lines: against PyTorch, and that they do not depend on what stands beside a line."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from pfsm.embeddings.encoders import described_encoders, load_encoder, shipped_encoders
from pfsm.embeddings.folder import FolderEncoder
from pfsm.embeddings.safetensors import read_safetensors
from pfsm.embeddings.session import encode_parts
from pfsm.errors import PfsmError
from tests.embeddings.networks import PIECES, SHAPE, random_tensors, write_network, write_vectors
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


def test_chosen_layers(tmp_path: Path) -> None:
    encoder = FolderEncoder(write_network(tmp_path / "n"))
    (whole,) = encoder.states(["the cat sat"])
    for layers in ([0], [1], [0, 2], [1, 2]):
        (some,) = encoder.states(["the cat sat"], layers)
        np.testing.assert_array_equal(some.values, whole.values[layers])
    with pytest.raises(PfsmError, match="layer is 3, but the network has 2 layers"):
        encoder.states(["the cat sat"], [3])


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


def test_equal_lines_are_encoded_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    encoder = FolderEncoder(write_network(tmp_path / "n"))
    encode = encoder.encoded
    asked: list[int] = []

    def counted(ids: Sequence[NDArray[np.int64]], layers: Sequence[int], threads: int | None) -> list[Any]:
        asked.append(len(ids))
        return list(encode(ids, layers, threads))

    monkeypatch.setattr(encoder, "encoded", counted)
    found = encoder.states(["the cat", "a dog", "the cat"])
    assert asked == [2]
    assert found[0] is found[2]


def test_batches() -> None:
    """Equal lengths together, at most so many pieces, one piece always alone."""
    seen: list[tuple[int, ...]] = []

    def run(ids: NDArray[np.int64]) -> NDArray[np.float32]:
        seen.append(ids.shape)
        return np.stack([ids, -ids])[..., np.newaxis].astype(np.float32)

    sizes = [3, 1, 2, 3, 3, 1, 9, 3, 2]
    parts = [np.full(size, place, dtype=np.int64) for place, size in enumerate(sizes)]
    found = encode_parts(run, parts, 1, largest=6)
    assert seen == [(1, 9), (2, 3), (2, 3), (2, 2), (1, 1), (1, 1)]
    for place, states in enumerate(found):
        assert states.tolist() == [[[place]] * sizes[place], [[-place]] * sizes[place]]


def test_what_ships() -> None:
    """Rounded weights are whole multiples of their scales, at most 127 of them."""
    assert shipped_encoders() == ["minilm"]
    encoder = load_encoder(MINILM)
    assert isinstance(encoder, FolderEncoder)
    assert (encoder.layers, encoder.dimension) == (6, 384)
    assert (encoder.folder / "LICENSE").read_text(encoding="utf-8").lstrip().startswith("Apache License")
    tensors = read_safetensors(encoder.folder / "model.safetensors")
    assert not any("pooler" in name for name in tensors)
    matrix = tensors["encoder.layer.5.output.dense.weight"]
    steps = matrix / (np.abs(matrix).max(axis=1, keepdims=True) / 127)
    np.testing.assert_allclose(steps, np.rint(steps), atol=1e-4)


def test_what_is_said_of_what_ships() -> None:
    entry, _ = described_encoders()
    assert entry["name"] == MINILM
    assert entry["licence"] == "Apache-2.0"
    assert entry["content"] == "6 layers of 384, 30,522 word pieces"
    assert entry["version"] == load_encoder(MINILM).checksum[:8]


def test_nearness_of_what_ships() -> None:
    """The same sentence in other words is nearer than another sentence."""
    first, other, same = (states.values[-1].mean(axis=0) for states in load_encoder(MINILM).states(LINES[:3]))
    cosines = [first @ side / np.linalg.norm(first) / np.linalg.norm(side) for side in (same, other)]
    assert cosines[0] > 0.9 > cosines[1]


def test_a_file_of_word_vectors_has_no_states(tmp_path: Path) -> None:
    with pytest.raises(PfsmError, match="vectors of single words have no hidden states"):
        load_encoder(str(write_vectors(tmp_path / "v.txt", {"a": [1.0, 0.0]})))
