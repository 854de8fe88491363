"""The mean of segment scores in place of a corpus score that pools counts."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pfsm.metrics.base import SegmentMetric
from pfsm.metrics.ngram_table import NgramTable

Float = NDArray[np.float64]


class MeanOf(SegmentMetric):
    """A metric whose corpus score is the mean of its segment scores, though the metric itself pools counts.

    Args:
        metric: The metric.
    """

    def __init__(self, metric: SegmentMetric) -> None:
        self.metric = metric
        self.name, self.origin, self.language = metric.name, metric.origin, metric.language
        self.segment_references = metric.segment_references

    def __reduce_ex__(self, protocol: Any) -> Any:
        return MeanOf, (self.metric,)

    @property
    def is_independent(self) -> bool:
        """The metric's."""
        return self.metric.is_independent

    @property
    def resources(self) -> tuple[str, ...]:
        """The metric's."""
        return self.metric.resources

    @property
    def tables(self) -> Mapping[str, NgramTable]:
        """The metric's."""
        return self.metric.tables

    def check_independent(self) -> None:
        """As the metric does."""
        self.metric.check_independent()

    def entries(self) -> Mapping[str, str]:
        """The metric's."""
        return self.metric.entries()

    def score_pairs(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        """The metric's."""
        return self.metric.score_pairs(hypotheses, references)

    def several_references(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> Float:
        """The metric's."""
        return self.metric.several_references(hypotheses, references)
