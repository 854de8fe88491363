"""Bins of the judgments of a test set: quantiles of a number that each judgment has, or the groups of the set."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float64]

Rows = NDArray[np.int64]
Label = Callable[[float, float], str]
"""Makes the label of a bin from the lowest and the highest number in it."""


@dataclass(frozen=True, eq=False)
class Bin:
    """Some judgments of a test set.

    Attributes:
        label: Heading in tables.
        rows: int64 [m], numbers of the judgments; at least one.
        low: Lowest number in the bin; None if the bin is a group.
        high: Highest number in the bin; None if the bin is a group.
    """

    label: str
    rows: Rows
    low: float | None = None
    high: float | None = None


def quantile_bins(values: Float, rows: Rows, count: int, label: Label) -> list[Bin]:
    """Divides judgments into bins of about equal size, from low to high.

    Equal numbers stay in one bin. So there are fewer bins than quantiles if many numbers are equal, or if there are
    fewer judgments than quantiles.

    Args:
        values: float64 [n], finite for the judgments to be divided.
        rows: int64 [m], numbers of the judgments to divide.
        count: Number of quantiles, such as 4 for quartiles.
        label: Makes the label of a bin.

    Returns:
        Bins with at least one judgment each.
    """
    if not rows.size:
        return []
    chosen = values[rows]
    edges = np.quantile(chosen, np.arange(1, count) / count)
    places = np.searchsorted(edges, chosen, side="left")
    bins = []
    for place in np.unique(places):
        inside = places == place
        low, high = float(chosen[inside].min()), float(chosen[inside].max())
        bins.append(Bin(label(low, high), rows[inside], low, high))
    return bins


def length_bins(references: Sequence[str], rows: Rows) -> list[Bin]:
    """Quartiles of the number of words of the reference, split at white space."""
    lengths = np.array([len(reference.split()) for reference in references], dtype=np.float64)
    return quantile_bins(lengths, rows, 4, _words)


def score_bins(human: Float, rows: Rows) -> list[Bin]:
    """Fifths of the standardised human scores."""
    return quantile_bins(human, rows, 5, lambda low, high: _joined(f"{low:.2f}", f"{high:.2f}", " to "))


def group_bins(members: Mapping[str, Rows]) -> list[Bin]:
    """One bin per group."""
    return [Bin(name, rows) for name, rows in members.items()]


def _words(low: float, high: float) -> str:
    return f"{_joined(f'{low:.0f}', f'{high:.0f}', '–')} {'word' if high == 1.0 else 'words'}"


def _joined(low: str, high: str, between: str) -> str:
    return low if low == high else f"{low}{between}{high}"
