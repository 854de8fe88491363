"""Arrays in a temporary file, mapped into memory: the system drops their pages and reads them again as it sees fit.

The file has no name; it is gone with its last array, however the process ends.
"""

import contextlib
import copy
import mmap
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, is_dataclass
from typing import Any, BinaryIO, Self, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from pfsm.errors import PfsmError

Whole = TypeVar("Whole")
Array = NDArray[Any]

# Of the beginning of each array: that of a cache line, more than any kernel asks for.
ALIGNMENT = 64


def with_arrays(value: Whole, change: Callable[[Any], Any]) -> Whole:
    """A copy with every array replaced, those that are cached and those in dataclasses and named tuples included.

    Args:
        value: An array, a dataclass, a named tuple, or anything else, which stays as it is.
        change: From an array, or a `Place`, to what stands in its stead.
    """
    return _changed(value, change)  # type: ignore[no-any-return]


def _changed(value: Any, change: Callable[[Any], Any]) -> Any:
    if isinstance(value, np.ndarray | Place):
        return change(value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(_changed(part, change) for part in value))
    if is_dataclass(value) and not isinstance(value, type):
        # Not by its constructor, which would check all arrays again and forget what is cached.
        result = copy.copy(value)
        for name, part in vars(value).items():
            result.__dict__[name] = _changed(part, change)
        return result
    return value


def array_bytes(value: object) -> int:
    """The memory of all arrays of a value, each counted once."""
    sizes: dict[int, int] = {}

    def count(array: Array) -> Array:
        sizes[id(array)] = array.nbytes
        return array

    with_arrays(value, count)
    return sum(sizes.values())


@dataclass(frozen=True)
class Place:
    """Where an array stands in a file.

    Attributes:
        offset: Its first byte.
        dtype: Its type.
        shape: Its shape.
        order: ``C``, or ``F`` where the first index runs fastest: sums over it may depend on that.
    """

    offset: int
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    order: str

    def in_memory(self, content: mmap.mmap) -> Array:
        """The array in a mapped file: writeable, for kernels are compiled anew for arrays that are not."""
        if self.order == "F":
            return np.ndarray(self.shape[::-1], self.dtype, content, self.offset).T
        return np.ndarray(self.shape, self.dtype, content, self.offset)


@dataclass(frozen=True, eq=False)
class Pages:
    """A range of a mapped file.

    Attributes:
        content: The file.
        first: First byte, where a page begins.
        size: Number of bytes.
    """

    content: mmap.mmap
    first: int
    size: int

    def release(self) -> None:
        """Takes the range out of the process's memory, until it is read again; the file's content stays."""
        # Elsewhere than on Linux the same advice may lose what has not been written yet.
        if sys.platform == "linux":
            self.content.madvise(mmap.MADV_DONTNEED, self.first, self.size)


def in_memory(value: Whole, content: mmap.mmap) -> Whole:
    """A value that `ArrayFile.add` returned, with its arrays back, in the mapped file."""
    arrays: dict[Place, Array] = {}

    def found(one: Array | Place) -> Array:
        if not isinstance(one, Place):
            return one
        return arrays.setdefault(one, one.in_memory(content))

    return with_arrays(value, found)


class ArrayFile:
    """A temporary file that arrays are written to, and then mapped from; a context that closes it.

    There is none before the first array.
    """

    def __init__(self) -> None:
        self._opened: BinaryIO | None = None
        self._end = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        # A full disk is told once: what was not written then would be tried again here.
        with contextlib.suppress(OSError):
            if self._opened is not None:
                self._opened.close()

    @property
    def _file(self) -> BinaryIO:
        if self._opened is None:
            # Nameless from the beginning, where the system can do that.
            self._opened = cast("BinaryIO", tempfile.TemporaryFile(dir=_folder(), prefix="pfsm-lattices-"))  # noqa: SIM115 - closed by __exit__
        return self._opened

    def add(self, value: Whole) -> tuple[Whole, int, int]:
        """Writes all arrays of a value, each once.

        Returns:
            The value with a `Place` for each array; its first byte in the file; how many bytes it takes.

        Raises:
            PfsmError: The folder for temporary files cannot be written, or is full.
        """
        places: dict[int, Place] = {}
        with _explained():
            self._pad(mmap.ALLOCATIONGRANULARITY)
            first = self._end

            def write(array: Array) -> Array | Place:
                if not array.size:
                    return array
                if id(array) not in places:
                    places[id(array)] = self._write(array)
                return places[id(array)]

            result = with_arrays(value, write)
        return result, first, self._end - first

    def _write(self, array: Array) -> Place:
        self._pad(ALIGNMENT)
        turned = array.flags.f_contiguous and not array.flags.c_contiguous
        place = Place(self._end, array.dtype, array.shape, "F" if turned else "C")
        self._put(np.ascontiguousarray(array.T if turned else array).reshape(-1).view(np.uint8).data)
        return place

    def _pad(self, multiple: int) -> None:
        self._put(bytes(-self._end % multiple))

    def _put(self, content: bytes | memoryview) -> None:
        self._end += self._file.write(content)

    def mapped(self) -> mmap.mmap:
        """The file in memory; it lasts as long as this or an array in it.

        Raises:
            PfsmError: The disk is full.
        """
        with _explained():
            self._file.flush()
            return mmap.mmap(self._file.fileno(), 0)


def _folder() -> str:
    """Where temporary files go; a ``TMPDIR`` that is no good is no reason to fill another disk instead."""
    return os.environ.get("TMPDIR") or tempfile.gettempdir()


@contextlib.contextmanager
def _explained() -> Iterator[None]:
    """Turns the system's refusal to create, fill or map the file into one line."""
    try:
        yield
    except OSError as error:
        folder = os.environ.get("TMPDIR") or tempfile.tempdir or "temporary files"
        raise PfsmError(
            f"{folder}: lattices beyond PFSM_LATTICE_MEMORY cannot be written there "
            f"({error.strerror or error}); make room, name another folder in TMPDIR, or raise the limit"
        ) from None
