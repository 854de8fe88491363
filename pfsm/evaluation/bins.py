"""Bins of the judgments of a test set: quantiles of a number that each judgment has."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pfsm.arrays import Float

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
