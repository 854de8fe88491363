"""What every array of a file must be before a kernel sees it: kernels trust indices and allocate by sizes.

Lexicons, parsers, labellers, heads and word vectors ask here, so that a bound is not forgotten in one of them.
"""

from typing import Any

from numpy.typing import NDArray

# Of any weight either way, and of a temperature up or down: beyond, sums over a line could overflow.
LARGEST_NUMBER = 1e4


def are_below(values: NDArray[Any], n_values: int) -> bool:
    """Whether whole numbers are all from 0 to ``n_values - 1``."""
    return not values.size or 0 <= int(values.min()) <= int(values.max()) < n_values


def are_lists(offsets: NDArray[Any], n_lists: int, values: NDArray[Any], n_values: int) -> bool:
    """Whether ``values[offsets[i]:offsets[i + 1]]`` are lists of numbers from 0 to ``n_values - 1``, int32 or int64."""
    return (
        offsets.size == n_lists + 1
        and int(offsets[0]) == 0
        and int(offsets[-1]) == values.size
        # Differences of int32 could wrap.
        and bool((offsets[1:] >= offsets[:-1]).all())
        and are_below(values, n_values)
    )


def are_bounded(values: NDArray[Any], largest: float = LARGEST_NUMBER) -> bool:
    """Whether all numbers are finite and at most ``largest`` either way; no array is made that is larger than them."""
    # A comparison with NaN is false.
    return not values.size or (-largest <= float(values.min()) and float(values.max()) <= largest)


def is_temperature(value: float) -> bool:
    """Whether scores can be divided by it and stay finite."""
    return 1.0 / LARGEST_NUMBER <= value <= LARGEST_NUMBER


def is_text(text: str) -> bool:
    """Whether there are no halves of surrogate pairs, which JSON can hold and no text has."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
