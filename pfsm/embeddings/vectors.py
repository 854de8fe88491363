"""Vectors of tokens as whole numbers, so that their cosines do not depend on the order of summation.

A vector has length 1 and is kept as int16, in units of 1/32767. The dot product of two vectors is at most about 2**30,
and that of sums of m and n vectors at most m n 2**30. Up to m n = 2**22, float64 holds it exactly, in whatever order a
BLAS adds, on any machine and any number of threads. The cosine needs one more square root and one division, which IEEE
754 rounds correctly; the cosine of equal vectors is 1 to the last bit.
"""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from pfsm.arrays import Float, Int16

UNIT = 32767.0

Tokens = Sequence[str]


class Vectors(Protocol):
    """A source of vectors of length 1, in units of 1/32767. The vectors of a line depend on that line alone."""

    @property
    def checksum(self) -> str:
        """SHA-256 of everything that determines the vectors, 64 hexadecimal digits."""

    def of_tokens(self, lines: Sequence[Tokens]) -> list[Int16]:
        """For the tokens of each line int16 [n_tokens, dimension]; zeros for an unknown token."""

    def of_texts(self, lines: Sequence[str]) -> list[Int16]:
        """For each untokenised line int16 [n, dimension], one row for each piece that has a vector."""


def unit_rows(rows: NDArray[Any]) -> Int16:
    """Rows scaled to length 1, in units of 1/32767; rows of zeros stay zero.

    Args:
        rows: float32 or float64 [n, dimension], finite.
    """
    values = rows.astype(np.float64)
    # Squares of huge or tiny numbers must not overflow or vanish.
    largest = np.abs(values).max(axis=1, keepdims=True, initial=0.0)
    values /= np.where(largest > 0.0, largest, 1.0)
    lengths = np.sqrt(np.einsum("ij,ij->i", values, values))[:, np.newaxis]
    values *= UNIT / np.where(lengths > 0.0, lengths, 1.0)
    return np.rint(values).astype(np.int16)


def cosine_table(left: Int16, right: Int16) -> Float:
    """Cosines of all pairs of rows, float64 [n_left, n_right]; 0 if a row is zero."""
    first, second = left.astype(np.float64), right.astype(np.float64)
    squares = np.einsum("ij,ij->i", first, first)[:, np.newaxis] * np.einsum("ij,ij->i", second, second)
    return _cosines(first @ second.T, squares)


def row_cosines(left: Float, right: Float) -> Float:
    """Cosines of corresponding rows of two arrays of the same shape, float64 [n]; 0 if a row is zero.

    Args:
        left: float64 [n, dimension] of whole numbers: vectors, or sums of them.
        right: The same for the other side.
    """
    squares = np.einsum("ij,ij->i", left, left) * np.einsum("ij,ij->i", right, right)
    return _cosines(np.einsum("ij,ij->i", left, right), squares)


def _cosines(products: Float, squares: Float) -> Float:
    cosines: Float = products / np.sqrt(np.where(squares > 0.0, squares, 1.0))
    return np.clip(cosines, -1.0, 1.0)
