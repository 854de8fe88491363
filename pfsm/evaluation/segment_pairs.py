"""Pairs of translations of one segment: Kendall's taus of the WMT metrics tasks from absolute scores.

Two translations of a segment form a pair. People order it, or give both the same score; so does a metric. What
is done with ties is what the variants differ in (`pfsm.evaluation.preference` has the formulas):

==========  ==========================================  ===============================================
variant     ties of people                              ties of the metric
==========  ==========================================  ===============================================
wmt12       left out                                    discordant
wmt13       left out                                    left out
wmt14       left out                                    count as pairs, neither concordant nor discordant
darr        left out, as are differences below 25       discordant
            points of direct assessment
==========  ==========================================  ===============================================

Sources: Macháček and Bojar (2014), section 4.1, for the first three; Bojar et al. (2017), section 3.2, for DARR.
A difference of exactly the least one counts, as in the task's own software.

Pairwise accuracy with ties, acc-t, its ties calibrated (Deutsch, Foster and Freitag 2023).

Over the pairs of translations of one segment, a metric is right where it puts them in people's order, and where
it ties what people tie:

    acc = (C + T_both) / (C + D + T_human + T_metric + T_both)

(their equation 8; averaged over segments, as in the metrics tasks since WMT23). Metrics with many digits never
tie; so scores that differ by no more than a threshold are tied, and the threshold is the one with the highest
accuracy on the same data (section 6). A search that counts all pairs anew for every threshold is quadratic in
their number P; here one pass over the pairs in order of their gaps finds it, in O(P log P).
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pfsm.arrays import Float
from pfsm.errors import PfsmError
from pfsm.evaluation.bootstrap import count_ids, dense_ids, sums_of_segments
from pfsm.evaluation.correlation import dense_ranks, paired_scores
from pfsm.evaluation.measure import (
    Items,
    Measure,
    Names,
    OfTimes,
    additive,
    ratio,
    ratio_of_sums,
    whole_parts,
)
from pfsm.evaluation.preference import PreferenceCounts, WmtVariant, statistic_of_votes
from pfsm.runtime.choice import simplest_within_noise

Int = NDArray[np.int64]


DARR_DIFFERENCE = 25.0
"""Points of direct assessment (0 to 100) between translations that people are taken to have told apart."""


@dataclass(frozen=True)
class PairCounts:
    """Pairs of translations: `concordant`, `discordant`, or tied by people, by the metric or by both (`ties_both`)."""

    concordant: int
    discordant: int
    ties_human: int
    """Tied by people alone."""
    ties_metric: int
    """Tied by the metric alone."""
    ties_both: int

    @property
    def total(self) -> int:
        """All pairs."""
        return self.concordant + self.discordant + self.ties_human + self.ties_metric + self.ties_both


def pair_counts(
    human: ArrayLike, metric: ArrayLike, segments: Names | None = None, tie_threshold: float = 0.0
) -> PairCounts:
    """Count pairs in O(n log n), where a loop over pairs takes O(n^2) for a segment of n translations.

    Args:
        human: float64 [n], finite.
        metric: float64 [n], finite.
        segments: [n], names or numbers; one segment where it is None.
        tie_threshold: From 0; metric scores that differ by no more are tied.

    Returns:
        The pairs of every kind, of all segments together.

    Raises:
        ValueError: If lengths differ, a score is not finite, or the threshold is negative.
    """
    table = pair_table(human, metric, segments, tie_threshold)
    return PairCounts(*table.sum(axis=0).tolist())


def pair_table(
    human: ArrayLike, metric: ArrayLike, segments: Names | None = None, tie_threshold: float = 0.0
) -> Int:
    """`pair_counts` of every segment: int64 [n_segments, 5], columns in the order of its fields."""
    from pfsm_kernels.statistics.pairs import ordered_pairs  # noqa: PLC0415 - starts a JIT compiler

    human, metric = paired_scores(human, metric)
    ids = np.zeros(human.size, np.int64) if segments is None else dense_ids(segments, human.size, "segments")
    order, starts = _by_segment(ids, metric)
    ranks = _ranks_within(ids[order], human[order])
    ordered = ordered_pairs(metric[order], ranks, starts, tie_threshold)
    sizes = np.diff(starts)
    pairs = sizes * (sizes - 1) // 2
    concordant, discordant, ties_human = ordered.T
    ties_both = _tied_pairs(ids[order], ranks, sizes.size) - ties_human
    ties_metric = pairs - concordant - discordant - ties_human - ties_both
    return np.stack([concordant, discordant, ties_human, ties_metric, ties_both], axis=1)


def wmt_kendall(
    human: ArrayLike,
    metric: ArrayLike,
    segments: Names,
    variant: WmtVariant,
    darr_difference: float = DARR_DIFFERENCE,
) -> float:
    """Kendall's tau of a WMT metrics task over the pairs of translations of one segment, all segments together.

    Args:
        human: float64 [n], finite, higher is better; for "darr" raw direct assessment, from 0 to 100.
        metric: float64 [n], finite, higher is better.
        segments: [n], names or numbers.
        variant: As at the head of this module.
        darr_difference: For "darr": how far apart people must put two translations, above 0.

    Returns:
        A number in [-1, 1]; NaN where no pair is counted.

    Raises:
        ValueError: If lengths differ, a score is not finite, the difference is not above 0, or there is
            no such variant.
    """
    votes = _order_votes(human, metric, segments, darr_difference if variant == "darr" else 0.0)
    return PreferenceCounts(*votes.sum(axis=0).tolist()).kendall_tau(variant)


def _order_votes(
    human: ArrayLike, metric: ArrayLike, segments: Names, least_difference: float = 0.0
) -> Float:
    """float64 [n_segments, 3]: pairs that people put so far apart, by the metric: concordant, discordant, tied."""
    from pfsm_kernels.statistics.pairs import ordered_pairs  # noqa: PLC0415 - starts a JIT compiler

    human, metric = paired_scores(human, metric)
    ids = dense_ids(segments, human.size, "segments")
    order, starts = _by_segment(ids, human)
    ranks = _ranks_within(ids[order], metric[order])
    counts = ordered_pairs(human[order], ranks, starts, least_difference, inclusive=least_difference > 0.0)
    return counts.astype(np.float64)


def wmt_kendall_measure(items: Items, variant: WmtVariant) -> Measure:
    """A Kendall's tau of the WMT metrics tasks as a measure."""
    segments = items.needed("segments")

    def votes(metric: Float) -> Float:
        return _order_votes(items.human, metric, segments, DARR_DIFFERENCE if variant == "darr" else 0.0)

    def table(metric: Float) -> Float:
        return sums_of_segments(votes(metric), whole_parts(segments, items.units))

    def value(metric: Float) -> float:
        return float(statistic_of_votes(votes(metric).sum(axis=0, keepdims=True), variant)[0])

    return additive(count_ids(items.units), table, lambda sums: statistic_of_votes(sums, variant), value)


ItemVariant = Literal["b", "23", "acc23"]


def item_kendall(items: Items, variant: ItemVariant) -> Measure:
    """A Kendall's tau of each segment's translations, averaged over segments, as mt-metrics-eval does by item.

    Tau-b; tau-23 (C + T_both - D - T_human - T_metric) / all; acc-23 (C + T_both) / all, in which only equal scores
    tie. Segments where it is undefined are left out (Deutsch, Foster and Freitag 2023, table 1).
    """
    segments = items.needed("segments")

    def table(metric: Float) -> Float:
        """Sum over the segments of each unit, and how many have a value."""
        counts = pair_table(items.human, metric, segments).astype(np.float64)
        c, d, human, machine, both = counts.T
        if variant == "b":
            values = ratio(c - d, np.sqrt((c + d + machine) * (c + d + human)))
        else:
            values = ratio(c + both, counts.sum(axis=1))
            values = 2.0 * values - 1.0 if variant == "23" else values
        found = np.stack([np.nan_to_num(values), ~np.isnan(values)], axis=1)
        return sums_of_segments(found, whole_parts(segments, items.units))

    return additive(count_ids(items.units), table, ratio_of_sums)


def kendall_tau_c(x: ArrayLike, y: ArrayLike) -> float:
    """Kendall's tau-c (Stuart 1953): ``2 (C - D) m / (n^2 (m - 1))``, m the smaller number of distinct values.

    Args:
        x: float64 [n], finite.
        y: float64 [n], finite.

    Returns:
        A number in [-1, 1]; NaN where `x` or `y` is constant.
    """
    counts = pair_counts(x, y)
    distinct = min(np.unique(np.asarray(side)).size for side in (x, y))
    pairs = counts.concordant - counts.discordant
    n = np.asarray(x).size
    return 2.0 * pairs * distinct / (n * n * (distinct - 1)) if distinct > 1 else float("nan")


def segment_starts(ids: Int) -> Int:
    """int64 [n_segments + 1]: where each segment begins among sorted ids, and where the last one ends."""
    return np.searchsorted(ids, np.arange(count_ids(ids) + 1)).astype(np.int64)


def _by_segment(ids: Int, scores: Float) -> tuple[Int, Int]:
    """The order of rows by segment and, within it, by score; and where each segment begins in it."""
    order = np.lexsort((scores, ids)).astype(np.int64)
    return order, segment_starts(ids[order])


def _ranks_within(ids: Int, scores: Float) -> Int:
    """int64 [n]: dense ranks of scores within segments whose rows stand together."""
    ranks = dense_ranks(scores)
    order = np.lexsort((ranks, ids))
    sorted_ids, sorted_ranks = ids[order], ranks[order]
    new_segment = np.diff(sorted_ids, prepend=-1) != 0
    steps = np.cumsum(new_segment | (np.diff(sorted_ranks, prepend=-1) != 0))
    within = np.empty(ids.size, dtype=np.int64)
    within[order] = steps - steps[new_segment][sorted_ids]
    return within


def _tied_pairs(ids: Int, ranks: Int, n_segments: int) -> Int:
    """int64 [n_segments]: pairs of a segment with the same rank."""
    if not ids.size:
        return np.zeros(n_segments, dtype=np.int64)
    width = int(ranks.max()) + 1
    cells, counts = np.unique(ids * width + ranks, return_counts=True)
    pairs = np.bincount(cells // width, weights=counts * (counts - 1) // 2, minlength=n_segments)
    return pairs.astype(np.int64)


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

    Returns:
        The best accuracy, and the least threshold that reaches it.

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
    accuracies = (pairs.right.sum() + np.concatenate([[0.0], np.cumsum(steps)])) / int(
        np.count_nonzero(pairs.weights)
    )
    # A threshold takes in every pair with its gap: only the last of them shows its accuracy.
    whole = np.concatenate([[True], np.diff(pairs.gaps) > 0.0, [True]])[-len(accuracies) :]
    thresholds = np.concatenate([[0.0], pairs.gaps])[whole]
    accuracies = accuracies[whole]
    best = simplest_within_noise(accuracies, _ROUNDING)
    return TieCalibration(float(accuracies[best]), float(thresholds[best]))


def calibrated_accuracy(items: Items) -> Measure:
    """acc-t as a measure: the threshold is calibrated anew for every metric and in every resample."""
    segments = items.needed("segments")

    def calibrated(metric: Float) -> TieCalibration:
        return calibrate_ties(items.human, metric, segments)

    def resampler(metric: Float) -> OfTimes:
        from pfsm_kernels.statistics.pairs import calibrated_accuracies  # noqa: PLC0415 - starts a JIT compiler

        of_segment = whole_parts(segments, items.units)
        pairs = _sorted_pairs(items.human, metric, segments)
        paired = np.flatnonzero(pairs.weights > 0.0)
        place = np.zeros(pairs.weights.size, dtype=np.int32)
        place[paired] = np.arange(paired.size)
        places, right, weights = place[pairs.segments], pairs.right[paired], pairs.weights[paired]
        return lambda times: calibrated_accuracies(
            pairs.gaps, pairs.changes, places, right, weights, times[:, of_segment[paired]]
        )

    return Measure(
        count_ids(items.units),
        lambda metric: calibrated(metric).accuracy,
        resampler,
        remarks=lambda metric: {"threshold": calibrated(metric).threshold},
    )


_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class _Pairs:
    """The pairs that matter to the calibration, in order of their gaps; see `statistics.pairs.tie_changes`."""

    gaps: Float
    changes: NDArray[np.int8]
    segments: NDArray[np.int32]
    right: Float
    """float64 [n_segments], share of a segment's pairs that are right at threshold 0; 0 without pairs."""
    weights: Float
    """float64 [n_segments], one over the number of its pairs; 0 without pairs."""


def _sorted_pairs(human: Float, metric: Float, ids: Int) -> _Pairs:
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
