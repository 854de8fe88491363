"""Metrics that count what two analyses have in common: scores of segments, their parts, and of whole corpora."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from pfsm.analysis.sentence import Analysis
from pfsm.analysis.wanted import Wanted
from pfsm.metrics.analysed import AnalysedMetric
from pfsm.metrics.distinct import score_distinct
from pfsm.metrics.pairs import check_pairs
from pfsm.metrics.references import Streams, as_streams, by_segment, check_streams

Float = NDArray[np.float64]
Count = Callable[[Sequence[Analysis], Sequence[Analysis]], Float]
CountTogether = Callable[[Sequence[Analysis], Sequence[Sequence[Analysis]]], Float]
Score = Callable[[Float], Float]
SHARED, OF_HYPOTHESIS, OF_REFERENCE = range(3)


class CountedMetric(AnalysedMetric):
    """A metric that is a function of counts, which may be those of a pair or summed over many.

    Args:
        name: As of `AnalysedMetric`, here and below.
        entries: What changes scores.
        parser: Who analyses.
        wanted: What is asked of the analyses.
        count: From analyses of hypotheses and of references to counts, float64 [n_pairs, n_kinds, 3]: what the two
            share, what the hypothesis has, what the reference has; a pair's depend on the pair alone.
        score: From counts float64 [n, n_kinds, 3] to scores and parts, float64 [n, 1 + n_parts].
        understood: As of `AnalysedMetric`.
        together: As ``count``, with all references of each hypothesis used together; None: the best one counts.
    """

    def __init__(
        self,
        name: str,
        entries: Mapping[str, str],
        parser: str,
        wanted: Wanted,
        count: Count,
        score: Score,
        understood: Callable[[Analysis], bool] | None = None,
        together: CountTogether | None = None,
    ) -> None:
        super().__init__(
            name,
            entries,
            parser,
            wanted,
            lambda ours, theirs: score(count(ours, theirs)),
            understood,
            together=None if together is None else lambda ours, theirs: score(together(ours, theirs))[:, :1],
        )
        self._count, self._score, self._count_together = count, score, together
        self.corpus_references = self.segment_references

    def counts(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        """Counts of pairs, float64 [n_pairs, n_kinds, 3]: shared, of the hypothesis, of the reference.

        A line whose parse failed has nothing to count.

        Raises:
            PfsmError: If the parser cannot be loaded, or does not give what is needed.
            ValueError: If the lists differ in length, or one of them is a single string.
        """
        check_pairs(hypotheses, references)
        return score_distinct(lambda h, r: self._analysed(self._count_robust, h, r), hypotheses, references)

    def _count_robust(self, hypotheses: Sequence[Analysis], references: Sequence[Analysis]) -> Float:
        return self._count(*self.without_failed(hypotheses, references))

    def pair_statistics(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        """The counts in a row, float64 [n_pairs, 3 * n_kinds]."""
        return _in_a_row(self.counts(hypotheses, references))

    def segment_statistics(self, hypotheses: Sequence[str], references: Streams) -> Float:
        """As `SegmentMetric.segment_statistics`; clipped over all references where segments are."""
        check_streams(hypotheses, references)
        segments = by_segment(references)
        if self._count_together is None or all(len(several) == 1 for several in segments):
            return super().segment_statistics(hypotheses, references)
        count = self._count_together

        def counted(ours: Sequence[Analysis], theirs: Sequence[Sequence[Analysis]]) -> Float:
            return _in_a_row(count(ours, theirs))

        return self.rows_together(counted, self._best_statistics, hypotheses, segments)

    def _best_statistics(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> Float:
        return super().segment_statistics(hypotheses, as_streams(references))

    def corpus_from_totals(self, totals: Float) -> Float:
        """The score of summed counts, as BLEU has it for corpora."""
        scores = self._score(totals.reshape(-1, totals.shape[-1] // 3, 3))[:, 0]
        return scores.reshape(totals.shape[:-1])


def _in_a_row(counts: Float) -> Float:
    return counts.reshape(len(counts), 3 * counts.shape[1])


def precision_recall(counts: Float) -> tuple[Float, Float, NDArray[np.bool_]]:
    """Precision and recall of every kind, and where they are defined, each [n, n_kinds].

    A kind that neither side has is not defined; both are 1 there, for nothing is missing. Where one side alone has it
    both are 0.
    """
    shared = counts[..., SHARED]
    sides = [_quotient(shared, counts[..., side]) for side in (OF_HYPOTHESIS, OF_REFERENCE)]
    known = counts[..., OF_HYPOTHESIS] + counts[..., OF_REFERENCE] > 0
    return np.where(known, sides[0], 1.0), np.where(known, sides[1], 1.0), known


def f_of_sums(counts: Float) -> Float:
    """``2 P R / (P + R)`` of the precision and recall of all kinds in one bag, float64 [n]; 1 where all is empty."""
    shared, ours, theirs = counts.sum(axis=1).T
    return np.asarray(np.where(ours + theirs > 0, _quotient(2.0 * shared, ours + theirs), 1.0))


def harmonic_mean(counts: Float) -> Float:
    """The harmonic mean of all precisions and recalls that are defined, float64 [n]; 0 where one of them is."""
    precision, recall, known = precision_recall(counts)
    values = np.concatenate([precision, recall], axis=1)
    known = np.concatenate([known, known], axis=1)
    none = (known & (values <= 0.0)).any(axis=1)
    inverse = np.where(known, 1.0 / np.where(values > 0.0, values, 1.0), 0.0).sum(axis=1)
    mean = np.where(known.any(axis=1), _quotient(known.sum(axis=1).astype(np.float64), inverse), 1.0)
    return np.asarray(np.where(none, 0.0, mean))


def mean_precision(counts: Float) -> Float:
    """The arithmetic mean of the precisions that are defined, float64 [n]; 1 where none is."""
    precision, _, known = precision_recall(counts)
    total = np.where(known, precision, 0.0).sum(axis=1)
    return np.asarray(
        np.where(known.any(axis=1), _quotient(total, known.sum(axis=1).astype(np.float64)), 1.0)
    )


def _quotient(over: Float, under: Float) -> Float:
    return np.divide(over, under, out=np.zeros(over.shape), where=under > 0)
