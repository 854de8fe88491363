"""Scores of segments against all their references: what a metric does with several of them.

`pfsm.metrics.base.SegmentMetric` is one of these.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Self

import numpy as np
from numpy.typing import NDArray

from pfsm.metrics.distinct import PairScorer
from pfsm.metrics.inputs import checked_streams
from pfsm.metrics.references import (
    Streams,
    best_of_references,
    best_understood,
    by_segment,
    check_references,
    flat_pairs,
)

Float = NDArray[np.float64]


class ReferenceScores(ABC):
    """A metric of pairs that scores segments with any number of references."""

    @abstractmethod
    def score_pairs(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        """Scores of single-reference pairs.

        Args:
            hypotheses: Translations, one string each.
            references: As many references.

        Returns:
            float64 [n_pairs], finite; higher is better.

        Raises:
            ValueError: If the lists differ in length, or one of them is a single string.
        """

    @property
    def is_independent(self) -> bool:
        """Whether the score of a pair depends on that pair alone, not on others in the same call."""
        return True

    def counted_over(self, references: Sequence[str]) -> Self:  # noqa: ARG002
        """The metric with all that it counts over the references of a call counted over these, for calls to come.

        A metric that counts nothing over them is returned as it is.

        Args:
            references: Lines; one that occurs twice counts once.
        """
        return self

    def understood_scores(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        """`score_pairs` with NaN for pairs that the metric cannot judge, such as lines without a parse."""
        return self.score_pairs(hypotheses, references)

    def tolerant_scores(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        """`score_pairs` with 0 for pairs that the metric cannot judge, whatever it says of them itself."""
        return np.nan_to_num(self.understood_scores(hypotheses, references), nan=0.0)

    def segment_scores(self, hypotheses: Sequence[str], references: Streams) -> Float:
        """Scores of segments, as `score_segments` gives them.

        Args:
            hypotheses: One translation a segment.
            references: Streams, as in sacrebleu: ``references[k][i]`` is the k-th reference of segment i, None where
                it has fewer.

        Returns:
            float64 [n_segments]; higher is better.

        Raises:
            ValueError: If there is no stream, or one differs in length from the hypotheses.
        """
        hypotheses, references = checked_streams(hypotheses, references)
        return self.score_segments(hypotheses, by_segment(references))

    def score_segments(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> Float:
        """Scores of segments against all their references; what several mean, `segment_references` says.

        Every command, experiment and training scores by this method.

        Args:
            hypotheses: One translation a segment.
            references: For each of them its references, one at least.

        Returns:
            float64 [n_segments]; higher is better.

        Raises:
            ValueError: If the lists differ in length, or a segment has no reference.
        """
        check_references(hypotheses, references)
        if all(len(several) == 1 for several in references):
            return self.score_pairs(hypotheses, [several[0] for several in references])
        return self.several_references(hypotheses, references)

    def score_rows(
        self,
        hypotheses: Sequence[str],
        references: Sequence[Sequence[str]],
        columns: Mapping[str, Float],  # noqa: ARG002
    ) -> Float:
        """`score_segments` of rows of data that have more than text.

        Args:
            hypotheses: One translation a row.
            references: For each of them its references.
            columns: Of each of the metric's `columns` the numbers, float64 [n_rows]; others do not matter.
        """
        return self.score_segments(hypotheses, references)

    def several_references(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> Float:
        """`score_segments` where some segment has several references: the best one counts, unless this is overridden.

        A segment with one reference must get the score that `score_pairs` gives it.
        """
        return self._best_of(lambda metric: metric.score_pairs, hypotheses, references)

    def _best_of(
        self,
        scorer: Callable[["Self"], PairScorer],
        hypotheses: Sequence[str],
        references: Sequence[Sequence[str]],
    ) -> Float:
        """The best scores of pairs, by a method of the metric that has counted over all references."""
        metric = self.counted_over([line for several in references for line in several])
        if metric.is_independent or len({len(several) for several in references}) > 1:
            return best_of_references(scorer(metric), hypotheses, references)
        # Scores that depend on the other pairs: each translation is to be among them once.
        streams = zip(*references, strict=True)
        return np.asarray(np.max([scorer(metric)(hypotheses, stream) for stream in streams], axis=0))

    def understood_segments(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> Float:
        """`score_segments` by the references that the metric can judge; NaN for segments where it can judge none."""
        if self._judges_all:
            return self.score_segments(hypotheses, references)
        repeated, flat, starts = flat_pairs(hypotheses, references)
        return best_understood(self.understood_scores(repeated, flat), starts)

    def tolerant_segments(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> Float:
        """`score_segments` with 0 for pairs that the metric cannot judge, whatever it says of them itself."""
        if self._judges_all:
            return self.score_segments(hypotheses, references)
        return self._best_of(lambda metric: metric.tolerant_scores, hypotheses, references)

    @property
    def _judges_all(self) -> bool:
        """Whether there are no pairs that the metric cannot judge."""
        plain = type(self).understood_scores is ReferenceScores.understood_scores
        return plain and "understood_scores" not in vars(self)
