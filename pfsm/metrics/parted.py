"""Metrics that say what their scores are made of."""

from abc import abstractmethod
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pfsm.metrics.base import SegmentMetric
from pfsm.metrics.distinct import score_distinct
from pfsm.metrics.pairs import check_pairs

Float = NDArray[np.float64]


class PartedMetric(SegmentMetric):
    """A metric whose scores come with the parts that they are made of."""

    @abstractmethod
    def _rows(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        """Scores and parts of pairs, float64 [n_pairs, 1 + n_parts]; the row of a pair depends on the pair alone."""

    def score_pairs(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        """Scores of pairs, float64 [n_pairs].

        Raises:
            PfsmError: If something that is needed is not installed.
            ValueError: If the lists differ in length, or one of them is a single string.
        """
        return np.ascontiguousarray(self.parts(hypotheses, references)[:, 0])

    def parts(self, hypotheses: Sequence[str], references: Sequence[str]) -> Float:
        """Scores of pairs and what they are made of, float64 [n_pairs, 1 + n_parts]; each distinct pair once.

        Raises:
            PfsmError: If something that is needed is not installed.
            ValueError: If the lists differ in length, or one of them is a single string.
        """
        check_pairs(hypotheses, references)
        return score_distinct(self._rows, hypotheses, references)
