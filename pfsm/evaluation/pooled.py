"""Scores of metrics that pool counts: the score of a system or document is a function of sums over its rows.

    score = f(sum over the rows of their statistics)

BLEU, for example, adds up matched n-grams. A mean is the special case with the statistics (score, 1) and
``f(s, n) = s / n``. In a bootstrap resample the sums are over the rows drawn.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from pfsm.errors import PfsmError
from pfsm.evaluation.samples import sums_of_segments
from pfsm.metrics import score_distinct
from pfsm.metrics.base import SegmentMetric
from pfsm.metrics.references import as_streams

Float = NDArray[np.float64]
OfTotals = Callable[[Float], Float]
"""From sums of statistics, float64 [..., k], to scores, float64 [...]; higher is better."""


@dataclass(frozen=True, eq=False)
class PooledScores:
    """What the rows of the data add to the scores of systems or documents."""

    statistics: Float
    """float64 [n, k]; NaN for rows that were not scored."""
    of_totals: OfTotals

    def __len__(self) -> int:
        return len(self.statistics)

    def select(self, rows: NDArray[np.int64]) -> "PooledScores":
        """Those of some rows."""
        return PooledScores(self.statistics[rows], self.of_totals)

    def of_corpora(self, corpora: NDArray[np.int64]) -> Float:
        """The score of every corpus, float64 [n_corpora].

        Args:
            corpora: int64 [n], from 0 up without gaps: the corpus of each row.
        """
        return self.of_totals(sums_of_segments(self.statistics, corpora))


Scores = Float | PooledScores
"""A metric's scores of the data's rows, float64 [n], or what they add to scores of systems or documents."""


class Remembered:
    """A function of totals that remembers its last result: several statistics ask for the scores of one resample.

    Args:
        of_totals: The function.
    """

    def __init__(self, of_totals: OfTotals) -> None:
        self._of_totals = of_totals
        self._totals, self._scores = np.empty(0), np.empty(0)

    def __call__(self, totals: Float) -> Float:
        """The scores."""
        if not np.array_equal(totals, self._totals):
            self._totals, self._scores = totals, self._of_totals(totals)
        return self._scores


def oriented_scores(metric: SegmentMetric) -> OfTotals:
    """A metric's corpus scores from sums of its statistics, the sign turned where lower is better."""
    return partial(_oriented, metric)


def _oriented(metric: SegmentMetric, totals: Float) -> Float:
    return metric.oriented(metric.corpus_from_totals(totals))


def pooled_scores(
    metric: SegmentMetric,
    hypotheses: Sequence[str],
    references: Sequence[tuple[str, ...]],
    corpora: NDArray[np.int64],
) -> PooledScores:
    """What each row adds to the corpus score of its system or document.

    Args:
        metric: Any metric that pools statistics.
        hypotheses: [n], the translations.
        references: [n], the references of each.
        corpora: int64 [n], the corpus of each row, as `Question.corpora` tells; it matters to metrics such as NIST,
            where the statistics of a segment depend on the other segments of the corpus.
    """
    statistics = corpus_statistics(metric, hypotheses, references, corpora)
    return PooledScores(statistics, oriented_scores(metric))


def corpus_statistics(
    metric: SegmentMetric,
    hypotheses: Sequence[str],
    references: Sequence[tuple[str, ...]],
    corpora: NDArray[np.int64],
) -> Float:
    """The statistics of `pooled_scores`, float64 [n, k]; arguments as there."""

    def counted(ours: Sequence[str], theirs: Sequence[tuple[str, ...]]) -> Float:
        return metric.segment_statistics(ours, as_streams(theirs))

    if metric.is_additive:
        return score_distinct(counted, hypotheses, references)
    order = np.argsort(corpora, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(corpora[order])) + 1)
    found = [
        counted([hypotheses[row] for row in rows], [references[row] for row in rows])
        for rows in (part.tolist() for part in parts)
    ]
    statistics = np.empty((len(hypotheses), found[0].shape[1]))
    statistics[order] = np.concatenate(found)
    return statistics


def segment_scores(metric: Scores) -> Float:
    """A metric's scores, for a test that swaps them between metrics.

    Raises:
        PfsmError: If the metric pools counts; those of different metrics cannot be swapped.
    """
    if isinstance(metric, PooledScores):
        raise PfsmError(
            "PERM-BOTH swaps scores of segments between metrics, but a metric here pools counts to score systems; "
            "use the paired bootstrap"
        )
    return metric
