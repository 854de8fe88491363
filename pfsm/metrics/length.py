"""The ratio of lengths: what can be told about a translation without reading it."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from pfsm.metrics.base import SegmentMetric
from pfsm.metrics.pairs import check_pairs
from pfsm.text.scripts import spaceless_sizes


class LengthRatio(SegmentMetric):
    """``min(m, n) / max(m, n)`` of the lengths of reference and hypothesis in characters, spaces not counted.

    Characters, so that it means the same where words have no spaces between them. 1 for two empty sides. Several
    references: the best one of each segment counts.
    """

    name = "length_ratio"

    def entries(self) -> Mapping[str, str]:
        """What is counted."""
        return {"unit": "character", "space": "no"}

    def score_pairs(self, hypotheses: Sequence[str], references: Sequence[str]) -> NDArray[np.float64]:
        """Ratios, float64 [n_pairs], from 0 (one side empty) to 1 (equally long).

        Raises:
            ValueError: If the lists differ in length, or one of them is a single string.
        """
        check_pairs(hypotheses, references)
        lengths = np.array([spaceless_sizes(side) for side in (hypotheses, references)])
        longest = lengths.max(axis=0, initial=0)
        ratios = np.ones(longest.size)
        np.divide(lengths.min(axis=0), longest, out=ratios, where=longest > 0)
        return ratios
