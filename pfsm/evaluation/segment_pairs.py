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
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pfsm.evaluation.correlation import dense_ranks, paired_scores
from pfsm.evaluation.measure import AdditiveMeasure, Names, whole_parts
from pfsm.evaluation.preference import PreferenceCounts, statistic_of_votes
from pfsm.evaluation.samples import dense_ids, sums_of_segments

WmtVariant = Literal["wmt12", "wmt13", "wmt14", "darr"]
DARR_DIFFERENCE = 25.0
"""Points of direct assessment (0 to 100) between translations that people are taken to have told apart."""


@dataclass(frozen=True)
class PairCounts:
    """Pairs of translations of one segment by how people and a metric order them."""

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

    Raises:
        ValueError: If lengths differ, a score is not finite, or the threshold is negative.
    """
    table = pair_table(human, metric, segments, tie_threshold)
    return PairCounts(*table.sum(axis=0).tolist())


def pair_table(
    human: ArrayLike, metric: ArrayLike, segments: Names | None = None, tie_threshold: float = 0.0
) -> NDArray[np.int64]:
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
    votes = order_votes(human, metric, segments, darr_difference if variant == "darr" else 0.0)
    return PreferenceCounts(*votes.sum(axis=0).tolist()).kendall_tau(variant)


def order_votes(
    human: ArrayLike, metric: ArrayLike, segments: Names, least_difference: float = 0.0
) -> NDArray[np.float64]:
    """Pairs that people order, by what the metric says: concordant, discordant, tied.

    Args:
        human: float64 [n], finite.
        metric: float64 [n], finite.
        segments: [n], names or numbers.
        least_difference: How far apart people must put two translations to have ordered them; where it is 0,
            any difference will do.

    Returns:
        float64 [n_segments, 3].

    Raises:
        ValueError: If lengths differ, a score is not finite, or the difference is negative.
    """
    from pfsm_kernels.statistics.pairs import ordered_pairs  # noqa: PLC0415 - starts a JIT compiler

    human, metric = paired_scores(human, metric)
    ids = dense_ids(segments, human.size, "segments")
    order, starts = _by_segment(ids, human)
    ranks = _ranks_within(ids[order], metric[order])
    counts = ordered_pairs(human[order], ranks, starts, least_difference, inclusive=least_difference > 0.0)
    return counts.astype(np.float64)


@dataclass(frozen=True, eq=False)
class WmtKendall(AdditiveMeasure):
    """A Kendall's tau of the WMT metrics tasks."""

    human: NDArray[np.float64]
    segments: NDArray[np.int64]
    variant: WmtVariant
    units: NDArray[np.int64]

    def value(self, metric: NDArray[np.float64]) -> float:
        """As `Measure.value`."""
        return float(self.of_sums(self._votes(metric).sum(axis=0, keepdims=True))[0])

    def table(self, metric: NDArray[np.float64]) -> NDArray[np.float64]:
        """float64 [n_units, 3]: `order_votes` of the segments of each unit."""
        return sums_of_segments(self._votes(metric), whole_parts(self.segments, self.units))

    def _votes(self, metric: NDArray[np.float64]) -> NDArray[np.float64]:
        least = DARR_DIFFERENCE if self.variant == "darr" else 0.0
        return order_votes(self.human, metric, self.segments, least)

    def of_sums(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """As `AdditiveMeasure.of_sums`."""
        return statistic_of_votes(sums, self.variant)


def segment_starts(ids: NDArray[np.int64]) -> NDArray[np.int64]:
    """int64 [n_segments + 1]: where each segment begins among sorted ids, and where the last one ends."""
    n_segments = int(ids.max()) + 1 if ids.size else 0
    return np.searchsorted(ids, np.arange(n_segments + 1)).astype(np.int64)


def _by_segment(
    ids: NDArray[np.int64], scores: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The order of rows by segment and, within it, by score; and where each segment begins in it."""
    order = np.lexsort((scores, ids)).astype(np.int64)
    return order, segment_starts(ids[order])


def _ranks_within(ids: NDArray[np.int64], scores: NDArray[np.float64]) -> NDArray[np.int64]:
    """int64 [n]: dense ranks of scores within segments whose rows stand together."""
    ranks = dense_ranks(scores)
    order = np.lexsort((ranks, ids))
    sorted_ids, sorted_ranks = ids[order], ranks[order]
    new_segment = np.diff(sorted_ids, prepend=-1) != 0
    steps = np.cumsum(new_segment | (np.diff(sorted_ranks, prepend=-1) != 0))
    within = np.empty(ids.size, dtype=np.int64)
    within[order] = steps - steps[new_segment][sorted_ids]
    return within


def _tied_pairs(ids: NDArray[np.int64], ranks: NDArray[np.int64], n_segments: int) -> NDArray[np.int64]:
    """int64 [n_segments]: pairs of a segment with the same rank."""
    if not ids.size:
        return np.zeros(n_segments, dtype=np.int64)
    width = int(ranks.max()) + 1
    cells, counts = np.unique(ids * width + ranks, return_counts=True)
    pairs = np.bincount(cells // width, weights=counts * (counts - 1) // 2, minlength=n_segments)
    return pairs.astype(np.int64)
