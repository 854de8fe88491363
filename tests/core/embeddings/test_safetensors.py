"""Reading of safetensors files."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pfsm.embeddings.safetensors import (
    BlockRows,
    ScaledRows,
    quantised,
    read_stored,
    safetensors_content,
    tensors_of,
)
from pfsm.errors import PfsmError
from tests.core.embeddings.networks import write_safetensors


@pytest.mark.parametrize("kind", ["float32", "float16", "bfloat16"])
def test_tensors_come_back(tmp_path: Path, kind: str) -> None:
    # Numbers that all three kinds hold exactly.
    tensors = {
        "a": np.array([[0.5, -2.0, 1.0], [3.0, 0.0, -0.25]], dtype=np.float32),
        "b": np.zeros((0, 4), dtype=np.float32),
        "c": np.array([96.0], dtype=np.float32),
    }
    write_safetensors(tmp_path / "x.safetensors", tensors, kind)
    found = read_stored(tmp_path / "x.safetensors")
    assert set(found) == set(tensors)
    for name, values in tensors.items():
        assert found[name][:].dtype == np.float32
        np.testing.assert_array_equal(found[name][:], values)


def test_damaged_files_and_scales_that_do_not_fit(tmp_path: Path) -> None:
    bytes_of = [
        b"",
        b"\xff" * 8,
        b"\x02" + bytes(7) + b"[]",
        b"\x02" + bytes(7) + b"{",
        b'\x30\0\0\0\0\0\0\0{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}',
        b'\x36\0\0\0\0\0\0\0{"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}}12345678',
    ]
    whole, halves = np.ones((5, 2), dtype=np.int8), np.zeros((5, 32), dtype=np.uint8)
    scales: list[tuple[Any, Any]] = [(whole, np.ones(size, dtype=np.float32)) for size in (1, 6)]
    scales += [(halves, np.ones(shape, dtype=np.float16)) for shape in ((5,), (5, 1), (4, 2), (5, 3))]
    bytes_of += [safetensors_content({"m": matrix, "m.scale": scale}) for matrix, scale in scales]
    for content in bytes_of:
        (tmp_path / "x").write_bytes(content)
        with pytest.raises(PfsmError, match="not a complete safetensors file"):
            read_stored(tmp_path / "x")


def test_numbers_without_bounds(tmp_path: Path) -> None:
    for odd in (np.inf, np.nan, -2e30):
        write_safetensors(tmp_path / "x", {"a": np.array([1.0, odd], dtype=np.float32)}, "float32")
        with pytest.raises(PfsmError, match="a has a number above 1e\\+30 either way, or none"):
            read_stored(tmp_path / "x")


def test_matrices_as_whole_numbers(tmp_path: Path) -> None:
    """Each entry is at most half a step from what was rounded; a row of zeros stays so."""
    matrix = np.random.default_rng(1).normal(size=(5, 40)).astype(np.float32)
    matrix[2] = 0.0
    whole, scale = quantised(matrix)
    bias = np.array([0.5, -3.25], dtype=np.float32)
    path = tmp_path / "m.safetensors"
    path.write_bytes(safetensors_content({"m": whole, "m.scale": scale, "b": bias, "alone": whole}))
    tensors = tensors_of(path.read_bytes(), "m")
    assert set(tensors) == {"m", "b"}
    np.testing.assert_array_equal(tensors["b"], bias)
    assert tensors["m"].dtype == np.float32
    np.testing.assert_array_equal(tensors["m"], whole.astype(np.float32) * scale[:, np.newaxis])
    assert (np.abs(tensors["m"] - matrix) <= scale[:, np.newaxis] * 0.5001).all()
    assert not tensors["m"][2].any()
    assert np.abs(whole).max() == 127
    # Rows that are asked for are those of the matrix.
    rows = read_stored(path)["m"]
    assert isinstance(rows, ScaledRows)
    assert rows.shape == (5, 40)
    for places in ([], [4], [3, 0, 3]):
        np.testing.assert_array_equal(rows[np.array(places, dtype=np.int64)], tensors["m"][places])


def test_matrices_in_four_bits(tmp_path: Path) -> None:
    """The product of each half of a byte, less 8, and the scale of its block: exact, whole or by rows."""
    random = np.random.default_rng(3)
    halves = random.integers(0, 256, (5, 32), dtype=np.uint8)
    scale = random.normal(size=(5, 2)).astype(np.float16)
    path = tmp_path / "m.safetensors"
    path.write_bytes(safetensors_content({"m": halves, "m.scale": scale, "alone": halves}))
    stored = read_stored(path)
    assert set(stored) == {"m"}
    rows = stored["m"]
    assert isinstance(rows, BlockRows)
    assert rows.shape == (5, 64)
    by_hand = [
        [(int(halves[i, j // 2]) >> 4 * (j % 2) & 15) - 8 for j in range(64)]
        * np.repeat(scale[i].astype(float), 32)
        for i in range(5)
    ]
    np.testing.assert_array_equal(rows[:], by_hand)
    assert rows[:].dtype == np.float32
    places = np.array([[4, 0], [2, 2]])
    np.testing.assert_array_equal(rows[places], np.array(by_hand)[places])
