"""Lattices in a mapped file: the same models to the last byte, the same compiled kernels, and full disks in a line."""

import gc
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Any

import numpy as np
import pytest
import torch
from numba.core.dispatcher import Dispatcher

import pfsm_kernels
from pfsm.errors import PfsmError
from pfsm.model.settings import Settings
from pfsm_training import LogLinearMachine, TrainingConfig, train
from pfsm_training.config import config_from_dict
from pfsm_training.data.training_set import TrainingData, encode_here
from pfsm_training.data.training_text import TrainingText
from pfsm_training.lattices.features import frequent
from pfsm_training.lattices.store import (
    DEFAULT_BYTES,
    HeldLattices,
    array_bytes,
    lattice_memory,
)
from pfsm_training.loss.objective import SquaredError
from tests.training.small_data import invented

JUDGMENTS = invented(0, languages=("cs", "de"))
PLENTY = 1 << 30


def encoded(memory: int, settings: Settings | None = None) -> TrainingData:
    return encode_here(TrainingText(JUDGMENTS.sorted(), None, settings or Settings()), 16, memory)


def size_of(lattices: HeldLattices) -> int:
    return sum(map(array_bytes, lattices))


def trained(memory: int, config: dict[str, Any]) -> str:
    model = train(
        JUDGMENTS,
        config=config_from_dict(config, "test"),
        threads=2,
        encoder=partial(encode_here, pairs_per_block=16, memory=memory),
    )
    return json.dumps(model.to_dict())


CONFIGS: dict[str, dict[str, Any]] = {
    "jumps": {"max_jump": 2, "lambda": 5, "start": "matches"},
    "bins and features": {
        "matchers": ["punct", "word", "lemma", "char"],
        "options": {"char": {"shortest": 3}},
        "features": ["chrf", "length"],
        "lambda": [0.5, 5],
        "start": "zero",
    },
}


def specialisations() -> dict[str, list[Any]]:
    """Which types every kernel has been compiled for, or loaded from the cache for."""
    modules = [import_module(module.name) for module in walk_packages(pfsm_kernels.__path__, "pfsm_kernels.")]
    return {
        f"{module.__name__}.{name}": list(kernel.signatures)
        for module in modules
        for name, kernel in vars(module).items()
        if isinstance(kernel, Dispatcher)
    }


@pytest.mark.parametrize("name", CONFIGS)
def test_the_model_is_the_same_to_the_last_byte(name: str) -> None:
    """Including cross-validation, which selects pairs; with nothing, half or everything mapped; no kernel is compiled
    again."""
    config = CONFIGS[name]
    whole = trained(PLENTY, config)
    half = size_of(encoded(PLENTY, config_from_dict(config, "test").settings).lattices) // 2
    before = specialisations()
    assert any(before.values())
    assert trained(0, config) == trained(half, config) == whole
    assert specialisations() == before


def mapped_blocks(lattices: HeldLattices) -> list[bool]:
    return [block.content is not None for block in lattices.blocks]


def test_memory_is_taken_up_to_the_limit_and_given_back() -> None:
    sizes = [array_bytes(batch) for batch in encoded(PLENTY).lattices]
    assert len(sizes) == 6
    limit = sizes[0] + sizes[1] + sizes[2]
    data = encoded(limit)
    room = data.lattices.room
    # The last block is small, and may find a place that a larger one did not.
    assert mapped_blocks(data.lattices)[:5] == [False] * 3 + [True] * 2
    assert room.taken <= limit
    taken = room.taken
    none = np.zeros(0, dtype=np.int64)
    part = data.select(np.arange(3, len(data)), none)
    # A block that is there whole is not copied.
    assert [one.batch for one in part.lattices.blocks[1:]] == [one.batch for one in data.lattices.blocks[1:]]
    assert room.taken <= limit
    del part
    gc.collect()
    assert room.taken == taken
    del data
    gc.collect()
    assert room.taken == 0


@pytest.mark.parametrize("pairs", [[3, 2], [5, 5], [-1, 3], [3, 90]])
def test_pairs_out_of_order_are_refused(pairs: list[int]) -> None:
    lattices = encoded(PLENTY).lattices
    assert len(lattices.blocks) > 1
    assert lattices.offsets[-1] == 90
    with pytest.raises(ValueError, match=r"^the pairs selected must ascend, from 0 to below 90$"):
        lattices.select(np.array(pairs))
    assert lattices.select(np.array([0, 89])).offsets.tolist() == [0, 1, 2]


def test_threads_share_out_the_blocks_and_change_no_bit() -> None:
    data = encoded(0)
    assert len(data.lattices) == 6
    names = frequent(data.instances())
    values = np.random.default_rng(3).normal(0.0, 0.5, len(names)).tolist()
    weights = dict(zip(names, values, strict=True))
    objective = data.objective(SquaredError(data.scores), 2.0, torch.zeros(len(names), dtype=torch.float64))
    (value, alone), *others = (
        objective.quadratic(LogLinearMachine(names, weights, 0.25, threads), free_alpha=True)
        for threads in (1, 2, 3, 20)
    )
    for other, model in others:
        assert other == value
        np.testing.assert_array_equal(model.gradient, alone.gradient)
        np.testing.assert_array_equal(model.curvature, alone.curvature)


def test_below_the_limit_there_is_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", "/no/such/folder")
    assert not any(mapped_blocks(encoded(PLENTY).lattices))
    with pytest.raises(
        PfsmError, match=r"^/no/such/folder: .* \(No such file or directory\); make room"
    ) as caught:
        encoded(0)
    assert "\n" not in str(caught.value)


def test_the_limit_is_that_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PFSM_LATTICE_MEMORY", raising=False)
    assert lattice_memory() == DEFAULT_BYTES == 2**28
    for text, size in (("", 2**28), ("512M", 2**29), ("1TB", 2**40), ("77", 77)):
        monkeypatch.setenv("PFSM_LATTICE_MEMORY", text)
        assert lattice_memory() == size
    for text in ("much", "-1", "1.5G"):
        monkeypatch.setenv("PFSM_LATTICE_MEMORY", text)
        with pytest.raises(PfsmError, match=r"^environment variable PFSM_LATTICE_MEMORY is "):
            lattice_memory()
    monkeypatch.setenv("PFSM_LATTICE_MEMORY", "0")
    data = encode_here(TrainingText(JUDGMENTS, None, TrainingConfig().settings))
    assert mapped_blocks(data.lattices) == [True]


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """No file of this process may grow beyond so many bytes."""
    import resource  # not there on Windows

    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.skipif(sys.platform == "win32", reason="files of any size may be written")
def test_a_file_that_cannot_grow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with (
        largest_file(100),
        pytest.raises(PfsmError, match=rf"^{tmp_path}: .* \(File too large\); make room, ") as caught,
    ):
        encoded(0)
    assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []
