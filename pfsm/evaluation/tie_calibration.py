"""Pairwise accuracy with ties, acc-t, its ties calibrated (Deutsch, Foster and Freitag 2023).

Over the pairs of translations of one segment, a metric is right where it puts them in people's order, and where
it ties what people tie:

    acc = (C + T_both) / (C + D + T_human + T_metric + T_both)

(their equation 8; averaged over segments, as in the metrics tasks since WMT23). Metrics with many digits never
tie; so scores that differ by no more than a threshold are tied, and the threshold is the one with the highest
accuracy on the same data (section 6). A search that counts all pairs anew for every threshold is quadratic in
their number P; here one pass over the pairs in order of their gaps finds it, in O(P log P).
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pfsm.errors import PfsmError
from pfsm.evaluation.correlation import paired_scores
from pfsm.evaluation.measure import Measure, Names, OfTimes, whole_parts
from pfsm.evaluation.samples import dense_ids
from pfsm.evaluation.segment_pairs import pair_table, segment_starts

MOST_PAIRS = 20_000_000
"""Pairs that are held in memory at once, 21 bytes each and as much again while they are sorted."""


@dataclass(frozen=True)
class TieCalibration:
    """The threshold up to which metric scores are tied, and the accuracy with it; NaN without pairs."""

    accuracy: float
    threshold: float


def accuracy_with_ties(
    human: ArrayLike, metric: ArrayLike, segments: Names | None = None, threshold: float = 0.0
) -> float:
    """Pairwise accuracy with ties at a given threshold, averaged over the segments that have pairs.

    Args:
        human: float64 [n], finite; equal scores are a tie.
        metric: float64 [n], finite; scores that differ by no more than the threshold are a tie.
        segments: [n], names or numbers; one segment where it is None.
        threshold: From 0.

    Returns:
        A number in [0, 1]; NaN where no segment has two translations.

    Raises:
        ValueError: If lengths differ, a score is not finite, or the threshold is negative.
    """
    table = pair_table(human, metric, segments, threshold)
    table = table[table.sum(axis=1) > 0]
    return float(((table[:, 0] + table[:, 4]) / table.sum(axis=1)).mean()) if len(table) else float("nan")


def calibrate_ties(human: ArrayLike, metric: ArrayLike, segments: Names | None = None) -> TieCalibration:
    """The threshold with the highest accuracy; the smallest of them where several are equally good.

    Args:
        human: float64 [n], finite.
        metric: float64 [n], finite.
        segments: [n], names or numbers; one segment where it is None.

    Raises:
        ValueError: If lengths differ, or a score is not finite.
        PfsmError: If there are more than `MOST_PAIRS` pairs.
    """
    human, metric = paired_scores(human, metric)
    ids = np.zeros(human.size, np.int64) if segments is None else dense_ids(segments, human.size, "segments")
    pairs = _sorted_pairs(human, metric, ids)
    if not pairs.weights.any():
        return TieCalibration(float("nan"), float("nan"))
    steps = pairs.changes * pairs.weights[pairs.segments]
    accuracies = (pairs.right.sum() + np.concatenate([[0.0], np.cumsum(steps)])) / pairs.present
    # A threshold takes in every pair with its gap: only the last of them shows its accuracy.
    whole = np.concatenate([[True], np.diff(pairs.gaps) > 0.0, [True]])[-len(accuracies) :]
    thresholds = np.concatenate([[0.0], pairs.gaps])[whole]
    accuracies = accuracies[whole]
    best = int(np.argmax(accuracies >= accuracies.max() - _ROUNDING))
    return TieCalibration(float(accuracies[best]), float(thresholds[best]))


@dataclass(frozen=True, eq=False)
class CalibratedAccuracy(Measure):
    """acc-t as a measure: the threshold is calibrated anew for every metric and in every resample."""

    human: NDArray[np.float64]
    segments: NDArray[np.int64]
    units: NDArray[np.int64]

    def value(self, metric: NDArray[np.float64]) -> float:
        """As `Measure.value`."""
        return calibrate_ties(self.human, metric, self.segments).accuracy

    def remarks(self, metric: NDArray[np.float64]) -> Mapping[str, float]:
        """The threshold."""
        return {"threshold": calibrate_ties(self.human, metric, self.segments).threshold}

    def resampler(self, metric: NDArray[np.float64]) -> OfTimes:
        """As `Measure.resampler`."""
        from pfsm_kernels.statistics.pairs import calibrated_accuracies  # noqa: PLC0415 - starts a JIT compiler

        of_segment = whole_parts(self.segments, self.units)
        pairs = _sorted_pairs(self.human, metric, self.segments)
        paired = np.flatnonzero(pairs.weights > 0.0)
        place = np.zeros(pairs.weights.size, dtype=np.int32)
        place[paired] = np.arange(paired.size)
        places, right, weights = place[pairs.segments], pairs.right[paired], pairs.weights[paired]
        return lambda times: calibrated_accuracies(
            pairs.gaps, pairs.changes, places, right, weights, times[:, of_segment[paired]]
        )


_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class _Pairs:
    """The pairs that matter to the calibration, in order of their gaps; see `statistics.pairs.tie_changes`."""

    gaps: NDArray[np.float64]
    changes: NDArray[np.int8]
    segments: NDArray[np.int32]
    right: NDArray[np.float64]
    """float64 [n_segments], share of a segment's pairs that are right at threshold 0; 0 without pairs."""
    weights: NDArray[np.float64]
    """float64 [n_segments], one over the number of its pairs; 0 without pairs."""

    @property
    def present(self) -> int:
        return int(np.count_nonzero(self.weights))


def _sorted_pairs(human: NDArray[np.float64], metric: NDArray[np.float64], ids: NDArray[np.int64]) -> _Pairs:
    from pfsm_kernels.statistics.pairs import tie_changes  # noqa: PLC0415 - starts a JIT compiler

    order = np.argsort(ids, kind="stable")
    starts = segment_starts(ids[order])
    sizes = np.diff(starts)
    numbers = sizes * (sizes - 1) // 2
    if numbers.sum() > MOST_PAIRS:
        raise PfsmError(
            f"{numbers.sum()} pairs of translations of one segment, up to {sizes.max()} translations each: "
            f"the calibration of ties takes at most {MOST_PAIRS}; give less at once"
        )
    gaps, changes, segments, right = tie_changes(human[order], metric[order], starts)
    by_gap = np.argsort(gaps, kind="stable")
    weights = np.divide(1.0, numbers, out=np.zeros(numbers.size), where=numbers > 0)
    return _Pairs(gaps[by_gap], changes[by_gap], segments[by_gap], right * weights, weights)
