"""Lattices in a mapped file: the same models to the last byte, the same compiled kernels, and full disks in a line."""

import gc
import json
from functools import partial
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Any

import numpy as np
import pytest
from numba.core.dispatcher import Dispatcher

import pfsm_kernels
from pfsm.errors import PfsmError
from pfsm.model.settings import Settings
from pfsm_training import TrainingConfig, train
from pfsm_training.config import config_from_dict
from pfsm_training.data.training_set import TrainingData, encode_here
from pfsm_training.data.training_text import TrainingText
from pfsm_training.lattices.store import DEFAULT_BYTES, HeldLattices, array_bytes, lattice_memory
from tests.training.small_data import invented

JUDGMENTS = invented(0, languages=("cs", "de"))
PLENTY = 1 << 30


def encoded(memory: int, settings: Settings | None = None) -> TrainingData:
    return encode_here(TrainingText(JUDGMENTS.sorted(), None, settings or Settings()), 16, memory)


def trained(memory: int, threads: int = 3) -> str:
    encoder = partial(encode_here, pairs_per_block=16, memory=memory)
    model = train(JUDGMENTS, config=config_from_dict(CONFIG, "test"), threads=threads, encoder=encoder)
    return json.dumps(model.to_dict())


# With jumps, bins and features.
CONFIG = {
    "matchers": ["punct", "word", "lemma", "char"],
    "max_jump": 2,
    "options": {"char": {"shortest": 3}},
    "features": ["chrf", "length"],
    "lambda": [0.5, 5],
    "start": "matches",
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


def test_the_model_is_the_same_to_the_last_byte() -> None:
    """With nothing, half or everything mapped, on any threads, folds included; and no kernel is compiled again."""
    whole = trained(PLENTY, threads=1)
    half = sum(map(array_bytes, encoded(PLENTY, config_from_dict(CONFIG, "test").settings).lattices)) // 2
    before = specialisations()
    assert any(before.values())
    assert trained(0) == trained(half) == whole
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


def test_a_file_that_cannot_grow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    resource = pytest.importorskip("resource", reason="this system has no such file names")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
    try:
        with pytest.raises(PfsmError, match=rf"^{tmp_path}: .* \(File too large\); make room, "):
            encoded(0)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert list(tmp_path.iterdir()) == []
