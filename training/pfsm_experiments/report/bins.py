"""Bins of a test set's judgments: quantiles of a number that each of them has, or the test set's groups."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pfsm_experiments.data import Rows

Float = NDArray[np.float64]
Label = Callable[[float, float], str]
"""What a bin is called, from the lowest and the highest number in it."""


@dataclass(frozen=True, eq=False)
class Bin:
    """Some judgments of a test set.

    Attributes:
        label: Heading in tables.
        rows: int64 [m], which judgments, at least one.
        low: Lowest number among them; None where they are a group.
        high: Highest number.
    """

    label: str
    rows: Rows
    low: float | None = None
    high: float | None = None


def quantile_bins(values: Float, rows: Rows, count: int, label: Label) -> list[Bin]:
    """Some judgments in bins of about equal size, from low to high.

    Equal numbers stay in one bin, so there are fewer bins where many are equal, and where there are fewer
    judgments than bins.

    Args:
        values: float64 [n], finite for the judgments that are binned.
        rows: int64 [m], the judgments to bin.
        count: Number of quantiles: 4 for quartiles.
        label: Names a bin.

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
    """Quartiles of the number of words, as split at white space, of the reference."""
    lengths = np.array([len(reference.split()) for reference in references], dtype=np.float64)
    return quantile_bins(lengths, rows, 4, _words)


def score_bins(human: Float, rows: Rows) -> list[Bin]:
    """Fifths of the standardised human scores."""
    return quantile_bins(human, rows, 5, lambda low, high: _joined(f"{low:.2f}", f"{high:.2f}", " to "))


def group_bins(members: Mapping[str, Rows]) -> list[Bin]:
    """A bin a group."""
    return [Bin(name, rows) for name, rows in members.items()]


def _words(low: float, high: float) -> str:
    return f"{_joined(f'{low:.0f}', f'{high:.0f}', '–')} {'word' if high == 1.0 else 'words'}"


def _joined(low: str, high: str, between: str) -> str:
    return low if low == high else f"{low}{between}{high}"
