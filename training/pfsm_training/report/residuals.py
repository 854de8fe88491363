"""Where a model errs: held-out errors by length of the reference and by group.

The error of a judgment is the predicted minus the human score, in standard deviations of the human scores. The error of
a preference is 1 where the model prefers the other translation or neither, else 0. Predictions are held out: each comes
from a model trained without the segment.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pfsm.evaluation.bins import Bin, quantile_bins

Float = NDArray[np.float64]
Rows = NDArray[np.int64]

LENGTHS = 5
MOST_GROUPS = 30
FEWEST_IN_GROUP = 5
# Columns that divide judgments into groups, as far as the data has them.
GROUP_COLUMNS = ("source_lang", "target_lang", "lp", "domain", "document", "system", "annotator", "rater")
NORMAL = 1.959963984540054


@dataclass(frozen=True, eq=False)
class Errors:
    """The errors of judgments or of preferences.

    Attributes:
        values: float64 [n]; NaN where there is no held-out prediction.
        weights: float64 [n]: votes of preferences; of judgments their weights, or 1.
        segments: int64 [n], number of the segment of each.
        references: [n]
        columns: Further columns, [n] each.
    """

    values: Float
    weights: Float
    segments: Rows
    references: Sequence[str]
    columns: Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class ErrorBin:
    """The errors in a bin.

    Attributes:
        label: What the bin holds.
        n: Number of judgments or preferences.
        mean: Weighted mean error.
        interval: Of the mean, 95%; the errors of a segment may depend on each other. NaN with one segment.
        spread: The errors that a tenth lies below and above.
    """

    label: str
    n: int
    mean: float
    interval: tuple[float, float]
    spread: tuple[float, float]


@dataclass(frozen=True)
class ErrorTable:
    """Errors by bins; ``by`` is what they are bins of."""

    by: str
    bins: tuple[ErrorBin, ...]


def error_tables(errors: Errors) -> list[ErrorTable]:
    """Errors by length of the reference, and by each column that divides the data into a few groups."""
    known = np.flatnonzero(np.isfinite(errors.values) & (errors.weights > 0.0))
    lengths = np.array([len(reference.split()) for reference in errors.references], dtype=np.float64)
    bins = {"words of the reference": quantile_bins(lengths, known, LENGTHS, _range)}
    for name in GROUP_COLUMNS:
        groups = _groups(errors.columns.get(name, ()), known)
        if groups:
            bins[name] = [Bin(value, rows) for value, rows in groups.items()]
    return [ErrorTable(by, tuple(_bin(errors, one) for one in found)) for by, found in bins.items() if found]


def _range(low: float, high: float) -> str:
    return f"{low:.0f}" if low == high else f"{low:.0f}–{high:.0f}"


def _groups(values: Sequence[str], known: Rows) -> dict[str, Rows]:
    """Rows by value; empty unless there are two to ``MOST_GROUPS`` values, each with enough rows."""
    if not values:
        return {}
    found: dict[str, list[int]] = {}
    for row in known.tolist():
        found.setdefault(values[row], []).append(row)
    large = {name: np.array(found[name]) for name in sorted(found) if len(found[name]) >= FEWEST_IN_GROUP}
    return large if 2 <= len(large) <= MOST_GROUPS else {}


def _bin(errors: Errors, one: Bin) -> ErrorBin:
    values, weights, segments = errors.values[one.rows], errors.weights[one.rows], errors.segments[one.rows]
    total = float(weights.sum())
    mean = float((weights * values).sum()) / total
    low, high = _tenths(values, weights)
    reach = NORMAL * _standard_error(values - mean, weights, segments)
    return ErrorBin(one.label or "(none)", one.rows.size, mean, (mean - reach, mean + reach), (low, high))


def _tenths(values: Float, weights: Float) -> tuple[float, float]:
    """What a tenth lies below and above."""
    if (weights == weights[0]).all():
        low, high = np.quantile(values, [0.1, 0.9]).tolist()
    else:
        low, high = np.quantile(values, [0.1, 0.9], weights=weights, method="inverted_cdf").tolist()
    return low, high


def _standard_error(deviations: Float, weights: Float, segments: Rows) -> float:
    """Of a weighted mean whose deviations are independent between segments alone; NaN with one segment."""
    _, place = np.unique(segments, return_inverse=True)
    count = int(place.max()) + 1
    if count < 2:
        return math.nan
    sums = np.bincount(place, weights * deviations, minlength=count)
    return math.sqrt(float((sums**2).sum()) * count / (count - 1)) / float(weights.sum())
