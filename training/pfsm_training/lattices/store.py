"""The lattices of training data, block by block: in memory as far as there is room, else in a mapped temporary file.

The system drops the pages of a mapped file and reads them again as it sees fit. The file has no name; it is gone with
its last array, however the process ends.
"""

import contextlib
import mmap
import os
import pickle
import sys
import tempfile
import weakref
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import BinaryIO, cast

import numpy as np
from numpy.typing import NDArray

from pfsm.errors import PfsmError
from pfsm.io.limits import byte_size
from pfsm.lattice.arrays import LatticeBatch
from pfsm_training.lattices.features import select_pairs

Rows = NDArray[np.int64]
# A pickled block without its arrays; where each array is in a file; the first byte of all of them, and their size.
Stored = tuple[bytes, list[slice], int, int]

VARIABLE = "PFSM_LATTICE_MEMORY"
# Of some 170,000 judgments of 21 words a side, each there twice: a fold of cross-validation is a copy.
DEFAULT_BYTES = 1 << 28
# Of the beginning of each array: that of a cache line, more than any kernel asks for.
ALIGNMENT = 64


def lattice_memory() -> int:
    """How many bytes of lattices stay in memory, as the environment variable PFSM_LATTICE_MEMORY says.

    Raises:
        PfsmError: The variable is not a number of bytes.
    """
    value = os.environ.get(VARIABLE, "")
    size = byte_size(value) if value else DEFAULT_BYTES
    if size is None:
        raise PfsmError(
            f"environment variable {VARIABLE} is {value!r}, a number of bytes such as 512M or 4G is needed"
        )
    return size


def with_arrays_apart(value: object) -> tuple[bytes, list[memoryview]]:
    """A pickled value without its arrays, and the bytes of each array, those that are cached included."""
    arrays: list[pickle.PickleBuffer] = []
    content = pickle.dumps(value, protocol=5, buffer_callback=arrays.append)
    return content, [array.raw() for array in arrays]


def array_bytes(value: object) -> int:
    """The memory of all arrays of a value, each counted once."""
    return sum(array.nbytes for array in with_arrays_apart(value)[1])


class Room:
    """Memory for lattices, shared by all blocks of a training and what is selected from them."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.taken = 0

    def take(self, batch: LatticeBatch) -> bool:
        """Whether there was room for these lattices; if so it is taken until they are forgotten."""
        size = array_bytes(batch)
        if self.taken + size > self.limit:
            return False
        self.taken += size
        weakref.finalize(batch, self._give_back, size).atexit = False
        return True

    def _give_back(self, size: int) -> None:
        self.taken -= size


@contextlib.contextmanager
def _explained() -> Iterator[None]:
    """Turns the system's refusal to create, fill or map the file into one line."""
    try:
        yield
    except OSError as error:
        folder = os.environ.get("TMPDIR") or tempfile.tempdir or "temporary files"
        raise PfsmError(
            f"{folder}: lattices beyond {VARIABLE} cannot be written there "
            f"({error.strerror or error}); make room, name another folder in TMPDIR, or raise the limit"
        ) from None


@dataclass(frozen=True, eq=False)
class HeldBlock:
    """The lattices of a block, in memory or mapped.

    Attributes:
        batch: The lattices.
        content: The file that they are mapped from; None where they are in memory.
        first: Their first byte in it, where a page begins.
        size: Their number of bytes.
    """

    batch: LatticeBatch
    content: mmap.mmap | None = None
    first: int = 0
    size: int = 0

    def release(self) -> None:
        """Takes mapped lattices out of the process's memory, until they are read again; the file stays."""
        # Elsewhere than on Linux the same advice may lose what has not been written yet.
        if self.content is not None and sys.platform == "linux" and self.size:
            self.content.madvise(mmap.MADV_DONTNEED, self.first, self.size)


@dataclass(frozen=True, eq=False)
class HeldLattices:
    """Lattices of consecutive pairs. Going through them gives the `LatticeBatch` of each block.

    Attributes:
        blocks: In the order of pairs.
        room: For lattices in memory.
    """

    blocks: tuple[HeldBlock, ...]
    room: Room

    @staticmethod
    def of(batches: Iterable[LatticeBatch], room: Room) -> "HeldLattices":
        """Holds blocks of lattices, each made when the one before is put away.

        Raises:
            PfsmError: There is no room, and no temporary file can be written either.
        """
        return HeldLattices(_put_away(batches, room), room)

    @property
    def offsets(self) -> Rows:
        """int64 [n_blocks + 1], the first pair of each block, and the number of pairs."""
        return np.cumsum([0, *(len(block.batch) for block in self.blocks)], dtype=np.int64)

    def __len__(self) -> int:
        """The number of blocks."""
        return len(self.blocks)

    def __iter__(self) -> Iterator[LatticeBatch]:
        for block in self.blocks:
            yield block.batch
            block.release()

    def select(self, pairs: Rows) -> "HeldLattices":
        """Some of the pairs, in ascending order; blocks without any are left out.

        Raises:
            ValueError: The pairs are out of order, one is there twice, or there is no such pair.
            PfsmError: As `of`.
        """
        check_ascending(pairs, int(self.offsets[-1]))
        return HeldLattices(_put_away(self._selected(pairs), self.room), self.room)

    def _selected(self, pairs: Rows) -> Iterator["HeldBlock | LatticeBatch"]:
        offsets = self.offsets
        bounds = np.searchsorted(pairs, offsets).tolist()
        for number, (block, batch) in enumerate(zip(self.blocks, self, strict=True)):
            rows = pairs[bounds[number] : bounds[number + 1]] - offsets[number]
            if rows.size == len(batch):
                yield block
            elif rows.size:
                yield select_pairs(batch, rows)


def check_ascending(pairs: Rows, n_pairs: int) -> None:
    """Checks which of ``n_pairs`` pairs are selected.

    Raises:
        ValueError: They are out of order, one is there twice, or there is no such pair.
    """
    if pairs.size and ((np.diff(pairs) <= 0).any() or pairs[0] < 0 or pairs[-1] >= n_pairs):
        raise ValueError(f"the pairs selected must ascend, from 0 to below {n_pairs}")


def _put_away(blocks: Iterable[HeldBlock | LatticeBatch], room: Room) -> tuple[HeldBlock, ...]:
    """Holds what is not held yet, in memory or mapped."""
    held: list[HeldBlock | Stored] = []
    content: mmap.mmap | None = None
    with contextlib.ExitStack() as stack:
        file: BinaryIO | None = None
        for block in blocks:
            if isinstance(block, HeldBlock):
                held.append(block)
                continue
            _complete(block)
            if room.take(block):
                held.append(HeldBlock(block))
                continue
            with _explained():
                file = file or stack.enter_context(_temporary())
                held.append(_written(file, block))
        if file is not None:
            with _explained():
                file.flush()
                content = mmap.mmap(file.fileno(), 0)
    return tuple(
        one if isinstance(one, HeldBlock) else _mapped(*one, cast("mmap.mmap", content)) for one in held
    )


@contextlib.contextmanager
def _temporary() -> Iterator[BinaryIO]:
    """A temporary file, nameless from the beginning where the system can do that."""
    # A TMPDIR that is no good is no reason to fill another disk instead.
    folder = os.environ.get("TMPDIR") or tempfile.gettempdir()
    file = cast("BinaryIO", tempfile.TemporaryFile(dir=folder, prefix="pfsm-lattices-"))  # noqa: SIM115
    try:
        yield file
    finally:
        # A full disk is told once: what was not written then would be tried again here.
        with contextlib.suppress(OSError):
            file.close()


def _written(file: BinaryIO, batch: LatticeBatch) -> Stored:
    """Writes all arrays of a block, each once."""

    def padded(multiple: int) -> int:
        file.write(bytes(-file.tell() % multiple))
        return file.tell()

    content, arrays = with_arrays_apart(batch)
    first, places = padded(mmap.ALLOCATIONGRANULARITY), []
    for array in arrays:
        begin = padded(ALIGNMENT)
        places.append(slice(begin, begin + file.write(array)))
    return content, places, first, file.tell() - first


def _mapped(content: bytes, places: list[slice], first: int, size: int, file: mmap.mmap) -> HeldBlock:
    """The block with its arrays in the mapped file: writeable, for kernels are compiled anew for others."""
    view = memoryview(file)
    batch: LatticeBatch = pickle.loads(content, buffers=[view[place] for place in places])
    return HeldBlock(batch, file, first, size)


def _complete(batch: LatticeBatch) -> None:
    """Works out now what training would work out and keep later, lest that stay in memory."""
    if batch.states:
        names = ["by_end", "uniform"]
        if batch.arc_features.arc.size or batch.link_features.arc.size:
            names.append("pair_of_arc")
        for name in names:
            getattr(batch.lattices, name)
        if batch.perfect is not None:
            _complete(batch.perfect.batch)
