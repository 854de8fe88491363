"""Arrays are the same in a mapped file, in every layout; a full disk gives a one-line error."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from numba import typeof
from numpy.typing import NDArray

from pfsm.errors import PfsmError
from pfsm_training.lattices.mapped_arrays import ALIGNMENT, ArrayFile, array_bytes, in_memory


class Inner(NamedTuple):
    """A named tuple of arrays."""

    flags: NDArray[np.bool_]
    same: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Outer:
    """Arrays in and out of other things."""

    name: str
    table: NDArray[np.float64]
    turned: NDArray[np.float64]
    empty: NDArray[np.int32]
    inner: Inner

    def __post_init__(self) -> None:
        if self.name != "new":
            raise ValueError("made a second time")

    @cached_property
    def total(self) -> NDArray[np.float64]:
        """Worked out once."""
        return np.asarray(self.table.sum(axis=0, keepdims=True))


def outer() -> Outer:
    rng = np.random.default_rng(0)
    table = rng.normal(size=(7, 3))
    turned = np.asfortranarray(rng.normal(size=(5, 4)))
    result = Outer("new", table, turned, np.zeros((0, 5), dtype=np.int32), Inner(rng.random(11) < 0.5, table))
    assert result.total.size == 3
    object.__setattr__(result, "name", "old")
    return result


def through_a_file(*values: Any) -> list[Any]:
    with ArrayFile() as file:
        stored = [file.add(value) for value in values]
        content = file.mapped()
    return [in_memory(value, content) for value, _, _ in stored]


def test_everything_comes_back() -> None:
    value = outer()
    before = {name: np.copy(array) for name, array in arrays(value).items()}
    (result, again) = through_a_file(value, value)
    for one in (result, again):
        assert one.name == "old"
        for name, array in arrays(one).items():
            original = arrays(value)[name]
            np.testing.assert_array_equal(array, before[name], strict=True)
            assert array.strides == original.strides
            assert typeof(array) == typeof(original)
            assert array.ctypes.data % ALIGNMENT == 0 or not array.size
    # What was one array is one, and cached values are not worked out again.
    assert result.inner.same is result.table
    assert "total" in vars(result)
    assert array_bytes(result) == array_bytes(value) == 8 * (21 + 20 + 3) + 11


def arrays(value: Outer) -> dict[str, NDArray[Any]]:
    return {
        "table": value.table,
        "turned": value.turned,
        "empty": value.empty,
        "flags": value.inner.flags,
        "same": value.inner.same,
        "total": value.total,
    }


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
@pytest.mark.parametrize("numbers", [100, 1_000_000])
def test_a_file_that_cannot_grow(numbers: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether that shows when the array is written, or only with the last bytes."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with (
        largest_file(100),
        pytest.raises(PfsmError, match=rf"^{tmp_path}: .* \(File too large\); make room, ") as caught,
    ):
        through_a_file(np.zeros(numbers))
    assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []
