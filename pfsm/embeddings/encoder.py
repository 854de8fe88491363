"""What an encoder is, and how lines are shared out: those of equal length in one batch, batches among threads."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pfsm.runtime.threads import each

Ids = NDArray[np.int64]
States = NDArray[np.float32]
# Pieces in a batch: more make matrix products no faster, but no longer fit the processor's caches.
PIECES_AT_ONCE = 512


@dataclass(frozen=True, eq=False)
class LineStates:
    """The pieces of a line and their hidden states.

    Attributes:
        ids: The pieces, int64 [n_pieces], without the marks of beginning and end.
        spans: First character and end of each piece in the line, int64 [n_pieces, 2].
        values: Hidden states, float32 [n_layers, n_pieces, dimension].
    """

    ids: Ids
    spans: NDArray[np.int64]
    values: States


class Encoder(Protocol):
    """A network from lines to hidden states of their pieces. Those of a line depend on that line alone."""

    @property
    def checksum(self) -> str:
        """SHA-256 of everything that determines the states, 64 hexadecimal digits."""

    @property
    def layers(self) -> int:
        """Number of the last layer; 0 is the embeddings."""

    @property
    def dimension(self) -> int:
        """Number of components of a state."""

    def states(
        self, lines: Sequence[str], layers: Sequence[int] | None = None, threads: int | None = None
    ) -> list[LineStates]:
        """Hidden states of the pieces of each line; equal lines share one result.

        Seven layers of 384 components take 11 KB a piece, so this is to be called on some hundred lines at a time.

        Args:
            lines: Untokenised lines.
            layers: Numbers of the layers in increasing order; None: all. Layers above the last are not computed.
            threads: Number of threads, on which results do not depend; None: as many as the process may use.
        """


def encode_parts(
    run: Callable[[Ids], States], parts: Sequence[Ids], threads: int, largest: int = PIECES_AT_ONCE
) -> list[States]:
    """Applies a network to sequences of pieces.

    Sequences of equal length make a batch, without padding. Each row of a matrix product is the same sum in the same
    order however many rows there are, so a line's states are the same to the last bit in any batch. A product with one
    row alone is computed in another way: sequences of one piece are never put together.

    Args:
        run: From int64 [b, n] to float32 [n_layers, b, n, dimension]; must be safe for threads.
        parts: The sequences, int64 [n] each, with n >= 1.
        threads: Number of threads that share out the batches.
        largest: Number of pieces in a batch; a longer sequence is alone.

    Returns:
        For each sequence float32 [n_layers, n, dimension].
    """
    found: list[States | None] = [None] * len(parts)

    def work(batch: Sequence[int]) -> None:
        states = run(np.stack([parts[place] for place in batch]))
        for row, place in enumerate(batch):
            found[place] = states[:, row]

    each(work, _batches([part.size for part in parts], largest), threads)
    return [states for states in found if states is not None]


def lines_at_once(size: int, largest: int = PIECES_AT_ONCE) -> int:
    """Number of sequences of so many pieces in a full batch."""
    return max(1, largest // size) if size > 1 else 1


def _batches(sizes: Sequence[int], largest: int) -> Iterator[list[int]]:
    """Places of sequences of equal size; large ones come first, so that threads end at about the same time."""
    by_size: dict[int, list[int]] = {}
    for place, size in enumerate(sizes):
        by_size.setdefault(size, []).append(place)
    for size in sorted(by_size, reverse=True):
        places = by_size[size]
        step = lines_at_once(size, largest)
        yield from (places[first : first + step] for first in range(0, len(places), step))
