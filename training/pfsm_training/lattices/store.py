"""The lattices of training data, block by block: in memory as far as there is room, else in a mapped temporary file."""

import os
import weakref
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pfsm.errors import PfsmError
from pfsm.io.limits import byte_size
from pfsm.lattice.arrays import LatticeBatch
from pfsm_training.lattices.features import select_pairs
from pfsm_training.lattices.mapped_arrays import ArrayFile, Pages, array_bytes, in_memory

Rows = NDArray[np.int64]
Release = Callable[[], None]

VARIABLE = "PFSM_LATTICE_MEMORY"
# Of some 170,000 judgments of 21 words a side, each there twice: a fold of cross-validation is a copy.
DEFAULT_BYTES = 1 << 28


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


class Room:
    """Memory for lattices, shared by all blocks of a training and what is selected from them.

    Args:
        limit: Its bytes.
    """

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


@dataclass(frozen=True, eq=False)
class HeldBlock:
    """The lattices of a block, and the pages that they are mapped from; None where they are in memory."""

    batch: LatticeBatch
    pages: Pages | None = None


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
        for batch, release in with_release(self):
            yield batch
            release()

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


def with_release(lattices: "Iterable[LatticeBatch] | HeldLattices") -> Iterator[tuple[LatticeBatch, Release]]:
    """Each block with what gives its memory back, for a while, when the block has been used."""
    if isinstance(lattices, HeldLattices):
        for block in lattices.blocks:
            yield block.batch, _nothing if block.pages is None else block.pages.release
    else:
        for batch in lattices:
            yield batch, _nothing


def _nothing() -> None:
    """Where there is no memory to give back."""


def check_ascending(pairs: Rows, n_pairs: int) -> None:
    """Checks which of ``n_pairs`` pairs are selected.

    Raises:
        ValueError: They are out of order, one is there twice, or there is no such pair.
    """
    if pairs.size and ((np.diff(pairs) <= 0).any() or pairs[0] < 0 or pairs[-1] >= n_pairs):
        raise ValueError(f"the pairs selected must ascend, from 0 to below {n_pairs}")


def _put_away(blocks: Iterable[HeldBlock | LatticeBatch], room: Room) -> tuple[HeldBlock, ...]:
    """Holds what is not held yet, in memory or mapped."""
    held: list[HeldBlock] = []
    written: dict[int, tuple[int, int]] = {}
    with ArrayFile() as file:
        for block in blocks:
            if isinstance(block, HeldBlock):
                held.append(block)
                continue
            _complete(block)
            if room.take(block):
                held.append(HeldBlock(block))
                continue
            stored, first, size = file.add(block)
            written[len(held)] = first, size
            held.append(HeldBlock(stored))
        if written:
            content = file.mapped()
            for number, (first, size) in written.items():
                batch = in_memory(held[number].batch, content)
                held[number] = HeldBlock(batch, Pages(content, first, size))
    return tuple(held)


def _complete(batch: LatticeBatch) -> None:
    """Works out now what training would work out and keep later, lest that stay in memory."""
    if batch.states:
        names = ["by_end", "uniform"]
        if batch.arc_features.arc.size or batch.link_features.arc.size:
            names.append("pair_of_arc")
        for name in names:
            getattr(batch.lattices, name)
