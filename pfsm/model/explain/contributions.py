"""The contributions of a pair as arrays: a sequence whose objects are made when somebody asks for them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import overload

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float64]
Int64 = NDArray[np.int64]
Range = tuple[int, int]


@dataclass(frozen=True)
class Contribution:
    """The contribution to the score of one possible edit at one place.

    Attributes:
        state: As in ``Edit``.
        reference: Tokens of the reference it consumes, [first, last).
        hypothesis: Tokens of the hypothesis it consumes, [first, last).
        posterior: Expected number of times that it is made; a probability, except for ``Jump``, where all jumps are
            counted together.
        points: Expected count times weights, in the units of the score.
    """

    state: str
    reference: Range
    hypothesis: Range
    posterior: float
    points: float


@dataclass(frozen=True, eq=False)
class Contributions(Sequence[Contribution]):
    """Contributions as arrays; equal to any sequence of the same ones.

    Attributes:
        names: Names of states.
        states: int64 [n], which of them each has.
        ranges: int64 [n, 4], first and last token of the reference, and of the hypothesis.
        posteriors: float64 [n].
        points: float64 [n].
    """

    names: tuple[str, ...]
    states: Int64
    ranges: Int64
    posteriors: Float
    points: Float

    @cached_property
    def _objects(self) -> tuple[Contribution, ...]:
        columns = (self.states, self.ranges, self.posteriors, self.points)
        return tuple(
            Contribution(self.names[state], (r0, r1), (h0, h1), posterior, points)
            for state, (r0, r1, h0, h1), posterior, points in zip(
                *(column.tolist() for column in columns), strict=True
            )
        )

    def __len__(self) -> int:
        """Number of places where an edit is possible."""
        return self.states.size

    @overload
    def __getitem__(self, place: int) -> Contribution: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[Contribution, ...]: ...

    def __getitem__(self, place: int | slice) -> Contribution | tuple[Contribution, ...]:
        """One contribution, or some."""
        return self._objects[place]

    def __iter__(self) -> Iterator[Contribution]:
        """The contributions in order."""
        return iter(self._objects)

    def __eq__(self, other: object) -> bool:
        """Whether the other is a sequence of the same contributions."""
        return self._objects == tuple(other) if isinstance(other, Sequence) else NotImplemented

    def __hash__(self) -> int:
        """As of the tuple of contributions."""
        return hash(self._objects)


def as_arrays(parts: Sequence[Contribution]) -> Contributions:
    """Any sequence of contributions as arrays."""
    if isinstance(parts, Contributions):
        return parts
    names = tuple(sorted({part.state for part in parts}))
    return Contributions(
        names,
        np.array([names.index(part.state) for part in parts], dtype=np.int64),
        np.array([(*part.reference, *part.hypothesis) for part in parts], dtype=np.int64).reshape(-1, 4),
        np.array([part.posterior for part in parts], dtype=np.float64),
        np.array([part.points for part in parts], dtype=np.float64),
    )


def points_by_word(ranges: Int64, points: Float, lengths: tuple[int, int]) -> tuple[Float, Float, float]:
    """Points by word of the reference, by word that only the hypothesis has, and of jumps; of blocks in equal parts.

    Args:
        ranges: int64 [n, 4], as in `Contributions`.
        points: float64 [n].
        lengths: Numbers of words of the reference and of the hypothesis.
    """
    r0, r1, h0, h1 = ranges.T
    of_reference = r1 > r0
    first, sizes = np.where(of_reference, r0, lengths[0] + h0), np.where(of_reference, r1 - r0, h1 - h0)
    consuming = sizes > 0
    jumps = float(points[~consuming].sum())
    first, sizes, points = first[consuming], sizes[consuming], points[consuming]
    starts = np.cumsum(sizes) - sizes
    words = np.arange(sizes.sum()) + np.repeat(first - starts, sizes)
    shares = np.repeat(points / sizes, sizes)
    sums = np.bincount(words, shares, minlength=sum(lengths)).astype(np.float64)
    return sums[: lengths[0]], sums[lengths[0] :], jumps


# As in base64 (RFC 4648); the first is zero.
ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_DIGITS = np.frombuffer(ALPHABET.encode("ascii"), dtype=np.uint8)


def digits(largest: int) -> int:
    """Number of digits that numbers up to this one have."""
    return max(1, -(-largest.bit_length() // 6))


def packed(columns: Sequence[NDArray[np.int64]], widths: Sequence[int]) -> str:
    """Rows of whole numbers, each column with as many digits as its width, the first digit first.

    Raises:
        ValueError: If a number is negative or has more digits.
    """
    rows = np.empty((columns[0].size, sum(widths)), dtype=np.uint8)
    end = 0
    for column, width in zip(columns, widths, strict=True):
        if column.size and not 0 <= column.min() <= column.max() < 64**width:
            raise ValueError(f"numbers from {column.min()} to {column.max()} do not fit into {width} digits")
        end += width
        rest = column
        for place in range(end - 1, end - width - 1, -1):
            rows[:, place] = _DIGITS[rest & 63]
            rest = rest >> 6
    return rows.tobytes().decode("ascii")
