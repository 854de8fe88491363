"""Whole numbers as strings of digits to the base of 64: short, and safe in JSON and in HTML."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

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
